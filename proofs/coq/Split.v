(* After the chains: partial results added in any order, and a factor. docs/numerics.md, "Assembly", C.

   Of part i a device has acc i, which is within E i of the exact s i; a tree says in which order parts are added. *)

From Coq Require Import Reals ZArith Lia Lra.
From Flocq Require Import Core.
From Fltc Require Import Rounding Truncation TensorCore Chain.

Open Scope R_scope.

Inductive tree : Set :=
  | Part (i : nat)
  | Join (l r : tree).

Fixpoint value (acc : nat -> R) (t : tree) : R :=
  match t with
  | Part i => acc i
  | Join l r => rn32 (value acc l + value acc r)
  end.

Fixpoint exact (s : nat -> R) (t : tree) : R :=
  match t with
  | Part i => s i
  | Join l r => exact s l + exact s r
  end.

Fixpoint bound (s E : nat -> R) (t : tree) : R :=
  match t with
  | Part i => E i
  | Join l r => (1 + u) * (bound s E l + bound s E r) + u * Rabs (exact s l + exact s r)
  end.

(* A sum of binary32 numbers errs relatively even below the normal range: there it is exact. *)
Lemma rn32_error_least : forall x, multiple (-149) x -> Rabs (rn32 x - x) <= u * Rabs x.
Proof.
  intros x [m M]; destruct (Rle_or_lt (pow2 (-126)) (Rabs x)) as [N | L].
  - apply rn32_error; now right.
  - rewrite rn32_exact, (Rminus_diag_eq _ _ eq_refl), Rabs_R0.
    + apply Rmult_le_pos; [apply Rlt_le, u_positive | apply Rabs_pos].
    + apply generic_format_FLT_FIX; [reflexivity | |].
      * apply Rlt_le, Rlt_le_trans with (1 := L), pow2_monotone; lia.
      * apply generic_format_FIX; now exists (Float radix2 m (-149)).
Qed.

(* A value within b of e, rounded with a relative error of u. *)
Lemma rounded_within : forall v e b,
  Rabs (v - e) <= b -> Rabs (rn32 v - v) <= u * Rabs v -> Rabs (rn32 v - e) <= (1 + u) * b + u * Rabs e.
Proof.
  intros v e b B N; pose proof u_positive.
  assert (Rabs v <= Rabs e + b) as V.
  { replace v with ((v - e) + e) by ring; eapply Rle_trans; [apply Rabs_triang |]; lra. }
  replace (rn32 v - e) with ((rn32 v - v) + (v - e)) by ring.
  eapply Rle_trans; [apply Rabs_triang |]; nra.
Qed.

Lemma value_format : forall acc t, (forall i, format32 (acc i)) -> format32 (value acc t).
Proof. intros acc t H; destruct t as [i | l r]; simpl; [apply H | apply rn32_format]. Qed.

Theorem split_accuracy : forall acc s E t, (forall i, format32 (acc i)) -> (forall i, Rabs (acc i - s i) <= E i) ->
  Rabs (value acc t - exact s t) <= bound s E t.
Proof.
  intros acc s E t H B; induction t as [i | l I r J]; [apply B |].
  change (Rabs (rn32 (value acc l + value acc r) - (exact s l + exact s r)) <=
    (1 + u) * (bound s E l + bound s E r) + u * Rabs (exact s l + exact s r)).
  apply rounded_within.
  - replace (value acc l + value acc r - (exact s l + exact s r))
      with ((value acc l - exact s l) + (value acc r - exact s r)) by ring.
    eapply Rle_trans; [apply Rabs_triang |]; lra.
  - apply rn32_error_least, multiple_plus; apply accumulator_least, value_format, H.
Qed.

(* A product of matrices whose K is split: part i is K i products of its own rows, on any device of TC(F, g). *)
Corollary split_gemm : forall F g (a b acc : nat -> nat -> R) (K steps : nat -> nat) t, (23 <= F)%Z ->
  (forall i, gemm F g (a i) (b i) (acc i) (K i) (steps i)) ->
  Rabs (value (fun i => acc i (steps i)) t - exact (fun i => row (a i) (b i) (K i)) t) <=
  bound (fun i => row (a i) (b i) (K i)) (fun i => running (kappa F g) 0 0 (sixteen (a i) (b i)) (steps i)) t.
Proof.
  intros F g a b acc K steps t HF H; apply split_accuracy; intros i;
    now apply (gemm_accuracy F g (a i) (b i) (acc i) (K i) (steps i) HF).
Qed.

(* An epilogue's factor, by mul.rn. *)
Theorem factor_accuracy : forall f v s E, regular (f * v) -> Rabs (v - s) <= E ->
  Rabs (rn32 (f * v) - f * s) <= (1 + u) * (Rabs f * E) + u * Rabs (f * s).
Proof.
  intros f v s E N B; apply rounded_within; [| now apply rn32_error].
  replace (f * v - f * s) with (f * (v - s)) by ring; rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos | exact B].
Qed.
