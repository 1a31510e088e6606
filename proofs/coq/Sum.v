(* Sums of squares of any shape and size: the induction of docs/numerics.md, "Sums of non-negative terms".

   A tree is the ordered expression of a sum: Fma c t is fma.rn(x_c, x_c, t), Add l r is add.rn(l, r). *)

From Coq Require Import Reals Lra Lia Arith List.
From Flocq Require Import Core.
From Fltc Require Import Rounding Gamma.
Import ListNotations.

Open Scope R_scope.

Inductive tree : Set :=
  | Zero
  | Fma (c : nat) (t : tree)
  | Add (l r : tree).

Fixpoint leaves (t : tree) : list nat :=
  match t with
  | Zero => []
  | Fma c t => c :: leaves t
  | Add l r => leaves l ++ leaves r
  end.

(* The most roundings on a path from a square to the root: the first fma of a chain, onto +0, is exact. *)
Fixpoint depth (t : tree) : nat :=
  match t with
  | Zero => 0
  | Fma _ Zero => 0
  | Fma _ t => S (depth t)
  | Add l r => S (Nat.max (depth l) (depth r))
  end.

Section Values.

Variable x : nat -> R.

Fixpoint exact (t : tree) : R :=
  match t with
  | Zero => 0
  | Fma c t => x c * x c + exact t
  | Add l r => exact l + exact r
  end.

Fixpoint value (t : tree) : R :=
  match t with
  | Zero => 0
  | Fma c t => rn32 (x c * x c + value t)
  | Add l r => rn32 (value l + value r)
  end.

(* No operation of the tree overflows. *)
Fixpoint finite (t : tree) : Prop :=
  match t with
  | Zero => True
  | Fma _ s => finite s /\ finite32 (value t)
  | Add l r => finite l /\ finite r /\ finite32 (value t)
  end.

Hypothesis input : forall c, binary16 (x c).

Definition zero_or_more (v : R) : Prop := v = 0 \/ pow2 (-48) <= v.

Lemma zero_or_more_sum : forall a b, zero_or_more a -> zero_or_more b -> zero_or_more (a + b).
Proof.
  intros a b [-> | A] [-> | B]; [left; ring | right; lra | right; lra | right].
  pose proof (pow2_positive (-48)); lra.
Qed.

Lemma zero_or_more_regular : forall v, zero_or_more v -> regular v.
Proof.
  intros v [-> | H]; [now left | right].
  pose proof (pow2_positive (-48)); rewrite Rabs_pos_eq by lra.
  apply Rle_trans with (2 := H); apply pow2_monotone; lia.
Qed.

Lemma zero_or_more_rounded : forall v, zero_or_more v -> zero_or_more (rn32 v).
Proof. intros v [-> | H]; [left; apply rn32_zero | right; apply rn32_at_least; [lia | exact H]]. Qed.

Lemma zero_or_more_value : forall t, zero_or_more (value t).
Proof.
  induction t as [| c t I | l I r J]; simpl; [now left | |]; apply zero_or_more_rounded, zero_or_more_sum; trivial.
  apply square_least, input.
Qed.

Lemma exact_nonnegative : forall t, 0 <= exact t.
Proof. induction t as [| c t I | l I r J]; simpl; [lra | pose proof (square_nonnegative (x c)); lra | lra]. Qed.

