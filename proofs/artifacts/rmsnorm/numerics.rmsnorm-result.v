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
Definition s7 := (p1 /\ p2).
Variable _eps : R.
Definition f5 := Float2 (1) (-30).
Definition i3 := makepairF f5 f3.
Notation p3 := (BND _eps i3). (* BND(eps, [9.31323e-10, 1]) *)
Definition s6 := (s7 /\ p3).
Variable _S_ : R.
Notation _Sh := ((rounding_float rndNE (24)%positive (-149)%Z) _S_).
Definition f6 := Float2 (-1161102549607181) (-66).
Definition f7 := Float2 (1161102549607181) (-66).
Definition i4 := makepairF f6 f7.
Notation p4 := (REL _Sh _S i4). (* REL(Sh, S, [-1.57359e-05, 1.57359e-05]) *)
Definition s5 := (s6 /\ p4).
Variable _x_ : R.
Notation _x := ((rounding_float rndNE (11)%positive (-24)%Z) _x_).
Notation r6 := ((Rabs _x)%R).
Definition f8 := Float2 (1) (-24).
Definition f9 := Float2 (2047) (5).
Definition i5 := makepairF f8 f9.
Notation p5 := (BND r6 i5). (* BND(|x|, [5.96046e-08, 65504]) *)
Definition s4 := (s5 /\ p5).
Variable _w_ : R.
Notation _w := ((rounding_float rndNE (11)%positive (-24)%Z) _w_).
Notation r9 := ((Rabs _w)%R).
Notation p6 := (BND r9 i5). (* BND(|w|, [5.96046e-08, 65504]) *)
Definition s3 := (s4 /\ p6).
Variable _r_ : R.
Notation _r := ((rounding_float rndNE (24)%positive (-149)%Z) _r_).
Notation r15 := (Float1 (1)).
Notation r20 := ((_Sh / _n)%R).
Notation _mh := ((rounding_float rndNE (24)%positive (-149)%Z) r20).
Notation r18 := ((_mh + _eps)%R).
Notation _vh := ((rounding_float rndNE (24)%positive (-149)%Z) r18).
Notation r16 := ((sqrt _vh)%R).
Notation r14 := ((r15 / r16)%R).
Definition f10 := Float2 (-1206709641626017) (-73).
Definition f11 := Float2 (1206709641626017) (-73).
Definition i6 := makepairF f10 f11.
Notation p7 := (REL _r r14 i6). (* REL(r, 1 / sqrt(vh), [-1.27765e-07, 1.27765e-07]) *)
Definition s2 := (s3 /\ p7).
Notation r24 := ((_x * _r)%R).
Notation r23 := ((rounding_float rndNE (24)%positive (-149)%Z) r24).
Notation r22 := ((r23 * _w)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r22).
Notation r30 := ((_S / _n)%R).
Notation _V := ((r30 + _eps)%R).
Notation r28 := ((sqrt _V)%R).
Notation r27 := ((r15 / r28)%R).
Notation r26 := ((_x * r27)%R).
Notation r25 := ((r26 * _w)%R).
Definition f12 := Float2 (-603182392632201) (-66).
Definition f13 := Float2 (603182392632201) (-66).
Definition i7 := makepairF f12 f13.
Notation p8 := (REL _y r25 i7). (* REL(y, x * (1 / sqrt(V)) * w, [-8.17465e-06, 8.17465e-06]) *)
Definition s8 := (not p8).
Definition s1 := (s2 /\ s8).
Lemma l2 : s1 -> s8.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f14 := Float2 (-308820890200909857) (-75).
Definition f15 := Float2 (154414045653672459) (-74).
Definition i8 := makepairF f14 f15.
Notation p9 := (REL _y r25 i8). (* REL(y, x * (1 / sqrt(V)) * w, [-8.17442e-06, 8.17461e-06]) *)
Definition f16 := Float2 (-1) (-24).
Definition i9 := makepairF f16 f8.
Notation p10 := (REL _y r22 i9). (* REL(y, float<24,-149,ne>(x * r) * w, [-5.96046e-08, 5.96046e-08]) *)
Notation p11 := (FIX r22 (-95)). (* FIX(float<24,-149,ne>(x * r) * w, -95) *)
Notation p12 := (FIX r23 (-71)). (* FIX(float<24,-149,ne>(x * r), -71) *)
Notation p13 := (FIX r24 (-71)). (* FIX(x * r, -71) *)
Notation p14 := (FIX _x (-24)). (* FIX(x, -24) *)
Lemma t1 : p14.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l8 : s1 -> p14 (* FIX(x, -24) *).
Proof.
 intros h0.
 apply t1.
Qed.
Notation p15 := (FIX _r (-47)). (* FIX(r, -47) *)
Notation p16 := (FLT _r (24)). (* FLT(r, 24) *)
Lemma t2 : p16.
Proof.
 refine (flt_of_float _ _ _ (24) _ _) ; finalize.
Qed.
Lemma l10 : s1 -> p16 (* FLT(r, 24) *).
Proof.
 intros h0.
 apply t2.
