(* Cutting toward zero: to multiples of a power of two, and to binary32. What a tensor core does, docs/numerics.md. *)

From Coq Require Import Reals ZArith Lia Lra.
From Flocq Require Import Core Relative.
From Fltc Require Import Rounding.

Open Scope R_scope.

Definition multiple (e : Z) (x : R) : Prop := exists m : Z, x = IZR m * pow2 e.

(* Toward zero to a multiple of 2^e. *)
Definition cut (e : Z) (x : R) : R := round radix2 (FIX_exp e) Ztrunc x.

(* Toward zero to binary32, without an upper limit. *)
Definition rz32 (x : R) : R := round radix2 (FLT_exp (-149) 24) Ztrunc x.

Lemma multiple_finer : forall d e x, (d <= e)%Z -> multiple e x -> multiple d x.
Proof.
  intros d e x L [m ->]; exists (m * Zpower radix2 (e - d))%Z.
  rewrite mult_IZR, IZR_Zpower by lia; unfold pow2; rewrite Rmult_assoc, <- bpow_plus.
  do 2 f_equal; lia.
Qed.

Lemma multiple_zero : forall e, multiple e 0.
Proof. intros e; exists 0%Z; ring. Qed.

Lemma multiple_plus : forall e x y, multiple e x -> multiple e y -> multiple e (x + y).
Proof. intros e x y [m ->] [n ->]; exists (m + n)%Z; rewrite plus_IZR; ring. Qed.

Lemma multiple_product : forall d e x y, multiple d x -> multiple e y -> multiple (d + e) (x * y).
Proof.
  intros d e x y [m ->] [n ->]; exists (m * n)%Z; unfold pow2; rewrite bpow_plus, mult_IZR; ring.
Qed.

(* A number of a format is a multiple of the unit of its last place. *)
Lemma multiple_format : forall fexp x, generic_format radix2 fexp x -> multiple (cexp radix2 fexp x) x.
Proof. intros fexp x H; exists (Ztrunc (scaled_mantissa radix2 fexp x)); exact H. Qed.

Lemma toward_zero : forall fexp x, Rabs (round radix2 fexp Ztrunc x) <= Rabs x.
Proof.
  intros fexp x; rewrite <- (scaled_mantissa_mult_bpow radix2 fexp x) at 2.
  unfold round, F2R; simpl; rewrite !Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos |].
  rewrite <- abs_IZR, <- Ztrunc_abs, Ztrunc_floor by apply Rabs_pos; apply Zfloor_lb.
Qed.

Lemma cut_toward_zero : forall e x, Rabs (cut e x) <= Rabs x.
Proof. intros e x; apply toward_zero. Qed.

Lemma cut_exact : forall e x, multiple e x -> cut e x = x.
Proof.
  intros e x [m H]; apply round_generic; [apply valid_rnd_ZR |].
  apply generic_format_FIX; now exists (Float radix2 m e).
Qed.

Lemma cut_zero : forall e, cut e 0 = 0.
Proof. intros e; apply cut_exact, multiple_zero. Qed.

Lemma cut_error : forall e x, Rabs (cut e x - x) <= pow2 e.
Proof.
  intros e x; destruct (Req_dec x 0) as [-> | N].
  - rewrite cut_zero, Rminus_0_r, Rabs_R0; apply bpow_ge_0.
  - apply Rlt_le; unfold pow2; rewrite <- (ulp_FIX radix2 e x).
    apply error_lt_ulp; [apply FIX_exp_valid | apply valid_rnd_ZR | exact N].
Qed.

Lemma cut_multiple : forall d e x, multiple d x -> multiple d (cut e x).
Proof.
  intros d e x M; destruct (Z.le_gt_cases e d) as [L | G].
  - now rewrite (cut_exact e x (multiple_finer e d x L M)).
  - apply multiple_finer with e; [lia | now exists (Ztrunc (scaled_mantissa radix2 (FIX_exp e) x))].
Qed.

Lemma rz32_format : forall x, format32 (rz32 x).
Proof. intros x; apply generic_format_round; [apply FLT_exp_valid; reflexivity | apply valid_rnd_ZR]. Qed.

Lemma rz32_exact : forall x, format32 x -> rz32 x = x.
Proof. intros x H; apply round_generic; [apply valid_rnd_ZR | exact H]. Qed.

Lemma rz32_toward_zero : forall x, Rabs (rz32 x) <= Rabs x.
Proof. intros x; apply toward_zero. Qed.

(* The error is relative even below the normal range, of multiples of the least number: there they are exact. *)
Theorem rz32_error : forall x, multiple (-149) x -> Rabs (rz32 x - x) <= pow2 (-23) * Rabs x.
Proof.
  intros x [m M]; destruct (Rle_or_lt (pow2 (-126)) (Rabs x)) as [N | S].
  - apply Rlt_le; apply (relative_error_FLT radix2 (-149) 24); [reflexivity | apply valid_rnd_ZR | exact N].
  - rewrite rz32_exact, (Rminus_diag_eq _ _ eq_refl), Rabs_R0.
    + apply Rmult_le_pos; [apply bpow_ge_0 | apply Rabs_pos].
    + apply generic_format_FLT_FIX; [reflexivity | |].
      * apply Rlt_le, Rlt_le_trans with (1 := S), pow2_monotone; lia.
      * apply generic_format_FIX; now exists (Float radix2 m (-149)).
Qed.
