"""Refinement of kernels that take integers out of packed bytes: which bits of which byte, and what becomes of them.

Of an element that is found in place of another, the line named is the first that loads it.
"""

from __future__ import annotations

import pytest

from proofs.verdict import Verdict
from tests.proofs.numeric_kernels import DEQUANT

# kernel, old text, new text, what is found, the PTX of the line named, what the operator has
MUTANTS = [
    ("q4_0", "and.b32 %k, %q, 15;", "and.b32 %k, %q, 7;", "int_to_float.3.F", "cvt.rn.f32.u32", "int_to_float.4.F"),
    ("q4_0", "shr.u32 %k, %q, 4;", "shr.u32 %k, %q, 3;", "int_to_float.5.F", "cvt.rn.f32.u32", "int_to_float.4.F"),
    ("q4_0", "0fC1000000", "0fC0E00000", "const.32.0xc0e00000", "", "const.32.0xc1000000"),
    ("q4_0", "[%at+2]", "[%at+1]", "input.x.1", "ld.global.b16", "input.x.2"),
    ("q4_0", "mul.rn.f32 %f, %d, %f;", "mul.f32 %f, %d, %f;", "fmul.f32.-", "mul.f32", "fmul.f32.rn"),
    ("q8_0", "cvt.rn.f32.s8", "cvt.rn.f32.u8", "int_to_float.8.False", "cvt.rn.f32.u8", "int_to_float.8.True"),
    ("q8_0", "cvt.rn.f16.f32", "cvt.rz.f16.f32", "fconvert.f32.f16.rz", "cvt.rz", "fconvert.f32.f16.rn"),
    ("q8_0", "[%x_at+2]", "[%x_at+1]", "input.x.1", "ld.global.b16", "input.x.2"),
    ("q4_k", "and.b32 %s, %s, 63;", "and.b32 %s, %s, 31;", "int_to_float.5.F", "cvt.rn", "int_to_float.6.F"),
    ("q4_k", "ld.global.u8 %k, [%at+0];", "ld.global.u8 %k, [%at+4];", "input.x.8", "ld.global.u8", "input.x.4"),
    ("q4_k", "@%high shr", "@!%high shr", "bits.4+4", "", "bits.0+4"),
    ("q4_k", "mul.rn.f32 %mn, %dmin, %mn;\n    sub.rn.f32 %f, %f, %mn;",
     "neg.f32 %mn, %mn;\n    fma.rn.f32 %f, %mn, %dmin, %f;", "ffma", "fma.rn", "fsub"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "old", "new", "found", "line", "wanted"), MUTANTS)
def test_a_faulty_copy_is_refuted_and_said_how(
    kind: str, old: str, new: str, found: str, line: str, wanted: str
) -> None:
    """The last one gives the same words, since all products are exact; the order of operations is another."""
    kernel = DEQUANT[f"dequant_{kind}"]
    assert old in kernel.text
    text = kernel.text.replace(old, new)
    result = kernel.refine(text)
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None
    assert str(result.counterexample["found"]).startswith(found), result.detail
    assert str(result.counterexample["expected"]).startswith(wanted), result.detail
    number = result.counterexample["found_line"]
    assert isinstance(number, int)
    assert line in text.splitlines()[number - 1] if line else number == 0
