Require Import Gappa.Gappa_library.
Section Generated_by_Gappa.
Variable _S : R.
Definition f1 := Float2 (1) (-48).
Definition f2 := Float2 (4190209) (26).
Definition i1 := makepairF f1 f2.
Notation p1 := (BND _S i1). (* BND(S, [3.55271e-15, 2.812e+14]) *)
Variable _n : R.
Definition f3 := Float2 (1) (0).
Definition f4 := Float2 (1) (16).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND _n i2). (* BND(n, [1, 65536]) *)
Definition s4 := (p1 /\ p2).
Variable _eps : R.
Definition f5 := Float2 (1) (-30).
Definition i3 := makepairF f5 f3.
Notation p3 := (BND _eps i3). (* BND(eps, [9.31323e-10, 1]) *)
Definition s3 := (s4 /\ p3).
Variable _S_ : R.
Notation _Sh := ((rounding_float rndNE (24)%positive (-149)%Z) _S_).
Definition f6 := Float2 (-1161102549607181) (-66).
Definition f7 := Float2 (1161102549607181) (-66).
Definition i4 := makepairF f6 f7.
Notation p4 := (REL _Sh _S i4). (* REL(Sh, S, [-1.57359e-05, 1.57359e-05]) *)
Definition s2 := (s3 /\ p4).
Notation r9 := ((_Sh / _n)%R).
Notation _mh := ((rounding_float rndNE (24)%positive (-149)%Z) r9).
Notation r7 := ((_mh + _eps)%R).
Notation _vh := ((rounding_float rndNE (24)%positive (-149)%Z) r7).
Notation r11 := ((_S / _n)%R).
Notation _V := ((r11 + _eps)%R).
Definition f8 := Float2 (-292474730127153) (-64).
Definition f9 := Float2 (292474730127153) (-64).
Definition i5 := makepairF f8 f9.
Notation p5 := (REL _vh _V i5). (* REL(vh, V, [-1.58551e-05, 1.58551e-05]) *)
Definition s5 := (not p5).
Definition s1 := (s2 /\ s5).
Lemma l2 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f10 := Float2 (-37436752126497251) (-71).
Definition f11 := Float2 (299494088014271273) (-74).
Definition i6 := makepairF f10 f11.
Notation p6 := (REL _vh _V i6). (* REL(vh, V, [-1.58551e-05, 1.58551e-05]) *)
Definition f12 := Float2 (-1) (-24).
Definition f13 := Float2 (1) (-24).
Definition i7 := makepairF f12 f13.
Notation p7 := (REL _vh r7 i7). (* REL(vh, mh + eps, [-5.96046e-08, 5.96046e-08]) *)
Definition f14 := Float2 (1) (48).
Definition i8 := makepairF f5 f14.
Notation p8 := (ABS r7 i8). (* ABS(mh + eps, [9.31323e-10, 2.81475e+14]) *)
Notation p9 := (BND r7 i8). (* BND(mh + eps, [9.31323e-10, 2.81475e+14]) *)
Definition f15 := Float2 (1) (-65).
Definition f16 := Float2 (2047) (37).
Definition i9 := makepairF f15 f16.
Notation p10 := (BND _mh i9). (* BND(mh, [2.71051e-20, 2.81338e+14]) *)
Notation p11 := (BND r9 i9). (* BND(Sh / n, [2.71051e-20, 2.81338e+14]) *)
Definition f17 := Float2 (1) (-49).
Definition i10 := makepairF f17 f16.
Notation p12 := (BND _Sh i10). (* BND(Sh, [1.77636e-15, 2.81338e+14]) *)
Lemma l13 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l12 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l13 h0).
 exact (proj1 h1).
Qed.
Lemma l11 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := l12 h0).
 exact (proj1 h1).
