; numerics lemma rounding-step
; A value T within relative g of t >= 0, rounded with relative error d: within (1 + g)(1 + u) - 1 of t.
; With gamma-step this is g_{n+1} after g_n.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const g Real)
(declare-const t Real)
(declare-const T Real)
(declare-const d Real)
; unit roundoff
(assert (and (<= 0.0 u) (<= u 1.0)))
; bound so far
(assert (<= 0.0 g))
; exact value
(assert (<= 0.0 t))
; computed value
(assert (and (<= (- 0.0 (* g t)) (- T t)) (<= (- T t) (* g t))))
; rounding to nearest, normal range
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (- (* (+ 1.0 g) (+ 1.0 u)) 1.0) t)) (- (* T (+ 1.0 d)) t)) (<= (- (* T (+ 1.0 d)) t) (* (- (* (+ 1.0 g) (+ 1.0 u)) 1.0) t)))))
(check-sat)
