; numerics lemma rescale-step
; One rescaling: the weight's factor p, |p - 1| <= F - 1, is multiplied by an alpha with relative error a and
; rounded, d: |p' - 1| <= F (1 + e)(1 + u) - 1. Where the shift stays alpha is 1, and nothing changes.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const p Real)
(declare-const F Real)
(declare-const e Real)
(declare-const a Real)
(declare-const d Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; induction hypothesis
(assert (and (<= 1.0 F) (and (<= (- 0.0 (- F 1.0)) (- p 1.0)) (<= (- p 1.0) (- F 1.0)))))
; ex2 of the change of the shift
(assert (and (<= 0.0 e) (and (<= (- 0.0 e) a) (<= a e))))
; one rounding
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (- (* F (+ 1.0 e) (+ 1.0 u)) 1.0)) (- (* p (+ 1.0 a) (+ 1.0 d)) 1.0)) (<= (- (* p (+ 1.0 a) (+ 1.0 d)) 1.0) (- (* F (+ 1.0 e) (+ 1.0 u)) 1.0)))))
(check-sat)
