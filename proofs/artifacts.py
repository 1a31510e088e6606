"""The files a proof leaves behind (docs/artifacts.md), as text: nothing here reads the clock or the disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from proofs.claims.digits import Digit
from proofs.claims.witnesses import Witness, witnesses
from proofs.entry import Analysis
from proofs.intervals import Interval
from proofs.records import Access, Barrier, Point, Shuffle, Trap
from proofs.terms import Cond, Poly, Symbol
from spec.contracts.model import Contract

VERSION = 1


def sha256(text: str | bytes) -> str:
    """Hex digest of a file's content."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def to_text(value: Any) -> str:
    """Canonical JSON: sorted keys, two-space indent, a newline at the end."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True) + "\n"


def contract_json(contracts: Iterable[Contract]) -> dict[str, Any]:
    """Contracts as data, by entry."""
    return {c.entry: json.loads(json.dumps(asdict(c))) for c in contracts}


def records_json(analysis: Analysis, ptx_sha256: str) -> dict[str, Any]:
    """The records of an entry as docs/artifacts.md lays them out."""
    records, problem = analysis.records, analysis.problem
    lines: dict[str, list[str]] = {}
    items: list[Access | Barrier | Shuffle | Trap] = [
        *records.accesses, *records.barriers, *records.shuffles, *records.traps,
    ]
    for item in items:
        lines.setdefault(str(item.at.line), []).append(item.id)
    return {
        "version": VERSION,
        "entry": problem.function.name,
        "ptx_sha256": ptx_sha256,
        "block": [b if b is not None else 0 for b in problem.block],
        "symbols": [_symbol(s) for s in _symbols(analysis)],
        "domain": [{"clause": words, "text": c.text} for words, c in problem.domain],
        "accesses": [
            {
                "id": a.id, "line": a.at.line, "space": a.space, "kind": a.kind, "width": a.width, "buffer": a.buffer,
                "address": a.address.text, "row": a.row.text, "column": a.column.text, "count": a.count, **_point(a.at),
            }
            for a in records.accesses
        ],
        "barriers": [{"id": b.id, "line": b.at.line, "kind": "block", **_point(b.at)} for b in records.barriers],
        "shuffles": [
            {"id": s.id, "line": s.at.line, "members": s.members, **_point(s.at)} for s in records.shuffles
        ],
        "traps": [{"id": t.id, "line": t.at.line, **_point(t.at)} for t in records.traps],
        "loops": [
            {
                "id": loop.id, "line": loop.at.line, "iteration": loop.iteration.name, "exit": loop.exit.name,
                "continue": loop.proceed.text, "parent": loop.parent or None, **_point(loop.at),
            }
            for loop in records.loops
        ],
        "observations": [
            {
                "id": r.id, "line": r.at.line, "register": r.register, "term": r.term.text, "low": r.low,
                "high": r.high, **_point(r.at),
            }
            for r in records.ranges
        ],
        "reads": [
            {"id": d.id, "line": d.at.line, "register": d.register, "written": d.written.text, **_point(d.at)}
            for d in records.reads
        ],
        "intervals": [_interval(i) for i in analysis.intervals],
        "branches": [{"line": line, "condition": c.text} for line, c in records.branches],
        "witnesses": [_witness(w) for name in problem.outputs for w in witnesses(problem, records, name)],
        "lines": {line: ids for line, ids in sorted(lines.items(), key=lambda item: int(item[0]))},
    }


def _point(at: Point) -> dict[str, Any]:
    return {"control": [c.text for c in at.control], "facts": [c.text for c in at.facts], "loops": list(at.loops)}


def _interval(interval: Interval) -> dict[str, Any]:
    members = [{"access": m.access.id, "iterations": dict(m.modes)} for m in interval.members]
    return {"id": interval.id, "start": interval.start, "members": members}


def _witness(witness: Witness) -> dict[str, Any]:
    row, column = witness.row, witness.column
    return {
        "access": witness.access.id, "row": [_digit(d) for d in row.digits], "row_offset": row.offset.text,
        "column": [_digit(d) for d in column.digits], "column_offset": column.offset.text, "shift": witness.shift,
    }


def _digit(digit: Digit) -> dict[str, Any]:
    radix = None if digit.radix is None else digit.radix.text
    return {"symbol": digit.symbol.name, "weight": digit.weight.text, "radix": radix}


def _symbol(symbol: Symbol) -> dict[str, Any]:
    return {
        "name": symbol.name, "kind": symbol.kind, "scope": symbol.scope, "low": symbol.low, "high": symbol.high,
        "line": symbol.line, "definition": symbol.definition or None,
    }


def _symbols(analysis: Analysis) -> list[Symbol]:
    """Every symbol of domain and records, by name."""
    found: dict[str, Symbol] = {}
    records = analysis.records
    points = [
        item.at
        for group in (
            records.accesses, records.barriers, records.shuffles, records.traps, records.ranges, records.reads,
        )
        for item in group
    ]
    conditions: list[Cond | Poly] = [c for _, c in analysis.problem.domain]
    for at in (*points, *(loop.at for loop in records.loops)):
        conditions += at.known()
    for access in records.accesses:
        conditions += [access.address, access.row, access.column]
    conditions += [r.term for r in records.ranges] + [d.written for d in records.reads]
    for loop in records.loops:
        conditions += [loop.proceed, Poly.symbol(loop.iteration), Poly.symbol(loop.exit)]
    conditions += [c for _, c in records.branches]
    conditions += list(analysis.problem.names.values())
    for item in conditions:
        for symbol in item.symbols():
            found.setdefault(symbol.name, symbol)
    return [found[name] for name in sorted(found)]


def assumptions(contracts: Sequence[Contract]) -> list[str]:
    """What every verdict rests on besides the requires clauses, in words."""
    words = []
    for c in contracts:
        words += [f"{c.entry}: requires {text}" for text in c.requires]
        words += [f"{c.entry}: {p} in [{low}, {high}]" for p, (low, high) in sorted(c.float_ranges.items())]
        for b in c.buffers:
            size = " x ".join(b.shape) + (f" with rows {b.leading} apart" if b.leading else "")
            size += f" and planes {b.plane} apart" if b.plane else ""
            words.append(f"{c.entry}: buffer {b.name} holds {size} of {b.element}, aligned to {b.align}, below 2^64")
        names = ", ".join(b.name for b in c.buffers)
        words.append(f"{c.entry}: buffers {names} do not overlap")
        words += [f"{c.entry}: {fact.text}, which the host checks before a launch" for fact in c.content_facts()]
        if c.facts:
            words.append(f"{c.entry}: what facts speak of is changed by nobody else during the launch")
        words.append(f"{c.entry}: launched with block {c.block} and grid ({', '.join(c.grid)})")
    words.append("%laneid is the thread's number in its block modulo 32")
    words.append("generic addresses of global memory equal global addresses")
    return words
