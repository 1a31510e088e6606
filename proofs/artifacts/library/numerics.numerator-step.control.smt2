; negative control of lemma numerator-step
; One mma of weights and values: s is the sum over perturbed weights, |s| <= S, a within F of it. The products
; p change by r, |r| <= H, where weights are rounded to binary16. a' is within F + H + kappa (S + F + Y).
(set-logic QF_NRA)
(declare-const s Real)
(declare-const S Real)
(declare-const a Real)
(declare-const p Real)
(declare-const r Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const F Real)
(declare-const H Real)
(declare-const kappa Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; perturbed sum so far
(assert (and (<= (- 0.0 S) s) (<= s S)))
; induction hypothesis
(assert (and (<= (- 0.0 F) (- a s)) (<= (- a s) F)))
; weights in binary16
(assert (and (<= (- 0.0 H) r) (<= r H)))
; one instruction, its error
(assert (and (<= (- 0.0 (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))) (- d (+ a p r))) (<= (- d (+ a p r)) (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)))))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ F H (* kappa (+ S Y)))) (- d (+ s p))) (<= (- d (+ s p)) (+ F H (* kappa (+ S Y)))))))
(check-sat)
