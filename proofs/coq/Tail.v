(* The last three operations of SiLU: add.rn, rcp.approx and mul.rn, when the number that is added is within relative a
   of what it stands for (docs/numerics.md, "SiLU"). *)

From Coq Require Import Reals Lra.
From Flocq Require Import Core.
From Fltc Require Import Rounding Factors.

Open Scope R_scope.

Definition tail (rho a : R) : R := (1 + u) * (1 + rho) / ((1 - u) * (1 - a)) - 1.

Section Tail.

Variables rho a : R.
Hypothesis rho_range : 0 <= rho <= / 1024.
Hypothesis a_range : 0 <= a <= / 2.

Lemma tail_equation : (1 + tail rho a) * ((1 - u) * (1 - a)) = (1 + u) * (1 + rho).
Proof. unfold tail; rewrite u_value; field; lra. Qed.

(* (1 - rho)(1 - u) / ((1 + a)(1 + u)) is at least 1 - tail. *)
Lemma tail_downward : (1 - tail rho a) * ((1 + a) * (1 + u)) <= (1 - rho) * (1 - u).
Proof.
  pose proof tail_equation as E; pose proof u_value as U; set (p := tail rho a) in *.
  assert (0 < (1 - u) * (1 - a)) as P by (rewrite U; nra).
  apply Rmult_le_reg_r with ((1 - u) * (1 - a)); [exact P |].
  replace ((1 - p) * ((1 + a) * (1 + u)) * ((1 - u) * (1 - a)))
    with ((2 * ((1 - u) * (1 - a)) - (1 + p) * ((1 - u) * (1 - a))) * ((1 + a) * (1 + u))) by ring.
  rewrite E, U; nra.
Qed.

(* w is the computed over the exact result. *)
Lemma tail_step : forall s d c b w,
  Rabs s <= a -> Rabs d <= u -> Rabs c <= rho -> Rabs b <= u ->
  w * ((1 + s) * (1 + d)) = (1 + c) * (1 + b) -> Rabs (w - 1) <= tail rho a.
Proof.
  intros s d c b w S D C B W; apply within_bounds in S, D, C, B.
  pose proof tail_equation as E; pose proof tail_downward as E'; pose proof u_value as U.
  assert (0 < (1 + s) * (1 + d)) as P by (rewrite U in D; nra).
  assert (0 < w) as W0.
  { assert (0 < (1 + c) * (1 + b)) as Q by (rewrite U in B; nra).
    destruct (Rle_lt_dec w 0); [exfalso; nra | assumption]. }
  assert (0 < (1 - u) * (1 - a)) as Low by (rewrite U; nra).
  assert ((1 - u) * (1 - a) <= (1 + s) * (1 + d) <= (1 + a) * (1 + u)) as M by (rewrite U in *; split; nra).
  assert ((1 - rho) * (1 - u) <= (1 + c) * (1 + b) <= (1 + u) * (1 + rho)) as N by (rewrite U in *; split; nra).
  apply Rabs_le; split.
  - destruct (Rle_lt_dec (1 - tail rho a) w) as [L | L]; [lra | exfalso].
    pose proof (Rmult_le_compat_l w _ _ (Rlt_le _ _ W0) (proj2 M)).
    pose proof (Rmult_lt_compat_r ((1 + a) * (1 + u)) _ _ ltac:(lra) L); lra.
  - destruct (Rle_lt_dec w (1 + tail rho a)) as [L | L]; [lra | exfalso].
    pose proof (Rmult_le_compat_l w _ _ (Rlt_le _ _ W0) (proj1 M)).
    pose proof (Rmult_lt_compat_r _ _ _ Low L); lra.
Qed.

Lemma tail_nonnegative : 0 <= tail rho a.
Proof.
  pose proof tail_equation as E; rewrite u_value in *; destruct (Rle_lt_dec 0 (tail rho a)); [assumption | exfalso; nra].
Qed.

End Tail.

Lemma tail_monotone : forall rho a b, 0 <= rho <= / 1024 -> 0 <= a <= b -> b <= / 2 -> tail rho a <= tail rho b.
Proof.
  intros rho a b Rho A B; assert (0 <= a <= / 2) as A' by (split; lra); assert (0 <= b <= / 2) as B' by (split; lra).
  pose proof (tail_equation rho a A') as E; pose proof (tail_equation rho b B') as F.
  pose proof (tail_nonnegative rho b Rho B') as N; rewrite u_value in *.
  apply Rmult_le_reg_r with (1 - a); [lra |]; nra.
Qed.
