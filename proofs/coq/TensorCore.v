(* Theorem 2.1: what one mma of 16 products may be off, on any device that obeys TC(F, g).

   docs/numerics.md, "Tensor core", has the assumption in words; `tensor_core F g c ps d` is the same as a relation: of
   accumulator c and products ps the result d is allowed. Nothing is said of where a sum outgrows binary32. *)

From Coq Require Import Reals ZArith Lia Lra List Permutation.
From Flocq Require Import Core.
From Fltc Require Import Rounding Truncation.
Import ListNotations.

Open Scope R_scope.

(* Exponents, of subnormal numbers the least. *)
Definition exponent16 (x : R) : Z := Z.max (mag radix2 x - 1) (-14).
Definition exponent32 (x : R) : Z := Z.max (mag radix2 x - 1) (-126).

Definition operands : Type := (R * R)%type.
Definition factors (p : operands) : Prop := binary16 (fst p) /\ binary16 (snd p).
Definition product (p : operands) : R := fst p * snd p.

Fixpoint total (f : operands -> R) (ps : list operands) : R :=
  match ps with
  | [] => 0
  | p :: rest => f p + total f rest
  end.

Definition dot : list operands -> R := total product.
Definition magnitude : list operands -> R := total (fun p => Rabs (product p)).

(* --- the assumption ----------------------------------------------------------------------------------------------- *)

(* The exponents of the addends other than 0, as their factors have them. *)
Inductive has_exponent (c : R) (ps : list operands) : Z -> Prop :=
  | Of_accumulator : c <> 0 -> has_exponent c ps (exponent32 c)
  | Of_product p : In p ps -> product p <> 0 -> has_exponent c ps (exponent16 (fst p) + exponent16 (snd p)).

Definition largest (c : R) (ps : list operands) (top : Z) : Prop :=
  has_exponent c ps top /\ forall e, has_exponent c ps e -> (e <= top)%Z.

(* 2^e is at most 2^(Emax - F); where all addends are 0 there is no Emax, and it does not matter what e is. *)
Definition allowed_cut (F : Z) (c : R) (ps : list operands) (e : Z) : Prop :=
  forall top, largest c ps top -> (e <= top - F)%Z.

Definition cut_sum (e : Z) (c : R) (ps : list operands) : R := cut e c + total (fun p => cut e (product p)) ps.

(* One fused sum. *)
Definition group (F : Z) (c : R) (ps : list operands) (d : R) : Prop :=
  exists e, allowed_cut F c ps e /\ (Rabs (cut_sum e c ps) < pow2 128 -> d = rz32 (cut_sum e c ps)).

(* One after the other. *)
Inductive groups (F : Z) : R -> list (list operands) -> R -> Prop :=
  | No_group c : groups F c [] c
  | Next_group c ps d rest e : group F c ps d -> groups F d rest e -> groups F c (ps :: rest) e.

(* At most g groups; which product is in which does not matter. *)
Definition tensor_core (F : Z) (g : nat) (c : R) (ps : list operands) (d : R) : Prop :=
  exists parts, (length parts <= g)%nat /\ Permutation (concat parts) ps /\ groups F c parts d.

(* --- what the error is measured by -------------------------------------------------------------------------------- *)

(* cl(x): the magnitude, of subnormal numbers 2^-14, of 0 nothing. *)
Definition cl (x : R) : R := if Req_EM_T x 0 then 0 else Rmax (Rabs x) (pow2 (-14)).

Definition clipped : list operands -> R := total (fun p => cl (fst p) * cl (snd p)).
Definition weight (c : R) (ps : list operands) : R := Rabs c + clipped ps.

Definition kappa (F : Z) (g : nat) : R := 16 * pow2 (- F) + INR g * pow2 (-23).

Lemma kappa_nonnegative : forall F g, 0 <= kappa F g.
Proof.
  intros F g; unfold kappa; pose proof (pow2_positive (- F)); pose proof (pow2_positive (-23)); pose proof (pos_INR g).
  nra.
Qed.

Lemma kappa_ada : kappa 24 2 = 10 * pow2 (-23).
Proof. unfold kappa, pow2; simpl; lra. Qed.

