; numerics lemma term-base
; No key yet: the computed denominator L, the perturbed one D, B below L and b around it are 0.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const D Real)
(declare-const B Real)
(declare-const b Real)
; empty sums
(assert (and (= L 0.0) (= D 0.0) (= B 0.0) (= b 0.0)))
; the claim, negated
(assert (not (and (<= B L) (and (<= (- 0.0 b) (- L D)) (<= (- L D) b)))))
(check-sat)
