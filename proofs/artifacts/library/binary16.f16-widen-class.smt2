; numerics lemma f16-widen-class
; cvt.f32.f16 keeps class and sign, and no binary16 number is subnormal in binary32: .ftz cannot change it.
(set-logic QF_BVFP)
(declare-const a Float16)
; the claim, negated
(assert (not (and (= (fp.isNaN ((_ to_fp 8 24) RNE a)) (fp.isNaN a)) (= (fp.isInfinite ((_ to_fp 8 24) RNE a)) (fp.isInfinite a)) (= (fp.isZero ((_ to_fp 8 24) RNE a)) (fp.isZero a)) (= (fp.isNegative ((_ to_fp 8 24) RNE a)) (fp.isNegative a)) (= (fp.isPositive ((_ to_fp 8 24) RNE a)) (fp.isPositive a)) (not (fp.isSubnormal ((_ to_fp 8 24) RNE a))))))
(check-sat)
