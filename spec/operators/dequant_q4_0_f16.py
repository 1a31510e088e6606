"""Blocks of Q4_0 to binary16 through binary32 (spec.operators.dequant)."""

from __future__ import annotations

from spec.operators import dequant, dequant_answers
from spec.scalar import F16

OPERATOR = dequant.operator(dequant.Q4_0, F16, dequant_answers.Q4_0[F16])
