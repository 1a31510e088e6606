"""Edits made at every place where they fit, or at a few places spread over those."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from proofs.mutation.model import Mutant, Rule, code_of, edited, to
from proofs.mutation.written import SHIPPED, STEMS_PACKAGE
from spec.stems import part

MOST = 4  # places per rule and kernel


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
    Rule("drop-store", "coverage", "store dropped", r"@%\w+ st\.global.*", to("")),
    Rule("twice-store", "single-writer", "store repeated", r"(@%\w+ st\.global.*)", to(r"\1 \1")),
    Rule("unguarded-store", "bounds", "store without its guard", r"@%\w+ (st\.global.*)", to(r"\1")),
    Rule("negated-store", "bounds", "guard of the store negated", r"@(%\w+ st\.global.*)", to(r"@!\1")),
    Rule("unguarded-load", "bounds", "load without its guard", r"@%\w+ (ld\.global.*)", to(r"\1")),
    Rule("shifted-store", "bounds", "vector stored 2 bytes further", _VECTOR.format("st"), _offset(2)),
    Rule("shifted-load", "bounds", "vector loaded 2 bytes further", _VECTOR.format("ld"), _offset(2)),
    Rule("shifted-back", "bounds", "vector stored 2 bytes before", _VECTOR.format("st"), _offset(-2)),
    Rule("guard-one-more", "bounds", "guard lets one more pass (lt to le)",
         r"setp\.lt(\.u\d+ %(?:slot\w*|owns_tail), .*)", to(r"setp.le\1")),
    Rule("guard-before", "bounds", "guard tests one position before",
         r"add\.u\d+ %(?:at|slot_at), %(?:thread|vector|at), (\d+);", _plus(1, -1)),
    Rule("guard-after", "coverage", "guard tests one position after",
         r"add\.u\d+ %(?:at|slot_at), %(?:thread|vector|at), (\d+);", _plus(1, 1)),
    Rule("step-dropped", "no-trap", "step of the loop dropped", r"add\.u\d+ %base, %base, .*", to("")),
    Rule("skipped-slot", "coverage", "last slot left out where one vector would need it",
         r"setp\.le\.u32 %no_slot\d, %vectors, (\d+);", _plus(1, 1)),
    Rule("zero-dropped", "init", "register not set where the load is not made",
         r"mov\.b(?:16|32) %(?:x\dw0|x_tail|w_tail|w_restw0|wh[07]|h[07]), 0;", to("")),
    Rule("toward-zero", "refinement", "rounding toward zero", r"(add|mul|fma|div)\.rn\.f32 (.*)", to(r"\1.rz.f32 \2")),
    Rule("other-approximation", "refinement", "approximation of another kind",
         r"(rsqrt|ex2)\.approx(\.ftz)?\.f32 (.*)",
         lambda m: f"{m.group(1)}.approx{'' if m.group(2) else '.ftz'}.f32 {m.group(3)}"),
)


def systematic(stem: str, text: str) -> Iterator[Mutant]:
    """The mutants of a kernel that rules make."""
    lines = [code_of(line) for line in text.split("\n")]
    own: tuple[Rule, ...] = part(STEMS_PACKAGE, stem, "RULES")
    for rule in (*RULES, *own):
        found = [(n, m) for n, code in enumerate(lines, 1) if (m := re.fullmatch(rule.pattern, code))]
        for number, match in spread(found):
            yield Mutant(
                f"{stem}.{rule.name}.L{number}", stem, SHIPPED, rule.obligation, f"{rule.words}: {lines[number - 1]}",
                number, edited(text, number, rule.change(match)),
            )


def spread(found: list[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """At most MOST of them: first and last, and those between at even distances."""
    if len(found) <= MOST:
        return found
    return [found[i * (len(found) - 1) // (MOST - 1)] for i in range(MOST)]
