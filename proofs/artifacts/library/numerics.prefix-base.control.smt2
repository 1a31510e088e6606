; negative control of lemma prefix-base
; No weight yet: the sums of computed weights V, of exact ones W and of their bounds B are 0.
(set-logic QF_NRA)
(declare-const V Real)
(declare-const W Real)
(declare-const B Real)
; empty sums
(assert (and (= V 0.0) (= W 0.0) (= B 0.0)))
; the claim, negated
(assert (not (< (- V W) B)))
(check-sat)
