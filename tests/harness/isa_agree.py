"""Do two executions of one instruction agree? Bit for bit for exact rows, within the documented error for bounded ones.

Any NaN equals any NaN of the same format: which one an operation returns is not documented.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.approximations import TABLE
from spec.ptx.ast import type_width
from spec.ptx.lanes import Lanes
from spec.ptx.reader import Reader
from spec.ptx.row import BOUNDED
from tests.harness.isa_forms import Case

Words = npt.NDArray[np.uint64]
Reals = npt.NDArray[np.float64]

# fraction bits, exponent of the smallest normal, exponent of the largest
_FORMATS = {"f16": (10, -14, 15), "bf16": (7, -126, 127), "f32": (23, -126, 127), "f64": (52, -1022, 1023)}


@dataclass(frozen=True)
class Promise:
    """The documented error of an approximation: `units` of the last place, `relative`, and `absolute`, added up.

    `subnormal_units` are allowed besides where the result is subnormal: no relative error can be promised there.
    """

    units: float = 0.0
    relative: float = 0.0
    absolute: float = 0.0
    subnormal_units: float = 0.0


def promise(name: str, kind: str) -> Promise:
    """PTX ISA 9.7.3 and 9.7.4; for binary32, what spec.approximations states where it does. KeyError for others."""
    if kind == "f32" and name in TABLE:
        entry = TABLE[name]
        if entry.units:
            return Promise(units=entry.units)
        return Promise(relative=float(entry.relative), absolute=float(entry.near_one))
    return {
        ("sin", "f32"): Promise(absolute=2.0**-20.5),
        ("cos", "f32"): Promise(absolute=2.0**-20.5),
        ("div", "f32"): Promise(units=2),
        ("div_full", "f32"): Promise(units=2),
        ("ex2", "f16"): Promise(relative=2.0**-9.9, subnormal_units=1),
        ("ex2", "bf16"): Promise(relative=2.0**-7),
        ("tanh", "f16"): Promise(absolute=2.0**-10.987),
        ("tanh", "bf16"): Promise(absolute=2.0**-8),
    }[name, kind]


@dataclass(frozen=True)
class Agreement:
    """Of one case: inputs compared, how many disagree, the first in words, worst error/promise (bounded rows)."""

    inputs: int
    wrong: int
    first: str
    worst_ratio: float


def lanes_results(case: Case, operands: list[Words]) -> list[Words]:
    """What the instruction's one meaning gives on these operands, in the registers of the kernel (bits, widened)."""
    count = len(operands[0]) if operands else 1
    held = {f"%a{i}": _as_register(case.registers[f"%a{i}"], words) for i, words in enumerate(operands)}
    reader: Reader[Any, Any] = Reader(Lanes(), case.registers, held.__getitem__)
    with np.errstate(all="ignore"):
        written = dict(reader.execute(case.instr, case.row, case.form))
    return [np.broadcast_to(written[f"%r{i}"], (count,)).astype(np.uint64) for i in range(len(case.results))]


def defined(case: Case, operands: list[Words]) -> npt.NDArray[np.bool_]:
    """Inputs for which the ISA fixes a result, or promises an error for it."""
    count = len(operands[0]) if operands else 1
    good = np.ones(count, np.bool_)
    base, kind = case.row.base, case.sources[0] if case.sources else ""
    integer = kind[:1] in ("u", "s") and kind[1:].isdigit()
    if base in ("div", "rem") and integer:
        mask = np.uint64((1 << type_width(kind)) - 1)
        good &= (operands[1] & mask) != 0  # unspecified (PTX ISA 9.7.1.8)
        if kind.startswith("s"):
            least = np.uint64(1 << (type_width(kind) - 1))
            good &= ~((operands[0] & mask == least) & (operands[1] & mask == mask))  # the quotient does not fit
    if base in ("bfe", "bfi"):
        for words in operands[-2:]:  # position and length are restricted to 0..255 (PTX ISA 9.7.1.19, .20)
            good &= words & np.uint64(0xFFFFFFFF) <= 255
    if case.row.kind == BOUNDED and base in ("sin", "cos"):
        good &= np.abs(_values("f32", operands[0])) <= np.pi
    if case.instr.opcode.startswith("div.approx"):
        divisor = np.abs(_values("f32", operands[1]))
        good &= (divisor >= 2.0**-126) & (divisor <= 2.0**126)
    return good


