(* The order in which RMSNorm adds the squares of a row, for rows of any length, as spec/operators/rmsnorm.py states it.

   256 threads; V = columns / 8 vectors of 8. Thread t adds the vectors t, t + 256, ... < V element by element, then
   column 8 V + t where there is one; a butterfly adds the 32 lanes of each of 8 warps; pairs of neighbours add the warps. *)

From Coq Require Import Arith NArith List Lia Permutation.
From Fltc Require Import Sum.
Import ListNotations.

(* range(t, limit, 256) *)
Definition strided (t limit : nat) : list nat := map (fun k => t + 256 * k) (seq 0 ((limit + 255 - t) / 256)).

Definition vector (v : nat) : list nat := map (fun i => 8 * v + i) (seq 0 8).

Definition tail (columns t : nat) : list nat :=
  if t <? columns mod 8 then [8 * (columns / 8) + t] else [].

Definition owned (columns t : nat) : list nat := flat_map vector (strided t (columns / 8)) ++ tail columns t.

Definition chain (columns : list nat) : tree := fold_left (fun t c => Fma c t) columns Zero.

(* Lane 0 after a butterfly over 2^k lanes: lane t adds lane t xor 2^(k-1), then 2^(k-2), ..., 1. *)
Fixpoint butterfly (k : nat) (lane : nat -> tree) (t : nat) : tree :=
  match k with
  | 0 => lane t
  | S k => butterfly k (fun t => Add (lane t) (lane (t + 2 ^ k))) t
  end.

(* Pairs of neighbours are added, then pairs of these sums, until one is left. *)
Fixpoint neighbours (k : nat) (part : nat -> tree) : tree :=
  match k with
  | 0 => part 0
  | S k => neighbours k (fun j => Add (part (2 * j)) (part (2 * j + 1)))
  end.

Definition order (columns : nat) : tree :=
  neighbours 3 (fun j => butterfly 5 (fun t => chain (owned columns (32 * j + t))) 0).

(* depth(columns) of spec/operators/rmsnorm.py. *)
Definition rounds (columns : nat) : nat := (columns / 8 + 255) / 256.
Definition most (columns : nat) : nat :=
  8 * rounds columns + (if columns mod 8 =? 0 then 0 else 1) - 1 + 5 + 3.

(* Every node in one list, arguments first: 0 is Zero, 1 is Add, c + 2 is Fma c. *)
Fixpoint code_onto (t : tree) (rest : list N) : list N :=
  match t with
  | Zero => 0%N :: rest
  | Fma c t => code_onto t ((N.of_nat c + 2)%N :: rest)
  | Add l r => code_onto l (code_onto r (1%N :: rest))
  end.
Definition code (t : tree) : list N := code_onto t [].

(* --- the leaves: every column once ------------------------------------------------------------------------------- *)

Lemma strided_filter : forall t limit,
  t < 256 -> strided t limit = filter (fun v => v mod 256 =? t) (seq 0 limit).
Proof.
  intros t limit T; unfold strided; induction limit as [| n I].
  - rewrite Nat.div_small by lia; reflexivity.
  - rewrite seq_S, filter_app, <- I, Nat.add_0_l.
    change (filter (fun v => v mod 256 =? t) [n]) with (if n mod 256 =? t then [n] else []).
    pose proof (Nat.div_mod_eq n 256) as D; pose proof (Nat.mod_upper_bound n 256 ltac:(lia)) as B.
    pose proof (Nat.div_mod_eq (n + 255 - t) 256) as D'.
    pose proof (Nat.mod_upper_bound (n + 255 - t) 256 ltac:(lia)) as B'.
    destruct (Nat.eqb_spec (n mod 256) t) as [E | E].
    + replace ((S n + 255 - t) / 256) with (S ((n + 255 - t) / 256)) by (apply Nat.div_unique with 0; lia).
      rewrite seq_S, map_app, Nat.add_0_l.
      change (map (fun k => t + 256 * k) [(n + 255 - t) / 256]) with [t + 256 * ((n + 255 - t) / 256)].
      do 2 f_equal; lia.
    + replace ((S n + 255 - t) / 256) with ((n + 255 - t) / 256); [now rewrite app_nil_r |].
      apply Nat.div_unique with (S ((n + 255 - t) mod 256)); lia.
