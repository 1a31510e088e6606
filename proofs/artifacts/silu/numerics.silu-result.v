Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _x_ : R.
Notation _x := ((rounding_float rndNE (11)%positive (-24)%Z) _x_).
Notation r1 := ((Rabs _x)%R).
Definition f1 := Float2 (1) (-24).
Definition f2 := Float2 (2047) (5).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND r1 i1). (* BND(|x|, [5.96046e-08, 65504]) *)
Variable _E : R.
Definition f3 := Float2 (1) (-60).
Definition f4 := Float2 (1154257682673181) (12).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND _E i2). (* BND(E, [8.67362e-19, 4.72784e+18]) *)
Definition s4 := (p1 /\ p2).
Variable _e_ : R.
Notation _e := ((rounding_float rndNE (24)%positive (-149)%Z) _e_).
Definition f5 := Float2 (-2028981787280837) (-69).
Definition f6 := Float2 (2028981787280837) (-69).
Definition i3 := makepairF f5 f6.
Notation p3 := (REL _e _E i3). (* REL(e, E, [-3.43723e-06, 3.43723e-06]) *)
Definition s3 := (s4 /\ p3).
Variable _r_ : R.
Notation _r := ((rounding_float rndNE (24)%positive (-149)%Z) _r_).
Notation r10 := (Float1 (1)).
Notation r12 := ((r10 + _e)%R).
Notation _d := ((rounding_float rndNE (24)%positive (-149)%Z) r12).
Notation r9 := ((r10 / _d)%R).
Definition f7 := Float2 (-3) (-24).
Definition f8 := Float2 (3) (-24).
Definition i4 := makepairF f7 f8.
Notation p4 := (REL _r r9 i4). (* REL(r, 1 / d, [-1.78814e-07, 1.78814e-07]) *)
Definition s2 := (s3 /\ p4).
Notation r14 := ((_x * _r)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r14).
Notation r17 := ((r10 + _E)%R).
Notation r16 := ((r10 / r17)%R).
Notation r15 := ((_x * r16)%R).
Definition f9 := Float2 (-2204911243288747) (-69).
Definition f10 := Float2 (2204911243288747) (-69).
Definition i5 := makepairF f9 f10.
Notation p5 := (REL _y r15 i5). (* REL(y, x * (1 / (1 + E)), [-3.73526e-06, 3.73526e-06]) *)
Definition s5 := (not p5).
Definition s1 := (s2 /\ s5).
Lemma l2 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f11 := Float2 (-282226694683579903) (-76).
Definition f12 := Float2 (564457278281406261) (-77).
Definition i6 := makepairF f11 f12.
Notation p6 := (REL _y r15 i6). (* REL(y, x * (1 / (1 + E)), [-3.73524e-06, 3.73526e-06]) *)
Definition f13 := Float2 (-1) (-24).
Definition i7 := makepairF f13 f1.
Notation p7 := (REL _y r14 i7). (* REL(y, x * r, [-5.96046e-08, 5.96046e-08]) *)
Definition f14 := Float2 (1) (-87).
Definition f15 := Float2 (1) (16).
Definition i8 := makepairF f14 f15.
Notation p8 := (ABS r14 i8). (* ABS(x * r, [6.46235e-27, 65536]) *)
Notation p9 := (ABS _x i1). (* ABS(x, [5.96046e-08, 65504]) *)
Lemma l10 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l9 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj1 h1).
Qed.
Lemma l8 : s1 -> s4.
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
Lemma t1 : p1 -> p9.
Proof.
 intros h0.
 refine (abs_of_uabs _x i1 h0 _) ; finalize.
