; numerics lemma gamma-monotone
; g_j <= g_k for j <= k: a shallower branch of the sum obeys the bound of the deepest one.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const j Real)
(declare-const k Real)
(declare-const gj Real)
(declare-const gk Real)
; unit roundoff
(assert (<= 0.0 u))
; a branch with fewer roundings
(assert (and (<= 0.0 j) (<= j k)))
; g_k is defined
(assert (< (* k u) 1.0))
; gj is g_j
(assert (= (* gj (- 1.0 (* j u))) (* j u)))
; gk is g_k
(assert (= (* gk (- 1.0 (* k u))) (* k u)))
; the claim, negated
(assert (not (<= gj gk)))
(check-sat)