Qed.

Lemma flat_map_app_each : forall (A B : Type) (f g : A -> list B) l,
  Permutation (flat_map (fun a => f a ++ g a) l) (flat_map f l ++ flat_map g l).
Proof.
  intros A B f g l; induction l as [| a l I]; simpl; [constructor |].
  rewrite <- !app_assoc; apply Permutation_app_head.
  rewrite I, !app_assoc; apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma flat_map_same : forall (A B : Type) (f g : A -> list B) l,
  (forall a, In a l -> Permutation (f a) (g a)) -> Permutation (flat_map f l) (flat_map g l).
Proof.
  intros A B f g l; induction l as [| a l I]; intros H; simpl; [constructor |].
  apply Permutation_app; [apply H; now left | apply I; intros b M; apply H; now right].
Qed.

Lemma flat_map_flat_map : forall (A B C : Type) (f : B -> list C) (g : A -> list B) l,
  flat_map f (flat_map g l) = flat_map (fun a => flat_map f (g a)) l.
Proof. intros A B C f g l; induction l as [| a l I]; simpl; [reflexivity | now rewrite flat_map_app, I]. Qed.

(* A list is the sum of its classes. *)
Lemma classes : forall (f : nat -> nat) k l,
  (forall v, In v l -> f v < k) ->
  Permutation (flat_map (fun t => filter (fun v => f v =? t) l) (seq 0 k)) l.
Proof.
  intros f k l; induction l as [| v l I]; intros H; simpl.
  - induction (seq 0 k); simpl; [constructor | assumption].
  - assert (f v < k) as V by (apply H; now left).
    transitivity (flat_map (fun t => if f v =? t then [v] else []) (seq 0 k) ++ l).
    + transitivity (flat_map (fun t => if f v =? t then [v] else []) (seq 0 k) ++
                    flat_map (fun t => filter (fun w => f w =? t) l) (seq 0 k)).
      * rewrite <- flat_map_app_each; apply flat_map_same; intros t _; now destruct (f v =? t).
      * apply Permutation_app_head, I; intros w M; apply H; now right.
    + replace (flat_map (fun t => if f v =? t then [v] else []) (seq 0 k)) with [v]; [reflexivity |].
      replace k with (f v + S (k - f v - 1)) by lia; rewrite seq_app, flat_map_app; simpl.
      rewrite Nat.eqb_refl.
      assert (forall a n, (forall t, In t (seq a n) -> f v <> t) ->
              flat_map (fun t => if f v =? t then [v] else []) (seq a n) = []) as Nothing.
      { intros a n; revert a; induction n as [| n J]; intros a N; simpl; [reflexivity |].
        destruct (Nat.eqb_spec (f v) a) as [E | E]; [exfalso; apply (N a); [now left | exact E] |].
        apply J; intros t M; apply N; now right. }
      rewrite !Nothing; [reflexivity | |]; intros t M; apply in_seq in M; lia.
Qed.

Lemma chain_leaves : forall l, Permutation (leaves (chain l)) l.
Proof.
  assert (forall l t, Permutation (leaves (fold_left (fun t c => Fma c t) l t)) (leaves t ++ l)) as H.
  { induction l as [| c l I]; intros t; simpl; [now rewrite app_nil_r |].
    rewrite I; simpl; rewrite app_comm_cons; symmetry; now rewrite <- Permutation_middle. }
  intros l; apply (H l Zero).
Qed.

Lemma flat_map_shift : forall (f : nat -> list nat) n m,
  flat_map (fun i => f (n + i)) (seq 0 m) = flat_map f (seq n m).
Proof.
  intros f n m; induction m as [| m I]; [reflexivity |].
  now rewrite !seq_S, !flat_map_app, I.
Qed.

Lemma butterfly_leaves : forall k lane t,
  Permutation (leaves (butterfly k lane t)) (flat_map (fun i => leaves (lane (t + i))) (seq 0 (2 ^ k))).
