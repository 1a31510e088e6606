; negative control of lemma silu-argument
; t = mul.rn(x, -L) is -x log2 e (1 + f) with |f| <= dt = (1 + u)(1 + 1.34e-8) - 1.
(set-logic QF_NRA)
(declare-const l Real)
(declare-const d Real)
; silu-log2e
(assert (and (<= (- 0.0 (/ 67.0 5000000000.0)) l) (<= l (/ 67.0 5000000000.0))))
; mul.rn x (-L)
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d) (<= d (/ 1.0 16777216.0))))
; the claim, negated
(assert (not (and (<= (- 0.0 (/ 11961081.0 163840000000000.0)) (- (* (+ 1.0 l) (+ 1.0 d)) 1.0)) (<= (- (* (+ 1.0 l) (+ 1.0 d)) 1.0) (/ 11961081.0 163840000000000.0)))))
(check-sat)