Qed.
Lemma l6 : s1 -> p9 (* ABS(x, [5.96046e-08, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 apply t1. exact h1.
Qed.
Definition f16 := Float2 (1) (-63).
Definition f17 := Float2 (2049) (-11).
Definition i9 := makepairF f16 f17.
Notation p10 := (ABS _r i9). (* ABS(r, [1.0842e-19, 1.00049]) *)
Notation p11 := (BND _r i9). (* BND(r, [1.0842e-19, 1.00049]) *)
Definition f18 := Float2 (3) (-64).
Definition f19 := Float2 (1) (0).
Definition i10 := makepairF f18 f19.
Notation p12 := (BND r9 i10). (* BND(1 / d, [1.6263e-19, 1]) *)
Definition i11 := makepairF f19 f19.
Notation p13 := (BND r10 i11). (* BND(1, [1, 1]) *)
Lemma t2 : p13.
Proof.
 refine (constant1 _ i11 _) ; finalize.
Qed.
Lemma l14 : s1 -> p13 (* BND(1, [1, 1]) *).
Proof.
 intros h0.
 apply t2.
Qed.
Definition f20 := Float2 (5) (60).
Definition i12 := makepairF f19 f20.
Notation p14 := (BND _d i12). (* BND(d, [1, 5.76461e+18]) *)
Notation p15 := (BND r12 i12). (* BND(1 + e, [1, 5.76461e+18]) *)
Definition f21 := Float2 (1) (-61).
Definition f22 := Float2 (9) (59).
Definition i13 := makepairF f21 f22.
Notation p16 := (BND _e i13). (* BND(e, [4.33681e-19, 5.18815e+18]) *)
Lemma l18 : s1 -> p2 (* BND(E, [8.67362e-19, 4.72784e+18]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 exact (proj2 h1).
Qed.
Lemma l19 : s1 -> p3 (* REL(e, E, [-3.43723e-06, 3.43723e-06]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 exact (proj2 h1).
Qed.
Definition f23 := Float2 (17) (58).
Definition i14 := makepairF f3 f23.
Notation p17 := (BND _E i14). (* BND(E, [8.67362e-19, 4.89992e+18]) *)
Definition f24 := Float2 (-1) (-1).
Definition f25 := Float2 (1) (-5).
Definition i15 := makepairF f24 f25.
Notation p18 := (REL _e _E i15). (* REL(e, E, [-0.5, 0.03125]) *)
Lemma t3 : p17 -> p18 -> p16.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _e _E i14 i15 i13 h0 h1 _) ; finalize.
Qed.
Lemma l17 : s1 -> p16 (* BND(e, [4.33681e-19, 5.18815e+18]) *).
Proof.
 intros h0.
 assert (h1 := l18 h0).
 assert (h2 := l19 h0).
 apply t3. refine (subset _E i2 i14 h1 _) ; finalize. refine (rel_subset _e _E i3 i15 h2 _) ; finalize.
Qed.
Lemma t4 : p13 -> p16 -> p15.
Proof.
 intros h0 h1.
 refine (add r10 _e i11 i13 i12 h0 h1 _) ; finalize.
Qed.
Lemma l16 : s1 -> p15 (* BND(1 + e, [1, 5.76461e+18]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l17 h0).
 apply t4. exact h1. exact h2.
Qed.
Lemma t5 : p15 -> p14.
Proof.
 intros h0.
 refine (float_round_ne _ _ r12 i12 i12 h0 _) ; finalize.
Qed.
Lemma l15 : s1 -> p14 (* BND(d, [1, 5.76461e+18]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t5. exact h1.
Qed.
Lemma t6 : p13 -> p14 -> p12.
Proof.
 intros h0 h1.
 refine (div_pp r10 _d i11 i12 i10 h0 h1 _) ; finalize.
Qed.
Lemma l13 : s1 -> p12 (* BND(1 / d, [1.6263e-19, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l15 h0).
 apply t6. exact h1. exact h2.
Qed.
Lemma l20 : s1 -> p4 (* REL(r, 1 / d, [-1.78814e-07, 1.78814e-07]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj2 h1).
Qed.
Definition f26 := Float2 (-1) (-2).
Definition f27 := Float2 (1) (-11).
Definition i16 := makepairF f26 f27.
Notation p19 := (REL _r r9 i16). (* REL(r, 1 / d, [-0.25, 0.000488281]) *)
Lemma t7 : p12 -> p19 -> p11.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _r r9 i10 i16 i9 h0 h1 _) ; finalize.
Qed.
Lemma l12 : s1 -> p11 (* BND(r, [1.0842e-19, 1.00049]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 assert (h2 := l20 h0).
 apply t7. exact h1. refine (rel_subset _r r9 i4 i16 h2 _) ; finalize.
Qed.
Lemma t8 : p11 -> p10.
Proof.
 intros h0.
 refine (abs_of_bnd_p _r i9 i9 h0 _) ; finalize.
Qed.
Lemma l11 : s1 -> p10 (* ABS(r, [1.0842e-19, 1.00049]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 apply t8. exact h1.
Qed.
Lemma t9 : p9 -> p10 -> p8.
Proof.
 intros h0 h1.
 refine (mul_aa _x _r i1 i9 i8 h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p8 (* ABS(x * r, [6.46235e-27, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l11 h0).
 apply t9. exact h1. exact h2.
Qed.
Lemma t10 : p8 -> p7.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r14 i8 i7 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p7 (* REL(y, x * r, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t10. exact h1.
Qed.
Definition f28 := Float2 (-1110892446439187281) (-78).
Definition f29 := Float2 (1110900091838525183) (-78).
Definition i17 := makepairF f28 f29.
Notation p20 := (REL r14 r15 i17). (* REL(x * r, x * (1 / (1 + E)), [-3.67563e-06, 3.67566e-06]) *)
Notation p21 := (REL _r r16 i17). (* REL(r, 1 / (1 + E), [-3.67563e-06, 3.67566e-06]) *)
Definition f30 := Float2 (-528424719945073833) (-77).
Definition f31 := Float2 (528428353664686687) (-77).
Definition i18 := makepairF f30 f31.
Notation p22 := (REL r9 r16 i18). (* REL(1 / d, 1 / (1 + E), [-3.49682e-06, 3.49685e-06]) *)
Definition f32 := Float2 (-1056853011677660321) (-78).
Definition f33 := Float2 (33026660484902523) (-73).
Definition i19 := makepairF f32 f33.
Notation p23 := (REL _d r17 i19). (* REL(d, 1 + E, [-3.49683e-06, 3.49683e-06]) *)
Notation p24 := (REL _d r12 i7). (* REL(d, 1 + e, [-5.96046e-08, 5.96046e-08]) *)
Definition f34 := Float2 (1) (63).
Definition i20 := makepairF f19 f34.
Notation p25 := (ABS r12 i20). (* ABS(1 + e, [1, 9.22337e+18]) *)
Notation p26 := (BND r12 i20). (* BND(1 + e, [1, 9.22337e+18]) *)
Lemma t11 : p26 -> p25.
Proof.
 intros h0.
 refine (abs_of_bnd_p r12 i20 i20 h0 _) ; finalize.
Qed.
Lemma l26 : s1 -> p25 (* ABS(1 + e, [1, 9.22337e+18]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t11. refine (subset r12 i12 i20 h1 _) ; finalize.
Qed.
Lemma t12 : p25 -> p24.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r12 i20 i7 h0 _) ; finalize.
Qed.
Lemma l25 : s1 -> p24 (* REL(d, 1 + e, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l26 h0).
 apply t12. exact h1.
Qed.
Notation p27 := (REL r12 r17 i3). (* REL(1 + e, 1 + E, [-3.43723e-06, 3.43723e-06]) *)
Definition f35 := Float2 (0) (0).
Definition i21 := makepairF f35 f35.
Notation p28 := (REL r10 r10 i21). (* REL(1, 1, [0, 0]) *)
Lemma t13 : p28.
Proof.
 refine (rel_refl r10 i21 _) ; finalize.
Qed.
Lemma l28 : s1 -> p28 (* REL(1, 1, [0, 0]) *).
Proof.
 intros h0.
 apply t13.
Qed.
Definition i22 := makepairF f16 f19.
Notation p29 := (BND r16 i22). (* BND(1 / (1 + E), [1.0842e-19, 1]) *)
Notation p30 := (BND r17 i20). (* BND(1 + E, [1, 9.22337e+18]) *)
Definition f36 := Float2 (3) (61).
Definition i23 := makepairF f3 f36.
Notation p31 := (BND _E i23). (* BND(E, [8.67362e-19, 6.91753e+18]) *)
Lemma t14 : p13 -> p31 -> p30.
Proof.
 intros h0 h1.
 refine (add r10 _E i11 i23 i20 h0 h1 _) ; finalize.
Qed.
Lemma l30 : s1 -> p30 (* BND(1 + E, [1, 9.22337e+18]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l18 h0).
 apply t14. exact h1. refine (subset _E i2 i23 h2 _) ; finalize.
Qed.
Lemma t15 : p13 -> p30 -> p29.
Proof.
 intros h0 h1.
 refine (div_pp r10 r17 i11 i20 i22 h0 h1 _) ; finalize.
Qed.
Lemma l29 : s1 -> p29 (* BND(1 / (1 + E), [1.0842e-19, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l30 h0).
 apply t15. exact h1. exact h2.
Qed.
Notation p32 := (NZR r17). (* NZR(1 + E) *)
Notation p33 := (ABS r17 i20). (* ABS(1 + E, [1, 9.22337e+18]) *)
Lemma t16 : p30 -> p33.
Proof.
 intros h0.
 refine (abs_of_bnd_p r17 i20 i20 h0 _) ; finalize.
Qed.
Lemma l32 : s1 -> p33 (* ABS(1 + E, [1, 9.22337e+18]) *).
Proof.
 intros h0.
 assert (h1 := l30 h0).
 apply t16. exact h1.
Qed.
Lemma t17 : p33 -> p32.
Proof.
 intros h0.
 refine (nzr_of_abs r17 i20 h0 _) ; finalize.
Qed.
Lemma l31 : s1 -> p32 (* NZR(1 + E) *).
Proof.
 intros h0.
 assert (h1 := l32 h0).
 apply t17. exact h1.
Qed.
Lemma t18 : p28 -> p3 -> p29 -> p32 -> p27.
Proof.
 intros h0 h1 h2 h3.
 refine (add_rr r10 r10 _e _E i21 i3 i22 i3 h0 h1 h2 h3 _) ; finalize.
Qed.
Lemma l27 : s1 -> p27 (* REL(1 + e, 1 + E, [-3.43723e-06, 3.43723e-06]) *).
Proof.
 intros h0.
 assert (h1 := l28 h0).
 assert (h2 := l19 h0).
 assert (h3 := l29 h0).
 assert (h4 := l31 h0).
 apply t18. exact h1. exact h2. exact h3. exact h4.
Qed.
Lemma t19 : p24 -> p27 -> p23.
Proof.
 intros h0 h1.
 refine (compose _d r12 r17 i7 i3 i19 h0 h1 _) ; finalize.
Qed.
Lemma l24 : s1 -> p23 (* REL(d, 1 + E, [-3.49683e-06, 3.49683e-06]) *).
Proof.
 intros h0.
 assert (h1 := l25 h0).
 assert (h2 := l27 h0).
 apply t19. exact h1. exact h2.
Qed.
Lemma t20 : p23 -> p32 -> p22.
Proof.
 intros h0 h1.
 refine (inv_r _d r17 _ i19 i18 h0 h1 _) ; finalize.
Qed.
Lemma l23 : s1 -> p22 (* REL(1 / d, 1 / (1 + E), [-3.49682e-06, 3.49685e-06]) *).
Proof.
 intros h0.
 assert (h1 := l24 h0).
 assert (h2 := l31 h0).
 apply t20. exact h1. exact h2.
Qed.
Lemma t21 : p4 -> p22 -> p21.
Proof.
 intros h0 h1.
 refine (compose _r r9 r16 i4 i18 i17 h0 h1 _) ; finalize.
Qed.
Lemma l22 : s1 -> p21 (* REL(r, 1 / (1 + E), [-3.67563e-06, 3.67566e-06]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 assert (h2 := l23 h0).
 apply t21. exact h1. exact h2.
Qed.
Lemma t22 : p21 -> p20.
Proof.
 intros h0.
 refine (mul_filq _ _r r16 i17 h0) ; finalize.
Qed.
Lemma l21 : s1 -> p20 (* REL(x * r, x * (1 / (1 + E)), [-3.67563e-06, 3.67566e-06]) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 apply t22. exact h1.
Qed.
Lemma t23 : p7 -> p20 -> p6.
Proof.
 intros h0 h1.
 refine (compose _y r14 r15 i7 i17 i6 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p6 (* REL(y, x * (1 / (1 + E)), [-3.73524e-06, 3.73526e-06]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l21 h0).
 apply t23. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i5)) Tfalse (Arel 0%nat 1%nat i6) (List.cons _y (List.cons r15 List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
