; numerics lemma f16-round-order
; Rounding to binary16 is monotone: what lies between s - E and s + E is stored between their roundings.
(set-logic QF_BVFP)
(declare-const x Float32)
(declare-const y Float32)
; in order
(assert (fp.leq x y))
; the claim, negated
(assert (not (fp.leq ((_ to_fp 5 11) RNE x) ((_ to_fp 5 11) RNE y))))
(check-sat)
