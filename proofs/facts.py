"""Facts about what buffers hold, in terms: those of `--fact` and of contracts. docs/check.md has the grammar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs.claims.model import domain
from proofs.contents import Fact, Source, example
from proofs.decide import decide
from proofs.problem import BufferTerms, Problem, to_condition, to_term
from proofs.query import Hypothesis, build
from proofs.symbols import LAUNCH, Symbol
from proofs.terms import Cond, Poly, conj
from spec.contracts.expr import names as names_in
from spec.contracts.facts import INTEGERS, parse_fact
from spec.errors import BadInput


def sources(
    buffers: Mapping[str, BufferTerms], elements: Mapping[str, str], facts: Sequence[tuple[str, str]],
    names: Mapping[str, Poly],
) -> dict[str, Source]:
    """The buffers whose content is followed: integers that are only read, or of which a fact is given.

    Args:
        elements: element type by buffer, of those that are declared.
        facts: (buffer, text) of each.
    """
    for name, text in facts:
        if elements.get(name) not in INTEGERS:
            raise BadInput(f"fact {text}: {name} is not declared as a buffer of integers (--buffer {name}=s32[n]:r, "
                           f"for example); integers are {', '.join(INTEGERS)}")  # fmt: skip
    found = {}
    for name, element in elements.items():
        buffer, texts = buffers[name], [text for b, text in facts if b == name]
        if element not in INTEGERS or not (texts or buffer.access == "r"):
            continue
        extents = tuple(e for e in (buffer.planes, buffer.rows, buffer.columns) if e is not None)
        read = tuple(read_fact(text, len(extents), names) for text in texts)
        found[name] = Source(name, *INTEGERS[element], extents, buffer.flat, read)
    return found


def memory_exists(problem: Problem, path: str) -> None:
    """BadInput if no memory at all is as the facts say: everything would follow from them."""
    for source in problem.sources.values():
        exist, hold = example(source)
        if not source.facts or (not source.contradictory and not _possible(problem, exist)):
            continue  # nothing is said, or the buffer has no elements
        if source.contradictory or not _possible(problem, (*exist, *hold)):
            facts = "\n  ".join(f.text for f in source.facts)
            raise BadInput(f"{path}: no content of {source.buffer} satisfies the facts, and everything would follow:"
                           f"\n  {facts}")  # fmt: skip


def _possible(problem: Problem, conditions: Sequence[Cond]) -> bool:
    here = [Hypothesis("element", c.text, c) for c in conditions]
    return decide(build("contents", (), [*domain(problem), *here], "false", []).text).status != "unsat"


def read_fact(text: str, extents: int, names: Mapping[str, Poly]) -> Fact:
    """A fact on the elements of a buffer of so many extents; BadInput if it cannot be read."""
    said = parse_fact(text, names.keys()).of_rank(extents)
    variables = {name: Symbol(f"index.{name}", "index", LAUNCH, None, None) for name in said.variables}
    values = {e.name: Symbol(f"element.{e.name}", "index", LAUNCH, None, None) for e in said.elements}
    scope = {**names, **{n: Poly.symbol(s) for n, s in (variables | values).items()}}
    refs = tuple((values[e.name], tuple(to_term(i, scope) for i in e.indexes)) for e in said.elements)
    guard, holds = (conj(to_condition(c, scope) for c in part) for part in (said.guard, said.holds))
    used = {n for e in said.elements for i in e.indexes for n in names_in(i)}
    used |= {n for c in (*said.guard, *said.holds) for n in names_in(c)}
    return Fact(said, {n: names[n] for n in used & names.keys()}, refs, tuple(variables.values()), guard, holds)
