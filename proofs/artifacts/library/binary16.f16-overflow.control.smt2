; negative control of lemma f16-overflow
; cvt.rn.f16.f32 gives Inf from 65520 on, 65504 plus half a unit, and not before.
(set-logic QF_BVFP)
(declare-const x Float32)
; the claim, negated
(assert (not (= (fp.isInfinite ((_ to_fp 5 11) RNE x)) (fp.lt ((_ to_fp 8 24) #x477ff000) (fp.abs x)))))
(check-sat)
