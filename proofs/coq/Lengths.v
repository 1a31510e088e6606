(* RMSNorm in the order of Order.v at every length, and its bound as the rational numbers that the harness computes. *)

From Coq Require Import Reals Lra Lia ZArith List Bool.
From Fltc Require Import Rounding Gamma Sum Order Rmsnorm.
Import ListNotations.

Open Scope R_scope.

(* What is claimed of a row: the bound for every element and every admissible result of rsqrt.approx, and no overflow. *)
Definition obeys (x : nat -> R) (w eps rho : R) (n : nat) (bound : R) : Prop :=
  let t := order n in
  forall c r, root_of rho (argument x eps n t) r ->
  Rabs (result x w r c - normalised x w eps n c) <= bound * Rabs (normalised x w eps n c) /\
  finite x t /\ finite32 (quotient x n t) /\ finite32 (argument x eps n t) /\ finite32 r /\
  finite32 (scaled x r c) /\ finite32 (result x w r c).

Lemma most_small : forall n, INR n <= 65536 -> INR (most n + 2) * u <= / 1024.
Proof.
  intros n N; assert (256 * most n <= n + 4344)%nat as M.
  { unfold most, rounds; pose proof (Nat.mul_div_le n 8 ltac:(lia)).
    pose proof (Nat.mul_div_le (n / 8 + 255) 256 ltac:(lia)).
    destruct (n mod 8 =? 0)%nat; lia. }
  apply le_INR in M; rewrite mult_INR, plus_INR in M; rewrite plus_INR, u_value.
  replace (INR 256) with 256 in M by (rewrite INR_IZR_INZ; reflexivity).
  replace (INR 4344) with 4344 in M by (rewrite INR_IZR_INZ; reflexivity); simpl (INR 2); lra.
Qed.

Theorem rmsnorm : forall x w eps rho n,
  (forall c, binary16 (x c)) -> binary16 w -> pow2 (-30) <= eps <= 1 -> (1 <= n)%nat -> INR n <= 65536 ->
  0 <= rho <= / 1024 -> obeys x w eps rho n (phi rho (most n)).
Proof.
  intros x w eps rho n X W E N N' Rho c r Root; pose proof (most_small n N') as Small.
  pose proof (order_leaves n); pose proof (order_depth n).
  split; [now apply (rmsnorm_accuracy x w eps rho r n (most n) (order n)) |].
  now apply (rmsnorm_finite x w eps rho r n (most n) (order n)).
Qed.

(* --- phi as a quotient of integers, for rho = a / b -------------------------------------------------------------- *)

Definition numerator (a b k : Z) : Z :=
  let d := (2 ^ 24 - k)%Z in ((d * d + k * 2 ^ 23) * (a + b) * (2 ^ 24 + 1) ^ 2 - d * d * b * 2 ^ 48)%Z.
Definition denominator (b k : Z) : Z := let d := (2 ^ 24 - k)%Z in (d * d * b * 2 ^ 48)%Z.

Lemma phi_rational : forall a b h, (0 < b)%Z -> (Z.of_nat (h + 2) < 2 ^ 24)%Z ->
  phi (IZR a / IZR b) h = IZR (numerator a b (Z.of_nat (h + 2))) / IZR (denominator b (Z.of_nat (h + 2))).
Proof.
  intros a b h B K; unfold phi, gamma; rewrite INR_IZR_INZ, u_value; set (k := Z.of_nat (h + 2)) in *.
  unfold numerator, denominator; rewrite minus_IZR, !mult_IZR, !plus_IZR, !mult_IZR, minus_IZR.
  apply IZR_lt in B, K; change (IZR (2 ^ 24)) with 16777216 in *; change (IZR (2 ^ 23)) with 8388608.
  change (IZR (2 ^ 48)) with 281474976710656; change (IZR ((2 ^ 24 + 1) ^ 2)) with 281475010265089.
  field; lra.
Qed.

(* A table of bounds: depth of the sum, numerator, denominator. *)
Definition row : Type := (nat * (Z * Z))%type.