Lemma kappa_hopper : kappa 25 1 = 5 * pow2 (-23).
Proof. unfold kappa, pow2; simpl; lra. Qed.

(* --- sums over lists ---------------------------------------------------------------------------------------------- *)

Lemma total_app : forall f ps qs, total f (ps ++ qs) = total f ps + total f qs.
Proof. intros f ps qs; induction ps as [| p ps I]; simpl; lra. Qed.

Lemma total_permutation : forall f ps qs, Permutation ps qs -> total f ps = total f qs.
Proof. intros f ps qs P; induction P; simpl; lra. Qed.

Lemma total_monotone : forall f h ps, (forall p, In p ps -> f p <= h p) -> total f ps <= total h ps.
Proof.
  intros f h ps; induction ps as [| p ps I]; simpl; intros H; [lra |].
  apply Rplus_le_compat; [apply H; now left | apply I; intros q Q; apply H; now right].
Qed.

Lemma total_nonnegative : forall f ps, (forall p, 0 <= f p) -> 0 <= total f ps.
Proof. intros f ps H; induction ps as [| p ps I]; simpl; [lra |]; specialize (H p); lra. Qed.

Lemma total_member : forall f ps p, (forall q, 0 <= f q) -> In p ps -> f p <= total f ps.
Proof.
  intros f ps p H; induction ps as [| q ps I]; simpl; [intros [] |].
  intros [-> | J]; [pose proof (total_nonnegative f ps H) | specialize (I J); specialize (H q)]; lra.
Qed.

Lemma total_distance : forall f h ps, Rabs (total f ps - total h ps) <= total (fun p => Rabs (f p - h p)) ps.
Proof.
  intros f h ps; induction ps as [| p ps I]; simpl; [rewrite Rminus_0_r, Rabs_R0; lra |].
  replace (f p + total f ps - (h p + total h ps)) with ((f p - h p) + (total f ps - total h ps)) by ring.
  eapply Rle_trans; [apply Rabs_triang |]; lra.
Qed.

Lemma total_constant : forall b ps, total (fun _ => b) ps = INR (length ps) * b.
Proof.
  intros b ps; induction ps as [| p ps I]; [simpl; ring |].
  change (length (p :: ps)) with (S (length ps)); rewrite S_INR; simpl; lra.
Qed.

Lemma total_within : forall f h ps, (forall p, In p ps -> Rabs (f p) <= h p) -> Rabs (total f ps) <= total h ps.
Proof.
  intros f h ps; induction ps as [| p ps I]; simpl; intros H; [rewrite Rabs_R0; lra |].
  eapply Rle_trans; [apply Rabs_triang |].
  apply Rplus_le_compat; [apply H; now left | apply I; intros q Q; apply H; now right].
Qed.

Lemma total_multiple : forall e f ps, (forall p, In p ps -> multiple e (f p)) -> multiple e (total f ps).
Proof.
  intros e f ps; induction ps as [| p ps I]; simpl; intros H; [apply multiple_zero |].
  apply multiple_plus; [apply H; now left | apply I; intros q Q; apply H; now right].
Qed.

(* --- addends ------------------------------------------------------------------------------------------------------ *)

Lemma binary16_multiple : forall x, binary16 x -> multiple (exponent16 x - 10) x.
Proof.
  intros x [G _]; apply multiple_format in G; unfold cexp, FLT_exp in G; unfold exponent16.
  apply multiple_finer with (2 := G); lia.
Qed.

Lemma accumulator_multiple : forall c, format32 c -> multiple (exponent32 c - 23) c.
Proof.
  intros c G; apply multiple_format in G; unfold cexp, FLT_exp in G; unfold exponent32.
  apply multiple_finer with (2 := G); lia.
Qed.

Lemma accumulator_least : forall c, format32 c -> multiple (-149) c.
Proof.
  intros c G; apply multiple_finer with (2 := accumulator_multiple c G); unfold exponent32; lia.
Qed.

Lemma product_multiple : forall p,
  factors p -> multiple (exponent16 (fst p) + exponent16 (snd p) - 20) (product p).
