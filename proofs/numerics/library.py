"""The library: lemmas that belong to no kernel, for the theorems about any length that docs/numerics.md assembles."""

from __future__ import annotations

from proofs.numerics import library_chains, library_sampling, library_softmax, library_sums, library_tensor, shared
from proofs.numerics.lemma import Lemma


def lemmas() -> list[Lemma]:
    """Every lemma of the library; names are unique. Those of `shared` also stand in the bundles that use them."""
    return [
        shared.gamma_step(),
        shared.gamma_monotone(),
        shared.lower_step(),
        shared.parts_step(),
        shared.rounding_step(),
        shared.factor_step(),
        shared.root(),
        *library_sums.lemmas(),
        *library_tensor.lemmas(),
        *library_chains.lemmas(),
        *library_softmax.lemmas(),
        *library_sampling.lemmas(),
    ]
