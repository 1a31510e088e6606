Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _O_ : R.
Notation _O := ((rounding_float rndNE (24)%positive (-149)%Z) _O_).
Notation r1 := ((Rabs _O)%R).
Definition f1 := Float2 (1) (-60).
Definition f2 := Float2 (1) (60).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|O|, [8.67362e-19, 1.15292e+18]) *)
Variable _L_ : R.
Notation _L := ((rounding_float rndNE (24)%positive (-149)%Z) _L_).
Definition f3 := Float2 (1) (-1).
Definition f4 := Float2 (1) (40).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND _L i2). (* BND(L, [0.5, 1.09951e+12]) *)
Definition s3 := (p1 /\ p2).
Variable _r_ : R.
Notation _r := ((rounding_float rndNE (24)%positive (-149)%Z) _r_).
Notation r9 := (Float1 (1)).
Notation r8 := ((r9 / _L)%R).
Definition f5 := Float2 (-3) (-24).
Definition f6 := Float2 (3) (-24).
Definition i3 := makepairF f5 f6.
Notation p3 := (REL _r r8 i3). (* REL(r, 1 / L, [-1.78814e-07, 1.78814e-07]) *)
Definition s2 := (s3 /\ p3).
Notation r11 := ((_O * _r)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r11).
Notation r12 := ((_O * r8)%R).
Definition f7 := Float2 (-67108867) (-48).
Definition f8 := Float2 (67108867) (-48).
Definition i4 := makepairF f7 f8.
Notation p4 := (REL _y r12 i4). (* REL(y, O * (1 / L), [-2.38419e-07, 2.38419e-07]) *)
Definition s4 := (not p4).
Definition s1 := (s2 /\ s4).
Lemma l2 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f9 := Float2 (-67108861) (-48).
Definition i5 := makepairF f9 f8.
Notation p5 := (REL _y r12 i5). (* REL(y, O * (1 / L), [-2.38419e-07, 2.38419e-07]) *)
Definition f10 := Float2 (-1) (-24).
Definition f11 := Float2 (1) (-24).
Definition i6 := makepairF f10 f11.
Notation p6 := (REL _y r11 i6). (* REL(y, O * r, [-5.96046e-08, 5.96046e-08]) *)
Definition f12 := Float2 (1) (-101).
Definition f13 := Float2 (1) (62).
Definition i7 := makepairF f12 f13.
Notation p7 := (ABS r11 i7). (* ABS(O * r, [3.9443e-31, 4.61169e+18]) *)
Notation p8 := (ABS _O i1). (* ABS(O, [8.67362e-19, 1.15292e+18]) *)
Lemma l9 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l8 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l9 h0).
 exact (proj1 h1).
Qed.
Lemma l7 : s1 -> p1 (* BND(|O|, [8.67362e-19, 1.15292e+18]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 exact (proj1 h1).
Qed.
Lemma t1 : p1 -> p8.
Proof.
 intros h0.
 refine (abs_of_uabs _O i1 h0 _) ; finalize.
Qed.
Lemma l6 : s1 -> p8 (* ABS(O, [8.67362e-19, 1.15292e+18]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 apply t1. exact h1.
Qed.
Definition f14 := Float2 (1) (-41).
Definition f15 := Float2 (1) (2).
Definition i8 := makepairF f14 f15.
Notation p9 := (ABS _r i8). (* ABS(r, [4.54747e-13, 4]) *)
Notation p10 := (BND _r i8). (* BND(r, [4.54747e-13, 4]) *)
Definition f16 := Float2 (1) (-40).
Definition f17 := Float2 (1) (1).
Definition i9 := makepairF f16 f17.
Notation p11 := (BND r8 i9). (* BND(1 / L, [9.09495e-13, 2]) *)
Definition f18 := Float2 (1) (0).
Definition i10 := makepairF f18 f18.
Notation p12 := (BND r9 i10). (* BND(1, [1, 1]) *)
Lemma t2 : p12.
Proof.
 refine (constant1 _ i10 _) ; finalize.
Qed.
Lemma l13 : s1 -> p12 (* BND(1, [1, 1]) *).
Proof.
 intros h0.
 apply t2.
Qed.
Lemma l14 : s1 -> p2 (* BND(L, [0.5, 1.09951e+12]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 exact (proj2 h1).
Qed.
Lemma t3 : p12 -> p2 -> p11.
Proof.
 intros h0 h1.
 refine (div_pp r9 _L i10 i2 i9 h0 h1 _) ; finalize.
Qed.
Lemma l12 : s1 -> p11 (* BND(1 / L, [9.09495e-13, 2]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 assert (h2 := l14 h0).
 apply t3. exact h1. exact h2.
Qed.
Lemma l15 : s1 -> p3 (* REL(r, 1 / L, [-1.78814e-07, 1.78814e-07]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 exact (proj2 h1).
Qed.
Definition f19 := Float2 (-1) (-1).
Definition i11 := makepairF f19 f18.
Notation p13 := (REL _r r8 i11). (* REL(r, 1 / L, [-0.5, 1]) *)
Lemma t4 : p11 -> p13 -> p10.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _r r8 i9 i11 i8 h0 h1 _) ; finalize.
Qed.
Lemma l11 : s1 -> p10 (* BND(r, [4.54747e-13, 4]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 assert (h2 := l15 h0).
 apply t4. exact h1. refine (rel_subset _r r8 i3 i11 h2 _) ; finalize.
Qed.
Lemma t5 : p10 -> p9.
Proof.
 intros h0.
 refine (abs_of_bnd_p _r i8 i8 h0 _) ; finalize.
Qed.
Lemma l10 : s1 -> p9 (* ABS(r, [4.54747e-13, 4]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 apply t5. exact h1.
Qed.
Lemma t6 : p8 -> p9 -> p7.
Proof.
 intros h0 h1.
 refine (mul_aa _O _r i1 i8 i7 h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p7 (* ABS(O * r, [3.9443e-31, 4.61169e+18]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l10 h0).
 apply t6. exact h1. exact h2.
Qed.
Lemma t7 : p7 -> p6.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r11 i7 i6 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p6 (* REL(y, O * r, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t7. exact h1.
Qed.
Notation p14 := (REL r11 r12 i3). (* REL(O * r, O * (1 / L), [-1.78814e-07, 1.78814e-07]) *)
Lemma t8 : p3 -> p14.
Proof.
 intros h0.
 refine (mul_filq _ _r r8 i3 h0) ; finalize.
Qed.
Lemma l16 : s1 -> p14 (* REL(O * r, O * (1 / L), [-1.78814e-07, 1.78814e-07]) *).
Proof.
 intros h0.
 assert (h1 := l15 h0).
 apply t8. exact h1.
Qed.
Lemma t9 : p6 -> p14 -> p5.
Proof.
 intros h0 h1.
 refine (compose _y r11 r12 i6 i3 i5 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p5 (* REL(y, O * (1 / L), [-2.38419e-07, 2.38419e-07]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l16 h0).
 apply t9. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i4)) Tfalse (Arel 0%nat 1%nat i5) (List.cons _y (List.cons r12 List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
