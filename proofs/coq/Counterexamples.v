(* What theorem 2.1 would say too much, each refuted by an instruction that TC(F, g) allows: none of its parts is slack.

   x is a little below 2^-12, so products lie a little below the powers of two at which a tensor core cuts. *)

From Coq Require Import Reals ZArith Lia Lra List Permutation.
From Flocq Require Import Core.
From Fltc Require Import Rounding Truncation TensorCore.
Import ListNotations.

Open Scope R_scope.

(* The error of every instruction of 16 products under TC(F, g) is at most k times a measure. *)
Definition accuracy (F : Z) (g : nat) (k : R) (measure : R -> list operands -> R) : Prop :=
  forall c ps d, format32 c -> Forall factors ps -> length ps = 16%nat -> weight c ps < pow2 128 ->
  tensor_core F g c ps d -> Rabs (d - (c + dot ps)) <= k * measure c ps.

(* What theorem 2.1 does say, in the same words. *)
Theorem accuracy_holds : forall F g, (23 <= F)%Z -> accuracy F g (kappa F g) weight.
Proof. intros F g HF c ps d C P N Most D; now apply mma_accuracy. Qed.

(* --- evaluation --------------------------------------------------------------------------------------------------- *)

Lemma cut_between : forall e m x,
  0 <= x -> IZR m * pow2 e <= x < IZR (m + 1) * pow2 e -> cut e x = IZR m * pow2 e.
Proof.
  intros e m x P [A B]; unfold cut, round, F2R, scaled_mantissa, cexp, FIX_exp; simpl; unfold pow2 in *.
  assert (x = x * bpow radix2 (- e) * bpow radix2 e) as X.
  { rewrite Rmult_assoc, <- bpow_plus, Z.add_opp_diag_l; simpl; ring. }
  pose proof (bpow_gt_0 radix2 e); do 2 f_equal.
  rewrite Ztrunc_floor by (apply Rmult_le_pos; [exact P | apply bpow_ge_0]).
  apply Zfloor_imp; split; [apply Rmult_le_reg_r with (bpow radix2 e) | apply Rmult_lt_reg_r with (bpow radix2 e)];
    trivial; now rewrite <- X.
Qed.

Lemma rz32_one : forall x, 1 <= x < 1 + pow2 (-23) -> rz32 x = 1.
Proof.
  intros x [A B]; unfold rz32, round, F2R, scaled_mantissa, cexp; unfold pow2 in B; simpl in B.
  replace (mag radix2 x : Z) with 1%Z by (symmetry; apply mag_unique; rewrite Rabs_pos_eq by lra; simpl; lra).
  change (FLT_exp (-149) 24 1) with (-23)%Z; simpl.
  change (Z.pow_pos 2 23) with 8388608%Z in *; rewrite Ztrunc_floor by lra.
  replace (Zfloor (x * 8388608)) with 8388608%Z by (symmetry; apply Zfloor_imp; rewrite plus_IZR; lra); lra.
Qed.

Lemma total_repeat : forall f p n, total f (repeat p n) = INR n * f p.
Proof.
  intros f p n; induction n as [| n I]; [simpl; ring |].
  change (repeat p (S n)) with (p :: repeat p n); rewrite S_INR; simpl; lra.
Qed.

Lemma cl_normal : forall x, pow2 (-14) <= x -> cl x = x.
Proof.
  intros x L; pose proof (pow2_positive (-14)); unfold cl; destruct (Req_EM_T x 0); [lra |].
  now rewrite Rabs_pos_eq, Rmax_left by lra.
Qed.

Lemma binary16_value : forall m e, (Z.abs m < 2048)%Z -> (-24 <= e <= 4)%Z -> binary16 (IZR m * pow2 e).
Proof.
  intros m e M E; split.
  - apply generic_format_FLT; exists (Float radix2 m e); simpl; [reflexivity | exact M | lia].
  - rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (pow2 e)) by apply bpow_ge_0.
    apply Rle_trans with (2048 * pow2 4); [| unfold pow2; simpl; lra].
    apply Rmult_le_compat; [apply IZR_le; lia | apply bpow_ge_0 | apply IZR_le; lia | apply pow2_monotone; lia].
