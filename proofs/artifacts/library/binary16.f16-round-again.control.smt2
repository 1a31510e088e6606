; negative control of lemma f16-round-again
; A binary32 number that was rounded to binary16 is not changed by rounding it again.
(set-logic QF_BVFP)
(declare-const x Float32)
; the claim, negated
(assert (not (= ((_ to_fp 8 24) RNE ((_ to_fp 5 11) RNE x)) x)))
(check-sat)
