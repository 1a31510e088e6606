; numerics lemma silu-overflow
; Where ex2 gives +Inf the result is 0; E (1 + eps) >= 2^127 there, with eps as of silu-power, so that
; |Y| = |x| / (1 + E) <= 2^-126 |x|. E is scaled by 2^-126.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const eps Real)
; silu-power at |x| = 65504, by an enclosure of exp
(assert (and (<= (- 0.0 (/ 5270891867.0 1099511627776.0)) eps) (<= eps (/ 5270891867.0 1099511627776.0))))
; the largest binary32 value is beyond 2^127
(assert (<= 2.0 (* E (+ 1.0 eps))))
; the claim, negated
(assert (not (<= 1.0 E)))
(check-sat)