Proof.
  intros p [A B]; pose proof (multiple_product _ _ _ _ (binary16_multiple _ A) (binary16_multiple _ B)) as M.
  apply multiple_finer with (2 := M); lia.
Qed.

Lemma product_least : forall p, factors p -> multiple (-149) (product p).
Proof.
  intros p H; apply multiple_finer with (2 := product_multiple p H); unfold exponent16; lia.
Qed.

Lemma largest_exists : forall c ps e, has_exponent c ps e -> exists top, largest c ps top.
Proof.
  intros c ps.
  assert (exists most, forall e, has_exponent c ps e -> (e <= most)%Z) as [most M].
  { induction ps as [| p ps [most M]].
    - exists (exponent32 c); intros e [N | p []]; apply Z.le_refl.
    - exists (Z.max most (exponent16 (fst p) + exponent16 (snd p))); intros e [N | q [<- | I] N].
      + pose proof (M _ (Of_accumulator c ps N)); lia.
      + apply Z.le_max_r.
      + pose proof (M _ (Of_product c ps q I N)); lia. }
  intros e H.
  assert (forall n d, has_exponent c ps d -> (most - d <= Z.of_nat n)%Z -> exists top, largest c ps top) as L.
  { induction n as [| n I]; intros d D N.
    - exists d; split; [exact D |]; intros f E; specialize (M f E); lia.
    - destruct (Classical_Prop.classic (exists f, has_exponent c ps f /\ (d < f)%Z)) as [[f [E G]] | No].
      + apply (I f E); lia.
      + exists d; split; [exact D |]; intros f E.
        destruct (Z.le_gt_cases f d) as [O | G]; [exact O | exfalso; apply No; now exists f]. }
  apply (L (Z.to_nat (most - e)) e H); specialize (M e H); lia.
Qed.

(* --- one group ---------------------------------------------------------------------------------------------------- *)

Lemma cut_sum_toward_zero : forall e c ps, Rabs (cut_sum e c ps) <= Rabs c + magnitude ps.
Proof.
  intros e c ps; eapply Rle_trans; [apply Rabs_triang |]; apply Rplus_le_compat; [apply cut_toward_zero |].
  apply total_within; intros p _; apply cut_toward_zero.
Qed.

Lemma cut_sum_least : forall e c ps, format32 c -> Forall factors ps -> multiple (-149) (cut_sum e c ps).
Proof.
  intros e c ps C P; rewrite Forall_forall in P.
  apply multiple_plus; [apply cut_multiple, accumulator_least, C |].
  apply total_multiple; intros p I; apply cut_multiple, product_least, P, I.
Qed.

Definition loss (e : Z) (x : R) : R := Rabs (cut e x - x).

Lemma loss_exact : forall e x, multiple e x -> loss e x = 0.
Proof. intros e x M; unfold loss; rewrite (cut_exact e x M), (Rminus_diag_eq _ _ eq_refl); apply Rabs_R0. Qed.

Lemma losses_most : forall e ps, total (fun p => loss e (product p)) ps <= INR (length ps) * pow2 e.
Proof.
  intros e ps; rewrite <- (total_constant (pow2 e) ps); apply total_monotone; intros p _; apply cut_error.
Qed.

(* The addend that has Emax is kept, so of n + 1 at most n lose something. *)
Lemma cut_sum_losses : forall F c ps e Y, (23 <= F)%Z -> format32 c -> Forall factors ps -> Rabs c <= Y ->
  (forall p, In p ps -> product p <> 0 -> pow2 (exponent16 (fst p) + exponent16 (snd p)) <= Y) ->
  allowed_cut F c ps e -> loss e c + total (fun p => loss e (product p)) ps <= INR (length ps) * (pow2 (- F) * Y).
