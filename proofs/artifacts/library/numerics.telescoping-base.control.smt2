; negative control of lemma telescoping-base
; No change of the shift yet: the sum of its changes D is 0 = m - m_0.
(set-logic QF_NRA)
(declare-const m Real)
(declare-const m0 Real)
(declare-const D Real)
; the first shift
(assert (and (= m m0) (= D 0.0)))
; the claim, negated
(assert (not (= D m)))
(check-sat)
