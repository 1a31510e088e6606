(* The error contract of silu_f16: every binary16 number, within what ex2.approx and rcp.approx document. *)

From Coq Require Import Reals Lra.
From Fltc Require Import Rounding Log2 Silu.
Open Scope R_scope.

Definition factor : R := 12102203 / 8388608.
Definition lambda : R := 67 / 5000000000.
Definition kappa : R := 5 / 16777216.
Definition rho : R := 3 / 16777216.

Theorem silu_contract : forall x y : R, binary16 x -> computes factor kappa rho x y ->
  Rabs (y - silu x) <= silu_phi lambda kappa rho x * Rabs (silu x) + pow2 (-126) * Rabs x.
Proof.
  intros x y X C; apply (silu_every factor lambda kappa rho x y).
  - unfold lambda; lra.
  - unfold kappa; lra.
  - unfold rho; lra.
  - apply Rle_trans with (1 := log2e_near); unfold lambda; lra.
  - exact X.
  - exact C.
Qed.