Qed.
Definition f17 := Float2 (2049) (4).
Definition i10 := makepairF f8 f17.
Notation p17 := (ABS _r i10). (* ABS(r, [5.96046e-08, 32784]) *)
Notation p18 := (BND _r i10). (* BND(r, [5.96046e-08, 32784]) *)
Definition f18 := Float2 (4097) (-36).
Definition f19 := Float2 (1) (15).
Definition i11 := makepairF f18 f19.
Notation p19 := (BND r14 i11). (* BND(1 / sqrt(vh), [5.96192e-08, 32768]) *)
Definition i12 := makepairF f3 f3.
Notation p20 := (BND r15 i12). (* BND(1, [1, 1]) *)
Lemma t3 : p20.
Proof.
 refine (constant1 _ i12 _) ; finalize.
Qed.
Lemma l14 : s1 -> p20 (* BND(1, [1, 1]) *).
Proof.
 intros h0.
 apply t3.
Qed.
Definition f20 := Float2 (1) (-15).
Definition f21 := Float2 (4095) (12).
Definition i13 := makepairF f20 f21.
Notation p21 := (BND r16 i13). (* BND(sqrt(vh), [3.05176e-05, 1.67731e+07]) *)
Definition f22 := Float2 (4190275) (26).
Definition i14 := makepairF f5 f22.
Notation p22 := (BND _vh i14). (* BND(vh, [9.31323e-10, 2.81205e+14]) *)
Definition f23 := Float2 (33522201) (23).
Definition i15 := makepairF f5 f23.
Notation p23 := (BND r18 i15). (* BND(mh + eps, [9.31323e-10, 2.81205e+14]) *)
Definition f24 := Float2 (1) (-65).
Definition i16 := makepairF f24 f22.
Notation p24 := (BND _mh i16). (* BND(mh, [2.71051e-20, 2.81205e+14]) *)
Notation p25 := (BND r20 i16). (* BND(Sh / n, [2.71051e-20, 2.81205e+14]) *)
Definition f25 := Float2 (1) (-49).
Definition i17 := makepairF f25 f22.
Notation p26 := (BND _Sh i17). (* BND(Sh, [1.77636e-15, 2.81205e+14]) *)
Lemma l27 : s1 -> s2.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj1 h1).
Qed.
Lemma l26 : s1 -> s3.
Proof.
 intros h0.
 assert (h1 := l27 h0).
 exact (proj1 h1).
Qed.
Lemma l25 : s1 -> s4.
Proof.
 intros h0.
 assert (h1 := l26 h0).
 exact (proj1 h1).
Qed.
Lemma l24 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := l25 h0).
 exact (proj1 h1).
Qed.
Lemma l23 : s1 -> s6.
Proof.
 intros h0.
 assert (h1 := l24 h0).
 exact (proj1 h1).
Qed.
Lemma l22 : s1 -> s7.
Proof.
 intros h0.
 assert (h1 := l23 h0).
 exact (proj1 h1).
