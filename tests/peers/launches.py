"""Concrete launches of the test kernels, for checkers that run what they check.

Two of each kernel: `ordinary`, sizes that fulfil the flags and leave no room between rows, and, of a faulty one,
`shown`, the launch in which the emulator of `fltc check` saw the fault, with all that its memory held.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from fltc.commands.check import parts
from fltc.kernels import Kernel, examples
from proofs.check.declarations import Declaration, declaration
from proofs.problem import DYNAMIC, shared_variables
from proofs.replay.model import ROOM
from spec.contracts.expr import Compare, Const, Op, Var, evaluate, holds, names, parse_comparisons, parse_expr
from spec.contracts.facts import INTEGERS
from spec.contracts.model import ELEMENT_BYTES, MAX_THREADS
from spec.errors import BadInput
from spec.ptx.ast import Function, Param, type_width
from spec.ptx.parser import parse
from tests.peers.launch import ORDINARY, SHOWN, Argument, Launch, Triple, triple

# Of what is the only extent of a buffer, and of other sizes: several tiles, and no multiple of a warp or a tile.
ONE_SIZE, SIZES = 3000, 200
PREFERRED = (144, 96, 64, 48, 32, 16, 8, 4, 3, 2, 1, 0)
BLOCKS = {"block.x": (256, 128, 64, 32), "block.y": (4, 2, 1), "block.z": (1,)}
GRIDS = {"grid.x": (4, 3, 2, 1), "grid.y": (2, 1), "grid.z": (1,)}
FLOAT = 0.5  # of every parameter that is a float
SMALL = 100  # integers in memory of which nothing is known are below it in an ordinary launch
MAX_STEPS = 200_000


def launches(kernel: Kernel, report: Mapping[str, Any] | None) -> list[Launch]:
    """The launches of a kernel, given its report (of `tests.peers.replayed`) if there is one."""
    asked = Asked(kernel)
    found = [asked.ordinary()]
    example = _example(kernel, report) if report is not None else None
    if example is not None:
        found.append(asked.shown(example))
    return found


def _example(kernel: Kernel, report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The counterexample of the obligation that a kernel breaks, if one was replayed."""
    rows = [row for row in report["rows"] if row["obligation"] == kernel.refuted and row["counterexample"]]
    return next((e for row in rows for e in examples(row["counterexample"]) if e["reproduced"]), None)


