; numerics lemma f16-int8-exact
; A binary16 scale times an 8-bit signed integer (Q8_0; Q4_0 is the case of 4 bits) is exact in binary32.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const q (_ BitVec 8))
; the claim, negated
(assert (not (= (fp.mul RTP ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE q)) (fp.mul RTN ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE q)))))
(check-sat)