Qed.

Lemma binary16_pow2 : forall e, (-24 <= e <= 4)%Z -> binary16 (pow2 e).
Proof. intros e E; rewrite <- (Rmult_1_l (pow2 e)); now apply (binary16_value 1). Qed.

Lemma binary16_zero : binary16 0.
Proof. rewrite <- (Rmult_0_l (pow2 0)); now apply (binary16_value 0). Qed.

Lemma cut_at_most : forall F c ps e E, has_exponent c ps E -> (e <= E - F)%Z -> allowed_cut F c ps e.
Proof. intros F c ps e E H L top [_ T]; specialize (T E H); lia. Qed.

(* A group beside 1 that loses everything. *)
Lemma lost : forall F e ps, (e <= - F)%Z -> 0 <= total (fun p => cut e (product p)) ps < pow2 (-23) ->
  (e <= 0)%Z -> group F 1 ps 1.
Proof.
  intros F e ps L [A B] E; exists e; split.
  - apply cut_at_most with (exponent32 1); [apply Of_accumulator; lra |].
    unfold exponent32; replace (mag radix2 1 : Z) with 1%Z by (symmetry; apply (mag_bpow radix2 0)); simpl; lia.
  - intros _; unfold cut_sum; rewrite cut_exact by (apply multiple_finer with 0%Z; [exact E | exists 1%Z; simpl; ring]).
    symmetry; apply rz32_one; lra.
Qed.

Definition x : R := 2047 * pow2 (-23).
Definition single : operands := (x, x).
Definition double : operands := (2 * x, x).
Definition half : operands := (/ 2 * x, x).

Lemma x_value : x = 2047 / 8388608.
Proof. unfold x, pow2; simpl; lra. Qed.

Lemma x_binary16 : binary16 x.
Proof. apply binary16_value; lia. Qed.

Lemma double_x_binary16 : binary16 (2 * x).
Proof.
  replace (2 * x) with (2047 * pow2 (-22)) by (rewrite x_value; unfold pow2; simpl; lra).
  apply binary16_value; lia.
Qed.

Lemma half_x_binary16 : binary16 (/ 2 * x).
Proof.
  replace (/ 2 * x) with (2047 * pow2 (-24)) by (rewrite x_value; unfold pow2; simpl; lra).
  apply binary16_value; lia.
Qed.

Lemma cl_x : cl x = x.
Proof. apply cl_normal; rewrite x_value; unfold pow2; simpl; lra. Qed.

Lemma cl_double_x : cl (2 * x) = 2 * x.
Proof. apply cl_normal; rewrite x_value; unfold pow2; simpl; lra. Qed.

Lemma cl_half_x : cl (/ 2 * x) = / 2 * x.
Proof. apply cl_normal; rewrite x_value; unfold pow2; simpl; lra. Qed.

Lemma cut_single : cut (-24) (product single) = 0.
Proof. rewrite (cut_between (-24) 0); unfold product; simpl; rewrite ?x_value; unfold pow2; simpl; lra. Qed.

Lemma cut_double : cut (-24) (product double) = pow2 (-24).
Proof. rewrite (cut_between (-24) 1); unfold product; simpl; rewrite ?x_value; unfold pow2; simpl; lra. Qed.

Lemma cut_double_23 : cut (-23) (product double) = 0.
Proof. rewrite (cut_between (-23) 0); unfold product; simpl; rewrite ?x_value; unfold pow2; simpl; lra. Qed.

Lemma cut_double_25 : cut (-25) (product double) = 3 * pow2 (-25).
Proof. rewrite (cut_between (-25) 3); unfold product; simpl; rewrite ?x_value; unfold pow2; simpl; lra. Qed.