def agree(case: Case, operands: list[Words], expected: list[Words], found: list[Words]) -> Agreement:
    """Compare two executions where the result is defined."""
    good = defined(case, operands)
    wrong, worst = np.zeros(len(good), np.bool_), 0.0
    for kind, want, got in zip(case.results, expected, found, strict=True):
        for want_part, got_part, part_kind in _parts(case, kind, want, got):
            bad, ratio = _compare(case, part_kind, want_part, got_part)
            wrong |= bad
            worst = max(worst, float(ratio[good].max(initial=0.0)))
    wrong &= good
    first = ""
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        shown = ", ".join(f"{int(words[i]):#x}" for words in operands)
        first = f"({shown}) -> {[hex(int(w[i])) for w in found]}, expected {[hex(int(w[i])) for w in expected]}"
    return Agreement(int(good.sum()), int(wrong.sum()), first, worst)


def _compare(case: Case, kind: str, want: Words, got: Words) -> tuple[npt.NDArray[np.bool_], Reals]:
    """(wrong, error as a part of the promise) of each result."""
    nothing = np.zeros(want.shape)
    if kind not in _FORMATS:
        return want != got, nothing
    a, b = _values(kind, want), _values(kind, got)
    both_nan = np.isnan(a) & np.isnan(b)
    if case.row.kind != BOUNDED:
        return (want != got) & ~both_nan, nothing
    ratio = _ratio(promise(_promise_name(case), kind), kind, case.form.has("ftz"), a, b)
    ratio = np.where(both_nan | (want == got), 0.0, np.where(np.isnan(a) | np.isnan(b), np.inf, ratio))
    return ratio > 1.0, np.where(np.isfinite(ratio), ratio, 0.0)


def _promise_name(case: Case) -> str:
    return "div_full" if case.instr.opcode.startswith("div.full") else case.row.base


def _ratio(p: Promise, kind: str, ftz: bool, a: Reals, b: Reals) -> Reals:
    """|a - b| as a part of the promise around a, the correctly rounded value; infinities count as one step too far."""
    fraction, least, most = _FORMATS[kind]
    limit = 2.0 ** (most + 1)
    a, b = (np.where(np.isinf(v), np.copysign(limit, v), v) for v in (a, b))
    with np.errstate(divide="ignore"):
        exponent = np.where(a == 0, least, np.floor(np.log2(np.where(a == 0, 1.0, np.abs(a)))))
    unit = 2.0 ** (np.maximum(exponent, least) - fraction)
    allowed = (p.units + 0.5) * unit + p.relative * np.abs(a) + p.absolute
    allowed = allowed + p.subnormal_units * unit * (np.abs(a) < 2.0**least)
    if ftz or kind == "bf16":
        allowed = allowed + 2.0**least * (np.abs(a) < 2.0 ** (least + 1))
    share: Reals = np.abs(a - b) / allowed
    return share


def _parts(case: Case, kind: str, want: Words, got: Words) -> list[tuple[Words, Words, str]]:
    """A result as its formats: packed pairs as two, packed conversions by the target they name."""
    target = case.form["target"] or kind
    packed = target if kind == "b32" and target.endswith("x2") else kind
    if not packed.endswith("x2"):
        return [(want, got, kind)]
    half, low = packed.removesuffix("x2"), np.uint64(0xFFFF)
    return [(want & low, got & low, half), (want >> np.uint64(16), got >> np.uint64(16), half)]


def _values(kind: str, words: Words) -> Reals:
    if kind == "bf16":
        return (words.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    float_of: dict[str, Callable[[Words], Reals]] = {
        "f16": lambda w: w.astype(np.uint16).view(np.float16).astype(np.float64),
        "f32": lambda w: w.astype(np.uint32).view(np.float32).astype(np.float64),
        "f64": lambda w: w.astype(np.uint64).view(np.float64),
    }
    with np.errstate(all="ignore"):
        values: Reals = float_of[kind](words)
    return values


def _as_register(register: str, words: Words) -> npt.NDArray[Any]:
    if register == "pred":
        return np.asarray(words != 0)
    return words.astype(f"u{type_width(register) // 8}")
