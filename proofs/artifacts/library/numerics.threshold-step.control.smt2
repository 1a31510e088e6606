; negative control of lemma threshold-step
; The threshold mul.rn(U, Y), 0 <= U <= 1, of the computed total Y, within b of Z: within U b + u U (Z + b).
(set-logic QF_NRA)
(declare-const u Real)
(declare-const U Real)
(declare-const Y Real)
(declare-const Z Real)
(declare-const b Real)
(declare-const d Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; the uniform number
(assert (and (<= 0.0 U) (<= U 1.0)))
; prefix-computed, the last one
(assert (and (<= 0.0 Z) (and (<= (- 0.0 b) (- Y Z)) (<= (- Y Z) b))))
; one rounding
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ (* U b) (* u U Z))) (- (* U Y (+ 1.0 d)) (* U Z))) (<= (- (* U Y (+ 1.0 d)) (* U Z)) (+ (* U b) (* u U Z))))))
(check-sat)
