; numerics lemma mma-apriori-base
; Before the first instruction: with an exact C the error is 0 = 0 kappa T_0.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const s Real)
(declare-const E Real)
(declare-const T Real)
(declare-const kappa Real)
(declare-const t Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; no instruction so far
(assert (= t 0.0))
; C is exact
(assert (= a s))
; T_0
(assert (= T (ite (<= 0.0 a) a (- 0.0 a))))
; the bound
(assert (= E (* t kappa T)))
; the claim, negated
(assert (not (and (and (<= (- 0.0 E) (- a s)) (<= (- a s) E)) (and (<= (- 0.0 T) a) (<= a T)))))
(check-sat)
