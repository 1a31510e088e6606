; numerics lemma quotient-perturbed
; q = (N + s) / (D + t) with |s| <= a, |t| <= b < D is within (a + |o| b) / (D - b) of o = N / D.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const D Real)
(declare-const s Real)
(declare-const t Real)
(declare-const a Real)
(declare-const b Real)
(declare-const o Real)
(declare-const q Real)
; bounds
(assert (and (<= 0.0 a) (<= 0.0 b) (< b D)))
; errors
(assert (and (and (<= (- 0.0 a) s) (<= s a)) (and (<= (- 0.0 b) t) (<= t b))))
; exact quotient
(assert (= N (* o D)))
; perturbed quotient
(assert (= (* q (+ D t)) (+ N s)))
; the claim, negated
(assert (not (<= (* (ite (<= 0.0 (- q o)) (- q o) (- 0.0 (- q o))) (- D b)) (+ a (* (ite (<= 0.0 o) o (- 0.0 o)) b)))))
(check-sat)
