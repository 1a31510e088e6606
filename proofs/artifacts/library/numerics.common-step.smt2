; numerics lemma common-step
; Numerator and denominator carry the same weights w (1 + e): with R the exact N - o D, which ends as 0, the
; perturbed one stays within C = sum w |e| |v - o| of it.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const D Real)
(declare-const R Real)
(declare-const o Real)
(declare-const C Real)
(declare-const w Real)
(declare-const e Real)
(declare-const a Real)
(declare-const v Real)
; weight and bound of its error
(assert (and (<= 0.0 w) (<= 0.0 a) (and (<= (- 0.0 a) e) (<= e a))))
; induction hypothesis
(assert (and (<= (- 0.0 C) (- (- N (* o D)) R)) (<= (- (- N (* o D)) R) C)))
; the claim, negated
(assert (not (and (<= (- 0.0 (+ C (* w a (ite (<= 0.0 (- v o)) (- v o) (- 0.0 (- v o)))))) (- (- (+ N (* (* w (+ 1.0 e)) v)) (* o (+ D (* w (+ 1.0 e))))) (+ R (* w (- v o))))) (<= (- (- (+ N (* (* w (+ 1.0 e)) v)) (* o (+ D (* w (+ 1.0 e))))) (+ R (* w (- v o)))) (+ C (* w a (ite (<= 0.0 (- v o)) (- v o) (- 0.0 (- v o)))))))))
(check-sat)
