; numerics lemma sum-base
; A term that is exact: the computed X is x, so its error is at most g |x| for g = g_0 and every larger g.
(set-logic QF_NRA)
(declare-const g Real)
(declare-const x Real)
(declare-const X Real)
; a bound
(assert (<= 0.0 g))
; no rounding
(assert (= X x))
; the claim, negated
(assert (not (and (<= (- 0.0 (* g (ite (<= 0.0 x) x (- 0.0 x)))) (- X x)) (<= (- X x) (* g (ite (<= 0.0 x) x (- 0.0 x)))))))
(check-sat)
