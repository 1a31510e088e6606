; negative control of lemma gamma-step
; One more rounding: (1 + g_n)(1 + u) <= 1 + g_{n+1}. With the base case g_0 = 0 the factor of n roundings,
; (1 + u)^n, is at most 1 + g_n. Induction over n: docs/numerics.md, sums.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const n Real)
(declare-const gn Real)
(declare-const gm Real)
; unit roundoff
(assert (<= 0.0 u))
; number of roundings so far
(assert (<= 0.0 n))
; g_{n+1} is defined
(assert (< (* (+ n 1.0) u) 1.0))
; gn is g_n
(assert (= (* gn (- 1.0 (* n u))) (* n u)))
; gm is g_{n+1}
(assert (= (* gm (- 1.0 (* (+ n 1.0) u))) (* (+ n 1.0) u)))
; the claim, negated
(assert (not (<= (* (+ 1.0 gn) (+ 1.0 u)) (+ 1.0 gn))))
(check-sat)
