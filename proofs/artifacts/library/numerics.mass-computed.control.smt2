; negative control of lemma mass-computed
; The denominator as it is added up, L within g D of D, where |D - W| <= m W: at least W (1 - m)(1 - g), and
; within g W (1 + m) of D.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const D Real)
(declare-const W Real)
(declare-const m Real)
(declare-const g Real)
; errors below 1
(assert (and (<= 0.0 m) (< m 1.0) (<= 0.0 g) (< g 1.0)))
; mass-step
(assert (and (<= 0.0 W) (and (<= (- 0.0 (* m W)) (- D W)) (<= (- D W) (* m W)))))
; a sum of non-negative terms
(assert (and (<= (- 0.0 (* g D)) (- L D)) (<= (- L D) (* g D))))
; the claim, negated
(assert (not (<= (* W (- 1.0 m)) L)))
(check-sat)
