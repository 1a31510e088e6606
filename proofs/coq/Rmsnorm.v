(* RMSNorm from the sum of squares to the binary32 result, for every row of at most 65,536 columns.

   docs/numerics.md, "RMSNorm": S, div.rn by the number of columns, add.rn eps, rsqrt.approx, mul.rn, mul.rn. Of
   rsqrt.approx only its documented error is used: r is any number within relative rho of 1 / sqrt v. *)

From Coq Require Import Reals Lra Lia Psatz List Permutation.
From Flocq Require Import Core.
From Fltc Require Import Rounding Gamma Sum Factors Order.
Import ListNotations.

Open Scope R_scope.

(* The specification: y = x w / sqrt (mean of squares + eps), over the reals, for a row of n numbers. *)
Definition squares (x : nat -> R) (columns : list nat) : R := fold_right Rplus 0 (map (fun c => x c * x c) columns).
Definition mean (x : nat -> R) (n : nat) : R := squares x (seq 0 n) / INR n.
Definition normalised (x : nat -> R) (w eps : R) (n c : nat) : R := x c * w / sqrt (mean x n + eps).

(* The instructions, for the order t of the sum and a result r of rsqrt.approx. *)
Definition quotient (x : nat -> R) (n : nat) (t : tree) : R := rn32 (value x t / INR n).
Definition argument (x : nat -> R) (eps : R) (n : nat) (t : tree) : R := rn32 (quotient x n t + eps).
Definition root_of (rho v r : R) : Prop := Rabs (r - / sqrt v) <= rho * / sqrt v.
Definition scaled (x : nat -> R) (r : R) (c : nat) : R := rn32 (x c * r).
Definition result (x : nat -> R) (w r : R) (c : nat) : R := rn32 (scaled x r c * w).

Definition phi (rho : R) (h : nat) : R :=
  let g := gamma (h + 2) in (1 + g / 2 * (1 + g)) * (1 + rho) * (1 + u) * (1 + u) - 1.

Lemma exact_squares : forall x t, exact x t = squares x (leaves t).
Proof.
  assert (forall x a b, squares x (a ++ b) = squares x a + squares x b) as App.
  { intros x a b; unfold squares; induction a as [| c a I]; simpl; lra. }
  intros x t; induction t as [| c t I | l I r J]; simpl; [reflexivity | |].
  - rewrite I; reflexivity.
  - now rewrite App, I, J.
Qed.

Lemma squares_permuted : forall x a b, Permutation a b -> squares x a = squares x b.
Proof. intros x a b P; induction P; unfold squares in *; simpl in *; lra. Qed.

Section Row.

Variables (x : nat -> R) (w eps rho r : R) (n h : nat) (t : tree).

Hypothesis input : forall c, binary16 (x c).
Hypothesis weight : binary16 w.
Hypothesis epsilon : pow2 (-30) <= eps <= 1.
Hypothesis length_least : (1 <= n)%nat.
Hypothesis length_most : INR n <= 65536.
Hypothesis every_column : Permutation (leaves t) (seq 0 n).
Hypothesis at_depth : (depth t <= h)%nat.
Hypothesis not_deep : INR (h + 2) * u <= / 1024.
Hypothesis documented : 0 <= rho <= / 1024.
Hypothesis rsqrt : root_of rho (argument x eps n t) r.

Let M := mean x n.
Let V := M + eps.
Let v := argument x eps n t.
Let g := gamma (h + 2).

Lemma few_roundings : forall k, (k <= h + 2)%nat -> few k.
Proof. intros k K; apply few_less with (1 := K); unfold few; lra. Qed.

Lemma tree_shallow : shallow (depth t).
Proof. apply shallow_less with (h + 2)%nat; [lia | unfold shallow; lra]. Qed.

Lemma tree_short : short t.
Proof. unfold short; rewrite (Permutation_length every_column), seq_length; exact length_most. Qed.

Lemma columns_positive : 1 <= INR n.
Proof. apply le_INR in length_least; exact length_least. Qed.

