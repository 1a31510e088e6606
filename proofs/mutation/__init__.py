"""Faulty copies of the shipped kernels: each must be refuted by the obligation named for it.

A check that cannot fail proves nothing. `python -m proofs.mutation` makes every mutant, asks the obligations, replays
the counterexamples and writes docs/kill-table.md.
"""

from __future__ import annotations

from proofs.mutation.killing import Killed, Survived, all_mutants, kill, mutants
from proofs.mutation.model import Mutant

__all__ = ["Killed", "Mutant", "Survived", "all_mutants", "kill", "mutants"]
