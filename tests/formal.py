"""Marks for tests that need Gappa or Coq: skipped where they are missing, unless FLTC_REQUIRE_FORMAL is set (CI)."""

from __future__ import annotations

import os

import pytest

from proofs.numerics.formal import COQC, GAPPA, missing


def _needs(*programs: str) -> pytest.MarkDecorator:
    words = missing(*programs)
    skipped = bool(words) and not os.environ.get("FLTC_REQUIRE_FORMAL")
    return pytest.mark.skipif(skipped, reason=words or "they are here")


needs_gappa = _needs(GAPPA)
needs_coq = _needs(COQC)
needs_both = _needs(GAPPA, COQC)
