"""Kernels with a plausible numerical fault: which check catches each, refinement or the differential harness.

Refinement compares the sequence of operations and catches all of them. The harness sees values only: what stays within
the error bound, or is the same on the emulator, it cannot see, and the table says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from backend import ptx
from backend.emulator.device import EmulatorDevice
from backend.launch import bind
from proofs.refinement import RefinementResult, check_refinement
from proofs.refinement_cases import Case, cases_of
from proofs.verdict import Verdict
from spec.contracts import contracts_of
from spec.operators import operator_of
from spec.operators.model import KnownAnswer
from spec.ptx.parser import parse
from tests.harness.run import Profile, campaign
from tests.harness.strategies import EMULATOR
from tests.proofs.numeric_kernels import SWIGLU, random_words

PROFILE = Profile(25, EMULATOR, widest=4096, shrink=False)
_SIGMOID = re.compile(
    r"mul\.rn\.f32 %t, %x, 0fBFB8AA3B;\s+ex2\.approx\.ftz\.f32 %t, %t;\s+add\.rn\.f32 %t, 0f3F800000, %t;\s+"
    r"rcp\.approx\.ftz\.f32 %t, %t;"
)
_SQUARE = re.compile(r"cvt\.f32\.f16 %x, (%\w+);\s+@(%\w+) fma\.rn\.f32 %sum, %x, %x, %sum;")


def _by_tanh(text: str) -> str:
    """x / (1 + e^-x) = x (1 + tanh(x / 2)) / 2."""
    tanh = "mul.rn.f32 %t, %x, 0f3F000000;\ntanh.approx.f32 %t, %t;\nfma.rn.f32 %t, %t, 0f3F000000, 0f3F000000;"
    return _SIGMOID.sub(tanh, text)


def _squares_in_binary16(text: str) -> str:
    squared = r"mul.rn.f16 %square, \1, \1;\ncvt.f32.f16 %x, %square;\n@\2 add.rn.f32 %sum, %sum, %x;"
    return _SQUARE.sub(squared, text).replace(".reg .b16 ", ".reg .b16 %square, ", 1)


def _eps_outside(text: str) -> str:
    inside = "add.rn.f32 %scale, %scale, %eps;\n    rsqrt.approx.f32 %scale, %scale;"
    assert inside in re.sub(r" +//.*", "", text)
    return re.sub(r" +//.*", "", text).replace(
        inside, "rsqrt.approx.f32 %scale, %scale;\n    add.rn.f32 %scale, %scale, %eps;"
    )


def _replace(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


@dataclass(frozen=True)
class Mutant:
    """An edit of a kernel.

    Args:
        case: number of the launch at which refinement looks.
        node: what refinement names as found, a part of it.
        line: the PTX that stands on the line it names.
        harness: what the harness says of values; empty where it cannot see the fault.
        why: where the harness cannot see it, the reason.
    """

    name: str
    stem: str
    edit: Callable[[str], str]
    case: int
    node: str
    line: str
    harness: str
    why: str = ""


_SAME = "the emulator rounds to nearest where no rounding is given; only a compiler that contracts would show it"

MUTANTS = (
    Mutant("tanh.approx", "silu", _by_tanh, 4, "tanh", "fma.rn.f32 %t", "outside the bound"),
    Mutant("squares in f16", "rmsnorm", _squares_in_binary16, 5, "fmul.f16.rn", "add.rn.f32 %sum", "outside the bound"),
    Mutant("eps outside the root", "rmsnorm", _eps_outside, 5, "param.eps", "add.rn.f32 %scale", "outside the bound"),
    Mutant(
        ".rn dropped in silu", "silu", _replace("add.rn.f32 %t", "add.f32 %t"), 4, "fadd.f32.-", "add.f32 %t", "", _SAME
    ),
    Mutant(
        ".rn dropped in rmsnorm", "rmsnorm", _replace("mul.rn.f32", "mul.f32"), 5, "fmul.f32.-", "mul.f32", "", _SAME
    ),
    Mutant(
        "silu rounded before the gate product", "swiglu",
        _replace(
            "mul.rn.f32 %g, %g, %u;", "cvt.rn.f16.f32 %h, %g;\n    cvt.f32.f16 %g, %h;\n    mul.rn.f32 %g, %g, %u;"
        ),
        0, "fconvert.f16.f32", "cvt.f32.f16 %g", "expected 0x9988 .*outside the bound",
    ),
    Mutant(
        "product in binary16", "swiglu",
        _replace("mul.rn.f32 %g, %g, %u;\n    cvt.rn.f16.f32 %h, %g;",
                 "cvt.rn.f16.f32 %h, %g;\n    .reg .b16 %v;\n    cvt.rn.f16.f32 %v, %u;\n    mul.rn.f16 %h, %h, %v;"),
        0, "fmul.f16.rn", "mul.rn.f16", "expected 0x9988 .*outside the bound",
    ),
)  # fmt: skip


def _text(stem: str) -> str:
    return SWIGLU.text if stem == "swiglu" else ptx.load(stem)


def _refine(stem: str, text: str, case: int) -> RefinementResult:
    if stem == "swiglu":
        return SWIGLU.refine(text, SWIGLU.cases[case : case + 1])
    cases: tuple[Case, ...] = cases_of(stem)[case : case + 1]
    return check_refinement(stem, contracts_of(stem)[0], parse(text, name=f"{stem}.ptx"), cases)


def _differ(stem: str, text: str) -> list[str]:
    if stem == "swiglu":
        drawn = KnownAnswer("drawn", {"gate": random_words(1, 512), "up": random_words(2, 512)}, random_words(3, 512))
        return SWIGLU.differ(text, [*operator_of("swiglu").known_answers, drawn])[0]
    descriptor = bind(contracts_of(stem)[0], parse(text, name=f"{stem} mutant"))
    return campaign(EmulatorDevice("forward"), descriptor, PROFILE, 1, lambda line: None).failures


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_refinement_refutes_it_and_names_line_and_node(mutant: Mutant) -> None:
    text = mutant.edit(_text(mutant.stem))
    assert text != _text(mutant.stem)
    assert _refine(mutant.stem, _text(mutant.stem), mutant.case).verdict is not Verdict.REFUTED
    result = _refine(mutant.stem, text, mutant.case)
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None
    assert mutant.node in str(result.counterexample["found"])
    line = result.counterexample["found_line"]
    assert isinstance(line, int)
    assert mutant.line in text.splitlines()[line - 1]
    assert f"(line {line})" in result.detail
    assert mutant.node in result.detail


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_the_harness_sees_it_or_cannot(mutant: Mutant) -> None:
    assert bool(mutant.harness) != bool(mutant.why)
    complaints = _differ(mutant.stem, mutant.edit(_text(mutant.stem)))
    if mutant.why:
        assert not complaints, "the harness sees it after all: say what it says"
    else:
        assert any(re.search(mutant.harness, c) for c in complaints), complaints


def test_the_unchanged_swiglu_passes_both() -> None:
    result = SWIGLU.refine(SWIGLU.text)
    assert result.verdict is Verdict.PROVED, result.detail
    assert not _differ("swiglu", SWIGLU.text)
