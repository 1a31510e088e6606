; negative control of lemma lower-power-step
; Q stands for (1 - u)^n: with 1 >= Q >= 1 - n u the next power Q (1 - u) is at least 1 - (n + 1) u.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const n Real)
(declare-const Q Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; number of roundings so far
(assert (<= 0.0 n))
; induction hypothesis
(assert (and (<= (- 1.0 (* n u)) Q) (<= Q 1.0)))
; the claim, negated
(assert (not (<= (+ (- 1.0 (* (+ n 1.0) u)) u) (* Q (- 1.0 u)))))
(check-sat)
