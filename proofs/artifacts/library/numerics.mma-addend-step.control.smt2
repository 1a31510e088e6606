; negative control of lemma mma-addend-step
; One more addend x, cut to k: it changes by at most U and does not grow. m + 1 addends changed.
(set-logic QF_NRA)
(declare-const K Real)
(declare-const S Real)
(declare-const U Real)
(declare-const M Real)
(declare-const m Real)
(declare-const x Real)
(declare-const k Real)
; the unit
(assert (< 0.0 U))
; addends changed so far
(assert (<= 0.0 m))
; induction hypothesis, error
(assert (and (<= (- 0.0 (* m U)) (- K S)) (<= (- K S) (* m U))))
; induction hypothesis, magnitude
(assert (and (<= (- 0.0 M) K) (<= K M)))
; cut
(assert (and (<= (- 0.0 U) (- k x)) (<= (- k x) U)))
; never larger
(assert (and (<= (- 0.0 (ite (<= 0.0 x) x (- 0.0 x))) k) (<= k (ite (<= 0.0 x) x (- 0.0 x)))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* m U)) (- (+ K k) (+ S x))) (<= (- (+ K k) (+ S x)) (* m U)))))
(check-sat)
