; negative control of lemma f16-sub-once
; A difference of two binary16 numbers rounded to binary32 and then to binary16 is rounded once: RN16(RN32(.)) is
; sub.rn.f16. Truncation would give something else.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
; the claim, negated
(assert (not (= ((_ to_fp 5 11) RNE (fp.sub RNE ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b))) (fp.sub RTZ a b))))
(check-sat)
