; numerics lemma sampling-choice
; The chosen index has computed prefixes v <= t < w around the computed threshold; they are within a and b of
; the exact V and W, t within c of the exact T. So V - a - c <= T < W + b + c, whatever the order of the scan.
(set-logic QF_NRA)
(declare-const v Real)
(declare-const V Real)
(declare-const a Real)
(declare-const w Real)
(declare-const W Real)
(declare-const b Real)
(declare-const t Real)
(declare-const T Real)
(declare-const c Real)
; prefix-computed
(assert (and (and (<= (- 0.0 a) (- v V)) (<= (- v V) a)) (and (<= (- 0.0 b) (- w W)) (<= (- w W) b))))
; threshold-step
(assert (and (<= (- 0.0 c) (- t T)) (<= (- t T) c)))
; the choice
(assert (and (<= v t) (< t w)))
; the claim, negated
(assert (not (and (<= (- (- V a) c) T) (< T (+ W b c)))))
(check-sat)
