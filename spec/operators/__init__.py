"""Meaning, order and error bound of each operator; one module per stem, each with `OPERATOR`."""

from __future__ import annotations

from spec.operators.model import Operator
from spec.stems import part


def operator_of(name: str) -> Operator:
    """The operator of that name, as `Contract.operator` gives it."""
    found: Operator = part("spec.operators", name, "OPERATOR")
    return found
