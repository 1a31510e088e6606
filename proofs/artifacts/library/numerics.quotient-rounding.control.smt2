; negative control of lemma quotient-rounding
; Reciprocal and product multiply q by p, |p - 1| <= G (factor-step: (1 + rho)(1 + u) - 1): E becomes
; E + (|o| + E) G.
(set-logic QF_NRA)
(declare-const q Real)
(declare-const o Real)
(declare-const p Real)
(declare-const E Real)
(declare-const G Real)
; the quotient before it is rounded
(assert (and (<= (- 0.0 E) (- q o)) (<= (- q o) E)))
; factor-step
(assert (and (<= (- 0.0 G) (- p 1.0)) (<= (- p 1.0) G)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ E (* (ite (<= 0.0 o) o (- 0.0 o)) G))) (- (* q p) o)) (<= (- (* q p) o) (+ E (* (ite (<= 0.0 o) o (- 0.0 o)) G))))))
(check-sat)
