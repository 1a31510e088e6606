(* g_n = n u / (1 - n u): how the relative error of n roundings grows. docs/numerics.md, "Sums of non-negative terms". *)

From Coq Require Import Reals Lra Lia Psatz.
From Fltc Require Import Rounding.

Open Scope R_scope.

Definition gamma (n : nat) : R := INR n * u / (1 - INR n * u).

(* gamma n is defined, and its growth is under control. *)
Definition few (n : nat) : Prop := INR n * u < 1.

Lemma few_less : forall m n, (m <= n)%nat -> few n -> few m.
Proof. intros m n L F; unfold few in *; apply le_INR in L; pose proof u_positive; nra. Qed.

Lemma gamma_nonnegative : forall n, few n -> 0 <= gamma n.
Proof.
  intros n F; unfold few, gamma in *; pose proof u_positive; pose proof (pos_INR n).
  apply Rmult_le_pos; [nra | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

(* The defining equation without a division. *)
Lemma gamma_equation : forall n, few n -> gamma n * (1 - INR n * u) = INR n * u.
Proof. intros n F; unfold few, gamma in *; field; lra. Qed.

Lemma gamma_monotone : forall m n, (m <= n)%nat -> few n -> gamma m <= gamma n.
Proof.
  intros m n L F; pose proof (few_less m n L F) as E.
  pose proof (gamma_equation m E); pose proof (gamma_equation n F); pose proof (gamma_nonnegative m E).
  unfold few in *; apply le_INR in L; pose proof u_positive; pose proof (pos_INR m).
  apply Rmult_le_reg_r with (1 - INR n * u); [lra |]; nra.
Qed.

(* One more rounding. *)
Lemma gamma_step : forall n, few (S n) -> (1 + gamma n) * (1 + u) <= 1 + gamma (S n).
Proof.
  intros n F; pose proof (few_less n (S n) (Nat.le_succ_diag_r n) F) as E.
  pose proof (gamma_equation n E) as A; pose proof (gamma_equation (S n) F) as B.
  unfold few in *; rewrite S_INR in *; pose proof u_positive; pose proof (pos_INR n).
  assert ((1 + gamma n) * (1 - INR n * u) = 1) as A' by lra.
  assert ((1 + gamma (S n)) * (1 - (INR n + 1) * u) = 1) as B' by lra.
  apply Rmult_le_reg_r with (1 - (INR n + 1) * u); [lra |]; rewrite B'.
  apply Rmult_le_reg_r with (1 - INR n * u); [lra |].
  replace ((1 + gamma n) * (1 + u) * (1 - (INR n + 1) * u) * (1 - INR n * u))
    with ((1 + gamma n) * (1 - INR n * u) * ((1 + u) * (1 - (INR n + 1) * u))) by ring.
  rewrite A'; nra.
Qed.

(* A computed value t within relative gamma n of the exact e >= 0, rounded once more. *)
Lemma rounding_step : forall n t e,
  few (S n) -> 0 <= e -> regular t -> Rabs (t - e) <= gamma n * e -> Rabs (rn32 t - e) <= gamma (S n) * e.
Proof.
  intros n t e F P R H; pose proof (gamma_step n F) as G.
  pose proof (gamma_nonnegative n (few_less n (S n) (Nat.le_succ_diag_r n) F)) as N; pose proof u_positive.
  pose proof (rn32_error t R) as E.
  assert (Rabs t <= (1 + gamma n) * e) as T.
  { replace t with (t - e + e) by ring; eapply Rle_trans; [apply Rabs_triang |].
    rewrite (Rabs_pos_eq e P); lra. }
  replace (rn32 t - e) with ((rn32 t - t) + (t - e)) by ring.
  eapply Rle_trans; [apply Rabs_triang |]; nra.
Qed.

(* Two computed parts of a sum of non-negative terms. *)
Lemma parts_step : forall m n s t d e,
  (m <= n)%nat -> few n -> 0 <= d -> 0 <= e -> Rabs (s - d) <= gamma m * d -> Rabs (t - e) <= gamma n * e ->
  Rabs (s + t - (d + e)) <= gamma n * (d + e).
Proof.
  intros m n s t d e L F D E A B; pose proof (gamma_monotone m n L F).
  replace (s + t - (d + e)) with ((s - d) + (t - e)) by ring.
  eapply Rle_trans; [apply Rabs_triang |]; nra.
Qed.
