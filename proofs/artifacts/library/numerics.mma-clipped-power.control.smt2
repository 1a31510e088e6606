; negative control of lemma mma-clipped-power
; The exponents of operands are clipped to that of the least normal number, so are their magnitudes in the
; bound: 2^e(a) <= cl(a) and 2^e(b) <= cl(b) give 2^(e(a) + e(b)) <= cl(a) cl(b), which also is at least |a b|.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const q Real)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(declare-const d Real)
; powers of two
(assert (and (< 0.0 p) (< 0.0 q)))
; clipped magnitudes c, d of a, b
(assert (and (<= p c) (<= q d)))
; clipping only increases
(assert (and (and (<= (- 0.0 c) a) (<= a c)) (and (<= (- 0.0 d) b) (<= b d))))
; the claim, negated
(assert (not (<= (* p q) (ite (<= 0.0 (* a b)) (* a b) (- 0.0 (* a b))))))
(check-sat)