Proof.
  intros F c ps e Y HF C P CY PY U; assert (0 <= Y) as Y0 by (pose proof (Rabs_pos c); lra).
  assert (0 <= INR (length ps) * (pow2 (- F) * Y)) as B0.
  { apply Rmult_le_pos; [apply pos_INR | apply Rmult_le_pos; [apply bpow_ge_0 | exact Y0]]. }
  assert (forall top, (e <= top - F)%Z -> pow2 top <= Y -> pow2 e <= pow2 (- F) * Y) as Small.
  { intros top L T; apply Rle_trans with (pow2 (- F) * pow2 top).
    - unfold pow2; rewrite <- bpow_plus; apply bpow_le; lia.
    - apply Rmult_le_compat_l; [apply bpow_ge_0 | exact T]. }
  assert (multiple e c -> (forall p, In p ps -> multiple e (product p)) ->
    loss e c + total (fun p => loss e (product p)) ps <= INR (length ps) * (pow2 (- F) * Y)) as Kept.
  { intros M N; rewrite (loss_exact e c M), Rplus_0_l.
    apply Rle_trans with (total (fun _ => 0) ps); [| rewrite total_constant, Rmult_0_r; exact B0].
    apply total_monotone; intros p I; rewrite (loss_exact e _ (N p I)); lra. }
  rewrite Forall_forall in P.
  destruct (Classical_Prop.classic (exists d, has_exponent c ps d)) as [[d D] | No].
  - destruct (largest_exists c ps d D) as [top T]; generalize (U top T); destruct T as [[N | p I N] _]; intros L.
    + assert (multiple e c) as M by (apply multiple_finer with (2 := accumulator_multiple c C); lia).
      destruct (Z.le_gt_cases (-126) (mag radix2 c - 1)) as [Normal | Sub].
      * rewrite (loss_exact e c M), Rplus_0_l; apply Rle_trans with (1 := losses_most e ps).
        apply Rmult_le_compat_l; [apply pos_INR |]; apply (Small _ L); apply Rle_trans with (2 := CY).
        replace (exponent32 c) with (mag radix2 c - 1)%Z by (unfold exponent32; lia).
        now apply bpow_mag_le.
      * apply Kept; [exact M |]; intros p I; apply multiple_finer with (2 := product_least p (P p I)).
        unfold exponent32 in L; lia.
    + pose proof (Small _ L (PY p I N)) as Step.
      assert (loss e (product p) = 0) as Z.
      { apply loss_exact, multiple_finer with (2 := product_multiple p (P p I)); lia. }
      apply in_split in I; destruct I as [l [r ->]].
      rewrite total_app; simpl; rewrite Z, app_length, plus_INR.
      change (length (p :: r)) with (S (length r)); rewrite S_INR.
      pose proof (losses_most e l); pose proof (losses_most e r); pose proof (cut_error e c) as CE.
      fold (loss e c) in CE; pose proof (pos_INR (length l)); pose proof (pos_INR (length r)).
      apply Rle_trans with ((INR (length l) + (INR (length r) + 1)) * pow2 e); [nra |].
      apply Rmult_le_compat_l; [lra | exact Step].
  - apply Kept.
    + destruct (Req_dec c 0) as [-> | N]; [apply multiple_zero |].
      exfalso; apply No; eexists; now apply Of_accumulator.
    + intros p I; destruct (Req_dec (product p) 0) as [-> | N]; [apply multiple_zero |].
      exfalso; apply No; eexists; now apply (Of_product c ps p).
Qed.

Definition group_bound (F : Z) (n g : nat) (Y : R) : R := (INR n * pow2 (- F) + INR g * pow2 (-23)) * Y.

Lemma group_accuracy : forall F c ps d Y, (23 <= F)%Z -> format32 c -> Forall factors ps ->
  Rabs c + magnitude ps <= Y -> Y < pow2 128 ->
  (forall p, In p ps -> product p <> 0 -> pow2 (exponent16 (fst p) + exponent16 (snd p)) <= Y) -> group F c ps d ->
  Rabs (d - (c + dot ps)) <= group_bound F (length ps) 1 Y /\ Rabs d <= Rabs c + magnitude ps /\ format32 d.
