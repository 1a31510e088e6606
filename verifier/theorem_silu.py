"""What the theorem behind SiLU's error bound must say: the formula of docs/numerics.md, the verifier's constants."""

from __future__ import annotations

from fractions import Fraction

from verifier.contract import Contract
from verifier.demands import EX2, LOG2E, LOG2E_ERROR, RCP

ARTIFACT = "silu_contract"
THEORIES = ("Rounding.v", "Factors.v", "Log2.v", "Tail.v", "Silu.v")
THEOREMS = ("audited",)


def check_text(contract: Contract, module: str, lengths: list[int]) -> str:
    """The Coq file that takes the statement from ARTIFACT in `module`; the contract gives no number to it."""
    del contract, lengths
    factor, error, ex2, rcp = (_real(q) for q in (LOG2E, LOG2E_ERROR, EX2, RCP))
    return f"""From Coq Require Import Reals.
From Fltc Require Import Rounding Silu.
From Fltc Require {module}.
Open Scope R_scope.
Theorem audited : forall x y : R, binary16 x -> computes {factor} {ex2} {rcp} x y ->
  Rabs (y - silu x) <= silu_phi {error} {ex2} {rcp} x * Rabs (silu x) + pow2 (-126) * Rabs x.
Proof. exact {module}.{ARTIFACT}. Qed.
"""


def _real(q: Fraction) -> str:
    return f"({q.numerator} / {q.denominator})"
