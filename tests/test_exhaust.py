"""Slices of the exhaustive check of the identities of binary16, and that it would see a difference."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from proofs.numerics.binary16 import COUNTEREXAMPLE, identities
from spec.scalar import F16, F32, encode
from tests.exhaust import CHECKS, PAIRS, Check, main, narrow, narrow_by_integers, run

SEED = 20_261_201
CORNERS = (0x0000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7E00, 0x8000, 0x8001, 0xFBFF, 0xFC00)


def _slices(check: Check, count: int) -> list[int]:
    if check.slices == PAIRS:
        return [*CORNERS, *random.Random(SEED).sample(range(PAIRS), count)]
    return random.Random(SEED).sample(range(check.slices), min(count, check.slices))


@pytest.mark.parametrize("name", CHECKS)
def test_drawn_slices_hold(name: str) -> None:
    cases, words = run(CHECKS[name], _slices(CHECKS[name], 40))
    assert words == ""
    assert cases > 10_000


def test_what_is_gone_through_are_identities_of_the_library() -> None:
    known = {m.name for m in identities()}
    assert set(CHECKS) - known == {"f16-conversion"}


def test_two_roundings_of_an_fma_are_seen() -> None:
    a, b, c = COUNTEREXAMPLE
    third = np.array([c], dtype=np.uint16).view(np.float16)
    words = np.arange(PAIRS, dtype=np.uint16).view(np.float16)

    def differs(number: int) -> np.ndarray:
        exact = words[number].astype(np.float64) * words.astype(np.float64) + third.astype(np.float64)
        found: np.ndarray = narrow(exact.astype(np.float32)) != narrow(exact)
        return found

    with np.errstate(all="ignore"):
        assert differs(a)[b]
    assert run(Check(PAIRS, differs), [a])[1].startswith(f"slice {a:#x}, element ")


def test_the_integers_round_as_the_exact_format_does() -> None:
    draw = random.Random(SEED)
    words = [0x33000000, 0x33000001, 0x477FEFFF, 0x477FF000, 0x387FDFFF, 0x387FE000, 0x387FFFFF, 0x38800000, 0, 1]
    words += [draw.getrandbits(7) << 23 | draw.getrandbits(11) << 12 for _ in range(300)]
    words += [draw.randrange(0x32000000, 0x48000000) for _ in range(300)]
    values = np.array(words, dtype=np.uint32).view(np.float32)
    expected = [encode(Fraction(float(v)), F16) for v in values]
    assert narrow_by_integers(np.array(words, dtype=np.uint32)).tolist() == expected
    assert narrow(values).tolist() == expected
    assert encode(Fraction(65520), F32) == 0x477FF000


def test_the_program_prints_a_line_for_each_and_names_what_it_does_not_know(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["f16-round-trip", "f16-mul-once", "--slices", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["f16-round-trip", "f16-mul-once"]
    assert all(": holds, " in line for line in lines)
    with pytest.raises(SystemExit):
        main(["f16-div-once"])
    assert "no identity f16-div-once" in capsys.readouterr().err


def test_a_difference_is_printed_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHECKS, "f16-add-once", Check(4, lambda number: np.array([False, number == 2])))
    assert main(["f16-add-once"]) == 1
    assert "f16-add-once: slice 0x2, element 0x1, 6 cases" in capsys.readouterr().out
