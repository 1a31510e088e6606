; numerics lemma term-factor
; A weight p between l and h enters the computed sum with a factor 1 + t of its own, |t| <= g <= 1, for the
; roundings on its way: at least l (1 - g), and within h g of p.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const l Real)
(declare-const h Real)
(declare-const t Real)
(declare-const g Real)
; the weight
(assert (and (<= 0.0 l) (<= l p) (<= p h)))
; gamma-power-step and lower-power-step
(assert (and (<= g 1.0) (and (<= (- 0.0 g) t) (<= t g))))
; the claim, negated
(assert (not (and (<= (* l (- 1.0 g)) (* p (+ 1.0 t))) (and (<= (- 0.0 (* h g)) (- (* p (+ 1.0 t)) p)) (<= (- (* p (+ 1.0 t)) p) (* h g))))))
(check-sat)
