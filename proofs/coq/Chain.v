(* Theorem 2.2: a chain of mma of any length; a product of matrices. docs/numerics.md, "Tensor core".

   acc t is the accumulator after t instructions, ps t are the 16 products of the next one. *)

From Coq Require Import Reals ZArith Lia Lra List.
From Flocq Require Import Core.
From Fltc Require Import Rounding Truncation TensorCore.
Import ListNotations.

Open Scope R_scope.

(* The first T accumulators are what a device that obeys TC(F, g) may compute. *)
Definition chain (F : Z) (g : nat) (ps : nat -> list operands) (acc : nat -> R) (T : nat) : Prop :=
  format32 (acc 0%nat) /\
  forall t, (t < T)%nat ->
    Forall factors (ps t) /\ length (ps t) = 16%nat /\ tensor_core F g (acc t) (ps t) (acc (S t)).

(* s_t, from s. *)
Fixpoint exact_sum (s : R) (ps : nat -> list operands) (t : nat) : R :=
  match t with
  | O => s
  | S t => exact_sum s ps t + dot (ps t)
  end.

(* T_t, from c. *)
Fixpoint total_weight (c : R) (ps : nat -> list operands) (t : nat) : R :=
  match t with
  | O => Rabs c
  | S t => total_weight c ps t + clipped (ps t)
  end.

(* E_t, where the first accumulator is within E of s. *)
Fixpoint running (k s E : R) (ps : nat -> list operands) (t : nat) : R :=
  match t with
  | O => E
  | S t => running k s E ps t + k * (Rabs (exact_sum s ps t) + running k s E ps t + clipped (ps t))
  end.

