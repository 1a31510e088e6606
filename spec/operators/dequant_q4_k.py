"""Blocks of Q4_K to binary32, exactly (spec.operators.dequant)."""

from __future__ import annotations

from spec.operators import dequant, dequant_answers
from spec.scalar import F32

OPERATOR = dequant.operator(dequant.Q4_K, F32, dequant_answers.Q4_K[F32])
