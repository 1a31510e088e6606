"""Exact rows: Lanes gives what the PTX ISA says, for every spelling, on corner values and on drawn ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.ptx.ast import Pair, Reg, type_width
from spec.ptx.floats import WORD
from spec.ptx.isa import ROWS
from spec.ptx.lanes import Lanes
from spec.ptx.reader import Reader
from spec.ptx.row import EXACT, Row
from tests.harness.isa_forms import Case, cases
from tests.harness.isa_inputs import corners, operands
from tests.spec import float_oracle as fl
from tests.spec.isa_oracle import ORACLES, is_float

EXACT_ROWS = [row for row in ROWS if row.kind == EXACT]
TUPLES, TUPLES_OF_MANY = 60, 12


def oracle_of(row: Row) -> Any:
    """The oracle of the longest dotted prefix of the row's template."""
    if ".cc." in row.template or row.base == "madc":
        return ORACLES[row.base + (".cc" if ".cc." in row.template else "")]
    names = row.template.replace("[", ".[").replace("{", ".{").split(".")
    plain = []
    for name in names:
        if name[:1] in ("[", "{"):
            break
        if name:
            plain.append(name)
    for length in range(len(plain), 0, -1):
        found = ORACLES.get(".".join(plain[:length]))
        if found is not None:
            return found
    return None


def evaluate(case: Case, arrays: list[Any]) -> list[Any]:
    """Results of the case's instruction on arrays of operand words, in Lanes."""
    values: dict[str, Any] = {}
    for i, (kind, words) in enumerate(zip(case.sources, arrays, strict=True)):
        register = case.registers[f"%a{i}"]
        values[f"%a{i}"] = words != 0 if kind == "pred" else words.astype(WORD[type_width(register)])
    reader: Reader[Any, Any] = Reader(Lanes(), case.registers, values.__getitem__)
    with np.errstate(all="ignore"):
        written = dict(reader.execute(case.instr, case.row, case.form))
    n = len(arrays[0]) if arrays else 1
    return [np.broadcast_to(written[f"%r{i}"], (n,)) for i in range(len(case.results))]


def constants(case: Case) -> tuple[int, ...]:
    return tuple(o.value for o in case.instr.operands if not isinstance(o, Reg | Pair) and hasattr(o, "value"))


def same(kind: str, got: int, want: int) -> bool:
    """Equal bits; any NaN for a NaN."""
    if kind.endswith("x2"):
        t = kind.removesuffix("x2")
        return all(same(t, got >> s & 0xFFFF, want >> s & 0xFFFF) for s in (0, 16))
    if is_float(kind) and fl.is_nan(kind, want):
        return fl.is_nan(kind, got)
    return got == want


def result_kind(case: Case, index: int) -> str:
    """The type by which a result is compared: that of the form where the row calls it bits."""
    target = case.form["target"] or case.form.parts.get("type", "")
    kind = case.results[index]
    if kind == "b32" and target.endswith("x2") and is_float(target):
        return target
    return kind


def check(case: Case, arrays: list[Any]) -> None:
    oracle = oracle_of(case.row)
    results = evaluate(case, arrays)
    for i in range(len(arrays[0])):
        raw = [int(a[i]) for a in arrays]
        pairs = zip(case.sources, raw, strict=True)
        args = [bool(v) if kind == "pred" else v % (1 << type_width(kind)) for kind, v in pairs]
        want = oracle(case.form, *args, *constants(case))
        wanted = want if isinstance(want, tuple) else (want,)
        for k, expected in enumerate(wanted[: len(results)]):
            kind = result_kind(case, k)
            got = results[k][i]
            width = 1 if kind == "pred" else type_width(kind)
            found = int(got) % (1 << width)
            shown = ", ".join(hex(int(a)) for a in args)
            assert same(kind, found, int(expected)), f"{case.name}({shown}) = {found:#x}, expected {int(expected):#x}"


def test_every_exact_row_has_an_oracle() -> None:
    assert [row.template for row in EXACT_ROWS if oracle_of(row) is None] == []


@pytest.mark.parametrize("row", EXACT_ROWS, ids=lambda r: r.template)
def test_every_spelling_on_corner_values(row: Row) -> None:
    spelled = list(cases(row))
    count = TUPLES if len(spelled) <= 24 else TUPLES_OF_MANY
    for number, case in enumerate(spelled):
        check(case, operands(case.sources, count, number))


def _words(kind: str) -> st.SearchStrategy[int]:
    width = 1 if kind == "pred" else type_width(kind)
    return st.one_of(st.sampled_from(corners(kind)), st.integers(0, (1 << width) - 1), st.integers(0, min(width, 70)))


@pytest.mark.parametrize("row", EXACT_ROWS, ids=lambda r: r.template)
def test_drawn_values(row: Row) -> None:
    spelled = list(cases(row))

    @settings(max_examples=25, deadline=None, database=None, derandomize=True)
    @given(st.data())
    def drawn(data: st.DataObject) -> None:
        case = data.draw(st.sampled_from(spelled))
        rows = data.draw(st.lists(st.tuples(*(_words(k) for k in case.sources)), min_size=1, max_size=4))
        check(case, [np.array(column, np.uint64) for column in zip(*rows, strict=True)])

    drawn()
