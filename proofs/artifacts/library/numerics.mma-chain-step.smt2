; numerics lemma mma-chain-step
; The running bound: |a_t - s_t| <= E_t gives |a_{t+1} - s_{t+1}| <= E_t + kappa (|s_t| + E_t + Y) = E_{t+1}.
(set-logic QF_NRA)
(declare-const s Real)
(declare-const a Real)
(declare-const p Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const E Real)
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
(assert (and (<= (- 0.0 E) (- a s)) (<= (- a s) E)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ E (* kappa (+ (ite (<= 0.0 s) s (- 0.0 s)) E Y)))) (- d (+ s p))) (<= (- d (+ s p)) (+ E (* kappa (+ (ite (<= 0.0 s) s (- 0.0 s)) E Y)))))))
(check-sat)
