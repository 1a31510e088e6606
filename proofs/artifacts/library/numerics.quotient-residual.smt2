; numerics lemma quotient-residual
; q = (N + s) / (D + t), N = o D + X: (q - o)(D + t) = X + s - o t, with |X| <= C, |s| <= a, |t| <= b at most
; C + a + |o| b. Y stands for q (D + t), Z for o D.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const Z Real)
(declare-const X Real)
(declare-const Y Real)
(declare-const s Real)
(declare-const t Real)
(declare-const o Real)
(declare-const C Real)
(declare-const a Real)
(declare-const b Real)
; common-step, all keys
(assert (and (= N (+ Z X)) (and (<= (- 0.0 C) X) (<= X C))))
; other errors of numerator and denominator
(assert (and (and (<= (- 0.0 a) s) (<= s a)) (and (<= (- 0.0 b) t) (<= t b))))
; the quotient before it is rounded
(assert (= Y (+ N s)))
; the claim, negated
(assert (not (and (= (- Y (+ Z (* o t))) (- (+ X s) (* o t))) (and (<= (- 0.0 (+ C a (* (ite (<= 0.0 o) o (- 0.0 o)) b))) (- (+ X s) (* o t))) (<= (- (+ X s) (* o t)) (+ C a (* (ite (<= 0.0 o) o (- 0.0 o)) b)))))))
(check-sat)
