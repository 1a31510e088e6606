"""From records to claims: what must hold of an entry, each as a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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

MAX_CLAIMS = 100_000
CHARACTERS = 5_000  # of a claim's queries on average; what bounds the memory


def all_claims(
    problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...], most: int = MAX_CLAIMS
) -> list[Claim]:
    """Every claim that a solver decides, in a fixed order. Pairs of accesses are stated up to `most` claims."""
    return [
        *memory_claims(problem, records), *_first(pair_claims(problem, records, found), most),
        *sync_claims(problem, records), *value_claims(problem, records), *init_claims(problem, records, graph, found),
        *coverage_claims(problem, records),
    ]



def _first(claims: Iterable[Claim], most: int) -> Iterator[Claim]:
    """The claims as far as the limit goes; beyond it one open claim for each obligation that the rest may belong to."""
    characters = 0
    for count, claim in enumerate(claims):
        if count >= most or characters > most * CHARACTERS:
            reason = f"these are more than {most} pairs of accesses, and the others were not looked at (--effort)"
            for obligation in ("race", "single-writer"):
                yield Claim(f"limit.{obligation}", obligation, claim.lines, None, claim.words, reason=reason)
            return
        yield claim
        characters += sum(q.size for q in claim.made)


__all__ = ["OBLIGATIONS", "Claim", "all_claims"]
