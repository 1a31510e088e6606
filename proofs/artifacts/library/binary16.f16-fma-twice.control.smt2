; negative control of lemma f16-fma-twice
; Not so for fma: with a, b, c = 0x4576 0xC3F5 0x8882 the two roundings give another result than fma.rn.f16. A contract
; must say `via binary32`. The control says that they differ for every c.
(set-logic QF_BVFP)
(declare-const a Float16)
(declare-const b Float16)
(declare-const c Float16)
; two of the operands
(assert (and (= a ((_ to_fp 5 11) #x4576)) (= b ((_ to_fp 5 11) #xc3f5))))
; the claim, negated
(assert (not (not (= ((_ to_fp 5 11) RNE (fp.fma RNE ((_ to_fp 8 24) RNE a) ((_ to_fp 8 24) RNE b) ((_ to_fp 8 24) RNE c))) (fp.fma RNE a b c)))))
(check-sat)
