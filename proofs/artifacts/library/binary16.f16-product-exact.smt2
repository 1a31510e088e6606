; numerics lemma f16-product-exact
; The product of two binary16 numbers is exact in binary32. It is not in binary16.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
; the claim, negated
(assert (not (= (fp.mul RTP ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b)) (fp.mul RTN ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b)))))
(check-sat)
