; negative control of lemma factor-step
; Factors: |p - 1| <= a and |d| <= b give |p (1 + d) - 1| <= (1 + a)(1 + b) - 1.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(declare-const p Real)
(declare-const d Real)
; bounds
(assert (and (<= 0.0 a) (<= 0.0 b)))
; factor so far
(assert (and (<= (- 0.0 a) (- p 1.0)) (<= (- p 1.0) a)))
; next factor
(assert (and (<= (- 0.0 b) d) (<= d b)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ a b)) (- (* p (+ 1.0 d)) 1.0)) (<= (- (* p (+ 1.0 d)) 1.0) (+ a b)))))
(check-sat)
