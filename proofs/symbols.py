"""Named unknowns, and how names and integers are written in SMT-LIB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Bound = int | None
Interval = tuple[Bound, Bound]

LAUNCH, BLOCK, THREAD = "launch", "block", "thread"


@dataclass(frozen=True)
class Symbol:
    """A named unknown. `scope`: one for all (launch), per block, or per thread; `loops`: the loops that redefine it.

    `uniform`, of scope thread: threads of one block that are in the same round of each of `loops` have the same value.
    Whoever does not know of two threads that they are must take it for two values, as of any other thread's unknown.
    """

    name: str
    kind: str = field(compare=False)
    scope: str = field(compare=False)
    low: Bound = field(compare=False)
    high: Bound = field(compare=False)
    line: int = field(default=0, compare=False)
    definition: str = field(default="", compare=False)
    loops: frozenset[str] = field(default=frozenset(), compare=False)
    uniform: bool = field(default=False, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def renamed(self, name: str) -> Symbol:
        return replace(self, name=name)

    def value(self, values: Mapping[str, int]) -> int:
        """Its value; one that a model leaves open takes its least value, or 0."""
        return values.get(self.name, self.low or 0)


def quote(name: str) -> str:
    """An SMT-LIB symbol for a name of ours."""
    plain = name.replace("_", "a").replace(".", "a")
    return name if plain.isalnum() and not name[0].isdigit() else f"|{name}|"


def integer(value: int) -> str:
    """SMT-LIB text of an integer."""
    return str(value) if value >= 0 else f"(- {-value})"
