; numerics lemma rmsnorm-sum-range
; A sum of squares that is not 0 is at least 2^-48 (all squares are multiples of it) and, computed, at most
; 1.01 * columns * 65504^2; it and its quotient by columns, within 1/100, are normal and finite.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const n Real)
(declare-const k Real)
; contract: columns
(assert (and (<= 1.0 n) (<= n 65536.0)))
; sum of squares
(assert (and (<= (/ 1.0 281474976710656.0) S) (<= S (* n 4290774016.0))))
; relative errors so far
(assert (and (<= (- 0.0 (/ 1.0 100.0)) (- k 1.0)) (<= (- k 1.0) (/ 1.0 100.0))))
; the claim, negated
(assert (not (and (< (* S k) 170141183460469231731687303715884105728.0) (<= (/ 1.0 85070591730234615865843651857942052864.0) (* S k)) (<= (* (/ 1.0 85070591730234615865843651857942052864.0) n) (* S k)))))
(check-sat)
