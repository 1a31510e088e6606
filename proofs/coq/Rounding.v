(* binary32 rounding over the reals: what "correctly rounded" means in the theorems of this folder.

   docs/numerics.md, "From binary32 to reals". rn32 is round to nearest, ties to even, into the numbers with 24 bits
   and least exponent -149, without an upper limit: that no value reaches the limit is a part of each theorem. *)

From Coq Require Import Reals ZArith Lia Lra.
From Flocq Require Import Core Relative.

Open Scope R_scope.

Definition pow2 (e : Z) : R := bpow radix2 e.

(* The unit roundoff of binary32. *)
Definition u : R := pow2 (-24).

Definition format32 : R -> Prop := generic_format radix2 (FLT_exp (-149) 24).
Definition rn32 (x : R) : R := round radix2 (FLT_exp (-149) 24) ZnearestE x.

(* The finite binary16 numbers: 11 bits, least exponent -24, at most 65504. *)
Definition binary16 (x : R) : Prop := generic_format radix2 (FLT_exp (-24) 11) x /\ Rabs x <= 65504.

(* What a rounding needs for its error to be relative. *)
Definition regular (x : R) : Prop := x = 0 \/ pow2 (-126) <= Rabs x.

(* Below this no binary32 operation overflows, whatever the rounding does. *)
Definition finite32 (x : R) : Prop := Rabs x < pow2 127.

Lemma u_value : u = / 16777216.
Proof. unfold u, pow2; simpl; lra. Qed.

Lemma pow2_positive : forall e, 0 < pow2 e.
Proof. intros e; apply bpow_gt_0. Qed.

Lemma pow2_monotone : forall e f, (e <= f)%Z -> pow2 e <= pow2 f.
Proof. intros e f; apply bpow_le. Qed.

Lemma u_positive : 0 < u.
Proof. apply pow2_positive. Qed.

Lemma square_nonnegative : forall x : R, 0 <= x * x.
Proof. intros x; apply Rle_0_sqr. Qed.

Lemma within_bounds : forall x b, Rabs x <= b -> - b <= x <= b.
Proof. intros x b; unfold Rabs; destruct (Rcase_abs x); lra. Qed.

Lemma rn32_zero : rn32 0 = 0.
Proof. apply round_0; apply valid_rnd_N. Qed.

Lemma rn32_monotone : forall x y, x <= y -> rn32 x <= rn32 y.
Proof. intros x y H; apply round_le; [apply FLT_exp_valid; reflexivity | apply valid_rnd_N | exact H]. Qed.

Lemma rn32_exact : forall x, format32 x -> rn32 x = x.
Proof. intros x H; apply round_generic; [apply valid_rnd_N | exact H]. Qed.

Lemma rn32_format : forall x, format32 (rn32 x).
Proof. intros x; apply generic_format_round; [apply FLT_exp_valid; reflexivity | apply valid_rnd_N]. Qed.

Lemma rn32_nonnegative : forall x, 0 <= x -> 0 <= rn32 x.
Proof. intros x H; rewrite <- rn32_zero; apply rn32_monotone; exact H. Qed.

(* The standard model: a correctly rounded result that is 0 or not below the least normal number. *)
Theorem rn32_error : forall x, regular x -> Rabs (rn32 x - x) <= u * Rabs x.
Proof.
  intros x [-> | H].
  - rewrite rn32_zero, Rminus_0_r, Rabs_R0; lra.
  - replace u with (/ 2 * bpow radix2 (-24 + 1)) by (unfold u, pow2; simpl; lra).
    apply (relative_error_N_FLT radix2 (-149) 24); [reflexivity | exact H].
Qed.

(* The same as a factor. *)
Lemma rn32_factor : forall x, regular x -> exists d, Rabs d <= u /\ rn32 x = x * (1 + d).
Proof.
  intros x H; pose proof (rn32_error x H) as E.
  destruct (Req_dec x 0) as [-> | N].
  - exists 0; rewrite rn32_zero, Rabs_R0; pose proof u_positive; lra.
  - exists ((rn32 x - x) / x); split; [| now field].
    unfold Rdiv; rewrite Rabs_mult, Rabs_inv.
    apply Rmult_le_reg_r with (Rabs x); [now apply Rabs_pos_lt |].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [exact E | now apply Rabs_no_R0].
Qed.

Lemma pow2_format : forall e, (-149 <= e)%Z -> format32 (pow2 e).
Proof. intros e H; apply generic_format_bpow; unfold FLT_exp; lia. Qed.

Lemma rn32_pow2 : forall e, (-149 <= e)%Z -> rn32 (pow2 e) = pow2 e.
Proof. intros e H; apply rn32_exact, pow2_format, H. Qed.

Lemma rn32_at_least : forall e x, (-149 <= e)%Z -> pow2 e <= x -> pow2 e <= rn32 x.
Proof. intros e x H L; rewrite <- (rn32_pow2 e H); apply rn32_monotone, L. Qed.

