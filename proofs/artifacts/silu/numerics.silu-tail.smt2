; numerics lemma silu-tail
; add.rn, rcp.approx, mul.rn: with the denominator's error a < 1 the result w x / (1 + E) has |w - 1| <= Phi,
; 1 + Phi = (1 + u)(1 + rho) / ((1 - u)(1 - a)), rho = 1.5 * 2^-23.
(set-logic QF_NRA)
(declare-const t Real)
(declare-const a Real)
(declare-const d1 Real)
(declare-const r Real)
(declare-const d2 Real)
(declare-const w Real)
(declare-const Phi Real)
; silu-denominator
(assert (and (<= 0.0 a) (< a 1.0) (and (<= (- 0.0 a) t) (<= t a))))
; add.rn
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d1) (<= d1 (/ 1.0 16777216.0))))
; rcp.approx, documented
(assert (and (<= (- 0.0 (/ 3.0 16777216.0)) r) (<= r (/ 3.0 16777216.0))))
; mul.rn
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d2) (<= d2 (/ 1.0 16777216.0))))
; w = (1 + r)(1 + d2) / ((1 + t)(1 + d1))
(assert (= (* w (+ 1.0 t) (+ 1.0 d1)) (* (+ 1.0 r) (+ 1.0 d2))))
; Phi
(assert (= (* (+ 1.0 Phi) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 a)) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; the claim, negated
(assert (not (and (<= (- 0.0 Phi) (- w 1.0)) (<= (- w 1.0) Phi))))
(check-sat)