Definition row_right (a b : Z) (r : row) : bool :=
  let '(h, (num, den)) := r in
  let k := Z.of_nat (h + 2) in
  (k <? 2 ^ 24)%Z && (0 <? den)%Z && (numerator a b k * den =? num * denominator b k)%Z.

Lemma row_right_phi : forall a b h num den, (0 < b)%Z ->
  row_right a b (h, (num, den)) = true -> phi (IZR a / IZR b) h = IZR num / IZR den.
Proof.
  intros a b h num den B H; unfold row_right in H; rewrite !andb_true_iff, Z.eqb_eq, !Z.ltb_lt in H.
  destruct H as [[K D] E]; rewrite phi_rational by assumption; apply IZR_eq in E; rewrite !mult_IZR in E.
  assert (0 < denominator b (Z.of_nat (h + 2)))%Z as P by (unfold denominator; repeat apply Z.mul_pos_pos; lia).
  apply IZR_lt in P, D; apply Rmult_eq_reg_r with (IZR den * IZR (denominator b (Z.of_nat (h + 2)))); [| nra].
  field_simplify; lra.
Qed.

(* The depths that occur in rows of at most 2048 m columns. *)
Definition depths (m : nat) : list nat := 8%nat :: flat_map (fun r => [8 * r + 7; 8 * r + 8]%nat) (seq 1 m).

Lemma most_in_depths : forall m n, (1 <= n <= 2048 * m)%nat -> In (most n) (depths m).
Proof.
  intros m n [L U]; unfold most, depths; pose proof (Nat.div_mod_eq n 8) as D.
  pose proof (Nat.mod_upper_bound n 8 ltac:(lia)) as B.
  assert (rounds n <= m)%nat as Rm.
  { unfold rounds; pose proof (Nat.mul_div_le (n / 8 + 255) 256 ltac:(lia)); lia. }
  destruct (Nat.eq_dec (rounds n) 0) as [Z | Z].
  - left; rewrite Z; unfold rounds in Z; apply Nat.div_small_iff in Z; [| lia].
    destruct (Nat.eqb_spec (n mod 8) 0); lia.
  - right; apply in_flat_map; exists (rounds n); split; [apply in_seq; lia |].
    destruct (n mod 8 =? 0)%nat; simpl; lia.
Qed.

Definition covers (table : list row) (m : nat) : bool :=
  forallb (fun h => existsb (fun r => fst r =? h)%nat table) (depths m).

Theorem rmsnorm_by_table : forall (a b : Z) (table : list row) (m : nat),
  (0 <= a)%Z -> (0 < b)%Z -> (1024 * a <= b)%Z -> (m <= 32)%nat ->
  forallb (row_right a b) table = true -> covers table m = true ->
  forall x w eps n,
  (forall c, binary16 (x c)) -> binary16 w -> pow2 (-30) <= eps <= 1 -> (1 <= n <= 2048 * m)%nat ->
  exists num den, In (most n, (num, den)) table /\ obeys x w eps (IZR a / IZR b) n (IZR num / IZR den).
Proof.
  intros a b table m A B AB M Right Covers x w eps n X W E [N N'].
  pose proof (most_in_depths m n (conj N N')) as D; unfold covers in Covers.
  rewrite forallb_forall in Covers; specialize (Covers _ D); apply existsb_exists in Covers.
  destruct Covers as [[h [num den]] [In Eq]]; apply Nat.eqb_eq in Eq; simpl in Eq; subst h.
  exists num, den; split; [exact In |].
  rewrite forallb_forall in Right; specialize (Right _ In).
  rewrite <- (row_right_phi a b (most n) num den B Right); apply rmsnorm; trivial.
  - rewrite INR_IZR_INZ; apply IZR_le; lia.
  - apply IZR_le in A, AB; apply IZR_lt in B; rewrite mult_IZR in AB.
    assert (0 < / IZR b) as I by now apply Rinv_0_lt_compat.
    split; [apply Rmult_le_pos; lra |].
    apply Rmult_le_reg_r with (IZR b); [assumption |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.
