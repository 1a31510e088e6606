"""Claims about shared memory that were decided by enumeration: read, compared with what must hold, enumerated again.

The file names the terms of each access, the values of each symbol that is gone through, and which pairs of threads do
not count. Whatever is not gone through stays an unknown: a value is a number plus multiples of unknowns, and a
remainder of it is known only where all of them are multiples of the divisor. A symbol may be gone through by its
remainder: up to `start` each number is a case, from there on each remainder, with an unknown number of times the
modulus added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import gcd, prod
from typing import Any

from verifier.canonical import canonical
from verifier.conditions import Condition, Subject, all_symbols, conjunction
from verifier.findings import AuditError, Unreadable
from verifier.forms import Bounds, Form, Open, truth, value
from verifier.manifest import read_json
from verifier.query import forms
from verifier.terms import Term, conjuncts, names, read_term, show

MAX_LANES = 2**18
MAX_PLACES = 4096
MARKS = ("!1", "!2")


class TooLarge(AuditError):
    """More assignments than are gone through here."""


@dataclass(frozen=True)
class Axis:
    """The values of a symbol: low..high; or, where `modulus` is not 0, its places (low is 0 then)."""

    low: int
    high: int
    modulus: int = 0
    start: int = 0

    @property
    def count(self) -> int:
        return self.high - self.low + 1

    def form(self, name: str, at: int) -> Form:
        """The symbol at one of the values."""
        if self.modulus and at >= self.start:
            return Form.of(at).plus(Form.unknown(_quotient(name)).times(self.modulus))
        return Form.of(at)


@dataclass(frozen=True)
class Site:
    """One access as a thread makes it."""

    access: str
    address: Term
    width: int
    conditions: tuple[Term, ...]


@dataclass(frozen=True)
class Enumeration:
    """What was enumerated.

    Args:
        sites: two for a claim that their bytes do not meet; one for a claim that `goal` holds there.
        excused: pairs of terms, one for each thread; threads that agree in all of them do not count. None: all count.
    """

    entry: str
    claim: str
    ptx_sha256: str
    sites: tuple[Site, ...]
    excused: tuple[tuple[Term, Term], ...] | None
    goal: Term | None
    axes: Mapping[str, Axis]

    @property
    def claimed(self) -> Term:
        """What must hold, as the query of this claim would say it."""
        if self.goal is not None:
            return self.goal
        a, b = self.sites
        apart: Term = ("<", a.address, ("+", b.address, b.width))
        meet: Term = ("and", apart, ("<", b.address, ("+", a.address, a.width)))
        if self.excused is None:
            return ("not", meet)
        return ("=>", meet, conjunction(("=", x, y) for x, y in self.excused))


# --- reading -----------------------------------------------------------------------------------------------------


def read_enumeration(text: str, where: str) -> Enumeration:
    """The file's content; Unreadable for anything outside the format."""
    data = read_json(text, where)
    fields = {"version", "entry", "claim", "ptx_sha256", "sites", "excused", "goal", "symbols"}
    if not isinstance(data, dict) or set(data) != fields or data["version"] != 1:
        raise Unreadable(f"{where}: not an enumeration of version 1")
    try:
        sites = tuple(_site(s, where) for s in data["sites"])
        excused = data["excused"]
        pairs = None
        if excused is not None:
            pairs = tuple((read_site_term(x, where), read_site_term(y, where)) for x, y in excused)
        goal = None if data["goal"] is None else read_site_term(data["goal"], where)
        axes = {str(name): read_axis(given, where) for name, given in data["symbols"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{where}: not an enumeration: {error!r}") from None
    if len(sites) != (2 if goal is None else 1) or (goal is not None and pairs is not None):
        raise Unreadable(f"{where}: two sites make a pair, one has a goal")
    return Enumeration(str(data["entry"]), str(data["claim"]), str(data["ptx_sha256"]), sites, pairs, goal, axes)


def read_site_term(text: Any, where: str) -> Term:
    """A term of the file."""
    if not isinstance(text, str):
        raise Unreadable(f"{where}: not a term: {text!r}")
    return read_term(text, where)


def _site(data: Any, where: str) -> Site:
    if set(data) != {"access", "address", "width", "conditions"}:
        raise Unreadable(f"{where}: not a site")
    conditions = tuple(read_site_term(c, where) for c in data["conditions"])
    address, width = read_site_term(data["address"], where), read_number(data["width"], where)
    return Site(str(data["access"]), address, width, conditions)


def read_axis(data: Any, where: str) -> Axis:
    """The values of a symbol that are gone through."""
    if set(data) == {"low", "high"}:
        axis = Axis(read_number(data["low"], where), read_number(data["high"], where))
    elif set(data) == {"modulus", "start"}:
        modulus, start = read_number(data["modulus"], where), read_number(data["start"], where)
        if modulus < 1 or start < 0:
            raise Unreadable(f"{where}: a modulus of {modulus} from {start} on")
        axis = Axis(0, start + modulus - 1, modulus, start)
    else:
        raise Unreadable(f"{where}: not the values of a symbol: {data!r}")
    if not 1 <= axis.count <= MAX_PLACES:
        raise Unreadable(f"{where}: {axis.count} values of one symbol")
    return axis


def read_number(data: Any, where: str) -> int:
    """A whole number of the file."""
    if type(data) is not int:
        raise Unreadable(f"{where}: not a number: {data!r}")
    return data


# --- against what must hold --------------------------------------------------------------------------------------


def differences(found: Enumeration, condition: Condition, subject: Subject, digest: str) -> Iterator[str]:
    """Where the file speaks of something else than the claim, assumes more, or leaves values out."""
    if (found.entry, found.claim, found.ptx_sha256) != (subject.entry.name, condition.name, digest):
        yield "enumerates another claim, entry or PTX"
    if canonical(found.claimed) != canonical(condition.goal):
        yield f"concludes something else than {condition.name} demands: {show(found.claimed)[:160]}"
    allowed = forms(condition.allowed)
    for site in found.sites:
        for term in site.conditions:
            if any(canonical(p) not in allowed and canonical(p) != ("true",) for p in conjuncts(term)):
                yield f"assumes what neither records nor contract give: {show(term)[:160]}"
    terms = [t for s in found.sites for t in (s.address, *s.conditions)]
    terms += [t for pair in found.excused or () for t in pair] + ([] if found.goal is None else [found.goal])
    known = all_symbols(subject)
    for name in sorted({n for t in terms for n in names(t)} | set(found.axes)):
        if condition.symbols.get(name) != "Int" and name in found.axes:
            yield f"goes through {name}, which this claim does not have"
        symbol = known.get(_stem(name))
        axis = found.axes.get(name)
        if axis is None or symbol is None:
            continue
        low, high = symbol.low, symbol.high
        if axis.modulus and (low is None or low < 0):
            yield f"goes through remainders of {name}, which may be negative"
        elif not axis.modulus and (low is None or high is None or low < axis.low or axis.high < high):
            yield f"goes through {axis.low} to {axis.high} for {name}, whose range is {low} to {high}"


def _stem(name: str) -> str:
    return name[:-2] if name.endswith(MARKS) else name


# --- enumerating -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lane:
    """One thread with its own values: what tells it from others, and its first byte."""

    owner: tuple[int, ...]
    begin: Form


class Again:
    """The enumeration, done again."""

    def __init__(self, found: Enumeration, subject: Subject) -> None:
        self.found = found
        known = all_symbols(subject)
        self.bounds: Bounds = {}
        terms = [t for s in found.sites for t in (s.address, *s.conditions)] + ([found.goal] if found.goal else [])
        for name in {n for t in terms for n in names(t)}:
            symbol = known.get(_stem(name))
            if symbol is not None:
                self.bounds[name] = (symbol.low, symbol.high)
        self.bounds |= {_quotient(name): (0, None) for name, axis in found.axes.items() if axis.modulus}

    def refuted(self) -> str:
        """What speaks against the claim, or ''. TooLarge, or Open for a term that is not followed."""
        names_ = [set(self._names(i)) for i in range(len(self.found.sites))]
        shared = sorted(n for n in set.union(*names_) if not n.endswith(MARKS))
        own = [sorted(n for n in found if n.endswith(MARKS)) for found in names_]
        lanes = prod(self.found.axes[n].count for n in shared) * max(
            prod(self.found.axes[n].count for n in found) for found in own
        )
        if lanes > MAX_LANES:
            raise TooLarge(f"{lanes} assignments, at most {MAX_LANES} are gone through")
        for block in self._assignments(shared):
            message = self._pair(block, own) if self.found.goal is None else self._goal(block, own[0])
            if message:
                return message + "".join(f", {n} at {v.number}" for n, v in block.items())
        return ""

    def _names(self, at: int) -> Iterator[str]:
        """The symbols that are gone through for a site."""
        site = self.found.sites[at]
        terms = [site.address, *site.conditions, *([self.found.goal] if self.found.goal is not None else [])]
        terms += [pair[at] for pair in self.found.excused or ()]
        for term in terms:
            yield from (n for n in names(term) if n in self.found.axes)

    def _assignments(self, symbols: list[str]) -> Iterator[dict[str, Form]]:
        axes = [self.found.axes[n] for n in symbols]
        for values in product(*(range(a.low, a.high + 1) for a in axes)):
            yield {n: a.form(n, v) for n, a, v in zip(symbols, axes, values, strict=True)}

    def _made(self, site: Site, values: Mapping[str, Form]) -> bool:
        """Whether the access may be made."""
        return all(truth(c, values, self.bounds) is not False for c in site.conditions)

    def _goal(self, block: Mapping[str, Form], own: list[str]) -> str:
        (site,) = self.found.sites
        assert self.found.goal is not None
        for mine in self._assignments(own):
            values = {**block, **mine}
            if truth(self.found.goal, values, self.bounds) is not True and self._made(site, values):
                return "the claim may not hold at " + ", ".join(f"{n}={v.number}" for n, v in mine.items())
        return ""

    def _pair(self, block: Mapping[str, Form], own: list[list[str]]) -> str:
        lanes = [list(self._lanes(i, block, own[i])) for i in range(2)]
        stride = _stride([lane.begin for found in lanes for lane in found])
        cells: list[dict[int, list[tuple[int, ...]]]] = [{}, {}]
        for site, found, touched in zip(self.found.sites, lanes, cells, strict=True):
            for lane in found:
                for byte in range(lane.begin.number, lane.begin.number + site.width):
                    owners = touched.setdefault(byte % stride if stride else byte, [])
                    if len(owners) < 2 and lane.owner not in owners:
                        owners.append(lane.owner)
        for cell in sorted(cells[0].keys() & cells[1].keys()):
            mine, theirs = cells[0][cell], cells[1][cell]
            if self.found.excused is None or len({*mine, *theirs}) > 1:
                return f"bytes of threads {mine[0]} and {theirs[-1]} meet"
        return ""

    def _lanes(self, at: int, block: Mapping[str, Form], own: list[str]) -> Iterator[Lane]:
        site = self.found.sites[at]
        for mine in self._assignments(own):
            values = {**block, **mine}
            if self._made(site, values):
                owner = tuple(value(pair[at], values, self.bounds).constant() for pair in self.found.excused or ())
                yield Lane(owner, value(site.address, values, self.bounds))


def _stride(begins: list[Form]) -> int:
    """What may be added to a first byte any number of times, besides what all of them have in common; 0 for nothing."""
    stride = 0
    for begin in begins:
        for name in {*begin.unknowns, *begins[0].unknowns}:
            mine, first = begin.unknowns.get(name, 0), begins[0].unknowns.get(name, 0)
            stride = gcd(stride, mine - first)
            if _quotient_of(name).endswith(MARKS):
                stride = gcd(stride, mine)
    return stride


def _quotient(name: str) -> str:
    """The unknown number of times that the modulus is added."""
    return f"{name}/"


def _quotient_of(name: str) -> str:
    return name.removesuffix("/")


__all__ = ["Again", "Enumeration", "Open", "TooLarge", "differences", "read_enumeration"]
