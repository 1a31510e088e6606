"""What each shipped kernel requires and ensures; one module per stem, each with `CONTRACTS`, a tuple of Contract."""

from __future__ import annotations

import importlib

from spec.contracts.model import Contract

STEMS = ("rmsnorm", "silu")


def contracts_of(stem: str) -> tuple[Contract, ...]:
    """The contracts of every entry in backend/ptx/<stem>.ptx."""
    module = importlib.import_module(f"spec.contracts.{stem}")
    contracts: tuple[Contract, ...] = module.CONTRACTS
    return contracts
