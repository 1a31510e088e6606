; numerics lemma mma-apriori-step
; A priori: |a_t - s_t| <= kappa R_t and |a_t| <= T_t give |a_{t+1} - s_{t+1}| <= kappa R_{t+1}, where
; T_{t+1} = T_t + Y, R_{t+1} = R_t + T_{t+1}.
(set-logic QF_NRA)
(declare-const s Real)
(declare-const a Real)
(declare-const p Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const T Real)
(declare-const R Real)
(declare-const kappa Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; products and their clipped magnitudes
(assert (and (<= (- 0.0 Y) p) (<= p Y)))
; one instruction, its error
(assert (and (<= (- 0.0 (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))) (- d (+ a p))) (<= (- d (+ a p)) (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)))))
; one instruction, its magnitude
(assert (and (<= (- 0.0 (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)) d) (<= d (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))))
; mma-chain-magnitude-step
(assert (and (<= (- 0.0 T) a) (<= a T)))
; induction hypothesis
(assert (and (<= (- 0.0 (* kappa R)) (- a s)) (<= (- a s) (* kappa R))))
; the claim, negated
(assert (not (and (and (<= (- 0.0 (* kappa (+ R (+ T Y)))) (- d (+ s p))) (<= (- d (+ s p)) (* kappa (+ R (+ T Y))))) (and (<= (- 0.0 (+ T Y)) d) (<= d (+ T Y))))))
(check-sat)
