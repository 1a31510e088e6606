; numerics lemma mma-kept-step
; An addend that is a multiple of U stays as it is, as the one that attains Emax does (F >= 23): m stays.
(set-logic QF_NRA)
(declare-const K Real)
(declare-const S Real)
(declare-const U Real)
(declare-const M Real)
(declare-const m Real)
(declare-const x Real)
; the unit
(assert (< 0.0 U))
; addends changed so far
(assert (<= 0.0 m))
; induction hypothesis, error
(assert (and (<= (- 0.0 (* m U)) (- K S)) (<= (- K S) (* m U))))
; induction hypothesis, magnitude
(assert (and (<= (- 0.0 M) K) (<= K M)))
; the claim, negated
(assert (not (and (and (<= (- 0.0 (* m U)) (- (+ K x) (+ S x))) (<= (- (+ K x) (+ S x)) (* m U))) (and (<= (- 0.0 (+ M (ite (<= 0.0 x) x (- 0.0 x)))) (+ K x)) (<= (+ K x) (+ M (ite (<= 0.0 x) x (- 0.0 x))))))))
(check-sat)