Qed.
Lemma l21 : s1 -> p1 (* BND(S, [3.55271e-15, 2.812e+14]) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 exact (proj1 h1).
Qed.
Lemma l28 : s1 -> p4 (* REL(Sh, S, [-1.57359e-05, 1.57359e-05]) *).
Proof.
 intros h0.
 assert (h1 := l24 h0).
 exact (proj2 h1).
Qed.
Definition f26 := Float2 (-1) (-1).
Definition f27 := Float2 (1057) (-26).
Definition i18 := makepairF f26 f27.
Notation p27 := (REL _Sh _S i18). (* REL(Sh, S, [-0.5, 1.57505e-05]) *)
Lemma t4 : p1 -> p27 -> p26.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _Sh _S i1 i18 i17 h0 h1 _) ; finalize.
Qed.
Lemma l20 : s1 -> p26 (* BND(Sh, [1.77636e-15, 2.81205e+14]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l28 h0).
 apply t4. exact h1. refine (rel_subset _Sh _S i4 i18 h2 _) ; finalize.
Qed.
Lemma l29 : s1 -> p2 (* BND(n, [1, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 exact (proj2 h1).
Qed.
Lemma t5 : p26 -> p2 -> p25.
Proof.
 intros h0 h1.
 refine (div_pp _Sh _n i17 i2 i16 h0 h1 _) ; finalize.
Qed.
Lemma l19 : s1 -> p25 (* BND(Sh / n, [2.71051e-20, 2.81205e+14]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 assert (h2 := l29 h0).
 apply t5. exact h1. exact h2.
Qed.
Lemma t6 : p25 -> p24.
Proof.
 intros h0.
 refine (float_round_ne _ _ r20 i16 i16 h0 _) ; finalize.
Qed.
Lemma l18 : s1 -> p24 (* BND(mh, [2.71051e-20, 2.81205e+14]) *).
Proof.
 intros h0.
 assert (h1 := l19 h0).
 apply t6. exact h1.
Qed.
Lemma l30 : s1 -> p3 (* BND(eps, [9.31323e-10, 1]) *).
Proof.
 intros h0.
 assert (h1 := l23 h0).
 exact (proj2 h1).
Qed.
Lemma t7 : p24 -> p3 -> p23.
Proof.
 intros h0 h1.
 refine (add _mh _eps i16 i3 i15 h0 h1 _) ; finalize.
Qed.
Lemma l17 : s1 -> p23 (* BND(mh + eps, [9.31323e-10, 2.81205e+14]) *).
Proof.
 intros h0.
 assert (h1 := l18 h0).
 assert (h2 := l30 h0).
 apply t7. exact h1. exact h2.
Qed.
Lemma t8 : p23 -> p22.
Proof.
 intros h0.
 refine (float_round_ne _ _ r18 i15 i14 h0 _) ; finalize.
Qed.
Lemma l16 : s1 -> p22 (* BND(vh, [9.31323e-10, 2.81205e+14]) *).
Proof.
 intros h0.
 assert (h1 := l17 h0).
 apply t8. exact h1.
Qed.
Definition f28 := Float2 (2047) (37).
Definition i19 := makepairF f5 f28.
Notation p28 := (BND _vh i19). (* BND(vh, [9.31323e-10, 2.81338e+14]) *)
Lemma t9 : p28 -> p21.
Proof.
 intros h0.
 refine (sqrtG _vh i19 i13 h0 _) ; finalize.
Qed.
Lemma l15 : s1 -> p21 (* BND(sqrt(vh), [3.05176e-05, 1.67731e+07]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t9. refine (subset _vh i14 i19 h1 _) ; finalize.
Qed.
Lemma t10 : p20 -> p21 -> p19.
Proof.
 intros h0 h1.
 refine (div_pp r15 r16 i12 i13 i11 h0 h1 _) ; finalize.
Qed.
Lemma l13 : s1 -> p19 (* BND(1 / sqrt(vh), [5.96192e-08, 32768]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l15 h0).
 apply t10. exact h1. exact h2.
Qed.
Lemma l31 : s1 -> p7 (* REL(r, 1 / sqrt(vh), [-1.27765e-07, 1.27765e-07]) *).
Proof.
 intros h0.
 assert (h1 := l27 h0).
 exact (proj2 h1).
Qed.
Definition f29 := Float2 (-1) (-13).
Definition f30 := Float2 (1) (-11).
Definition i20 := makepairF f29 f30.
Notation p29 := (REL _r r14 i20). (* REL(r, 1 / sqrt(vh), [-0.00012207, 0.000488281]) *)
Lemma t11 : p19 -> p29 -> p18.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _r r14 i11 i20 i10 h0 h1 _) ; finalize.
Qed.
Lemma l12 : s1 -> p18 (* BND(r, [5.96046e-08, 32784]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 assert (h2 := l31 h0).
 apply t11. exact h1. refine (rel_subset _r r14 i6 i20 h2 _) ; finalize.
Qed.
Lemma t12 : p18 -> p17.
Proof.
 intros h0.
 refine (abs_of_bnd_p _r i10 i10 h0 _) ; finalize.
Qed.
Lemma l11 : s1 -> p17 (* ABS(r, [5.96046e-08, 32784]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 apply t12. exact h1.
Qed.
Definition i21 := makepairF f8 f4.
Notation p30 := (ABS _r i21). (* ABS(r, [5.96046e-08, 65536]) *)
Lemma t13 : p16 -> p30 -> p15.
Proof.
 intros h0 h1.
 refine (fix_of_flt_bnd _r i21 (-47) (24) h0 h1 _) ; finalize.
Qed.
Lemma l9 : s1 -> p15 (* FIX(r, -47) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 assert (h2 := l11 h0).
 apply t13. exact h1. refine (abs_subset _r i10 i21 h2 _) ; finalize.
Qed.
Lemma t14 : p14 -> p15 -> p13.
Proof.
 intros h0 h1.
 refine (mul_fix _x _r (-24) (-47) (-71) h0 h1 _) ; finalize.
Qed.
Lemma l7 : s1 -> p13 (* FIX(x * r, -71) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 assert (h2 := l9 h0).
 apply t14. exact h1. exact h2.
Qed.
Lemma t15 : p13 -> p12.
Proof.
 intros h0.
 refine (fix_float_of_fix _ _ _ (-71) (-71) r24 h0 _) ; finalize.
Qed.
Lemma l6 : s1 -> p12 (* FIX(float<24,-149,ne>(x * r), -71) *).
Proof.
 intros h0.
 assert (h1 := l7 h0).
 apply t15. exact h1.
Qed.
Notation p31 := (FIX _w (-24)). (* FIX(w, -24) *)
Lemma t16 : p31.
Proof.
 refine (fix_of_float _ _ _ _ (-24) _) ; finalize.
Qed.
Lemma l32 : s1 -> p31 (* FIX(w, -24) *).
Proof.
 intros h0.
 apply t16.
Qed.
Lemma t17 : p12 -> p31 -> p11.
Proof.
 intros h0 h1.
 refine (mul_fix r23 _w (-71) (-24) (-95) h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p11 (* FIX(float<24,-149,ne>(x * r) * w, -95) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l32 h0).
 apply t17. exact h1. exact h2.
Qed.
Lemma t18 : p11 -> p10.
Proof.
 intros h0.
 refine (rel_of_fix_float_ne _ _ (-95) r22 i9 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p10 (* REL(y, float<24,-149,ne>(x * r) * w, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t18. exact h1.
Qed.
Definition f31 := Float2 (-613138217320334859) (-76).
Definition f32 := Float2 (19161017076268113) (-71).
Definition i22 := makepairF f31 f32.
Notation p32 := (REL r22 r25 i22). (* REL(float<24,-149,ne>(x * r) * w, x * (1 / sqrt(V)) * w, [-8.11482e-06, 8.11501e-06]) *)
Notation p33 := (REL r23 r26 i22). (* REL(float<24,-149,ne>(x * r), x * (1 / sqrt(V)), [-8.11482e-06, 8.11501e-06]) *)
Notation p34 := (REL r23 r24 i9). (* REL(float<24,-149,ne>(x * r), x * r, [-5.96046e-08, 5.96046e-08]) *)
Definition f33 := Float2 (1) (31).
Definition i23 := makepairF f1 f33.
Notation p35 := (ABS r24 i23). (* ABS(x * r, [3.55271e-15, 2.14748e+09]) *)
Notation p36 := (ABS _x i5). (* ABS(x, [5.96046e-08, 65504]) *)
Lemma l38 : s1 -> p5 (* BND(|x|, [5.96046e-08, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l25 h0).
 exact (proj2 h1).
Qed.
Lemma t19 : p5 -> p36.
Proof.
 intros h0.
 refine (abs_of_uabs _x i5 h0 _) ; finalize.
Qed.
Lemma l37 : s1 -> p36 (* ABS(x, [5.96046e-08, 65504]) *).
Proof.
 intros h0.
 assert (h1 := l38 h0).
 apply t19. exact h1.
Qed.
Lemma t20 : p36 -> p17 -> p35.
Proof.
 intros h0 h1.
 refine (mul_aa _x _r i5 i10 i23 h0 h1 _) ; finalize.
Qed.
Lemma l36 : s1 -> p35 (* ABS(x * r, [3.55271e-15, 2.14748e+09]) *).
Proof.
 intros h0.
 assert (h1 := l37 h0).
 assert (h2 := l11 h0).
 apply t20. exact h1. exact h2.
Qed.
Lemma t21 : p35 -> p34.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r24 i23 i9 h0 _) ; finalize.
Qed.
Lemma l35 : s1 -> p34 (* REL(float<24,-149,ne>(x * r), x * r, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l36 h0).
 apply t21. exact h1.
Qed.
Definition f34 := Float2 (-304317326985208355) (-75).
Definition f35 := Float2 (304324455267453507) (-75).
Definition i24 := makepairF f34 f35.
Notation p37 := (REL r24 r26 i24). (* REL(x * r, x * (1 / sqrt(V)), [-8.05521e-06, 8.0554e-06]) *)
Notation p38 := (REL _r r27 i24). (* REL(r, 1 / sqrt(V), [-8.05521e-06, 8.0554e-06]) *)
Definition f36 := Float2 (-299490526683217157) (-75).
Definition f37 := Float2 (299497578435535599) (-75).
Definition i25 := makepairF f36 f37.
Notation p39 := (REL r14 r27 i25). (* REL(1 / sqrt(vh), 1 / sqrt(V), [-7.92745e-06, 7.92763e-06]) *)
Definition f38 := Float2 (-1142483536327) (-57).
Definition f39 := Float2 (2284949500257) (-58).
Definition i26 := makepairF f38 f39.
Notation p40 := (REL r16 r28 i26). (* REL(sqrt(vh), sqrt(V), [-7.92757e-06, 7.92751e-06]) *)
Notation p41 := (NZR r28). (* NZR(sqrt(V)) *)
Definition f40 := Float2 (1) (24).
Definition i27 := makepairF f20 f40.
Notation p42 := (ABS r28 i27). (* ABS(sqrt(V), [3.05176e-05, 1.67772e+07]) *)
Notation p43 := (BND r28 i27). (* BND(sqrt(V), [3.05176e-05, 1.67772e+07]) *)
Definition f41 := Float2 (17179869185) (-64).
Definition f42 := Float2 (281200165912577) (0).
Definition i28 := makepairF f41 f42.
Notation p44 := (BND _V i28). (* BND(V, [9.31323e-10, 2.812e+14]) *)
Definition f43 := Float2 (1) (-64).
Definition i29 := makepairF f43 f2.
Notation p45 := (BND r30 i29). (* BND(S / n, [5.42101e-20, 2.812e+14]) *)
Lemma t22 : p1 -> p2 -> p45.
Proof.
 intros h0 h1.
 refine (div_pp _S _n i1 i2 i29 h0 h1 _) ; finalize.
Qed.
Lemma l47 : s1 -> p45 (* BND(S / n, [5.42101e-20, 2.812e+14]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l29 h0).
 apply t22. exact h1. exact h2.
Qed.
Lemma t23 : p45 -> p3 -> p44.
Proof.
 intros h0 h1.
 refine (add r30 _eps i29 i3 i28 h0 h1 _) ; finalize.
Qed.
Lemma l46 : s1 -> p44 (* BND(V, [9.31323e-10, 2.812e+14]) *).
Proof.
 intros h0.
 assert (h1 := l47 h0).
 assert (h2 := l30 h0).
 apply t23. exact h1. exact h2.
Qed.
Definition f44 := Float2 (1) (48).
Definition i30 := makepairF f5 f44.
Notation p46 := (BND _V i30). (* BND(V, [9.31323e-10, 2.81475e+14]) *)
Lemma t24 : p46 -> p43.
Proof.
 intros h0.
 refine (sqrtG _V i30 i27 h0 _) ; finalize.
Qed.
Lemma l45 : s1 -> p43 (* BND(sqrt(V), [3.05176e-05, 1.67772e+07]) *).
Proof.
 intros h0.
 assert (h1 := l46 h0).
 apply t24. refine (subset _V i28 i30 h1 _) ; finalize.
Qed.
Lemma t25 : p43 -> p42.
Proof.
 intros h0.
 refine (abs_of_bnd_p r28 i27 i27 h0 _) ; finalize.
Qed.
Lemma l44 : s1 -> p42 (* ABS(sqrt(V), [3.05176e-05, 1.67772e+07]) *).
Proof.
 intros h0.
 assert (h1 := l45 h0).
 apply t25. exact h1.
Qed.
Lemma t26 : p42 -> p41.
Proof.
 intros h0.
 refine (nzr_of_abs r28 i27 h0 _) ; finalize.
Qed.
Lemma l43 : s1 -> p41 (* NZR(sqrt(V)) *).
Proof.
 intros h0.
 assert (h1 := l44 h0).
 apply t26. exact h1.
Qed.
Notation r32 := ((r16 - r28)%R).
Notation r31 := ((r32 / r28)%R).
Notation p47 := (BND r31 i26). (* BND((sqrt(vh) - sqrt(V)) / sqrt(V), [-7.92757e-06, 7.92751e-06]) *)
Notation r37 := ((_vh - _V)%R).
Notation r36 := ((r37 / _V)%R).
Notation r35 := ((r15 + r36)%R).
Notation r34 := ((sqrt r35)%R).
Notation r33 := ((r34 - r15)%R).
Notation p48 := (BND r33 i26). (* BND(sqrt(1 + (vh - V) / V) - 1, [-7.92757e-06, 7.92751e-06]) *)
Definition f45 := Float2 (144114045592319545) (-57).
Definition f46 := Float2 (288232661101212001) (-58).
Definition i31 := makepairF f45 f46.
Notation p49 := (BND r34 i31). (* BND(sqrt(1 + (vh - V) / V), [0.999992, 1.00001]) *)
Definition f47 := Float2 (1152903224942722709) (-60).
Definition f48 := Float2 (72058736517206555) (-56).
Definition i32 := makepairF f47 f48.
Notation p50 := (BND r35 i32). (* BND(1 + (vh - V) / V, [0.999984, 1.00002]) *)
Definition f49 := Float2 (-18279664124267) (-60).
Definition f50 := Float2 (1142479278619) (-56).
Definition i33 := makepairF f49 f50.
Notation p51 := (BND r36 i33). (* BND((vh - V) / V, [-1.58551e-05, 1.58551e-05]) *)
Notation p52 := (NZR _V). (* NZR(V) *)
Notation p53 := (ABS _V i30). (* ABS(V, [9.31323e-10, 2.81475e+14]) *)
Lemma t27 : p46 -> p53.
Proof.
 intros h0.
 refine (abs_of_bnd_p _V i30 i30 h0 _) ; finalize.
Qed.
Lemma l54 : s1 -> p53 (* ABS(V, [9.31323e-10, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l46 h0).
 apply t27. refine (subset _V i28 i30 h1 _) ; finalize.
Qed.
Lemma t28 : p53 -> p52.
Proof.
 intros h0.
 refine (nzr_of_abs _V i30 h0 _) ; finalize.
Qed.
Lemma l53 : s1 -> p52 (* NZR(V) *).
Proof.
 intros h0.
 assert (h1 := l54 h0).
 apply t28. exact h1.
Qed.
Notation p54 := (REL _vh _V i33). (* REL(vh, V, [-1.58551e-05, 1.58551e-05]) *)
Notation p55 := (REL _vh r18 i9). (* REL(vh, mh + eps, [-5.96046e-08, 5.96046e-08]) *)
Notation p56 := (ABS r18 i30). (* ABS(mh + eps, [9.31323e-10, 2.81475e+14]) *)
Notation p57 := (BND r18 i30). (* BND(mh + eps, [9.31323e-10, 2.81475e+14]) *)
Lemma t29 : p57 -> p56.
Proof.
 intros h0.
 refine (abs_of_bnd_p r18 i30 i30 h0 _) ; finalize.
Qed.
Lemma l57 : s1 -> p56 (* ABS(mh + eps, [9.31323e-10, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l17 h0).
 apply t29. refine (subset r18 i15 i30 h1 _) ; finalize.
Qed.
Lemma t30 : p56 -> p55.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r18 i30 i9 h0 _) ; finalize.
Qed.
Lemma l56 : s1 -> p55 (* REL(vh, mh + eps, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l57 h0).
 apply t30. exact h1.
Qed.
Definition f51 := Float2 (-36421891465975) (-61).
Definition f52 := Float2 (9105473947855) (-59).
Definition i34 := makepairF f51 f52.
Notation p58 := (REL r18 _V i34). (* REL(mh + eps, V, [-1.57955e-05, 1.57955e-05]) *)
Notation p59 := (REL _mh r30 i34). (* REL(mh, S / n, [-1.57955e-05, 1.57955e-05]) *)
Notation p60 := (REL _mh r20 i9). (* REL(mh, Sh / n, [-5.96046e-08, 5.96046e-08]) *)
Definition i35 := makepairF f24 f44.
Notation p61 := (ABS r20 i35). (* ABS(Sh / n, [2.71051e-20, 2.81475e+14]) *)
Definition i36 := makepairF f25 f44.
Notation p62 := (ABS _Sh i36). (* ABS(Sh, [1.77636e-15, 2.81475e+14]) *)
Notation p63 := (BND _Sh i36). (* BND(Sh, [1.77636e-15, 2.81475e+14]) *)
Lemma t31 : p63 -> p62.
Proof.
 intros h0.
 refine (abs_of_bnd_p _Sh i36 i36 h0 _) ; finalize.
Qed.
Lemma l62 : s1 -> p62 (* ABS(Sh, [1.77636e-15, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 apply t31. refine (subset _Sh i17 i36 h1 _) ; finalize.
Qed.
Notation p64 := (ABS _n i2). (* ABS(n, [1, 65536]) *)
Lemma t32 : p2 -> p64.
Proof.
 intros h0.
 refine (abs_of_bnd_p _n i2 i2 h0 _) ; finalize.
Qed.
Lemma l63 : s1 -> p64 (* ABS(n, [1, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l29 h0).
 apply t32. exact h1.
Qed.
Lemma t33 : p62 -> p64 -> p61.
Proof.
 intros h0 h1.
 refine (div_aa _Sh _n i36 i2 i35 h0 h1 _) ; finalize.
Qed.
Lemma l61 : s1 -> p61 (* ABS(Sh / n, [2.71051e-20, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l62 h0).
 assert (h2 := l63 h0).
 apply t33. exact h1. exact h2.
Qed.
Lemma t34 : p61 -> p60.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r20 i35 i9 h0 _) ; finalize.
Qed.
Lemma l60 : s1 -> p60 (* REL(mh, Sh / n, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l61 h0).
 apply t34. exact h1.
Qed.
Definition f53 := Float2 (-36284454675225) (-61).
Definition f54 := Float2 (36284454675225) (-61).
Definition i37 := makepairF f53 f54.
Notation p65 := (REL r20 r30 i37). (* REL(Sh / n, S / n, [-1.57359e-05, 1.57359e-05]) *)
Notation p66 := (REL _Sh _S i37). (* REL(Sh, S, [-1.57359e-05, 1.57359e-05]) *)
Lemma t35 : p66 -> p65.
Proof.
 intros h0.
 refine (div_firq _Sh _ _S i37 h0) ; finalize.
Qed.
Lemma l64 : s1 -> p65 (* REL(Sh / n, S / n, [-1.57359e-05, 1.57359e-05]) *).
Proof.
 intros h0.
 assert (h1 := l28 h0).
 apply t35. refine (rel_subset _Sh _S i4 i37 h1 _) ; finalize.
Qed.
Lemma t36 : p60 -> p65 -> p59.
Proof.
 intros h0 h1.
 refine (compose _mh r20 r30 i9 i37 i34 h0 h1 _) ; finalize.
Qed.
Lemma l59 : s1 -> p59 (* REL(mh, S / n, [-1.57955e-05, 1.57955e-05]) *).
Proof.
 intros h0.
 assert (h1 := l60 h0).
 assert (h2 := l64 h0).
 apply t36. exact h1. exact h2.
Qed.
Definition f55 := Float2 (0) (0).
Definition i38 := makepairF f55 f55.
Notation p67 := (REL _eps _eps i38). (* REL(eps, eps, [0, 0]) *)
Lemma t37 : p67.
Proof.
 refine (rel_refl _eps i38 _) ; finalize.
Qed.
Lemma l65 : s1 -> p67 (* REL(eps, eps, [0, 0]) *).
Proof.
 intros h0.
 apply t37.
Qed.
Notation r38 := ((r30 / _V)%R).
Definition i39 := makepairF f24 f3.
Notation p68 := (BND r38 i39). (* BND(S / n / V, [2.71051e-20, 1]) *)
Notation p69 := (NZR r30). (* NZR(S / n) *)
Notation p70 := (NZR _S). (* NZR(S) *)
Definition i40 := makepairF f1 f44.
Notation p71 := (ABS _S i40). (* ABS(S, [3.55271e-15, 2.81475e+14]) *)
Notation p72 := (BND _S i40). (* BND(S, [3.55271e-15, 2.81475e+14]) *)
Lemma t38 : p72 -> p71.
Proof.
 intros h0.
 refine (abs_of_bnd_p _S i40 i40 h0 _) ; finalize.
Qed.
Lemma l69 : s1 -> p71 (* ABS(S, [3.55271e-15, 2.81475e+14]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 apply t38. refine (subset _S i1 i40 h1 _) ; finalize.
Qed.
Lemma t39 : p71 -> p70.
Proof.
 intros h0.
 refine (nzr_of_abs _S i40 h0 _) ; finalize.
Qed.
Lemma l68 : s1 -> p70 (* NZR(S) *).
Proof.
 intros h0.
 assert (h1 := l69 h0).
 apply t39. exact h1.
Qed.
Notation p73 := (NZR _n). (* NZR(n) *)
Lemma t40 : p64 -> p73.
Proof.
 intros h0.
 refine (nzr_of_abs _n i2 h0 _) ; finalize.
Qed.
Lemma l70 : s1 -> p73 (* NZR(n) *).
Proof.
 intros h0.
 assert (h1 := l63 h0).
 apply t40. exact h1.
Qed.
Lemma t41 : p70 -> p73 -> p69.
Proof.
 intros h0 h1.
 refine (div_nzr _S _n h0 h1) ; finalize.
Qed.
Lemma l67 : s1 -> p69 (* NZR(S / n) *).
Proof.
 intros h0.
 assert (h1 := l68 h0).
 assert (h2 := l70 h0).
 apply t41. exact h1. exact h2.
Qed.
Notation r41 := ((_eps / r30)%R).
Notation r40 := ((r15 + r41)%R).
Notation r39 := ((r15 / r40)%R).
Notation p74 := (BND r39 i39). (* BND(1 / (1 + eps / (S / n)), [2.71051e-20, 1]) *)
Definition f56 := Float2 (1) (65).
Definition i41 := makepairF f3 f56.
Notation p75 := (BND r40 i41). (* BND(1 + eps / (S / n), [1, 3.68935e+19]) *)
Definition f57 := Float2 (1) (-78).
Definition f58 := Float2 (1) (64).
Definition i42 := makepairF f57 f58.
Notation p76 := (BND r41 i42). (* BND(eps / (S / n), [3.30872e-24, 1.84467e+19]) *)
Definition i43 := makepairF f43 f44.
Notation p77 := (BND r30 i43). (* BND(S / n, [5.42101e-20, 2.81475e+14]) *)
Lemma t42 : p3 -> p77 -> p76.
Proof.
 intros h0 h1.
 refine (div_pp _eps r30 i3 i43 i42 h0 h1 _) ; finalize.
Qed.
Lemma l73 : s1 -> p76 (* BND(eps / (S / n), [3.30872e-24, 1.84467e+19]) *).
Proof.
 intros h0.
 assert (h1 := l30 h0).
 assert (h2 := l47 h0).
 apply t42. exact h1. refine (subset r30 i29 i43 h2 _) ; finalize.
Qed.
Lemma t43 : p20 -> p76 -> p75.
Proof.
 intros h0 h1.
 refine (add r15 r41 i12 i42 i41 h0 h1 _) ; finalize.
Qed.
Lemma l72 : s1 -> p75 (* BND(1 + eps / (S / n), [1, 3.68935e+19]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l73 h0).
 apply t43. exact h1. exact h2.
Qed.
Lemma t44 : p20 -> p75 -> p74.
Proof.
 intros h0 h1.
 refine (div_pp r15 r40 i12 i41 i39 h0 h1 _) ; finalize.
Qed.
Lemma l71 : s1 -> p74 (* BND(1 / (1 + eps / (S / n)), [2.71051e-20, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l72 h0).
 apply t44. exact h1. exact h2.
Qed.
Lemma t45 : p69 -> p52 -> p74 -> p68.
Proof.
 intros h0 h1 h2.
 refine (addf_1 r30 _ i39 h0 h1 h2) ; finalize.
Qed.
Lemma l66 : s1 -> p68 (* BND(S / n / V, [2.71051e-20, 1]) *).
Proof.
 intros h0.
 assert (h1 := l67 h0).
 assert (h2 := l53 h0).
 assert (h3 := l71 h0).
 apply t45. exact h1. exact h2. exact h3.
Qed.
Lemma t46 : p59 -> p67 -> p68 -> p52 -> p58.
Proof.
 intros h0 h1 h2 h3.
 refine (add_rr _mh r30 _eps _eps i34 i38 i39 i34 h0 h1 h2 h3 _) ; finalize.
Qed.
Lemma l58 : s1 -> p58 (* REL(mh + eps, V, [-1.57955e-05, 1.57955e-05]) *).
Proof.
 intros h0.
 assert (h1 := l59 h0).
 assert (h2 := l65 h0).
 assert (h3 := l66 h0).
 assert (h4 := l53 h0).
 apply t46. exact h1. exact h2. exact h3. exact h4.
Qed.
Lemma t47 : p55 -> p58 -> p54.
Proof.
 intros h0 h1.
 refine (compose _vh r18 _V i9 i34 i33 h0 h1 _) ; finalize.
Qed.
Lemma l55 : s1 -> p54 (* REL(vh, V, [-1.58551e-05, 1.58551e-05]) *).
Proof.
 intros h0.
 assert (h1 := l56 h0).
 assert (h2 := l58 h0).
 apply t47. exact h1. exact h2.
Qed.
Lemma t48 : p52 -> p54 -> p51.
Proof.
 intros h0 h1.
 refine (bnd_of_nzr_rel _vh _V i33 h0 h1) ; finalize.
Qed.
Lemma l52 : s1 -> p51 (* BND((vh - V) / V, [-1.58551e-05, 1.58551e-05]) *).
Proof.
 intros h0.
 assert (h1 := l53 h0).
 assert (h2 := l55 h0).
 apply t48. exact h1. exact h2.
Qed.
Lemma t49 : p20 -> p51 -> p50.
Proof.
 intros h0 h1.
 refine (add r15 r36 i12 i33 i32 h0 h1 _) ; finalize.
Qed.
Lemma l51 : s1 -> p50 (* BND(1 + (vh - V) / V, [0.999984, 1.00002]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l52 h0).
 apply t49. exact h1. exact h2.
Qed.
Lemma t50 : p50 -> p49.
Proof.
 intros h0.
 refine (sqrtG r35 i32 i31 h0 _) ; finalize.
Qed.
Lemma l50 : s1 -> p49 (* BND(sqrt(1 + (vh - V) / V), [0.999992, 1.00001]) *).
Proof.
 intros h0.
 assert (h1 := l51 h0).
 apply t50. exact h1.
Qed.
Lemma t51 : p49 -> p20 -> p48.
Proof.
 intros h0 h1.
 refine (sub r34 r15 i31 i12 i26 h0 h1 _) ; finalize.
Qed.
Lemma l49 : s1 -> p48 (* BND(sqrt(1 + (vh - V) / V) - 1, [-7.92757e-06, 7.92751e-06]) *).
Proof.
 intros h0.
 assert (h1 := l50 h0).
 assert (h2 := l14 h0).
 apply t51. exact h1. exact h2.
Qed.
Lemma t52 : p22 -> p44 -> p48 -> p47.
Proof.
 intros h0 h1 h2.
 refine (sqrt_mibq _vh _V i14 i28 i26 h0 h1 h2 _) ; finalize.
Qed.
Lemma l48 : s1 -> p47 (* BND((sqrt(vh) - sqrt(V)) / sqrt(V), [-7.92757e-06, 7.92751e-06]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 assert (h2 := l46 h0).
 assert (h3 := l49 h0).
 apply t52. exact h1. exact h2. exact h3.
Qed.
Lemma t53 : p41 -> p47 -> p40.
Proof.
 intros h0 h1.
 refine (rel_of_nzr_bnd r16 r28 i26 h0 h1) ; finalize.
Qed.
Lemma l42 : s1 -> p40 (* REL(sqrt(vh), sqrt(V), [-7.92757e-06, 7.92751e-06]) *).
Proof.
 intros h0.
 assert (h1 := l43 h0).
 assert (h2 := l48 h0).
 apply t53. exact h1. exact h2.
Qed.
Lemma t54 : p40 -> p41 -> p39.
Proof.
 intros h0 h1.
 refine (inv_r r16 r28 _ i26 i25 h0 h1 _) ; finalize.
Qed.
Lemma l41 : s1 -> p39 (* REL(1 / sqrt(vh), 1 / sqrt(V), [-7.92745e-06, 7.92763e-06]) *).
Proof.
 intros h0.
 assert (h1 := l42 h0).
 assert (h2 := l43 h0).
 apply t54. exact h1. exact h2.
Qed.
Lemma t55 : p7 -> p39 -> p38.
Proof.
 intros h0 h1.
 refine (compose _r r14 r27 i6 i25 i24 h0 h1 _) ; finalize.
Qed.
Lemma l40 : s1 -> p38 (* REL(r, 1 / sqrt(V), [-8.05521e-06, 8.0554e-06]) *).
Proof.
 intros h0.
 assert (h1 := l31 h0).
 assert (h2 := l41 h0).
 apply t55. exact h1. exact h2.
Qed.
Lemma t56 : p38 -> p37.
Proof.
 intros h0.
 refine (mul_filq _ _r r27 i24 h0) ; finalize.
Qed.
Lemma l39 : s1 -> p37 (* REL(x * r, x * (1 / sqrt(V)), [-8.05521e-06, 8.0554e-06]) *).
Proof.
 intros h0.
 assert (h1 := l40 h0).
 apply t56. exact h1.
Qed.
Lemma t57 : p34 -> p37 -> p33.
Proof.
 intros h0 h1.
 refine (compose r23 r24 r26 i9 i24 i22 h0 h1 _) ; finalize.
Qed.
Lemma l34 : s1 -> p33 (* REL(float<24,-149,ne>(x * r), x * (1 / sqrt(V)), [-8.11482e-06, 8.11501e-06]) *).
Proof.
 intros h0.
 assert (h1 := l35 h0).
 assert (h2 := l39 h0).
 apply t57. exact h1. exact h2.
Qed.
Lemma t58 : p33 -> p32.
Proof.
 intros h0.
 refine (mul_firq r23 _ r26 i22 h0) ; finalize.
Qed.
Lemma l33 : s1 -> p32 (* REL(float<24,-149,ne>(x * r) * w, x * (1 / sqrt(V)) * w, [-8.11482e-06, 8.11501e-06]) *).
Proof.
 intros h0.
 assert (h1 := l34 h0).
 apply t58. exact h1.
Qed.
Lemma t59 : p10 -> p32 -> p9.
Proof.
 intros h0 h1.
 refine (compose _y r22 r25 i9 i22 i8 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p9 (* REL(y, x * (1 / sqrt(V)) * w, [-8.17442e-06, 8.17461e-06]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l33 h0).
 apply t59. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i7)) Tfalse (Arel 0%nat 1%nat i8) (List.cons _y (List.cons r25 List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
