; numerics lemma mma-growth-step
; With such growth the a priori bound is t kappa w^t T_t: V stands for w^t, W for w^{t+1}.
(set-logic QF_NRA)
(declare-const s Real)
(declare-const a Real)
(declare-const p Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const T Real)
(declare-const V Real)
(declare-const W Real)
(declare-const t Real)
(declare-const kappa Real)
; constant of one instruction
(assert (<= 0.0 kappa))
; products and their clipped magnitudes
(assert (and (and (<= (- 0.0 Y) p) (<= p Y)) (<= 0.0 T)))
; one instruction, its error
(assert (and (<= (- 0.0 (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))) (- d (+ a p))) (<= (- d (+ a p)) (* kappa (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)))))
; growth
(assert (and (<= 1.0 V) (<= V W)))
; instructions so far
(assert (<= 0.0 t))
; mma-growth-magnitude-step
(assert (and (<= (- 0.0 (* V T)) a) (<= a (* V T))))
; induction hypothesis
(assert (and (<= (- 0.0 (* t kappa V T)) (- a s)) (<= (- a s) (* t kappa V T))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* (+ t 1.0) kappa W (+ T Y))) (- d (+ s p))) (<= (- d (+ s p)) (* (+ t 1.0) kappa W (+ T Y))))))
(check-sat)
