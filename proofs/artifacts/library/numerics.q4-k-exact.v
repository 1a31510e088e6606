Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _d_ : R.
Notation _d := ((rounding_float rndNE (11)%positive (-24)%Z) _d_).
Notation r1 := ((Rabs _d)%R).
Definition f1 := Float2 (0) (0).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|d|, [0, 65504]) *)
Variable _dmin_ : R.
Notation _dmin := ((rounding_float rndNE (11)%positive (-24)%Z) _dmin_).
Notation r4 := ((Rabs _dmin)%R).
Notation p2 := (BND r4 i1). (* BND(|dmin|, [0, 65504]) *)
Definition s5 := (p1 /\ p2).
Variable _sc_ : R.
Notation _sc := ((rounding_fixed rndZR (0)%Z) _sc_).
Definition f3 := Float2 (63) (0).
Definition i2 := makepairF f1 f3.
Notation p3 := (BND _sc i2). (* BND(sc, [0, 63]) *)
Definition s4 := (s5 /\ p3).
Variable _m_ : R.
Notation _m := ((rounding_fixed rndZR (0)%Z) _m_).
Notation p4 := (BND _m i2). (* BND(m, [0, 63]) *)
Definition s3 := (s4 /\ p4).
Variable _q_ : R.
Notation _q := ((rounding_fixed rndZR (0)%Z) _q_).
Definition f4 := Float2 (15) (0).
Definition i3 := makepairF f1 f4.
Notation p5 := (BND _q i3). (* BND(q, [0, 15]) *)
Definition s2 := (s3 /\ p5).
Notation r15 := ((_d * _sc)%R).
Notation _a := ((rounding_float rndNE (24)%positive (-149)%Z) r15).
Notation r13 := ((_a - r15)%R).
Definition i4 := makepairF f1 f1.
Notation p6 := (BND r13 i4). (* BND(a - d * sc, [0, 0]) *)
Definition s8 := (not p6).
Notation r18 := ((_a * _q)%R).
Notation _b := ((rounding_float rndNE (24)%positive (-149)%Z) r18).
Notation r19 := ((r15 * _q)%R).
Notation r16 := ((_b - r19)%R).
Notation p7 := (BND r16 i4). (* BND(b - d * sc * q, [0, 0]) *)
Definition s9 := (not p7).
Definition s7 := (s8 \/ s9).
Notation r22 := ((_dmin * _m)%R).
Notation _c := ((rounding_float rndNE (24)%positive (-149)%Z) r22).
Notation r20 := ((_c - r22)%R).
Notation p8 := (BND r20 i4). (* BND(c - dmin * m, [0, 0]) *)
Definition s10 := (not p8).
Definition s6 := (s7 \/ s10).
Definition s1 := (s2 /\ s6).
Definition s11 := (s9 \/ s10).
Lemma l4 : s1 -> s6.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Notation p9 := (_a = r15). (* EQL(a, d * sc) *)
Notation p10 := (FIX r15 (-24)). (* FIX(d * sc, -24) *)
Notation p11 := (FIX _d (-24)). (* FIX(d, -24) *)
Lemma t1 : p11.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l8 : s1 -> p11 (* FIX(d, -24) *).
Proof.
 intros h0.
 apply t1.
Qed.
Notation p12 := (FIX _sc (0)). (* FIX(sc, 0) *)
Lemma t2 : p12.
Proof.
 refine (fix_of_fixed _ _ _ (0) _) ; finalize.
Qed.
Lemma l9 : s1 -> p12 (* FIX(sc, 0) *).
Proof.
 intros h0.
 apply t2.
Qed.
Lemma t3 : p11 -> p12 -> p10.
Proof.
 intros h0 h1.
 refine (mul_fix _d _sc (-24) (0) (-24) h0 h1 _) ; finalize.
