; negative control of lemma f16-widen-order
; Comparisons and selections may be made in binary32: a < b holds of the widened numbers where it does of a, b.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
; the claim, negated
(assert (not (= (fp.lt ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b)) (fp.leq a b))))
(check-sat)
