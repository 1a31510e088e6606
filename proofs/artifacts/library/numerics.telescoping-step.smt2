; numerics lemma telescoping-step
; A shift that never decreases: with D = m - m_0 the next change makes it n - m_0. Rounding errors of u times
; each change therefore add up to u (M - m_0), however many blocks there are.
(set-logic QF_NRA)
(declare-const m Real)
(declare-const m0 Real)
(declare-const n Real)
(declare-const D Real)
; induction hypothesis
(assert (= D (- m m0)))
; not decreasing
(assert (<= m n))
; the claim, negated
(assert (not (= (+ D (ite (<= 0.0 (- n m)) (- n m) (- 0.0 (- n m)))) (- n m0))))
(check-sat)
