"""What an enumeration of initialisation leaves behind, for the audit to go through again.

Only writes that the audit orders by itself are written down: those with a barrier of the block between, and those of
the reading thread. The claim must hold by these alone, without what a reader's guard says of a size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from proofs.claims.model import Claim
from proofs.contents import contents_of
from proofs.enumeration import Enumerator
from proofs.enumeration.evaluate import NotFinite
from proofs.enumeration.parting import MAX_MODULUS, Places
from proofs.enumeration.question import ANYONE, ITS_THREAD, Writer, Written
from proofs.enumeration.site import MARK
from proofs.enumeration.written import written
from proofs.query import ONE
from proofs.records import Access
from proofs.terms import THREAD, Cond, Poly, Symbol

VERSION = 1
MAX_OWN = 4096  # values of one number of a thread


def written_json(claim: Claim, given: Enumerator, entry: str, ptx_sha256: str) -> dict[str, Any] | None:
    """The content of the file, or None: the claim does not hold, or not by what the audit follows."""
    question = claim.finite
    if not isinstance(question, Written) or any(isinstance(s, Symbol) for s in given.block.sizes):
        return None
    if question.read.warp or question.read.kind != "read" or contents_of([question.read.address]):
        return None
    kept = replace(question, writers=tuple(w for w in question.writers if _followed(w, question)))
    try:
        if not written(given, kept, sizes=False).holds:
            return None
    except NotFinite:
        return None
    terms: list[Poly | Cond] = [question.read.address, *question.read.at.known()]
    for w in kept.writers:
        terms += [w.access.address, *w.control]
    symbols, start = _axes(terms, kept)
    symbols |= _own(given, kept)
    return {
        "version": VERSION, "entry": entry, "claim": claim.name, "ptx_sha256": ptx_sha256,
        "read": _place(question.read, question.read.at.known()), "ring": question.ring,
        "depth": max(question.depth, start) if question.ring else 0,
        "writers": [
            {**_place(w.access, w.control), "by": "anyone" if w.by == ANYONE else "thread", "back": w.back}
            for w in kept.writers
        ],
        "symbols": symbols,
    }  # fmt: skip


def _followed(writer: Writer, question: Written) -> bool:
    """Whether the audit can tell by itself that a write comes first and is made."""
    access = writer.access
    if access.kind != "write" or access.flight or access.warp or writer.since or writer.control != access.at.control:
        return False
    common = {loop for loop in access.at.loops if loop in question.read.at.loops}
    if writer.by == ITS_THREAD:
        return not (writer.inner or writer.back)
    return writer.by == ANYONE and common <= set(question.tied)


def _place(access: Access, conditions: Iterable[Cond]) -> dict[str, Any]:
    texts = dict.fromkeys(c.text for c in conditions if c.text != "true")
    return {"access": access.id, "address": access.address.text, "width": access.width, "conditions": list(texts)}


def _own(given: Enumerator, question: Written) -> dict[str, dict[str, int]]:
    """The reading thread's own numbers, such as the round of a loop without a barrier, where they have bounds."""
    rounds = {f"k@{loop}" for loop in question.tied}
    ranges = given.sites.site(question.read, ONE).ranges or {}
    numbers = {s.name for s in given.threads}
    found = {}
    for symbol in question.read.address.symbols():
        marked = symbol.name + MARK
        if symbol.scope != THREAD or symbol.name in rounds or marked in numbers:
            continue
        low, high = ranges.get(marked, (symbol.low, symbol.high))
        if low is not None and high is not None and high - low < MAX_OWN:
            found[symbol.name] = {"low": low, "high": high}
    return found


def _axes(terms: list[Poly | Cond], question: Written) -> tuple[dict[str, dict[str, int]], int]:
    """What the block has in common and is looked at by its remainder; and below which round the ring is irregular."""
    rounds = {f"k@{loop}" for loop in question.tied}
    found: dict[str, dict[str, int]] = {}
    first = 0
    for symbol in sorted({s for t in terms for s in t.symbols()}, key=lambda s: s.name):
        if (symbol.scope == THREAD and symbol.name not in rounds) or symbol.kind == "boolean":
            continue
        places = Places(symbol)
        for term in terms:
            for poly in [term] if isinstance(term, Poly) else term.polys():
                places.visit(poly)
        if not places.inside or symbol.low is None or symbol.low < 0 or not 1 <= places.modulus <= MAX_MODULUS:
            continue
        ring = symbol.name == f"k@{question.ring}"
        found[symbol.name] = {"modulus": places.modulus, "start": 0 if ring else places.start}
        first = max(first, places.start) if ring else first
    return found, first
