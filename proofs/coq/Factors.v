(* Relative errors of products and of an inverse square root: the steps `factor-step` and `inverse-root` of
   docs/numerics.md. *)

From Coq Require Import Reals Lra Psatz.
From Fltc Require Import Rounding.

Open Scope R_scope.

Lemma factor_step : forall a b p d,
  0 <= a -> 0 <= b -> Rabs (p - 1) <= a -> Rabs d <= b -> Rabs (p * (1 + d) - 1) <= (1 + a) * (1 + b) - 1.
Proof. intros a b p d A B P D; apply within_bounds in P, D; apply Rabs_le; split; nra. Qed.

(* v = V (1 + t), |t| <= g <= 1/4. *)
Lemma inverse_root : forall g v V,
  0 <= g <= / 4 -> 0 < V -> Rabs (v - V) <= g * V ->
  0 < v /\ Rabs (/ sqrt v * sqrt V - 1) <= g / 2 * (1 + g).
Proof.
  intros g v V [G G'] P H; apply within_bounds in H; assert (0 < v) as Q by nra; split; [exact Q |].
  assert (0 < sqrt v) as Sv by now apply sqrt_lt_R0.
  assert (0 < sqrt V) as SV by now apply sqrt_lt_R0.
  set (q := / sqrt v * sqrt V).
  assert (0 < q) as Pq by (apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat | exact SV]).
  assert (q * q * v = V) as E.
  { replace v with (sqrt v * sqrt v) by (apply sqrt_sqrt; lra).
    unfold q; replace V with (sqrt V * sqrt V) at 3 by (apply sqrt_sqrt; lra); field; lra. }
  assert (q * q * (1 - g) <= 1) as Up.
  { apply Rmult_le_reg_r with V; [exact P |].
    assert (0 <= q * q * (v - (1 - g) * V)) by (apply Rmult_le_pos; nra); lra. }
  assert (1 <= q * q * (1 + g)) as Down.
  { apply Rmult_le_reg_r with V; [exact P |].
    assert (0 <= q * q * ((1 + g) * V - v)) by (apply Rmult_le_pos; nra); lra. }
  set (b := g / 2 * (1 + g)).
  assert (0 <= b <= / 2) as B by (unfold b; nra).
  assert (0 <= g * g) as G2 by apply square_nonnegative.
  assert (0 <= g * g * g <= g * g * / 4) as G3 by nra.
  assert (1 <= (1 + b) * (1 + b) * (1 - g)) as Up'.
  { replace ((1 + b) * (1 + b) * (1 - g)) with (1 - g * g * g + g * g * / 4 * ((1 + g) * (1 + g) * (1 - g)))
      by (unfold b; field).
    assert (1 <= (1 + g) * (1 + g) * (1 - g)) by nra; nra. }
  assert ((1 - b) * (1 - b) * (1 + g) <= 1) as Down'.
  { replace ((1 - b) * (1 - b) * (1 + g))
      with (1 - 2 * (g * g) - g * g * g + g * g * / 4 * ((1 + g) * (1 + g) * (1 + g))) by (unfold b; field).
    assert (0 <= (1 + g) * (1 + g) * (1 + g) <= 2) by nra; nra. }
  apply Rabs_le; split.
  - destruct (Rle_lt_dec (1 - b) q) as [L | L]; [lra | exfalso].
    assert (q * q < (1 - b) * (1 - b)) by nra; nra.
  - destruct (Rle_lt_dec q (1 + b)) as [L | L]; [lra | exfalso].
    assert ((1 + b) * (1 + b) < q * q) by nra; nra.
Qed.
