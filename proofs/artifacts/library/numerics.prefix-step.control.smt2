; negative control of lemma prefix-step
; One more weight: computed v within e w + f of w >= 0, f where it may be flushed. B = sum of w e + f bounds
; the difference of the sums.
(set-logic QF_NRA)
(declare-const V Real)
(declare-const W Real)
(declare-const B Real)
(declare-const v Real)
(declare-const w Real)
(declare-const e Real)
(declare-const f Real)
; the weight
(assert (<= 0.0 w))
; its error
(assert (and (<= (- 0.0 (+ (* e w) f)) (- v w)) (<= (- v w) (+ (* e w) f))))
; induction hypothesis
(assert (and (<= (- 0.0 B) (- V W)) (<= (- V W) B)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ B (* (/ 99.0 100.0) e w) f)) (- (+ V v) (+ W w))) (<= (- (+ V v) (+ W w)) (+ B (* (/ 99.0 100.0) e w) f)))))
(check-sat)
