"""Refinement: the shipped PTX is the operator's expression at the checked sizes, and edited copies are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from proofs.refinement import RefinementResult, check_refinement, shown
from proofs.refinement_cases import Case, cases_of
from proofs.verdict import Verdict
from spec.contracts import STEMS, contracts_of
from spec.errors import BadInput, ContractViolation, MissingPart
from spec.operators.build import ONE, add
from spec.ptx.node import input_element
from spec.ptx.parser import parse

PTX = Path(__file__).parents[2] / "backend" / "ptx"


def _text(stem: str) -> str:
    return (PTX / f"{stem}.ptx").read_text()


def _check(stem: str, text: str, cases: tuple[Case, ...] | None = None) -> RefinementResult:
    return check_refinement(stem, contracts_of(stem)[0], parse(text, name=f"{stem}.ptx"), cases)


@cache
def _shipped(stem: str) -> RefinementResult:
    return _check(stem, _text(stem))


@pytest.mark.parametrize("stem", STEMS)
def test_shipped_ptx_refines_and_every_instruction_ran(stem: str) -> None:
    result = _shipped(stem)
    assert result.verdict is Verdict.PROVED, result.detail
    assert result.lines_missed == ()
    assert result.detail.startswith("refines at sizes (")
    assert [r.case for r in result.sizes] == list(cases_of(stem))
    assert all(r.elements > 0 or r.case.power != 0 for r in result.sizes)


@pytest.mark.parametrize("stem", STEMS)
def test_artifact_is_deterministic_json_that_claims_no_more(stem: str) -> None:
    small = cases_of(stem)[-3:]
    first, second = _check(stem, _text(stem), small), _check(stem, _text(stem), small)
    assert first.to_artifact() == second.to_artifact()
    content = json.loads(_shipped(stem).to_artifact())
    assert content["verdict"] == "proved"
    assert content["claim"] == "refines at the sizes listed, not for all sizes"
    assert [s["elements"] for s in content["sizes"]] == [s.elements for s in _shipped(stem).sizes]
    assert len({s["digest"] for s in content["sizes"]}) == len(content["sizes"])


@pytest.mark.parametrize("stem", STEMS)
def test_sizes_that_leave_a_path_out_are_unknown_with_its_lines(stem: str) -> None:
    result = _check(stem, _text(stem), cases_of(stem)[-3:])
    assert result.verdict is Verdict.UNKNOWN
    assert result.lines_missed
    assert f"lines {result.lines_missed[0]}, " in result.detail


# --- edited copies: the sizes at which the edit shows, and what the message names -------------------------------------

RMS, SILU = cases_of("rmsnorm"), cases_of("silu")
_WARP = Case("a vector for each lane of a warp", {"rows": 1, "columns": 256, "x_stride": 256, "y_stride": 256})


def _swap(text: str, first: str, second: str) -> str:
    """Exchange two instructions that stand next to each other, whatever is between them on their lines."""
    assert first in text
    assert second in text
    return text.replace(first, "\0", 1).replace(second, first, 1).replace("\0", second, 1)


def _eps_outside_the_root(text: str) -> str:
    return _swap(text, "add.rn.f32 %scale, %scale, %eps;", "rsqrt.approx.f32 %scale, %scale;")


def _squares_in_binary16(text: str) -> str:
    tail = "cvt.f32.f16 %x, %x_tail;\n    @%owns_tail fma"
    assert tail in text
    squared = (
        "mul.rn.f16 %xh0, %x_tail, %x_tail;\n    cvt.f32.f16 %x, %xh0;\n    @%owns_tail add.rn.f32 %sum, %sum, %x;\n"
        "    cvt.f32.f16 %x, %x_tail;\n    @%owns_tail fma"
    )
    edited = text.replace(tail, squared, 1)
    return edited.replace("@%owns_tail fma.rn.f32 %sum, %x, %x, %sum;", "", 1)


def _next_row(text: str) -> str:
    line = "mul.wide.u32 %offset, %row, %stride;"
    assert text.count(line) == 2
    return text.replace(line, f"add.u32 %stride, %stride, 1;\n    {line}", 1)


def _replace(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


MUTANTS = [
    ("eps outside the root", "rmsnorm", _eps_outside_the_root, RMS[4], "param.eps"),
    ("squares in binary16", "rmsnorm", _squares_in_binary16, RMS[6], "fmul.f16"),
    ("row off by one element per row", "rmsnorm", _next_row, RMS[6], ""),
    ("rounding dropped in the scale", "rmsnorm", _replace("add.rn.f32 %scale", "add.f32 %scale"), RMS[7], "fadd.f32.-"),
    (
        "rounding dropped in the product",
        "silu",
        _replace("mul.rn.f32 %x, %x, %t;", "mul.f32 %x, %x, %t;"),
        SILU[0],
        "fmul.f32.-",
    ),
    (
        "multiply then add",
        "rmsnorm",
        _replace("fma.rn.f32 %sum, %x, %x, %sum;", "mul.rn.f32 %sum, %x, %x;"),
        RMS[5],
        "fm",
    ),
    (
        "order of the warp's sum",
        "rmsnorm",
        lambda text: _swap(text, "%other, %sum, 16, 31", "%other, %sum, 8, 31"),
        _WARP,
        "differs first",
    ),
    (
        "order of the sums of warps",
        "rmsnorm",
        _replace("add.rn.f32 %part0, %part0, %part1;", "add.rn.f32 %part0, %part1, %part0;"),
        RMS[5],
        "differs first",
    ),
    (
        "order within a thread",
        "rmsnorm",
        lambda text: _swap(text, "cvt.f32.f16 %x, %xh0;", "cvt.f32.f16 %x, %xh1;"),
        RMS[5],
        "input.x",
    ),
    ("mean by an approximate quotient", "rmsnorm", _replace("div.rn.f32", "div.full.f32"), RMS[7], "div_full"),
    ("flushed root", "rmsnorm", _replace("rsqrt.approx.f32", "rsqrt.approx.ftz.f32"), RMS[7], "rsqrt.f32.True"),
    ("tanh for ex2", "silu", _replace("ex2.approx.ftz.f32", "tanh.approx.f32"), SILU[0], "tanh"),
    ("ex2 keeps subnormals", "silu", _replace("ex2.approx.ftz.f32", "ex2.approx.f32"), SILU[0], "ex2.f32.False"),
    ("another constant", "silu", _replace("0fBFB8AA3B", "0fBFB8AA3C"), SILU[0], "const.32.0xbfb8aa3c"),
    ("saturating conversion", "silu", _replace("cvt.rn.f16.f32", "cvt.rn.satfinite.f16.f32"), SILU[0], "satfinite"),
    ("round toward zero", "silu", _replace("cvt.rn.f16.f32", "cvt.rz.f16.f32"), SILU[0], "fconvert.f32.f16.rz"),
    ("power gate inverted", "silu", _replace("setp.ne.u32 %inactive", "setp.eq.u32 %inactive"), SILU[4], "not written"),
    ("power gate removed", "silu", _replace("@%inactive bra EXIT;", ""), SILU[6], "should not be"),
    (
        "store one element on",
        "silu",
        _replace("st.global.b16 [%y_at], %h0;", "st.global.b16 [%y_at+2], %h0;"),
        SILU[5],
        "",
    ),
]


@pytest.mark.parametrize(("name", "stem", "edit", "case", "names"), MUTANTS, ids=[m[0] for m in MUTANTS])
def test_edited_ptx_is_refuted(name: str, stem: str, edit: Callable[[str], str], case: Case, names: str) -> None:
    """Each edit is refuted at a size that reaches it, at which the shipped text is not."""
    original = _check(stem, _text(stem), (case,))
    assert original.verdict is not Verdict.REFUTED
    result = _check(stem, edit(_text(stem)), (case,))
    assert result.verdict is Verdict.REFUTED, name
    assert names in result.detail
    assert result.counterexample is not None
    assert result.counterexample["values"] == dict(case.values)
    json.loads(result.to_artifact())


def test_a_refutation_names_element_store_and_first_difference() -> None:
    text = _text("silu")
    edited = _replace("ex2.approx.ftz.f32", "ex2.approx.f32")(text)
    result = _check("silu", edited, (SILU[0],))
    line = next(i for i, t in enumerate(edited.splitlines(), 1) if "ex2.approx.f32" in t)
    assert result.counterexample is not None
    assert result.counterexample["element"] == "y[0]"
    assert result.counterexample["found_line"] == line
    assert f"(line {line})" in result.detail
    assert str(result.counterexample["expected"]).startswith("approximate.ex2.f32.True(")
    store = result.counterexample["store_line"]
    assert isinstance(store, int)
    assert "st.global" in edited.splitlines()[store - 1]


def test_what_cannot_be_asked_is_refused() -> None:
    contract = contracts_of("silu")[0]
    module = parse(_text("silu"), name="silu.ptx")
    with pytest.raises(BadInput, match=r"no sizes to check; add them to proofs/refinement_cases/silu\.py"):
        check_refinement("silu", contract, module, ())
    with pytest.raises(MissingPart, match=r"gelu: there is no proofs/refinement_cases/gelu\.py; write it, with CASES"):
        check_refinement("gelu", contract, module)
    with pytest.raises(ContractViolation, match="n >= 1"):
        check_refinement("silu", contract, module, (Case("empty", {"n": 0}),))


def test_an_unknown_instruction_is_unknown_by_line() -> None:
    unknown = "vabsdiff4.u32.u32.u32 %thread, %thread, %thread, %thread;"
    edited = _replace("    ret;", f"    {unknown}\n    ret;")(_text("silu"))
    line = next(i for i, t in enumerate(edited.splitlines(), 1) if "vabsdiff4" in t)
    result = _check("silu", edited, (SILU[0],))
    assert result.verdict is Verdict.UNKNOWN
    assert f"line {line}: instruction vabsdiff4" in result.detail


def test_integer_arithmetic_on_floats_is_unknown_by_line() -> None:
    edited = _replace("ex2.approx.ftz.f32 %t, %t;", "xor.b32 %t, %t, 1;")(_text("silu"))
    result = _check("silu", edited, (SILU[0],))
    assert result.verdict is Verdict.UNKNOWN
    assert "integer arithmetic on a floating value" in result.detail


def test_known_bits_beside_a_float_cancel_in_an_exclusive_or() -> None:
    """The 1 of 1 + e, packed with a float, is taken away by xor: 0 + e is not the operator's sum."""
    gone = """{ .reg .b64 %pair; .reg .b32 %one, %rest; mov.b32 %one, 0x3F800000; mov.b64 %pair, {%one, %x};
    xor.b64 %pair, %pair, OTHER; mov.b64 {%one, %rest}, %pair; add.rn.f32 %t, %one, %t; }"""
    for other, verdict in (("0", Verdict.PROVED), ("0x3F800000", Verdict.REFUTED)):
        text = _text("silu").replace("add.rn.f32 %t, 0f3F800000, %t;", gone.replace("OTHER", other))
        result = _check("silu", text, SILU)
        assert result.verdict is verdict, result.detail
    assert "differs first in const.32.0x0" in result.detail


def test_a_barrier_that_threads_miss_and_an_unwritten_register_are_faults() -> None:
    missed = _replace("    bar.sync 0;", "    @%is_first bra EXIT;\n    bar.sync 0;")(_text("rmsnorm"))
    result = _check("rmsnorm", missed, (RMS[7],))
    assert result.verdict is Verdict.REFUTED
    assert "barrier-divergence" in result.detail
    unset = _replace("    mov.f32 %sum, 0f00000000;\n", "")(_text("rmsnorm"))
    result = _check("rmsnorm", unset, (RMS[5],))
    assert result.verdict is Verdict.REFUTED
    assert "%sum is read and was never written" in result.detail


def test_expressions_are_shown_to_a_depth() -> None:
    assert shown(add(add(ONE, input_element("x", 3)), ONE), 1) == "fadd.f32.rn.False.False(...)"
    assert "input.x.3" in shown(add(add(ONE, input_element("x", 3)), ONE))
