"""A goal about one access: that it holds in every lane in which the access may be made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proofs.enumeration.answer import Answer
from proofs.enumeration.evaluate import NotFinite
from proofs.enumeration.lanes import Enumerator, pinned
from proofs.enumeration.question import Everywhere
from proofs.enumeration.space import axes_for
from proofs.enumeration.table import pins_at
from proofs.terms import TRUE, Cond, Poly

LEVELS = ((False, False), (False, True), (True, True))  # (symbols of conditions too, conditions)


def everywhere(given: Enumerator, question: Everywhere) -> Answer:
    """The answer to a claim about one access."""
    site = given.sites.site(question.access, question.copy)
    goal = given.sites.hold(given.sites.copied(question.copy), question.goal)
    if goal == TRUE:
        return Answer(True, rung="syntactic")
    if site.ranges is None:
        return Answer(True)
    candidate: tuple[tuple[str, str], ...] = ()
    for whole, conditioned in LEVELS:
        wanted: list[Poly | Cond] = [goal, *(site.conditions if whole else ())]
        shared = axes_for(wanted, site.ranges, given.threads, False, whole)
        aimed = replace(site, key=(*site.key, "goal", goal.text), excused=tuple(goal.polys()))
        try:
            table = given.table(aimed, shared, whole)
        except NotFinite:
            if not candidate:
                raise
            break
        done = table.used.parted.cond(goal)
        bad = np.broadcast_to(np.logical_not(table.lanes.certain(done)), (table.lanes.count,))
        if conditioned and bad.any():
            bad = bad & table.reached
        if not bad.any():
            axes = ((*table.used.shared, *table.used.own),)
            return Answer(True, axes=axes, conditioned=conditioned)
        candidate = tuple(pinned(pins_at(table, int(np.flatnonzero(bad)[0])), question.copy))
    return Answer(False, candidate)
