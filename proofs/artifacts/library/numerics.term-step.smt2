; numerics lemma term-step
; Key by key: with q of term-factor, at least m and within n of the weight p, L >= B + m, and L is within
; b + n of D.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const D Real)
(declare-const B Real)
(declare-const b Real)
(declare-const p Real)
(declare-const q Real)
(declare-const m Real)
(declare-const n Real)
; term-factor
(assert (and (<= m q) (and (<= (- 0.0 n) (- q p)) (<= (- q p) n))))
; induction hypothesis
(assert (and (<= B L) (and (<= (- 0.0 b) (- L D)) (<= (- L D) b))))
; the claim, negated
(assert (not (and (<= (+ B m) (+ L q)) (and (<= (- 0.0 (+ b n)) (- (+ L q) (+ D p))) (<= (- (+ L q) (+ D p)) (+ b n))))))
(check-sat)
