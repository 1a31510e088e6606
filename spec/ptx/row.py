"""The form of a row of the instruction table: which opcodes it spells, its typed operands, its meaning.

A template spells the dotted names of one instruction: `{name:a|b}` is a part that must be there, `[name:a|b]` one
that may be, e.g. `add.{type:u16|s16|u32|s32|u64|s64}`; part values stand without their dot and become `Form.parts`.
Operand types are PTX type names or `{part}` (the value of that part); besides those:

- `wide:T`: an integer type of the same signedness, twice as wide as T.
- `vec:T`: the elements of a vector access as a tuple of words, one word for a scalar operand.
- `listN:T`: N words of T as a tuple, written `{a, b, ...}`, or as a scalar where N is 1.
- `pack:T`: one word of T, written as a scalar or as `{a, b, ...}`, least significant first; the operand reader packs
  and unpacks, so that the meaning sees one word.
- `pred`: a predicate.
- `mem`: an address, handed to the meaning as one 64-bit word, base plus offset (32-bit registers are zero-extended).
- `param`: a kernel parameter and a byte offset, handed over as a `ParamRef`.
- `imm`: an integer constant, handed over as an int; `imm:4|8|16`: one of these.
- `size`: a number of bytes or a predicate, handed over as (word, None) or (None, predicate).
- `label`: a branch target, read by the machine only.

A `?` behind a type: an optional operand; as a result, the second of `a|b`, which a meaning always returns.
Types, operand reading and result writing are applied in one place for all domains: `spec.ptx.operands`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spec.ptx.ast import type_width
from spec.ptx.domain import Domain

EXACT, BOUNDED, CONTROL, MEMORY = "exact", "bounded", "control", "memory"


@dataclass(frozen=True)
class Form:
    """One spelling of a row: the parts its opcode has."""

    parts: Mapping[str, str]

    def __getitem__(self, part: str) -> str:
        return self.parts.get(part, "")

    def has(self, part: str) -> bool:
        return bool(self.parts.get(part))

    @property
    def type(self) -> str:
        return self.parts["type"]

    @cached_property
    def width(self) -> int:
        return type_width(self.parts["type"])

    @cached_property
    def signed(self) -> bool:
        return self.parts["type"].startswith("s")


@dataclass(frozen=True)
class ParamRef:
    """The operand of ld.param: a parameter of the kernel and an offset in bytes."""

    name: str
    offset: int


Meaning = Callable[..., Any]


@dataclass(frozen=True)
class Row:
    """One instruction of PTX.

    Args:
        template: the opcodes it spells.
        results: operand types written, in order; a vector destination is `vec:TYPE`.
        sources: operand types read, in order.
        kind: exact, bounded, control or memory: how agreement with hardware is tested.
        section: PTX ISA section of the definition.
        meaning: (domain, form, *source values) -> the results (one value, or a tuple if several). None for control
            rows, which the machines carry out themselves by `control`.
        control: branch, exit, return, trap, barrier, arrive, warp_barrier, fence (orders, has no effect on values):
            what a machine must do. Shuffles, votes and reductions are of kind control but have a meaning.
        contractible: without its `round` part an assembler may fuse this with a neighbour, so that the text fixes
            neither its rounding nor its order.
    """

    template: str
    results: tuple[str, ...]
    sources: tuple[str, ...]
    kind: str
    section: str
    meaning: Meaning | None = None
    control: str = ""
    contractible: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What its opcodes match; made when it is first needed, since a program uses few of the rows."""
        return _compile(self.template)

    @cached_property
    def base(self) -> str:
        return self.template.partition(".")[0].partition("[")[0]

    def match(self, opcode: str) -> Form | None:
        """The form of this opcode, if this row spells it."""
        found = self.pattern.fullmatch(opcode)
        if found is None:
            return None
        return Form({name: value.removeprefix(".") for name, value in found.groupdict().items() if value})


def _compile(template: str) -> re.Pattern[str]:
    def part(match: re.Match[str]) -> str:
        name, alternatives = match.group(2), match.group(3).split("|")
        body = f"(?P<{name}>\\.(?:{'|'.join(re.escape(a) for a in alternatives)}))"
        return body if match.group(1) == "{" else body + "?"

    tokens = re.split(r"(\.?\{\w+:[^}]*\}|\.?\[\w+:[^\]]*\])", template)
    out = []
    for token in tokens:
        inner = re.fullmatch(r"\.?([{\[])(\w+):([^}\]]*)[}\]]", token)
        out.append(part(inner) if inner else re.escape(token))
    return re.compile("".join(out))


__all__ = ["BOUNDED", "CONTROL", "EXACT", "MEMORY", "Domain", "Form", "Meaning", "ParamRef", "Row"]
