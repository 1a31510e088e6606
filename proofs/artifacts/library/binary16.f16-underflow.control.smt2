; negative control of lemma f16-underflow
; cvt.rn.f16.f32 gives zero up to 2^-25, half of the least number, and not beyond.
(set-logic QF_BVFP)
(declare-const x Float32)
; the claim, negated
(assert (not (= (fp.isZero ((_ to_fp 5 11) RNE x)) (fp.lt (fp.abs x) ((_ to_fp 8 24) #x33000000)))))
(check-sat)