Qed.
Lemma l7 : s1 -> p10 (* FIX(d * sc, -24) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 assert (h2 := l9 h0).
 apply t3. exact h1. exact h2.
Qed.
Notation p13 := (FLT r15 (17)). (* FLT(d * sc, 17) *)
Notation p14 := (FLT _d (11)). (* FLT(d, 11) *)
Lemma t4 : p14.
Proof.
 refine (flt_of_float _ _ _ (11) _ _) ; finalize.
Qed.
Lemma l11 : s1 -> p14 (* FLT(d, 11) *).
Proof.
 intros h0.
 apply t4.
Qed.
Notation p15 := (FLT _sc (6)). (* FLT(sc, 6) *)
Notation p16 := (ABS _sc i2). (* ABS(sc, [0, 63]) *)
Lemma l17 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l16 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l17 h0).
 exact (proj1 h1).
Qed.
Lemma l15 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := l16 h0).
 exact (proj1 h1).
Qed.
Lemma l14 : s1 -> p3 (* BND(sc, [0, 63]) *).
Proof.
 intros h0.
 assert (h1 := l15 h0).
 exact (proj2 h1).
Qed.
Lemma t5 : p3 -> p16.
Proof.
 intros h0.
 refine (abs_of_bnd_p _sc i2 i2 h0 _) ; finalize.
