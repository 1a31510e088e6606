; negative control of lemma f16-widen-class
; cvt.f32.f16 keeps class and sign, and no binary16 number is subnormal in binary32: .ftz cannot change it.
(set-logic QF_BVFP)
(declare-const a Float16)
; the claim, negated
(assert (not (= (fp.isNormal ((_ to_fp 8 24) RNE a)) (fp.isNormal a))))
(check-sat)
