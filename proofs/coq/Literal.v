(* What PTX itself promises of an mma, and the bounds that follow from that alone. docs/numerics.md, "Tensor core".

   16 additions in any order, each with a relative error of at most 2^-23; products are exact. Magnitudes may grow. *)

From Coq Require Import Reals ZArith Lia Lra List Permutation.
From Flocq Require Import Core.
From Fltc Require Import Rounding TensorCore Chain.
Import ListNotations.

Open Scope R_scope.

Definition w : R := pow2 (-23).

Inductive order : Type :=
  | Addend (x : R)
  | Plus (l r : order).

Fixpoint addends (t : order) : list R :=
  match t with
  | Addend x => [x]
  | Plus l r => addends l ++ addends r
  end.

Fixpoint additions (t : order) : nat :=
  match t with
  | Addend _ => 0
  | Plus l r => S (additions l + additions r)
  end.

(* The results that an order of additions may have. *)
Inductive result : order -> R -> Prop :=
  | Result_addend x : result (Addend x) x
  | Result_plus l r a b v : result l a -> result r b -> Rabs (v - (a + b)) <= w * Rabs (a + b) -> result (Plus l r) v.

Definition literal (c : R) (ps : list operands) (d : R) : Prop :=
  exists t, Permutation (addends t) (c :: map product ps) /\ result t d.

Definition kappa_literal : R := (1 + w) ^ 16 - 1.

Fixpoint sum (f : R -> R) (xs : list R) : R :=
  match xs with
  | [] => 0
  | x :: rest => f x + sum f rest
  end.

Lemma sum_app : forall f xs ys, sum f (xs ++ ys) = sum f xs + sum f ys.
Proof. intros f xs ys; induction xs as [| x xs I]; simpl; lra. Qed.

Lemma sum_permutation : forall f xs ys, Permutation xs ys -> sum f xs = sum f ys.
Proof. intros f xs ys P; induction P; simpl; lra. Qed.

Lemma sum_products : forall f ps, sum f (map product ps) = total (fun p => f (product p)) ps.
Proof. intros f ps; induction ps as [| p ps I]; simpl; congruence. Qed.

Lemma sum_nonnegative : forall xs, 0 <= sum Rabs xs.
Proof. induction xs as [| x xs I]; simpl; [lra |]; pose proof (Rabs_pos x); lra. Qed.

Lemma sum_magnitude : forall xs, Rabs (sum (fun x => x) xs) <= sum Rabs xs.
Proof.
  induction xs as [| x xs I]; simpl; [rewrite Rabs_R0; lra |]; eapply Rle_trans; [apply Rabs_triang |]; lra.
Qed.

Lemma w_positive : 0 < w.
Proof. apply pow2_positive. Qed.

Lemma power_at_least_1 : forall n, 1 <= (1 + w) ^ n.
Proof. intros n; apply pow_R1_Rle; pose proof w_positive; lra. Qed.

Lemma power_monotone : forall m n, (m <= n)%nat -> (1 + w) ^ m <= (1 + w) ^ n.
Proof. intros m n L; apply Rle_pow; [pose proof w_positive; lra | exact L]. Qed.

Lemma count_addends : forall t, length (addends t) = S (additions t).
Proof. induction t as [x | l I r J]; simpl; [reflexivity |]; rewrite app_length, I, J; lia. Qed.

Lemma result_accuracy : forall t v, result t v ->
  Rabs (v - sum (fun x => x) (addends t)) <= ((1 + w) ^ additions t - 1) * sum Rabs (addends t).
Proof.
  intros t v H; induction H as [x | l r a b v _ I _ J E].
  - simpl; rewrite Rplus_0_r, (Rminus_diag_eq _ _ eq_refl), Rabs_R0; lra.
  - simpl addends; simpl additions; rewrite !sum_app.
    set (n := (additions l + additions r)%nat).
    pose proof (power_monotone (additions l) n ltac:(lia)) as L.
    pose proof (power_monotone (additions r) n ltac:(lia)) as R.
    pose proof (sum_nonnegative (addends l)) as PL; pose proof (sum_nonnegative (addends r)) as PR.
    pose proof (sum_magnitude (addends l)) as ML; pose proof (sum_magnitude (addends r)) as MR.
    set (x := sum (fun x => x) (addends l)) in *; set (y := sum (fun x => x) (addends r)) in *.
    set (p := sum Rabs (addends l)) in *; set (q := sum Rabs (addends r)) in *.
    pose proof w_positive as W; pose proof (power_at_least_1 n) as N.
    assert (Rabs (a + b - (x + y)) <= ((1 + w) ^ n - 1) * (p + q)) as A.
    { replace (a + b - (x + y)) with ((a - x) + (b - y)) by ring; eapply Rle_trans; [apply Rabs_triang |]; nra. }
    assert (Rabs (a + b) <= (1 + w) ^ n * (p + q)) as B.
    { replace (a + b) with ((a + b - (x + y)) + (x + y)) by ring; eapply Rle_trans; [apply Rabs_triang |].
      pose proof (Rabs_triang x y); lra. }
    replace (v - (x + y)) with ((v - (a + b)) + (a + b - (x + y))) by ring.
    eapply Rle_trans; [apply Rabs_triang |]; simpl pow; nra.
