; numerics lemma mma-growth-base
; The same where rounding may increase magnitudes, V_t = w^t: before the first instruction V_0 = 1.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const s Real)
(declare-const E Real)
(declare-const T Real)
(declare-const V Real)
(declare-const kappa Real)
(declare-const t Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; no instruction so far
(assert (and (= t 0.0) (= V 1.0)))
; C is exact
(assert (= a s))
; T_0
(assert (= T (ite (<= 0.0 a) a (- 0.0 a))))
; the bound
(assert (= E (* t kappa V T)))
; the claim, negated
(assert (not (and (and (<= (- 0.0 E) (- a s)) (<= (- a s) E)) (and (<= (- 0.0 (* V T)) a) (<= a (* V T))))))
(check-sat)
