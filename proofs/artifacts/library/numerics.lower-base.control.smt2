; negative control of lemma lower-base
; No rounding, downward: Q = (1 - u)^0 = 1 is at least 1 - 0 u.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const Q Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; Q is the power of no roundings
(assert (= Q 1.0))
; the claim, negated
(assert (not (<= Q (- 1.0 u))))
(check-sat)
