"""Bounded rows: Lanes gives the rounded real value, and the special values that the PTX ISA promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from spec.ptx.isa import ROWS, lookup
from spec.ptx.lanes import Lanes
from spec.ptx.row import BOUNDED, Row
from tests.harness.isa_forms import cases
from tests.harness.isa_inputs import operands
from tests.spec import float_oracle as fl
from tests.spec.test_isa_exact import evaluate

BOUNDED_ROWS = [row for row in ROWS if row.kind == BOUNDED]
INF, NINF, NAN, ZERO, NZERO, ONE = "inf", "-inf", "nan", "+0", "-0", Fraction(1)

# Results at exceptional operands (PTX ISA 9.7.3.13 to .22, 9.7.4.9, .10): value in, value out.
SPECIAL: dict[str, dict[str, object]] = {
    "ex2": {NINF: ZERO, NZERO: ONE, ZERO: ONE, INF: INF, NAN: NAN},
    "lg2": {NINF: NAN, NZERO: NINF, ZERO: NINF, INF: INF, NAN: NAN},
    "rcp": {NINF: NZERO, NZERO: NINF, ZERO: INF, INF: ZERO, NAN: NAN},
    "rsqrt": {NINF: NAN, NZERO: NINF, ZERO: INF, INF: ZERO, NAN: NAN},
    "sqrt": {NINF: NAN, NZERO: NZERO, ZERO: ZERO, INF: INF, NAN: NAN},
    "tanh": {NINF: -ONE, NZERO: NZERO, ZERO: ZERO, INF: ONE, NAN: NAN},
    "sin": {NINF: NAN, NZERO: NZERO, ZERO: ZERO, INF: NAN, NAN: NAN},
    "cos": {NINF: NAN, NZERO: ONE, ZERO: ONE, INF: NAN, NAN: NAN},
}

FUNCTIONS: dict[str, Callable[..., float]] = {
    "ex2": lambda x: 2.0**x, "lg2": math.log2, "rcp": lambda x: 1.0 / x, "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "sqrt": math.sqrt, "tanh": math.tanh, "sin": math.sin, "cos": math.cos, "div": lambda x, y: x / y,
}


def _bits(t: str, value: object) -> int:
    if value in (ZERO, NZERO):
        return (value == NZERO) << (fl.WIDTH[t] - 1)
    assert isinstance(value, Fraction | str)
    return fl.encode(t, "rn", value)


@pytest.mark.parametrize("row", [r for r in BOUNDED_ROWS if r.base != "div"], ids=lambda r: r.template)
def test_special_values(row: Row) -> None:
    for case in cases(row):
        t = case.form.type.removesuffix("x2")
        table = SPECIAL[row.base]
        words = [_bits(t, value) for value in table]
        if case.form.type.endswith("x2"):
            words = [w | w << 16 for w in words]
        (got,) = evaluate(case, [np.array(words, np.uint64)])
        for bits, (given, want) in zip(got, table.items(), strict=True):
            for half in range(2 if case.form.type.endswith("x2") else 1):
                found = int(bits) >> 16 * half & ((1 << fl.WIDTH[t]) - 1)
                wanted = _bits(t, want)
                both_nan = fl.is_nan(t, found) and fl.is_nan(t, wanted)
                assert both_nan or found == wanted, f"{case.name}({given}) = {found:#x}, expected {wanted:#x}"


@pytest.mark.parametrize("row", BOUNDED_ROWS, ids=lambda r: r.template)
def test_ordinary_values_are_the_rounded_real_ones(row: Row) -> None:
    """Within one step of the library's value rounded, for results and operands that are normal numbers."""
    for number, case in enumerate(cases(row)):
        t = case.form.type.removesuffix("x2")
        arrays = operands(case.sources, 200, number)
        (got,) = evaluate(case, arrays)
        compared = 0
        for i, bits in enumerate(got):
            words = [int(a[i]) & ((1 << fl.WIDTH[t]) - 1) for a in arrays]
            values = [fl.decode(t, w) for w in words]
            if not all(isinstance(v, Fraction) and abs(v) >= fl.finite(t, 1 << fl.FRACTION[t]) for v in values):
                continue
            numbers = [float(v) for v in values]
            if row.base == "div" and abs(numbers[1]) > 2.0**126:
                continue
            try:
                real = FUNCTIONS[row.base](*numbers)
            except (OverflowError, ValueError, ZeroDivisionError):
                continue
            if abs(real) < float(fl.finite(t, 1 << fl.FRACTION[t])):
                continue
            want = fl.encode(t, "rn", Fraction(real))
            found = int(bits) & ((1 << fl.WIDTH[t]) - 1)
            assert abs(found - want) <= 1, f"{case.name}({words}) = {found:#x}, expected {want:#x}"
            compared += 1
        assert compared >= 20


def _one(opcode: str, *words: int) -> int:
    found = lookup(opcode)
    assert found is not None
    row, form = found
    assert row.meaning is not None
    with np.errstate(all="ignore"):
        return int(row.meaning(Lanes(), form, *(np.asarray(w, np.uint32) for w in words)))


def test_flush_to_zero_of_approximations() -> None:
    tiny, one = 0x00000001, 0x3F800000
    assert _one("ex2.approx.ftz.f32", tiny) == one
    assert _one("ex2.approx.ftz.f32", _bits("f32", Fraction(-127))) == 0
    assert _one("ex2.approx.f32", _bits("f32", Fraction(-127))) == 0x00400000
    assert _one("rcp.approx.ftz.f32", tiny) == 0x7F800000
    assert _one("rcp.approx.ftz.f32", 0x80000001) == 0xFF800000
    assert _one("rcp.approx.ftz.f32", _bits("f32", Fraction(2) ** 127)) == 0
    assert _one("rcp.approx.f32", _bits("f32", Fraction(2) ** 127)) == 0x00400000


def test_division_by_huge_numbers() -> None:
    """PTX ISA 9.7.3.8: for 2^126 < |b| < 2^128 div.approx gives 0, NaN under infinity; div.full does not."""
    huge, one = _bits("f32", Fraction(2) ** 127), 0x3F800000
    assert _one("div.approx.f32", one, huge) == 0
    assert fl.is_nan("f32", _one("div.approx.f32", 0x7F800000, huge))
    assert _one("div.full.f32", huge, huge) == one
