; negative control of lemma mma-chain-magnitude-step
; Truncation never increases a magnitude: |a_t| <= T_t gives |a_{t+1}| <= T_t + Y = T_{t+1}.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const p Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const T Real)
(declare-const kappa Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; products and their clipped magnitudes
(assert (and (<= (- 0.0 Y) p) (<= p Y)))
; one instruction, its error
(assert (and (<= (- 0.0 (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))) (- d (+ a p))) (<= (- d (+ a p)) (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)))))
; one instruction, its magnitude
(assert (and (<= (- 0.0 (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)) d) (<= d (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))))
; induction hypothesis
(assert (and (<= (- 0.0 T) a) (<= a T)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ T (* (/ 99.0 100.0) Y))) d) (<= d (+ T (* (/ 99.0 100.0) Y))))))
(check-sat)
