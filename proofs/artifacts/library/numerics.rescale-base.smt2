; numerics lemma rescale-base
; Before its first rescaling a weight has the factor p of its own ex2 and bound F_0: |p - 1| <= F_0 - 1.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const e Real)
(declare-const F Real)
; ex2 of the weight
(assert (and (<= 0.0 e) (and (<= (- 0.0 e) (- p 1.0)) (<= (- p 1.0) e))))
; F_0
(assert (= F (+ 1.0 e)))
; the claim, negated
(assert (not (and (<= (- 0.0 (- F 1.0)) (- p 1.0)) (<= (- p 1.0) (- F 1.0)))))
(check-sat)
