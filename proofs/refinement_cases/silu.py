"""Launches of silu_f16 at which refinement is checked."""

from __future__ import annotations

from proofs.refinement_cases import Case

CASES = (
    Case("vector path, two blocks, tail", {"n": 1_024 + 515}),
    Case("vector path, second round of the grid, tail", {"n": 2**27 + 1_024 + 21}, blocks=(0,)),
    Case("scalar path, second round of the grid", {"n": 2**27 + 700}, {"x": 2, "y": 2}, blocks=(0,)),
    Case("scalar path, only the result misaligned", {"n": 300}, {"y": 14}),
    Case("tail alone", {"n": 5}),
    Case("one element, misaligned", {"n": 1}, {"x": 4}),
    Case("not active", {"n": 9}, power=1),
    Case("vector path without a tail", {"n": 64}),
)
