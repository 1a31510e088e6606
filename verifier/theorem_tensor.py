"""Theorems 2.1 and 2.2 about the tensor core: the theories are the reviewed ones, and coqc accepts what is said here.

No shipped kernel has a matrix product; these theorems stand behind the contracts of operators that have one. What is
demanded is one Coq statement with the audit's own factors: an instruction, a chain, a row of a product, and the
controls, that neither the factor nor its parts can be less.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from verifier.findings import Finding, Grade
from verifier.formal import COQC, Stopped, absent, objections
from verifier.theorems import CHECK, FOLDER, THEORIES, Theorems, reviewed

SELF = "verifier/theorem_tensor.py"
DIGESTS = {
    "Truncation.v": "634a3f0285aa7250b71d92ac37cbc421cd7549d6d3a38c3b1917d8f444ff9b37",
    "TensorCore.v": "c43deee0eb8828f250ba37c85d1ee7be7c9e3d77119be52e4806d144c63eefbe",
    "Chain.v": "e14a9737e9fec94bc6fe755f35f8182d3bb9219471c01e0a6339da46352bcab4",
    "Split.v": "d6e9bfe06b7107f0cf420c719803aa5a62679b93c95d092f061b646e8f563a1a",
    "Literal.v": "d40616447b72bab8048e7b088a71c0f660cc946518b73f8261aa9f9a53be848a",
    "Counterexamples.v": "8436daaf2fec113be32be18e1b084fabc704914795fd5beb7020870a8dca9e17",
}
"""Digest of each reviewed theory, in the order in which they are compiled, behind Rounding.v."""
FACTORS = {(24, 2): 10, (25, 1): 5}
"""kappa of TC(F, g) by F and g, in units of 2^-23."""
UNITS = 2**23


def check_tensor_core(root: Path, factors: Mapping[tuple[int, int], int] | None = None) -> Theorems:
    """What is wrong with the theories below a checkout, or whether coqc accepts what is demanded of them.

    `factors`: what is demanded, FACTORS if none.
    """
    found = Theorems()
    theories = reviewed(root, found.findings, {"Rounding.v": THEORIES["Rounding.v"], **DIGESTS}, SELF)
    if found.findings:
        return found
    found.needs = absent((COQC,))
    if found.needs:
        found.not_run = 1
        return found
    try:
        files = {f"{CHECK}.v": check_text(factors or FACTORS)}
        wrong = objections(files, [f"{CHECK}.audited"], "Fltc", theories)
    except Stopped as stopped:
        found.findings.append(Finding(FOLDER, str(stopped), Grade.UNDECIDED))
        return found
    found.findings += [Finding(FOLDER, words) for words in wrong]
    found.proved += not wrong
    return found


def check_text(factors: Mapping[tuple[int, int], int]) -> str:
    """The Coq file whose theorem `audited` is everything that is demanded."""
    texts, names = [], ["controls"]
    for (kept, groups), units in factors.items():
        name = f"core_{kept}_{groups}"
        names.append(name)
        texts.append(_core(name, kept, groups, units))
    return f"""From Coq Require Import Reals ZArith Lia Lra List.
From Flocq Require Import Core.
From Fltc Require Import Rounding Truncation TensorCore Chain Split Literal Counterexamples.
Open Scope R_scope.
{"".join(texts)}Theorem controls :
  (exists c ps d, tensor_core 24 2 c ps d /\\ format32 c /\\ Forall factors ps /\\ length ps = 16%nat /\\
    weight c ps < bpow radix2 128 /\\ 899 / 100 / {UNITS} * weight c ps < Rabs (d - (c + dot ps))) /\\
  (exists c ps d, tensor_core 24 1 c ps d /\\ format32 c /\\ Forall factors ps /\\ length ps = 16%nat /\\
    weight c ps < bpow radix2 128 /\\ 10 / {UNITS} * (Rabs c + magnitude ps) < Rabs (d - (c + dot ps))).
Proof.
  assert (forall F g k measure, ~ accuracy F g k measure -> exists c ps d, tensor_core F g c ps d /\\ format32 c /\\
    Forall factors ps /\\ length ps = 16%nat /\\ weight c ps < bpow radix2 128 /\\
    k * measure c ps < Rabs (d - (c + dot ps))) as found.
  {{ intros F g k measure no; apply Classical_Prop.NNPP; intros none; apply no; intros c ps d C P N W D.
    apply Rnot_lt_le; intros more; apply none; exists c, ps, d; repeat split; assumption. }}
  split.
  - replace (899 / 100 / {UNITS}) with (899 / 100 * pow2 (-23)) by (unfold pow2; simpl; lra).
    apply found, kappa_is_near_24_2.
  - replace (10 / {UNITS}) with (kappa 24 2) by (unfold kappa, pow2; simpl; lra).
    apply (found 24%Z 1%nat (kappa 24 2) (fun c ps => Rabs c + magnitude ps)), clipping_is_needed.
Qed.
Definition audited := ({", ".join(names)}).
"""


def _core(name: str, kept: int, groups: int, units: int) -> str:
    """What is demanded of one TC(F, g)."""
    k = f"({units} / {UNITS})"
    return f"""Theorem {name} :
  (forall c ps d, format32 c -> Forall factors ps -> length ps = 16%nat -> Rabs c + clipped ps < bpow radix2 128 ->
    tensor_core {kept} {groups} c ps d ->
    Rabs (d - (c + dot ps)) <= {k} * (Rabs c + clipped ps) /\\ Rabs d <= Rabs c + magnitude ps) /\\
  (forall ps acc T s E, chain {kept} {groups} ps acc T -> total_weight (acc O) ps T < bpow radix2 128 ->
    Rabs (acc O - s) <= E -> Rabs (acc T - exact_sum s ps T) <= running {k} s E ps T) /\\
  (forall a b acc K t, gemm {kept} {groups} a b acc K t ->
    Rabs (acc t - sum_below (fun k => a k * b k) K) <= running {k} 0 0 (sixteen a b) t /\\
    Rabs (acc t - sum_below (fun k => a k * b k) K) <= INR t * ({k} * sum_below (fun k => cl (a k) * cl (b k)) K)).
Proof.
  replace {k} with (kappa {kept} {groups}) by (unfold kappa, pow2; simpl; lra).
  split; [| split].
  - intros c ps d C P N W D; destruct (mma_accuracy {kept} {groups} c ps d ltac:(lia) C P N W D) as [A [B _]].
    split; [exact A | exact B].
  - intros ps acc T s E H W B; apply (chain_running {kept} {groups} ps acc T s E ltac:(lia) H W B T (le_n T)).
  - intros a b acc K t H; destruct (gemm_accuracy {kept} {groups} a b acc K t ltac:(lia) H) as [A [B _]].
    split; [exact A | exact B].
Qed.
"""
