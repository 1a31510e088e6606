; negative control of lemma mma-apriori-step
; A priori: |a_t - s_t| <= t kappa T_t and |a_t| <= T_t give |a_{t+1} - s_{t+1}| <= (t + 1) kappa T_{t+1},
; where T_{t+1} = T_t + Y.
(set-logic QF_NRA)
(declare-const s Real)
(declare-const a Real)
(declare-const p Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const T Real)
(declare-const t Real)
(declare-const kappa Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; products and their clipped magnitudes
(assert (and (<= (- 0.0 Y) p) (<= p Y)))
; one instruction, its error
(assert (and (<= (- 0.0 (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))) (- d (+ a p))) (<= (- d (+ a p)) (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)))))
; one instruction, its magnitude
(assert (and (<= (- 0.0 (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)) d) (<= d (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))))
; instructions so far
(assert (<= 0.0 t))
; mma-chain-magnitude-step
(assert (and (<= (- 0.0 T) a) (<= a T)))
; induction hypothesis
(assert (and (<= (- 0.0 (* t kappa T)) (- a s)) (<= (- a s) (* t kappa T))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* t kappa (+ T Y))) (- d (+ s p))) (<= (- d (+ s p)) (* t kappa (+ T Y))))))
(check-sat)
