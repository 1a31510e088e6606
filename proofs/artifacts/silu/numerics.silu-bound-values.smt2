; numerics lemma silu-bound-values
; The bound that the code computes is the formula of silu-tail, at sampled errors of the denominator; the last
; one is eps(-43), where Phi is at most the uniform bound of the code, and that at most 4.06e-6.
(set-logic QF_NRA)
(declare-const p0 Real)
(declare-const p1 Real)
(declare-const p2 Real)
(declare-const p3 Real)
; Phi at sample 0 of the denominator's error
(assert (= (* (+ 1.0 p0) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 0.0)) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; Phi at sample 1 of the denominator's error
(assert (= (* (+ 1.0 p1) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 (/ 1.0 262144.0))) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; Phi at sample 2 of the denominator's error
(assert (= (* (+ 1.0 p2) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 (/ 1.0 1000.0))) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; Phi at sample 3 of the denominator's error
(assert (= (* (+ 1.0 p3) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 (/ 3962855053283.0 1152921504606846976.0))) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; the claim, negated
(assert (not (and (= p0 (/ 83886083.0 281474959933440.0)) (= p1 (/ 1157627843.0 281473886191680.0)) (= p2 (/ 7038971150411.0 7029837124337664.0)) (= p3 (/ 72250278971958011933.0 19342745475241319423104995.0)) (<= p3 (/ 2102767223.0 562949953421312.0)) (<= (/ 2102767223.0 562949953421312.0) (/ 203.0 50000000.0)))))
(check-sat)
