"""Theorems 2.1 and 2.2 in Coq: they compile, rest on the axioms of the reals alone, and false variants fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest

from proofs.numerics import theory
from proofs.numerics.formal import Compiled, Status, compile_coq
from spec import tensor_core
from tests.formal import needs_coq

FILES = ("Rounding.v", *theory.TENSOR_CORE)
END_THEOREMS = (
    "Truncation.rz32_error", "TensorCore.mma_accuracy", "TensorCore.tensor_core_weaker",
    "TensorCore.tensor_core_exists", "Chain.chain_running", "Chain.chain_a_priori", "Chain.gemm_accuracy",
    "Chain.gemm_ada", "Chain.gemm_hopper", "Chain.gemm_weaker", "Chain.gemm_stored",
    "Split.split_accuracy", "Split.split_gemm", "Split.factor_accuracy", "Literal.literal_accuracy",
    "Literal.kappa_literal_value", "Literal.literal_running", "Literal.literal_a_priori", "Literal.literal_is_attained",
    "Counterexamples.accuracy_holds", "Counterexamples.kappa_is_near_24_2", "Counterexamples.kappa_is_near_25_1",
    "Counterexamples.bits_are_needed", "Counterexamples.clipping_is_needed",
)  # fmt: skip
# A false variant of a file: what is replaced, by what. Each must be refused, in the file itself. That the factor, the
# bits and cl cannot be less is not only refused but refuted, in Counterexamples.v.
FALSE = {
    "one group's conversion left out": (
        "TensorCore.v", "<= kappa F g * weight c ps /\\", "<= kappa F (Nat.pred g) * weight c ps /\\"),
    "an addend that attains Emax and may be cut too": (
        "TensorCore.v", "(e <= top - F)%Z.", "(e <= top - F + 1)%Z."),
    "22 bits, where an accumulator of 24 bits loses its last": (
        "TensorCore.v", "Lemma cut_sum_losses : forall F c ps e Y, (23 <= F)%Z",
        "Lemma cut_sum_losses : forall F c ps e Y, (22 <= F)%Z"),
    "conversion to nearest, which lets magnitudes grow": (
        "Truncation.v", "round radix2 (FLT_exp (-149) 24) Ztrunc x", "round radix2 (FLT_exp (-149) 24) ZnearestE x"),
    "a relative error of sums finer than binary32's least number": (
        "Truncation.v", "Theorem rz32_error : forall x, multiple (-149) x",
        "Theorem rz32_error : forall x, multiple (-150) x"),
    "a running bound that forgets the error so far": (
        "Chain.v", "(Rabs (exact_sum s ps t) + running k s E ps t + clipped (ps t))",
        "(Rabs (exact_sum s ps t) + clipped (ps t))"),
    "a bound a priori that forgets the instruction's own products": (
        "Chain.v", "a_priori k c ps t + k * total_weight c ps (S t)", "a_priori k c ps t + k * total_weight c ps t"),
    "a row that is not filled up with zeros": (
        "Chain.v", "(forall k, (K <= k < 16 * t)%nat -> a k = 0 /\\ b k = 0) /\\",
        "(forall k, (K < k < 16 * t)%nat -> a k = 0 /\\ b k = 0) /\\"),
    "a rounding of what has an error, counted as one of the exact value": (
        "Split.v", "<= (1 + u) * b + u * Rabs e.", "<= b + u * Rabs e."),
    "sixteen literal additions counted as fifteen": (
        "Literal.v", "kappa_literal : R := (1 + w) ^ 16 - 1", "kappa_literal : R := (1 + w) ^ 15 - 1"),
    "an example that loses more than it does": ("Counterexamples.v", "(899 / 100 * pow2 (-23))", "(9 * pow2 (-23))"),
}  # fmt: skip


@needs_coq
def test_the_theories_compile_and_assume_nothing_but_the_reals() -> None:
    # Together they are asked once: one answer names the axioms of all.
    files = {**theory.texts(FILES), "Claims.v": _together(END_THEOREMS)}
    compiled = compile_coq(files, (*FILES, "Claims.v"), ["Claims.claims"])
    assert compiled.status is Status.ACCEPTED, compiled.message
    assert set(compiled.axioms) == {"Claims.claims"}
    assert not compiled.beyond()


@needs_coq
@pytest.mark.parametrize("theorem", ["TensorCore.mma_accuracy", "Truncation.cut_error"])
def test_an_admitted_proof_is_seen(theorem: str) -> None:
    module, _, name = theorem.partition(".")
    files = theory.texts(FILES)
    text = files[f"{module}.v"]
    start = text.index("Proof.", text.index(f" {name} :"))
    end = text.index("Qed.", start) + len("Qed.")
    files[f"{module}.v"] = f"{text[:start]}Admitted.{text[end:]}"
    files["Claims.v"] = _together(["TensorCore.mma_accuracy"])
    order = (*FILES[: FILES.index("TensorCore.v") + 1], "Claims.v")
    compiled = compile_coq(files, order, ["Claims.claims"])
    assert compiled.status is Status.ACCEPTED, compiled.message
    assert any(name in axiom for axiom in compiled.beyond()["Claims.claims"])


@needs_coq
@pytest.mark.parametrize("what", FALSE)
def test_false_variants_are_refused(what: str) -> None:
    name, old, new = FALSE[what]
    files = theory.texts(FILES)
    assert files[name].count(old) == 1
    files[name] = files[name].replace(old, new)
    compiled = compile_coq(files, FILES[: FILES.index(name) + 1])
    assert compiled.status is Status.REFUSED
    assert compiled.message.startswith(f"{name}: "), compiled.message


@needs_coq
def test_the_contracts_constant_is_the_theorems() -> None:
    constants = [(kept, groups, tensor_core.kappa(kept, groups)) for kept, groups in ((24, 2), (25, 1), (23, 4))]
    assert constants[0][2] == tensor_core.KAPPA
    values = {f"kappa {kept} {groups}": value for kept, groups, value in constants}
    assert _equal({**values, "kappa_literal": tensor_core.KAPPA_LITERAL}).status is Status.ACCEPTED
    assert _equal({"kappa 24 2": tensor_core.KAPPA * Fraction(9, 10)}).status is Status.REFUSED


def _together(theorems: Sequence[str]) -> str:
    """A file whose `claims` rests on whatever one of the theorems rests on."""
    modules = dict.fromkeys(name.partition(".")[0] for name in theorems)
    lines = [f"From Fltc Require {module}." for module in modules]
    return "\n".join([*lines, f"Definition claims := ({', '.join((*theorems, 'I'))})."]) + "\n"


def _equal(values: Mapping[str, Fraction]) -> Compiled:
    """coqc on the claim that factors of the theories have these values."""
    text = "From Coq Require Import Reals Lra.\nFrom Fltc Require Import Rounding TensorCore Literal.\n"
    text += "Open Scope R_scope.\n"
    for name, value in values.items():
        text += f"Goal {name} = {value.numerator} / {value.denominator}.\n"
        text += "Proof. unfold kappa_literal, w, kappa, pow2; simpl; lra. Qed.\n"
    order = FILES[: FILES.index("Literal.v") + 1]
    return compile_coq({**theory.texts(order), "Constants.v": text}, (*order, "Constants.v"))
