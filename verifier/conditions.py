"""What a query may assume and what it must conclude, worked out here from records and contract.

One thread of a query is a `Copy`: it marks the symbols that may differ between threads (`!1`, `!2`) and may tie
iteration counts to terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from verifier.contract import Contract, domain, extents, special_bounds
from verifier.findings import Unreadable
from verifier.reader import Entry
from verifier.records import Point, Records, Symbol
from verifier.terms import Name, Term, names, substitute

THREAD = frozenset({"thread"})
GRID = frozenset({"thread", "block"})
MAX_SHARED = 2**20


@dataclass(frozen=True)
class Copy:
    """How one thread speaks: symbols of these scopes bear the mark, some are replaced."""

    mark: str = ""
    scopes: frozenset[str] = frozenset()
    replaced: Mapping[str, Term] = field(default_factory=dict)


ONE = Copy()


@dataclass(frozen=True)
class Condition:
    """One required claim: `allowed` may be assumed (any part of it), `goal` must follow.

    `symbols` are the unknowns with their sort by name; `digits`: the query may introduce digits of a coordinate.
    """

    name: str
    obligation: str
    allowed: tuple[Term, ...]
    goal: Term
    symbols: Mapping[str, str]
    digits: bool = False


@dataclass(frozen=True)
class Subject:
    """One entry under audit."""

    entry: Entry
    contract: Contract
    records: Records

    @property
    def shared(self) -> dict[str, int]:
        """Alignment of the shared variables."""
        return {name: variable.align for name, variable in self.entry.shared.items()}

    def spoken(self, term: Term, copy: Copy) -> Term:
        """A term of the records, as this thread says it."""
        changes: dict[str, Term] = {}
        for name in set(names(term)):
            if name in copy.replaced:
                changes[name] = copy.replaced[name]
            elif self.scope(name) in copy.scopes:
                changes[name] = Name(name + copy.mark)
        return substitute(term, changes) if changes else term

    def scope(self, name: str) -> str:
        """Whether a symbol is one for all threads of a launch, of a block, or may differ (thread)."""
        stem = name.partition(".")[0]
        if stem in ("tid", "ctaid", "ntid", "nctaid", "shared") or name in dict(self.contract.parameters):
            return {"tid": "thread", "ctaid": "block"}.get(stem, "launch")
        symbol = self.records.symbols.get(name)
        return "launch" if symbol is None else symbol.scope

    def domain(self, copies: Iterable[Copy] = (ONE,)) -> list[Term]:
        """The contract's conditions for each thread."""
        return [self.spoken(clause, copy) for copy in copies for clause in domain(self.contract, self.shared)]

    def ranges(self, copies: Iterable[Copy] = (ONE,)) -> tuple[list[Term], dict[str, str]]:
        """The ranges of all symbols, and all symbols with their sorts, for each thread."""
        clauses: list[Term] = []
        sorts: dict[str, str] = {}
        for copy in copies:
            for symbol in all_symbols(self).values():
                if symbol.scope in copy.scopes and symbol.name not in copy.replaced:
                    name = symbol.name + copy.mark
                else:
                    name = symbol.name
                sorts[name] = "Bool" if symbol.kind == "boolean" else "Int"
                clauses += bounds_of(Name(name), symbol.low, symbol.high)
        return clauses, sorts

    def known(self, point: Point, copy: Copy, control: bool = True, facts: bool = True) -> list[Term]:
        """What holds at a place of the code."""
        terms = (*(point.control if control else ()), *(point.facts if facts else ()))
        return [self.spoken(term, copy) for term in terms]

    def identity(self, scopes: frozenset[str]) -> list[str]:
        """The symbols that tell a thread from the others."""
        found = []
        for name, value in extents(self.contract).items():
            stem = name.partition(".")[0]
            if isinstance(value, Name) and ((stem == "ctaid" and "block" in scopes) or stem == "tid"):
                found.append(name)
        return found

    def condition(
        self, name: str, obligation: str, hypotheses: Iterable[Term], goal: Term, copies: Iterable[Copy] = (ONE,)
    ) -> Condition:
        """A claim under the domain, all ranges and these hypotheses."""
        copies = tuple(copies)
        ranges, sorts = self.ranges(copies)
        return Condition(name, obligation, (*ranges, *self.domain(copies), *hypotheses), goal, sorts)


