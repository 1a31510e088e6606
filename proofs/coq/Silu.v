(* SiLU from the binary16 number x to the binary32 result, with every case of docs/numerics.md, "SiLU".

   t = mul.rn(x, -L), e = ex2.approx.ftz(t), d = add.rn(1, e), r = rcp.approx.ftz(d), y = mul.rn(x, r). Of the two
   approximations only their documented errors are used. Where a result may be flushed or overflow, each outcome that the
   documentation leaves open is admitted. *)

From Coq Require Import Reals Lra Lia Psatz.
From Flocq Require Import Core.
From Fltc Require Import Rounding Factors Tail.

Open Scope R_scope.

Definition silu (x : R) : R := x / (1 + exp (- x)).

(* 2^t *)
Definition power (t : R) : R := exp (t * ln 2).

(* A result is a number or +Inf. *)
Inductive outcome : Set :=
  | Number (v : R)
  | Infinite.

(* ex2.approx.ftz: near 2^t; anything from 0 to 2^-124 where 2^t is at most 2^-125, so that results around 2^-126, flushed
   or not, are among them; or +Inf where it may reach 2^127. *)
Inductive ex2 (kappa t : R) : outcome -> Prop :=
  | Ex2Near : forall e, Rabs (e - power t) <= kappa * power t -> ex2 kappa t (Number e)
  | Ex2Small : forall e, power t <= pow2 (-125) -> 0 <= e <= pow2 (-124) -> ex2 kappa t (Number e)
  | Ex2Infinite : pow2 127 <= power t * (1 + kappa) -> ex2 kappa t Infinite.

(* add.rn(1, e): rounded, and +Inf may stand for what reaches 2^127. A number that it leaves is below 2^128. *)
Inductive plus_one : outcome -> outcome -> Prop :=
  | PlusNumber : forall e, rn32 (1 + e) < pow2 128 -> plus_one (Number e) (Number (rn32 (1 + e)))
  | PlusOverflow : forall e, pow2 127 <= rn32 (1 + e) -> plus_one (Number e) Infinite
  | PlusInfinite : plus_one Infinite Infinite.

(* rcp.approx.ftz: near 1 / d, or flushed to 0 where a value that near may be below 2^-126; a normal number above 1 / d
   where 1 / d is not normal, so that its units are those of 2^-126; 0 at +Inf. *)
Inductive rcp (rho : R) : outcome -> R -> Prop :=
  | RcpNear : forall d r, Rabs (r - / d) <= rho * / d -> rcp rho (Number d) r
  | RcpLeast : forall d r, / d <= pow2 (-126) <= r -> Rabs (r - / d) <= rho * pow2 (-126) -> rcp rho (Number d) r
  | RcpFlushed : forall d, (1 - rho) * / d < pow2 (-126) -> rcp rho (Number d) 0
  | RcpInfinite : rcp rho Infinite 0.

Definition computes (log2e kappa rho x y : R) : Prop :=
  exists e d r, ex2 kappa (rn32 (x * - log2e)) e /\ plus_one e d /\ rcp rho d r /\ y = rn32 (x * r).

(* The bound. lambda: relative error of the constant against log2 e. *)
Definition argument_error (lambda : R) : R := (1 + u) * (1 + lambda) - 1.
Definition power_error (lambda kappa x : R) : R := exp (Rabs x * argument_error lambda) * (1 + kappa) - 1.
Definition silu_phi (lambda kappa rho x : R) : R := tail rho (/ (1 + exp x) * power_error lambda kappa x).

(* --- adding next to nothing --------------------------------------------------------------------------------------- *)

