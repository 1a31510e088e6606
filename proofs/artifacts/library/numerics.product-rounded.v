Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _a_ : R.
Notation _a := ((rounding_float rndNE (11)%positive (-24)%Z) _a_).
Notation r1 := ((Rabs _a)%R).
Definition f1 := Float2 (0) (0).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|a|, [0, 65504]) *)
Variable _b_ : R.
Notation _b := ((rounding_float rndNE (11)%positive (-24)%Z) _b_).
Notation r4 := ((Rabs _b)%R).
Notation p2 := (BND r4 i1). (* BND(|b|, [0, 65504]) *)
Definition s2 := (p1 /\ p2).
Notation r9 := ((_a * _b)%R).
Notation _p := ((rounding_float rndNE (24)%positive (-149)%Z) r9).
Notation r7 := ((_p - r9)%R).
Definition i2 := makepairF f1 f1.
Notation p3 := (BND r7 i2). (* BND(p - a * b, [0, 0]) *)
Definition s3 := (not p3).
Definition s1 := (s2 /\ s3).
Lemma l2 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Notation p4 := (_p = r9). (* EQL(p, a * b) *)
Notation p5 := (FIX r9 (-48)). (* FIX(a * b, -48) *)
Notation p6 := (FIX _a (-24)). (* FIX(a, -24) *)
Lemma t1 : p6.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l6 : s1 -> p6 (* FIX(a, -24) *).
Proof.
 intros h0.
 apply t1.
Qed.
Notation p7 := (FIX _b (-24)). (* FIX(b, -24) *)
Lemma t2 : p7.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l7 : s1 -> p7 (* FIX(b, -24) *).
Proof.
 intros h0.
 apply t2.
Qed.
Lemma t3 : p6 -> p7 -> p5.
Proof.
 intros h0 h1.
 refine (mul_fix _a _b (-24) (-24) (-48) h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p5 (* FIX(a * b, -48) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l7 h0).
 apply t3. exact h1. exact h2.
Qed.
Notation p8 := (FLT r9 (22)). (* FLT(a * b, 22) *)
Notation p9 := (FLT _a (11)). (* FLT(a, 11) *)
Lemma t4 : p9.
Proof.
 refine (flt_of_float _ _ _ (11) _ _) ; finalize.
Qed.
Lemma l9 : s1 -> p9 (* FLT(a, 11) *).
Proof.
 intros h0.
 apply t4.
Qed.
Notation p10 := (FLT _b (11)). (* FLT(b, 11) *)
Lemma t5 : p10.
Proof.
 refine (flt_of_float _ _ _ (11) _ _) ; finalize.
Qed.
Lemma l10 : s1 -> p10 (* FLT(b, 11) *).
Proof.
 intros h0.
 apply t5.
Qed.
Lemma t6 : p9 -> p10 -> p8.
Proof.
 intros h0 h1.
 refine (mul_flt _a _b (11) (11) (22) h0 h1 _) ; finalize.
Qed.
Lemma l8 : s1 -> p8 (* FLT(a * b, 22) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 assert (h2 := l10 h0).
 apply t6. exact h1. exact h2.
Qed.
Lemma t7 : p5 -> p8 -> p4.
Proof.
 intros h0 h1.
 refine (float_of_fix_flt _ r9 (-48) _ (22) _ h0 h1 _) ; finalize.
Qed.
Lemma l4 : s1 -> p4 (* EQL(p, a * b) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 assert (h2 := l8 h0).
 apply t7. exact h1. exact h2.
Qed.
Lemma t8 : p4 -> p3.
Proof.
 intros h0.
 refine (sub_of_eql _p r9 i2 h0 _) ; finalize.
Qed.
Lemma l3 : s1 -> p3 (* BND(p - a * b, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 apply t8. exact h1.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Abnd 0%nat i2)) Tfalse (Abnd 0%nat i2) (List.cons r7 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
