; negative control of lemma gamma-base
; No rounding: g_0 = 0 and the factor (1 + u)^0 = 1 is at most 1 + g_0.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const g Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; g is g_0
(assert (= (* g (- 1.0 (* 0.0 u))) (* 0.0 u)))
; the claim, negated
(assert (not (<= (+ 1.0 u) (+ 1.0 g))))
(check-sat)