Lemma nothing_added : forall e, 0 <= e <= pow2 (-124) -> rn32 (1 + e) = 1.
Proof.
  intros e [L U]; assert (format32 1) as One by (change 1 with (pow2 0); apply pow2_format; lia).
  assert (1 <= rn32 (1 + e)) as Low.
  { apply Rle_trans with (rn32 1); [rewrite (rn32_exact 1 One); lra | apply rn32_monotone; lra]. }
  assert (pow2 (-124) <= pow2 (-25)) as Far by (apply pow2_monotone; lia).
  assert (pow2 (-23) = 4 * pow2 (-25)) as Four by (unfold pow2; simpl; lra); pose proof (pow2_positive (-25)).
  assert (Rabs (rn32 (1 + e) - (1 + e)) <= Rabs (1 - (1 + e))) as Near.
  { assert (Valid_exp (FLT_exp (-149) 24)) as Valid by (apply FLT_exp_valid; reflexivity).
    apply (proj2 (round_N_pt radix2 (FLT_exp (-149) 24) (fun z => negb (Z.even z)) (1 + e))); exact One. }
  replace (1 - (1 + e)) with (- e) in Near by ring; rewrite Rabs_Ropp, (Rabs_pos_eq e) in Near by lra.
  apply within_bounds in Near; destruct Low as [More | E]; [exfalso | now symmetry].
  assert (succ radix2 (FLT_exp (-149) 24) 1 <= rn32 (1 + e)) as Next.
  { apply succ_le_lt; [apply FLT_exp_valid; reflexivity | exact One | apply rn32_format | exact More]. }
  rewrite succ_eq_pos in Next by lra; change (ulp radix2 (FLT_exp (-149) 24) 1) with
    (ulp radix2 (FLT_exp (-149) 24) (bpow radix2 0)) in Next.
  rewrite ulp_bpow in Next; change (bpow radix2 (FLT_exp (-149) 24 (0 + 1))) with (pow2 (-23)) in Next; lra.
Qed.

(* --- exponentials ------------------------------------------------------------------------------------------------- *)

Lemma exp_monotone : forall a b, a <= b -> exp a <= exp b.
Proof. intros a b [L | ->]; [now apply Rlt_le, exp_increasing | lra]. Qed.

Lemma exp_below : forall z, 0 <= z -> z < 1 -> exp z * (1 - z) <= 1.
Proof.
  intros z Z Z1; pose proof (exp_pos z) as P; pose proof (exp_pos (- z)) as N.
  assert (exp z * exp (- z) = 1) as E by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (1 - z <= exp (- z)) as L.
  { destruct (Req_dec z 0) as [-> | Nz]; [rewrite Ropp_0, exp_0; lra |].
    pose proof (exp_ineq1 (- z) ltac:(lra)); lra. }
  nra.
Qed.

Lemma exp_8 : exp 8 <= 6561.
Proof.
  assert (exp 8 = exp 1 * exp 1 * (exp 1 * exp 1) * (exp 1 * exp 1 * (exp 1 * exp 1))) as ->
    by (rewrite <- !exp_plus; f_equal; ring).
  pose proof exp_le_3; pose proof (exp_pos 1).
  assert (exp 1 * exp 1 <= 9) by nra; assert (0 < exp 1 * exp 1) by nra.
  assert (exp 1 * exp 1 * (exp 1 * exp 1) <= 81) by nra; assert (0 < exp 1 * exp 1 * (exp 1 * exp 1)) by nra; nra.
Qed.

Lemma ln_2_range : / 2 < ln 2 < 1.
Proof.
  split; [exact ln_lt_2 |]; pose proof (exp_ineq1 1 ltac:(lra)) as E.
  rewrite <- (ln_exp 1); apply ln_increasing; lra.
Qed.

(* --- the sequence ------------------------------------------------------------------------------------------------- *)

Section Sequence.

Variables log2e lambda kappa rho x : R.
Hypothesis lambda_range : 0 <= lambda <= / 50000000.
Hypothesis kappa_range : 0 <= kappa <= / 1000000.
Hypothesis rho_range : 0 <= rho <= / 1000000.
Hypothesis constant : Rabs (log2e * ln 2 - 1) <= lambda.
Hypothesis input : binary16 x.
Hypothesis nonzero : x <> 0.

Let dt := argument_error lambda.
Let t := rn32 (x * - log2e).
Let E := exp (- x).
Let F := exp (Rabs x * dt).
Let sigma := / (1 + exp x).
Let a := sigma * power_error lambda kappa x.

