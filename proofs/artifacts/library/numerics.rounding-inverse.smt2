; numerics lemma rounding-inverse
; A rounding error measured by the result: |f - x| <= u |x| gives (1 - u) |f - x| <= u |f|.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const x Real)
(declare-const f Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; one rounding
(assert (and (<= (- 0.0 (* u (ite (<= 0.0 x) x (- 0.0 x)))) (- f x)) (<= (- f x) (* u (ite (<= 0.0 x) x (- 0.0 x))))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* u (ite (<= 0.0 f) f (- 0.0 f)))) (* (- f x) (- 1.0 u))) (<= (* (- f x) (- 1.0 u)) (* u (ite (<= 0.0 f) f (- 0.0 f)))))))
(check-sat)