Lemma mean_exact : M = exact x t / INR n.
Proof. unfold M, mean; now rewrite exact_squares, (squares_permuted _ _ _ every_column). Qed.

Lemma mean_nonnegative : 0 <= M.
Proof.
  rewrite mean_exact; pose proof columns_positive.
  apply Rmult_le_pos; [apply exact_nonnegative | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

Lemma mean_most : M <= 65504 * 65504.
Proof.
  rewrite mean_exact; pose proof columns_positive; pose proof (exact_most x input t) as E.
  rewrite (Permutation_length every_column), seq_length in E.
  apply Rmult_le_reg_r with (INR n); [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

(* The least sum that is not 0, divided by the most columns, is far above the least normal number. *)
Lemma quotient_regular : regular (value x t / INR n).
Proof.
  pose proof columns_positive; destruct (zero_or_more_value x input t) as [-> | L].
  - left; unfold Rdiv; ring.
  - right; apply Rle_trans with (pow2 (-64)); [apply pow2_monotone; lia |].
    pose proof (pow2_positive (-48)); rewrite Rabs_pos_eq.
    + apply Rmult_le_reg_r with (INR n); [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace (pow2 (-64)) with (pow2 (-48) * / 65536) by (unfold pow2; simpl; lra); nra.
    + apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

Lemma quotient_accuracy : Rabs (quotient x n t - M) <= gamma (h + 1) * M.
Proof.
  replace (h + 1)%nat with (S h) by lia; apply rounding_step.
  - apply few_roundings; lia.
  - apply mean_nonnegative.
  - apply quotient_regular.
  - rewrite mean_exact; pose proof columns_positive; pose proof (exact_nonnegative x t).
    assert (0 < / INR n) as I by (apply Rinv_0_lt_compat; lra).
    replace (value x t / INR n - exact x t / INR n) with ((value x t - exact x t) * / INR n) by (unfold Rdiv; ring).
    rewrite Rabs_mult, (Rabs_pos_eq (/ INR n)) by lra; unfold Rdiv; rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra |].
    pose proof (sum_accuracy x input t (few_roundings (depth t) ltac:(lia))) as A.
    apply Rle_trans with (1 := A), Rmult_le_compat_r; [assumption |].
    apply gamma_monotone; [assumption | apply few_roundings; lia].
Qed.

Lemma quotient_nonnegative : 0 <= quotient x n t.
Proof.
  apply rn32_nonnegative, Rmult_le_pos; [now apply value_nonnegative |].
  pose proof columns_positive; apply Rlt_le, Rinv_0_lt_compat; lra.
Qed.

Lemma argument_accuracy : Rabs (v - V) <= g * V.
Proof.
  unfold v, argument, g; replace (h + 2)%nat with (S (h + 1)) by lia; pose proof (pow2_positive (-30)).
  pose proof mean_nonnegative; pose proof quotient_nonnegative; apply rounding_step.
  - apply few_roundings; lia.
  - unfold V; lra.
  - right; rewrite Rabs_pos_eq by lra; apply Rle_trans with (pow2 (-30)); [apply pow2_monotone; lia | lra].
  - unfold V; rewrite (Rplus_comm _ eps), (Rplus_comm M eps).
    apply (parts_step 0); try lra; [lia | apply few_roundings; lia | | apply quotient_accuracy].
    rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0; pose proof (gamma_nonnegative 0 (few_roundings 0 ltac:(lia))); nra.
Qed.

Lemma g_small : 0 <= g <= / 512.
Proof.
  assert (few (h + 2)) as F by (apply few_roundings; lia).
  pose proof (gamma_nonnegative _ F) as N; pose proof (gamma_equation _ F) as E; fold g in N, E.
  assert (0 <= g * (/ 1024 - INR (h + 2) * u)) by (apply Rmult_le_pos; lra); lra.
Qed.

(* 1 / sqrt V *)
Let i := / sqrt V.

Lemma V_bounds : pow2 (-30) <= V <= pow2 32.
Proof.
  pose proof mean_nonnegative; pose proof mean_most; unfold V.
  assert (pow2 32 = 4294967296) as -> by reflexivity; lra.
Qed.

Lemma i_bounds : pow2 (-16) <= i <= pow2 15.
Proof.
  pose proof V_bounds as [L U]; pose proof (pow2_positive (-30)); unfold i.
  assert (0 < sqrt V) as P by (apply sqrt_lt_R0; lra).
  pose proof (sqrt_sqrt V ltac:(lra)) as E.
  replace (pow2 (-16)) with (/ 65536) by (unfold pow2; simpl; lra).
  assert (pow2 15 = 32768) as -> by reflexivity.
  assert (pow2 32 = 65536 * 65536) as W by (change (pow2 32) with 4294967296; lra).
  assert (pow2 (-30) = / 32768 * / 32768) as W' by (unfold pow2; simpl; lra).
  split.
  - apply Rinv_le; [assumption |]; destruct (Rle_lt_dec (sqrt V) 65536); [assumption | nra].
  - rewrite <- (Rinv_inv 32768); apply Rinv_le; [lra |].
    destruct (Rle_lt_dec (/ 32768) (sqrt V)); [assumption | nra].
Qed.

(* r = p / sqrt V with p near 1. *)
Lemma root_accuracy : exists p, r = p * i /\ Rabs (p - 1) <= (1 + g / 2 * (1 + g)) * (1 + rho) - 1.
Proof.
  pose proof V_bounds as [L _]; pose proof (pow2_positive (-30)); pose proof g_small.
  destruct (inverse_root g v V) as [P Q]; [lra | lra | apply argument_accuracy |].
  assert (0 < sqrt V) as SV by (apply sqrt_lt_R0; lra); assert (0 < sqrt v) as Sv by now apply sqrt_lt_R0.
  assert (0 < / sqrt v) as I by now apply Rinv_0_lt_compat.
  exists (/ sqrt v * sqrt V * (1 + (r * sqrt v - 1))); split; [unfold i; field; lra |].
  apply factor_step; [nra | lra | exact Q |].
  unfold root_of in rsqrt; fold v in rsqrt.
  replace (r * sqrt v - 1) with ((r - / sqrt v) * sqrt v) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (sqrt v)) by lra.
  apply Rmult_le_reg_r with (/ sqrt v); [assumption |].
  rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra; exact rsqrt.
Qed.

Lemma root_range : pow2 (-17) <= r <= pow2 16.
Proof.
  destruct root_accuracy as [p [-> P]]; pose proof g_small; pose proof i_bounds as [L U].
  apply within_bounds in P; assert (/ 2 <= p <= 2) as B by nra.
  replace (pow2 (-17)) with (/ 2 * pow2 (-16)) by (unfold pow2; simpl; lra).
  replace (pow2 16) with (2 * pow2 15) by (unfold pow2; simpl; lra).
  pose proof (pow2_positive (-16)); nra.
Qed.

Lemma input_most : forall a, binary16 a -> Rabs a <= pow2 16.
Proof. intros a [_ A]; assert (pow2 16 = 65536) as -> by reflexivity; lra. Qed.

Lemma product_regular : forall c, regular (x c * r).
Proof.
  intros c; apply (ranged_regular (-41)); [lia |]; apply (product_least (-24) (-17)); [now apply binary16_least | right].
  destruct root_range; pose proof (pow2_positive (-17)); rewrite Rabs_pos_eq by lra; assumption.
Qed.

Lemma result_regular : forall c, regular (scaled x r c * w).
Proof.
  intros c; apply (ranged_regular (-66)); [lia |]; apply (product_least (-42) (-24)); [| now apply binary16_least].
  apply (rounded_least (-41)); [lia |]; apply (product_least (-24) (-17)); [now apply binary16_least | right].
  destruct root_range; pose proof (pow2_positive (-17)); rewrite Rabs_pos_eq by lra; assumption.
Qed.

(* The bound of the harness, before the rounding to binary16. *)
Theorem rmsnorm_accuracy : forall c,
  Rabs (result x w r c - normalised x w eps n c) <= phi rho h * Rabs (normalised x w eps n c).
Proof.
  intros c; destruct root_accuracy as [p [R P]]; pose proof g_small; pose proof u_positive.
  destruct (rn32_factor _ (product_regular c)) as [d [D E]].
  destruct (rn32_factor _ (result_regular c)) as [d' [D' E']].
  replace (result x w r c) with (normalised x w eps n c * (p * (1 + d) * (1 + d'))).
  2: { unfold result; rewrite E'; unfold scaled; rewrite E, R; unfold normalised, i, V, M, Rdiv; ring. }
  set (Y := normalised x w eps n c).
  replace (Y * (p * (1 + d) * (1 + d')) - Y) with ((p * (1 + d) * (1 + d') - 1) * Y) by ring.
  rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos |].
  set (a := (1 + g / 2 * (1 + g)) * (1 + rho) - 1) in P; assert (0 <= a) as A by (unfold a; nra).
  assert (0 <= (1 + a) * (1 + u) - 1) as A' by nra.
  pose proof (factor_step a u p d A ltac:(lra) P D) as F.
  apply Rle_trans with (1 := factor_step _ u _ d' A' ltac:(lra) F D'); unfold phi; fold g; cbv zeta; unfold a; lra.
Qed.

(* No instruction overflows. *)
Theorem rmsnorm_finite : forall c,
  finite x t /\ finite32 (quotient x n t) /\ finite32 (argument x eps n t) /\ finite32 r /\
  finite32 (scaled x r c) /\ finite32 (result x w r c).
Proof.
  intros c; pose proof g_small; pose proof u_value; pose proof V_bounds as [_ U]; destruct root_range as [R0 R1].
  pose proof (pow2_positive (-17)); pose proof mean_nonnegative; pose proof mean_most.
  assert (pow2 32 = 4294967296) as W by reflexivity.
  assert (pow2 127 > 4 * pow2 50) as Far by (unfold pow2; simpl; lra).
  assert (pow2 50 > 2 * pow2 32) as Far' by (unfold pow2; simpl; lra).
  assert (pow2 50 > pow2 16) as Far'' by (unfold pow2; simpl; lra).
  assert (Rabs (x c * r) <= pow2 32) as A.
  { change (pow2 32) with (pow2 (16 + 16)); apply product_most; [now apply input_most |].
    rewrite Rabs_pos_eq by lra; assumption. }
  assert (Rabs (scaled x r c * w) <= pow2 49) as B.
  { change (pow2 49) with (pow2 (33 + 16)); apply product_most; [| now apply input_most].
    apply (rounded_most 32); [apply product_regular | exact A]. }
  repeat split.
  - apply sum_finite; [exact input | apply tree_shallow | apply tree_short].
  - unfold finite32; rewrite Rabs_pos_eq by apply quotient_nonnegative.
    pose proof quotient_accuracy as Q; apply within_bounds in Q.
    assert (gamma (h + 1) <= g) as G by (apply gamma_monotone; [lia | apply few_roundings; lia]); nra.
  - pose proof argument_accuracy as Q; apply within_bounds in Q; fold v; pose proof (pow2_positive (-30)).
    assert (0 < V) by (unfold V; lra); unfold finite32; apply Rabs_def1; nra.
  - unfold finite32; rewrite Rabs_pos_eq by lra; lra.
  - pose proof (rounded_most 32 _ (product_regular c) A) as Q; unfold finite32, scaled.
    replace (pow2 (32 + 1)) with (2 * pow2 32) in Q by (unfold pow2; simpl; lra); lra.
  - pose proof (rounded_most 49 _ (result_regular c) B) as Q; unfold finite32, result; change (pow2 (49 + 1)) with (pow2 50) in Q.
    lra.
Qed.

End Row.
