; numerics lemma threshold-step
; The threshold mul.rn(U, Y), 0 <= U <= 1, of the computed total Y, within b of Z: within
; U b + u U (Z + b) + m, m for a threshold that is subnormal.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const U Real)
(declare-const Y Real)
(declare-const Z Real)
(declare-const b Real)
(declare-const t Real)
(declare-const x Real)
(declare-const m Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; the uniform number
(assert (and (<= 0.0 U) (<= U 1.0)))
; prefix-computed, the last one
(assert (and (<= 0.0 Z) (and (<= (- 0.0 b) (- Y Z)) (<= (- Y Z) b))))
; one rounding
(assert (and (<= (- 0.0 (+ (* u (ite (<= 0.0 x) x (- 0.0 x))) m)) (- t x)) (<= (- t x) (+ (* u (ite (<= 0.0 x) x (- 0.0 x))) m))))
; the exact product
(assert (= x (* U Y)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ (* U b) (* u U (+ Z b)) m)) (- t (* U Z))) (<= (- t (* U Z)) (+ (* U b) (* u U (+ Z b)) m)))))
(check-sat)
