; numerics lemma mass-base
; No key yet: the perturbed sum of weights D and the exact one W are 0.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const W Real)
(declare-const m Real)
; bound of every weight's error
(assert (<= 0.0 m))
; empty sums
(assert (and (= D 0.0) (= W 0.0)))
; the claim, negated
(assert (not (and (<= (- 0.0 (* m W)) (- D W)) (<= (- D W) (* m W)))))
(check-sat)