Lemma x_range : pow2 (-24) <= Rabs x <= 65504.
Proof. destruct input as [_ U]; destruct (binary16_least x input); [contradiction | now split]. Qed.

Lemma argument_regular : regular (x * - log2e).
Proof.
  pose proof ln_2_range; pose proof x_range as [L _]; apply within_bounds in constant.
  assert (/ 2 <= log2e) as B.
  { destruct (Rle_lt_dec (/ 2) log2e); [assumption | exfalso; nra]. }
  right; rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq log2e) by lra.
  apply Rle_trans with (pow2 (-24) * / 2); [| pose proof (pow2_positive (-24)); nra].
  replace (pow2 (-24) * / 2) with (pow2 (-25)) by (unfold pow2; simpl; lra); apply pow2_monotone; lia.
Qed.

Lemma dt_range : 0 <= dt <= / 12000000.
Proof. unfold dt, argument_error; rewrite u_value; nra. Qed.

(* 2^t is E f with f between 1 / F and F. *)
Lemma power_factor : exists f, power t = E * f /\ 0 < f <= F /\ 1 <= F * f.
Proof.
  destruct (rn32_factor _ argument_regular) as [d [D T]]; fold t in T.
  pose proof (factor_step lambda u (log2e * ln 2) d ltac:(lra) (Rlt_le _ _ u_positive) constant D) as P.
  set (q := log2e * ln 2 * (1 + d) - 1) in P.
  assert (Rabs q <= dt) as Q by (unfold dt, argument_error; lra).
  exists (exp (- (x * q))); split; [| split; [split |]].
  - unfold power, E; rewrite <- exp_plus, T; f_equal; unfold q; ring.
  - apply exp_pos.
  - apply exp_monotone; apply Rle_trans with (1 := Rle_abs _); rewrite Rabs_Ropp, Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos | exact Q].
  - unfold F; rewrite <- exp_plus, <- exp_0 at 1; apply exp_monotone.
    assert (Rabs (x * q) <= Rabs x * dt) as B by (rewrite Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos | exact Q]).
    pose proof (Rle_abs (x * q)); lra.
Qed.

Lemma F_range : 1 <= F <= 1 + / 127.
Proof.
  pose proof x_range as [_ U]; pose proof dt_range; pose proof (Rabs_pos x).
  assert (0 <= Rabs x * dt <= / 128) as Z by nra; unfold F; split.
  - rewrite <- exp_0; apply exp_monotone; lra.
  - pose proof (exp_below _ (proj1 Z) ltac:(lra)); pose proof (exp_pos (Rabs x * dt)); nra.
Qed.

Lemma power_error_range : 0 <= power_error lambda kappa x <= / 100.
Proof. pose proof F_range; unfold power_error; fold dt F; nra. Qed.

Lemma E_positive : 0 < E.
Proof. apply exp_pos. Qed.

