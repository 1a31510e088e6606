; negative control of lemma mma-groups-base
; Before the first group of an instruction: the result d is the accumulator c, no error (q = 0), |d| <= |c|.
(set-logic QF_NRA)
(declare-const c Real)
(declare-const d Real)
(declare-const q Real)
(declare-const Y Real)
(declare-const M Real)
; the accumulator
(assert (and (= d c) (= M (ite (<= 0.0 c) c (- 0.0 c)))))
; sum of magnitudes of all groups
(assert (<= M Y))
; error so far in units of Y
(assert (= q 0.0))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (/ 99.0 100.0) M)) d) (<= d (* (/ 99.0 100.0) M)))))
(check-sat)
