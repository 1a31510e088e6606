"""What the symbols of the records are worth at a moment of a concrete run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from verifier.contract import Contract
from verifier.interpreter import History, Thread, special
from verifier.reader import SPECIAL_AXES
from verifier.records import Records, Symbol
from verifier.terms import Unvalued

_UNKNOWN = re.compile(r"v@L(\d+)(?:\.(\d+))?")
_HEADER = re.compile(r"h@L(\d+)\.(%.+)")
_MERGE = re.compile(r"m@B\d+\.(%.+)")
_CHOICE = re.compile(r"x@L(\d+)\.(\d+)")


class Environment(Mapping[str, int]):
    """Values of the records' symbols for one thread, now. A symbol without a value is a KeyError.

    `v@L57` is what line 57 last produced (`.1`: its second result), `h@L40.%r` a register when the header of the loop
    was last reached, `m@B5.%r` one where paths met, `x@L40.0` whether the loop was left at that symbol's line; a
    `'L40` behind a name means: as it was in the loop's round before.
    """

    def __init__(self, contract: Contract, records: Records, thread: Thread) -> None:
        self.contract, self.records, self.thread = contract, records, thread
        self.fixed = self._fixed()
        self.counts = {loop.iteration: loop.line for loop in records.loops.values()}
        self.exits = {loop.exit: loop.line for loop in records.loops.values()}

    def _fixed(self) -> dict[str, int]:
        """What does not change while the thread runs."""
        found: dict[str, int] = {}
        for name, kind in self.contract.parameters:
            if kind != "f32":
                bits = self.thread.launch.parameters[name]
                found[name] = bits - 2**32 if kind == "s32" and bits >= 2**31 else bits
        for name, address in self.thread.launch.shared.items():
            found[f"shared.{name}"] = address
        for stem in SPECIAL_AXES:
            for axis in "xyz":
                value = special(self.thread, f"%{stem}.{axis}")
                if value is not None:
                    found[f"{stem}.{axis}"] = value
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.records.symbols)

    def __len__(self) -> int:
        return len(self.records.symbols)

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __getitem__(self, name: str) -> int:
        if name in self.fixed:
            return self.fixed[name]
        plain, _, loop = name.partition("'")
        history = self.thread.now
        if loop:
            history = self.thread.previous[int(loop.removeprefix("L"))]
        return self._from(history, plain, self.records.symbols.get(name))

    def _from(self, history: History, name: str, symbol: Symbol | None) -> int:
        if name in self.counts:
            return history.iterations[self.counts[name]]
        if name in self.exits:
            return history.exits[self.exits[name]]
        if match := _UNKNOWN.fullmatch(name):
            values = list(history.results[int(match.group(1))].values())
            number = int(match.group(2) or 0)
            if number >= len(values):
                raise KeyError(name)
            return values[number]
        if match := _HEADER.fullmatch(name):
            return history.arrivals[int(match.group(1))][match.group(2)]
        if symbol is not None and (match := _MERGE.fullmatch(name)):
            return history.arrivals[symbol.line][match.group(1)]
        if symbol is not None and (match := _CHOICE.fullmatch(name)):
            return int(history.left[int(match.group(1))] == symbol.line)
        raise KeyError(name)


def watched_lines(records: Records) -> frozenset[int]:
    """Lines at whose arrival registers must be remembered."""
    lines = set()
    for symbol in records.symbols.values():
        plain = symbol.name.partition("'")[0]
        if match := _HEADER.fullmatch(plain):
            lines.add(int(match.group(1)))
        elif _MERGE.fullmatch(plain):
            lines.add(symbol.line)
    return frozenset(lines)


def bound_line(symbol: Symbol) -> int | None:
    """The line whose first result the symbol is, for symbols with a definition."""
    match = _UNKNOWN.fullmatch(symbol.name)
    return int(match.group(1)) if match and not match.group(2) else None


__all__ = ["Environment", "Unvalued", "bound_line", "watched_lines"]
