; negative control of lemma parts-step
; Two computed sums A, B of non-negative terms with exact sums a, b, both within relative g: so is A + B
; before it is rounded. An exact term (the product of an fma, eps) is the case B = b.
(set-logic QF_NRA)
(declare-const g Real)
(declare-const a Real)
(declare-const b Real)
(declare-const A Real)
(declare-const B Real)
; a bound
(assert (<= 0.0 g))
; sums of non-negative terms
(assert (and (<= 0.0 a) (<= 0.0 b)))
; induction hypothesis
(assert (and (<= (- 0.0 (* g a)) (- A a)) (<= (- A a) (* g a))))
; induction hypothesis
(assert (and (<= (- 0.0 (* g b)) (- B b)) (<= (- B b) (* g b))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (/ 99.0 100.0) g (+ a b))) (- (+ A B) (+ a b))) (<= (- (+ A B) (+ a b)) (* (/ 99.0 100.0) g (+ a b))))))
(check-sat)
