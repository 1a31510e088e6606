; negative control of lemma mma-apriori-base
; Before the first instruction: R, the sum of T_1 .. T_t, is 0, and with an exact C the error is 0 = kappa R.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const s Real)
(declare-const R Real)
(declare-const T Real)
(declare-const kappa Real)
(declare-const t Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; no instruction so far
(assert (and (= t 0.0) (= R 0.0)))
; C is exact
(assert (= a s))
; T_0
(assert (= T (ite (<= 0.0 a) a (- 0.0 a))))
; the claim, negated
(assert (not (<= (* kappa T) (* kappa R))))
(check-sat)
