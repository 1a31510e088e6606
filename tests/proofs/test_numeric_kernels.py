"""The small kernels of operators that none is shipped for: refinement, and values on the emulator."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.verdict import Verdict
from spec.operators import operator_of
from spec.operators.model import KnownAnswer, raw
from tests.proofs.numeric_kernels import COPY, COPY_PLANES, DEQUANT, RESIDUAL, ROPE, SWIGLU, Kernel, random_words

KERNELS = {k.name: k for k in (COPY, RESIDUAL, ROPE, SWIGLU, *DEQUANT.values())}
"""GEMM has tests of its own, test_refinement_gemm.py."""


def _answers(kernel: Kernel) -> list[KnownAnswer]:
    """Known answers that are launches of the contract: the copy of an odd number of elements is not."""
    answers = operator_of(kernel.contract.operator).known_answers
    if kernel is not COPY:
        return list(answers)
    return [KnownAnswer(a.name, {"x": a.inputs["x"][:8]}, a.output[:8], bitwise=True) for a in answers]


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_it_refines_its_operator(kernel: Kernel) -> None:
    result = kernel.refine(kernel.text)
    assert result.verdict is Verdict.PROVED, result.detail


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_its_values_are_allowed(kernel: Kernel) -> None:
    complaints, worst = kernel.differ(kernel.text, _answers(kernel))
    assert not complaints
    assert worst <= 1


# kernel, old text, new text, whether values show it
MUTANTS = [
    (RESIDUAL, "cvt.rn.f16.f32", "cvt.rz.f16.f32", True),
    (RESIDUAL, "add.rn.f32 %x, %x, %r;\n    cvt.rn.f16.f32 %h, %x;",
     ".reg .b16 %v; cvt.rn.f16.f32 %v, %x; add.rn.f16 %h, %v, %h;", False),
    (COPY, "st.global.b32 [%at], %w;", ".reg .b16 %v, %u; mov.b32 {%v, %u}, %w; add.rn.f16 %v, %v, 0x8000; "
     "mov.b32 %w, {%v, %u}; st.global.b32 [%at], %w;", True),
    (DEQUANT["dequant_q4_0"], "and.b32 %k, %q, 15;", "and.b32 %k, %q, 7;", True),
    (DEQUANT["dequant_q4_k"], "ld.global.u8 %k, [%at+0];", "ld.global.u8 %k, [%at+4];", True),
    (DEQUANT["dequant_q4_k"], "mul.rn.f32 %mn, %dmin, %mn;\n    sub.rn.f32 %f, %f, %mn;",
     "neg.f32 %mn, %mn;\n    fma.rn.f32 %f, %mn, %dmin, %f;", False),
    (ROPE, "add.u64 %x_at, %x_at, %other;", "add.u64 %x_at, %x_at, 2;", True),
    (ROPE, "mul.rn.f32 %t, %x1, %s;\n    fma.rn.f32 %r2, %x2, %c, %t;",
     "mul.rn.f32 %t, %x2, %c;\n    fma.rn.f32 %r2, %x1, %s, %t;", False),
]  # fmt: skip


NAMES = [f"{kernel.name}-{i}" for i, (kernel, *_) in enumerate(MUTANTS)]


@pytest.mark.parametrize(("kernel", "old", "new", "seen"), MUTANTS, ids=NAMES)
def test_what_refinement_and_values_show_of_a_faulty_copy(kernel: Kernel, old: str, new: str, seen: bool) -> None:
    """The unseen ones: addition in binary16, which is the same function; fma over exact products; the other order of a
    rotation, which is not, but stays within the bound."""
    assert old in kernel.text
    text = kernel.text.replace(old, new)
    assert kernel.refine(text).verdict is Verdict.REFUTED
    complaints, _ = kernel.differ(text, _answers(kernel))
    assert bool(complaints) == seen, complaints


def test_an_output_that_is_not_written_and_a_write_past_the_end_are_seen_in_elements_of_4_bytes() -> None:
    kernel = DEQUANT["dequant_q4_0"]
    x = {"x": np.zeros(18, np.uint8)}
    unwritten = kernel.text.replace("st.global.f32 [%y_at+64], %f;", "")
    complaints, _ = kernel.differ(unwritten, [KnownAnswer("zeros", x, np.zeros(32, np.uint32))])
    assert any("y: 16 of 32 elements never written, first [16]" in c for c in complaints)
    assert any("wrong class" in c for c in complaints)
    late = kernel.text.replace("[%y_at+64]", "[%y_at+68]")
    complaints, _ = kernel.differ(late, [KnownAnswer("zeros", x, np.zeros(32, np.uint32))])
    assert any("out-of-bounds" in c for c in complaints)


def test_a_residual_is_right_on_drawn_words() -> None:
    drawn = {"a": random_words(8, 400, high=0x7F00), "b": random_words(9, 400, high=0x7F00)}
    complaints, _ = RESIDUAL.differ(RESIDUAL.text, [KnownAnswer("drawn", drawn, raw(*[0] * 400))])
    assert not complaints


def test_refinement_takes_buffers_of_three_extents() -> None:
    """Elements between rows and planes are neither wanted nor may they be read or written."""
    result = COPY_PLANES.refine(COPY_PLANES.text)
    assert result.verdict is Verdict.PROVED, result.detail
    assert [size.elements for size in result.sizes] == [30, 24]
    fewer = COPY_PLANES.text.replace("setp.ge.u32 %out, %i, %columns;", "setp.gt.u32 %out, %i, 2;")
    assert "is not written" in COPY_PLANES.refine(fewer, COPY_PLANES.cases[:1]).detail
    refused = {
        "packed rows": (("[stride]", "[columns]"), "byte 10 of row 0 of x, whose rows have 10 bytes"),
        "a column more": (("%out, %i, %columns", "%out, %i, 6"), "byte 10 of row 0 of x, whose rows have 10 bytes"),
        "packed planes": (("[plane]", "[stride]"), "byte 28 of plane 0 of x, whose planes have 24 bytes"),
    }
    for name, ((old, new), says) in refused.items():
        result = COPY_PLANES.refine(COPY_PLANES.text.replace(old, new), COPY_PLANES.cases[:1])
        assert result.verdict is Verdict.REFUTED, name
        assert says in result.detail, (name, result.detail)