Proof.
  induction k as [| k I]; intros lane t; [simpl; now rewrite Nat.add_0_r, app_nil_r |].
  cbn [butterfly]; rewrite I; cbn [leaves]; rewrite flat_map_app_each.
  replace (2 ^ S k) with (2 ^ k + 2 ^ k) by (rewrite Nat.pow_succ_r'; lia); rewrite seq_app, flat_map_app.
  apply Permutation_app_head; rewrite Nat.add_0_l, <- (flat_map_shift _ (2 ^ k)).
  apply flat_map_same; intros i _; now replace (t + (2 ^ k + i)) with (t + i + 2 ^ k) by lia.
Qed.

Lemma pairs : forall (f : nat -> list nat) m,
  flat_map (fun j => f (2 * j) ++ f (2 * j + 1)) (seq 0 m) = flat_map f (seq 0 (2 * m)).
Proof.
  intros f m; induction m as [| m I]; [reflexivity |].
  rewrite seq_S, flat_map_app, I; replace (2 * S m) with (S (S (2 * m))) by lia.
  rewrite !seq_S, !flat_map_app, <- app_assoc; cbn [flat_map]; rewrite !app_nil_r.
  do 3 f_equal; lia.
Qed.

Lemma neighbours_leaves : forall k part,
  Permutation (leaves (neighbours k part)) (flat_map (fun j => leaves (part j)) (seq 0 (2 ^ k))).
Proof.
  induction k as [| k I]; intros part; [simpl; now rewrite app_nil_r |].
  cbn [neighbours]; rewrite I, Nat.pow_succ_r'; cbn [leaves].
  now rewrite (pairs (fun j => leaves (part j))).
Qed.

Lemma threads : forall (f : nat -> list nat) k m,
  flat_map (fun j => flat_map (fun t => f (k * j + t)) (seq 0 k)) (seq 0 m) = flat_map f (seq 0 (k * m)).
Proof.
  intros f k m; induction m as [| m I]; [now rewrite Nat.mul_0_r |].
  rewrite seq_S, flat_map_app, I, Nat.mul_succ_r, seq_app, flat_map_app; f_equal.
  now cbn [flat_map]; rewrite app_nil_r, Nat.add_0_l, flat_map_shift.
Qed.

Lemma map_shift : forall n m, map (fun i => n + i) (seq 0 m) = seq n m.
Proof. intros n m; induction m as [| m I]; [reflexivity |]; now rewrite !seq_S, map_app, I. Qed.

Lemma vectors : forall m, flat_map vector (seq 0 m) = seq 0 (8 * m).
Proof.
  induction m as [| m I]; [reflexivity |].
  rewrite seq_S, flat_map_app, I; replace (8 * S m) with (8 * m + 8) by lia; rewrite seq_app; f_equal.
  cbn [flat_map]; rewrite app_nil_r; apply map_shift.
Qed.

Lemma tails : forall n, flat_map (tail n) (seq 0 256) = seq (8 * (n / 8)) (n mod 8).
Proof.
  intros n; unfold tail; pose proof (Nat.mod_upper_bound n 8 ltac:(lia)) as B.
  replace 256 with (n mod 8 + (256 - n mod 8)) by lia.
  generalize (n mod 8) as r, (8 * (n / 8)) as a, (256 - n mod 8) as k; clear n B; intros r a k.
  assert (forall m, m <= r -> flat_map (fun t => if t <? r then [a + t] else []) (seq 0 m) = seq a m) as Has.
  { induction m as [| m I]; intros M; [reflexivity |].
    rewrite !seq_S, flat_map_app, I by lia; f_equal; cbn [flat_map].
    rewrite Nat.add_0_l; destruct (Nat.ltb_spec m r); [reflexivity | lia]. }
  assert (forall m b, r <= b -> flat_map (fun t => if t <? r then [a + t] else []) (seq b m) = []) as Past.
  { induction m as [| m I]; intros b M; [reflexivity |]; cbn [seq flat_map].
    destruct (Nat.ltb_spec b r); [lia |]; rewrite I by lia; reflexivity. }
  now rewrite seq_app, flat_map_app, Nat.add_0_l, Has, Past, app_nil_r.
Qed.

Theorem order_leaves : forall columns, Permutation (leaves (order columns)) (seq 0 columns).
Proof.
  intros n; unfold order; rewrite neighbours_leaves.
  rewrite (flat_map_same _ _ _ (fun j => flat_map (fun t => owned n (32 * j + t)) (seq 0 32))).
  2: { intros j _; rewrite butterfly_leaves; apply flat_map_same; intros t _; apply chain_leaves. }
  change (2 ^ 3) with 8; rewrite threads; change (32 * 8) with 256; unfold owned; rewrite flat_map_app_each.
  rewrite <- flat_map_flat_map, tails.
  rewrite (flat_map_same _ _ (fun t => strided t (n / 8)) (fun t => filter (fun v => v mod 256 =? t) (seq 0 (n / 8)))).
  2: { intros t M; apply in_seq in M; rewrite strided_filter by lia; reflexivity. }
  assert (forall v, In v (seq 0 (n / 8)) -> v mod 256 < 256) as Class by (intros; apply Nat.mod_upper_bound; lia).
  rewrite (Permutation_flat_map vector (classes (fun v => v mod 256) 256 _ Class)), vectors.
  pose proof (Nat.div_mod_eq n 8) as D; rewrite D at 4; now rewrite seq_app.
Qed.

(* --- the depth --------------------------------------------------------------------------------------------------- *)

Lemma chain_depth : forall l, depth (chain l) = length l - 1.
Proof.
  assert (forall l c t, depth (fold_left (fun t c => Fma c t) l (Fma c t)) = length l + depth (Fma c t)) as H.
  { induction l as [| d l I]; intros c t; [reflexivity |]; simpl fold_left; rewrite I; simpl; lia. }
  intros [| c l]; [reflexivity |]; simpl fold_left; unfold chain; simpl; rewrite H; simpl; lia.
Qed.

Lemma butterfly_depth : forall k lane t m,
  (forall i, i < 2 ^ k -> depth (lane (t + i)) <= m) -> depth (butterfly k lane t) <= m + k.
Proof.
  induction k as [| k I]; intros lane t m H; cbn [butterfly].
  - rewrite Nat.add_0_r; replace t with (t + 0) by lia; apply H; simpl; lia.
  - replace (m + S k) with (S m + k) by lia; apply I; intros i L; cbn [depth].
    pose proof (H i); pose proof (H (i + 2 ^ k)); rewrite Nat.pow_succ_r' in *.
    rewrite <- Nat.add_assoc in *; lia.
Qed.

Lemma neighbours_depth : forall k part m,
  (forall j, j < 2 ^ k -> depth (part j) <= m) -> depth (neighbours k part) <= m + k.
Proof.
  induction k as [| k I]; intros part m H; cbn [neighbours].
  - rewrite Nat.add_0_r; apply H; simpl; lia.
  - replace (m + S k) with (S m + k) by lia; apply I; intros j L; cbn [depth].
    pose proof (H (2 * j)); pose proof (H (2 * j + 1)); rewrite Nat.pow_succ_r' in *; lia.
Qed.

Lemma owned_length : forall n t,
  length (owned n t) <= 8 * rounds n + (if n mod 8 =? 0 then 0 else 1).
Proof.
  intros n t; unfold owned; rewrite app_length; apply Nat.add_le_mono.
  - unfold strided; rewrite flat_map_concat_map, map_map.
    assert (forall l : list nat, length (concat (map (fun k => vector (t + 256 * k)) l)) = 8 * length l) as ->.
    { induction l as [| k l I]; [reflexivity |]; cbn [map concat]; rewrite app_length, I.
      change (length (vector _)) with 8; cbn [length]; lia. }
    rewrite seq_length; apply Nat.mul_le_mono_l; unfold rounds; apply Nat.div_le_mono; lia.
  - unfold tail; destruct (Nat.ltb_spec t (n mod 8)), (Nat.eqb_spec (n mod 8) 0); simpl; lia.
Qed.

Theorem order_depth : forall columns, depth (order columns) <= most columns.
Proof.
  intros n; unfold order, most; apply neighbours_depth; intros j _; apply butterfly_depth; intros i _.
  rewrite chain_depth; apply Nat.sub_le_mono_r, owned_length.
Qed.