Qed.

Theorem literal_accuracy : forall c ps d, length ps = 16%nat -> literal c ps d ->
  Rabs (d - (c + dot ps)) <= kappa_literal * (Rabs c + magnitude ps) /\
  Rabs d <= (1 + w) ^ 16 * (Rabs c + magnitude ps).
Proof.
  intros c ps d N [t [P H]]; apply result_accuracy in H; pose proof (count_addends t) as C.
  rewrite (Permutation_length P) in C; simpl in C; rewrite map_length, N in C; injection C as C; rewrite <- C in H.
  rewrite (sum_permutation _ _ _ P), (sum_permutation Rabs _ _ P) in H; simpl sum in H; rewrite !sum_products in H.
  change (total (fun p => product p) ps) with (dot ps) in H; fold (magnitude ps) in H.
  split; [exact H |].
  replace d with ((d - (c + dot ps)) + (c + dot ps)) by ring; eapply Rle_trans; [apply Rabs_triang |].
  pose proof (Rabs_triang c (dot ps)) as T.
  assert (Rabs (dot ps) <= magnitude ps) by (apply total_within; intros; lra).
  unfold kappa_literal in *; lra.
Qed.

(* It is more than what TC(24, 2) needs, so it serves as a constant for both: 16.0001 units of 2^-23. *)
Theorem kappa_literal_value : kappa 24 2 <= kappa_literal <= 160001 / 10000 * pow2 (-23).
Proof. rewrite kappa_ada; unfold kappa_literal, w, pow2; simpl; lra. Qed.

Lemma literal_clipped : forall c ps d, length ps = 16%nat -> literal c ps d ->
  Rabs (d - (c + dot ps)) <= kappa_literal * (Rabs c + clipped ps) /\
  Rabs d <= (1 + w) ^ 16 * (Rabs c + clipped ps).
Proof.
  intros c ps d N H; destruct (literal_accuracy c ps d N H) as [A B]; pose proof (magnitude_clipped ps) as M.
  pose proof (power_at_least_1 16) as P; unfold kappa_literal in *; split; nra.
Qed.

(* A chain of any length: the running bound is the same in terms of the factor. *)
Theorem literal_running : forall ps acc T s E, Rabs (acc 0%nat - s) <= E ->
  (forall t, (t < T)%nat -> length (ps t) = 16%nat /\ literal (acc t) (ps t) (acc (S t))) ->
  forall t, (t <= T)%nat -> Rabs (acc t - exact_sum s ps t) <= running kappa_literal s E ps t.
Proof.
  intros ps acc T s E Start H; apply running_of_links; [| | exact Start].
  - pose proof (power_at_least_1 16); unfold kappa_literal; lra.
  - intros t L; destruct (H t L) as [N D]; now apply literal_clipped.
Qed.

(* A priori magnitudes may grow by (1 + w)^16 an instruction. *)
Theorem literal_a_priori : forall ps acc T,
  (forall t, (t < T)%nat -> length (ps t) = 16%nat /\ literal (acc t) (ps t) (acc (S t))) ->
  forall t, (t <= T)%nat ->
    Rabs (acc t) <= (1 + w) ^ (16 * t) * total_weight (acc 0%nat) ps t /\
    Rabs (acc t - exact_sum (acc 0%nat) ps t) <=
      INR t * kappa_literal * (1 + w) ^ (16 * t) * total_weight (acc 0%nat) ps t.
