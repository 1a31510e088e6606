"""All mutants of a text: every operator at every place where it fits, each text once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from proofs.mutation.editing import Changes, Code, codes_of
from proofs.mutation.operators import OPERATORS
from spec.errors import BadInput
from spec.ptx.ast import Module


@dataclass(frozen=True)
class Made:
    """A mutant of somebody's text.

    Args:
        id: kind of edit, line and a number where one line has several.
        kind: name of the operator.
        line: PTX line of the instruction that was edited.
        words: what was done to it, for a person.
        text: the module.
        function, at: the function, and the number of the instruction in it.
        changes: the statements that were put in the place of others.
    """

    id: str
    kind: str
    line: int
    words: str
    text: str
    function: str
    at: int
    changes: Changes

    @property
    def key(self) -> str:
        return sha256(self.text.encode()).hexdigest()


def kinds_named(names: Sequence[str]) -> tuple[str, ...]:
    """The kinds of edits asked for; all if none is."""
    for name in names:
        if name not in OPERATORS:
            raise BadInput(f"--kind {name}: no such kind of edit; there are {', '.join(OPERATORS)}")
    return tuple(k for k in OPERATORS if not names or k in names)


def mutants_of(module: Module, entry: str | None, kinds: Sequence[str]) -> list[Made]:
    """The mutants of an entry and of the functions of its file, in text order; of equal texts the first."""
    seen = {module.text}
    numbers: Counter[str] = Counter()  # of all functions: two of them may stand on one line
    found = []
    for code in codes_of(module):
        if code.function.is_entry and entry is not None and code.function.name != entry:
            continue
        for made in _of(code, kinds, numbers):
            if made.text not in seen:
                seen.add(made.text)
                found.append(made)
    return found


def _of(code: Code, kinds: Sequence[str], numbers: Counter[str]) -> Iterator[Made]:
    for at, instruction in enumerate(code.instructions):
        for kind in kinds:
            for edit in OPERATORS[kind].apply(code, at, instruction):
                place = f"{kind}.L{instruction.line}"
                numbers[place] += 1
                words = f"{edit.words}: {' '.join(code.text(at).split())}"
                yield Made(
                    f"{place}.{numbers[place]}", kind, instruction.line, words, code.replaced(edit.changes),
                    code.function.name, at, edit.changes,
                )


def spread(mutants: Sequence[Made], limit: int) -> list[Made]:
    """At most so many of them, taken evenly over kinds and places."""
    if limit <= 0 or len(mutants) <= limit:
        return list(mutants)
    by_kind: dict[str, list[Made]] = {}
    for made in mutants:
        by_kind.setdefault(made.kind, []).append(made)
    ordered = [m for kind in sorted(by_kind) for m in by_kind[kind]]
    chosen = {ordered[i * len(ordered) // limit].id for i in range(limit)}
    return [m for m in mutants if m.id in chosen]
