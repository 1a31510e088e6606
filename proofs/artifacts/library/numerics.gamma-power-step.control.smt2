; negative control of lemma gamma-power-step
; P stands for (1 + u)^n: with P <= 1 + g_n the next power P (1 + u) is at most 1 + g_{n+1}.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const n Real)
(declare-const P Real)
(declare-const gn Real)
(declare-const gm Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; number of roundings so far
(assert (<= 0.0 n))
; g_{n+1} is defined
(assert (< (* (+ n 1.0) u) 1.0))
; gn is g_n
(assert (= (* gn (- 1.0 (* n u))) (* n u)))
; gm is g_{n+1}
(assert (= (* gm (- 1.0 (* (+ n 1.0) u))) (* (+ n 1.0) u)))
; induction hypothesis
(assert (and (<= 0.0 P) (<= P (+ 1.0 gn))))
; the claim, negated
(assert (not (<= (* P (+ 1.0 u)) (+ 1.0 gn))))
(check-sat)
