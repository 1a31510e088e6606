"""Deciding all claims of an entry within its effort: what is easy first, what is hard with what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from proofs.check.answers import AnswerStore
from proofs.check.known import Known
from proofs.check.work import Workers, decide_one, died, renamed
from proofs.claims import Claim
from proofs.decide import Answer
from proofs.discharge import Decision, Pins, by_sums, enumerated
from proofs.effort import FINITE, PASSES, PRODUCT, SPENT, SUMS, Meter
from proofs.enumeration import Enumerator
from proofs.linear import Reasoner

FEW = 64  # claims whose first, short pass is not worth a process of its own
ENOUGH = 12  # counterexamples of one kind: several may be one fault, some do not show
NOT_ASKED = "not asked, since enough others of this kind have a counterexample"
QUERIES = 3  # that a claim may cost: linearly, without and with its products
CHUNK = 16  # claims between two looks at the effort; fixed, so that the number of processes changes no verdict


def decide_all(
    claims: Sequence[Claim], meter: Meter, workers: Workers, store: AnswerStore | None,
    on_progress: Callable[[int, int], None], enumerator: Enumerator | None = None, known: Known | None = None,
) -> tuple[dict[str, Decision], set[str]]:
    """The decision of every claim by its name, and the names of those decided by earlier answers alone.

    Args:
        known: claims that hold as others have been found to; those that are found to hold here are added.
    """
    decided: dict[str, Decision] = {}
    remembered: set[str] = set()
    pins: dict[str, Pins] = {}
    reasoner = Reasoner()
    problem = enumerator.problem if enumerator is not None else None
    for claim in claims:
        if known is not None and problem is not None and (held := known.find(problem, claim)) is not None:
            decided[claim.name], pins[claim.name] = held, ()
            continue
        done, pins[claim.name] = None, ()
        if claim.finite is not None and not meter.over:
            meter.spend(FINITE)
            done, pins[claim.name] = enumerated(claim, enumerator)
        if done is None and not meter.over:
            before = reasoner.work
            done = by_sums(claim, reasoner)
            meter.spend(SUMS + PRODUCT * (reasoner.work - before))
        if done is not None:
            decided[claim.name] = done
    settled = len(decided)
    on_progress(settled, len(claims))
    for rlimit in PASSES:
        todo = [c for c in claims if c.name not in decided or decided[c.name].status == "unknown"]
        small = rlimit == PASSES[0] and len(claims) <= FEW
        while todo:
            against = Counter(d.claim.obligation for d in decided.values() if d.status == "sat")
            chunk: list[Claim] = []
            size = _how_many(meter, rlimit)
            part, todo = todo[:size], todo[size:]
            for claim in part:
                if against[claim.obligation] >= ENOUGH:
                    decided.setdefault(claim.name, Decision(claim, "unknown", "", 0.0, reason=NOT_ASKED))
                elif meter.over:
                    decided[claim.name] = Decision(claim, "unknown", "", 0.0, reason=claim.reason or SPENT)
                elif claim.name not in decided or claim.full is not None:
                    chunk.append(claim)
            if not chunk:
                continue
            each = None if meter.left is None else meter.left // max(len(chunk), 1)
            tasks = [(claim, rlimit, each, store, pins[claim.name] if rlimit == PASSES[0] else ()) for claim in chunk]
            fresh: dict[str, tuple[int, Answer]] = {}
            for claim, found in zip(chunk, workers.map(decide_one, tasks, died, small), strict=True):
                meter.spend(found.used)
                decided[claim.name] = renamed(found.decision, claim)
                if not found.fresh and found.used:
                    remembered.add(claim.name)
                else:
                    remembered.discard(claim.name)
                fresh |= found.fresh
                settled += found.decision.status != "unknown"
                on_progress(settled, len(claims))
            if store is not None:
                store.put(fresh)
    if known is not None and problem is not None:
        for decision in decided.values():
            known.keep(problem, decision)
    return decided, remembered


def _how_many(meter: Meter, rlimit: int) -> int:
    """How many claims may be asked at once: no more than the effort has enough for, if each takes all it may."""
    return CHUNK if meter.left is None else max(1, min(CHUNK, meter.left // (QUERIES * rlimit)))
