"""Blocks of Q8_0 to binary32, exactly (spec.operators.dequant)."""

from __future__ import annotations

from spec.operators import dequant, dequant_answers
from spec.scalar import F32

OPERATOR = dequant.operator(dequant.Q8_0, F32, dequant_answers.Q8_0[F32])
