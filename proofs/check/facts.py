"""What `--fact` says of a buffer's elements. The grammar and the promises are in docs/check.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofs.claims.model import domain
from proofs.contents import INTEGERS, Fact, Source, example
from proofs.decide import decide
from proofs.problem import BufferTerms, Problem, to_condition, to_term
from proofs.query import Hypothesis, build
from proofs.symbols import LAUNCH, Symbol
from proofs.terms import TRUE, Cond, Poly, conj
from spec.contracts.expr import names as names_in
from spec.contracts.expr import parse_comparisons, parse_expr
from spec.errors import BadInput

_ELEMENT = re.compile(r"(?<![\w$%])(?!in\b)([A-Za-z_$%][\w$]*)\s*\[([^\[\]]*)\]")
_WITHIN = re.compile(r"(.*?)\bin\s*([\[(])(.*)([\])])\s*", re.DOTALL)
_SHAPE = "expected ELEMENT in [LOW, HIGH) or a comparison of elements, such as 'table[i] in [0, blocks)'"


@dataclass(frozen=True)
class Element:
    """An element that a fact speaks of, in the user's words, and the name that stands for it."""

    buffer: str
    indexes: tuple[str, ...]
    name: str


def spoken_buffer(text: str) -> str:
    """The buffer that a fact speaks of, as the user names it; BadInput if it is none, or more than one."""
    elements, _ = _elements(text, text)
    names = {e.buffer for e in elements}
    if len(names) != 1:
        raise BadInput(f"--fact {text}: it speaks of {', '.join(sorted(names)) or 'no buffer'}; {_SHAPE}")
    return names.pop()


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
            raise BadInput(f"--fact {text}: {name} is not declared as a buffer of integers (--buffer {name}=s32[n]:r, "
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
    """A fact on the elements of a buffer of so many extents.

    Raises:
        BadInput: it cannot be read, an index variable stands alone in no element, or a name is unknown.
    """
    elements, plain = _elements(text, text)
    body, word, guard_text = plain.partition(" for ")
    if word and not guard_text.strip():
        raise BadInput(f"--fact {text}: nothing stands behind 'for'")
    variables: dict[str, Symbol] = {}
    for element in elements:
        if len(element.indexes) != extents:
            raise BadInput(f"--fact {text}: {element.buffer} has {extents} extents, here are {len(element.indexes)}")
        for index in element.indexes:
            for name in names_in(parse_expr(index)):
                if name not in names:
                    variables.setdefault(name, Symbol(f"index.{name}", "index", LAUNCH, None, None))
    values = {e.name: Symbol(f"element.{e.name}", "index", LAUNCH, None, None) for e in elements}
    scope = {**names, **{n: Poly.symbol(s) for n, s in (variables | values).items()}}
    refs = tuple(
        (values[e.name], tuple(to_term(parse_expr(i), scope) for i in e.indexes)) for e in elements
    )
    alone = {p for _, at in refs for p in at}
    for name, symbol in variables.items():
        if Poly.symbol(symbol) not in alone:
            raise BadInput(f"--fact {text}: {name} must be the whole index of some element, as in table[{name}]")
    guard = _conditions(guard_text, scope) if word else TRUE
    return Fact(text, refs, tuple(variables.values()), guard, _conditions(_comparisons(text, body), scope))


def _elements(text: str, rest: str) -> tuple[list[Element], str]:
    """The elements spoken of, each once, and the text with names in their places."""
    found: dict[tuple[str, tuple[str, ...]], Element] = {}

    def replaced(match: re.Match[str]) -> str:
        buffer, inner = match.groups()
        indexes = tuple(part.strip() for part in inner.split(","))
        if "" in indexes:
            raise BadInput(f"--fact {text}: {match.group()} has an empty index")
        element = found.setdefault((buffer, indexes), Element(buffer, indexes, f"element_{len(found)}_of_{buffer}"))
        return element.name

    plain = _ELEMENT.sub(replaced, rest)
    return list(found.values()), plain


def _comparisons(text: str, body: str) -> str:
    """`X in [a, b)` as comparisons; comparisons as they are."""
    match = _WITHIN.fullmatch(body)
    if match is None:
        return body
    value, opening, inside, closing = match.groups()
    items, depth = [""], 0
    for char in inside:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            items.append("")
        else:
            items[-1] += char
    if len(items) != 2 or not all(part.strip() for part in (value, *items)):
        raise BadInput(f"--fact {text}: {_SHAPE}")
    low, high = (item.strip() for item in items)
    return f"{value} {'>=' if opening == '[' else '>'} {low} && {value} {'<=' if closing == ']' else '<'} {high}"


def _conditions(text: str, scope: Mapping[str, Poly]) -> Cond:
    return conj(to_condition(comparison, scope) for comparison in parse_comparisons(text))
