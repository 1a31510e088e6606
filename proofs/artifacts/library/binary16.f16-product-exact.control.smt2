; negative control of lemma f16-product-exact
; The product of two binary16 numbers is exact in binary32. It is not in binary16.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
; the claim, negated
(assert (not (= (fp.mul RTP a b) (fp.mul RTN a b))))
(check-sat)
