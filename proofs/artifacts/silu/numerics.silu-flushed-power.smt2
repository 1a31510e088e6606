; numerics lemma silu-flushed-power
; Where ex2 may flush, E <= 2^-125: then d = 1 whatever e is, and the result x (1 + r)(1 + d2) is within Phi
; of x / (1 + E), with Phi of a = 0.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const r Real)
(declare-const d2 Real)
(declare-const w Real)
(declare-const Phi Real)
; ex2 flushes
(assert (and (<= 0.0 E) (<= E (/ 1.0 42535295865117307932921825928971026432.0))))
; rcp.approx, documented
(assert (and (<= (- 0.0 (/ 3.0 16777216.0)) r) (<= r (/ 3.0 16777216.0))))
; mul.rn
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d2) (<= d2 (/ 1.0 16777216.0))))
; w: result over exact
(assert (= w (* (+ 1.0 r) (+ 1.0 d2) (+ 1.0 E))))
; Phi
(assert (= (* (+ 1.0 Phi) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 0.0)) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; the claim, negated
(assert (not (and (<= (- 0.0 Phi) (- w 1.0)) (<= (- w 1.0) Phi))))
(check-sat)
