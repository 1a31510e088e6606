"""One-instruction kernels: every row has some, ptxas accepts them, and a comparison of results can fail."""

from __future__ import annotations

import numpy as np
import pytest

from backend.emulator.device import EmulatorDevice
from backend.launch import Prepared
from proofs.ptxas import assemble
from spec.errors import AssemblerRefused
from spec.ptx.isa import ROWS, lookup
from spec.ptx.parser import parse
from spec.ptx.row import BOUNDED, Row
from spec.tensor_core import ADA, HOPPER
from tests.harness.isa_agree import agree, defined, lanes_results, promise
from tests.harness.isa_forms import Case, cases, rows_of_values, spellings
from tests.harness.isa_gpu import RowAgreement, accepted_by_target, accepted_cases, blamed, run_programs
from tests.harness.isa_inputs import corners, operands
from tests.harness.isa_kernels import module_text
from tests.harness.isa_program import SLOT, Program
from tests.harness.isa_programs import programs

TESTABLE = rows_of_values(ROWS)


def by_ptxas(text: str, target: str) -> str:
    try:
        assemble(text, "sm_90", name="kernels")
    except AssemblerRefused as error:
        return str(error)
    return ""


def case_of(opcode: str) -> Case:
    found = lookup(opcode)
    assert found is not None
    return next(c for c in cases(found[0]) if c.instr.opcode == opcode)


@pytest.mark.parametrize("row", TESTABLE, ids=lambda row: row.template[:60])
def test_every_row_has_kernels_that_assemble_and_parse(row: Row) -> None:
    result = RowAgreement(row.template, row.kind, row.section)
    accepted = [case for _, live in accepted_by_target(row, by_ptxas, result) for case in live]
    assert accepted, result.refused
    parse(module_text([(f"k{i}", case) for i, case in enumerate(accepted)], "sm_90"))
    for case in accepted[:3]:
        given = operands(case.sources, 64, 1)
        assert defined(case, given).any()
        results = lanes_results(case, given)
        assert agree(case, given, results, results).wrong == 0


def test_spellings_are_those_the_table_reads() -> None:
    for row in TESTABLE:
        for opcode in spellings(row):
            found = lookup(opcode)
            assert found is not None, opcode
            assert found[0] is row


def test_what_the_assembler_refuses_is_taken_out_and_named() -> None:
    good, bad = case_of("add.u32"), case_of("add.u64")

    def refuses_64(text: str, target: str) -> str:
        lines = [i for i, line in enumerate(text.splitlines(), 1) if "add.u64 %r0" in line]
        return "\n".join(f"ptxas x, line {i}; error   : no such thing" for i in lines)

    live, refused = accepted_cases([good, bad, good], "sm_89", refuses_64)
    assert live == [good, good]
    assert refused == {"add.u64": "no such thing"}


def test_a_refusal_without_a_line_is_found_by_halving() -> None:
    good, bad = case_of("add.u32"), case_of("add.u64")
    live, refused = accepted_cases([good, good, bad], "sm_89", lambda text, target: "bad" * ("add.u64 %r0" in text))
    assert live == [good, good]
    assert list(refused) == ["add.u64"]


def test_blame_counts_from_the_entry_lines() -> None:
    text = module_text([("k0", case_of("add.u32")), ("k1", case_of("sub.u32"))], "sm_89")
    line = next(i for i, part in enumerate(text.splitlines(), 1) if "sub.u32" in part)
    assert blamed(text, f"ptxas app, line {line}; error : wrong\n") == {1: "wrong"}


@pytest.mark.parametrize(
    "opcode", ["add.u32", "mul.wide.s32", "setp.lt.and.s64", "cvt.rn.f16.f32", "fma.rn.f64", "prmt.b32"]
)
def test_one_flipped_bit_of_an_exact_row_disagrees(opcode: str) -> None:
    case = case_of(opcode)
    given = operands(case.sources, 256, 2)
    expected = lanes_results(case, given)
    for bit in (0, 7):
        kind = case.results[0]
        if kind == "pred" and bit:
            continue
        found = [expected[0].copy(), *expected[1:]]
        found[0][-1] ^= np.uint64(1 << bit)
        assert agree(case, given, expected, found).wrong == 1


def test_nan_payloads_do_not_count_and_nan_does() -> None:
    case = case_of("add.rn.f32")
    given = [np.array([0x7FC00001, 0x3F800000], np.uint64)] * 2
    expected = lanes_results(case, given)
    other = [np.array([0xFFFFFFFF, 0x40000000], np.uint64)]
    assert agree(case, given, expected, other).wrong == 0
    assert agree(case, given, expected, [np.array([0x7F800000, 0x40000000], np.uint64)]).wrong == 1
    assert agree(case, given, expected, [np.array([0x7FFFFFFF, 0x7FFFFFFF], np.uint64)]).wrong == 1


@pytest.mark.parametrize(("opcode", "units"), [("ex2.approx.f32", 2), ("rcp.approx.f32", 1), ("div.full.f32", 2)])
def test_a_bounded_row_allows_its_units_and_no_more(opcode: str, units: int) -> None:
    case = case_of(opcode)
    given = [np.full(1, 0x3FA00000, np.uint64)] * len(case.sources)
    expected = lanes_results(case, given)
    inside = agree(case, given, expected, [expected[0] + np.uint64(units)])
    assert inside.wrong == 0
    assert 0.5 < inside.worst_ratio <= 1
    assert agree(case, given, expected, [expected[0] + np.uint64(units + 1)]).wrong == 1


