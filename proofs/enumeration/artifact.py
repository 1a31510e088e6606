"""What an enumeration leaves behind, for the audit to enumerate again: terms, values of symbols, threads that count.

Only what the audit can follow is written: every symbol is gone through over its whole range, or by its remainder. Where
ranges were narrowed, or the sizes of the block are not fixed, there is no file, and the claim is left to a solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proofs.claims.model import Claim, domain, known
from proofs.enumeration import Apart, Enumerator, Everywhere, enumerate_claim
from proofs.enumeration.site import MARK
from proofs.enumeration.space import Axis, axes_for
from proofs.query import Copy
from proofs.records import Access
from proofs.terms import Cond, Poly, Symbol

VERSION = 1


def enumeration_json(claim: Claim, given: Enumerator, entry: str, ptx_sha256: str) -> dict[str, Any] | None:
    """The content of the file, or None: the claim does not hold by enumeration, or not in a way that is written down.
    """
    question = claim.finite
    if claim.query is None or not isinstance(question, Apart | Everywhere):
        return None
    if any(isinstance(s, Symbol) for s in given.block.sizes):
        return None
    answer = enumerate_claim(given, question)
    if not answer.holds:
        return None
    if any(access.space != "shared" for access, _ in ([question.first] if isinstance(question, Apart) else [])):
        return None  # of a tile: see artifact_tile.py
    made = [question.first, question.second] if isinstance(question, Apart) else [(question.access, question.copy)]
    terms: list[Poly | Cond] = [access.address for access, _ in made]
    if isinstance(question, Everywhere):
        terms.append(question.goal)  # simplified; the file says it as the query does
    symbols: dict[str, dict[str, int]] = {}
    multiples = _multiples(given, terms)
    if multiples is None:
        return None
    symbols |= multiples
    conditioned = answer.conditioned or bool(multiples)
    for at, (_, copy) in enumerate(made):
        axes = answer.axes[at] if answer.axes else _needed(given, *made[at])
        found = _values((*axes, *(_whole(s) for s in given.threads)), copy)
        if found is None:
            return None
        symbols |= found
    excused = question.excused if isinstance(question, Apart) else None
    pairs = None if excused is None else [[copy.text(e) for _, copy in made] for e in excused]
    return {
        "version": VERSION, "entry": entry, "claim": claim.name, "ptx_sha256": ptx_sha256,
        "sites": [_site(given, access, copy, conditioned) for access, copy in made], "excused": pairs,
        "goal": claim.query.goal if isinstance(question, Everywhere) else None, "symbols": symbols,
    }


def _site(given: Enumerator, access: Access, copy: Copy, conditioned: bool) -> dict[str, Any]:
    conditions = [*domain(given.problem, [copy]), *known(access.at, copy)] if conditioned else []
    texts = dict.fromkeys(h.text for h in conditions if h.text != "true")
    return {"access": access.id, "address": copy.text(access.address), "width": access.width,
            "conditions": list(texts)}  # fmt: skip


def _needed(given: Enumerator, access: Access, copy: Copy) -> tuple[Axis, ...]:
    """What the address hangs on, for a claim that needed no enumeration."""
    site = given.sites.site(access, copy)
    kinds = (axes_for([site.address], site.ranges or {}, given.threads, own, False) for own in (False, True))
    return tuple(axis for kind in kinds for axis in kind.axes)


def _whole(symbol: Symbol) -> Axis:
    assert symbol.low is not None
    assert symbol.high is not None
    return Axis(symbol, symbol.low, symbol.high - symbol.low + 1)


def _values(axes: Iterable[Axis], copy: Copy) -> dict[str, dict[str, int]] | None:
    """What is gone through; None if it is less than the whole range of a symbol."""
    found: dict[str, dict[str, int]] = {}
    for axis in axes:
        symbol = axis.symbol if axis.parting is None else axis.parting.symbol
        name = symbol.name.removesuffix(MARK) + copy.mark if symbol.name.endswith(MARK) else symbol.name
        if axis.parting is not None:
            if axis.parting.low != 0 or symbol.low is None or symbol.low < 0:
                return None
            found[name] = {"modulus": axis.parting.modulus, "start": axis.parting.start}
            continue
        high = axis.low + axis.count - 1
        if symbol.kind == "boolean" or symbol.low is None or symbol.high is None:
            return None
        if axis.low > symbol.low or high < symbol.high:
            return None
        found[name] = {"low": axis.low, "high": high}
    return found


def _multiples(given: Enumerator, terms: Iterable[Poly | Cond]) -> dict[str, dict[str, int]] | None:
    """Symbols that the launch fixes to multiples, as remainders; None if it fixes one to something else."""
    found: dict[str, dict[str, int]] = {}
    for symbol in {s for t in terms for s in t.symbols()} & given.sites.fixed.keys():
        factors = list(given.sites.fixed[symbol].terms.values())
        if len(factors) != 1 or symbol.kind != "variable":
            return None
        found[symbol.name] = {"modulus": factors[0], "start": 0}
    return found
