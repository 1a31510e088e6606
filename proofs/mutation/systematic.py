"""Edits made at every place where they fit, or at a few places spread over those."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proofs.mutation.model import Mutant, code_of, edited

MOST = 4  # places per rule and kernel


@dataclass(frozen=True)
class Rule:
    """An edit of one line: where `pattern` matches the whole code, `change` gives the new code."""

    name: str
    obligation: str
    words: str
    pattern: str
    change: Callable[[re.Match[str]], str]
    stems: tuple[str, ...] = ("rmsnorm", "silu")


def _to(template: str) -> Callable[[re.Match[str]], str]:
    return lambda match: match.expand(template)


def _plus(group: int, by: int) -> Callable[[re.Match[str]], str]:
    """The number in a group, changed."""

    def change(match: re.Match[str]) -> str:
        start, end = match.span(group)
        return match.string[:start] + str(int(match.group(group)) + by) + match.string[end:]

    return change


def _offset(by: int) -> Callable[[re.Match[str]], str]:
    """`[%r]` or `[%r+8]` with another offset; group 1 is what stands before it, 2 the offset, 3 the rest."""
    return lambda m: f"{m.group(1)}+{int(m.group(2) or 0) + by}]{m.group(3)}"


_VECTOR = r"(@%\w+ {}\.global\S*\.v4\.b32 [^\[]*\[%\w+)(?:\+(\d+))?\](.*)"
RULES = (
    Rule("drop-store", "coverage", "store dropped", r"@%\w+ st\.global.*", _to("")),
    Rule("twice-store", "single-writer", "store repeated", r"(@%\w+ st\.global.*)", _to(r"\1 \1")),
    Rule("unguarded-store", "bounds", "store without its guard", r"@%\w+ (st\.global.*)", _to(r"\1")),
    Rule("negated-store", "bounds", "guard of the store negated", r"@(%\w+ st\.global.*)", _to(r"@!\1")),
    Rule("unguarded-load", "bounds", "load without its guard", r"@%\w+ (ld\.global.*)", _to(r"\1")),
    Rule("shifted-store", "bounds", "vector stored 2 bytes further", _VECTOR.format("st"), _offset(2)),
    Rule("shifted-load", "bounds", "vector loaded 2 bytes further", _VECTOR.format("ld"), _offset(2)),
    Rule("shifted-back", "bounds", "vector stored 2 bytes before", _VECTOR.format("st"), _offset(-2)),
    Rule("guard-one-more", "bounds", "guard lets one more pass (lt to le)",
         r"setp\.lt(\.u\d+ %(?:slot\w*|owns_tail), .*)", _to(r"setp.le\1")),
    Rule("guard-before", "bounds", "guard tests one position before",
         r"add\.u\d+ %(?:at|slot_at), %(?:thread|vector|at), (\d+);", _plus(1, -1)),
    Rule("guard-after", "coverage", "guard tests one position after",
         r"add\.u\d+ %(?:at|slot_at), %(?:thread|vector|at), (\d+);", _plus(1, 1)),
    Rule("step-dropped", "no-trap", "step of the loop dropped", r"add\.u\d+ %base, %base, .*", _to("")),
    Rule("skipped-slot", "coverage", "last slot left out where one vector would need it",
         r"setp\.le\.u32 %no_slot\d, %vectors, (\d+);", _plus(1, 1)),
    Rule("zero-dropped", "init", "register not set where the load is not made",
         r"mov\.b(?:16|32) %(?:x\dw0|x_tail|w_tail|w_restw0|wh[07]|h[07]), 0;", _to("")),
    Rule("toward-zero", "refinement", "rounding toward zero", r"(add|mul|fma|div)\.rn\.f32 (.*)", _to(r"\1.rz.f32 \2")),
    Rule("other-approximation", "refinement", "approximation of another kind",
         r"(rsqrt|ex2)\.approx(\.ftz)?\.f32 (.*)",
         lambda m: f"{m.group(1)}.approx{'' if m.group(2) else '.ftz'}.f32 {m.group(3)}"),
    Rule("shuffle-mask", "barrier", "shuffle for half a warp",
         r"(shfl\.sync.*) 0xffffffff;", _to(r"\1 0x0000ffff;"), ("rmsnorm",)),
    Rule("shuffle-guard", "barrier", "shuffle only in some lanes",
         r"(shfl\.sync.*, (?:8|2), 31.*)", _to(r"@%slot0 \1"), ("rmsnorm",)),
    Rule("shuffle-distance", "refinement", "shuffle over another distance",
         r"(shfl\.sync\.bfly\.b32 %other, %sum), (\d+)(, 31.*)",
         lambda m: f"{m.group(1)}, {int(m.group(2)) % 16 + 1}{m.group(3)}", ("rmsnorm",)),
    Rule("term-dropped", "refinement", "term left out of the sum", r"@%\w+ fma\.rn\.f32 .*", _to(""), ("rmsnorm",)),
    Rule("narrow-product", "no-wrap", "product of row and stride in 32 bits",
         r"mul\.wide\.u32 %offset, %row, %stride;",
         _to("{ .reg .u32 %narrow; mul.lo.u32 %narrow, %row, %stride; cvt.u64.u32 %offset, %narrow; }"), ("rmsnorm",)),
    Rule("narrow-shift", "no-wrap", "element's offset in 32 bits",
         r"shl\.b64 %offset, %at, (\d);",
         _to(r"{ .reg .u32 %narrow; cvt.u32.u64 %narrow, %at; shl.b32 %narrow, %narrow, \1; "
             r"cvt.u64.u32 %offset, %narrow; }"), ("silu",)),
)


def systematic(stem: str, text: str) -> Iterator[Mutant]:
    """The mutants of a kernel that rules make."""
    lines = [code_of(line) for line in text.split("\n")]
    for rule in RULES:
        if stem not in rule.stems:
            continue
        found = [(n, m) for n, code in enumerate(lines, 1) if (m := re.fullmatch(rule.pattern, code))]
        for number, match in spread(found):
            yield Mutant(
                f"{stem}.{rule.name}.L{number}", stem, "shipped", rule.obligation, f"{rule.words}: {lines[number - 1]}",
                number, edited(text, number, rule.change(match)),
            )


def spread(found: list[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """At most MOST of them: first and last, and those between at even distances."""
    if len(found) <= MOST:
        return found
    return [found[i * (len(found) - 1) // (MOST - 1)] for i in range(MOST)]
