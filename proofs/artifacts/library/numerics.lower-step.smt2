; numerics lemma lower-step
; Downward: (1 - n u)(1 - u) >= 1 - (n + 1) u, so (1 - u)^n >= 1 - n u >= 1 - g_n.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const n Real)
; unit roundoff
(assert (and (<= 0.0 u) (<= u 1.0)))
; number of roundings so far
(assert (<= 0.0 n))
; the bound is not trivial
(assert (<= (* n u) 1.0))
; the claim, negated
(assert (not (<= (- 1.0 (* (+ n 1.0) u)) (* (- 1.0 (* n u)) (- 1.0 u)))))
(check-sat)
