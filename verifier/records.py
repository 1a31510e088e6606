"""<entry>.records.json: what the proofs say they read off the PTX. Read strictly; every term is parsed here, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from verifier.findings import Unreadable
from verifier.terms import Term, names, read_term

KINDS = ("parameter", "special", "variable", "iteration", "exit", "opaque", "boolean", "digit")
SCOPES = ("launch", "block", "thread")


@dataclass(frozen=True)
class Symbol:
    """An unknown: None in `low` or `high` is unbounded; `definition` is a bit term, or None."""

    name: str
    kind: str
    scope: str
    low: int | None
    high: int | None
    line: int
    definition: Term | None


@dataclass(frozen=True)
class Point:
    """A place in the code: what leads here (control), what else is known (facts), the loops around it."""

    id: str
    line: int
    control: tuple[Term, ...]
    facts: tuple[Term, ...]
    loops: tuple[str, ...]


@dataclass(frozen=True)
class Access(Point):
    space: str
    kind: str
    width: int
    buffer: str
    address: Term
    row: Term
    column: Term
    count: int


@dataclass(frozen=True)
class Barrier(Point):
    kind: str


@dataclass(frozen=True)
class Shuffle(Point):
    members: int


@dataclass(frozen=True)
class LoopRecord(Point):
    iteration: str
    exit: str
    proceed: Term
    parent: str | None


@dataclass(frozen=True)
class Range(Point):
    register: str
    term: Term
    low: int
    high: int


@dataclass(frozen=True)
class Trap(Point):
    pass


@dataclass(frozen=True)
class Read(Point):
    """A register read where some path leaves it unwritten; the claim is that `written` holds."""

    register: str
    written: Term


@dataclass(frozen=True)
class Interval:
    """Accesses that no barrier separates; `members` are (access id, iterations by loop id)."""

    id: str
    start: str
    members: tuple[tuple[str, Mapping[str, str]], ...]


@dataclass(frozen=True)
class Records:
    """All that was read off one entry."""

    entry: str
    ptx_sha256: str
    block: tuple[int, int, int]
    symbols: Mapping[str, Symbol]
    accesses: Mapping[str, Access]
    barriers: Mapping[str, Barrier]
    shuffles: Mapping[str, Shuffle]
    traps: Mapping[str, Trap]
    loops: Mapping[str, LoopRecord]
    reads: Mapping[str, Read]
    domain: tuple[Term, ...]
    observations: Mapping[str, Range]
    intervals: Mapping[str, Interval]
    branches: tuple[tuple[int, Term], ...]
    lines: Mapping[int, tuple[str, ...]]

    def points(self) -> list[Point]:
        """Everything that has a place and conditions."""
        groups = (
            self.accesses,
            self.barriers,
            self.shuffles,
            self.traps,
            self.loops,
            self.reads,
            self.observations,
        )
        return [point for group in groups for point in group.values()]


def read_records(data: Any, where: str) -> Records:
    """The records one JSON file holds; Unreadable for anything but the documented fields."""
    try:
        return _Reader(where).records(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{where}: not records: {error!r}") from None


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where
        self.known: Mapping[str, Symbol] = {}

    def fail(self, message: str) -> Unreadable:
        return Unreadable(f"{self.where}: {message}")

    def take(self, data: Any, what: str, keys: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(data, dict) or set(data) != set(keys):
            found = sorted(data) if isinstance(data, dict) else data
            raise self.fail(f"{what}: fields {sorted(keys)} expected, found {found}")
        return data

    def term(self, text: str) -> Term:
        if not isinstance(text, str):
            raise self.fail(f"a term is text, found {text!r}")
        term = read_term(text, self.where)
        for name in names(term):
            if name not in self.known and "[" in name:
                raise self.fail(f"a term speaks of what memory holds, {name}: that is not derived here, so nothing "
                                "that rests on it is confirmed")  # fmt: skip
            if name not in self.known:
                raise self.fail(f"a term speaks of {name}, which is no symbol of these records: {text[:80]}")
        return term

    def records(self, data: Any) -> Records:
        data = self.take(data, "records", _FIELDS)
        if data["version"] != 1:
            raise self.fail(f"version {data['version']} of the records is not known")
        x, y, z = (int(size) for size in data["block"])
        self.known = self.symbols(data["symbols"])
        return Records(
            entry=str(data["entry"]),
            ptx_sha256=str(data["ptx_sha256"]),
            block=(x, y, z),
            symbols=self.known,
            accesses=self.table(data["accesses"], "access", Access, self.access),
            barriers=self.table(data["barriers"], "barrier", Barrier, lambda d: {"kind": str(d["kind"])}),
            shuffles=self.table(data["shuffles"], "shuffle", Shuffle, lambda d: {"members": int(d["members"])}),
            traps=self.table(data["traps"], "trap", Trap, lambda d: {}),
            loops=self.table(data["loops"], "loop", LoopRecord, self.loop),
            reads=self.table(data["reads"], "register read", Read, self.register_read),
            domain=tuple(self.term(clause["text"]) for clause in data["domain"]),
            observations=self.table(data["observations"], "observation", Range, self.range),
            intervals={i["id"]: self.interval(i) for i in data["intervals"]},
            branches=tuple((int(b["line"]), self.term(b["condition"])) for b in data["branches"]),
            lines={int(line): tuple(ids) for line, ids in data["lines"].items()},
        )

    def symbols(self, rows: Any) -> Mapping[str, Symbol]:
        found: dict[str, Symbol] = {}
        for row in rows:
            row = self.take(row, "symbol", tuple(f.name for f in fields(Symbol)))
            definition = row["definition"]
            symbol = Symbol(
                name=str(row["name"]),
                kind=str(row["kind"]),
                scope=str(row["scope"]),
                low=None if row["low"] is None else int(row["low"]),
                high=None if row["high"] is None else int(row["high"]),
                line=int(row["line"]),
                definition=None if definition is None else read_term(definition, self.where),
            )
            if symbol.kind not in KINDS or symbol.scope not in SCOPES or symbol.name in found:
                raise self.fail(f"symbol {symbol.name} stands twice, or its kind or scope is not known")
            if re.search(r"[|\\!]", symbol.name):
                raise self.fail(f"symbol {symbol.name!r} has a character that marks threads or quotes")
            found[symbol.name] = symbol
        return found

    def table(self, rows: Any, what: str, kind: type[Any], extra: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
        keys = tuple(_JSON.get(f.name, f.name) for f in fields(kind))
        found: dict[str, Any] = {}
        for row in rows:
            row = self.take(row, what, keys)
            point = {
                "id": str(row["id"]),
                "line": int(row["line"]),
                "control": tuple(self.term(text) for text in row["control"]),
                "facts": tuple(self.term(text) for text in row["facts"]),
            }
            loops = {"loops": tuple(str(loop) for loop in row["loops"])}
            if row["id"] in found:
                raise self.fail(f"{what} {row['id']} stands twice")
            found[row["id"]] = kind(**point, **loops, **extra(row))
        return found

    def access(self, row: dict[str, Any]) -> dict[str, Any]:
        if row["space"] not in ("global", "shared") or row["kind"] not in ("read", "write"):
            raise self.fail(f"access {row['id']}: space or kind not known")
        return {
            "space": row["space"],
            "kind": row["kind"],
            "width": int(row["width"]),
            "buffer": str(row["buffer"]),
            "address": self.term(row["address"]),
            "row": self.term(row["row"]),
            "column": self.term(row["column"]),
            "count": int(row["count"]),
        }

    def loop(self, row: dict[str, Any]) -> dict[str, Any]:
        parent = row["parent"]
        return {
            "iteration": str(row["iteration"]),
            "exit": str(row["exit"]),
            "proceed": self.term(row["continue"]),
            "parent": None if parent is None else str(parent),
        }

    def register_read(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"register": str(row["register"]), "written": self.term(row["written"])}

    def range(self, row: dict[str, Any]) -> dict[str, Any]:
        term = self.term(row["term"])
        return {"register": str(row["register"]), "term": term, "low": int(row["low"]), "high": int(row["high"])}

    def interval(self, row: dict[str, Any]) -> Interval:
        row = self.take(row, "interval", ("id", "start", "members"))
        members = []
        for member in row["members"]:
            member = self.take(member, "interval member", ("access", "iterations"))
            members.append((str(member["access"]), {str(k): str(v) for k, v in member["iterations"].items()}))
        return Interval(str(row["id"]), str(row["start"]), tuple(members))


_JSON = {"proceed": "continue"}
# `witnesses` says how the prover found its coverage goal; the goal is checked without it.
_FIELDS: tuple[str, ...] = ("version", "entry", "ptx_sha256", "block", "symbols", "domain", "accesses", "barriers")
_FIELDS += ("shuffles", "traps", "loops", "observations", "reads", "intervals", "branches", "witnesses", "lines")
