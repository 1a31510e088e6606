Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _x_ : R.
Notation _x := ((rounding_float rndNE (11)%positive (-24)%Z) _x_).
Notation r1 := ((Rabs _x)%R).
Definition f1 := Float2 (1) (-24).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|x|, [5.96046e-08, 65504]) *)
Variable _c : R.
Definition f3 := Float2 (-3) (-1).
Definition f4 := Float2 (-1) (0).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND _c i2). (* BND(c, [-1.5, -1]) *)
Definition s3 := (p1 /\ p2).
Notation r5 := (float2R (Float2 (-12102203) (-23))).
Definition f5 := Float2 (-253118843481813) (-74).
Definition f6 := Float2 (253118843481813) (-74).
Definition i3 := makepairF f5 f6.
Notation p3 := (REL r5 _c i3). (* REL(-12102203b-23, c, [-1.34e-08, 1.34e-08]) *)
Definition s2 := (s3 /\ p3).
Notation r7 := ((_x * r5)%R).
Notation _t := ((rounding_float rndNE (24)%positive (-149)%Z) r7).
Notation r8 := ((_x * _c)%R).
Definition f7 := Float2 (-172377345676437) (-71).
Definition f8 := Float2 (172377345676437) (-71).
Definition i4 := makepairF f7 f8.
Notation p4 := (REL _t r8 i4). (* REL(t, x * c, [-7.30046e-08, 7.30046e-08]) *)
Definition s4 := (not p4).
Definition s1 := (s2 /\ s4).
Lemma l2 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f9 := Float2 (-5516074940949513) (-76).
Definition f10 := Float2 (706057607890685825) (-83).
Definition i5 := makepairF f9 f10.
Notation p5 := (REL _t r8 i5). (* REL(t, x * c, [-7.30046e-08, 7.30046e-08]) *)
Definition f11 := Float2 (-1) (-24).
Definition i6 := makepairF f11 f1.
Notation p6 := (REL _t r7 i6). (* REL(t, x * -12102203b-23, [-5.96046e-08, 5.96046e-08]) *)
Definition f12 := Float2 (1) (17).
Definition i7 := makepairF f1 f12.
Notation p7 := (ABS r7 i7). (* ABS(x * -12102203b-23, [5.96046e-08, 131072]) *)
Definition f13 := Float2 (1) (16).
Definition i8 := makepairF f1 f13.
Notation p8 := (ABS _x i8). (* ABS(x, [5.96046e-08, 65536]) *)
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
Lemma l7 : s1 -> p1 (* BND(|x|, [5.96046e-08, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 exact (proj1 h1).
Qed.
Notation p9 := (BND r1 i8). (* BND(|x|, [5.96046e-08, 65536]) *)
Lemma t1 : p9 -> p8.
Proof.
 intros h0.
 refine (abs_of_uabs _x i8 h0 _) ; finalize.
Qed.
Lemma l6 : s1 -> p8 (* ABS(x, [5.96046e-08, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 apply t1. refine (subset r1 i1 i8 h1 _) ; finalize.
Qed.
Definition f14 := Float2 (1) (0).
Definition f15 := Float2 (1) (1).
Definition i9 := makepairF f14 f15.
Notation p10 := (ABS r5 i9). (* ABS(-12102203b-23, [1, 2]) *)
Definition f16 := Float2 (-1) (1).
Definition i10 := makepairF f16 f4.
Notation p11 := (BND r5 i10). (* BND(-12102203b-23, [-2, -1]) *)
Lemma t2 : p11.
Proof.
 refine (constant2 _ i10 _) ; finalize.
Qed.
Lemma l11 : s1 -> p11 (* BND(-12102203b-23, [-2, -1]) *).
Proof.
 intros h0.
 apply t2.
Qed.
Lemma t3 : p11 -> p10.
Proof.
 intros h0.
 refine (abs_of_bnd_n r5 i10 i9 h0 _) ; finalize.
Qed.
Lemma l10 : s1 -> p10 (* ABS(-12102203b-23, [1, 2]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 apply t3. exact h1.
Qed.
Lemma t4 : p8 -> p10 -> p7.
Proof.
 intros h0 h1.
 refine (mul_aa _x r5 i8 i9 i7 h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p7 (* ABS(x * -12102203b-23, [5.96046e-08, 131072]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l10 h0).
 apply t4. exact h1. exact h2.
Qed.
Lemma t5 : p7 -> p6.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r7 i7 i6 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p6 (* REL(t, x * -12102203b-23, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t5. exact h1.
Qed.
Notation p12 := (REL r7 r8 i3). (* REL(x * -12102203b-23, x * c, [-1.34e-08, 1.34e-08]) *)
Lemma l13 : s1 -> p3 (* REL(-12102203b-23, c, [-1.34e-08, 1.34e-08]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 exact (proj2 h1).
Qed.
Lemma t6 : p3 -> p12.
Proof.
 intros h0.
 refine (mul_filq _ r5 _c i3 h0) ; finalize.
Qed.
Lemma l12 : s1 -> p12 (* REL(x * -12102203b-23, x * c, [-1.34e-08, 1.34e-08]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 apply t6. exact h1.
Qed.
Lemma t7 : p6 -> p12 -> p5.
Proof.
 intros h0 h1.
 refine (compose _t r7 r8 i6 i3 i5 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p5 (* REL(t, x * c, [-7.30046e-08, 7.30046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l12 h0).
 apply t7. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i4)) Tfalse (Arel 0%nat 1%nat i5) (List.cons _t (List.cons r8 List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
