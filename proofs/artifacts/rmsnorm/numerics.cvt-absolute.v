Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _x : R.
Notation r1 := ((Rabs _x)%R).
Definition f1 := Float2 (0) (0).
Definition f2 := Float2 (1) (-14).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|x|, [0, 6.10352e-05]) *)
Notation _y := ((rounding_float rndNE (11)%positive (-24)%Z) _x).
Notation r3 := ((_y - _x)%R).
Definition f3 := Float2 (-1) (-25).
Definition f4 := Float2 (1) (-25).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND r3 i2). (* BND(y - x, [-2.98023e-08, 2.98023e-08]) *)
Definition s2 := (not p2).
Definition s1 := (p1 /\ s2).
Lemma l2 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f5 := Float2 (1) (-13).
Definition i3 := makepairF f1 f5.
Notation p3 := (ABS _x i3). (* ABS(x, [0, 0.00012207]) *)
Lemma l5 : s1 -> p1 (* BND(|x|, [0, 6.10352e-05]) *).
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Notation p4 := (BND r1 i3). (* BND(|x|, [0, 0.00012207]) *)
Lemma t1 : p4 -> p3.
Proof.
 intros h0.
 refine (abs_of_uabs _x i3 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p3 (* ABS(x, [0, 0.00012207]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t1. refine (subset r1 i1 i3 h1 _) ; finalize.
Qed.
Lemma t2 : p3 -> p2.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ _x i3 i2 h0 _) ; finalize.
Qed.
Lemma l3 : s1 -> p2 (* BND(y - x, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 apply t2. exact h1.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Abnd 0%nat i2)) Tfalse (Abnd 0%nat i2) (List.cons r3 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