(* E'_t, which needs no values. *)
Fixpoint a_priori (k c : R) (ps : nat -> list operands) (t : nat) : R :=
  match t with
  | O => 0
  | S t => a_priori k c ps t + k * total_weight c ps (S t)
  end.

Lemma total_weight_step : forall c ps t, total_weight c ps t <= total_weight c ps (S t).
Proof. intros c ps t; simpl; pose proof (clipped_nonnegative (ps t)); lra. Qed.

Lemma total_weight_monotone : forall c ps t T, (t <= T)%nat -> total_weight c ps t <= total_weight c ps T.
Proof.
  intros c ps t T L; induction L as [| T L I]; [lra |].
  apply Rle_trans with (1 := I), total_weight_step.
Qed.

(* Magnitudes never grow, so nothing overflows. *)
Lemma chain_magnitude : forall F g ps acc T, (23 <= F)%Z -> chain F g ps acc T ->
  total_weight (acc 0%nat) ps T < pow2 128 ->
  forall t, (t <= T)%nat -> Rabs (acc t) <= total_weight (acc 0%nat) ps t /\ format32 (acc t).
Proof.
  intros F g ps acc T HF [C D] Most; induction t as [| t I]; intros L.
  - split; [simpl; lra | exact C].
  - destruct I as [A B]; [lia |]; destruct (D t ltac:(lia)) as [P [N M]].
    pose proof (total_weight_monotone (acc 0%nat) ps (S t) T L) as W; cbn [total_weight] in *.
    destruct (mma_accuracy F g (acc t) (ps t) (acc (S t)) HF B P N) as [_ [G H]]; trivial; [unfold weight; lra |].
    split; [pose proof (magnitude_clipped (ps t)); lra | exact H].
Qed.

(* One instruction, in the middle of a chain. *)
Lemma chain_link : forall F g ps acc T, (23 <= F)%Z -> chain F g ps acc T ->
  total_weight (acc 0%nat) ps T < pow2 128 ->
  forall t, (t < T)%nat -> Rabs (acc (S t) - (acc t + dot (ps t))) <= kappa F g * (Rabs (acc t) + clipped (ps t)).
Proof.
  intros F g ps acc T HF H Most t L.
  destruct (chain_magnitude F g ps acc T HF H Most t) as [A B]; [lia |].
  destruct H as [_ D]; destruct (D t L) as [P [N M]].
  pose proof (total_weight_monotone (acc 0%nat) ps (S t) T L) as W; cbn [total_weight] in W.
  apply mma_accuracy; trivial; unfold weight; lra.
Qed.

(* The running bound, of whatever errs so much at each step. *)
Lemma running_of_links : forall k ps acc T s E, 0 <= k ->
  (forall t, (t < T)%nat -> Rabs (acc (S t) - (acc t + dot (ps t))) <= k * (Rabs (acc t) + clipped (ps t))) ->
  Rabs (acc 0%nat - s) <= E ->
  forall t, (t <= T)%nat -> Rabs (acc t - exact_sum s ps t) <= running k s E ps t.
Proof.
  intros k ps acc T s E K0 K Start; induction t as [| t I]; intros L; [exact Start |].
  specialize (I ltac:(lia)); specialize (K t L); simpl.
  assert (Rabs (acc t) <= Rabs (exact_sum s ps t) + running k s E ps t) as A.
  { replace (acc t) with ((acc t - exact_sum s ps t) + exact_sum s ps t) by ring.
    eapply Rle_trans; [apply Rabs_triang |]; lra. }
  replace (acc (S t) - (exact_sum s ps t + dot (ps t)))
    with ((acc (S t) - (acc t + dot (ps t))) + (acc t - exact_sum s ps t)) by ring.
  eapply Rle_trans; [apply Rabs_triang |]; nra.
Qed.

(* Theorem 2.2, the running bound. *)
Theorem chain_running : forall F g ps acc T s E, (23 <= F)%Z -> chain F g ps acc T ->
  total_weight (acc 0%nat) ps T < pow2 128 -> Rabs (acc 0%nat - s) <= E ->
  forall t, (t <= T)%nat -> Rabs (acc t - exact_sum s ps t) <= running (kappa F g) s E ps t.
Proof.
  intros F g ps acc T s E HF H Most Start.
  apply running_of_links; [apply kappa_nonnegative | now apply chain_link | exact Start].
Qed.

(* Theorem 2.2, the bound a priori. *)
Theorem chain_a_priori : forall F g ps acc T, (23 <= F)%Z -> chain F g ps acc T ->
  total_weight (acc 0%nat) ps T < pow2 128 ->
  forall t, (t <= T)%nat ->
    Rabs (acc t - exact_sum (acc 0%nat) ps t) <= a_priori (kappa F g) (acc 0%nat) ps t.
Proof.
  intros F g ps acc T HF H Most; induction t as [| t I]; intros L.
  - simpl; rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0; lra.
  - specialize (I ltac:(lia)); pose proof (chain_link F g ps acc T HF H Most t L) as K; simpl.
    destruct (chain_magnitude F g ps acc T HF H Most t) as [A _]; [lia |].
    pose proof (kappa_nonnegative F g) as K0.
    replace (acc (S t) - (exact_sum (acc 0%nat) ps t + dot (ps t)))
      with ((acc (S t) - (acc t + dot (ps t))) + (acc t - exact_sum (acc 0%nat) ps t)) by ring.
    eapply Rle_trans; [apply Rabs_triang |]; nra.
Qed.

Lemma a_priori_most : forall k c ps t, 0 <= k -> a_priori k c ps t <= INR t * (k * total_weight c ps t).
Proof.
  intros k c ps t K; induction t as [| t I]; [simpl; lra |].
  rewrite S_INR; pose proof (total_weight_step c ps t) as W; simpl in *; pose proof (pos_INR t).
  assert (INR t * (k * total_weight c ps t) <= INR t * (k * (total_weight c ps t + clipped (ps t)))) by
    (apply Rmult_le_compat_l; [assumption | apply Rmult_le_compat_l; assumption]).
  lra.
Qed.

(* --- products of matrices ----------------------------------------------------------------------------------------- *)

(* An element of the product is a row a of one and a column b of the other, taken 16 at a time in ascending order. *)
Definition sixteen (a b : nat -> R) (t : nat) : list operands := map (fun i => (a i, b i)) (seq (16 * t) 16).

Fixpoint sum_below (f : nat -> R) (n : nat) : R :=
  match n with
  | O => 0
  | S n => sum_below f n + f n
  end.

Lemma sum_below_sixteen : forall f t, sum_below f (16 * S t) =
  sum_below f (16 * t) + fold_right (fun i s => f i + s) 0 (seq (16 * t) 16).
Proof.
  intros f t; replace (16 * S t)%nat with (16 + 16 * t)%nat by lia.
  set (n := (16 * t)%nat); simpl; ring.
Qed.

Lemma total_sixteen : forall f a b t,
  total f (sixteen a b t) = fold_right (fun i s => f (a i, b i) + s) 0 (seq (16 * t) 16).
Proof. intros f a b t; unfold sixteen; generalize (seq (16 * t) 16); induction l as [| i l I]; simpl; congruence. Qed.

Lemma exact_sum_row : forall a b t, exact_sum 0 (sixteen a b) t = sum_below (fun k => a k * b k) (16 * t).
Proof.
  intros a b t; induction t as [| t I]; [reflexivity |].
  rewrite (sum_below_sixteen (fun k => a k * b k)), <- I; simpl exact_sum; unfold dot; now rewrite total_sixteen.
Qed.

Lemma total_weight_row : forall a b t,
  total_weight 0 (sixteen a b) t = sum_below (fun k => cl (a k) * cl (b k)) (16 * t).
Proof.
  intros a b t; induction t as [| t I]; [simpl; apply Rabs_R0 |].
  rewrite (sum_below_sixteen (fun k => cl (a k) * cl (b k))), <- I; simpl total_weight; unfold clipped.
  now rewrite total_sixteen.
Qed.

Lemma sum_below_most : forall f b n, (forall k, (k < n)%nat -> f k <= b) -> sum_below f n <= INR n * b.
Proof.
  intros f b n; induction n as [| n I]; intros H; [simpl; lra |].
  rewrite S_INR; simpl; specialize (I ltac:(intros k L; apply H; lia)); specialize (H n ltac:(lia)); lra.
Qed.

(* Filling up with zeros changes no sum. *)
Lemma sum_below_filled : forall f n m, (n <= m)%nat -> (forall k, (n <= k < m)%nat -> f k = 0) ->
  sum_below f m = sum_below f n.
Proof.
  intros f n m L; induction L as [| m L I]; intros H; [reflexivity |].
  simpl; rewrite (H m) by lia; rewrite I by (intros k B; apply H; lia); ring.
Qed.

Lemma cl_zero : cl 0 = 0.
Proof. unfold cl; destruct (Req_EM_T 0 0); [reflexivity | contradiction]. Qed.

Lemma cl_most : forall x, binary16 x -> cl x <= pow2 16.
Proof.
  intros x [_ B]; unfold cl; destruct (Req_EM_T x 0); [apply bpow_ge_0 |].
  apply Rmax_lub; [unfold pow2; simpl; lra | apply pow2_monotone; lia].
Qed.

(* What a kernel does: accumulators from +0, K products filled up with zeros to 16 t. *)
Definition gemm (F : Z) (g : nat) (a b acc : nat -> R) (K t : nat) : Prop :=
  (K <= 16 * t)%nat /\ INR (16 * t) < pow2 96 /\
  (forall k, (k < 16 * t)%nat -> binary16 (a k) /\ binary16 (b k)) /\
  (forall k, (K <= k < 16 * t)%nat -> a k = 0 /\ b k = 0) /\
  acc 0%nat = 0 /\ forall j, (j < t)%nat -> tensor_core F g (acc j) (sixteen a b j) (acc (S j)).

Definition row (a b : nat -> R) (K : nat) : R := sum_below (fun k => a k * b k) K.
Definition row_weight (a b : nat -> R) (K : nat) : R := sum_below (fun k => cl (a k) * cl (b k)) K.

(* The corollary: from the data, and in words of K alone. *)
Theorem gemm_accuracy : forall F g a b acc K t, (23 <= F)%Z -> gemm F g a b acc K t ->
  Rabs (acc t - row a b K) <= running (kappa F g) 0 0 (sixteen a b) t /\
  Rabs (acc t - row a b K) <= INR t * (kappa F g * row_weight a b K) /\
  Rabs (acc t) <= row_weight a b K /\ format32 (acc t).
Proof.
  intros F g a b acc K t HF [L [Few [P [Z [Start D]]]]].
  assert (total_weight (acc 0%nat) (sixteen a b) t < pow2 128) as Most.
  { rewrite Start, total_weight_row.
    apply Rle_lt_trans with (INR (16 * t) * pow2 32).
    - apply sum_below_most; intros k B; destruct (P k B) as [A A'].
      change (pow2 32) with (pow2 (16 + 16)); unfold pow2; rewrite bpow_plus.
      apply Rmult_le_compat; auto using cl_nonnegative, cl_most.
    - change (pow2 128) with (pow2 (96 + 32)); unfold pow2 at 2; rewrite bpow_plus.
      apply Rmult_lt_compat_r; [apply bpow_gt_0 | exact Few]. }
  assert (chain F g (sixteen a b) acc t) as H.
  { split; [rewrite Start; apply generic_format_0 |]; intros j J; split; [| split; [reflexivity | now apply D]].
    apply Forall_forall; intros p I; unfold sixteen in I; apply in_map_iff in I; destruct I as [i [<- I]].
    apply in_seq in I; apply P; lia. }
  assert (row a b K = exact_sum 0 (sixteen a b) t) as Exact.
  { rewrite exact_sum_row; symmetry; apply sum_below_filled; [exact L |].
    intros k B; destruct (Z k B) as [-> _]; ring. }
  assert (row_weight a b K = total_weight 0 (sixteen a b) t) as Weight.
  { rewrite total_weight_row; symmetry; apply sum_below_filled; [exact L |].
    intros k B; destruct (Z k B) as [-> _]; rewrite cl_zero; ring. }
  rewrite Exact, Weight; split; [| split].
  - apply (chain_running F g (sixteen a b) acc t 0 0 HF H Most); [| lia].
    rewrite Start, Rminus_0_r, Rabs_R0; lra.
  - pose proof (chain_a_priori F g (sixteen a b) acc t HF H Most t (le_n t)) as A; rewrite Start in A.
    apply Rle_trans with (1 := A), a_priori_most, kappa_nonnegative.
  - pose proof (chain_magnitude F g (sixteen a b) acc t HF H Most t (le_n t)) as A; now rewrite Start in A.
Qed.

(* With the constants of docs/numerics.md: Ada and every TC(24, 2), and Hopper by itself. *)
Corollary gemm_ada : forall a b acc K t, gemm 24 2 a b acc K t ->
  Rabs (acc t - row a b K) <= running (10 * pow2 (-23)) 0 0 (sixteen a b) t /\
  Rabs (acc t - row a b K) <= INR t * (10 * pow2 (-23) * row_weight a b K).
Proof.
  intros a b acc K t H; rewrite <- kappa_ada; destruct (gemm_accuracy 24 2 a b acc K t) as [A [B _]]; auto; lia.
Qed.

Corollary gemm_hopper : forall a b acc K t, gemm 25 1 a b acc K t ->
  Rabs (acc t - row a b K) <= running (5 * pow2 (-23)) 0 0 (sixteen a b) t /\
  Rabs (acc t - row a b K) <= INR t * (5 * pow2 (-23) * row_weight a b K).
Proof.
  intros a b acc K t H; rewrite <- kappa_hopper; destruct (gemm_accuracy 25 1 a b acc K t) as [A [B _]]; auto; lia.
Qed.

(* A device that obeys more than TC(24, 2) keeps its bound too. *)
Corollary gemm_weaker : forall F G g h a b acc K t,
  (F <= G)%Z -> (h <= g)%nat -> gemm G h a b acc K t -> gemm F g a b acc K t.
Proof.
  intros F G g h a b acc K t L M [A [B [C [D [E H]]]]]; repeat split; trivial; try apply C; try apply D; trivial.
  intros j J; apply (tensor_core_weaker F G g h); trivial; now apply H.
Qed.

(* What is stored, by a rounding that is monotone, lies where the contract accepts it. *)
Corollary gemm_stored : forall (stored : R -> R) a b acc K t,
  (forall x y, x <= y -> stored x <= stored y) -> gemm 24 2 a b acc K t ->
  let E := running (10 * pow2 (-23)) 0 0 (sixteen a b) t in
  stored (row a b K - E) <= stored (acc t) <= stored (row a b K + E).
Proof.
  intros stored a b acc K t M H E; destruct (gemm_ada a b acc K t H) as [A _]; fold E in A.
  apply within_bounds in A; split; apply M; lra.
Qed.
