; numerics lemma quotient-rounding
; Reciprocal and product multiply q by p, |p - 1| <= G (factor-step: (1 + rho)(1 + u) - 1): E becomes
; E + (|o| + E) G + m, m for a result that is subnormal.
(set-logic QF_NRA)
(declare-const q Real)
(declare-const o Real)
(declare-const p Real)
(declare-const z Real)
(declare-const E Real)
(declare-const G Real)
(declare-const m Real)
; the quotient before it is rounded
(assert (and (<= (- 0.0 E) (- q o)) (<= (- q o) E)))
; factor-step
(assert (and (<= (- 0.0 G) (- p 1.0)) (<= (- p 1.0) G)))
; rounding of a subnormal result
(assert (and (<= (- 0.0 m) z) (<= z m)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ E (* (+ (ite (<= 0.0 o) o (- 0.0 o)) E) G) m)) (- (+ (* q p) z) o)) (<= (- (+ (* q p) z) o) (+ E (* (+ (ite (<= 0.0 o) o (- 0.0 o)) E) G) m)))))
(check-sat)
