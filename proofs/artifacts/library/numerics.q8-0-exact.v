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
Definition f3 := Float2 (-1) (7).
Definition f4 := Float2 (127) (0).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND _q i2). (* BND(q, [-128, 127]) *)
Definition s2 := (p1 /\ p2).
Notation r8 := ((_d * _q)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r8).
Notation r6 := ((_y - r8)%R).
Definition i3 := makepairF f1 f1.
Notation p3 := (BND r6 i3). (* BND(y - d * q, [0, 0]) *)
Definition s3 := (not p3).
Definition s1 := (s2 /\ s3).
Lemma l2 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Notation p4 := (_y = r8). (* EQL(y, d * q) *)
Notation p5 := (FIX r8 (-24)). (* FIX(d * q, -24) *)
Notation p6 := (FIX _d (-24)). (* FIX(d, -24) *)
Lemma t1 : p6.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l6 : s1 -> p6 (* FIX(d, -24) *).
Proof.
 intros h0.
 apply t1.
Qed.
Notation p7 := (FIX _q (0)). (* FIX(q, 0) *)
Lemma t2 : p7.
Proof.
 refine (fix_of_fixed _ _ _ (0) _) ; finalize.
Qed.
Lemma l7 : s1 -> p7 (* FIX(q, 0) *).
Proof.
 intros h0.
 apply t2.
Qed.
Lemma t3 : p6 -> p7 -> p5.
Proof.
 intros h0 h1.
 refine (mul_fix _d _q (-24) (0) (-24) h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p5 (* FIX(d * q, -24) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l7 h0).
 apply t3. exact h1. exact h2.
Qed.
Notation p8 := (FLT r8 (19)). (* FLT(d * q, 19) *)
Notation p9 := (FLT _d (11)). (* FLT(d, 11) *)
Lemma t4 : p9.
Proof.
 refine (flt_of_float _ _ _ (11) _ _) ; finalize.
Qed.
Lemma l9 : s1 -> p9 (* FLT(d, 11) *).
Proof.
 intros h0.
 apply t4.
Qed.
Notation p10 := (FLT _q (8)). (* FLT(q, 8) *)
Definition f5 := Float2 (1) (7).
Definition i4 := makepairF f1 f5.
Notation p11 := (ABS _q i4). (* ABS(q, [0, 128]) *)
Lemma l13 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l12 : s1 -> p2 (* BND(q, [-128, 127]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 exact (proj2 h1).
Qed.
Definition i5 := makepairF f3 f5.
Notation p12 := (BND _q i5). (* BND(q, [-128, 128]) *)
Lemma t5 : p12 -> p11.
Proof.
 intros h0.
 refine (abs_of_bnd_o _q i5 i4 h0 _) ; finalize.
Qed.
Lemma l11 : s1 -> p11 (* ABS(q, [0, 128]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 apply t5. refine (subset _q i2 i5 h1 _) ; finalize.
Qed.
Lemma t6 : p7 -> p11 -> p10.
Proof.
 intros h0 h1.
 refine (flt_of_fix_bnd _q i4 (0) (8) h0 h1 _) ; finalize.
Qed.
Lemma l10 : s1 -> p10 (* FLT(q, 8) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 assert (h2 := l11 h0).
 apply t6. exact h1. exact h2.
Qed.
Lemma t7 : p9 -> p10 -> p8.
Proof.
 intros h0 h1.
 refine (mul_flt _d _q (11) (8) (19) h0 h1 _) ; finalize.
Qed.
Lemma l8 : s1 -> p8 (* FLT(d * q, 19) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 assert (h2 := l10 h0).
 apply t7. exact h1. exact h2.
Qed.
Lemma t8 : p5 -> p8 -> p4.
Proof.
 intros h0 h1.
 refine (float_of_fix_flt _ r8 (-24) _ (19) _ h0 h1 _) ; finalize.
Qed.
Lemma l4 : s1 -> p4 (* EQL(y, d * q) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 assert (h2 := l8 h0).
 apply t8. exact h1. exact h2.
Qed.
Lemma t9 : p4 -> p3.
Proof.
 intros h0.
 refine (sub_of_eql _y r8 i3 h0 _) ; finalize.
Qed.
Lemma l3 : s1 -> p3 (* BND(y - d * q, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 apply t9. exact h1.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Abnd 0%nat i3)) Tfalse (Abnd 0%nat i3) (List.cons r6 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
