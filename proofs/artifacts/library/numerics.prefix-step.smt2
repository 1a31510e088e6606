; numerics lemma prefix-step
; One more weight: computed v within e w of w >= 0. B = sum w e bounds the difference of the sums.
(set-logic QF_NRA)
(declare-const V Real)
(declare-const W Real)
(declare-const B Real)
(declare-const v Real)
(declare-const w Real)
(declare-const e Real)
; the weight and its error
(assert (and (<= 0.0 w) (and (<= (- 0.0 (* e w)) (- v w)) (<= (- v w) (* e w)))))
; induction hypothesis
(assert (and (<= (- 0.0 B) (- V W)) (<= (- V W) B)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ B (* e w))) (- (+ V v) (+ W w))) (<= (- (+ V v) (+ W w)) (+ B (* e w))))))
(check-sat)
