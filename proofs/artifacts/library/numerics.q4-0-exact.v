Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _d_ : R.
Notation _d := ((rounding_float rndNE (11)%positive (-24)%Z) _d_).
Notation r1 := ((Rabs _d)%R).
Definition f1 := Float2 (0) (0).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|d|, [0, 65504]) *)
Variable _q_ : R.
Notation _q := ((rounding_fixed rndZR (0)%Z) _q_).
Definition f3 := Float2 (15) (0).
Definition i2 := makepairF f1 f3.
Notation p2 := (BND _q i2). (* BND(q, [0, 15]) *)
Definition s2 := (p1 /\ p2).
Notation r9 := (Float1 (-8)).
Notation r8 := ((_q + r9)%R).
Notation _k := ((rounding_float rndNE (24)%positive (-149)%Z) r8).
Notation r6 := ((_k - r8)%R).
Definition i3 := makepairF f1 f1.
Notation p3 := (BND r6 i3). (* BND(k - (q + -8), [0, 0]) *)
Definition s4 := (not p3).
Notation r12 := ((_d * _k)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r12).
Notation r10 := ((_y - r12)%R).
Notation p4 := (BND r10 i3). (* BND(y - d * k, [0, 0]) *)
Definition s5 := (not p4).
Definition s3 := (s4 \/ s5).
Definition s1 := (s2 /\ s3).
Lemma l3 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f4 := Float2 (-1) (-1).
Definition f5 := Float2 (1) (-1).
Definition i4 := makepairF f4 f5.
Notation p5 := (BND r6 i4). (* BND(k - (q + -8), [-0.5, 0.5]) *)
Definition f6 := Float2 (1) (3).
Definition i5 := makepairF f1 f6.
Notation p6 := (ABS r8 i5). (* ABS(q + -8, [0, 8]) *)
Definition f7 := Float2 (-1) (3).
Definition i6 := makepairF f7 f6.
Notation p7 := (BND r8 i6). (* BND(q + -8, [-8, 8]) *)
Lemma l9 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l8 : s1 -> p2 (* BND(q, [0, 15]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 exact (proj2 h1).
Qed.
Definition i7 := makepairF f7 f7.
Notation p8 := (BND r9 i7). (* BND(-8, [-8, -8]) *)
Lemma t1 : p8.
Proof.
 refine (constant1 _ i7 _) ; finalize.
Qed.
Lemma l10 : s1 -> p8 (* BND(-8, [-8, -8]) *).
Proof.
 intros h0.
 apply t1.
Qed.
Definition f8 := Float2 (1) (4).
Definition i8 := makepairF f1 f8.
Notation p9 := (BND _q i8). (* BND(q, [0, 16]) *)
Lemma t2 : p9 -> p8 -> p7.
Proof.
 intros h0 h1.
 refine (add _q r9 i8 i7 i6 h0 h1 _) ; finalize.
Qed.
Lemma l7 : s1 -> p7 (* BND(q + -8, [-8, 8]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 assert (h2 := l10 h0).
 apply t2. refine (subset _q i2 i8 h1 _) ; finalize. exact h2.
Qed.
Lemma t3 : p7 -> p6.
Proof.
 intros h0.
 refine (abs_of_bnd_o r8 i6 i5 h0 _) ; finalize.
Qed.
Lemma l6 : s1 -> p6 (* ABS(q + -8, [0, 8]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 apply t3. exact h1.
Qed.
Lemma t4 : p6 -> p5.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ r8 i5 i4 h0 _) ; finalize.
Qed.
Lemma l5 : s1 -> p5 (* BND(k - (q + -8), [-0.5, 0.5]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 apply t4. exact h1.
Qed.
Notation p10 := (FIX r6 (0)). (* FIX(k - (q + -8), 0) *)
Notation p11 := (FIX _k (0)). (* FIX(k, 0) *)
Notation p12 := (FIX r8 (0)). (* FIX(q + -8, 0) *)
Notation p13 := (FIX _q (0)). (* FIX(q, 0) *)
Lemma t5 : p13.
Proof.
 refine (fix_of_fixed _ _ _ (0) _) ; finalize.
Qed.
Lemma l14 : s1 -> p13 (* FIX(q, 0) *).
Proof.
 intros h0.
 apply t5.
Qed.
Notation p14 := (FIX r9 (3)). (* FIX(-8, 3) *)
Definition i9 := makepairF f6 f6.
Notation p15 := (ABS r9 i9). (* ABS(-8, [8, 8]) *)
Lemma t6 : p8 -> p15.
Proof.
 intros h0.
 refine (abs_of_bnd_n r9 i7 i9 h0 _) ; finalize.
Qed.
Lemma l16 : s1 -> p15 (* ABS(-8, [8, 8]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 apply t6. exact h1.
Qed.
Lemma t7 : p15 -> p14.
Proof.
 intros h0.
 refine (fix_of_singleton_bnd r9 i9 (3) h0 _) ; finalize.
Qed.
Lemma l15 : s1 -> p14 (* FIX(-8, 3) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t7. exact h1.
Qed.
Lemma t8 : p13 -> p14 -> p12.
Proof.
 intros h0 h1.
 refine (add_fix _q r9 (0) (3) (0) h0 h1 _) ; finalize.
Qed.
Lemma l13 : s1 -> p12 (* FIX(q + -8, 0) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l15 h0).
 apply t8. exact h1. exact h2.
Qed.
Lemma t9 : p12 -> p11.
Proof.
 intros h0.
 refine (fix_float_of_fix _ _ _ (0) (0) r8 h0 _) ; finalize.
Qed.
Lemma l12 : s1 -> p11 (* FIX(k, 0) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 apply t9. exact h1.
Qed.
Lemma t10 : p11 -> p12 -> p10.
Proof.
 intros h0 h1.
 refine (sub_fix _k r8 (0) (0) (0) h0 h1 _) ; finalize.
Qed.
Lemma l11 : s1 -> p10 (* FIX(k - (q + -8), 0) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 assert (h2 := l13 h0).
 apply t10. exact h1. exact h2.
Qed.
Lemma t11 : p5 -> p10 -> p3.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_fix r6 (0) i4 i3 h0 h1 _) ; finalize.
Qed.
Lemma l4 : s1 -> p3 (* BND(k - (q + -8), [-0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 assert (h2 := l11 h0).
 apply t11. exact h1. exact h2.
Qed.
Lemma l2 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := l3 h0).
 assert (h2 := l4 h0).
 refine (simplify (Ttree false (Tatom false (Abnd 0%nat i3)) (Tatom false (Abnd 1%nat i3))) (Tatom false (Abnd 1%nat i3)) (Abnd 0%nat i3) (List.cons r6 (List.cons r10 List.nil)) h2 h1 _) ; finalize.
Qed.
Notation p16 := (_y = r12). (* EQL(y, d * k) *)
Notation p17 := (FIX r12 (-24)). (* FIX(d * k, -24) *)
Notation p18 := (FIX _d (-24)). (* FIX(d, -24) *)
Lemma t12 : p18.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l20 : s1 -> p18 (* FIX(d, -24) *).
Proof.
 intros h0.
 apply t12.
Qed.
Lemma t13 : p18 -> p11 -> p17.
Proof.
 intros h0 h1.
 refine (mul_fix _d _k (-24) (0) (-24) h0 h1 _) ; finalize.
Qed.
Lemma l19 : s1 -> p17 (* FIX(d * k, -24) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 assert (h2 := l12 h0).
 apply t13. exact h1. exact h2.
Qed.
Notation p19 := (FLT r12 (15)). (* FLT(d * k, 15) *)
Notation p20 := (FLT _d (11)). (* FLT(d, 11) *)
Lemma t14 : p20.
Proof.
 refine (flt_of_float _ _ _ (11) _ _) ; finalize.
Qed.
Lemma l22 : s1 -> p20 (* FLT(d, 11) *).
Proof.
 intros h0.
 apply t14.
Qed.
Notation p21 := (FLT _k (4)). (* FLT(k, 4) *)
Notation p22 := (FLT r8 (4)). (* FLT(q + -8, 4) *)
Lemma t15 : p12 -> p6 -> p22.
Proof.
 intros h0 h1.
 refine (flt_of_fix_bnd r8 i5 (0) (4) h0 h1 _) ; finalize.
Qed.
Lemma l24 : s1 -> p22 (* FLT(q + -8, 4) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 assert (h2 := l6 h0).
 apply t15. exact h1. exact h2.
Qed.
Lemma t16 : p22 -> p21.
Proof.
 intros h0.
 refine (flt_float_of_flt _ _ _ (4) (4) r8 h0 _) ; finalize.
Qed.
Lemma l23 : s1 -> p21 (* FLT(k, 4) *).
Proof.
 intros h0.
 assert (h1 := l24 h0).
 apply t16. exact h1.
Qed.
Lemma t17 : p20 -> p21 -> p19.
Proof.
 intros h0 h1.
 refine (mul_flt _d _k (11) (4) (15) h0 h1 _) ; finalize.
Qed.
Lemma l21 : s1 -> p19 (* FLT(d * k, 15) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 assert (h2 := l23 h0).
 apply t17. exact h1. exact h2.
Qed.
Lemma t18 : p17 -> p19 -> p16.
Proof.
 intros h0 h1.
 refine (float_of_fix_flt _ r12 (-24) _ (15) _ h0 h1 _) ; finalize.
Qed.
Lemma l18 : s1 -> p16 (* EQL(y, d * k) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 assert (h2 := l21 h0).
 apply t18. exact h1. exact h2.
Qed.
Lemma t19 : p16 -> p4.
Proof.
 intros h0.
 refine (sub_of_eql _y r12 i3 h0 _) ; finalize.
Qed.
Lemma l17 : s1 -> p4 (* BND(y - d * k, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l18 h0).
 apply t19. exact h1.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l17 h0).
 refine (simplify (Tatom false (Abnd 0%nat i3)) Tfalse (Abnd 0%nat i3) (List.cons r10 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
