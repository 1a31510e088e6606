; negative control of lemma silu-bound-values
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
(assert (not (and (= p0 (/ 1385723013115715.0 4649714413680904372224.0)) (= p1 (/ 19122975889440515.0 4649696676428044566528.0)) (= p2 (/ 581387517628050510775.0 580633087408402933481472.0)) (= p3 (/ 1193509944617066454712479965.0 319524843196205556269713616535552.0)))))
(check-sat)
