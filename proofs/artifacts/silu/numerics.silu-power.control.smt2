; negative control of lemma silu-power
; e = ex2.approx(t) is e^-x f (1 + k) with f = e^(-x f') between 1/F and F, F = e^(|x| dt): its relative error
; is at most eps = F (1 + k) - 1 (NUMERICS 3.3).
(set-logic QF_NRA)
(declare-const F Real)
(declare-const f Real)
(declare-const k Real)
; F = e^(|x| dt)
(assert (<= 1.0 F))
; the factor of the argument's error
(assert (and (<= f F) (<= 1.0 (* f F))))
; ex2.approx, documented
(assert (and (<= (- 0.0 (/ 5.0 16777216.0)) k) (<= k (/ 5.0 16777216.0))))
; the claim, negated
(assert (not (and (<= (- 0.0 (- F 1.0)) (- (* f (+ 1.0 k)) 1.0)) (<= (- (* f (+ 1.0 k)) 1.0) (- F 1.0)))))
(check-sat)
