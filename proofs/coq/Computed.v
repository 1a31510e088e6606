(* The order of Order.v, computed in binary numbers: `code (order n)` without counting in unary. *)

From Coq Require Import Arith NArith Nnat List Lia.
From Fltc Require Import Sum Order.
Import ListNotations.

Open Scope N_scope.

Definition strided_at (t limit : N) : list N :=
  map (fun k => t + 256 * N.of_nat k) (seq 0 (N.to_nat ((limit + 255 - t) / 256))).
Definition vector_at (v : N) : list N := map (fun i => 8 * v + N.of_nat i) (seq 0 8).
Definition tail_at (columns t : N) : list N :=
  if t <? columns mod 8 then [8 * (columns / 8) + t] else [].
Definition owned_at (columns t : N) : list N :=
  flat_map vector_at (strided_at t (columns / 8)) ++ tail_at columns t.

(* The code of a tree, put before the code of what follows. *)
Definition written : Type := list N -> list N.

Definition chain_code (columns : list N) : written := fun rest => 0 :: map (fun c => c + 2) columns ++ rest.
Fixpoint butterfly_code (k : nat) (lane : nat -> written) (t : nat) : written :=
  match k with
  | O => lane t
  | S k => butterfly_code k (fun t rest => lane t (lane (t + 2 ^ k)%nat (1 :: rest))) t
  end.
Fixpoint neighbours_code (k : nat) (part : nat -> written) : written :=
  match k with
  | O => part O
  | S k => neighbours_code k (fun j rest => part (2 * j)%nat (part (2 * j + 1)%nat (1 :: rest)))
  end.

Definition code_at (columns : N) : list N :=
  neighbours_code 3 (fun j => butterfly_code 5 (fun t => chain_code (owned_at columns (N.of_nat (32 * j + t)))) 0) [].

Lemma chain_written : forall l rest, code_onto (chain l) rest = chain_code (map N.of_nat l) rest.
Proof.
  assert (forall l t rest, code_onto (fold_left (fun t c => Fma c t) l t) rest =
                           code_onto t (map (fun c => c + 2) (map N.of_nat l) ++ rest)) as H.
  { induction l as [| c l I]; intros t rest; [reflexivity |]; cbn [fold_left]; now rewrite I. }
  intros l rest; apply H.
Qed.

Lemma butterfly_written : forall k lane code t rest,
  (forall t rest, code_onto (lane t) rest = code t rest) ->
  code_onto (butterfly k lane t) rest = butterfly_code k code t rest.
Proof.
  induction k as [| k I]; intros lane code t rest H; cbn [butterfly butterfly_code]; [apply H |].
  apply I; intros t' rest'; cbn [code_onto]; now rewrite !H.
Qed.

Lemma neighbours_written : forall k part code rest,
  (forall j rest, code_onto (part j) rest = code j rest) ->
  code_onto (neighbours k part) rest = neighbours_code k code rest.
Proof.
  induction k as [| k I]; intros part code rest H; cbn [neighbours neighbours_code]; [apply H |].
  apply I; intros j rest'; cbn [code_onto]; now rewrite !H.
Qed.

Lemma div_at : forall a b, N.of_nat (a / b) = N.of_nat a / N.of_nat b.
Proof.
  intros a [| b]; [now destruct a |].
  apply N.div_unique with (N.of_nat (a mod S b)).
  - pose proof (Nat.mod_upper_bound a (S b)); lia.
  - pose proof (Nat.div_mod_eq a (S b)); rewrite <- Nat2N.inj_mul, <- Nat2N.inj_add; f_equal; assumption.
Qed.

Lemma mod_at : forall a b, N.of_nat (a mod S b) = N.of_nat a mod N.of_nat (S b).
Proof.
  intros a b; apply N.mod_unique with (N.of_nat (a / S b)).
  - pose proof (Nat.mod_upper_bound a (S b)); lia.
  - pose proof (Nat.div_mod_eq a (S b)); rewrite <- Nat2N.inj_mul, <- Nat2N.inj_add; f_equal; assumption.
Qed.

Lemma owned_written : forall n t, map N.of_nat (owned n t) = owned_at (N.of_nat n) (N.of_nat t).
Proof.
  intros n t; unfold owned, owned_at; rewrite map_app; f_equal.
  - rewrite !flat_map_concat_map, concat_map, map_map; unfold strided, strided_at; rewrite !map_map.
    replace (N.to_nat ((N.of_nat n / 8 + 255 - N.of_nat t) / 256)) with ((n / 8 + 255 - t) / 256)%nat.
    + f_equal; apply map_ext; intros k; unfold vector, vector_at; rewrite map_map; apply map_ext; intros i; lia.
    + rewrite <- (Nat2N.id ((n / 8 + 255 - t) / 256)); f_equal; rewrite div_at; f_equal; rewrite Nat2N.inj_sub; f_equal.
      rewrite Nat2N.inj_add, div_at; reflexivity.
  - unfold tail, tail_at; change 8 with (N.of_nat 8); rewrite <- mod_at, <- div_at.
    destruct (Nat.ltb_spec t (n mod 8)), (N.ltb_spec (N.of_nat t) (N.of_nat (n mod 8))); try lia; [| reflexivity].
    cbn [map]; f_equal; lia.
Qed.

Theorem code_order : forall n, code (order n) = code_at (N.of_nat n).
Proof.
  intros n; unfold code, order, code_at; apply neighbours_written; intros j rest.
  apply butterfly_written; intros t rest'; now rewrite chain_written, owned_written.
Qed.