Lemma sigma_share : sigma * (1 + E) = E.
Proof.
  pose proof (exp_pos x); assert (exp x * E = 1) as P by (unfold E; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  unfold sigma; apply Rmult_eq_reg_l with (1 + exp x); [| lra].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; lra.
Qed.

Lemma sigma_range : 0 < sigma < 1.
Proof.
  pose proof (exp_pos x); unfold sigma; split; [apply Rinv_0_lt_compat; lra |].
  rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

Lemma a_range : 0 <= a <= / 100.
Proof. pose proof sigma_range; pose proof power_error_range; unfold a; nra. Qed.

(* Near 2^t: 1 + e is within relative a of 1 + E. *)
Lemma near_denominator : forall e, Rabs (e - power t) <= kappa * power t ->
  0 <= e /\ exists s, Rabs s <= a /\ 1 + e = (1 + E) * (1 + s).
Proof.
  intros e H; destruct power_factor as [f [P [[f0 f1] f2]]]; pose proof F_range; pose proof E_positive.
  apply within_bounds in H; rewrite P in H.
  assert (E * (f * (1 - kappa)) <= e <= E * (f * (1 + kappa))) as B by lra.
  assert (1 - power_error lambda kappa x <= f * (1 - kappa)) as Low.
  { unfold power_error; fold dt F; apply Rmult_le_reg_r with F; [lra |].
    assert (0 <= (F - 1) * (F - 1)) as Sq by apply square_nonnegative.
    assert (0 <= (F - 1) * (F + 1) * kappa) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= (F * f - 1) * (1 - kappa)) by (apply Rmult_le_pos; lra); lra. }
  assert (f * (1 + kappa) <= 1 + power_error lambda kappa x) as High by (unfold power_error; fold dt F; nra).
  pose proof power_error_range as PE.
  assert (Rabs (e - E) <= power_error lambda kappa x * E) as D by (apply Rabs_le; split; nra).
  split; [nra |].
  exists ((e - E) / (1 + E)); split; [| field; lra].
  unfold Rdiv; rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (1 + E)) by lra.
  apply Rmult_le_reg_r with (1 + E); [lra |]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold a; replace (sigma * power_error lambda kappa x * (1 + E))
    with (power_error lambda kappa x * (sigma * (1 + E))) by ring; rewrite sigma_share; exact D.
Qed.

(* What add.rn rounds is (1 + E) with two small factors, the first within a; so is a 1 where ex2 flushed. *)
Lemma denominator : forall v, ex2 kappa t (Number v) -> 1 <= rn32 (1 + v) /\
  exists s c, Rabs s <= a /\ Rabs c <= u /\ rn32 (1 + v) = (1 + E) * ((1 + s) * (1 + c)).
Proof.
  intros v X; pose proof E_positive; pose proof a_range.
  assert (rn32 1 = 1) as One by (change 1 with (pow2 0); apply rn32_pow2; lia).
  inversion X as [v' Near Eq | v' Flushed Few Eq |]; subst.
  - destruct (near_denominator v Near) as [V [s [S Sum]]].
    assert (1 <= rn32 (1 + v)) as L by (rewrite <- One; apply rn32_monotone; lra).
    assert (regular (1 + v)) as G.
    { right; rewrite Rabs_pos_eq by lra; apply Rle_trans with (pow2 0); [apply pow2_monotone; lia |].
      unfold pow2; simpl; lra. }
    destruct (rn32_factor _ G) as [c [C R]]; split; [exact L |]; exists s, c; repeat split; trivial.
    rewrite R, Sum; ring.
  - rewrite (nothing_added v Few); split; [lra |].
    exists 0, (/ (1 + E) - 1); split; [rewrite Rabs_R0; lra |]; split; [| field; lra].
    destruct power_factor as [f [Pf [[f0 f1] f2]]]; pose proof F_range.
    assert (E <= u) as Small.
    { rewrite Pf in Flushed; pose proof (pow2_positive (-125)).
      assert (E <= 2 * pow2 (-125)) as E2 by nra; apply Rle_trans with (1 := E2).
      replace (2 * pow2 (-125)) with (pow2 (-124)) by (unfold pow2; simpl; lra); apply pow2_monotone; lia. }
    replace (/ (1 + E) - 1) with (- (E * / (1 + E))) by (field; lra); rewrite Rabs_Ropp.
    assert (0 < / (1 + E) <= 1) as I.
    { split; [apply Rinv_0_lt_compat; lra |]; rewrite <- Rinv_1; apply Rinv_le; lra. }
    rewrite Rabs_pos_eq by nra; nra.
Qed.

Lemma rho_small : 0 <= rho <= / 1024.
Proof. lra. Qed.

Lemma a_small : 0 <= a <= / 2.
Proof. pose proof a_range; lra. Qed.

(* rcp.approx at a number: the product is 0 or not subnormal. *)
Lemma product_regular : forall d s c k, 1 <= d < pow2 128 -> Rabs s <= a -> Rabs c <= u ->
  d = (1 + E) * ((1 + s) * (1 + c)) -> Rabs k <= rho -> regular (x * ((1 + k) * / d)).
