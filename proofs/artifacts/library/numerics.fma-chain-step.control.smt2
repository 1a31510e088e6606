; negative control of lemma fma-chain-step
; One fma.rn: |x - s| <= E gives |x' - s'| <= (1 + u) E + u |s'|, where s' = s + p is the exact sum.
(set-logic QF_NRA)
(declare-const u Real)
(declare-const x Real)
(declare-const s Real)
(declare-const p Real)
(declare-const d Real)
(declare-const E Real)
; unit roundoff
(assert (and (<= 0.0 u) (< u 1.0)))
; induction hypothesis
(assert (and (<= (- 0.0 E) (- x s)) (<= (- x s) E)))
; one rounding
(assert (and (<= (- 0.0 u) d) (<= d u)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ E (* u (ite (<= 0.0 (+ s p)) (+ s p) (- 0.0 (+ s p)))))) (- (* (+ x p) (+ 1.0 d)) (+ s p))) (<= (- (* (+ x p) (+ 1.0 d)) (+ s p)) (+ E (* u (ite (<= 0.0 (+ s p)) (+ s p) (- 0.0 (+ s p)))))))))
(check-sat)
