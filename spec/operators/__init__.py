"""Meaning, order and error bound of each operator; one module per stem, each with `OPERATOR`."""

from __future__ import annotations

import importlib

from spec.operators.model import Operator

NAMES = ("rmsnorm", "silu")


def operator_of(name: str) -> Operator:
    """The operator of that name, as `Contract.operator` gives it."""
    module = importlib.import_module(f"spec.operators.{name}")
    found: Operator = module.OPERATOR
    return found
