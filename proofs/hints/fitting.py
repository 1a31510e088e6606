"""Whether hints speak of what an entry has: its loops by label, its registers, parameters and outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from proofs.cfg import graph_of
from proofs.hints.model import COORDINATES, ROUND, Chosen, Hint, Invariant, read_hint, spoken
from proofs.places import loop_names
from proofs.problem import Problem
from spec.errors import BadInput, Unsupported


def with_hints(problem: Problem, texts: Iterable[str]) -> Problem:
    """The problem with hints; BadInput for one that cannot be read or speaks of what is not there."""
    hints = tuple(read_hint(text) for text in texts)
    if not hints:
        return problem
    try:
        graph = graph_of(problem.function)
    except Unsupported:
        return problem  # the entry is not understood, and will be told so
    names = loop_names(problem.function, graph)
    for hint in hints:
        _fits(problem, hint, names)
    return replace(problem, hints=tuple(_named(hint, names) for hint in hints))


def _named(hint: Hint, names: Mapping[str, str]) -> Hint:
    """The hint with loops by the names that records give them."""
    if isinstance(hint, Invariant):
        return hint
    return replace(hint, rounds={names[label]: value for label, value in hint.rounds.items()})


def _fits(problem: Problem, hint: Hint, labels: Collection[str]) -> None:
    function, own = problem.function, {ROUND} if isinstance(hint, Invariant) else {*COORDINATES}
    for label in (hint.label,) if isinstance(hint, Invariant) else hint.rounds:
        if label not in labels:
            raise BadInput(f"hint {hint.text}: no loop of {function.name} begins at {label}; {_known(labels)}")
    for name in sorted(own & problem.names.keys()):
        raise BadInput(f"hint {hint.text}: {name} is also a parameter; rename it with --names")
    for name in sorted(spoken(hint) - problem.names.keys()):
        known = ", ".join(sorted({*problem.names, *own}))
        raise BadInput(f"hint {hint.text}: unknown name {name!r}; known are {known}")
    if isinstance(hint, Chosen):
        if hint.buffer not in problem.outputs:
            raise BadInput(f"hint {hint.text}: it is not asked whether all of {hint.buffer} is written; "
                           f"--covers {hint.buffer}")  # fmt: skip
        return
    for register in hint.registers.values():
        if register in problem.specials:
            continue
        if register not in function.registers:
            raise BadInput(f"hint {hint.text}: {function.name} has no register {register}")
        if function.registers[register] == "pred" or function.registers[register].startswith("f"):
            raise BadInput(f"hint {hint.text}: {register} is .{function.registers[register]}, no integer")


def _known(labels: Collection[str]) -> str:
    return f"loops begin at {', '.join(sorted(labels))}" if labels else "it has none"