Proof.
  intros d s c k [D1 D2] S C D K; pose proof a_range; pose proof E_positive; pose proof u_value as U.
  apply within_bounds in S, C, K; rewrite U in C; right; rewrite Rabs_mult.
  assert (0 < / d) as I by (apply Rinv_0_lt_compat; lra); assert (d * / d = 1) as I' by (apply Rinv_r; lra).
  rewrite (Rabs_pos_eq ((1 + k) * / d)) by nra.
  assert (/ 2 * / d <= (1 + k) * / d) as K' by nra.
  destruct x_range as [X _]; destruct (Rle_lt_dec 8 (Rabs x)) as [Big | Small].
  - assert (pow2 (-128) <= / d) as J.
    { replace (pow2 (-128)) with (/ pow2 128) by (symmetry; apply (bpow_opp radix2 128)); apply Rinv_le; lra. }
    apply Rle_trans with (8 * (/ 2 * pow2 (-128))); [| pose proof (pow2_positive (-128)); apply Rmult_le_compat; lra].
    replace (8 * (/ 2 * pow2 (-128))) with (pow2 (-126)) by (unfold pow2; simpl; lra); lra.
  - assert (E <= 6561) as E8.
    { unfold E; apply Rle_trans with (2 := exp_8), exp_monotone.
      apply Rle_trans with (1 := Rle_abs _); rewrite Rabs_Ropp; lra. }
    assert (d <= 8192) as D8.
    { rewrite D; apply Rle_trans with (6562 * (11 / 10)); [| lra].
      apply Rmult_le_compat; [lra | | lra |]; nra. }
    assert (/ 8192 <= / d) as J by (apply Rinv_le; lra).
    apply Rle_trans with (pow2 (-24) * (/ 2 * / 8192)); [| pose proof (pow2_positive (-24)); apply Rmult_le_compat; lra].
    replace (pow2 (-24) * (/ 2 * / 8192)) with (pow2 (-38)) by (unfold pow2; simpl; lra); apply pow2_monotone; lia.
Qed.

Let Phi := silu_phi lambda kappa rho x.

Lemma silu_value : silu x = x * / (1 + E).
Proof. reflexivity. Qed.

(* Where the result is 0 the term 2^-126 |x| covers what is lost. *)
Lemma zero_result : 1 - Phi <= pow2 (-126) * (1 + E) ->
  Rabs (rn32 (x * 0) - silu x) <= Phi * Rabs (silu x) + pow2 (-126) * Rabs x.
Proof.
  intros H; rewrite Rmult_0_r, rn32_zero, Rminus_0_l, Rabs_Ropp, silu_value, Rabs_mult; pose proof E_positive.
  assert (0 < / (1 + E)) as I by (apply Rinv_0_lt_compat; lra); assert ((1 + E) * / (1 + E) = 1) as J by (apply Rinv_r; lra).
  rewrite (Rabs_pos_eq (/ (1 + E))) by lra.
  assert ((1 - Phi) * / (1 + E) <= pow2 (-126)) as B.
  { apply Rle_trans with (pow2 (-126) * (1 + E) * / (1 + E)); [apply Rmult_le_compat_r; lra |].
    rewrite Rmult_assoc, J; lra. }
  pose proof (Rmult_le_compat_l (Rabs x) _ _ (Rabs_pos x) B); lra.
Qed.

Lemma beyond_reach : pow2 126 <= 1 + E -> 1 - Phi <= pow2 (-126) * (1 + E).
Proof.
  intros H; pose proof (tail_nonnegative rho a rho_small a_small) as N; change (0 <= Phi) in N.
  pose proof (pow2_positive (-126)) as P; assert (pow2 (-126) * pow2 126 = 1) as One.
  { unfold pow2; rewrite <- bpow_plus; reflexivity. }
  pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ P) H); lra.
Qed.

