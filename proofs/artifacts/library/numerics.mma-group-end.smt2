; numerics lemma mma-group-end
; Of n + 1 addends at most n changed, U <= f Y, and the conversion toward zero changes the sum K by at
; most r |K|: the group's result d is within (n f + r) Y of the exact sum S, and |d| <= M <= Y.
(set-logic QF_NRA)
(declare-const K Real)
(declare-const S Real)
(declare-const U Real)
(declare-const M Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const n Real)
(declare-const f Real)
(declare-const r Real)
; numbers and constants
(assert (and (<= 0.0 n) (< 0.0 f) (< 0.0 r)))
; mma-unit
(assert (and (< 0.0 U) (<= U (* f Y))))
; mma-addend-step and mma-kept-step, error
(assert (and (<= (- 0.0 (* n U)) (- K S)) (<= (- K S) (* n U))))
; mma-addend-step and mma-kept-step, magnitude
(assert (and (and (<= (- 0.0 M) K) (<= K M)) (<= M Y)))
; conversion, error
(assert (and (<= (- 0.0 (* r (ite (<= 0.0 K) K (- 0.0 K)))) (- d K)) (<= (- d K) (* r (ite (<= 0.0 K) K (- 0.0 K))))))
; conversion, toward zero
(assert (and (<= (- 0.0 (ite (<= 0.0 K) K (- 0.0 K))) d) (<= d (ite (<= 0.0 K) K (- 0.0 K)))))
; the claim, negated
(assert (not (and (and (<= (- 0.0 (* (+ (* n f) r) Y)) (- d S)) (<= (- d S) (* (+ (* n f) r) Y))) (and (<= (- 0.0 M) d) (<= d M)))))
(check-sat)
