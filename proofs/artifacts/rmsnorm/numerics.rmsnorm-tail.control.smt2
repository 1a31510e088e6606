; negative control of lemma rmsnorm-tail
; rsqrt.approx, mul.rn, mul.rn on an exact scale 1/sqrt(V) perturbed by q: the result's relative error is at
; most (1 + G)(1 + 2^-22.9)(1 + u)^2 - 1, where G is the bound of inverse-root.
(set-logic QF_NRA)
(declare-const G Real)
(declare-const q Real)
(declare-const r Real)
(declare-const d1 Real)
(declare-const d2 Real)
; bound of q, far above (g/2)(1 + g) for all lengths
(assert (and (<= 0.0 G) (<= G (/ 1.0 1024.0))))
; inverse-root
(assert (and (<= (- 0.0 G) (- q 1.0)) (<= (- q 1.0) G)))
; rsqrt.approx, documented
(assert (and (<= (- 0.0 (/ 10717734625363.0 83886080000000000000.0)) r) (<= r (/ 10717734625363.0 83886080000000000000.0))))
; mul.rn x r
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d1) (<= d1 (/ 1.0 16777216.0))))
; mul.rn (x r) w
(assert (and (<= (- 0.0 (/ 1.0 16777216.0)) d2) (<= d2 (/ 1.0 16777216.0))))
; the claim, negated
(assert (not (and (<= (- 0.0 (- (* (+ 1.0 G) (+ 1.0 (/ 10717734625363.0 83886080000000000000.0)) (+ 1.0 (/ 1.0 16777216.0))) 1.0)) (- (* q (+ 1.0 r) (+ 1.0 d1) (+ 1.0 d2)) 1.0)) (<= (- (* q (+ 1.0 r) (+ 1.0 d1) (+ 1.0 d2)) 1.0) (- (* (+ 1.0 G) (+ 1.0 (/ 10717734625363.0 83886080000000000000.0)) (+ 1.0 (/ 1.0 16777216.0))) 1.0)))))
(check-sat)
