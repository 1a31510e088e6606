Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _x1_ : R.
Notation _x1 := ((rounding_float rndNE (11)%positive (-24)%Z) _x1_).
Notation r1 := ((Rabs _x1)%R).
Definition f1 := Float2 (0) (0).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|x1|, [0, 65504]) *)
Variable _x2_ : R.
Notation _x2 := ((rounding_float rndNE (11)%positive (-24)%Z) _x2_).
Notation r4 := ((Rabs _x2)%R).
Notation p2 := (BND r4 i1). (* BND(|x2|, [0, 65504]) *)
Definition s4 := (p1 /\ p2).
Variable _c_ : R.
Notation _c := ((rounding_float rndNE (24)%positive (-149)%Z) _c_).
Notation r7 := ((Rabs _c)%R).
Definition f3 := Float2 (1) (0).
Definition i2 := makepairF f1 f3.
Notation p3 := (BND r7 i2). (* BND(|c|, [0, 1]) *)
Definition s3 := (s4 /\ p3).
Variable _s_ : R.
Notation _s := ((rounding_float rndNE (24)%positive (-149)%Z) _s_).
Notation r10 := ((Rabs _s)%R).
Notation p4 := (BND r10 i2). (* BND(|s|, [0, 1]) *)
Definition s2 := (s3 /\ p4).
Notation r16 := ((_x1 * _c)%R).
Notation r18 := ((_x2 * _s)%R).
Notation _t := ((rounding_float rndNE (24)%positive (-149)%Z) r18).
Notation r15 := ((r16 - _t)%R).
Notation _r := ((rounding_float rndNE (24)%positive (-149)%Z) r15).
Notation r19 := ((r16 - r18)%R).
Notation r13 := ((_r - r19)%R).
Definition f4 := Float2 (-103028885503) (-43).
Definition f5 := Float2 (103028885503) (-43).
Definition i3 := makepairF f4 f5.
Notation p5 := (BND r13 i3). (* BND(r - (x1 * c - x2 * s), [-0.011713, 0.011713]) *)
Definition s5 := (not p5).
Definition s1 := (s2 /\ s5).
Lemma l2 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f6 := Float2 (-3) (-9).
Definition f7 := Float2 (3) (-9).
Definition i4 := makepairF f6 f7.
Notation p6 := (BND r13 i4). (* BND(r - (x1 * c - x2 * s), [-0.00585938, 0.00585938]) *)
Notation r21 := ((_r - r15)%R).
Notation r22 := ((r15 - r19)%R).
Notation r20 := ((r21 + r22)%R).
Notation p7 := (BND r20 i4). (* BND(r - (x1 * c - t) + (x1 * c - t - (x1 * c - x2 * s)), [-0.00585938, 0.00585938]) *)
Definition f8 := Float2 (-1) (-8).
Definition f9 := Float2 (1) (-8).
Definition i5 := makepairF f8 f9.
Notation p8 := (BND r21 i5). (* BND(r - (x1 * c - t), [-0.00390625, 0.00390625]) *)
Definition f10 := Float2 (1) (17).
Definition i6 := makepairF f1 f10.
Notation p9 := (ABS r15 i6). (* ABS(x1 * c - t, [0, 131072]) *)
Definition f11 := Float2 (1) (16).
Definition i7 := makepairF f1 f11.
Notation p10 := (ABS r16 i7). (* ABS(x1 * c, [0, 65536]) *)
Notation p11 := (ABS _x1 i7). (* ABS(x1, [0, 65536]) *)
Lemma l12 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l11 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l12 h0).
 exact (proj1 h1).
