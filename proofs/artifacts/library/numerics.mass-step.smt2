; numerics lemma mass-step
; One more weight w (1 + e), |e| <= m: the sum stays within m W of the exact W.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const W Real)
(declare-const w Real)
(declare-const e Real)
(declare-const m Real)
; sums of weights
(assert (and (<= 0.0 w) (<= 0.0 W)))
; bound of every weight's error
(assert (and (<= 0.0 m) (and (<= (- 0.0 m) e) (<= e m))))
; induction hypothesis
(assert (and (<= (- 0.0 (* m W)) (- D W)) (<= (- D W) (* m W))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* m (+ W w))) (- (+ D (* w (+ 1.0 e))) (+ W w))) (<= (- (+ D (* w (+ 1.0 e))) (+ W w)) (* m (+ W w))))))
(check-sat)