Proof.
  intros F c ps d Y HF C P A Most PY [e [U D]]; pose proof (cut_sum_toward_zero e c ps) as S.
  rewrite D by lra; clear D; split.
  2: { split; [eapply Rle_trans; [apply rz32_toward_zero | exact S] | apply rz32_format]. }
  pose proof (rz32_error _ (cut_sum_least e c ps C P)) as E.
  assert (Rabs c <= Y) as CY.
  { assert (0 <= magnitude ps) by (apply total_nonnegative; intros p; apply Rabs_pos); lra. }
  pose proof (cut_sum_losses F c ps e Y HF C P CY PY U) as L.
  pose proof (total_distance (fun p => cut e (product p)) product ps) as T.
  unfold cut_sum in *; set (s := total (fun p => cut e (product p)) ps) in *; fold dot in T.
  replace (rz32 (cut e c + s) - (c + dot ps))
    with ((rz32 (cut e c + s) - (cut e c + s)) + ((cut e c - c) + (s - dot ps))) by ring.
  eapply Rle_trans; [apply Rabs_triang |]; eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |].
  fold (loss e c); pose proof (pow2_positive (-23)); unfold group_bound; simpl (INR 1); unfold loss in *.
  nra.
Qed.

(* --- an instruction ----------------------------------------------------------------------------------------------- *)

Lemma groups_accuracy : forall F c parts d Y, (23 <= F)%Z -> groups F c parts d -> format32 c ->
  Forall factors (concat parts) -> Rabs c + magnitude (concat parts) <= Y -> Y < pow2 128 ->
  (forall p, In p (concat parts) -> product p <> 0 -> pow2 (exponent16 (fst p) + exponent16 (snd p)) <= Y) ->
  Rabs (d - (c + dot (concat parts))) <= group_bound F (length (concat parts)) (length parts) Y /\
  Rabs d <= Rabs c + magnitude (concat parts) /\ format32 d.