Lemma cut_half : cut (-25) (product half) = 0.
Proof. rewrite (cut_between (-25) 0); unfold product; simpl; rewrite ?x_value; unfold pow2; simpl; lra. Qed.

Lemma cut_least : cut (-38) (product (pow2 (-24), 1)) = pow2 (-24).
Proof. rewrite (cut_between (-38) 16384); unfold product, pow2; simpl; lra. Qed.

Lemma cut_less : cut (-38) (product (pow2 (-24), pow2 (-15))) = 0.
Proof. rewrite (cut_between (-38) 0); unfold product, pow2; simpl; lra. Qed.

(* An instruction whose groups all leave the accumulator at 1, where products of at least 0 should be added. *)
Lemma refuted : forall F g k measure parts, (length parts <= g)%nat -> length (concat parts) = 16%nat ->
  Forall factors (concat parts) -> Forall (fun ps => group F 1 ps 1) parts -> weight 1 (concat parts) < pow2 128 ->
  0 <= dot (concat parts) -> k * measure 1 (concat parts) < dot (concat parts) -> ~ accuracy F g k measure.
Proof.
  intros F g k measure parts G N P One Most Z B H.
  assert (groups F 1 parts 1) as Q.
  { clear - One; induction One as [| ps parts O _ I]; [constructor | now apply Next_group with 1]. }
  assert (tensor_core F g 1 (concat parts) 1) as T by (exists parts; split; [exact G | now split]).
  specialize (H 1 (concat parts) 1 ltac:(now apply (pow2_format 0)) P N Most T).
  replace (1 - (1 + dot (concat parts))) with (- dot (concat parts)) in H by ring.
  rewrite Rabs_Ropp, Rabs_pos_eq in H by exact Z; lra.
Qed.

Lemma single_factors : factors single.
Proof. split; exact x_binary16. Qed.

Lemma double_factors : factors double.
Proof. split; [exact double_x_binary16 | exact x_binary16]. Qed.

Lemma half_factors : factors half.
Proof. split; [exact half_x_binary16 | exact x_binary16]. Qed.

Ltac each proof := simpl; repeat (apply Forall_cons; [proof |]); apply Forall_nil.
Ltac of_x := each ltac:(first [exact single_factors | exact double_factors | exact half_factors]).
Ltac sums := unfold weight, clipped, dot, product; simpl; rewrite ?cl_x, ?cl_double_x, ?cl_half_x, ?Rabs_R1, x_value;
  unfold pow2; simpl; lra.

(* --- the parts of the theorem ------------------------------------------------------------------------------------- *)

(* The factor: of TC(24, 2) 8.99 units of 2^-23 are not enough. Both groups lose 9 half units beside 1. *)
Theorem kappa_is_near_24_2 : ~ accuracy 24 2 (899 / 100 * pow2 (-23)) weight.
Proof.
  set (ps := double :: repeat single 7).
  assert (group 24 1 ps 1) as G.
  { apply lost with (-24)%Z; [lia | | lia]; unfold ps; simpl total.
    rewrite cut_double, cut_single; unfold pow2; simpl; lra. }
  apply refuted with [ps; ps]; [simpl; lia | reflexivity | of_x | each ltac:(exact G) | sums | sums | sums].
Qed.

(* Of TC(25, 1) 4.74 are not enough: beside 1 fifteen products lose a quarter each, and one loses four. *)
Theorem kappa_is_near_25_1 : ~ accuracy 25 1 (474 / 100 * pow2 (-23)) weight.
Proof.
  set (ps := double :: repeat half 15).
  assert (group 25 1 ps 1) as G.
  { apply lost with (-25)%Z; [lia | | lia]; unfold ps; simpl total.
    rewrite cut_double_25, cut_half; unfold pow2; simpl; lra. }
  apply refuted with [ps]; [simpl; lia | reflexivity | of_x | each ltac:(exact G) | sums | sums | sums].
