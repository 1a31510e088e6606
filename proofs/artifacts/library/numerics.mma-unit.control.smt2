; negative control of lemma mma-unit
; 2^Emax is at most the clipped magnitude of some addend, hence at most Y, their sum with |c|: U <= f Y.
(set-logic QF_NRA)
(declare-const B Real)
(declare-const z Real)
(declare-const rest Real)
(declare-const Y Real)
(declare-const f Real)
(declare-const U Real)
; f = 2^-F
(assert (< 0.0 f))
; the addend with the largest exponent
(assert (and (< 0.0 B) (<= B z)))
; the other addends
(assert (<= 0.0 rest))
; Y is the sum over all
(assert (= Y (+ z rest)))
; U = 2^(Emax - F)
(assert (= U (* f B)))
; the claim, negated
(assert (not (<= U (* (/ 99.0 100.0) f Y))))
(check-sat)
