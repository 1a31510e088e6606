; numerics lemma inverse-root
; v = V (1 + t), |t| <= g <= 1/4: q = sqrt(V / v) satisfies |q - 1| <= (g / 2)(1 + g).
(set-logic QF_NRA)
(declare-const g Real)
(declare-const t Real)
(declare-const q Real)
; bound of the argument's relative error
(assert (and (<= 0.0 g) (<= g (/ 1.0 4.0))))
; relative error of the argument
(assert (and (<= (- 0.0 g) t) (<= t g)))
; q is the positive root of 1 / (1 + t)
(assert (and (< 0.0 q) (= (* (+ 1.0 t) q q) 1.0)))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (* (/ 1.0 2.0) g) (+ 1.0 g))) (- q 1.0)) (<= (- q 1.0) (* (* (/ 1.0 2.0) g) (+ 1.0 g))))))
(check-sat)