(* Where 1 / d is below the normal numbers: every error together is a small part of 2^-126 |x|. *)
Lemma least_result : forall d s c r, 1 <= d -> Rabs s <= a -> Rabs c <= u -> d = (1 + E) * ((1 + s) * (1 + c)) ->
  / d <= pow2 (-126) <= r -> Rabs (r - / d) <= rho * pow2 (-126) ->
  Rabs (rn32 (x * r) - silu x) <= Phi * Rabs (silu x) + pow2 (-126) * Rabs x.
Proof.
  intros d s c r D1 S C D [I R] N; pose proof E_positive; pose proof a_range; pose proof u_value as U.
  pose proof (pow2_positive (-126)) as P0; set (m := pow2 (-126)) in *.
  apply within_bounds in S, C, N; rewrite U in C; assert (0 < / d) as I0 by (apply Rinv_0_lt_compat; lra).
  assert (99 / 100 - / 1000 <= (1 + s) * (1 + c) <= 101 / 100 + / 1000) as Q by (split; nra).
  assert (8 <= Rabs x) as Big.
  { destruct (Rle_lt_dec 8 (Rabs x)) as [B | B]; [exact B | exfalso].
    assert (E <= 6561) as E8.
    { unfold E; apply Rle_trans with (2 := exp_8), exp_monotone.
      apply Rle_trans with (1 := Rle_abs _); rewrite Rabs_Ropp; lra. }
    assert (d <= 8192) as D8.
    { rewrite D; apply Rle_trans with (6562 * (11 / 10)); [apply Rmult_le_compat; lra | lra]. }
    assert (/ 8192 <= / d) as J by (apply Rinv_le; lra).
    assert (m <= / 16384) as M by (unfold m, pow2; simpl; lra); lra. }
  assert (regular (x * r)) as G.
  { right; rewrite Rabs_mult, (Rabs_pos_eq r) by lra; fold m; nra. }
  destruct (rn32_factor _ G) as [b [B Y]]; apply within_bounds in B; rewrite U in B; rewrite Y, silu_value.
  assert (/ (1 + E) = (1 + s) * (1 + c) * / d) as W by (rewrite D; field; nra).
  assert (Rabs (r * (1 + b) - / (1 + E)) <= m) as All.
  { rewrite W; apply Rabs_le; assert (0 <= r <= 2 * m) as R2 by nra; split; nra. }
  replace (x * r * (1 + b) - x * / (1 + E)) with (x * (r * (1 + b) - / (1 + E))) by ring; rewrite Rabs_mult.
  pose proof (tail_nonnegative rho a rho_small a_small) as T; change (0 <= Phi) in T.
  pose proof (Rmult_le_compat_l _ _ _ (Rabs_pos x) All).
  pose proof (Rmult_le_pos _ _ T (Rabs_pos (x * / (1 + E)))); lra.
Qed.

Theorem silu_accuracy : forall y, computes log2e kappa rho x y ->
  Rabs (y - silu x) <= Phi * Rabs (silu x) + pow2 (-126) * Rabs x.