Qed.

(* The bits: with one bit less the factor of TC(24, 2) is not enough, even with one group. *)
Theorem bits_are_needed : ~ accuracy 23 1 (kappa 24 2) weight.
Proof.
  rewrite kappa_ada; assert (group 23 1 (repeat double 16) 1) as G.
  { apply lost with (-23)%Z; [lia | | lia]; simpl total; rewrite cut_double_23; unfold pow2; simpl; lra. }
  apply refuted with [repeat double 16]; [simpl; lia | reflexivity | of_x | each ltac:(exact G) | sums | sums | sums].
Qed.

(* cl: beside a product of 2^-24 with 1 units are cut as if it were 2^-14, and magnitudes are no measure for that. *)
Theorem clipping_is_needed : ~ accuracy 24 1 (kappa 24 2) (fun c ps => Rabs c + magnitude ps).
Proof.
  set (ps := (pow2 (-24), 1) :: (pow2 (-24), pow2 (-15)) :: repeat (0, 0) 14); intros H.
  assert (total (fun p => cut (-38) (product p)) (repeat (0, 0) 14) = 0) as Z.
  { rewrite total_repeat; unfold product; simpl fst; simpl snd; rewrite Rmult_0_r, cut_zero; ring. }
  assert (cut_sum (-38) 0 ps = pow2 (-24)) as V.
  { unfold cut_sum, ps; cbn [total]; rewrite cut_zero, cut_least, cut_less, Z; ring. }
  assert (tensor_core 24 1 0 ps (pow2 (-24))) as T.
  { exists [ps]; split; [simpl; lia | split; [reflexivity |]]; apply Next_group with (pow2 (-24)); [| constructor].
    exists (-38)%Z; split; [| intros _; rewrite V; symmetry; apply rz32_exact, pow2_format; lia].
    apply cut_at_most with (exponent16 (pow2 (-24)) + exponent16 1)%Z.
    - apply (Of_product 0 ps (pow2 (-24), 1)); [now left |]; unfold product, pow2; simpl; lra.
    - unfold exponent16; change 1 with (pow2 0); unfold pow2; rewrite !mag_bpow; lia. }
  specialize (H 0 ps (pow2 (-24))); rewrite kappa_ada in H.
  assert (factors (0, 0)) as P0 by (split; exact binary16_zero).
  assert (factors (pow2 (-24), 1)) as P1 by (split; [apply (binary16_pow2 (-24)) | apply (binary16_pow2 0)]; lia).
  assert (factors (pow2 (-24), pow2 (-15))) as P2 by (split; apply binary16_pow2; lia).
  assert (Forall factors ps) as P by (unfold ps; each ltac:(assumption)).
  assert (cl 0 = 0) as C0 by (unfold cl; destruct (Req_EM_T 0 0); [reflexivity | contradiction]).
  assert (weight 0 ps < pow2 128) as Most.
  { assert (cl 1 = 1) as C1 by (apply cl_normal; unfold pow2; simpl; lra).
    assert (forall e, (e <= -14)%Z -> cl (pow2 e) = pow2 (-14)) as Ce.
    { intros e L; pose proof (pow2_positive e); unfold cl; destruct (Req_EM_T (pow2 e) 0); [lra |].
      rewrite Rabs_pos_eq, Rmax_right by (try apply pow2_monotone; lra || lia); reflexivity. }
    unfold weight, clipped, ps; cbn [total repeat fst snd]; rewrite !Ce by lia; rewrite C0, C1, Rabs_R0.
    unfold pow2; simpl; lra. }
  specialize (H ltac:(apply generic_format_0) P eq_refl Most T); revert H.
  unfold dot, magnitude, ps, product; cbn [total repeat fst snd]; rewrite !Rmult_0_l, !Rabs_R0; unfold pow2; simpl.
  rewrite Rabs_left, !Rabs_pos_eq by lra; lra.
Qed.
