; negative control of lemma ex2-units
; ex2.approx returns y within 2 ulp of the correctly rounded m (PTX ISA 9.7.3), so |y - v| is
; at most 5/2 * 2^-23 v; v lies in the binade from b on, m there or at its end.
(set-logic QF_NRA)
(declare-const b Real)
(declare-const v Real)
(declare-const m Real)
(declare-const y Real)
; binade of the exact value
(assert (and (< 0.0 b) (<= b v) (< v (* 2.0 b))))
; correct rounding
(assert (and (<= (- 0.0 (* (/ 1.0 16777216.0) b)) (- m v)) (<= (- m v) (* (/ 1.0 16777216.0) b))))
; ulp of m
(assert (or (and (<= b m) (< m (* 2.0 b)) (and (<= (- 0.0 (* (/ 1.0 4194304.0) b)) (- y m)) (<= (- y m) (* (/ 1.0 4194304.0) b)))) (and (= m (* 2.0 b)) (and (<= (- 0.0 (* (/ 1.0 4194304.0) (* 2.0 b))) (- y m)) (<= (- y m) (* (/ 1.0 4194304.0) (* 2.0 b)))))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (/ 99.0 335544320.0) v)) (- y v)) (<= (- y v) (* (/ 99.0 335544320.0) v)))))
(check-sat)