Proof.
  intros ps acc T H; induction t as [| t I]; intros L.
  - simpl; rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0; lra.
  - destruct (I ltac:(lia)) as [G A]; clear I; destruct (H t ltac:(lia)) as [N D].
    destruct (literal_clipped _ _ _ N D) as [B M]; cbn [exact_sum total_weight]; rewrite S_INR.
    replace (16 * S t)%nat with (16 * t + 16)%nat by lia; rewrite pow_add.
    pose proof (power_at_least_1 (16 * t)) as P; pose proof (power_at_least_1 16) as Q; pose proof (pos_INR t) as Z.
    pose proof (clipped_nonnegative (ps t)) as Y; set (y := clipped (ps t)) in *.
    assert (0 <= total_weight (acc 0%nat) ps t) as W0.
    { clear; induction t as [| t I]; [apply Rabs_pos |]; pose proof (total_weight_step (acc 0%nat) ps t); lra. }
    set (W := total_weight (acc 0%nat) ps t) in *; set (e := exact_sum (acc 0%nat) ps t) in *.
    unfold kappa_literal in *; set (g := (1 + w) ^ (16 * t)) in *; set (h := (1 + w) ^ 16) in *.
    assert (Rabs (acc t) + y <= g * (W + y)) as V by nra.
    assert (0 <= g * (W + y)) as S0 by (apply Rmult_le_pos; lra).
    assert (INR t * (h - 1) * g * W <= INR t * (h - 1) * (g * (W + y))) as F.
    { rewrite <- Rmult_assoc; apply Rmult_le_compat_l; [| lra].
      repeat apply Rmult_le_pos; lra. }
    assert (0 <= (h - 1) * (g * (W + y))) as K0 by (apply Rmult_le_pos; lra).
    assert (0 <= INR t * ((h - 1) * (g * (W + y)))) as K1 by (apply Rmult_le_pos; lra).
    split.
    + apply Rle_trans with (1 := M); replace (g * h * (W + y)) with (h * (g * (W + y))) by ring.
      apply Rmult_le_compat_l; lra.
    + replace (acc (S t) - (e + dot (ps t))) with ((acc (S t) - (acc t + dot (ps t))) + (acc t - e)) by ring.
      eapply Rle_trans; [apply Rabs_triang |].
      apply Rle_trans with ((INR t + 1) * ((h - 1) * (g * (W + y)))).
      * assert ((h - 1) * (Rabs (acc t) + y) <= (h - 1) * (g * (W + y))) by (apply Rmult_le_compat_l; lra); nra.
      * replace ((INR t + 1) * (h - 1) * (g * h) * (W + y))
          with (h * ((INR t + 1) * ((h - 1) * (g * (W + y))))) by ring.
        assert (0 <= (INR t + 1) * ((h - 1) * (g * (W + y)))) by nra; nra.
Qed.

(* --- the control: neither the factor nor the growth can be less --------------------------------------------------- *)

Fixpoint growing (n : nat) : order :=
  match n with
  | O => Addend 1
  | S n => Plus (growing n) (Addend 0)
  end.

Lemma growing_addends : forall n, addends (growing n) = 1 :: repeat 0 n.
Proof. induction n as [| n I]; [reflexivity |]; simpl addends; rewrite I; simpl; now rewrite <- repeat_cons. Qed.

Lemma growing_result : forall n, result (growing n) ((1 + w) ^ n).
Proof.
  induction n as [| n I]; [simpl; apply Result_addend |].
  apply Result_plus with ((1 + w) ^ n) 0; [exact I | constructor |]; rewrite Rplus_0_r.
  pose proof (power_at_least_1 n); pose proof w_positive; simpl pow.
  replace ((1 + w) * (1 + w) ^ n - (1 + w) ^ n) with (w * (1 + w) ^ n) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq w); lra.
Qed.

(* 16 products of 0 added to 1, each addition with the whole error that is allowed. *)
Theorem literal_is_attained : exists c ps d, length ps = 16%nat /\ literal c ps d /\ 0 < Rabs c + clipped ps /\
  Rabs (d - (c + dot ps)) = kappa_literal * (Rabs c + clipped ps) /\
  Rabs d = (1 + w) ^ 16 * (Rabs c + clipped ps).
Proof.
  exists 1, (repeat (0, 0) 16), ((1 + w) ^ 16); pose proof (power_at_least_1 16) as P.
  assert (clipped (repeat (0, 0) 16) = 0) as Z.
  { unfold clipped; cbn [total repeat fst snd]; rewrite cl_zero; ring. }
  assert (dot (repeat (0, 0) 16) = 0) as Y by (unfold dot, product; cbn [total repeat fst snd]; ring).
  rewrite Z, Y, Rabs_R1, !Rplus_0_r; split; [reflexivity | split; [| split; [lra | split]]].
  - exists (growing 16); split; [| apply growing_result]; rewrite growing_addends.
    unfold product; cbn [map repeat fst snd]; now rewrite Rmult_0_l.
  - unfold kappa_literal; rewrite Rabs_pos_eq; lra.
  - rewrite Rabs_pos_eq; lra.
Qed.
