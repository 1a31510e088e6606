; numerics lemma merge-step
; Partial results of a split chain joined by add.rn: errors E, F become E + F + u (|s| + |t| + E + F).
(set-logic QF_NRA)
(declare-const u Real)
(declare-const x Real)
(declare-const y Real)
(declare-const s Real)
(declare-const t Real)
(declare-const d Real)
(declare-const E Real)
(declare-const F Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; partial results
(assert (and (and (<= (- 0.0 E) (- x s)) (<= (- x s) E)) (and (<= (- 0.0 F) (- y t)) (<= (- y t) F))))
; one rounding
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ E F (* u (+ (ite (<= 0.0 s) s (- 0.0 s)) (ite (<= 0.0 t) t (- 0.0 t)) E F)))) (- (* (+ x y) (+ 1.0 d)) (+ s t))) (<= (- (* (+ x y) (+ 1.0 d)) (+ s t)) (+ E F (* u (+ (ite (<= 0.0 s) s (- 0.0 s)) (ite (<= 0.0 t) t (- 0.0 t)) E F)))))))
(check-sat)
