Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _x1_ : R.
Notation _x1 := ((rounding_float rndNE (11)%positive (-24)%Z) _x1_).
Notation r1 := ((Rabs _x1)%R).
Definition f1 := Float2 (0) (0).
Definition f2 := Float2 (1) (0).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|x1|, [0, 1]) *)
Variable _x2_ : R.
Notation _x2 := ((rounding_float rndNE (11)%positive (-24)%Z) _x2_).
Notation r4 := ((Rabs _x2)%R).
Notation p2 := (BND r4 i1). (* BND(|x2|, [0, 1]) *)
Definition s4 := (p1 /\ p2).
Variable _c_ : R.
Notation r7 := ((Rabs _c_)%R).
Notation p3 := (BND r7 i1). (* BND(|c_|, [0, 1]) *)
Definition s3 := (s4 /\ p3).
Variable _s_ : R.
Notation r9 := ((Rabs _s_)%R).
Notation p4 := (BND r9 i1). (* BND(|s_|, [0, 1]) *)
Definition s2 := (s3 /\ p4).
Notation _c := ((rounding_float rndNE (24)%positive (-149)%Z) _c_).
Notation r14 := ((_x1 * _c)%R).
Notation _s := ((rounding_float rndNE (24)%positive (-149)%Z) _s_).
Notation r17 := ((_x2 * _s)%R).
Notation _t := ((rounding_float rndNE (24)%positive (-149)%Z) r17).
Notation r13 := ((r14 - _t)%R).
Notation _r := ((rounding_float rndNE (24)%positive (-149)%Z) r13).
Notation r20 := ((_x1 * _c_)%R).
Notation r21 := ((_x2 * _s_)%R).
Notation r19 := ((r20 - r21)%R).
Notation r11 := ((_r - r19)%R).
Definition f3 := Float2 (-5) (-25).
Definition f4 := Float2 (5) (-25).
Definition i2 := makepairF f3 f4.
Notation p5 := (BND r11 i2). (* BND(r - (x1 * c_ - x2 * s_), [-1.49012e-07, 1.49012e-07]) *)
Definition s5 := (not p5).
Definition s1 := (s2 /\ s5).
Lemma l2 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Notation r23 := ((_r - r13)%R).
Notation r24 := ((r13 - r19)%R).
Notation r22 := ((r23 + r24)%R).
Notation p6 := (BND r22 i2). (* BND(r - (x1 * c - t) + (x1 * c - t - (x1 * c_ - x2 * s_)), [-1.49012e-07, 1.49012e-07]) *)
Definition f5 := Float2 (-1) (-24).
Definition f6 := Float2 (1) (-24).
Definition i3 := makepairF f5 f6.
Notation p7 := (BND r23 i3). (* BND(r - (x1 * c - t), [-5.96046e-08, 5.96046e-08]) *)
Definition f7 := Float2 (1) (1).
Definition i4 := makepairF f1 f7.
Notation p8 := (ABS r13 i4). (* ABS(x1 * c - t, [0, 2]) *)
Notation p9 := (ABS r14 i1). (* ABS(x1 * c, [0, 1]) *)
Notation p10 := (ABS _x1 i1). (* ABS(x1, [0, 1]) *)
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
Lemma l9 : s1 -> p1 (* BND(|x1|, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj1 h1).
Qed.
Lemma t1 : p1 -> p10.
Proof.
 intros h0.
 refine (abs_of_uabs _x1 i1 h0 _) ; finalize.
Qed.
Lemma l8 : s1 -> p10 (* ABS(x1, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 apply t1. exact h1.
Qed.
Notation p11 := (ABS _c i1). (* ABS(c, [0, 1]) *)
Definition f8 := Float2 (-1) (0).
Definition i5 := makepairF f8 f2.
Notation p12 := (BND _c i5). (* BND(c, [-1, 1]) *)
Notation p13 := (BND _c_ i5). (* BND(c_, [-1, 1]) *)
Notation p14 := (ABS _c_ i1). (* ABS(c_, [0, 1]) *)
Lemma l17 : s1 -> p3 (* BND(|c_|, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj2 h1).
Qed.
Lemma t2 : p3 -> p14.
Proof.
 intros h0.
 refine (abs_of_uabs _c_ i1 h0 _) ; finalize.
Qed.
Lemma l16 : s1 -> p14 (* ABS(c_, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l17 h0).
 apply t2. exact h1.
Qed.
Lemma t3 : p14 -> p13.
Proof.
 intros h0.
 refine (bnd_of_abs _c_ i1 i5 h0 _) ; finalize.
Qed.
Lemma l15 : s1 -> p13 (* BND(c_, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t3. exact h1.
Qed.
Lemma t4 : p13 -> p12.
Proof.
 intros h0.
 refine (float_round_ne _ _ _c_ i5 i5 h0 _) ; finalize.
Qed.
Lemma l14 : s1 -> p12 (* BND(c, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l15 h0).
 apply t4. exact h1.
Qed.
Lemma t5 : p12 -> p11.
Proof.
 intros h0.
 refine (abs_of_bnd_o _c i5 i1 h0 _) ; finalize.
Qed.
Lemma l13 : s1 -> p11 (* ABS(c, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 apply t5. exact h1.
Qed.
Lemma t6 : p10 -> p11 -> p9.
Proof.
 intros h0 h1.
 refine (mul_aa _x1 _c i1 i1 i1 h0 h1 _) ; finalize.
Qed.
Lemma l7 : s1 -> p9 (* ABS(x1 * c, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 assert (h2 := l13 h0).
 apply t6. exact h1. exact h2.
Qed.
Notation p15 := (ABS _t i1). (* ABS(t, [0, 1]) *)
Notation p16 := (BND _t i5). (* BND(t, [-1, 1]) *)
Notation p17 := (BND r17 i5). (* BND(x2 * s, [-1, 1]) *)
Notation p18 := (BND _x2 i5). (* BND(x2, [-1, 1]) *)
Notation p19 := (ABS _x2 i1). (* ABS(x2, [0, 1]) *)
Lemma l23 : s1 -> p2 (* BND(|x2|, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj2 h1).
Qed.
Lemma t7 : p2 -> p19.
Proof.
 intros h0.
 refine (abs_of_uabs _x2 i1 h0 _) ; finalize.
Qed.
Lemma l22 : s1 -> p19 (* ABS(x2, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l23 h0).
 apply t7. exact h1.
Qed.
Lemma t8 : p19 -> p18.
Proof.
 intros h0.
 refine (bnd_of_abs _x2 i1 i5 h0 _) ; finalize.
Qed.
Lemma l21 : s1 -> p18 (* BND(x2, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 apply t8. exact h1.
Qed.
Notation p20 := (BND _s i5). (* BND(s, [-1, 1]) *)
Notation p21 := (BND _s_ i5). (* BND(s_, [-1, 1]) *)
Notation p22 := (ABS _s_ i1). (* ABS(s_, [0, 1]) *)
Lemma l27 : s1 -> p4 (* BND(|s_|, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 exact (proj2 h1).
Qed.
Lemma t9 : p4 -> p22.
Proof.
 intros h0.
 refine (abs_of_uabs _s_ i1 h0 _) ; finalize.
Qed.
Lemma l26 : s1 -> p22 (* ABS(s_, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l27 h0).
 apply t9. exact h1.
Qed.
Lemma t10 : p22 -> p21.
Proof.
 intros h0.
 refine (bnd_of_abs _s_ i1 i5 h0 _) ; finalize.
Qed.
Lemma l25 : s1 -> p21 (* BND(s_, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l26 h0).
 apply t10. exact h1.
Qed.
Lemma t11 : p21 -> p20.
Proof.
 intros h0.
 refine (float_round_ne _ _ _s_ i5 i5 h0 _) ; finalize.
Qed.
Lemma l24 : s1 -> p20 (* BND(s, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l25 h0).
 apply t11. exact h1.
Qed.
Lemma t12 : p18 -> p20 -> p17.
Proof.
 intros h0 h1.
 refine (mul_oo _x2 _s i5 i5 i5 h0 h1 _) ; finalize.
Qed.
Lemma l20 : s1 -> p17 (* BND(x2 * s, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l24 h0).
 apply t12. exact h1. exact h2.
Qed.
Lemma t13 : p17 -> p16.
Proof.
 intros h0.
 refine (float_round_ne _ _ r17 i5 i5 h0 _) ; finalize.
Qed.
Lemma l19 : s1 -> p16 (* BND(t, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 apply t13. exact h1.
Qed.
Lemma t14 : p16 -> p15.
Proof.
 intros h0.
 refine (abs_of_bnd_o _t i5 i1 h0 _) ; finalize.
Qed.
Lemma l18 : s1 -> p15 (* ABS(t, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 apply t14. exact h1.
Qed.
Lemma t15 : p9 -> p15 -> p8.
Proof.
 intros h0 h1.
 refine (sub_aa_o r14 _t i1 i1 i4 h0 h1 _) ; finalize.
Qed.
Lemma l6 : s1 -> p8 (* ABS(x1 * c - t, [0, 2]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 assert (h2 := l18 h0).
 apply t15. exact h1. exact h2.
Qed.
Lemma t16 : p8 -> p7.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ r13 i4 i3 h0 _) ; finalize.
Qed.
Lemma l5 : s1 -> p7 (* BND(r - (x1 * c - t), [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 apply t16. exact h1.
Qed.
Definition f9 := Float2 (-3) (-25).
Definition f10 := Float2 (3) (-25).
Definition i6 := makepairF f9 f10.
Notation p23 := (BND r24 i6). (* BND(x1 * c - t - (x1 * c_ - x2 * s_), [-8.9407e-08, 8.9407e-08]) *)
Notation r26 := ((r14 - r20)%R).
Notation r27 := ((_t - r21)%R).
Notation r25 := ((r26 - r27)%R).
Notation p24 := (BND r25 i6). (* BND(x1 * c - x1 * c_ - (t - x2 * s_), [-8.9407e-08, 8.9407e-08]) *)
Definition f11 := Float2 (-1) (-25).
Definition f12 := Float2 (1) (-25).
Definition i7 := makepairF f11 f12.
Notation p25 := (BND r26 i7). (* BND(x1 * c - x1 * c_, [-2.98023e-08, 2.98023e-08]) *)
Notation r29 := ((_c - _c_)%R).
Notation r28 := ((_x1 * r29)%R).
Notation p26 := (BND r28 i7). (* BND(x1 * (c - c_), [-2.98023e-08, 2.98023e-08]) *)
Notation p27 := (BND _x1 i5). (* BND(x1, [-1, 1]) *)
Lemma t17 : p10 -> p27.
Proof.
 intros h0.
 refine (bnd_of_abs _x1 i1 i5 h0 _) ; finalize.
Qed.
Lemma l32 : s1 -> p27 (* BND(x1, [-1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 apply t17. exact h1.
Qed.
Notation p28 := (BND r29 i7). (* BND(c - c_, [-2.98023e-08, 2.98023e-08]) *)
Lemma t18 : p14 -> p28.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ _c_ i1 i7 h0 _) ; finalize.
Qed.
Lemma l33 : s1 -> p28 (* BND(c - c_, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t18. exact h1.
Qed.
Lemma t19 : p27 -> p28 -> p26.
Proof.
 intros h0 h1.
 refine (mul_oo _x1 r29 i5 i7 i7 h0 h1 _) ; finalize.
Qed.
Lemma l31 : s1 -> p26 (* BND(x1 * (c - c_), [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l32 h0).
 assert (h2 := l33 h0).
 apply t19. exact h1. exact h2.
Qed.
Lemma t20 : p26 -> p25.
Proof.
 intros h0.
 refine (mul_fils _ _ _ i7 h0) ; finalize.
Qed.
Lemma l30 : s1 -> p25 (* BND(x1 * c - x1 * c_, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l31 h0).
 apply t20. exact h1.
Qed.
Notation p29 := (BND r27 i3). (* BND(t - x2 * s_, [-5.96046e-08, 5.96046e-08]) *)
Notation r31 := ((_t - r17)%R).
Notation r32 := ((r17 - r21)%R).
Notation r30 := ((r31 + r32)%R).
Notation p30 := (BND r30 i3). (* BND(t - x2 * s + (x2 * s - x2 * s_), [-5.96046e-08, 5.96046e-08]) *)
Notation p31 := (BND r31 i7). (* BND(t - x2 * s, [-2.98023e-08, 2.98023e-08]) *)
Notation p32 := (ABS r17 i1). (* ABS(x2 * s, [0, 1]) *)
Notation p33 := (ABS _s i1). (* ABS(s, [0, 1]) *)
Lemma t21 : p20 -> p33.
Proof.
 intros h0.
 refine (abs_of_bnd_o _s i5 i1 h0 _) ; finalize.
Qed.
Lemma l38 : s1 -> p33 (* ABS(s, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l24 h0).
 apply t21. exact h1.
Qed.
Lemma t22 : p19 -> p33 -> p32.
Proof.
 intros h0 h1.
 refine (mul_aa _x2 _s i1 i1 i1 h0 h1 _) ; finalize.
Qed.
Lemma l37 : s1 -> p32 (* ABS(x2 * s, [0, 1]) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 assert (h2 := l38 h0).
 apply t22. exact h1. exact h2.
Qed.
Lemma t23 : p32 -> p31.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ r17 i1 i7 h0 _) ; finalize.
Qed.
Lemma l36 : s1 -> p31 (* BND(t - x2 * s, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l37 h0).
 apply t23. exact h1.
Qed.
Notation p34 := (BND r32 i7). (* BND(x2 * s - x2 * s_, [-2.98023e-08, 2.98023e-08]) *)
Notation r34 := ((_s - _s_)%R).
Notation r33 := ((_x2 * r34)%R).
Notation p35 := (BND r33 i7). (* BND(x2 * (s - s_), [-2.98023e-08, 2.98023e-08]) *)
Notation p36 := (BND r34 i7). (* BND(s - s_, [-2.98023e-08, 2.98023e-08]) *)
Lemma t24 : p22 -> p36.
Proof.
 intros h0.
 refine (float_absolute_wide_ne _ _ _s_ i1 i7 h0 _) ; finalize.
Qed.
Lemma l41 : s1 -> p36 (* BND(s - s_, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l26 h0).
 apply t24. exact h1.
Qed.
Lemma t25 : p18 -> p36 -> p35.
Proof.
 intros h0 h1.
 refine (mul_oo _x2 r34 i5 i7 i7 h0 h1 _) ; finalize.
Qed.
Lemma l40 : s1 -> p35 (* BND(x2 * (s - s_), [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l41 h0).
 apply t25. exact h1. exact h2.
Qed.
Lemma t26 : p35 -> p34.
Proof.
 intros h0.
 refine (mul_fils _ _ _ i7 h0) ; finalize.
Qed.
Lemma l39 : s1 -> p34 (* BND(x2 * s - x2 * s_, [-2.98023e-08, 2.98023e-08]) *).
Proof.
 intros h0.
 assert (h1 := l40 h0).
 apply t26. exact h1.
Qed.
Lemma t27 : p31 -> p34 -> p30.
Proof.
 intros h0 h1.
 refine (add r31 r32 i7 i7 i3 h0 h1 _) ; finalize.
Qed.
Lemma l35 : s1 -> p30 (* BND(t - x2 * s + (x2 * s - x2 * s_), [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l36 h0).
 assert (h2 := l39 h0).
 apply t27. exact h1. exact h2.
Qed.
Lemma t28 : p30 -> p29.
Proof.
 intros h0.
 refine (sub_xals _ _ _ i3 h0) ; finalize.
Qed.
Lemma l34 : s1 -> p29 (* BND(t - x2 * s_, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l35 h0).
 apply t28. exact h1.
Qed.
Lemma t29 : p25 -> p29 -> p24.
Proof.
 intros h0 h1.
 refine (sub r26 r27 i7 i3 i6 h0 h1 _) ; finalize.
Qed.
Lemma l29 : s1 -> p24 (* BND(x1 * c - x1 * c_ - (t - x2 * s_), [-8.9407e-08, 8.9407e-08]) *).
Proof.
 intros h0.
 assert (h1 := l30 h0).
 assert (h2 := l34 h0).
 apply t29. exact h1. exact h2.
Qed.
Lemma t30 : p24 -> p23.
Proof.
 intros h0.
 refine (sub_mibs _ _ _ _ i6 h0) ; finalize.
Qed.
Lemma l28 : s1 -> p23 (* BND(x1 * c - t - (x1 * c_ - x2 * s_), [-8.9407e-08, 8.9407e-08]) *).
Proof.
 intros h0.
 assert (h1 := l29 h0).
 apply t30. exact h1.
Qed.
Lemma t31 : p7 -> p23 -> p6.
Proof.
 intros h0 h1.
 refine (add r23 r24 i3 i6 i2 h0 h1 _) ; finalize.
Qed.
Lemma l4 : s1 -> p6 (* BND(r - (x1 * c - t) + (x1 * c - t - (x1 * c_ - x2 * s_)), [-1.49012e-07, 1.49012e-07]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 assert (h2 := l28 h0).
 apply t31. exact h1. exact h2.
Qed.
Lemma t32 : p6 -> p5.
Proof.
 intros h0.
 refine (sub_xals _ _ _ i2 h0) ; finalize.
Qed.
Lemma l3 : s1 -> p5 (* BND(r - (x1 * c_ - x2 * s_), [-1.49012e-07, 1.49012e-07]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 apply t32. exact h1.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Abnd 0%nat i2)) Tfalse (Abnd 0%nat i2) (List.cons r11 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
