; negative control of lemma sum-parts-step
; Two computed sums A, B of signed terms: exact a, b, sums of magnitudes p, q. If each is within g of its sum
; of magnitudes, so is A + B before it is rounded. An exact term (the product of an fma) is the case B = b.
(set-logic QF_NRA)
(declare-const g Real)
(declare-const a Real)
(declare-const b Real)
(declare-const p Real)
(declare-const q Real)
(declare-const A Real)
(declare-const B Real)
; a bound
(assert (<= 0.0 g))
; sums of magnitudes
(assert (and (and (<= (- 0.0 p) a) (<= a p)) (and (<= (- 0.0 q) b) (<= b q))))
; induction hypothesis
(assert (and (<= (- 0.0 (* g p)) (- A a)) (<= (- A a) (* g p))))
; induction hypothesis
(assert (and (<= (- 0.0 (* g q)) (- B b)) (<= (- B b) (* g q))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (/ 99.0 100.0) g (+ p q))) (- (+ A B) (+ a b))) (<= (- (+ A B) (+ a b)) (* (/ 99.0 100.0) g (+ p q))))))
(check-sat)
