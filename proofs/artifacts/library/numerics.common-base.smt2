; numerics lemma common-base
; No key yet: numerator, denominator, their difference N - o D and the bound C are 0.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const D Real)
(declare-const o Real)
(declare-const C Real)
; empty sums
(assert (and (= N 0.0) (= D 0.0) (= C 0.0)))
; the claim, negated
(assert (not (and (<= (- 0.0 C) (- N (* o D))) (<= (- N (* o D)) C))))
(check-sat)