def bounds_of(term: Term, low: int | None, high: int | None) -> list[Term]:
    """low <= term <= high, as far as given."""
    found: list[Term] = []
    if low is not None:
        found.append(("<=", low, term))
    if high is not None:
        found.append(("<=", term, high))
    return found


def conjunction(parts: Iterable[Term]) -> Term:
    """`and` of the parts."""
    return ("and", *parts, ("true",))


def equal(pairs: Iterable[tuple[Term, Term]]) -> Term:
    """All pairs are equal."""
    return conjunction(("=", a, b) for a, b in pairs)


def all_symbols(subject: Subject) -> dict[str, Symbol]:
    """The records' symbols and those of the launch, whether the records mention them or not."""
    contract = subject.contract
    found: dict[str, Symbol] = {}
    for name, kind in contract.parameters:
        if kind != "f32":
            found[name] = Symbol(name, "parameter", "launch", *contract.bounds(name), 0, None)
    for name, (low, high) in special_bounds(contract).items():
        found[name] = Symbol(name, "special", subject.scope(name), low, high, 0, None)
    for name in subject.entry.shared:
        found[f"shared.{name}"] = Symbol(f"shared.{name}", "variable", "launch", 0, MAX_SHARED, 0, None)
    for name, symbol in subject.records.symbols.items():
        found.setdefault(name, symbol)
    return found


def check_symbols(subject: Subject) -> list[str]:
    """What is wrong with the records' symbols: kinds, scopes and ranges must be what PTX and contract make them."""
    own = all_symbols(subject)
    loops = {name for loop in subject.records.loops.values() for name in (loop.iteration, loop.exit)}
    found = []
    for name, symbol in subject.records.symbols.items():
        if own[name] is not symbol:
            expected = own[name]
            if (symbol.kind, symbol.scope, symbol.low, symbol.high) != (
                expected.kind,
                expected.scope,
                expected.low,
                expected.high,
            ):
                found.append(f"symbol {name} is recorded as {_shown(symbol)}, it is {_shown(expected)}")
        elif symbol.scope != "thread":
            found.append(f"symbol {name} may differ between threads, but is recorded with scope {symbol.scope}")
        elif symbol.kind in ("iteration", "exit"):
            if name not in loops or (symbol.low, symbol.high) != (0, None):
                found.append(f"symbol {name} counts no recorded loop, or its range is not 0 and up")
        elif symbol.kind == "opaque" and symbol.definition is None and not _is_whole(symbol):
            found.append(f"symbol {name} may be any word, but is recorded in [{symbol.low}, {symbol.high}]")
        elif symbol.kind not in ("opaque", "boolean"):
            found.append(f"symbol {name} is recorded as {symbol.kind}, which it cannot be")
    return found


def _is_whole(symbol: Symbol) -> bool:
    """Whether the range is that of a register, or of a count of its bits."""
    return symbol.low == 0 and symbol.high in (*(2**w - 1 for w in (8, 16, 32, 64)), 32, 64)


def _shown(symbol: Symbol) -> str:
    return f"{symbol.kind} of scope {symbol.scope} in [{symbol.low}, {symbol.high}]"


def linear_thread(subject: Subject) -> Term:
    """The thread's number in its block."""
    values = extents(subject.contract)
    x, y, z = (values[f"tid.{axis}"] for axis in "xyz")
    nx, ny = values["ntid.x"], values["ntid.y"]
    return ("+", x, ("*", nx, ("+", y, ("*", ny, z))))


def buffer_of(subject: Subject, name: str) -> Name:
    """The base of a buffer as a term; Unreadable if the contract has none of that name."""
    if name not in subject.contract.buffers:
        raise Unreadable(f"{subject.contract.entry}: no buffer {name} in the contract")
    return Name(name)
