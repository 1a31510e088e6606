; numerics lemma mma-groups-step
; One more group, with products of exact sum p and magnitude P: q Y becomes (q + n f + r) Y, and |d| <= M + P.
; What enters a group is at most what the instruction adds up, so each group's Y is at most the instruction's.
(set-logic QF_NRA)
(declare-const d Real)
(declare-const e Real)
(declare-const s Real)
(declare-const p Real)
(declare-const P Real)
(declare-const M Real)
(declare-const Y Real)
(declare-const W Real)
(declare-const q Real)
(declare-const n Real)
(declare-const f Real)
(declare-const r Real)
; numbers and constants
(assert (and (<= 0.0 n) (< 0.0 f) (< 0.0 r) (<= 0.0 q)))
; induction hypothesis
(assert (and (and (<= (- 0.0 (* q Y)) (- d s)) (<= (- d s) (* q Y))) (and (<= (- 0.0 M) d) (<= d M))))
; the group's W = |d| + its clipped magnitudes
(assert (and (<= 0.0 W) (<= W Y)))
; mma-group-end
(assert (and (and (<= (- 0.0 (* (+ (* n f) r) W)) (- e (+ d p))) (<= (- e (+ d p)) (* (+ (* n f) r) W))) (and (<= (- 0.0 (+ (ite (<= 0.0 d) d (- 0.0 d)) P)) e) (<= e (+ (ite (<= 0.0 d) d (- 0.0 d)) P)))))
; the claim, negated
(assert (not (and (and (<= (- 0.0 (* (+ q (* n f) r) Y)) (- e (+ s p))) (<= (- e (+ s p)) (* (+ q (* n f) r) Y))) (and (<= (- 0.0 (+ M P)) e) (<= e (+ M P))))))
(check-sat)
