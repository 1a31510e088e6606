"""SiLU's error contract as a Coq theorem: proofs/coq/Silu.v with the constants that the operator uses."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.numerics.theorem import Theorem
from proofs.numerics.theory import SILU
from spec.contracts.model import Contract
from spec.errors import BadInput
from spec.operators import silu
from spec.operators.build import ONE, add, approximate, mul, narrow, widen
from spec.ptx.node import constant, input_element
from spec.scalar import F32, decode

NAME = "silu_contract"


def theorem(contract: Contract) -> Theorem:
    """The contract's instance; BadInput if the operator's expression is not what Silu.v computes."""
    same_sequence()
    text = "".join(f"{line}\n" for line in _lines(contract.entry))
    return Theorem(NAME, text, "every binary16 number", SILU)


def same_sequence() -> None:
    """The operator's ordered expression is `computes` of proofs/coq/Silu.v; BadInput if not."""
    x = widen(input_element("x", 0))
    power = approximate("ex2", True, mul(x, constant(32, silu.LOG2_E_BITS | 0x8000_0000)))
    if narrow(mul(x, approximate("rcp", True, add(ONE, power)))) is not silu.OPERATOR.expression({"n": 1}, "y", 0):
        raise BadInput("y[0] is not what `computes` of proofs/coq/Silu.v says")


def _lines(entry: str) -> Iterator[str]:
    factor = decode(silu.LOG2_E_BITS, F32)
    yield f"(* The error contract of {entry}: every binary16 number, within what ex2.approx and rcp.approx document. *)"
    yield ""
    yield "From Coq Require Import Reals Lra."
    yield "From Fltc Require Import Rounding Log2 Silu."
    yield "Open Scope R_scope."
    yield ""
    for name, value in (("factor", factor), ("lambda", silu.LOG2_E_ERROR), ("kappa", silu.EX2), ("rho", silu.RCP)):
        yield f"Definition {name} : R := {value.numerator} / {value.denominator}."
    yield ""
    yield f"Theorem {NAME} : forall x y : R, binary16 x -> computes factor kappa rho x y ->"
    yield "  Rabs (y - silu x) <= silu_phi lambda kappa rho x * Rabs (silu x) + pow2 (-126) * Rabs x."
    yield "Proof."
    yield "  intros x y X C; apply (silu_every factor lambda kappa rho x y)."
    yield "  - unfold lambda; lra."
    yield "  - unfold kappa; lra."
    yield "  - unfold rho; lra."
    yield "  - apply Rle_trans with (1 := log2e_near); unfold lambda; lra."
    yield "  - exact X."
    yield "  - exact C."
    yield "Qed."