Qed.
Lemma l13 : s1 -> p16 (* ABS(sc, [0, 63]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 apply t5. exact h1.
Qed.
Lemma t6 : p12 -> p16 -> p15.
Proof.
 intros h0 h1.
 refine (flt_of_fix_bnd _sc i2 (0) (6) h0 h1 _) ; finalize.
Qed.
Lemma l12 : s1 -> p15 (* FLT(sc, 6) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 assert (h2 := l13 h0).
 apply t6. exact h1. exact h2.
Qed.
Lemma t7 : p14 -> p15 -> p13.
Proof.
 intros h0 h1.
 refine (mul_flt _d _sc (11) (6) (17) h0 h1 _) ; finalize.
Qed.
Lemma l10 : s1 -> p13 (* FLT(d * sc, 17) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 assert (h2 := l12 h0).
 apply t7. exact h1. exact h2.
Qed.
Lemma t8 : p10 -> p13 -> p9.
Proof.
 intros h0 h1.
 refine (float_of_fix_flt _ r15 (-24) _ (17) _ h0 h1 _) ; finalize.
Qed.
Lemma l6 : s1 -> p9 (* EQL(a, d * sc) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 assert (h2 := l10 h0).
 apply t8. exact h1. exact h2.
Qed.
Lemma t9 : p9 -> p6.
Proof.
 intros h0.
 refine (sub_of_eql _a r15 i4 h0 _) ; finalize.
Qed.
Lemma l5 : s1 -> p6 (* BND(a - d * sc, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 apply t9. exact h1.
Qed.
Lemma l3 : s1 -> s11.
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l5 h0).
 refine (simplify (Ttree false (Ttree false (Tatom false (Abnd 0%nat i4)) (Tatom false (Abnd 1%nat i4))) (Tatom false (Abnd 2%nat i4))) (Ttree false (Tatom false (Abnd 1%nat i4)) (Tatom false (Abnd 2%nat i4))) (Abnd 0%nat i4) (List.cons r13 (List.cons r16 (List.cons r20 List.nil))) h2 h1 _) ; finalize.
Qed.
Notation p17 := (_c = r22). (* EQL(c, dmin * m) *)
Notation p18 := (FIX r22 (-24)). (* FIX(dmin * m, -24) *)
Notation p19 := (FIX _dmin (-24)). (* FIX(dmin, -24) *)
Lemma t10 : p19.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l21 : s1 -> p19 (* FIX(dmin, -24) *).
Proof.
 intros h0.
 apply t10.
Qed.
Notation p20 := (FIX _m (0)). (* FIX(m, 0) *)
Lemma t11 : p20.
Proof.
 refine (fix_of_fixed _ _ _ (0) _) ; finalize.
Qed.
Lemma l22 : s1 -> p20 (* FIX(m, 0) *).
Proof.
 intros h0.
 apply t11.
Qed.
Lemma t12 : p19 -> p20 -> p18.
Proof.
 intros h0 h1.
 refine (mul_fix _dmin _m (-24) (0) (-24) h0 h1 _) ; finalize.
Qed.
Lemma l20 : s1 -> p18 (* FIX(dmin * m, -24) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l22 h0).
 apply t12. exact h1. exact h2.
Qed.
Notation p21 := (FLT r22 (17)). (* FLT(dmin * m, 17) *)
Notation p22 := (FLT _dmin (11)). (* FLT(dmin, 11) *)
Lemma t13 : p22.
Proof.
 refine (flt_of_float _ _ _ (11) _ _) ; finalize.
Qed.
Lemma l24 : s1 -> p22 (* FLT(dmin, 11) *).
Proof.
 intros h0.
 apply t13.
Qed.
Notation p23 := (FLT _m (6)). (* FLT(m, 6) *)
Notation p24 := (ABS _m i2). (* ABS(m, [0, 63]) *)
Lemma l27 : s1 -> p4 (* BND(m, [0, 63]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 exact (proj2 h1).
Qed.
Lemma t14 : p4 -> p24.
Proof.
 intros h0.
 refine (abs_of_bnd_p _m i2 i2 h0 _) ; finalize.
Qed.
Lemma l26 : s1 -> p24 (* ABS(m, [0, 63]) *).
Proof.
 intros h0.
 assert (h1 := l27 h0).
 apply t14. exact h1.
Qed.
Lemma t15 : p20 -> p24 -> p23.
Proof.
 intros h0 h1.
 refine (flt_of_fix_bnd _m i2 (0) (6) h0 h1 _) ; finalize.
Qed.
Lemma l25 : s1 -> p23 (* FLT(m, 6) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 assert (h2 := l26 h0).
 apply t15. exact h1. exact h2.
Qed.
Lemma t16 : p22 -> p23 -> p21.
Proof.
 intros h0 h1.
 refine (mul_flt _dmin _m (11) (6) (17) h0 h1 _) ; finalize.
Qed.
Lemma l23 : s1 -> p21 (* FLT(dmin * m, 17) *).
Proof.
 intros h0.
 assert (h1 := l24 h0).
 assert (h2 := l25 h0).
 apply t16. exact h1. exact h2.
Qed.
Lemma t17 : p18 -> p21 -> p17.
Proof.
 intros h0 h1.
 refine (float_of_fix_flt _ r22 (-24) _ (17) _ h0 h1 _) ; finalize.
Qed.
Lemma l19 : s1 -> p17 (* EQL(c, dmin * m) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 assert (h2 := l23 h0).
 apply t17. exact h1. exact h2.
Qed.
Lemma t18 : p17 -> p8.
Proof.
 intros h0.
 refine (sub_of_eql _c r22 i4 h0 _) ; finalize.
Qed.
Lemma l18 : s1 -> p8 (* BND(c - dmin * m, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 apply t18. exact h1.
Qed.
Lemma l2 : s1 -> s9.
Proof.
 intros h0.
 assert (h1 := l3 h0).
 assert (h2 := l18 h0).
 refine (simplify (Ttree false (Tatom false (Abnd 0%nat i4)) (Tatom false (Abnd 1%nat i4))) (Tatom false (Abnd 0%nat i4)) (Abnd 1%nat i4) (List.cons r16 (List.cons r20 List.nil)) h2 h1 _) ; finalize.
Qed.
Notation p25 := (REL _b r19 i4). (* REL(b, d * sc * q, [0, 0]) *)
Notation p26 := (_b = r18). (* EQL(b, a * q) *)
Notation p27 := (FIX r18 (-24)). (* FIX(a * q, -24) *)
Notation p28 := (FIX _a (-24)). (* FIX(a, -24) *)
Lemma t19 : p10 -> p28.
Proof.
 intros h0.
 refine (fix_float_of_fix _ _ _ (-24) (-24) r15 h0 _) ; finalize.
Qed.
Lemma l32 : s1 -> p28 (* FIX(a, -24) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 apply t19. exact h1.
Qed.
Notation p29 := (FIX _q (0)). (* FIX(q, 0) *)
Lemma t20 : p29.
Proof.
 refine (fix_of_fixed _ _ _ (0) _) ; finalize.
Qed.
Lemma l33 : s1 -> p29 (* FIX(q, 0) *).
Proof.
 intros h0.
 apply t20.
Qed.
Lemma t21 : p28 -> p29 -> p27.
Proof.
 intros h0 h1.
 refine (mul_fix _a _q (-24) (0) (-24) h0 h1 _) ; finalize.
Qed.
Lemma l31 : s1 -> p27 (* FIX(a * q, -24) *).
Proof.
 intros h0.
 assert (h1 := l32 h0).
 assert (h2 := l33 h0).
 apply t21. exact h1. exact h2.
Qed.
Notation p30 := (FLT r18 (21)). (* FLT(a * q, 21) *)
Notation p31 := (FLT _a (17)). (* FLT(a, 17) *)
Lemma t22 : p13 -> p31.
Proof.
 intros h0.
 refine (flt_float_of_flt _ _ _ (17) (17) r15 h0 _) ; finalize.
Qed.
Lemma l35 : s1 -> p31 (* FLT(a, 17) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 apply t22. exact h1.
Qed.
Notation p32 := (FLT _q (4)). (* FLT(q, 4) *)
Notation p33 := (ABS _q i3). (* ABS(q, [0, 15]) *)
Lemma l38 : s1 -> p5 (* BND(q, [0, 15]) *).
Proof.
 intros h0.
 assert (h1 := l17 h0).
 exact (proj2 h1).
Qed.
Lemma t23 : p5 -> p33.
Proof.
 intros h0.
 refine (abs_of_bnd_p _q i3 i3 h0 _) ; finalize.
Qed.
Lemma l37 : s1 -> p33 (* ABS(q, [0, 15]) *).
Proof.
 intros h0.
 assert (h1 := l38 h0).
 apply t23. exact h1.
Qed.
Lemma t24 : p29 -> p33 -> p32.
Proof.
 intros h0 h1.
 refine (flt_of_fix_bnd _q i3 (0) (4) h0 h1 _) ; finalize.
Qed.
Lemma l36 : s1 -> p32 (* FLT(q, 4) *).
Proof.
 intros h0.
 assert (h1 := l33 h0).
 assert (h2 := l37 h0).
 apply t24. exact h1. exact h2.
Qed.
Lemma t25 : p31 -> p32 -> p30.
Proof.
 intros h0 h1.
 refine (mul_flt _a _q (17) (4) (21) h0 h1 _) ; finalize.
Qed.
Lemma l34 : s1 -> p30 (* FLT(a * q, 21) *).
Proof.
 intros h0.
 assert (h1 := l35 h0).
 assert (h2 := l36 h0).
 apply t25. exact h1. exact h2.
Qed.
Lemma t26 : p27 -> p30 -> p26.
Proof.
 intros h0 h1.
 refine (float_of_fix_flt _ r18 (-24) _ (21) _ h0 h1 _) ; finalize.
Qed.
Lemma l30 : s1 -> p26 (* EQL(b, a * q) *).
Proof.
 intros h0.
 assert (h1 := l31 h0).
 assert (h2 := l34 h0).
 apply t26. exact h1. exact h2.
Qed.
Notation p34 := (REL r18 r19 i4). (* REL(a * q, d * sc * q, [0, 0]) *)
Notation p35 := (REL _a r15 i4). (* REL(a, d * sc, [0, 0]) *)
Notation p36 := (REL r15 r15 i4). (* REL(d * sc, d * sc, [0, 0]) *)
Lemma t27 : p36.
Proof.
 refine (rel_refl r15 i4 _) ; finalize.
Qed.
Lemma l41 : s1 -> p36 (* REL(d * sc, d * sc, [0, 0]) *).
Proof.
 intros h0.
 apply t27.
Qed.
Lemma t28 : p9 -> p36 -> p35.
Proof.
 intros h0 h1.
 refine (rel_rewrite_1 _a r15 r15 i4 h0 h1) ; finalize.
Qed.
Lemma l40 : s1 -> p35 (* REL(a, d * sc, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l41 h0).
 apply t28. exact h1. exact h2.
Qed.
Lemma t29 : p35 -> p34.
Proof.
 intros h0.
 refine (mul_firq _a _ r15 i4 h0) ; finalize.
Qed.
Lemma l39 : s1 -> p34 (* REL(a * q, d * sc * q, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l40 h0).
 apply t29. exact h1.
Qed.
Lemma t30 : p26 -> p34 -> p25.
Proof.
 intros h0 h1.
 refine (rel_rewrite_1 _b r18 r19 i4 h0 h1) ; finalize.
Qed.
Lemma l29 : s1 -> p25 (* REL(b, d * sc * q, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l30 h0).
 assert (h2 := l39 h0).
 apply t30. exact h1. exact h2.
Qed.
Definition f5 := Float2 (-1) (26).
Definition f6 := Float2 (1) (26).
Definition i5 := makepairF f5 f6.
Notation p37 := (BND r19 i5). (* BND(d * sc * q, [-6.71089e+07, 6.71089e+07]) *)
Definition f7 := Float2 (-1) (22).
Definition f8 := Float2 (1) (22).
Definition i6 := makepairF f7 f8.
Notation p38 := (BND r15 i6). (* BND(d * sc, [-4.1943e+06, 4.1943e+06]) *)
Definition f9 := Float2 (-1) (16).
Definition f10 := Float2 (1) (16).
Definition i7 := makepairF f9 f10.
Notation p39 := (BND _d i7). (* BND(d, [-65536, 65536]) *)
Definition i8 := makepairF f1 f10.
Notation p40 := (ABS _d i8). (* ABS(d, [0, 65536]) *)
Lemma l47 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := l15 h0).
 exact (proj1 h1).
Qed.
Lemma l46 : s1 -> p1 (* BND(|d|, [0, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l47 h0).
 exact (proj1 h1).
Qed.
Notation p41 := (BND r1 i8). (* BND(|d|, [0, 65536]) *)
Lemma t31 : p41 -> p40.
Proof.
 intros h0.
 refine (abs_of_uabs _d i8 h0 _) ; finalize.
Qed.
Lemma l45 : s1 -> p40 (* ABS(d, [0, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l46 h0).
 apply t31. refine (subset r1 i1 i8 h1 _) ; finalize.
Qed.
Lemma t32 : p40 -> p39.
Proof.
 intros h0.
 refine (bnd_of_abs _d i8 i7 h0 _) ; finalize.
Qed.
Lemma l44 : s1 -> p39 (* BND(d, [-65536, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l45 h0).
 apply t32. exact h1.
Qed.
Definition f11 := Float2 (1) (6).
Definition i9 := makepairF f1 f11.
Notation p42 := (BND _sc i9). (* BND(sc, [0, 64]) *)
Lemma t33 : p39 -> p42 -> p38.
Proof.
 intros h0 h1.
 refine (mul_op _d _sc i7 i9 i6 h0 h1 _) ; finalize.
Qed.
Lemma l43 : s1 -> p38 (* BND(d * sc, [-4.1943e+06, 4.1943e+06]) *).
Proof.
 intros h0.
 assert (h1 := l44 h0).
 assert (h2 := l14 h0).
 apply t33. exact h1. refine (subset _sc i2 i9 h2 _) ; finalize.
Qed.
Definition f12 := Float2 (1) (4).
Definition i10 := makepairF f1 f12.
Notation p43 := (BND _q i10). (* BND(q, [0, 16]) *)
Lemma t34 : p38 -> p43 -> p37.
Proof.
 intros h0 h1.
 refine (mul_op r15 _q i6 i10 i5 h0 h1 _) ; finalize.
Qed.
Lemma l42 : s1 -> p37 (* BND(d * sc * q, [-6.71089e+07, 6.71089e+07]) *).
Proof.
 intros h0.
 assert (h1 := l43 h0).
 assert (h2 := l38 h0).
 apply t34. exact h1. refine (subset _q i3 i10 h2 _) ; finalize.
Qed.
Lemma t35 : p25 -> p37 -> p7.
Proof.
 intros h0 h1.
 refine (error_of_rel_po _b r19 i4 i5 i4 h0 h1 _) ; finalize.
Qed.
Lemma l28 : s1 -> p7 (* BND(b - d * sc * q, [0, 0]) *).
Proof.
 intros h0.
 assert (h1 := l29 h0).
 assert (h2 := l42 h0).
 apply t35. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l28 h0).
 refine (simplify (Tatom false (Abnd 0%nat i4)) Tfalse (Abnd 0%nat i4) (List.cons r16 List.nil) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
