; numerics lemma f16-round-trip
; cvt.f32.f16 and back gives the number again: subnormal numbers, zeros with their sign, Inf, and NaN as NaN.
(set-logic QF_BVFP)
(declare-const a Float16)
; the claim, negated
(assert (not (= ((_ to_fp 5 11) RNE ((_ to_fp 8 24) RNE a)) a)))
(check-sat)
