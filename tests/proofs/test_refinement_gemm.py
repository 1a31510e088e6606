"""Refinement of matrix products: hand-written, pipelined and compiled kernels are the operator's expression, faulty
copies are not, and the message names what they do instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from proofs.refinement_cases import Case
from proofs.verdict import Verdict
from spec.contracts.model import Buffer, Contract, Parameter
from spec.operators import gemm
from spec.operators.formats import Words
from spec.operators.model import KnownAnswer
from spec.tensor_core import MODELS, TensorCore
from tests.proofs.numeric_kernels import CEILINGS, GEMM, GEMM_ADD, GEMM_SHAPES, Kernel, buffers, gemm_case, random_words

KERNELS = Path(__file__).parents[1] / "ptx" / "kernels"
ONE_STEP, FIVE_STEPS, TILES = GEMM.cases[:3]


def test_the_kernel_refines_and_every_instruction_ran() -> None:
    result = GEMM.refine(GEMM.text)
    assert result.verdict is Verdict.PROVED, result.detail
    assert [s.elements for s in result.sizes] == [128, 128, 48 * 24, 128, 0]


# --- faulty copies ----------------------------------------------------------------------------------------------------


def _replace(*edits: tuple[str, str]) -> Callable[[str], str]:
    def edit(text: str) -> str:
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        return text

    return edit


_B_ROW = "mul.wide.u32 %offset, %row, %stride;\n    ld.param.u64 %b_at, [b];"
_MMA = re.compile(r"mma\.sync[^;]*;")
_EPILOGUE = "STORE:\n"


def _row_of_b(change: str) -> Callable[[str], str]:
    return _replace((_B_ROW, f"{change} {_B_ROW.replace('%row', '%power')}"))


def _two_chains(text: str) -> str:
    (mma,) = _MMA.findall(text)
    other = re.sub(r"%c(\d)", r"%d\1", mma)
    both = f"and.b32 %w0, %k, 16; setp.ne.u32 %odd, %w0, 0; @%odd bra ODD; {mma} bra JOIN; ODD: {other} JOIN:"
    declared = text.replace(mma, both).replace("    .reg .pred ", "    .reg .f32 %d<4>; .reg .pred %odd, ", 1)
    zeros = "".join(f"mov.f32 %d{i}, 0f00000000; " for i in range(4))
    added = "".join(f"add.rn.f32 %c{i}, %c{i}, %d{i}; " for i in range(4))
    return declared.replace("mov.u32 %k, 0;", f"mov.u32 %k, 0; {zeros}").replace(_EPILOGUE, f"{_EPILOGUE}{added}")


_DESCENDING = _replace(
    (
        "    // where it goes",
        "sub.u32 %at, %inner, 16; mul.wide.u32 %offset, %at, 2; add.u64 %a_at, %a_at, %offset; "
        "mul.wide.u32 %offset, %at, %stride; shl.b64 %offset, %offset, 1; add.u64 %b_at, %b_at, %offset;\n    //",
    ),
    ("add.u64 %a_at, %a_at, 32;", "sub.u64 %a_at, %a_at, 32;"),
    ("add.u64 %b_at, %b_at, %b_step;", "sub.u64 %b_at, %b_at, %b_step;"),
)


def _in_halves(text: str) -> str:
    """Two instructions of 8 products in place of one of 16."""
    (mma,) = _MMA.findall(text)
    shape = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}"
    parts = (("%a0, %a1", "%b0"), ("%a2, %a3", "%b1"))
    halves = [f"{shape}, {{{a}}}, {{{b}}}, {{%c0, %c1, %c2, %c3}};" for a, b in parts]
    return text.replace(mma, "\n    ".join(halves))


def _binary16_sums(text: str) -> str:
    """C and D in binary16, widened at the end so that the epilogue stays."""
    (mma,) = _MMA.findall(text)
    operands = "{%d0, %d1}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%d0, %d1}"
    short = f"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {operands};"
    widened = "".join(
        f"mov.b32 {{%h0, %h1}}, %d{i}; cvt.f32.f16 %c{2 * i}, %h0; cvt.f32.f16 %c{2 * i + 1}, %h1; " for i in (0, 1)
    )
    declared = text.replace(mma, short).replace("    .reg .pred ", "    .reg .b32 %d<2>; .reg .pred ", 1)
    started = declared.replace("mov.u32 %k, 0;", "mov.u32 %k, 0; mov.b32 %d0, 0; mov.b32 %d1, 0;")
    return started.replace(_EPILOGUE, f"{_EPILOGUE}{widened}")


def _before(line: str, *more: str) -> Callable[[str], str]:
    return _replace((line, "\n    ".join((*more, line))))


_AROUND = _row_of_b("add.u32 %power, %row, 1; and.b32 %power, %power, 15;")
_OTHER_HALF = "xor.b32 %half, %half, 1;"
_COLUMN = _before("mul.wide.u32 %offset, %half, 8;", _OTHER_HALF)
_HALVES = _before("shl.b32 %half, %half, 4;", _OTHER_HALF)
_FROM_1 = _replace(("mov.f32 %c0, 0f00000000;", "mov.f32 %c0, 0f3F800000;"))
_ZERO = _replace(("cvt.rn.f16.f32 %h0, %c0;", "cvt.rz.f16.f32 %h0, %c0;"))
_SCALED = _before("cvt.rn.f16.f32 %h0, %c0;", "mul.f32 %c0, %c0, 0f3F800000;")
_CROSSED = _replace(("{%h0, %h1};", "{%h1, %h0};"))
_LOAD_A, _LOAD_B = "ld.global.v4.b32", "ld.global.v2.b32"
_MMA_F32 = "mma.f16.f32"

# name, edit, the launch that shows it, what is found, the PTX of the line named, what the operator has
MUTANTS = [
    ("b one row up, around within the step", _AROUND, FIVE_STEPS, "input.b.520", _LOAD_B, "input.b.512"),
    ("b one column off", _COLUMN, ONE_STEP, "input.b.4", _LOAD_B, "input.b.0"),
    ("halves of a exchanged", _HALVES, ONE_STEP, "input.a.8", _LOAD_A, "input.a.0"),
    ("b not transposed", _replace((".x2.trans", ".x2")), ONE_STEP, "input.b.1", _LOAD_B, "input.b.8"),
    ("two chains added up", _two_chains, FIVE_STEPS, "fadd.f32.rn", "add.rn.f32 %c0", _MMA_F32),
    ("k descending", _DESCENDING, FIVE_STEPS, "input.a.0", _LOAD_A, "input.a.64"),
    ("eight products at a time", _in_halves, ONE_STEP, _MMA_F32, "mma.sync.aligned.m16n8k8", _MMA_F32),
    ("sums in binary16", _binary16_sums, FIVE_STEPS, "fconvert.f16.f32", "cvt.f32.f16 %c0", _MMA_F32),
    ("sums start at 1", _FROM_1, ONE_STEP, "const.32.0x3f800000", "", "const.32.0x0"),
    ("conversion toward zero", _ZERO, ONE_STEP, "fconvert.f32.f16.rz", "cvt.rz.f16.f32", "fconvert.f32.f16.rn"),
    ("a scale without a rounding", _SCALED, ONE_STEP, "fmul.f32.-", "mul.f32", _MMA_F32),
    ("results of a row exchanged", _CROSSED, ONE_STEP, "input.b.1", _LOAD_B, "input.b.0"),
]


@pytest.mark.parametrize(("name", "edit", "case", "found", "line", "wanted"), MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_faulty_copy_is_refuted_and_said_how(
    name: str, edit: Callable[[str], str], case: Case, found: str, line: str, wanted: str
) -> None:
    text = edit(GEMM.text)
    result = GEMM.refine(text, (case,))
    assert result.verdict is Verdict.REFUTED, name
    assert result.counterexample is not None
    assert str(result.counterexample["found"]).startswith(found), result.detail
    assert str(result.counterexample["expected"]).startswith(wanted), result.detail
    number = result.counterexample["found_line"]
    assert isinstance(number, int)
    assert line in text.splitlines()[number - 1] if line else number == 0
    assert found in result.detail
    assert f"differs first in {found}" in result.detail


FAULTS = [
    ("b one row up", _row_of_b("add.u32 %power, %row, 1;"), "line 89: out-of-bounds: 8 bytes at byte 1280 of b"),
    ("no barrier before ldmatrix", lambda text: text.replace("    bar.sync 0;\n", "", 1), "race"),
    ("starts one step late", _replace(("mov.u32 %k, 0;", "mov.u32 %k, 16;")), "differs first in input.a.48 (line 87)"),
]


@pytest.mark.parametrize(("name", "edit", "says"), FAULTS, ids=[m[0] for m in FAULTS])
def test_what_goes_wrong_at_run_is_said_too(name: str, edit: Callable[[str], str], says: str) -> None:
    result = GEMM.refine(edit(GEMM.text), (FIVE_STEPS,))
    assert result.verdict is Verdict.REFUTED, name
    assert says in result.detail


# --- on the emulator, against the bound -------------------------------------------------------------------------------


def _launches() -> list[KnownAnswer]:
    """Known answers of the operator, put into tiles of zeros, and drawn data."""
    found = []
    for answer in gemm.KNOWN_ANSWERS:
        rows, inner = answer.inputs["a"].shape
        columns = answer.inputs["b"].shape[1]
        up = [-(-rows // 16) * 16, -(-inner // 16) * 16, -(-columns // 8) * 8]
        a, b = np.zeros((up[0], up[1]), np.uint16), np.zeros((up[1], up[2]), np.uint16)
        a[:rows, :inner], b[:inner, :columns] = answer.inputs["a"], answer.inputs["b"]
        found.append(KnownAnswer(answer.name, {"a": a, "b": b}, answer.output))
    drawn = {"a": random_words(1, 32, 256), "b": random_words(2, 256, 24)}
    return [*found, KnownAnswer("drawn", drawn, random_words(3, 1))]


@pytest.mark.parametrize("core", MODELS.values(), ids=MODELS.keys())
def test_the_kernel_stays_within_the_bound_on_the_emulator(core: TensorCore) -> None:
    complaints, worst = GEMM.differ(GEMM.text, _launches(), core)
    assert not complaints
    assert worst <= 1


UNSEEN = ("k descending", "two chains added up")
SEEN = ("b one row up, around within the step", "halves of a exchanged", "sums in binary16", "sums start at 1")


@pytest.mark.parametrize("name", [*SEEN, *UNSEEN])
def test_what_values_show_of_a_faulty_copy(name: str) -> None:
    """Another order of k stays within the bound: only refinement sees it."""
    edit = next(m[1] for m in MUTANTS if m[0] == name)
    complaints, _ = GEMM.differ(edit(GEMM.text), _launches())
    assert bool(complaints) == (name in SEEN), complaints


# --- from a given sum -------------------------------------------------------------------------------------------------


def test_a_product_that_goes_on_from_c_refines_and_stays_within_its_bound() -> None:
    result = GEMM_ADD.refine(GEMM_ADD.text)
    assert result.verdict is Verdict.PROVED, result.detail
    c = np.random.default_rng(6).standard_normal((32, 16)).astype(np.float32).view(np.uint32)
    drawn: dict[str, Words] = {"a": random_words(6, 32, 64), "b": random_words(7, 64, 16), "c": c}
    for core in MODELS.values():
        complaints, worst = GEMM_ADD.differ(GEMM_ADD.text, [KnownAnswer("drawn", drawn, c)], core)
        assert not complaints
        assert 0 < worst <= 1


def test_a_product_to_which_c_is_added_in_the_end_is_another() -> None:
    """Its order is another, with one rounding more."""
    load = "ld.global.v2.f32 {%c0, %c1}, [%c_at];"
    started = f"{load.replace('c0', 'd0').replace('c1', 'd1')} mov.f32 %c0, 0f00000000; mov.f32 %c1, 0f00000000;"
    text = GEMM_ADD.text.replace(load, f".reg .f32 %d<2>; {started}")
    text = text.replace("STORE:\n", "STORE: add.rn.f32 %c0, %c0, %d0; add.rn.f32 %c1, %c1, %d1;\n")
    result = GEMM_ADD.refine(text)
    assert result.verdict is Verdict.REFUTED
    assert "differs first in fadd.f32.rn" in result.detail
    assert "the operator has mma.f16.f32" in result.detail


# --- kernels of others ------------------------------------------------------------------------------------------------


SIZES = {"M": "rows", "N": "columns", "K": "inner", "lda": "a_stride", "ldb": "b_stride", "ldc": "y_stride"}
BUFFERS = {"A": "a", "B": "b", "C": "y"}


def _foreign(name: str, order: tuple[str, ...], spelled: dict[str, str], dynamic_shared: int = 0) -> tuple[Kernel, str]:
    """A test kernel of the prover with tiles of 64 x 64 and steps of 32, under a contract for gemm_f32, and its text.

    Args:
        order: the kernel's parameters.
        spelled: their names in its text, where these are others.
    """
    text = (KERNELS / f"{name}.ptx").read_text()
    ours = {**BUFFERS, **SIZES}
    for parameter in order:
        theirs = spelled.get(parameter, parameter)
        text = re.sub(rf"(?<=[\s\[]){theirs}(?=[\],\s])", ours.get(parameter, parameter), text)
    kinds = dict.fromkeys(SIZES.values(), "u32")
    scratch = tuple(Buffer(p, "f16", ("8",), "r", align=16) for p in order if p not in ours)
    contract = Contract(
        stem=name,
        entry=name,
        parameters=tuple(Parameter(ours.get(p, p), kinds.get(ours.get(p, p), "buffer")) for p in order),
        requires=("rows >= 1 && columns >= 1 && inner % 16 == 0 && a_stride >= inner && b_stride >= columns",),
        buffers=(*buffers(GEMM_SHAPES, "y", y="f32"), *scratch),
        block=(128, 1, 1),
        grid=("ceil_div(columns, 64)", "ceil_div(rows, 64)", "1"),
        outputs=("y",),
        ceilings=CEILINGS,
        operator="gemm_f32",
        dynamic_shared=dynamic_shared,
    )
    cases = tuple(
        Case(c.name, {k: v for k, v in c.values.items() if k != "power_state"})
        for c in (
            gemm_case("part of a tile, five steps", 24, 160, 16, 16, 16, 16),
            gemm_case("a whole tile, one step", 64, 32, 64),
            gemm_case("no step", 16, 0, 16, 16, 0, 0),
        )
    )
    return Kernel(name, contract, cases), text


_ORDER = (*BUFFERS, *SIZES)
FOREIGN = [
    _foreign("gemm", _ORDER, {}),
    _foreign(
        "triton_matmul",
        (*_ORDER, "scratch0", "scratch1"),
        {p: f"triton_matmul_param_{i}" for i, p in enumerate((*_ORDER, "scratch0", "scratch1"))},
        dynamic_shared=24576,
    ),
]


@pytest.mark.parametrize(("kernel", "text"), FOREIGN, ids=[k.name for k, _ in FOREIGN])
def test_pipelined_kernels_refine_the_same_operator(kernel: Kernel, text: str) -> None:
    """Three stages of asynchronous copies, swizzled shared memory, four warps; one of them written by Triton."""
    result = kernel.refine(text)
    assert result.verdict is not Verdict.REFUTED, result.detail
    assert [s.elements for s in result.sizes] == [24 * 16, 64 * 64, 256]
    assert result.verdict is Verdict.PROVED, result.detail


@pytest.mark.parametrize("core", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize(("kernel", "text"), FOREIGN, ids=[k.name for k, _ in FOREIGN])
def test_they_stay_within_the_bound_on_the_emulator(kernel: Kernel, text: str, core: TensorCore) -> None:
    drawn = {"a": random_words(4, 24, 160), "b": random_words(5, 160, 48)}
    complaints, worst = kernel.differ(text, [KnownAnswer("drawn", drawn, np.zeros((24, 48), np.uint32))], core)
    assert not complaints
    assert 0 < worst <= 1
