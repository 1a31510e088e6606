; numerics lemma f16-subtract
; a - b is a + (-b), bit for bit. The control: -(a + b) is not (-a) + (-b) where the sum is zero.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
; the claim, negated
(assert (not (= (fp.sub RNE a b) (fp.add RNE a (fp.neg b)))))
(check-sat)
