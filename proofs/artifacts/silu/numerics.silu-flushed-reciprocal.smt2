; numerics lemma silu-flushed-reciprocal
; Where rcp flushes to 0, (1 + r) / d < 2^-126 and the result is 0: |Y| <= Phi |Y| + 2^-126 |x|, that is
; 1 - Phi <= 2^-126 (1 + E). D is 2^-126 (1 + E).
(set-logic QF_NRA)
(declare-const t Real)
(declare-const a Real)
(declare-const d1 Real)
(declare-const r Real)
(declare-const D Real)
(declare-const Phi Real)
; silu-denominator
(assert (and (<= 0.0 a) (< a 1.0) (and (<= (- 0.0 a) t) (<= t a))))
; add.rn
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d1) (<= d1 (/ 1.0 16777216.0))))
; rcp.approx, documented
(assert (and (<= (- 0.0 (/ 3.0 16777216.0)) r) (<= r (/ 3.0 16777216.0))))
; rcp flushes
(assert (< (+ 1.0 r) (* D (+ 1.0 t) (+ 1.0 d1))))
; Phi
(assert (= (* (+ 1.0 Phi) (- 1.0 (/ 1.0 16777216.0)) (- 1.0 a)) (* (+ 1.0 (/ 1.0 16777216.0)) (+ 1.0 (/ 3.0 16777216.0)))))
; the claim, negated
(assert (not (<= (- 1.0 Phi) D)))
(check-sat)
