; negative control of lemma silu-product-range
; x r is normal: |x| < 60 has 1/r below 1.01 (1 + e^60), and where |x| is larger r is normal (or 0,
; silu-flushed-reciprocal). t = -x L is normal for every x that is not 0.
(set-logic QF_NRA)
(declare-const x Real)
(declare-const r Real)
(declare-const k Real)
; binary16 magnitude
(assert (and (<= (/ 1.0 16777216.0) x) (<= x 65504.0)))
; reciprocal of 1 + e
(assert (and (<= (/ 1.0 85070591730234615865843651857942052864.0) r) (<= r 2.0)))
; small x has a large reciprocal
(assert (or (<= 60.0 x) (<= (/ 11.0 1268897099795204759625508000.0) r)))
; rounding
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) (- k 1.0)) (<= (- k 1.0) (/ 1.0 16777216.0))))
; the claim, negated
(assert (not (<= (/ 1.0 1267650600228229401496703205376.0) (* x r k))))
(check-sat)
