; numerics lemma theta-product
; |s| <= g_j and |t| <= g_k give |(1 + s)(1 + t) - 1| <= a for any a of at least g_j + g_k + g_j g_k, which by
; gamma-product g_{j+k} is.
(set-logic QF_NRA)
(declare-const s Real)
(declare-const t Real)
(declare-const gj Real)
(declare-const gk Real)
(declare-const a Real)
; relative errors
(assert (and (and (<= (- 0.0 gj) s) (<= s gj)) (and (<= (- 0.0 gk) t) (<= t gk))))
; gamma-product
(assert (<= (+ gj gk (* gj gk)) a))
; the claim, negated
(assert (not (and (<= (- 0.0 a) (- (* (+ 1.0 s) (+ 1.0 t)) 1.0)) (<= (- (* (+ 1.0 s) (+ 1.0 t)) 1.0) a))))
(check-sat)
