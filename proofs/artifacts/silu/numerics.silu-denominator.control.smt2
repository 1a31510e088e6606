; negative control of lemma silu-denominator
; 1 + e is within relative sigma a of 1 + E, E = e^-x, where e = E (1 + eps), |eps| <= a, sigma = E / (1 + E).
(set-logic QF_NRA)
(declare-const E Real)
(declare-const eps Real)
(declare-const a Real)
(declare-const s Real)
; E = e^-x
(assert (<= 0.0 E))
; sigma
(assert (= (* s (+ 1.0 E)) E))
; silu-power
(assert (and (<= 0.0 a) (and (<= (- 0.0 a) eps) (<= eps a))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (/ 99.0 100.0) s a (+ 1.0 E))) (- (+ 1.0 (* E (+ 1.0 eps))) (+ 1.0 E))) (<= (- (+ 1.0 (* E (+ 1.0 eps))) (+ 1.0 E)) (* (/ 99.0 100.0) s a (+ 1.0 E))))))
(check-sat)
