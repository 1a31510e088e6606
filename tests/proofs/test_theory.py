"""The hand-written Coq theories: they compile, rest on the axioms of the reals alone, and false variants fail."""

from __future__ import annotations

import pytest

from proofs.numerics import theory
from proofs.numerics.formal import Status, compile_coq
from tests.formal import needs_coq

END_THEOREMS = (
    "Rounding.rn32_error", "Sum.sum_accuracy", "Sum.sum_zero", "Sum.sum_finite", "Order.order_leaves",
    "Order.order_depth", "Computed.code_order", "Factors.inverse_root", "Rmsnorm.rmsnorm_accuracy",
    "Rmsnorm.rmsnorm_finite", "Lengths.rmsnorm", "Lengths.rmsnorm_by_table",
    "Log2.log2e_near", "Silu.silu_every",
)  # fmt: skip
# A false variant of a file: what is replaced, by what. Each must be refused, in the file itself or one that uses it.
FALSE = {
    "an fma that counts as no rounding": (
        "Sum.v", "| Fma _ Zero => 0\n  | Fma _ t => S (depth t)", "| Fma _ t => depth t"),
    "an addition that counts as no rounding": (
        "Sum.v", "S (Nat.max (depth l) (depth r))", "Nat.max (depth l) (depth r)"),
    "a rounding twice as good": (
        "Rounding.v", "(rn32 x - x) <= u * Rabs x.", "(rn32 x - x) <= / 2 * u * Rabs x."),
    "growth without its denominator": (
        "Gamma.v", "INR n * u / (1 - INR n * u).", "INR n * u / (1 - 0 * u)."),
    "values of bfloat16, whose squares reach below the normal range": (
        "Rounding.v", "generic_format radix2 (FLT_exp (-24) 11) x", "generic_format radix2 (FLT_exp (-133) 8) x"),
    "half of an inverse root's error": ("Factors.v", "<= g / 2 * (1 + g).", "<= g / 4 * (1 + g)."),
    "threads that step over a vector": ("Order.v", "t + 256 * k) (seq", "t + 257 * k) (seq"),
    "a tail from the vector before": ("Order.v", "[8 * (columns / 8) + t]", "[8 * (columns / 8 - 1) + t]"),
    "a butterfly that adds a lane to itself": ("Order.v", "Add (lane t) (lane (t + 2 ^ k))", "Add (lane t) (lane t)"),
    "a depth that forgets the warps": ("Order.v", "- 1 + 5 + 3", "- 1 + 5 + 2"),
    "eps that may be 0": ("Rmsnorm.v", "pow2 (-30) <= eps <= 1", "0 <= eps <= 1"),
    "a bound that forgets the last product": (
        "Rmsnorm.v", "(1 + rho) * (1 + u) * (1 + u) - 1.", "(1 + rho) * (1 + u) - 1."),
    "a sum that is rounded only once more": ("Rmsnorm.v", "let g := gamma (h + 2) in", "let g := gamma (h + 1) in"),
    "log2 e nearer than it is": ("Log2.v", "<= 134 / 10000000000.", "<= 133 / 10000000000."),
    "a tail without its roundings": (
        "Tail.v", "(1 + u) * (1 + rho) / ((1 - u) * (1 - a)) - 1.", "(1 + rho) / (1 - a) - 1."),
    "ex2 that flushes what matters": ("Silu.v", "power t <= pow2 (-125) -> 0", "power t <= pow2 (-20) -> 0"),
}  # fmt: skip


def test_every_file_is_in_the_order() -> None:
    assert sorted(path.name for path in theory.FOLDER.glob("*.v")) == sorted((*theory.ORDER, *theory.TENSOR_CORE))


def test_each_theory_is_small_and_ascii() -> None:
    for name, text in theory.texts((*theory.ORDER, *theory.TENSOR_CORE)).items():
        assert text.isascii(), name
        assert len(text.splitlines()) < 400, name


@needs_coq
def test_the_theories_compile_and_assume_nothing_but_the_reals() -> None:
    compiled = compile_coq(theory.texts(), theory.ORDER, END_THEOREMS)
    assert compiled.status is Status.ACCEPTED, compiled.message
    assert set(compiled.axioms) == set(END_THEOREMS)
    assert not compiled.beyond()
    assert compiled.axioms["Order.order_leaves"] == ()


@needs_coq
@pytest.mark.parametrize("what", FALSE)
def test_false_variants_are_refused(what: str) -> None:
    name, old, new = FALSE[what]
    files = theory.texts()
    assert files[name].count(old) == 1
    files[name] = files[name].replace(old, new)
    whole = theory.SUMS if name in theory.SUMS else theory.SILU
    order = whole[: whole.index(name) + 1]
    compiled = compile_coq(files, order)
    assert compiled.status is Status.REFUSED
    assert compiled.message.startswith(f"{name}: "), compiled.message


@needs_coq
def test_an_admitted_proof_is_seen() -> None:
    files = theory.texts()
    text = files["Sum.v"]
    start = text.index("Proof.", text.index("Theorem sum_accuracy"))
    end = text.index("Qed.", start) + len("Qed.")
    files["Sum.v"] = f"{text[:start]}Admitted.{text[end:]}"
    compiled = compile_coq(files, theory.ORDER[: theory.ORDER.index("Sum.v") + 1], ["Sum.sum_accuracy"])
    assert compiled.status is Status.ACCEPTED, compiled.message
    assert any("sum_accuracy" in axiom for axiom in compiled.beyond()["Sum.sum_accuracy"])