class Asked:
    """The flags of a kernel, read for concrete sizes."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        module = parse(kernel.path.read_text("utf-8"), name=kernel.path.name)
        (self.entry,) = module.entries
        flags = list(zip(kernel.flags[::2], kernel.flags[1::2], strict=True))
        given = [value for flag, value in flags if flag == "--names"]
        shown = parts("--names", given[0]) if given else tuple(p.name for p in self.entry.params)
        self.params: dict[str, Param] = dict(zip(shown, self.entry.params, strict=True))
        self.buffers = {d.name: d for d in (declaration(v) for flag, v in flags if flag == "--buffer")}
        self.alone = {n for d in self.buffers.values() if len(d.shape) == 1 for n in names(parse_expr(d.shape[0]))}
        self.covers = [value for flag, value in flags if flag == "--covers"]
        self.facts = [value for flag, value in flags if flag == "--fact"]
        self.assumed = [c for flag, value in flags if flag == "--assume" for c in parse_comparisons(value)]
        self.fixed: dict[str, int] = {}
        self._sizes("block", next((v for flag, v in flags if flag == "--block"), ""))
        self._sizes("grid", next((v for flag, v in flags if flag == "--grid"), ""))
        for axis, size in zip("xyz", _padded(self.entry.directives.get("reqntid", ())), strict=True):
            if self.entry.directives.get("reqntid"):
                self.fixed[f"block.{axis}"] = size
        self._pin_unread()
        dynamic = any(not variable.bytes for variable in shared_variables(module, self.entry))
        if dynamic and not any(DYNAMIC in names(c) for c in self.assumed):
            self.fixed[DYNAMIC] = ROOM  # as the emulator gives
        texts = [parse_expr(text) for d in self.buffers.values() for text in (*d.shape, *d.strides)]
        spoken = {n for tree in (*self.assumed, *texts) for n in names(tree)}
        self.numbers = [n for n, p in self.params.items() if n not in self.buffers and _is_number(p, n in spoken)]

    def _sizes(self, what: str, given: str) -> None:
        for axis, text in zip("xyz", parts(f"--{what}", given) if given else (), strict=False):
            if text.isdigit():
                self.fixed[f"{what}.{axis}"] = int(text)
            else:
                self.assumed.append(Compare("==", Var(f"{what}.{axis}"), parse_expr(text)))

    def _pin_unread(self) -> None:
        """A dimension that is not given and that the entry never reads has size 1 (docs/check.md)."""
        text = " ".join(op for op in _operands(self.entry))
        spoken = {name for c in self.assumed for name in names(c)}
        for what, registers in (("block", ("%tid", "%ntid")), ("grid", ("%ctaid", "%nctaid"))):
            for axis in "xyz":
                read = any(f"{register}.{axis}" in text for register in registers)
                if not read and f"{what}.{axis}" not in {*spoken, *self.fixed} and (what, axis) != ("block", "x"):
                    self.fixed[f"{what}.{axis}"] = 1

    # --- sizes ---
    def solve(self, pinned: Mapping[str, int]) -> dict[str, int]:
        """Values of all sizes that fulfil the assumptions, the preferred ones; BadInput if none were found."""
        spoken = sorted({n for c in self.assumed for n in names(c)} - {*self.numbers, *BLOCKS, *GRIDS, DYNAMIC})
        unknown = [name for name in spoken if name not in self.buffers]
        if unknown:
            raise BadInput(f"{self.kernel.name}: an assumption speaks of {unknown[0]}, which is no parameter here")
        order = self._ordered([*self.numbers, *BLOCKS, *GRIDS, DYNAMIC])
        known = {**self.fixed, **{n: v for n, v in pinned.items() if n in order}}
        steps = iter(range(MAX_STEPS))
        found = self._search([n for n in order if n not in known], known, steps)
        if found is None:
            raise BadInput(f"{self.kernel.name}: found no sizes that fulfil its flags; give it some by hand")
        return found

    def _ordered(self, unknowns: Sequence[str]) -> list[str]:
        """Those that are at least something come after what they are compared with."""
        after = {n: {m for c in self.assumed if _at_least(c, n) is not None for m in names(c)} - {n} for n in unknowns}
        found: list[str] = []
        while len(found) < len(unknowns):
            left = [n for n in unknowns if n not in found]
            found.append(next((n for n in left if after[n] <= {*found, *self.fixed}), left[0]))
        return found

    def _search(
        self, left: Sequence[str], known: dict[str, int], steps: Iterator[int]
    ) -> dict[str, int] | None:
        if next(steps, None) is None or not self._possible(known):
            return None
        if not left:
            return known
        for value in self._candidates(left[0], known):
            found = self._search(left[1:], {**known, left[0]: value}, steps)
            if found is not None:
                return found
        return None

    def _possible(self, known: Mapping[str, int]) -> bool:
        if prod(known.get(name, 1) for name in BLOCKS) > MAX_THREADS:
            return False
        return all(holds(c, known) for c in self.assumed if names(c) <= known.keys())

    def _candidates(self, name: str, known: Mapping[str, int]) -> list[int]:
        exact = [evaluate(c.b, known) for c in self.assumed
                 if c.op == "==" and c.a == Var(name) and names(c.b) <= known.keys()]  # fmt: skip
        if exact:
            return exact[:1]
        least = [evaluate(bound, known) for c in self.assumed
                 if (bound := _at_least(c, name)) is not None and names(bound) <= known.keys()]  # fmt: skip
        tight = sorted({n for n in least if n > 1} if name != DYNAMIC else set(least), reverse=True)
        constants = sorted({n for c in self.assumed if name in names(c) for n in _constants(c)})
        usual = {**BLOCKS, **GRIDS}.get(name, (ONE_SIZE if name in self.alone else SIZES, *PREFERRED))
        usual = (0,) if name == DYNAMIC else usual
        divisors = [16 * -(-n // 16) for n in tight]
        return list(dict.fromkeys([*tight, *divisors, *usual, *constants]))

    # --- launches ---
    def ordinary(self) -> Launch:
        """A launch with drawn memory."""
        sizes = self.solve({})
        return self._launch(ORDINARY, sizes, [self._argument(n, p, sizes) for n, p in self.params.items()])

    def shown(self, example: Mapping[str, Any]) -> Launch:
        """The launch of a counterexample, its memory as it was before the run."""
        pinned = {name: int(value) for name, value in example["parameters"].items() if name in self.numbers}
        pinned |= {f"{what}.{a}": n for what in ("grid", "block") for a, n in zip("xyz", example[what], strict=True)}
        kept = example["launch"]
        sizes = self.solve({**pinned, DYNAMIC: kept["dynamic_shared"]})
        arguments = []
        for name, param in self.params.items():
            drawn, given = self._argument(name, param, sizes), kept["arguments"][param.name]
            if drawn.kind == "buffer":
                held = tuple((offset, text) for offset, text in kept["memory"].get(name, ()))
                drawn = replace(drawn, offset=example["base_offsets"].get(name, 0), exact=True, pieces=held)
            elif drawn.kind == "float":
                drawn = replace(drawn, value=struct.unpack("<f" if drawn.bits == 32 else "<d", bytes.fromhex(given))[0])
            elif drawn.kind == "bytes":
                drawn = replace(drawn, data=given)
            arguments.append(drawn)
        return self._launch(SHOWN, sizes, arguments)

    def _launch(self, which: str, sizes: Mapping[str, int], arguments: Sequence[Argument]) -> Launch:
        block, grid = triple([sizes[n] for n in BLOCKS]), triple([sizes[n] for n in GRIDS])
        return Launch(self.kernel.name, which, self.entry.name, grid, block, sizes[DYNAMIC], tuple(arguments))

    def _argument(self, name: str, param: Param, sizes: Mapping[str, int]) -> Argument:
        declared = self.buffers.get(name)
        if declared is not None:
            return self._buffer(declared, sizes)
        width = type_width(param.type)
        if param.elements is not None:
            return Argument(name, "bytes", param.elements * width)
        if param.type.startswith("f"):
            return Argument(name, "float", width, FLOAT)
        return Argument(name, "number", width, sizes[name]) if name in self.numbers else Argument(name, "null", width)

    def _buffer(self, declared: Declaration, sizes: Mapping[str, int]) -> Argument:
        extents = [evaluate(parse_expr(text), sizes) for text in declared.shape]
        strides = [evaluate(parse_expr(text), sizes) for text in declared.strides]
        if not strides:
            strides = [prod(extents[i + 1:]) for i in range(len(extents) - 1)]
        elements = extents[-1] + sum((n - 1) * s for n, s in zip(extents, strides, strict=False))
        low, high, rising = 0, SMALL if declared.element in INTEGERS else 0, False
        for fact in self.facts:
            within = re.fullmatch(rf"{declared.name}\[[^\]]*\] in \[(.*), (.*)\)", fact)
            if within is not None:
                low, high = (evaluate(parse_expr(text), sizes) for text in within.groups())
            elif fact.startswith(f"{declared.name}["):
                rising = True
        size = max(elements, 0) * ELEMENT_BYTES[declared.element]
        return Argument(
            declared.name, "buffer", 64, bytes=size, element=declared.element, extents=tuple(extents),
            strides=tuple(strides), low=low, high=high, rising=rising, filled="r" in declared.access,
            taken=declared.name in self.covers and elements == prod(extents),
        )  # fmt: skip


def _operands(entry: Function) -> Iterator[str]:
    for instruction in entry.instructions():
        yield str(instruction)


def _is_number(param: Param, spoken: bool) -> bool:
    """Whether a parameter without a declaration is a number; one of 64 bits is if an expression speaks of it."""
    whole = param.elements is None and not param.type.startswith("f") and param.pointer_space is None
    return whole and (spoken or type_width(param.type) < 64)


def _at_least(comparison: Compare, name: str) -> Const | Var | Op | None:
    """What `name` is at least, where a comparison says so."""
    return comparison.b if comparison.op == ">=" and comparison.a == Var(name) else None


def _constants(expr: Compare | Const | Var | Op) -> Iterator[int]:
    if isinstance(expr, Const):
        yield expr.value
    elif not isinstance(expr, Var):
        yield from _constants(expr.a)
        yield from _constants(expr.b)


def _padded(sizes: Sequence[int]) -> Triple:
    return triple((*sizes, 1, 1, 1)[:3])
