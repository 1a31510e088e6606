(* ln 2 to eleven digits, by the alternating series of exp (-a), and the constant RN32(log2 e) against it.
   docs/numerics.md, `silu-log2e`. *)

From Coq Require Import Reals Lra Lia Psatz.

Open Scope R_scope.

Definition term (a : R) (n : nat) : R := a ^ n / INR (fact n).

Lemma term_next : forall a n, term a (S n) = term a n * (a / INR (S n)).
Proof.
  intros a n; unfold term; rewrite fact_simpl, mult_INR; simpl pow.
  field; split; [apply not_0_INR; lia | apply INR_fact_neq_0].
Qed.

Lemma term_nonnegative : forall a n, 0 <= a -> 0 <= term a n.
Proof.
  intros a n A; unfold term, Rdiv; apply Rmult_le_pos; [now apply pow_le |].
  apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma exp_alternating : forall a n, 0 <= a <= 1 ->
  sum_f_R0 (tg_alt (term a)) (S (2 * n)) <= exp (- a) <= sum_f_R0 (tg_alt (term a)) (2 * n).
Proof.
  intros a n [A B]; apply alternated_series_ineq.
  - intros k; rewrite term_next; pose proof (term_nonnegative a k A).
    assert (0 < INR (S k)) as P by (apply lt_0_INR; lia).
    assert (1 <= INR (S k)) as P' by (rewrite S_INR; pose proof (pos_INR k); lra).
    assert (a / INR (S k) <= 1) as Q.
    { apply Rmult_le_reg_r with (INR (S k)); [exact P |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
    nra.
  - apply cv_speed_pow_fact.
  - unfold exp; destruct (exist_exp (- a)) as [l L]; simpl.
    intros eps Eps; destruct (L eps Eps) as [N H]; exists N; intros m M; specialize (H m M).
    replace (sum_f_R0 (tg_alt (term a)) m) with (sum_f_R0 (fun i => / INR (fact i) * (- a) ^ i) m); [exact H |].
    apply sum_eq; intros i _; unfold tg_alt, term; replace (- a) with (-1 * a) by ring.
    rewrite Rpow_mult_distr; unfold Rdiv; ring.
Qed.

Lemma term_0 : forall a, term a 0 = 1.
Proof. intros a; unfold term; simpl; field. Qed.

Ltac sums := change (S (2 * 6)) with 13%nat; change (2 * 6)%nat with 12%nat;
  unfold tg_alt; cbn [sum_f_R0]; rewrite !term_next, term_0; simpl; lra.

Lemma ln_2_digits : 69314718054 / 100000000000 <= ln 2 <= 693147181 / 1000000000.
Proof.
  assert (forall x y, exp x <= exp y -> x <= y) as Back.
  { intros x y H; destruct (Rle_lt_dec x y) as [L | L]; [exact L | apply exp_increasing in L; lra]. }
  assert (exp (- ln 2) = / 2) as Half by (rewrite exp_Ropp, exp_ln; lra).
  split; apply Ropp_le_cancel, Back; rewrite Half.
  - assert (0 <= 69314718054 / 100000000000 <= 1) as A by (split; lra).
    apply Rle_trans with (2 := proj1 (exp_alternating _ 6 A)); sums.
  - assert (0 <= 693147181 / 1000000000 <= 1) as A by (split; lra).
    apply Rle_trans with (1 := proj2 (exp_alternating _ 6 A)); sums.
Qed.

(* RN32(log2 e) = 0x1.715476p0, and how near it is. *)
Definition log2e : R := 12102203 / 8388608.

Theorem log2e_near : Rabs (log2e * ln 2 - 1) <= 134 / 10000000000.
Proof. pose proof ln_2_digits; unfold log2e; apply Rabs_le; split; lra. Qed.
