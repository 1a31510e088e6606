; numerics lemma silu-log2e
; The constant L = 0x1.715476p0 is log2 e within 1.34e-8: |L ln 2 - 1| <= 1.34e-8, with ln 2 enclosed by
; the series of 1 / (k 2^k).
(set-logic QF_NRA)
(declare-const ln2 Real)
; enclosure of ln 2
(assert (and (<= (/ 13093180052687519395623.0 18889465931478580854784.0) ln2) (<= ln2 (/ 837963523372001241319953.0 1208925819614629174706176.0))))
; the claim, negated
(assert (not (and (<= (- 0.0 (/ 67.0 5000000000.0)) (- (* (/ 12102203.0 8388608.0) ln2) 1.0)) (<= (- (* (/ 12102203.0 8388608.0) ln2) 1.0) (/ 67.0 5000000000.0)))))
(check-sat)
