; numerics lemma quotient-common
; The difference h of computed and exact quotient with |h L| <= R (quotient-residual) and L >= B > 0 is at
; most R / B.
(set-logic QF_NRA)
(declare-const h Real)
(declare-const L Real)
(declare-const B Real)
(declare-const R Real)
; quotient-residual
(assert (and (<= (- 0.0 R) (* h L)) (<= (* h L) R)))
; mass-computed
(assert (and (< 0.0 B) (<= B L)))
; the claim, negated
(assert (not (and (<= (- 0.0 R) (* h B)) (<= (* h B) R))))
(check-sat)
