Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _x : R.
Notation r1 := ((Rabs _x)%R).
Definition f1 := Float2 (1) (-14).
Definition f2 := Float2 (4095) (4).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|x|, [6.10352e-05, 65520]) *)
Notation _y := ((rounding_float rndNE (11)%positive (-24)%Z) _x).
Definition f3 := Float2 (-1) (-11).
Definition f4 := Float2 (1) (-11).
Definition i2 := makepairF f3 f4.
Notation p2 := (REL _y _x i2). (* REL(y, x, [-0.000488281, 0.000488281]) *)
Definition s2 := (not p2).
Definition s1 := (p1 /\ s2).
Definition f5 := Float2 (-4095) (-25).
Notation p3 := ((_x <= f5)%R). (* BND(x, [-inf, -0.000122041]) *)
Lemma l3 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f6 := Float2 (1) (-13).
Definition f7 := Float2 (1) (16).
Definition i3 := makepairF f6 f7.
Notation p4 := (ABS _y i3). (* ABS(y, [0.00012207, 65536]) *)
Definition f8 := Float2 (-1) (16).
Definition f9 := Float2 (-1) (-13).
Definition i4 := makepairF f8 f9.
Notation p5 := (BND _y i4). (* BND(y, [-65536, -0.00012207]) *)
Definition i5 := makepairF f8 f5.
Notation p6 := (BND _x i5). (* BND(x, [-65536, -0.000122041]) *)
Lemma l8 : p3 -> s1 -> p3 (* BND(x, [-inf, -0.000122041]) *).
Proof.
 intros h0 h1.
 assert (h2 := h0).
 exact (h2).
Qed.
Definition i6 := makepairF f8 f7.
Notation p7 := (BND _x i6). (* BND(x, [-65536, 65536]) *)
Definition i7 := makepairF f1 f7.
Notation p8 := (ABS _x i7). (* ABS(x, [6.10352e-05, 65536]) *)
Lemma l11 : s1 -> p1 (* BND(|x|, [6.10352e-05, 65520]) *).
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Notation p9 := (BND r1 i7). (* BND(|x|, [6.10352e-05, 65536]) *)
Lemma t1 : p9 -> p8.
Proof.
 intros h0.
 refine (abs_of_uabs _x i7 h0 _) ; finalize.
