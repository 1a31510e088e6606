; numerics lemma rmsnorm-product-range
; x r and (x r) w with their roundings stay between 2^-126 and 2^128 where x and w are not 0: no underflow, no
; overflow, so each rounding is relative. (With x = 0 or w = 0 the product is 0 exactly.)
(set-logic QF_NRA)
(declare-const x Real)
(declare-const w Real)
(declare-const r Real)
(declare-const k Real)
; magnitudes of binary16 numbers
(assert (and (<= (/ 1.0 16777216.0) x) (<= x 65504.0)))
; magnitudes of binary16 numbers
(assert (and (<= (/ 1.0 16777216.0) w) (<= w 65504.0)))
; rmsnorm-scale-range
(assert (and (<= (/ 1.0 131072.0) r) (<= r 65536.0)))
; roundings of the two products
(assert (and (<= (- 0.0 (/ 1.0 100.0)) (- k 1.0)) (<= (- k 1.0) (/ 1.0 100.0))))
; the claim, negated
(assert (not (and (and (<= (/ 1.0 85070591730234615865843651857942052864.0) (* (* x r) k)) (< (* (* x r) k) 170141183460469231731687303715884105728.0)) (and (<= (/ 1.0 85070591730234615865843651857942052864.0) (* (* x r w) k)) (< (* (* x r w) k) 170141183460469231731687303715884105728.0)))))
(check-sat)
