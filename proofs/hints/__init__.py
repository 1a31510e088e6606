"""What a person knows of a kernel and the prover does not find: invariants of loops, witnesses of coverage.

A hint is one more candidate. It is put in where the prover puts its own guesses, and is proved like them; so a wrong
one only fails, and says so. Those of a shipped kernel are `HINTS` of the module named by its stem, by entry; those of
anybody's PTX are `fltc check --hint`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from spec.stems import part


def hints_of(stem: str, entry: str) -> tuple[str, ...]:
    """The hints for an entry of a shipped kernel; most need none."""
    if find_spec(f"proofs.hints.{stem}") is None:
        return ()
    found: Mapping[str, tuple[str, ...]] = part("proofs.hints", stem, "HINTS")
    return found.get(entry, ())
