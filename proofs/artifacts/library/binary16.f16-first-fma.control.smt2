; negative control of lemma f16-first-fma
; fma.rn.f32(a, b, +0) of binary16 numbers is the exact product. Only the sign of a zero may change:
; -0 + 0 is +0.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
; no NaN, as fp.eq says nothing of it
(assert (not (fp.isNaN (fp.mul RNE ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b)))))
; the claim, negated
(assert (not (= (fp.fma RNE ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b) (_ +zero 8 24)) (fp.mul RNE ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b)))))
(check-sat)