(* A binary16 number is 0 or at least 2^-24 in magnitude. *)
Lemma binary16_least : forall x, binary16 x -> x = 0 \/ pow2 (-24) <= Rabs x.
Proof.
  intros x [F _]; destruct (Req_dec x 0) as [Z | N]; [now left | right].
  apply FLT_format_generic in F; [| reflexivity].
  destruct F as [[m e] E _ L]; simpl in L; rewrite E, <- F2R_Zabs.
  assert (m <> 0%Z) as M by (intros Z; apply N; rewrite E; unfold F2R; rewrite Z; simpl; ring).
  apply Rle_trans with (bpow radix2 e); [now apply bpow_le |].
  unfold F2R; simpl; rewrite <- (Rmult_1_l (bpow radix2 e)) at 1.
  apply Rmult_le_compat_r; [apply bpow_ge_0 | apply IZR_le; lia].
Qed.

(* The square of a binary16 number is a binary32 number: 22 bits, a multiple of 2^-48. *)
Lemma square_format : forall x, binary16 x -> format32 (x * x).
Proof.
  intros x [F _]; apply FLT_format_generic in F; [| reflexivity].
  destruct F as [[m e] E B L]; simpl in B, L; apply generic_format_FLT.
  exists (Float radix2 (m * m) (e + e)); simpl.
  - rewrite E; unfold F2R; simpl; rewrite mult_IZR, bpow_plus; ring.
  - pose proof (Z.abs_nonneg m); rewrite Z.abs_mul; apply Z.lt_trans with (2048 * 2048)%Z; [| reflexivity].
    apply Z.mul_lt_mono_nonneg; lia.
  - lia.
Qed.

Lemma square_least : forall x, binary16 x -> x * x = 0 \/ pow2 (-48) <= x * x.
Proof.
  intros x H; destruct (binary16_least x H) as [-> | L]; [left; ring | right].
  replace (x * x) with (Rabs x * Rabs x) by (unfold Rabs; destruct (Rcase_abs x); ring).
  change (pow2 (-48)) with (pow2 (-24 + -24)); unfold pow2 in *; rewrite bpow_plus.
  pose proof (bpow_ge_0 radix2 (-24)); apply Rmult_le_compat; assumption.
Qed.

Lemma square_most : forall x, binary16 x -> x * x <= 65504 * 65504.
Proof.
  intros x [_ B]; replace (x * x) with (Rabs x * Rabs x) by (unfold Rabs; destruct (Rcase_abs x); ring).
  pose proof (Rabs_pos x); apply Rmult_le_compat; assumption.
Qed.

(* --- ranges of products and of their roundings -------------------------------------------------------------------- *)

Lemma ranged_regular : forall k a, (-126 <= k)%Z -> a = 0 \/ pow2 k <= Rabs a -> regular a.
Proof. intros k a K [-> | A]; [now left | right]; apply Rle_trans with (2 := A), pow2_monotone, K. Qed.

Lemma product_least : forall k l a b,
  a = 0 \/ pow2 k <= Rabs a -> b = 0 \/ pow2 l <= Rabs b -> a * b = 0 \/ pow2 (k + l) <= Rabs (a * b).
Proof.
  intros k l a b [-> | A] [-> | B]; [left; ring | left; ring | left; ring | right].
  unfold pow2 in *; rewrite bpow_plus, Rabs_mult; apply Rmult_le_compat; auto using bpow_ge_0.
Qed.

Lemma product_most : forall k l a b, Rabs a <= pow2 k -> Rabs b <= pow2 l -> Rabs (a * b) <= pow2 (k + l).
Proof.
  intros k l a b A B; unfold pow2 in *; rewrite bpow_plus, Rabs_mult; apply Rmult_le_compat; auto using Rabs_pos.
Qed.

Lemma rounded_least : forall k a, (-126 <= k)%Z ->
  a = 0 \/ pow2 k <= Rabs a -> rn32 a = 0 \/ pow2 (k - 1) <= Rabs (rn32 a).
Proof.
  intros k a K [-> | A]; [left; apply rn32_zero | right].
  destruct (rn32_factor a (ranged_regular k a K (or_intror A))) as [d [D ->]].
  apply within_bounds in D; rewrite u_value in D.
  unfold pow2, Zminus in *; rewrite bpow_plus, Rabs_mult; simpl (bpow radix2 (- (1))).
  apply Rmult_le_compat; [apply bpow_ge_0 | lra | exact A | rewrite Rabs_pos_eq; lra].
Qed.

Lemma rounded_most : forall k a, regular a -> Rabs a <= pow2 k -> Rabs (rn32 a) <= pow2 (k + 1).
Proof.
  intros k a R A; destruct (rn32_factor a R) as [d [D ->]].
  apply within_bounds in D; rewrite u_value in D.
  unfold pow2 in *; rewrite bpow_plus, Rabs_mult; simpl (bpow radix2 1).
  apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | exact A | rewrite Rabs_pos_eq; lra].
Qed.
