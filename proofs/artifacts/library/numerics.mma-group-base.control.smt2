; negative control of lemma mma-group-base
; No addend yet: the truncated sum K and the exact sum S are 0, m = 0 addends changed, M = 0.
(set-logic QF_NRA)
(declare-const K Real)
(declare-const S Real)
(declare-const U Real)
(declare-const M Real)
(declare-const m Real)
; the unit
(assert (< 0.0 U))
; empty sums
(assert (and (= K 0.0) (= S 0.0) (= M 0.0)))
; none changed
(assert (= m 0.0))
; the claim, negated
(assert (not (<= U (* m U))))
(check-sat)
