; numerics lemma f16-sign
; neg and abs of binary16 may be made in binary32.
(set-logic QF_BVFP)
(declare-const a Float16)
; the claim, negated
(assert (not (and (= ((_ to_fp 5 11) RNE (fp.neg ((_ to_fp 8 24) RNE a))) (fp.neg a)) (= ((_ to_fp 5 11) RNE (fp.abs ((_ to_fp 8 24) RNE a))) (fp.abs a)))))
(check-sat)
