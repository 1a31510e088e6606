; negative control of lemma mma-apriori-closed-step
; T_t does not decrease, so R_t <= t T_t: the a priori bound is at most t kappa T_t.
(set-logic QF_NRA)
(declare-const T Real)
(declare-const Y Real)
(declare-const R Real)
(declare-const t Real)
; clipped magnitudes
(assert (<= 0.0 Y))
; instructions so far
(assert (<= 0.0 t))
; induction hypothesis
(assert (<= R (* t T)))
; the claim, negated
(assert (not (<= (+ R (+ T Y)) (* t (+ T Y)))))
(check-sat)
