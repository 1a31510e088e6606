; numerics lemma f32-subnormal-sum
; A binary32 sum that is subnormal is exact: the rounding error of a sum is relative, down to zero.
(set-logic QF_BVFP)
(declare-const x Float32)
(declare-const y Float32)
; the claim, negated
(assert (not (=> (fp.isSubnormal (fp.add RNE x y)) (= (fp.add RTP x y) (fp.add RTN x y)))))
(check-sat)
