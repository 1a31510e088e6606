; negative control of lemma mma-constant
; 16 * 2^-F + g * 2^-23 is at most kappa = 10 * 2^-23 for TC(24,2), TC(25,1); any kappa from there on serves.
(set-logic QF_NRA)
(declare-const kappa Real)
; a constant of a contract
(assert (<= (/ 5.0 4194304.0) kappa))
; the claim, negated
(assert (not (<= (+ (+ (* 16.0 (/ 1.0 16777216.0)) (* 2.0 (/ 1.0 8388608.0))) (/ 1.0 1099511627776.0)) kappa)))
(check-sat)