def test_every_bounded_row_has_a_promise() -> None:
    for row in TESTABLE:
        if row.kind == BOUNDED:
            for case in cases(row):
                kind = case.results[0].removesuffix("x2")
                assert promise("div_full" if "full" in case.name else row.base, kind)


def test_undefined_inputs_are_left_out() -> None:
    zero, one, many = (np.full(1, v, np.uint64) for v in (0, 1, 300))
    assert not defined(case_of("div.u32"), [one, zero])[0]
    assert not defined(case_of("rem.s32"), [np.full(1, 0x80000000, np.uint64), np.full(1, 0xFFFFFFFF, np.uint64)])[0]
    assert not defined(case_of("bfe.u32"), [one, many, one])[0]
    assert defined(case_of("bfe.u32"), [one, one, one])[0]
    assert not defined(case_of("sin.approx.f32"), [np.full(1, 0x42C80000, np.uint64)])[0]


def test_operands_depend_on_the_seed_and_hold_the_corners() -> None:
    first, again, other = (operands(("f32",), 4096, seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert set(corners("f32")) <= {int(w) for w in first}


@pytest.mark.parametrize(
    ("opcode", "given", "result"),
    [
        ("testp.normal.f32", (0x80000000,), 1),
        ("testp.normal.f64", (0x0000000000000001,), 0),
        ("mul.rn.ftz.f32", (0x00800000, 0x3F7FFFFF), 0x00000000),
        ("mul.rm.ftz.f32", (0x80800000, 0x3F7FFFFF), 0x80000000),
        ("mul.rn.ftz.f16", (0x0400, 0xBBFF), 0x8000),
        ("div.rn.ftz.f32", (0x3FFFFFFF, 0x7F000000), 0x00000000),
        ("fma.rn.ftz.f16", (0x0401, 0x3FFF, 0x8401), 0x0400),
        ("mul.rz.ftz.f32", (0x00800001, 0x3F7FFFFE), 0x00000000),
        ("mul.rn.f32", (0x00800000, 0x3F7FFFFF), 0x00800000),
        ("fma.rn.f64", (0x7FEFFFFFFFFFFFFE, 0x4000000000000000, 0xFFF0000000000000), 0xFFF0000000000000),
        ("mad.rz.f64", (0x7FEFFFFFFFFFFFFE, 0x4030000000000000, 0xFFF0000000000000), 0xFFF0000000000000),
    ],
)
def test_what_a_gpu_taught_the_table(opcode: str, given: tuple[int, ...], result: int) -> None:
    """Results of an H200 that an earlier table did not give."""
    assert int(lanes_results(case_of(opcode), [np.full(1, word, np.uint64) for word in given])[0][0]) == result


def test_a_conversion_whose_flush_hardware_leaves_out_is_not_in_the_table() -> None:
    assert lookup("cvt.rp.ftz.f16.f32") is None
    assert lookup("cvt.rn.ftz.f16.f32") is not None


def test_every_other_row_has_a_program_that_assembles_and_runs() -> None:
    """On the emulator against itself, a few for each row; that the comparison can fail is tested below."""
    many = ("ld.", "st.", "atom", "red.", "cp.")
    listed = [p for i, p in enumerate(programs()) if i % 23 == 0 or not p.name.startswith(many)]
    listed += {p.templates: p for p in programs()}.values()
    with EmulatorDevice() as device:
        results = run_programs(device, by_ptxas, listed)
    assert not [r for r in results if r.disagreement]
    everything = {template for program in programs() for template in program.templates}
    values = {row.template for row in TESTABLE}
    assert {row.template for row in ROWS} - values == everything - values
    accepted = {template for result in results if not result.refused for template in result.templates}
    assert {row.template for row in ROWS} - values - accepted == set()


def test_a_program_that_leaves_other_memory_disagrees() -> None:
    class Other(EmulatorDevice):
        def launch(self, prepared: Prepared) -> None:
            super().launch(prepared)
            self._view(prepared.regions[1])[SLOT] ^= 1

    program = next(p for p in programs() if p.name == "ld.u32 into 32 bits")
    with Other() as device:
        (result,) = run_programs(device, lambda text, target: "", [program])
    assert result.disagreement.startswith("word 0 of thread 1: ")


def test_programs_are_compared_with_the_tensor_core_of_a_hopper() -> None:
    """1 + 2^-24 - 1 with the last product in the upper half: a Hopper, whose GPU the evidence is of, keeps the middle.

    On a device that adds up as an Ada, which is the emulator's default, the program disagrees.
    """
    body = (
        "and.b32 %r0, %t, 3;", "setp.eq.u32 %p0, %r0, 0;", "mov.b32 %r9, 0;",
        "selp.b32 %r1, 0x0C003C00, %r9, %p0;", "selp.b32 %r2, 0x0000BC00, %r9, %p0;",  # A: 1, 2^-12 and, at k = 8, -1
        "selp.b32 %r3, 0x0C003C00, %r9, %p0;", "selp.b32 %r4, 0x00003C00, %r9, %p0;",  # B: 1, 2^-12 and 1
        "mov.b32 %f0, 0f00000000;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r2, %r2}, {%r3, %r4}, "
        "{%f0, %f0, %f0, %f0};",
        "st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};",
    )  # fmt: skip
    program = Program("P4", (), body, (".reg .f32 %f<8>;",))
    found = []
    for device in (EmulatorDevice(tensor_core=HOPPER), EmulatorDevice(tensor_core=ADA), EmulatorDevice()):
        with device:
            (result,) = run_programs(device, lambda text, target: "", [program])
            found.append(result.disagreement.partition(", from")[0])
    assert found == ["", *["word 0 of thread 0: 0x0, expected 0x3380000033800000"] * 2]