Proof.
  intros y [e [d [r [X [P [R ->]]]]]]; fold t in X; pose proof E_positive; pose proof a_range; pose proof u_value as U.
  assert (pow2 127 = 2 * pow2 126) as Two by (unfold pow2; simpl; lra).
  inversion R as [v q Near Dv | v q Least Near Dv | v Flushed Dv | Dv]; subst.
  - inversion P as [w Below Ew Dw | |]; subst; destruct (denominator w X) as [L [s [c [S [C D]]]]].
    set (v := rn32 (1 + w)) in *; assert (0 < / v) as I by (apply Rinv_0_lt_compat; lra).
    set (k := r * v - 1); assert (r = (1 + k) * / v) as Rk by (unfold k; field; lra).
    assert (Rabs k <= rho) as K.
    { unfold k; replace (r * v - 1) with ((r - / v) * v) by (field; lra).
      rewrite Rabs_mult, (Rabs_pos_eq v) by lra; apply Rmult_le_reg_r with (/ v); [exact I |].
      rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra; exact Near. }
    pose proof (product_regular v s c k (conj L Below) S C D K) as G.
    destruct (rn32_factor _ G) as [b [B Y]]; rewrite Rk, Y.
    set (z := (1 + k) * (1 + b) * / ((1 + s) * (1 + c))).
    apply within_bounds in S as S', C as C'; rewrite U in C'.
    assert (0 < (1 + s) * (1 + c)) as Q by nra.
    replace (x * ((1 + k) * / v) * (1 + b)) with (z * silu x).
    2: { rewrite silu_value, D; unfold z; field; nra. }
    replace (z * silu x - silu x) with ((z - 1) * silu x) by ring; rewrite Rabs_mult.
    assert (Rabs (z - 1) <= Phi) as Z.
    { apply (tail_step rho a rho_small a_small s c k b z S C K B); unfold z; field; nra. }
    pose proof (Rmult_le_compat_r _ _ _ (Rabs_pos (silu x)) Z); pose proof (pow2_positive (-126)) as P0.
    pose proof (Rmult_le_pos _ _ (Rlt_le _ _ P0) (Rabs_pos x)); lra.
  - inversion P as [w Below Ew Dw | |]; subst; destruct (denominator w X) as [L [s [c [S [C D]]]]].
    now apply (least_result (rn32 (1 + w)) s c r).
  - inversion P as [w Below Ew Dw | |]; subst; destruct (denominator w X) as [L [s [c [S [C D]]]]].
    apply zero_result; pose proof (tail_downward rho a rho_small a_small) as T; change (tail rho a) with Phi in T.
    set (v := rn32 (1 + w)) in *; apply within_bounds in S, C.
    assert (1 - rho < pow2 (-126) * v) as Fl.
    { apply Rmult_lt_reg_r with (/ v); [apply Rinv_0_lt_compat; lra |]; rewrite Rmult_assoc, Rinv_r by lra; lra. }
    assert (v <= (1 + E) * ((1 + a) * (1 + u))) as Up.
    { rewrite D; apply Rmult_le_compat_l; [lra |]; rewrite U in *; nra. }
    pose proof (pow2_positive (-126)) as P0; pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ P0) Up).
    assert (0 < (1 + a) * (1 + u)) as Q by (rewrite U; nra).
    apply Rmult_le_reg_r with ((1 + a) * (1 + u)); [exact Q |].
    assert ((1 - rho) * (1 - u) <= 1 - rho) by (rewrite U; nra); lra.
  - apply zero_result, beyond_reach; inversion P as [| w Over Ew Dw | Ew Dw]; subst.
    + destruct (denominator w X) as [L [s [c [S [C D]]]]]; apply within_bounds in S, C; rewrite D in Over.
      assert (0 <= (1 + s) * (1 + c) <= 2) as Q by (rewrite U in C; nra); nra.
    + inversion X as [| | Over]; subst; destruct power_factor as [f [Pf [[f0 f1] f2]]]; pose proof F_range.
      rewrite Pf in Over; assert (0 <= f * (1 + kappa) <= 2) as Q by nra; nra.
Qed.

End Sequence.

(* --- every binary16 number ---------------------------------------------------------------------------------------- *)

Theorem silu_every : forall log2e lambda kappa rho x y,
  0 <= lambda <= / 50000000 -> 0 <= kappa <= / 1000000 -> 0 <= rho <= / 1000000 ->
  Rabs (log2e * ln 2 - 1) <= lambda -> binary16 x -> computes log2e kappa rho x y ->
  Rabs (y - silu x) <= silu_phi lambda kappa rho x * Rabs (silu x) + pow2 (-126) * Rabs x.
Proof.
  intros log2e lambda kappa rho x y La Ka Rh Co In Cs; destruct (Req_dec x 0) as [-> | N].
  - destruct Cs as [e [d [r [_ [_ [_ ->]]]]]]; unfold silu, Rdiv; rewrite !Rmult_0_l, rn32_zero, Rminus_0_r, Rabs_R0; lra.
  - now apply (silu_accuracy log2e lambda kappa rho x).
Qed.
