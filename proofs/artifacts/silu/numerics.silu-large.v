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
Definition f3 := Float2 (0) (0).
Definition f4 := Float2 (1) (-60).
Definition i2 := makepairF f3 f4.
Notation p2 := (BND _E i2). (* BND(E, [0, 8.67362e-19]) *)
Definition s4 := (p1 /\ p2).
Variable _e_ : R.
Notation _e := ((rounding_float rndNE (24)%positive (-149)%Z) _e_).
Definition f5 := Float2 (1) (-59).
Definition i3 := makepairF f3 f5.
Notation p3 := (BND _e i3). (* BND(e, [0, 1.73472e-18]) *)
Definition s3 := (s4 /\ p3).
Variable _r_ : R.
Notation _r := ((rounding_float rndNE (24)%positive (-149)%Z) _r_).
Notation r10 := (Float1 (1)).
Notation r12 := ((r10 + _e)%R).
Notation _d := ((rounding_float rndNE (24)%positive (-149)%Z) r12).
Notation r9 := ((r10 / _d)%R).
Definition f6 := Float2 (-3) (-24).
Definition f7 := Float2 (3) (-24).
Definition i4 := makepairF f6 f7.
Notation p4 := (REL _r r9 i4). (* REL(r, 1 / d, [-1.78814e-07, 1.78814e-07]) *)
Definition s2 := (s3 /\ p4).
Notation r14 := ((_x * _r)%R).
Notation _y := ((rounding_float rndNE (24)%positive (-149)%Z) r14).
Notation r17 := ((r10 + _E)%R).
Notation r16 := ((r10 / r17)%R).
Notation r15 := ((_x * r16)%R).
Definition f8 := Float2 (-175921877221377) (-69).
Definition f9 := Float2 (175921877221377) (-69).
Definition i5 := makepairF f8 f9.
Notation p5 := (REL _y r15 i5). (* REL(y, x * (1 / (1 + E)), [-2.98023e-07, 2.98023e-07]) *)
Definition s5 := (not p5).
Definition s1 := (s2 /\ s5).
Lemma l2 : s1 -> s5.
Proof.
 intros h0.
 assert (h1 := h0).
 exact (proj2 h1).
Qed.
Definition f10 := Float2 (-576460726533619713) (-81).
Definition f11 := Float2 (864691162823262211) (-82).
Definition i6 := makepairF f10 f11.
Notation p6 := (REL _y r15 i6). (* REL(y, x * (1 / (1 + E)), [-2.38419e-07, 1.78814e-07]) *)
Definition f12 := Float2 (-1) (-24).
Definition i7 := makepairF f12 f1.
Notation p7 := (REL _y r14 i7). (* REL(y, x * r, [-5.96046e-08, 5.96046e-08]) *)
Definition f13 := Float2 (1) (-25).
Definition f14 := Float2 (1) (16).
Definition i8 := makepairF f13 f14.
Notation p8 := (ABS r14 i8). (* ABS(x * r, [2.98023e-08, 65536]) *)
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
Definition f15 := Float2 (1) (-1).
Definition f16 := Float2 (2049) (-11).
Definition i9 := makepairF f15 f16.
Notation p10 := (ABS _r i9). (* ABS(r, [0.5, 1.00049]) *)
Definition f17 := Float2 (16777213) (-24).
Definition f18 := Float2 (16777219) (-24).
Definition i10 := makepairF f17 f18.
Notation p11 := (BND _r i10). (* BND(r, [1, 1]) *)
Definition f19 := Float2 (1) (0).
Definition i11 := makepairF f19 f19.
Notation p12 := (BND r9 i11). (* BND(1 / d, [1, 1]) *)
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
Notation p14 := (BND _d i11). (* BND(d, [1, 1]) *)
Definition f20 := Float2 (16777217) (-24).
Definition i12 := makepairF f19 f20.
Notation p15 := (BND r12 i12). (* BND(1 + e, [1, 1]) *)
Lemma l17 : s1 -> p3 (* BND(e, [0, 1.73472e-18]) *).
Proof.
 intros h0.
 assert (h1 := l9 h0).
 exact (proj2 h1).
