; negative control of lemma fma-chain-base
; The first fma.rn(a, b, +0) of binary16 numbers is exact: E_1 = 0.
(set-logic QF_NRA)
(declare-const x Real)
(declare-const s Real)
(declare-const p Real)
(declare-const E Real)
; an exact product
(assert (and (= s p) (= x p)))
; E_1
(assert (= E 0.0))
; the claim, negated
(assert (not (and (<= (- 0.0 E) x) (<= x E))))
(check-sat)
