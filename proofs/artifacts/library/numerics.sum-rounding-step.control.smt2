; negative control of lemma sum-rounding-step
; A value T within g p of t, |t| <= p, rounded with relative error d: within ((1 + g)(1 + u) - 1) p of t. With
; gamma-step this is g_{n+1} after g_n; with u = 2^-23 and g = (1 + u)^n - 1 it is one addition of a tensor
; core of which nothing but the literal text of PTX is assumed.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const g Real)
(declare-const t Real)
(declare-const p Real)
(declare-const T Real)
(declare-const d Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; bound so far
(assert (<= 0.0 g))
; sum of magnitudes
(assert (and (<= (- 0.0 p) t) (<= t p)))
; computed value
(assert (and (<= (- 0.0 (* g p)) (- T t)) (<= (- T t) (* g p))))
; one rounding
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (* g p)) (- (* T (+ 1.0 d)) t)) (<= (- (* T (+ 1.0 d)) t) (* g p)))))
(check-sat)
