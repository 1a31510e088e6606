"""One refuted or unknown obligation as a compiler would say it: what fails, where, who, which values, what helps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proofs.results import Row

MAX_OPEN = 3  # claims of one unknown obligation that are shown; the JSON report has all
# What `proofs.replay` puts into a counterexample and is said in sentences here; other keys are printed as they are.
_SAID = {
    "claim", "obligation", "states", "lines", "text", "source", "reproduced", "replay", "hint", "parameters",
    "base_offsets", "grid", "block", "schedule", "accesses", "others", "help",
}  # fmt: skip


def details(row: Row, kinds: str = "") -> list[str]:
    """Lines about one obligation, or `kinds`, that is not proved; the first names it, the others are indented."""
    example = row.counterexample
    word = row.verdict.value if row.verdict.value == "unknown" else row.verdict.value.upper()
    head = f"{word} {row.kernel} {kinds or row.obligation}: "
    if example is None or "states" not in example:
        items = list(_items(row.detail))
        # What is said of all of them is one line; each has further ones.
        most = MAX_OPEN + bool(row.open and len(items) > 1 and len(items[0]) == 1)
        shown = [line for item in items[:most] for line in item]
        if len(items) > most:
            shown.append(f"and {len(items) - most} more; --json F writes them all")
        if row.open:
            total = max(row.claims, len(row.open))
            shown.insert(0, f"{len(row.open)} of {total} statements are undecided")
        return [head + shown[0], *(f"  {line}" for line in [*shown[1:], *_entries(example or {})])]
    return [f"{head}this fails: {example['states']}", *(f"  {line}" for line in _said(example))]


def _said(example: Mapping[str, object]) -> Iterator[str]:
    accesses = _mappings(example.get("accesses"))
    told = {a.get("line") for a in accesses}
    for access in accesses:
        yield f"{_who(access)}: {_bytes(access)}, {_place(example, access.get('line'))}"
    for line in _sequence(example.get("lines")):
        if line not in told:
            yield _place(example, line)
    if _launch(example):
        yield f"with {_launch(example)}"
    if example.get("replay"):
        replayed = "replay"
        if example.get("schedule"):
            replayed = f"replayed in the emulator, {_order(str(example['schedule']))}"
        # Of two accesses that stand above, all that is left to say is what they are to each other.
        words = str(example["replay"])
        yield f"{replayed}: {words.partition(':')[0] if len(accesses) == 2 else words}"
    if example.get("hint"):
        yield f"hint: {example['hint']}"
    yield from (f"help: {text}" for text in _sequence(example.get("help")))
    yield from _entries({name: value for name, value in example.items() if name not in _SAID})
    others = _mappings(example.get("others"))
    if others:
        lines = sorted({int(str(line)) for other in others for line in _sequence(other.get("lines"))})
        at = f", at PTX line {', '.join(map(str, lines))}" if lines else ""
        yield f"and {len(others)} more{at}; --json F writes them all"


def _order(schedule: str) -> str:
    """A schedule of the emulator in words."""
    return f"warps {schedule}" if schedule in ("forward", "reverse", "interleaved") else f"schedule {schedule}"


def _who(access: Mapping[str, object]) -> str:
    rounds = access.get("iteration")
    where = "".join(
        f", iteration {k} of the loop at PTX line {loop.removeprefix('L')}" for loop, k in _mapping(rounds).items()
    )
    return f"{access.get('kind')} by block {_tuple(access.get('block'))} thread {_tuple(access.get('thread'))}{where}"


def _bytes(access: Mapping[str, object]) -> str:
    first, last = (*_sequence(access.get("bytes")), "?", "?")[:2]
    return f"bytes {first}..{last} of {access.get('buffer')}"


def _place(example: Mapping[str, object], line: object) -> str:
    """`PTX line 12 (kernel.cu:7): st.shared.u32 [%r1], %r2;`"""
    source = _mapping(example.get("source")).get(str(line))
    text = _mapping(example.get("text")).get(str(line))
    path, _, number = str(source or "").rpartition(":")
    at = f" ({PurePath(path).name}:{number})" if source else ""
    return f"PTX line {line}{at}" + (f": {text}" if text else "")


def _launch(example: Mapping[str, object]) -> str:
    given = [f"{name} = {value}" for name, value in _mapping(example.get("parameters")).items()]
    given += [f"{name} {value} bytes past a multiple of 256"
              for name, value in _mapping(example.get("base_offsets")).items() if value]  # fmt: skip
    given += [f"{name} {_tuple(example[name])}" for name in ("grid", "block") if example.get(name)]
    return ", ".join(given)


def _items(detail: str) -> Iterator[list[str]]:
    """The findings of a detail, each once: a line, and the indented lines that belong to it."""
    items: list[list[str]] = []
    for line in detail.splitlines():
        if items and line.startswith(" "):
            items[-1].append(line)
        else:
            items.append([line])
    seen: set[tuple[str, ...]] = set()
    for item in items:
        if tuple(item) not in seen:
            seen.add(tuple(item))
            yield item


def folded(assumptions: Iterable[str]) -> list[str]:
    """Assumptions, each once; those that say the same of several names are one line, at the place of the first."""
    groups: dict[str, list[str]] = {}
    for text in dict.fromkeys(assumptions):
        name, _, rest = text.partition(" ")
        key = rest if rest.startswith(("is a number", "ends below", "= 1: ", "is any size")) else text
        groups.setdefault(key, []).append("" if key == text else name)
    return [
        rest if not names[0] else f"{names[0]} {rest}" if len(names) == 1 else f"{', '.join(names)}: each {rest}"
        for rest, names in groups.items()
    ]


def _entries(value: Mapping[str, object]) -> Iterator[str]:
    """A JSON object as indented `name: value` lines without the empty ones; flat objects and lists stay on one line."""
    for name, item in value.items():
        if item is None or item == "" or item == {} or item == [] or item == ():
            continue
        if isinstance(item, Mapping) and any(isinstance(v, Mapping | list | tuple) for v in item.values()):
            yield f"{name}:"
            yield from (f"  {line}" for line in _entries(item))
        elif isinstance(item, list | tuple) and any(isinstance(v, Mapping) for v in item):
            yield from (f"{name}: {_inline(part)}" for part in item)
        elif isinstance(item, str) and "\n" in item:
            yield f"{name}:"
            yield from (f"  {line}" for line in item.splitlines())
        else:
            yield f"{name}: {_inline(item)}"


def _inline(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_inline(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_inline(item) for item in value) + ")"
    return str(value)


def _tuple(value: object) -> str:
    return "(" + ",".join(str(item) for item in _sequence(value)) + ")"


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [item for item in _sequence(value) if isinstance(item, Mapping)]
