"""Refinement of a rotary embedding: which elements are paired, and where the sign goes."""

from __future__ import annotations

import pytest

from proofs.verdict import Verdict
from tests.proofs.numeric_kernels import ROPE

# name, old text, new text, what is found, the PTX of the line named, what the operator has
MUTANTS = [
    ("neighbours", "add.u64 %x_at, %x_at, %other;", "add.u64 %x_at, %x_at, 2;", "input.x.1", "ld.global.b16",
     "input.x.8"),
    ("turned backwards", "neg.f32 %t, %t;", "", "fmul.f32.rn", "mul.rn.f32 %t, %x2, %s", "fneg.f32"),
    ("table of another row", "mad.lo.u32 %block, %row, %stride, %j;\n    mul.wide.u32 %offset, %block, 4;",
     "mul.wide.u32 %offset, %j, 4;", "input.cos.0", "ld.global.f32 %c", "input.cos.11"),
    ("two roundings", "fma.rn.f32 %r2, %x2, %c, %t;", "mul.rn.f32 %r2, %x2, %c;\n    add.rn.f32 %r2, %r2, %t;",
     "fadd.f32.rn", "add.rn.f32 %r2", "ffma.f32.rn"),
    ("cosine and sine exchanged", "[cos]", "[sin]", "input.sin.0", "ld.global.f32 %c", "input.cos.0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "found", "line", "wanted"), MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_faulty_copy_is_refuted_and_said_how(
    name: str, old: str, new: str, found: str, line: str, wanted: str
) -> None:
    assert old in ROPE.text
    text = ROPE.text.replace(old, new, 1)
    result = ROPE.refine(text)
    assert result.verdict is Verdict.REFUTED, name
    assert result.counterexample is not None
    assert str(result.counterexample["found"]).startswith(found), result.detail
    assert str(result.counterexample["expected"]).startswith(wanted), result.detail
    number = result.counterexample["found_line"]
    assert isinstance(number, int)
    assert line in text.splitlines()[number - 1]