Qed.
Lemma l10 : s1 -> p8 (* ABS(x, [6.10352e-05, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 apply t1. refine (subset r1 i1 i7 h1 _) ; finalize.
Qed.
Lemma t2 : p8 -> p7.
Proof.
 intros h0.
 refine (bnd_of_abs _x i7 i6 h0 _) ; finalize.
Qed.
Lemma l9 : s1 -> p7 (* BND(x, [-65536, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 apply t2. exact h1.
Qed.
Lemma l7 : p3 -> s1 -> p6 (* BND(x, [-65536, -0.000122041]) *).
Proof.
 intros h0 h1.
 assert (h2 := l8 h0 h1).
 assert (h3 := l9 h1).
 apply intersect_hb with (1 := h2) (2 := h3). finalize.
Qed.
Lemma t3 : p6 -> p5.
Proof.
 intros h0.
 refine (float_round_ne _ _ _x i5 i4 h0 _) ; finalize.
Qed.
Lemma l6 : p3 -> s1 -> p5 (* BND(y, [-65536, -0.00012207]) *).
Proof.
 intros h0 h1.
 assert (h2 := l7 h0 h1).
 apply t3. exact h2.
Qed.
Lemma t4 : p5 -> p4.
Proof.
 intros h0.
 refine (abs_of_bnd_n _y i4 i3 h0 _) ; finalize.
Qed.
Lemma l5 : p3 -> s1 -> p4 (* ABS(y, [0.00012207, 65536]) *).
Proof.
 intros h0 h1.
 assert (h2 := l6 h0 h1).
 apply t4. exact h2.
Qed.
Lemma t5 : p4 -> p2.
Proof.
 intros h0.
 refine (float_relative_inv_ne _ _ _x i3 i2 h0 _) ; finalize.
Qed.
Lemma l4 : p3 -> s1 -> p2 (* REL(y, x, [-0.000488281, 0.000488281]) *).
Proof.
 intros h0 h1.
 assert (h2 := l5 h0 h1).
 apply t5. exact h2.
Qed.
Lemma l2 : p3 -> s1 -> False.
Proof.
 intros h0 h1.
 assert (h2 := l3 h1).
 assert (h3 := l4 h0 h1).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i2)) Tfalse (Arel 0%nat 1%nat i2) (List.cons _y (List.cons _x List.nil)) h3 h2 _) ; finalize.
Qed.
Definition f10 := Float2 (4095) (-25).
Definition i8 := makepairF f5 f10.
Notation p10 := (BND _x i8). (* BND(x, [-0.000122041, 0.000122041]) *)
Notation p11 := (NZR _x). (* NZR(x) *)
Lemma t6 : p8 -> p11.
Proof.
 intros h0.
 refine (nzr_of_abs _x i7 h0 _) ; finalize.
Qed.
Lemma l14 : s1 -> p11 (* NZR(x) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 apply t6. exact h1.
Qed.
Notation r5 := ((_y - _x)%R).
Notation r4 := ((r5 / _x)%R).
Notation p12 := (BND r4 i2). (* BND((y - x) / x, [-0.000488281, 0.000488281]) *)
Definition f11 := Float2 (0) (0).
Definition i9 := makepairF f11 f4.
Notation p13 := (ABS r4 i9). (* ABS((y - x) / x, [0, 0.000488281]) *)
Definition f12 := Float2 (1) (-25).
Definition i10 := makepairF f11 f12.
Notation p14 := (ABS r5 i10). (* ABS(y - x, [0, 2.98023e-08]) *)
Definition f13 := Float2 (-1) (-25).
Definition i11 := makepairF f13 f12.
Notation p15 := (BND r5 i11). (* BND(y - x, [-2.98023e-08, 2.98023e-08]) *)
Definition i12 := makepairF f1 f6.
Notation p16 := (ABS _x i12). (* ABS(x, [6.10352e-05, 0.00012207]) *)
Definition i13 := makepairF f11 f6.
Notation p17 := (ABS _x i13). (* ABS(x, [0, 0.00012207]) *)
Lemma l21 : p10 -> s1 -> p10 (* BND(x, [-0.000122041, 0.000122041]) *).
Proof.
 intros h0 h1.
 assert (h2 := h0).
 exact (h2).
Qed.
Definition i14 := makepairF f9 f6.
Notation p18 := (BND _x i14). (* BND(x, [-0.00012207, 0.00012207]) *)
Lemma t7 : p18 -> p17.
Proof.
 intros h0.
 refine (abs_of_bnd_o _x i14 i13 h0 _) ; finalize.
Qed.
Lemma l20 : p10 -> s1 -> p17 (* ABS(x, [0, 0.00012207]) *).
Proof.
 intros h0 h1.
 assert (h2 := l21 h0 h1).
 apply t7. refine (subset _x i8 i14 h2 _) ; finalize.
Qed.
Lemma l19 : p10 -> s1 -> p16 (* ABS(x, [6.10352e-05, 0.00012207]) *).
Proof.
 intros h0 h1.
 assert (h2 := l20 h0 h1).
 assert (h3 := l10 h1).
 apply intersect_aa with (1 := h2) (2 := h3). finalize.
Qed.
Lemma t8 : p16 -> p15.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ _x i12 i11 h0 _) ; finalize.
Qed.
Lemma l18 : p10 -> s1 -> p15 (* BND(y - x, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0 h1.
 assert (h2 := l19 h0 h1).
 apply t8. exact h2.
Qed.
Lemma t9 : p15 -> p14.
Proof.
 intros h0.
 refine (abs_of_bnd_o r5 i11 i10 h0 _) ; finalize.
Qed.
Lemma l17 : p10 -> s1 -> p14 (* ABS(y - x, [0, 2.98023e-08]) *).
Proof.
 intros h0 h1.
 assert (h2 := l18 h0 h1).
 apply t9. exact h2.
Qed.
Definition f14 := Float2 (1) (0).
Definition i15 := makepairF f1 f14.
Notation p19 := (ABS _x i15). (* ABS(x, [6.10352e-05, 1]) *)
Lemma t10 : p14 -> p19 -> p13.
Proof.
 intros h0 h1.
 refine (div_aa r5 _x i10 i15 i9 h0 h1 _) ; finalize.
Qed.
Lemma l16 : p10 -> s1 -> p13 (* ABS((y - x) / x, [0, 0.000488281]) *).
Proof.
 intros h0 h1.
 assert (h2 := l17 h0 h1).
 assert (h3 := l19 h0 h1).
 apply t10. exact h2. refine (abs_subset _x i12 i15 h3 _) ; finalize.
Qed.
Lemma t11 : p13 -> p12.
Proof.
 intros h0.
 refine (bnd_of_abs r4 i9 i2 h0 _) ; finalize.
Qed.
Lemma l15 : p10 -> s1 -> p12 (* BND((y - x) / x, [-0.000488281, 0.000488281]) *).
Proof.
 intros h0 h1.
 assert (h2 := l16 h0 h1).
 apply t11. exact h2.
Qed.
Lemma t12 : p11 -> p12 -> p2.
Proof.
 intros h0 h1.
 refine (rel_of_nzr_bnd _y _x i2 h0 h1) ; finalize.
Qed.
Lemma l13 : p10 -> s1 -> p2 (* REL(y, x, [-0.000488281, 0.000488281]) *).
Proof.
 intros h0 h1.
 assert (h2 := l14 h1).
 assert (h3 := l15 h0 h1).
 apply t12. exact h2. exact h3.
Qed.
Lemma l12 : p10 -> s1 -> False.
Proof.
 intros h0 h1.
 assert (h2 := l3 h1).
 assert (h3 := l13 h0 h1).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i2)) Tfalse (Arel 0%nat 1%nat i2) (List.cons _y (List.cons _x List.nil)) h3 h2 _) ; finalize.
Qed.
Notation p20 := ((f10 <= _x)%R). (* BND(x, [0.000122041, inf]) *)
Definition f15 := Float2 (3) (-15).
Definition i16 := makepairF f15 f7.
Notation p21 := (ABS _x i16). (* ABS(x, [9.15527e-05, 65536]) *)
Notation p22 := (BND _x i16). (* BND(x, [9.15527e-05, 65536]) *)
Lemma l26 : p20 -> s1 -> p20 (* BND(x, [0.000122041, inf]) *).
Proof.
 intros h0 h1.
 assert (h2 := h0).
 exact (h2).
Qed.
Lemma l25 : p20 -> s1 -> p22 (* BND(x, [9.15527e-05, 65536]) *).
Proof.
 intros h0 h1.
 assert (h2 := l9 h1).
 assert (h3 := l26 h0 h1).
 apply intersect_bh with (1 := h2) (2 := h3). finalize.
Qed.
Lemma t13 : p22 -> p21.
Proof.
 intros h0.
 refine (abs_of_bnd_p _x i16 i16 h0 _) ; finalize.
Qed.
Lemma l24 : p20 -> s1 -> p21 (* ABS(x, [9.15527e-05, 65536]) *).
Proof.
 intros h0 h1.
 assert (h2 := l25 h0 h1).
 apply t13. exact h2.
Qed.
Lemma t14 : p21 -> p2.
Proof.
 intros h0.
 refine (float_relative_ne _ _ _x i16 i2 h0 _) ; finalize.
Qed.
Lemma l23 : p20 -> s1 -> p2 (* REL(y, x, [-0.000488281, 0.000488281]) *).
Proof.
 intros h0 h1.
 assert (h2 := l24 h0 h1).
 apply t14. exact h2.
Qed.
Lemma l22 : p20 -> s1 -> False.
Proof.
 intros h0 h1.
 assert (h2 := l3 h1).
 assert (h3 := l23 h0 h1).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i2)) Tfalse (Arel 0%nat 1%nat i2) (List.cons _y (List.cons _x List.nil)) h3 h2 _) ; finalize.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 apply (union _x f5).
 intro h1. (* [-inf, -0.000122041] *)
 apply (l2 h1 h0).
 apply (union' _x i8).
 intro h1. (* [-0.000122041, 0.000122041] *)
 apply (l12 h1 h0).
 intro h1. (* [0.000122041, inf] *)
 apply (l22 h1 h0).
Qed.
End Generated_by_Gappa.
