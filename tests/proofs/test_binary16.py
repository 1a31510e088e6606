"""The identities as Bitwuzla decides them, and that the queries mean what the exact formats of spec.scalar say."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from proofs.numerics import binary16
from proofs.numerics.binary16 import COUNTEREXAMPLE, LEAST, LIMIT, decide, identities, narrow, wide
from proofs.numerics.lemma import Lemma, equal, query
from proofs.verdict import Verdict
from spec.scalar import F16, F32, decode, encode, rn16, rn32


@pytest.mark.parametrize("identity", identities(), ids=lambda m: m.name)
def test_bitwuzla_decides_the_identity_and_its_control(identity: Lemma) -> None:
    assert (decide(identity.smt_text), decide(identity.negative_control_text)) == ("unsat", "sat")


def test_queries_are_deterministic_plain_and_named() -> None:
    assert identities() == identities()
    assert len({m.name for m in identities()}) == len(identities())
    for step in identities():
        assert re.fullmatch(r"f(16|32)(-[a-z0-9]+)+", step.name)
        for text in (step.smt_text, step.negative_control_text):
            assert text.isascii()
            assert text.count("(check-sat)") == text.count("(set-logic QF_BVFP)") == 1


def test_a_limit_that_is_too_low_is_unknown_and_not_an_answer() -> None:
    add = next(m for m in identities() if m.name == "f16-add-once")
    assert decide(add.smt_text, calls=100) == "unknown"


def test_wrong_identities_and_blunt_controls_are_noticed() -> None:
    wrong, right = equal(narrow(wide("a")), "b"), equal("a", "a")
    variables = {"a": "Float16", "b": "Float16"}
    steps = [query("QF_BVFP", "x", "", variables, (), claim, claim) for claim in (wrong, right)]
    assert [d.verdict for d in binary16.discharge(steps)] == [Verdict.REFUTED, Verdict.UNKNOWN]


def test_the_constants_are_what_they_are_said_to_be() -> None:
    assert decode(LIMIT, F32) == 65520
    assert decode(LEAST, F32) == Fraction(1, 2**25)
    a, b, c = (decode(bits, F16) for bits in COUNTEREXAMPLE)
    assert rn16(rn32(a * b + c)) != rn16(a * b + c)


POINTS = [
    (0x3C00, 0x1000), (0x7BFF, 0x4B80), (0x7BFF, 0x4C00), (0x0001, 0x0001), (0x8001, 0x0001), (0x6800, 0x3C00),
    (0x3C01, 0x0C00), (0x7BFF, 0xFBFF), (0x03FF, 0x0001), (0x4576, 0xC3F5), (0x0400, 0x8001), (0x6BFF, 0x3800),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), POINTS)
@pytest.mark.parametrize("op", ["add", "sub", "mul"])
def test_the_solver_computes_as_the_exact_formats_do(op: str, a: int, b: int) -> None:
    """At a point the query leaves one value, that of spec.scalar: so RNE and the formats are those of the contracts."""
    x, y = decode(a, F16), decode(b, F16)
    exact = {"add": x + y, "sub": x - y, "mul": x * y}[op]
    for text, form in ((f"(fp.{op} RNE a b)", F16), (f"(fp.{op} RNE {wide('a')} {wide('b')})", F32)):
        expected = encode(exact, form)
        width = "5 11" if form is F16 else "8 24"
        claim = f"(fp.eq {text} ((_ to_fp {width}) #x{expected:0{form.width // 4}x}))"
        point = f"(and (= a ((_ to_fp 5 11) #x{a:04x})) (= b ((_ to_fp 5 11) #x{b:04x})))"
        found = query("QF_BVFP", "x", "", {"a": "Float16", "b": "Float16"}, (), f"(=> {point} {claim})", claim)
        assert decide(found.smt_text) == "unsat"