Qed.
Definition i13 := makepairF f3 f1.
Notation p16 := (BND _e i13). (* BND(e, [0, 5.96046e-08]) *)
Lemma t3 : p13 -> p16 -> p15.
Proof.
 intros h0 h1.
 refine (add r10 _e i11 i13 i12 h0 h1 _) ; finalize.
Qed.
Lemma l16 : s1 -> p15 (* BND(1 + e, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l17 h0).
 apply t3. exact h1. refine (subset _e i3 i13 h2 _) ; finalize.
Qed.
Lemma t4 : p15 -> p14.
Proof.
 intros h0.
 refine (float_round_ne _ _ r12 i12 i11 h0 _) ; finalize.
Qed.
Lemma l15 : s1 -> p14 (* BND(d, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l16 h0).
 apply t4. exact h1.
Qed.
Lemma t5 : p13 -> p14 -> p12.
Proof.
 intros h0 h1.
 refine (div_pp r10 _d i11 i11 i11 h0 h1 _) ; finalize.
Qed.
Lemma l13 : s1 -> p12 (* BND(1 / d, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l15 h0).
 apply t5. exact h1. exact h2.
Qed.
Lemma l18 : s1 -> p4 (* REL(r, 1 / d, [-1.78814e-07, 1.78814e-07]) *).
Proof.
 intros h0.
 assert (h1 := l10 h0).
 exact (proj2 h1).
Qed.
Lemma t6 : p12 -> p4 -> p11.
Proof.
 intros h0 h1.
 refine (bnd_of_bnd_rel_p _r r9 i11 i4 i10 h0 h1 _) ; finalize.
Qed.
Lemma l12 : s1 -> p11 (* BND(r, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l13 h0).
 assert (h2 := l18 h0).
 apply t6. exact h1. exact h2.
Qed.
Notation p17 := (BND _r i9). (* BND(r, [0.5, 1.00049]) *)
Lemma t7 : p17 -> p10.
Proof.
 intros h0.
 refine (abs_of_bnd_p _r i9 i9 h0 _) ; finalize.
Qed.
Lemma l11 : s1 -> p10 (* ABS(r, [0.5, 1.00049]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 apply t7. refine (subset _r i10 i9 h1 _) ; finalize.
Qed.
Lemma t8 : p9 -> p10 -> p8.
Proof.
 intros h0 h1.
 refine (mul_aa _x _r i1 i9 i8 h0 h1 _) ; finalize.
Qed.
Lemma l5 : s1 -> p8 (* ABS(x * r, [2.98023e-08, 65536]) *).
Proof.
 intros h0.
 assert (h1 := l6 h0).
 assert (h2 := l11 h0).
 apply t8. exact h1. exact h2.
Qed.
Lemma t9 : p8 -> p7.
Proof.
 intros h0.
 refine (float_relative_ne _ _ r14 i8 i7 h0 _) ; finalize.
Qed.
Lemma l4 : s1 -> p7 (* REL(y, x * r, [-5.96046e-08, 5.96046e-08]) *).
Proof.
 intros h0.
 assert (h1 := l5 h0).
 apply t9. exact h1.
Qed.
Definition f21 := Float2 (-432345564227567617) (-81).
Definition f22 := Float2 (288230376155906049) (-81).
Definition i14 := makepairF f21 f22.
Notation p18 := (REL r14 r15 i14). (* REL(x * r, x * (1 / (1 + E)), [-1.78814e-07, 1.19209e-07]) *)
Notation p19 := (REL _r r16 i14). (* REL(r, 1 / (1 + E), [-1.78814e-07, 1.19209e-07]) *)
Notation p20 := (NZR r16). (* NZR(1 / (1 + E)) *)
Definition f23 := Float2 (1) (1).
Definition i15 := makepairF f15 f23.
Notation p21 := (ABS r16 i15). (* ABS(1 / (1 + E), [0.5, 2]) *)
Notation p22 := (ABS r10 i11). (* ABS(1, [1, 1]) *)
Lemma t10 : p13 -> p22.
Proof.
 intros h0.
 refine (abs_of_bnd_p r10 i11 i11 h0 _) ; finalize.
Qed.
Lemma l23 : s1 -> p22 (* ABS(1, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 apply t10. exact h1.
Qed.
Notation p23 := (ABS r17 i15). (* ABS(1 + E, [0.5, 2]) *)
Definition i16 := makepairF f3 f15.
Notation p24 := (ABS _E i16). (* ABS(E, [0, 0.5]) *)
Lemma l26 : s1 -> p2 (* BND(E, [0, 8.67362e-19]) *).
Proof.
 intros h0.
 assert (h1 := l8 h0).
 exact (proj2 h1).
Qed.
Notation p25 := (BND _E i16). (* BND(E, [0, 0.5]) *)
Lemma t11 : p25 -> p24.
Proof.
 intros h0.
 refine (abs_of_bnd_p _E i16 i16 h0 _) ; finalize.
Qed.
Lemma l25 : s1 -> p24 (* ABS(E, [0, 0.5]) *).
Proof.
 intros h0.
 assert (h1 := l26 h0).
 apply t11. refine (subset _E i2 i16 h1 _) ; finalize.
Qed.
Lemma t12 : p22 -> p24 -> p23.
Proof.
 intros h0 h1.
 refine (add_aa_p r10 _E i11 i16 i15 h0 h1 _) ; finalize.
Qed.
Lemma l24 : s1 -> p23 (* ABS(1 + E, [0.5, 2]) *).
Proof.
 intros h0.
 assert (h1 := l23 h0).
 assert (h2 := l25 h0).
 apply t12. exact h1. exact h2.
Qed.
Lemma t13 : p22 -> p23 -> p21.
Proof.
 intros h0 h1.
 refine (div_aa r10 r17 i11 i15 i15 h0 h1 _) ; finalize.
Qed.
Lemma l22 : s1 -> p21 (* ABS(1 / (1 + E), [0.5, 2]) *).
Proof.
 intros h0.
 assert (h1 := l23 h0).
 assert (h2 := l24 h0).
 apply t13. exact h1. exact h2.
Qed.
Lemma t14 : p21 -> p20.
Proof.
 intros h0.
 refine (nzr_of_abs r16 i15 h0 _) ; finalize.
Qed.
Lemma l21 : s1 -> p20 (* NZR(1 / (1 + E)) *).
Proof.
 intros h0.
 assert (h1 := l22 h0).
 apply t14. exact h1.
Qed.
Notation r19 := ((_r - r16)%R).
Notation r18 := ((r19 / r16)%R).
Notation p26 := (BND r18 i14). (* BND((r - 1 / (1 + E)) / (1 / (1 + E)), [-1.78814e-07, 1.19209e-07]) *)
Definition f24 := Float2 (68719476737) (-59).
Definition i17 := makepairF f6 f24.
Notation p27 := (BND r19 i17). (* BND(r - 1 / (1 + E), [-1.78814e-07, 1.19209e-07]) *)
Definition f25 := Float2 (8388609) (-23).
Definition i18 := makepairF f17 f25.
Notation p28 := (BND _r i18). (* BND(r, [1, 1]) *)
Lemma t15 : p11 -> p28.
Proof.
 intros h0.
 refine (float_enforce _ _ _ _ i10 i18 h0 _) ; finalize.
Qed.
Lemma l29 : s1 -> p28 (* BND(r, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l12 h0).
 apply t15. exact h1.
Qed.
Definition f26 := Float2 (576460752303423487) (-59).
Definition i19 := makepairF f26 f19.
Notation p29 := (BND r16 i19). (* BND(1 / (1 + E), [1, 1]) *)
Definition f27 := Float2 (576460752303423489) (-59).
Definition i20 := makepairF f19 f27.
Notation p30 := (BND r17 i20). (* BND(1 + E, [1, 1]) *)
Notation p31 := (BND _E i3). (* BND(E, [0, 1.73472e-18]) *)
Lemma t16 : p13 -> p31 -> p30.
Proof.
 intros h0 h1.
 refine (add r10 _E i11 i3 i20 h0 h1 _) ; finalize.
Qed.
Lemma l31 : s1 -> p30 (* BND(1 + E, [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l26 h0).
 apply t16. exact h1. refine (subset _E i2 i3 h2 _) ; finalize.
Qed.
Lemma t17 : p13 -> p30 -> p29.
Proof.
 intros h0 h1.
 refine (div_pp r10 r17 i11 i20 i19 h0 h1 _) ; finalize.
Qed.
Lemma l30 : s1 -> p29 (* BND(1 / (1 + E), [1, 1]) *).
Proof.
 intros h0.
 assert (h1 := l14 h0).
 assert (h2 := l31 h0).
 apply t17. exact h1. exact h2.
Qed.
Lemma t18 : p28 -> p29 -> p27.
Proof.
 intros h0 h1.
 refine (sub _r r16 i18 i19 i17 h0 h1 _) ; finalize.
Qed.
Lemma l28 : s1 -> p27 (* BND(r - 1 / (1 + E), [-1.78814e-07, 1.19209e-07]) *).
Proof.
 intros h0.
 assert (h1 := l29 h0).
 assert (h2 := l30 h0).
 apply t18. exact h1. exact h2.
Qed.
Lemma t19 : p27 -> p29 -> p26.
Proof.
 intros h0 h1.
 refine (div_op r19 r16 i17 i19 i14 h0 h1 _) ; finalize.
Qed.
Lemma l27 : s1 -> p26 (* BND((r - 1 / (1 + E)) / (1 / (1 + E)), [-1.78814e-07, 1.19209e-07]) *).
Proof.
 intros h0.
 assert (h1 := l28 h0).
 assert (h2 := l30 h0).
 apply t19. exact h1. exact h2.
Qed.
Lemma t20 : p20 -> p26 -> p19.
Proof.
 intros h0 h1.
 refine (rel_of_nzr_bnd _r r16 i14 h0 h1) ; finalize.
Qed.
Lemma l20 : s1 -> p19 (* REL(r, 1 / (1 + E), [-1.78814e-07, 1.19209e-07]) *).
Proof.
 intros h0.
 assert (h1 := l21 h0).
 assert (h2 := l27 h0).
 apply t20. exact h1. exact h2.
Qed.
Lemma t21 : p19 -> p18.
Proof.
 intros h0.
 refine (mul_filq _ _r r16 i14 h0) ; finalize.
Qed.
Lemma l19 : s1 -> p18 (* REL(x * r, x * (1 / (1 + E)), [-1.78814e-07, 1.19209e-07]) *).
Proof.
 intros h0.
 assert (h1 := l20 h0).
 apply t21. exact h1.
Qed.
Lemma t22 : p7 -> p18 -> p6.
Proof.
 intros h0 h1.
 refine (compose _y r14 r15 i7 i14 i6 h0 h1 _) ; finalize.
Qed.
Lemma l3 : s1 -> p6 (* REL(y, x * (1 / (1 + E)), [-2.38419e-07, 1.78814e-07]) *).
Proof.
 intros h0.
 assert (h1 := l4 h0).
 assert (h2 := l19 h0).
 apply t22. exact h1. exact h2.
Qed.
Lemma l1 : s1 -> False.
Proof.
 intros h0.
 assert (h1 := l2 h0).
 assert (h2 := l3 h0).
 refine (simplify (Tatom false (Arel 0%nat 1%nat i5)) Tfalse (Arel 0%nat 1%nat i6) (List.cons _y (List.cons r15 List.nil)) h2 h1 _) ; finalize.
Qed.
End Generated_by_Gappa.
