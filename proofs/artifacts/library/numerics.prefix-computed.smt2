; numerics lemma prefix-computed
; The prefix as it is added up, in any order: C within g V of V >= 0, a sum of non-negative terms. It is
; within b = B (1 + g) + g W of the exact W.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const V Real)
(declare-const W Real)
(declare-const B Real)
(declare-const g Real)
; prefix-step
(assert (and (<= 0.0 V) (<= 0.0 W) (and (<= (- 0.0 B) (- V W)) (<= (- V W) B))))
; a sum of non-negative terms
(assert (and (<= 0.0 g) (and (<= (- 0.0 (* g V)) (- C V)) (<= (- C V) (* g V)))))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ (* B (+ 1.0 g)) (* g W))) (- C W)) (<= (- C W) (+ (* B (+ 1.0 g)) (* g W))))))
(check-sat)
