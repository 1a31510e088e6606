; negative control of lemma mma-growth-magnitude-step
; An instruction with |d| <= w (|a| + Y), w >= 1, as the literal text of PTX allows with w = (1 + 2^-23)^16:
; |a_t| <= w^t T_t. V stands for w^t.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const Y Real)
(declare-const d Real)
(declare-const T Real)
(declare-const V Real)
(declare-const w Real)
; growth of one instruction and of all so far
(assert (and (<= 1.0 w) (<= 1.0 V)))
; clipped magnitudes
(assert (and (<= 0.0 Y) (<= 0.0 T)))
; induction hypothesis
(assert (and (<= (- 0.0 (* V T)) a) (<= a (* V T))))
; one instruction, its magnitude
(assert (and (<= (- 0.0 (* w (+ (ite (<= 0.0 a) a (- 0.0 a)) Y))) d) (<= d (* w (+ (ite (<= 0.0 a) a (- 0.0 a)) Y)))))
; the claim, negated
(assert (not (and (<= (- 0.0 (* V (+ T Y))) d) (<= d (* V (+ T Y))))))
(check-sat)
