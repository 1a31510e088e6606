; numerics lemma rsqrt-constant
; The constant used for rsqrt.approx, 10717734625363/10000000000000 * 2^-23, is at least the documented 2^-22.9:
; its multiple of 2^-23 is at least the tenth root of 2 (PTX ISA 9.7.3.16).
(set-logic QF_NRA)
(declare-const c Real)
; the constant as a multiple of 2^-23
(assert (= c (/ 10717734625363.0 10000000000000.0)))
; the claim, negated
(assert (not (<= 2.0 (* c c c c c c c c c c))))
(check-sat)
