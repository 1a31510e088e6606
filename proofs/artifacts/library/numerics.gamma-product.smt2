; numerics lemma gamma-product
; Roundings one after the other add up: (1 + g_j)(1 + g_k) <= 1 + g_{j+k}.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const j Real)
(declare-const k Real)
(declare-const gj Real)
(declare-const gk Real)
(declare-const gn Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; numbers of roundings
(assert (and (<= 0.0 j) (<= 0.0 k)))
; g_{j+k} is defined
(assert (< (* (+ j k) u) 1.0))
; gj is g_j
(assert (= (* gj (- 1.0 (* j u))) (* j u)))
; gk is g_k
(assert (= (* gk (- 1.0 (* k u))) (* k u)))
; gn is g_{j+k}
(assert (= (* gn (- 1.0 (* (+ j k) u))) (* (+ j k) u)))
; the claim, negated
(assert (not (<= (+ gj gk (* gj gk)) gn)))
(check-sat)
