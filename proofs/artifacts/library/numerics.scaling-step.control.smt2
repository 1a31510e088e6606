; negative control of lemma scaling-step
; A result scaled by an exact factor k and rounded (alpha of an epilogue): E becomes |k| (E + u (|s| + E)).
(set-logic QF_NRA)
(declare-const u Real)
(declare-const k Real)
(declare-const x Real)
(declare-const s Real)
(declare-const d Real)
(declare-const E Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; result so far
(assert (and (<= (- 0.0 E) (- x s)) (<= (- x s) E)))
; one rounding
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (ite (<= 0.0 k) k (- 0.0 k)) (+ E (* u (ite (<= 0.0 s) s (- 0.0 s)))))) (- (* k x (+ 1.0 d)) (* k s))) (<= (- (* k x (+ 1.0 d)) (* k s)) (* (ite (<= 0.0 k) k (- 0.0 k)) (+ E (* u (ite (<= 0.0 s) s (- 0.0 s)))))))))
(check-sat)
