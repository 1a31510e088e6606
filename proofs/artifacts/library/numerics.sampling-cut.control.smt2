; negative control of lemma sampling-cut
; The cut of top-p is the first index whose computed prefix w reaches the computed P Z, the one before, v,
; does not: V - a - c < T <= W + b + c.
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
; the cut
(assert (and (< v t) (<= t w)))
; the claim, negated
(assert (not (and (< V T) (<= T W))))
(check-sat)
