"""What each shipped kernel requires and ensures; one module per stem, each with `CONTRACTS`, a tuple of Contract."""

from __future__ import annotations

from spec.contracts.model import Contract
from spec.stems import part

STEMS = ("rmsnorm", "silu")
"""The shipped kernels. The one place where a kernel is registered; everything else is found by its stem."""


def contracts_of(stem: str) -> tuple[Contract, ...]:
    """The contracts of every entry in backend/ptx/<stem>.ptx."""
    contracts: tuple[Contract, ...] = part("spec.contracts", stem, "CONTRACTS")
    return contracts
