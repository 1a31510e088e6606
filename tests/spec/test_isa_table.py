"""The instruction table itself: no opcode twice, every opcode found again, names a reader of PTX expects."""

from __future__ import annotations

import pytest

from spec.ptx import isa
from spec.ptx.isa import ROWS, lookup
from spec.ptx.row import EXACT, Row
from tests.harness.isa_forms import spellings


def test_no_opcode_is_spelled_by_two_rows() -> None:
    seen: dict[str, Row] = {}
    for row in ROWS:
        for opcode in spellings(row):
            assert opcode not in seen, f"{opcode}: {row.template} and {seen[opcode].template}"
            seen[opcode] = row
    assert len(seen) > 10_000


def test_two_rows_for_one_opcode_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = Row("popc.{type:b32}", ("u32",), ("{type}",), EXACT, "9.7.1.14", lambda x, f, a: a)
    monkeypatch.setattr(isa, "_rows_by_base", lambda: {"popc": (*[r for r in ROWS if r.base == "popc"], twin)})
    lookup.cache_clear()
    with pytest.raises(ValueError, match=r"popc\.b32 is spelled by 2 rows"):
        lookup("popc.b32")
    lookup.cache_clear()


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.template[:60])
def test_rows_name_a_section_and_a_meaning(row: Row) -> None:
    assert row.section.startswith("9.7.")
    assert (row.meaning is None) == bool(row.control)


@pytest.mark.parametrize(
    "opcode",
    [
        "ld.global.nc.L1::no_allocate.L2::128B.v4.u32", "ld.global.nc.v4.f32", "st.global.cs.v4.b32", "cvt.rn.f16.f32",
        "cvt.f32.f16", "mad.lo.s32", "bar.sync", "barrier.sync.aligned", "shfl.sync.bfly.b32", "ex2.approx.ftz.f32",
        "div.full.f32", "cvt.rn.f16x2.f32", "ld.global.L1::evict_last.L2::cache_hint.v4.b32", "bfe.u32",
        "setp.ge.or.s32", "atom.global.add.u32", "red.relaxed.gpu.global.add.f32", "atom.shared.cas.b32",
        "fma.rn.f16x2", "cvta.to.global.u64", "st.shared.v2.b32", "mul.f32", "ld.v2.u8",
    ],
)
def test_opcodes_of_compilers_are_known(opcode: str) -> None:
    found = lookup(opcode)
    assert found is not None
    assert found[0].match(opcode) == found[1]


@pytest.mark.parametrize(
    ("opcode", "ordered"),
    [
        ("atom.global.cta.add.u32", "atom.cta.global.add.u32"),
        ("atom.global.sys.relaxed.cas.b32", "atom.relaxed.sys.global.cas.b32"),
        ("red.shared.gpu.add.u32", "red.gpu.shared.add.u32"),
        ("ld.global.acquire.gpu.u32", "ld.acquire.gpu.global.u32"),
        ("st.shared.volatile.v2.f32", "st.volatile.shared.v2.f32"),
    ],
)
def test_parts_of_an_access_may_stand_in_any_order(opcode: str, ordered: str) -> None:
    assert lookup(opcode) is not None
    assert lookup(opcode) == lookup(ordered)


@pytest.mark.parametrize(
    "opcode",
    [
        "atom.global.global.add.u32", "ld.cta.cta.u32", "add.u33", "atom.global.sub.u32", "mma.sync",
        "ld.global.v3.u32", "cvt.ftz.s32.s32", "",
    ],
)
def test_other_opcodes_are_unknown(opcode: str) -> None:
    assert lookup(opcode) is None


def test_operations_an_assembler_may_contract_are_marked() -> None:
    for opcode in ("add.f32", "mul.f64", "sub.f16", "add.rn.f32"):
        found = lookup(opcode)
        assert found is not None
        assert found[0].contractible
    fused = lookup("fma.rn.f32")
    assert fused is not None
    assert not fused[0].contractible