Proof.
  intros F c parts d Y HF G; induction G as [c | c ps d rest e H G I]; intros C P A Most PY.
  - unfold dot, magnitude, group_bound; simpl.
    rewrite !Rplus_0_r, (Rminus_diag_eq _ _ eq_refl), Rabs_R0; repeat split; [lra | lra | exact C].
  - simpl in *; apply Forall_app in P; destruct P as [P Q].
    unfold magnitude, dot in *; rewrite !total_app in *; fold magnitude dot in *.
    assert (0 <= magnitude (concat rest)) as M by (apply total_nonnegative; intros p; apply Rabs_pos).
    destruct (group_accuracy F c ps d Y HF C P) as [E [N D]]; trivial.
    { lra. }
    { intros p J; apply PY, in_or_app; now left. }
    destruct I as [E' [N' D']]; trivial; [lra | intros p J; apply PY, in_or_app; now right |].
    split; [| split; [lra | exact D']].
    replace (e - (c + (dot ps + dot (concat rest)))) with ((e - (d + dot (concat rest))) + (d - (c + dot ps))) by ring.
    eapply Rle_trans; [apply Rabs_triang |]; unfold group_bound in *; simpl (INR 1) in E.
    rewrite app_length, plus_INR; change (length (ps :: rest)) with (S (length rest)); rewrite S_INR; lra.
Qed.

Lemma cl_nonnegative : forall x, 0 <= cl x.
Proof.
  intros x; unfold cl; destruct (Req_EM_T x 0); [lra |].
  apply Rle_trans with (1 := Rabs_pos x), Rmax_l.
Qed.

Lemma cl_magnitude : forall x, Rabs x <= cl x.
Proof. intros x; unfold cl; destruct (Req_EM_T x 0) as [-> | N]; [rewrite Rabs_R0; lra | apply Rmax_l]. Qed.

(* What the least exponent of subnormal numbers makes necessary. *)
Lemma cl_exponent : forall x, x <> 0 -> pow2 (exponent16 x) <= cl x.
Proof.
  intros x N; unfold cl, exponent16; destruct (Req_EM_T x 0) as [Z | _]; [contradiction |].
  destruct (Z.max_spec (mag radix2 x - 1) (-14)) as [[_ ->] | [_ ->]]; [apply Rmax_r |].
  apply Rle_trans with (2 := Rmax_l _ _); now apply bpow_mag_le.
Qed.

Lemma clipped_nonnegative : forall ps, 0 <= clipped ps.
Proof. intros ps; apply total_nonnegative; intros p; apply Rmult_le_pos; apply cl_nonnegative. Qed.

Lemma magnitude_clipped : forall ps, magnitude ps <= clipped ps.
Proof.
  intros ps; apply total_monotone; intros p _; unfold product; rewrite Rabs_mult.
  apply Rmult_le_compat; auto using Rabs_pos, cl_magnitude.
Qed.

Lemma product_clipped : forall ps p,
  In p ps -> product p <> 0 -> pow2 (exponent16 (fst p) + exponent16 (snd p)) <= clipped ps.
Proof.
  intros ps p I N; unfold product in N.
  apply Rle_trans with (cl (fst p) * cl (snd p)).
  - unfold pow2; rewrite bpow_plus; apply Rmult_le_compat; try apply bpow_ge_0; apply cl_exponent; intros Z;
      apply N; rewrite Z; ring.
  - apply (total_member (fun q => cl (fst q) * cl (snd q))); [| exact I].
    intros q; apply Rmult_le_pos; apply cl_nonnegative.
Qed.

(* Theorem 2.1. The last part is what lets it be used again on the result. *)
Theorem mma_accuracy : forall F g c ps d, (23 <= F)%Z -> format32 c -> Forall factors ps -> length ps = 16%nat ->
  weight c ps < pow2 128 -> tensor_core F g c ps d ->
  Rabs (d - (c + dot ps)) <= kappa F g * weight c ps /\ Rabs d <= Rabs c + magnitude ps /\ format32 d.
Proof.
  intros F g c ps d HF C P N Most [parts [G [Q R]]].
  pose proof (magnitude_clipped ps) as M; pose proof (clipped_nonnegative ps); pose proof (Rabs_pos c).
  pose proof (Permutation_sym Q) as Q'; pose proof (Permutation_length Q) as LQ; rewrite N in LQ.
  destruct (groups_accuracy F c parts d (weight c ps) HF R C) as [E B]; trivial.
  - now apply (Permutation_Forall Q').
  - unfold magnitude; rewrite (total_permutation _ _ _ Q); fold magnitude; unfold weight; lra.
  - intros p I O; apply (Permutation_in _ Q) in I; pose proof (product_clipped ps p I O); unfold weight; lra.
  - unfold magnitude, dot in *; rewrite (total_permutation (fun p => Rabs (product p)) _ _ Q) in B.
    rewrite (total_permutation product _ _ Q) in E.
    split; [| exact B]; rewrite LQ in E; apply Rle_trans with (1 := E); unfold group_bound, kappa.
    apply Rmult_le_compat_r; [unfold weight; lra |]; apply le_INR in G.
    apply Rplus_le_compat; [simpl; lra |].
    apply Rmult_le_compat_r; [apply bpow_ge_0 | exact G].
Qed.

(* More bits and fewer groups are allowed to every device that may have less and more: Hopper is TC(24, 2) as well. *)
Theorem tensor_core_weaker : forall F G g h c ps d,
  (F <= G)%Z -> (h <= g)%nat -> tensor_core G h c ps d -> tensor_core F g c ps d.
Proof.
  intros F G g h c ps d L M [parts [N [P Q]]]; exists parts; split; [lia | split; [exact P |]].
  clear N P; induction Q as [c | c qs d rest e [u [U D]] Q I]; [constructor |].
  apply Next_group with d; [| exact I].
  exists u; split; [| exact D]; intros top T; specialize (U top T); lia.
Qed.

(* The theorem is not about nothing: from any numbers some result is allowed. *)
Theorem tensor_core_exists : forall F g c ps, exists d, tensor_core F (S g) c ps d.
Proof.
  intros F g c ps.
  assert (exists e, allowed_cut F c ps e) as [e U].
  { destruct (Classical_Prop.classic (exists top, largest c ps top)) as [[top T] | No].
    - exists (top - F)%Z; intros other [_ O]; specialize (O top (proj1 T)); lia.
    - exists 0%Z; intros top T; exfalso; apply No; now exists top. }
  exists (rz32 (cut_sum e c ps)), [ps]; simpl; rewrite app_nil_r; split; [lia | split; [reflexivity |]].
  apply Next_group with (rz32 (cut_sum e c ps)); [| constructor].
  exists e; split; [exact U | reflexivity].
Qed.