Theorem sum_accuracy : forall t, few (depth t) -> Rabs (value t - exact t) <= gamma (depth t) * exact t.
Proof.
  induction t as [| c t I | l I r J]; intros F.
  - simpl; rewrite Rminus_0_r, Rabs_R0; lra.
  - pose proof (square_nonnegative (x c)) as Q.
    assert (t = Zero \/ depth (Fma c t) = S (depth t)) as [-> | D] by (destruct t; auto).
    + simpl; rewrite Rplus_0_r, rn32_exact by apply square_format, input.
      rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0; pose proof (gamma_nonnegative 0 F); nra.
    + rewrite D in *; change (value (Fma c t)) with (rn32 (x c * x c + value t)).
      change (exact (Fma c t)) with (x c * x c + exact t).
      pose proof (few_less _ _ (Nat.le_succ_diag_r _) F) as F'; pose proof (exact_nonnegative t).
      apply rounding_step; trivial; [lra | |].
      * apply zero_or_more_regular, zero_or_more_sum; [apply square_least, input | apply zero_or_more_value].
      * apply (parts_step (depth t)); auto.
        rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0; pose proof (gamma_nonnegative _ F'); nra.
  - simpl in *; set (m := Nat.max (depth l) (depth r)) in *.
    pose proof (few_less _ _ (Nat.le_succ_diag_r _) F) as F'.
    pose proof (exact_nonnegative l); pose proof (exact_nonnegative r).
    assert (depth l <= m)%nat as L by (unfold m; lia); assert (depth r <= m)%nat as R by (unfold m; lia).
    specialize (I (few_less _ _ L F')); specialize (J (few_less _ _ R F')).
    apply rounding_step; trivial; [lra | |].
    + apply zero_or_more_regular, zero_or_more_sum; apply zero_or_more_value.
    + apply (parts_step m); auto; eapply Rle_trans; try eassumption; apply Rmult_le_compat_r; trivial;
        now apply gamma_monotone.
Qed.

Lemma value_nonnegative : forall t, 0 <= value t.
Proof.
  intros t; destruct (zero_or_more_value t) as [-> | H]; [lra |].
  pose proof (pow2_positive (-48)); lra.
Qed.

(* Nothing is lost entirely: the sum is 0 only where every square is. *)
Theorem sum_zero : forall t, value t = 0 <-> exact t = 0.
Proof.
  assert (forall a b, zero_or_more a -> zero_or_more b -> rn32 (a + b) = 0 -> a = 0 /\ b = 0) as Z.
  { intros a b A B E; destruct (zero_or_more_sum a b A B) as [S | S].
    - pose proof (pow2_positive (-48)); unfold zero_or_more in *; destruct A, B; subst; lra.
    - apply (rn32_at_least (-48)) in S; [| lia]; pose proof (pow2_positive (-48)); lra. }
  induction t as [| c t I | l I r J]; simpl; [tauto | |].
  - pose proof (exact_nonnegative t); pose proof (square_nonnegative (x c)) as Q; split; intros E.
    + apply Z in E; [| apply square_least, input | apply zero_or_more_value].
      destruct E as [-> E]; apply I in E; lra.
    + assert (x c * x c = 0) as -> by lra; assert (value t = 0) as -> by (apply I; lra).
      rewrite Rplus_0_r; apply rn32_zero.
  - pose proof (exact_nonnegative l); pose proof (exact_nonnegative r); split; intros E.
    + apply Z in E; try apply zero_or_more_value; destruct E as [A B]; apply I in A; apply J in B; lra.
    + assert (value l = 0) as -> by (apply I; lra); assert (value r = 0) as -> by (apply J; lra).
      rewrite Rplus_0_r; apply rn32_zero.
Qed.

(* How large a sum of so many squares is. *)
Lemma exact_most : forall t, exact t <= INR (length (leaves t)) * (65504 * 65504).
Proof.
  induction t as [| c t I | l I r J]; [simpl; lra | |].
  - change (length (leaves (Fma c t))) with (S (length (leaves t))); rewrite S_INR; simpl exact.
    pose proof (square_most (x c) (input c)); lra.
  - simpl; rewrite app_length, plus_INR; lra.
Qed.

(* Where gamma is at most 1, and the contract's longest row is far away from that. *)
Definition shallow (n : nat) : Prop := INR n * u <= / 2.

Lemma shallow_few : forall n, shallow n -> few n.
Proof. intros n H; unfold shallow, few in *; lra. Qed.

Lemma shallow_less : forall m n, (m <= n)%nat -> shallow n -> shallow m.
Proof. intros m n L H; unfold shallow in *; apply le_INR in L; pose proof u_positive; nra. Qed.

Lemma gamma_at_most_1 : forall n, shallow n -> gamma n <= 1.
Proof.
  intros n H; pose proof (gamma_equation n (shallow_few n H)); unfold shallow in *.
  pose proof (gamma_nonnegative n (shallow_few n H)); nra.
Qed.

(* At most 65,536 squares. *)
Definition short (t : tree) : Prop := INR (length (leaves t)) <= 65536.

Lemma short_less : forall s t, (length (leaves s) <= length (leaves t))%nat -> short t -> short s.
Proof. intros s t L H; apply le_INR in L; unfold short in *; lra. Qed.

Lemma value_most : forall t, shallow (depth t) -> short t -> value t <= pow2 49.
Proof.
  intros t D L; pose proof (sum_accuracy t (shallow_few _ D)) as A; pose proof (gamma_at_most_1 _ D).
  pose proof (exact_most t) as E; pose proof (exact_nonnegative t) as N; unfold short in L.
  apply within_bounds in A; assert (value t <= 2 * exact t) as V by nra.
  apply Rle_trans with (1 := V); assert (pow2 49 = 562949953421312) as -> by reflexivity; lra.
Qed.

Theorem sum_finite : forall t, shallow (depth t) -> short t -> finite t.
Proof.
  assert (forall t, shallow (depth t) -> short t -> finite32 (value t)) as V.
  { intros t D L; unfold finite32; rewrite Rabs_pos_eq by apply value_nonnegative.
    apply Rle_lt_trans with (1 := value_most t D L); apply bpow_lt; reflexivity. }
  induction t as [| c t I | l I r J]; intros D L; [exact Logic.I | |].
  - split; [| apply V; assumption].
    apply I; [| apply short_less with (2 := L); simpl; lia].
    apply shallow_less with (2 := D); destruct t; simpl; lia.
  - split; [| split]; [apply I | apply J | apply V; assumption].
    1, 3: apply shallow_less with (2 := D); simpl; lia.
    all: apply short_less with (2 := L); simpl; rewrite app_length; lia.
Qed.

End Values.
