; numerics lemma mma-chain-base
; Before the first instruction the accumulator a is C, which is within E_0 of s_0 (E_0 = 0 where C is exact).
; T_0 is the magnitude of C: |a| <= T_0.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const a Real)
(declare-const s Real)
(declare-const E Real)
(declare-const T Real)
; the accumulator is loaded
(assert (= a C))
; error of C
(assert (and (<= (- 0.0 E) (- C s)) (<= (- C s) E)))
; T_0
(assert (= T (ite (<= 0.0 C) C (- 0.0 C))))
; the claim, negated
(assert (not (and (and (<= (- 0.0 E) (- a s)) (<= (- a s) E)) (and (<= (- 0.0 T) a) (<= a T)))))
(check-sat)
