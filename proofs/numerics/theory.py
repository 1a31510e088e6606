"""The hand-written Coq theories under proofs/coq, in the order in which they rest on each other."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "coq"
ORDER = (
    "Rounding.v", "Gamma.v", "Sum.v", "Order.v", "Computed.v", "Factors.v", "Rmsnorm.v", "Lengths.v",
)  # fmt: skip
"""Every file here sees only files before it."""


def texts() -> dict[str, str]:
    """The theories by file name, as `formal.compile_coq` takes them."""
    return {name: (FOLDER / name).read_text(encoding="utf-8") for name in ORDER}