Qed.
Lemma l10 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj1 h1).
Qed.
Lemma l9 : s1 -> p1 (* BND(|x1|, [0, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj1 h1).
Qed.
Notation p12 := (BND r1 i7). (* BND(|x1|, [0, 65536]) *)
Lemma t1 : p12 -> p11.
Proof.
 intros h0.
 refine (abs_of_uabs _x1 i7 h0 _) ; finalize.
Qed.
Lemma l8 : s1 -> p11 (* ABS(x1, [0, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 apply t1. refine (subset r1 i1 i7 h1 _) ; finalize.
Qed.
Notation p13 := (ABS _c i2). (* ABS(c, [0, 1]) *)
Lemma l14 : s1 -> p3 (* BND(|c|, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj2 h1).
Qed.
Lemma t2 : p3 -> p13.
Proof.
 intros h0.
 refine (abs_of_uabs _c i2 h0 _) ; finalize.
Qed.
Lemma l13 : s1 -> p13 (* ABS(c, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 apply t2. exact h1.
Qed.
Lemma t3 : p11 -> p13 -> p10.
Proof.
 intros h0 h1.
 refine (mul_aa _x1 _c i7 i2 i7 h0 h1 _) ; finalize.
Qed.
Lemma l7 : s1 -> p10 (* ABS(x1 * c, [0, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 assert (h2 := l13 h0).
 apply t3. exact h1. exact h2.
Qed.
Notation p14 := (ABS _t i7). (* ABS(t, [0, 65536]) *)
Definition f12 := Float2 (-1) (16).
Definition i8 := makepairF f12 f11.
Notation p15 := (BND _t i8). (* BND(t, [-65536, 65536]) *)
Notation p16 := (BND r18 i8). (* BND(x2 * s, [-65536, 65536]) *)
Notation p17 := (BND _x2 i8). (* BND(x2, [-65536, 65536]) *)
Notation p18 := (ABS _x2 i7). (* ABS(x2, [0, 65536]) *)
Lemma l20 : s1 -> p2 (* BND(|x2|, [0, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj2 h1).
Qed.
Notation p19 := (BND r4 i7). (* BND(|x2|, [0, 65536]) *)
Lemma t4 : p19 -> p18.
Proof.
 intros h0.
 refine (abs_of_uabs _x2 i7 h0 _) ; finalize.
Qed.
Lemma l19 : s1 -> p18 (* ABS(x2, [0, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 apply t4. refine (subset r4 i1 i7 h1 _) ; finalize.
Qed.
Lemma t5 : p18 -> p17.
Proof.
 intros h0.
 refine (bnd_of_abs _x2 i7 i8 h0 _) ; finalize.
Qed.
Lemma l18 : s1 -> p17 (* BND(x2, [-65536, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 apply t5. exact h1.
Qed.
Definition f13 := Float2 (-1) (0).
Definition i9 := makepairF f13 f3.
Notation p20 := (BND _s i9). (* BND(s, [-1, 1]) *)
Notation p21 := (ABS _s i2). (* ABS(s, [0, 1]) *)
Lemma l23 : s1 -> p4 (* BND(|s|, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 exact (proj2 h1).
Qed.
Lemma t6 : p4 -> p21.
Proof.
 intros h0.
 refine (abs_of_uabs _s i2 h0 _) ; finalize.
Qed.
Lemma l22 : s1 -> p21 (* ABS(s, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l23 h0).
 apply t6. exact h1.
Qed.
Lemma t7 : p21 -> p20.
Proof.
 intros h0.
 refine (bnd_of_abs _s i2 i9 h0 _) ; finalize.
Qed.
Lemma l21 : s1 -> p20 (* BND(s, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 apply t7. exact h1.
Qed.
Lemma t8 : p17 -> p20 -> p16.
Proof.
 intros h0 h1.
 refine (mul_oo _x2 _s i8 i9 i8 h0 h1 _) ; finalize.
Qed.
Lemma l17 : s1 -> p16 (* BND(x2 * s, [-65536, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l18 h0).
 assert (h2 := l21 h0).
 apply t8. exact h1. exact h2.
Qed.
Lemma t9 : p16 -> p15.
Proof.
 intros h0.
 refine (float_round_ne _ _ r18 i8 i8 h0 _) ; finalize.
Qed.
Lemma l16 : s1 -> p15 (* BND(t, [-65536, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l17 h0).
 apply t9. exact h1.
Qed.
Lemma t10 : p15 -> p14.
Proof.
 intros h0.
 refine (abs_of_bnd_o _t i8 i7 h0 _) ; finalize.
Qed.
Lemma l15 : s1 -> p14 (* ABS(t, [0, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t10. exact h1.
Qed.
Lemma t11 : p10 -> p14 -> p9.
Proof.
 intros h0 h1.
 refine (sub_aa_o r16 _t i7 i7 i6 h0 h1 _) ; finalize.
Qed.
Lemma l6 : s1 -> p9 (* ABS(x1 * c - t, [0, 131072]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 assert (h2 := l15 h0).
 apply t11. exact h1. exact h2.
Qed.
Lemma t12 : p9 -> p8.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ r15 i6 i5 h0 _) ; finalize.
Qed.
Lemma l5 : s1 -> p8 (* BND(r - (x1 * c - t), [-0.00390625, 0.00390625]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 apply t12. exact h1.
Qed.
Definition f14 := Float2 (-1) (-9).
Definition f15 := Float2 (1) (-9).
Definition i10 := makepairF f14 f15.
Notation p22 := (BND r22 i10). (* BND(x1 * c - t - (x1 * c - x2 * s), [-0.00195312, 0.00195312]) *)
Notation r24 := ((_t - r18)%R).
Notation r23 := ((- r24)%R).
Notation p23 := (BND r23 i10). (* BND(-(t - x2 * s), [-0.00195312, 0.00195312]) *)
Notation p24 := (BND r24 i10). (* BND(t - x2 * s, [-0.00195312, 0.00195312]) *)
Notation p25 := (ABS r18 i7). (* ABS(x2 * s, [0, 65536]) *)
Lemma t13 : p18 -> p21 -> p25.
Proof.
 intros h0 h1.
 refine (mul_aa _x2 _s i7 i2 i7 h0 h1 _) ; finalize.
Qed.
Lemma l27 : s1 -> p25 (* ABS(x2 * s, [0, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 assert (h2 := l22 h0).
 apply t13. exact h1. exact h2.
Qed.
Lemma t14 : p25 -> p24.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ r18 i7 i10 h0 _) ; finalize.
Qed.
Lemma l26 : s1 -> p24 (* BND(t - x2 * s, [-0.00195312, 0.00195312]) *).
Proof.
 intros h0.
 assert (h1 := l27 h0).
 apply t14. exact h1.
Qed.
Lemma t15 : p24 -> p23.
Proof.
 intros h0.
 refine (neg r24 i10 i10 h0 _) ; finalize.
Qed.
Lemma l25 : s1 -> p23 (* BND(-(t - x2 * s), [-0.00195312, 0.00195312]) *).
Proof.
 intros h0.
 assert (h1 := l26 h0).
 apply t15. exact h1.
Qed.
Lemma t16 : p23 -> p22.
Proof.
 intros h0.
 refine (sub_fils _ _ _ i10 h0) ; finalize.
Qed.
Lemma l24 : s1 -> p22 (* BND(x1 * c - t - (x1 * c - x2 * s), [-0.00195312, 0.00195312]) *).
Proof.
 intros h0.
 assert (h1 := l25 h0).
 apply t16. exact h1.
Qed.
Lemma t17 : p8 -> p22 -> p7.
Proof.
 intros h0 h1.
 refine (add r21 r22 i5 i10 i4 h0 h1 _) ; finalize.
Qed.
Lemma l4 : s1 -> p7 (* BND(r - (x1 * c - t) + (x1 * c - t - (x1 * c - x2 * s)), [-0.00585938, 0.00585938]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 assert (h2 := l24 h0).
 apply t17. exact h1. exact h2.
Qed.
Lemma t18 : p7 -> p6.
Proof.
 intros h0.
 refine (sub_xals _ _ _ i4 h0) ; finalize.
Qed.
Lemma l3 : s1 -> p6 (* BND(r - (x1 * c - x2 * s), [-0.00585938, 0.00585938]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 apply t18. exact h1.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Abnd 0%nat i3)) Tfalse (Abnd 0%nat i4) (List.cons r13 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
