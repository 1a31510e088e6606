"""The hand-written Coq theories under proofs/coq, in the order in which they rest on each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "coq"
SUMS = ("Rounding.v", "Gamma.v", "Sum.v", "Order.v", "Computed.v", "Factors.v", "Rmsnorm.v", "Lengths.v")
"""RMSNorm; every file sees only files before it."""
SILU = ("Rounding.v", "Factors.v", "Log2.v", "Tail.v", "Silu.v")
ORDER = (*SUMS, *(name for name in SILU if name not in SUMS))
TENSOR_CORE = ("Truncation.v", "TensorCore.v", "Chain.v", "Split.v", "Literal.v", "Counterexamples.v")
"""Likewise, behind Rounding.v alone: theorems 2.1 and 2.2, and why their parts are needed."""


def texts(names: Sequence[str] = ORDER) -> dict[str, str]:
    """Theories by file name, as `formal.compile_coq` takes them."""
    return {name: (FOLDER / name).read_text(encoding="utf-8") for name in names}
