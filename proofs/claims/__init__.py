"""From records to claims: what must hold of an entry, each as a query."""

from __future__ import annotations

from proofs.cfg import Graph
from proofs.claims.coverage import coverage_claims
from proofs.claims.init import init_claims
from proofs.claims.memory import memory_claims
from proofs.claims.model import OBLIGATIONS, Claim
from proofs.claims.pairs import pair_claims
from proofs.claims.sync import sync_claims
from proofs.claims.values import value_claims
from proofs.intervals import Interval
from proofs.problem import Problem
from proofs.records import Records


def all_claims(problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...]) -> list[Claim]:
    """Every claim that a solver decides, in a fixed order."""
    return [
        *memory_claims(problem, records), *pair_claims(problem, records, found), *sync_claims(problem, records),
        *value_claims(problem, records), *init_claims(problem, records, graph, found),
        *coverage_claims(problem, records),
    ]


__all__ = ["OBLIGATIONS", "Claim", "all_claims"]
