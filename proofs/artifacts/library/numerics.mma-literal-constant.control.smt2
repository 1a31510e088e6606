; negative control of lemma mma-literal-constant
; The literal text of PTX: 16 additions, each with a relative error of at most 2^-23 in any rounding. By
; sum-rounding-step kappa is (1 + 2^-23)^16 - 1, below 16.0001 * 2^-23 and at least 10 * 2^-23.
(set-logic QF_NRA)
(declare-const w Real)
; one addition
(assert (= w (+ 1.0 (/ 1.0 8388608.0))))
; the claim, negated
(assert (not (< (- (* w w w w w w w w w w w w w w w w) 1.0) (/ 1.0 524288.0))))
(check-sat)
