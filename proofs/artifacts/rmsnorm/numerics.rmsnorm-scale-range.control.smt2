; negative control of lemma rmsnorm-scale-range
; V = mean + eps lies between the least eps and 65504^2 plus the largest eps, so the computed scale r, within
; 1/100 of 1/sqrt(V), lies between 2^-17 and 2^16: it is normal.
(set-logic QF_NRA)
(declare-const V Real)
(declare-const R Real)
(declare-const k Real)
; mean of squares of binary16 numbers, plus eps
(assert (and (<= (/ 1.0 1073741824.0) V) (<= V 4290774017.0)))
; R = 1/sqrt(V)
(assert (and (< 0.0 R) (= (* R R V) 1.0)))
; all relative errors up to r together
(assert (and (<= (- 0.0 (/ 1.0 100.0)) (- k 1.0)) (<= (- k 1.0) (/ 1.0 100.0))))
; the claim, negated
(assert (not (and (<= (/ 1.0 131072.0) (* R k)) (<= (* R k) 16384.0))))
(check-sat)
