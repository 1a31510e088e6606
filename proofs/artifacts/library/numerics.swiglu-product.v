Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _s_ : R.
Notation _s := ((rounding_float rndNE (24)%positive (-149)%Z) _s_).
Notation r1 := ((Rabs _s)%R).
Definition f1 := Float2 (1) (-80).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|s|, [8.27181e-25, 65504]) *)
Variable _up_ : R.
Notation _up := ((rounding_float rndNE (11)%positive (-24)%Z) _up_).
Notation r4 := ((Rabs _up)%R).
Definition f3 := Float2 (1) (-24).
Definition i2 := makepairF f3 f2.
Notation p2 := (BND r4 i2). (* BND(|up|, [5.96046e-08, 65504]) *)
Definition s3 := (p1 /\ p2).
Variable _Q : R.
Definition f4 := Float2 (-551227810822187) (-67).
Definition f5 := Float2 (551227810822187) (-67).
Definition i3 := makepairF f4 f5.
Notation p3 := (REL _s _Q i3). (* REL(s, Q, [-3.73526e-06, 3.73526e-06]) *)
Definition s2 := (s3 /\ p3).
Notation r9 := ((_s * _up)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r9).
Notation r10 := ((_Q * _up)%R).
Definition f6 := Float2 (-2240095746800563) (-69).
Definition f7 := Float2 (2240095746800563) (-69).
Definition i4 := makepairF f6 f7.
Notation p4 := (REL _y r10 i4). (* REL(y, Q * up, [-3.79487e-06, 3.79487e-06]) *)
Definition s4 := (not p4).
Definition s1 := (s2 /\ s4).
Lemma l2 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f8 := Float2 (-1146928887784769835) (-78).
Definition f9 := Float2 (573464511180936043) (-77).
Definition i5 := makepairF f8 f9.
Notation p5 := (REL _y r10 i5). (* REL(y, Q * up, [-3.79487e-06, 3.79487e-06]) *)
Definition f10 := Float2 (-1) (-24).
Definition i6 := makepairF f10 f3.
Notation p6 := (REL _y r9 i6). (* REL(y, s * up, [-5.96046e-08, 5.96046e-08]) *)
Notation p7 := (FIX r9 (-127)). (* FIX(s * up, -127) *)
Notation p8 := (FIX _s (-103)). (* FIX(s, -103) *)
Notation p9 := (FLT _s (24)). (* FLT(s, 24) *)
Lemma t1 : p9.
Proof.
 refine (flt_of_float _ _ _ (24) _ _) ; finalize.
Qed.
Lemma l7 : s1 -> p9 (* FLT(s, 24) *).
Proof.
 intros h0.
 apply t1.
Qed.
Definition f11 := Float2 (1) (16).
Definition i7 := makepairF f1 f11.
Notation p10 := (ABS _s i7). (* ABS(s, [8.27181e-25, 65536]) *)
Lemma l11 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l10 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj1 h1).
Qed.
Lemma l9 : s1 -> p1 (* BND(|s|, [8.27181e-25, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj1 h1).
Qed.
Notation p11 := (BND r1 i7). (* BND(|s|, [8.27181e-25, 65536]) *)
Lemma t2 : p11 -> p10.
Proof.
 intros h0.
 refine (abs_of_uabs _s i7 h0 _) ; finalize.
Qed.
Lemma l8 : s1 -> p10 (* ABS(s, [8.27181e-25, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 apply t2. refine (subset r1 i1 i7 h1 _) ; finalize.
Qed.
Lemma t3 : p9 -> p10 -> p8.
Proof.
 intros h0 h1.
 refine (fix_of_flt_bnd _s i7 (-103) (24) h0 h1 _) ; finalize.
Qed.
Lemma l6 : s1 -> p8 (* FIX(s, -103) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 assert (h2 := l8 h0).
 apply t3. exact h1. exact h2.
Qed.
Notation p12 := (FIX _up (-24)). (* FIX(up, -24) *)
Lemma t4 : p12.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l12 : s1 -> p12 (* FIX(up, -24) *).
Proof.
 intros h0.
 apply t4.
Qed.
Lemma t5 : p8 -> p12 -> p7.
Proof.
 intros h0 h1.
 refine (mul_fix _s _up (-103) (-24) (-127) h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p7 (* FIX(s * up, -127) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l12 h0).
 apply t5. exact h1. exact h2.
Qed.
Lemma t6 : p7 -> p6.
Proof.
 intros h0.
 refine (rel_of_fix_float_ne _ _ (-127) r9 i6 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p6 (* REL(y, s * up, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t6. exact h1.
Qed.
Notation p13 := (REL r9 r10 i3). (* REL(s * up, Q * up, [-3.73526e-06, 3.73526e-06]) *)
Lemma l14 : s1 -> p3 (* REL(s, Q, [-3.73526e-06, 3.73526e-06]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj2 h1).
Qed.
Lemma t7 : p3 -> p13.
Proof.
 intros h0.
 refine (mul_firq _s _ _Q i3 h0) ; finalize.
Qed.
Lemma l13 : s1 -> p13 (* REL(s * up, Q * up, [-3.73526e-06, 3.73526e-06]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 apply t7. exact h1.
Qed.
Lemma t8 : p6 -> p13 -> p5.
Proof.
 intros h0 h1.
 refine (compose _y r9 r10 i6 i3 i5 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p5 (* REL(y, Q * up, [-3.79487e-06, 3.79487e-06]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l13 h0).
 apply t8. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i4)) Tfalse (Arel 0%nat 1%nat i5) (List.cons _y (List.cons r10 List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