Qed.
Lemma l10 : s1 -> p1 (* BND(S, [3.55271e-15, 2.812e+14]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj1 h1).
Qed.
Lemma l14 : s1 -> p4 (* REL(Sh, S, [-1.57359e-05, 1.57359e-05]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 exact (proj2 h1).
Qed.
Definition f18 := Float2 (4093) (36).
Definition i11 := makepairF f1 f18.
Notation p13 := (BND _S i11). (* BND(S, [3.55271e-15, 2.81269e+14]) *)
Definition f19 := Float2 (-1) (-1).
Definition f20 := Float2 (1) (-12).
Definition i12 := makepairF f19 f20.
Notation p14 := (REL _Sh _S i12). (* REL(Sh, S, [-0.5, 0.000244141]) *)
Lemma t1 : p13 -> p14 -> p12.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _Sh _S i11 i12 i10 h0 h1 _) ; finalize.
Qed.
Lemma l9 : s1 -> p12 (* BND(Sh, [1.77636e-15, 2.81338e+14]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 assert (h2 := l14 h0).
 apply t1. refine (subset _S i1 i11 h1 _) ; finalize. refine (rel_subset _Sh _S i4 i12 h2 _) ; finalize.
Qed.
Lemma l15 : s1 -> p2 (* BND(n, [1, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l11 h0).
 exact (proj2 h1).
Qed.
Lemma t2 : p12 -> p2 -> p11.
Proof.
 intros h0 h1.
 refine (div_pp _Sh _n i10 i2 i9 h0 h1 _) ; finalize.
Qed.
Lemma l8 : s1 -> p11 (* BND(Sh / n, [2.71051e-20, 2.81338e+14]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 assert (h2 := l15 h0).
 apply t2. exact h1. exact h2.
Qed.
Lemma t3 : p11 -> p10.
Proof.
 intros h0.
 refine (float_round_ne _ _ r9 i9 i9 h0 _) ; finalize.
Qed.
Lemma l7 : s1 -> p10 (* BND(mh, [2.71051e-20, 2.81338e+14]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 apply t3. exact h1.
Qed.
Lemma l16 : s1 -> p3 (* BND(eps, [9.31323e-10, 1]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 exact (proj2 h1).
Qed.
Lemma t4 : p10 -> p3 -> p9.
Proof.
 intros h0 h1.
 refine (add _mh _eps i9 i3 i8 h0 h1 _) ; finalize.
Qed.
Lemma l6 : s1 -> p9 (* BND(mh + eps, [9.31323e-10, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 assert (h2 := l16 h0).
 apply t4. exact h1. exact h2.
Qed.
Lemma t5 : p9 -> p8.
Proof.
 intros h0.
 refine (abs_of_bnd_p r7 i8 i8 h0 _) ; finalize.
Qed.
Lemma l5 : s1 -> p8 (* ABS(mh + eps, [9.31323e-10, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 apply t5. exact h1.
Qed.
Lemma t6 : p8 -> p7.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r7 i8 i7 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p7 (* REL(vh, mh + eps, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t6. exact h1.
Qed.
Definition f21 := Float2 (-74592033722315519) (-72).
Definition f22 := Float2 (596736340646599689) (-75).
Definition i13 := makepairF f21 f22.
Notation p15 := (REL r7 _V i13). (* REL(mh + eps, V, [-1.57955e-05, 1.57955e-05]) *)
Notation p16 := (REL _mh r11 i13). (* REL(mh, S / n, [-1.57955e-05, 1.57955e-05]) *)
Notation p17 := (REL _mh r9 i7). (* REL(mh, Sh / n, [-5.96046e-08, 5.96046e-08]) *)
Definition i14 := makepairF f15 f14.
Notation p18 := (ABS r9 i14). (* ABS(Sh / n, [2.71051e-20, 2.81475e+14]) *)
Definition i15 := makepairF f17 f14.
Notation p19 := (ABS _Sh i15). (* ABS(Sh, [1.77636e-15, 2.81475e+14]) *)
Notation p20 := (BND _Sh i15). (* BND(Sh, [1.77636e-15, 2.81475e+14]) *)
Lemma t7 : p20 -> p19.
Proof.
 intros h0.
 refine (abs_of_bnd_p _Sh i15 i15 h0 _) ; finalize.
Qed.
Lemma l21 : s1 -> p19 (* ABS(Sh, [1.77636e-15, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 apply t7. refine (subset _Sh i10 i15 h1 _) ; finalize.
Qed.
Notation p21 := (ABS _n i2). (* ABS(n, [1, 65536]) *)
Lemma t8 : p2 -> p21.
Proof.
 intros h0.
 refine (abs_of_bnd_p _n i2 i2 h0 _) ; finalize.
Qed.
Lemma l22 : s1 -> p21 (* ABS(n, [1, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l15 h0).
 apply t8. exact h1.
Qed.
Lemma t9 : p19 -> p21 -> p18.
Proof.
 intros h0 h1.
 refine (div_aa _Sh _n i15 i2 i14 h0 h1 _) ; finalize.
Qed.
Lemma l20 : s1 -> p18 (* ABS(Sh / n, [2.71051e-20, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l22 h0).
 apply t9. exact h1. exact h2.
Qed.
Lemma t10 : p18 -> p17.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r9 i14 i7 h0 _) ; finalize.
Qed.
Lemma l19 : s1 -> p17 (* REL(mh, Sh / n, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 apply t10. exact h1.
Qed.
Notation p22 := (REL r9 r11 i4). (* REL(Sh / n, S / n, [-1.57359e-05, 1.57359e-05]) *)
Lemma t11 : p4 -> p22.
Proof.
 intros h0.
 refine (div_firq _Sh _ _S i4 h0) ; finalize.
Qed.
Lemma l23 : s1 -> p22 (* REL(Sh / n, S / n, [-1.57359e-05, 1.57359e-05]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 apply t11. exact h1.
Qed.
Lemma t12 : p17 -> p22 -> p16.
Proof.
 intros h0 h1.
 refine (compose _mh r9 r11 i7 i4 i13 h0 h1 _) ; finalize.
Qed.
Lemma l18 : s1 -> p16 (* REL(mh, S / n, [-1.57955e-05, 1.57955e-05]) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 assert (h2 := l23 h0).
 apply t12. exact h1. exact h2.
Qed.
Definition f23 := Float2 (0) (0).
Definition i16 := makepairF f23 f23.
Notation p23 := (REL _eps _eps i16). (* REL(eps, eps, [0, 0]) *)
Lemma t13 : p23.
Proof.
 refine (rel_refl _eps i16 _) ; finalize.
Qed.
Lemma l24 : s1 -> p23 (* REL(eps, eps, [0, 0]) *).
Proof.
 intros h0.
 apply t13.
Qed.
Notation r12 := ((r11 / _V)%R).
Definition i17 := makepairF f15 f3.
Notation p24 := (BND r12 i17). (* BND(S / n / V, [2.71051e-20, 1]) *)
Notation p25 := (NZR r11). (* NZR(S / n) *)
Notation p26 := (NZR _S). (* NZR(S) *)
Definition i18 := makepairF f1 f14.
Notation p27 := (ABS _S i18). (* ABS(S, [3.55271e-15, 2.81475e+14]) *)
Notation p28 := (BND _S i18). (* BND(S, [3.55271e-15, 2.81475e+14]) *)
Lemma t14 : p28 -> p27.
Proof.
 intros h0.
 refine (abs_of_bnd_p _S i18 i18 h0 _) ; finalize.
Qed.
Lemma l28 : s1 -> p27 (* ABS(S, [3.55271e-15, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 apply t14. refine (subset _S i1 i18 h1 _) ; finalize.
Qed.
Lemma t15 : p27 -> p26.
Proof.
 intros h0.
 refine (nzr_of_abs _S i18 h0 _) ; finalize.
Qed.
Lemma l27 : s1 -> p26 (* NZR(S) *).
Proof.
 intros h0.
 assert (h1 := l28 h0).
 apply t15. exact h1.
Qed.
Notation p29 := (NZR _n). (* NZR(n) *)
Lemma t16 : p21 -> p29.
Proof.
 intros h0.
 refine (nzr_of_abs _n i2 h0 _) ; finalize.
Qed.
Lemma l29 : s1 -> p29 (* NZR(n) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 apply t16. exact h1.
Qed.
Lemma t17 : p26 -> p29 -> p25.
Proof.
 intros h0 h1.
 refine (div_nzr _S _n h0 h1) ; finalize.
Qed.
Lemma l26 : s1 -> p25 (* NZR(S / n) *).
Proof.
 intros h0.
 assert (h1 := l27 h0).
 assert (h2 := l29 h0).
 apply t17. exact h1. exact h2.
Qed.
Notation p30 := (NZR _V). (* NZR(V) *)
Notation p31 := (ABS _V i8). (* ABS(V, [9.31323e-10, 2.81475e+14]) *)
Notation p32 := (BND _V i8). (* BND(V, [9.31323e-10, 2.81475e+14]) *)
Definition f24 := Float2 (1) (-64).
Definition i19 := makepairF f24 f16.
Notation p33 := (BND r11 i19). (* BND(S / n, [5.42101e-20, 2.81338e+14]) *)
Definition i20 := makepairF f1 f16.
Notation p34 := (BND _S i20). (* BND(S, [3.55271e-15, 2.81338e+14]) *)
Lemma t18 : p34 -> p2 -> p33.
Proof.
 intros h0 h1.
 refine (div_pp _S _n i20 i2 i19 h0 h1 _) ; finalize.
Qed.
Lemma l33 : s1 -> p33 (* BND(S / n, [5.42101e-20, 2.81338e+14]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 assert (h2 := l15 h0).
 apply t18. refine (subset _S i1 i20 h1 _) ; finalize. exact h2.
Qed.
Lemma t19 : p33 -> p3 -> p32.
Proof.
 intros h0 h1.
 refine (add r11 _eps i19 i3 i8 h0 h1 _) ; finalize.
Qed.
Lemma l32 : s1 -> p32 (* BND(V, [9.31323e-10, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l33 h0).
 assert (h2 := l16 h0).
 apply t19. exact h1. exact h2.
Qed.
Lemma t20 : p32 -> p31.
Proof.
 intros h0.
 refine (abs_of_bnd_p _V i8 i8 h0 _) ; finalize.
Qed.
Lemma l31 : s1 -> p31 (* ABS(V, [9.31323e-10, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l32 h0).
 apply t20. exact h1.
Qed.
Lemma t21 : p31 -> p30.
Proof.
 intros h0.
 refine (nzr_of_abs _V i8 h0 _) ; finalize.
Qed.
Lemma l30 : s1 -> p30 (* NZR(V) *).
Proof.
 intros h0.
 assert (h1 := l31 h0).
 apply t21. exact h1.
Qed.
Notation r14 := (Float1 (1)).
Notation r16 := ((_eps / r11)%R).
Notation r15 := ((r14 + r16)%R).
Notation r13 := ((r14 / r15)%R).
Notation p35 := (BND r13 i17). (* BND(1 / (1 + eps / (S / n)), [2.71051e-20, 1]) *)
Definition i21 := makepairF f3 f3.
Notation p36 := (BND r14 i21). (* BND(1, [1, 1]) *)
Lemma t22 : p36.
Proof.
 refine (constant1 _ i21 _) ; finalize.
Qed.
Lemma l35 : s1 -> p36 (* BND(1, [1, 1]) *).
Proof.
 intros h0.
 apply t22.
Qed.
Definition f25 := Float2 (1) (65).
Definition i22 := makepairF f3 f25.
Notation p37 := (BND r15 i22). (* BND(1 + eps / (S / n), [1, 3.68935e+19]) *)
Definition f26 := Float2 (1) (-78).
Definition f27 := Float2 (1) (64).
Definition i23 := makepairF f26 f27.
Notation p38 := (BND r16 i23). (* BND(eps / (S / n), [3.30872e-24, 1.84467e+19]) *)
Definition i24 := makepairF f24 f14.
Notation p39 := (BND r11 i24). (* BND(S / n, [5.42101e-20, 2.81475e+14]) *)
Lemma t23 : p3 -> p39 -> p38.
Proof.
 intros h0 h1.
 refine (div_pp _eps r11 i3 i24 i23 h0 h1 _) ; finalize.
Qed.
Lemma l37 : s1 -> p38 (* BND(eps / (S / n), [3.30872e-24, 1.84467e+19]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 assert (h2 := l33 h0).
 apply t23. exact h1. refine (subset r11 i19 i24 h2 _) ; finalize.
Qed.
Lemma t24 : p36 -> p38 -> p37.
Proof.
 intros h0 h1.
 refine (add r14 r16 i21 i23 i22 h0 h1 _) ; finalize.
Qed.
Lemma l36 : s1 -> p37 (* BND(1 + eps / (S / n), [1, 3.68935e+19]) *).
Proof.
 intros h0.
 assert (h1 := l35 h0).
 assert (h2 := l37 h0).
 apply t24. exact h1. exact h2.
Qed.
Lemma t25 : p36 -> p37 -> p35.
Proof.
 intros h0 h1.
 refine (div_pp r14 r15 i21 i22 i17 h0 h1 _) ; finalize.
Qed.
Lemma l34 : s1 -> p35 (* BND(1 / (1 + eps / (S / n)), [2.71051e-20, 1]) *).
Proof.
 intros h0.
 assert (h1 := l35 h0).
 assert (h2 := l36 h0).
 apply t25. exact h1. exact h2.
Qed.
Lemma t26 : p25 -> p30 -> p35 -> p24.
Proof.
 intros h0 h1 h2.
 refine (addf_1 r11 _ i17 h0 h1 h2) ; finalize.
Qed.
Lemma l25 : s1 -> p24 (* BND(S / n / V, [2.71051e-20, 1]) *).
Proof.
 intros h0.
 assert (h1 := l26 h0).
 assert (h2 := l30 h0).
 assert (h3 := l34 h0).
 apply t26. exact h1. exact h2. exact h3.
Qed.
Lemma t27 : p16 -> p23 -> p24 -> p30 -> p15.
Proof.
 intros h0 h1 h2 h3.
 refine (add_rr _mh r11 _eps _eps i13 i16 i17 i13 h0 h1 h2 h3 _) ; finalize.
Qed.
Lemma l17 : s1 -> p15 (* REL(mh + eps, V, [-1.57955e-05, 1.57955e-05]) *).
Proof.
 intros h0.
 assert (h1 := l18 h0).
 assert (h2 := l24 h0).
 assert (h3 := l25 h0).
 assert (h4 := l30 h0).
 apply t27. exact h1. exact h2. exact h3. exact h4.
Qed.
Lemma t28 : p7 -> p15 -> p6.
Proof.
 intros h0 h1.
 refine (compose _vh r7 _V i7 i13 i6 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p6 (* REL(vh, V, [-1.58551e-05, 1.58551e-05]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l17 h0).
 apply t28. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i5)) Tfalse (Arel 0%nat 1%nat i6) (List.cons _vh (List.cons _V List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
