"""Sweeps of the approximate instructions: the kernels measure what they say, and a device that strays is noticed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from backend.device import Device
from backend.emulator.device import EmulatorDevice
from backend.launch import bind
from backend.probe import sweeps
from backend.probe.exact import KINDS, judge, kind_name
from backend.probe.report import HELD, NOT_MEASURED, VIOLATED, findings
from backend.probe.sweeps import INSTRUCTIONS, WORDS, Instruction, Sweep, Worst, run_sweeps, sweep, sweep_contract
from spec.approximations import TABLE
from spec.ptx import floats
from spec.ptx.floats import Array
from spec.ptx.parser import parse
from spec.scalar import F32, decode, encode

SOURCE = Path(sweeps.__file__).with_name("sweep.cu")
ONE, INF, NAN = 0x3F800000, 0x7F800000, 0x7FC00000
MINUS = 0x80000000


@pytest.fixture(scope="module")
def emulator() -> Iterator[Device]:
    with EmulatorDevice() as device:
        yield device


def small(device: Device, instruction: Instruction, words: int = 512) -> Sweep:
    """A sweep over words from everywhere; the step is prime."""
    return run_sweeps(device, [instruction], words=words, step=WORDS // words - 15, blocks=1, samples=32)[0]


@pytest.mark.skipif(shutil.which("g++") is None, reason="not run here: needs g++, with which nvcc works")
def test_the_kernels_are_what_nvcc_makes_of_their_source(tmp_path: Path) -> None:
    from proofs.ptxas import ptxas

    made = tmp_path / "sweep.ptx"
    subprocess.run([ptxas().with_name("nvcc"), "-ptx", "-arch=sm_89", SOURCE, "-o", made], check=True, timeout=100)
    assert made.read_bytes() == SOURCE.with_suffix(".ptx").read_bytes()


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.spelled)
def test_correctly_rounded_results_are_all_good(emulator: Device, instruction: Instruction) -> None:
    found = small(emulator, instruction)
    assert found.good, found.unsettled or found.refused
    assert not found.complete  # 512 words are not all of them
    assert sum(found.classes.values()) == found.words == 512
    assert all(pair.split(" -> ")[0] == pair.split(" -> ")[1] for pair in found.classes)
    assert sum(found.apart) == found.apart[0]
    assert 0.4 < found.worst["units"].error <= 0.5
    assert found.reference_samples > 5
    assert found.reference_error < 2.0**-50


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.spelled)
def test_device_and_host_measure_the_same(
    emulator: Device, instruction: Instruction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's errors and limits in double precision are the exact ones that the host works out."""
    monkeypatch.setattr(floats, "approximate", strayed(instruction.name, 1 + 2.0**-22.5))
    raw = sweep(emulator, bind(sweep_contract(instruction), sweeps.module()), instruction, 256, WORDS // 256 - 5, 1)
    sampler = bind(sweeps.sample_contract(instruction), sweeps.module())
    for column, measure in enumerate(("units", "relative", "of_limit")):
        at = raw.at[raw.worst[:, column] > 0, column]
        assert len(at) > 50
        results, _ = sweeps.sample(emulator, sampler, at)
        exact = [getattr(judge(instruction.name, instruction.ftz, w, r), measure)
                 for w, r in zip(at.tolist(), results.tolist(), strict=True)]  # fmt: skip
        known = [(float(e), m) for e, m in zip(exact, raw.worst[raw.worst[:, column] > 0, column], strict=True) if e]
        assert len(known) > 40
        assert [(measure, e, m) for e, m in known if m != pytest.approx(e, rel=2e-7, abs=1e-9)] == []


def strayed(name: str, factor: float) -> Callable[[str, str, bool, tuple[Array, ...]], Array]:
    """The emulator's approximations, with one of them off by a factor before it is rounded."""
    true = floats.approximate

    def approximate(which: str, t: str, ftz: bool, args: tuple[Array, ...]) -> Array:
        if which != name:
            return true(which, t, ftz, args)
        values = [floats.widen(t, floats.flush(t, ftz, a)) for a in args]
        with np.errstate(all="ignore"):
            result = floats._APPROXIMATIONS[name](*values) * factor
        return floats.flush(t, ftz, floats.narrow(t, "rn", result))

    return approximate


@pytest.mark.parametrize("name", [*TABLE])
def test_a_device_beyond_the_documented_error_violates_the_assumption(
    emulator: Device, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = max(float(TABLE[name].relative), 2.0**-22) * 1.3
    monkeypatch.setattr(floats, "approximate", strayed(name, 1 + limit))
    swept = run_sweeps(emulator, INSTRUCTIONS, words=512, step=8_388_593, blocks=1, samples=8)
    assert {s.instruction.partition(".")[0] for s in swept if not s.good} == {name}
    finding = findings(swept, [], None)[f"doc-{name}"]
    assert finding.status == VIOLATED
    assert "not allowed: 0x" in finding.detail


def test_a_wrong_class_is_listed_and_refused(emulator: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    true = floats.approximate

    def approximate(name: str, t: str, ftz: bool, args: tuple[Array, ...]) -> Array:
        found = true(name, t, ftz, args)
        return np.where(found == np.uint32(INF), np.uint32(INF - 1), found)

    monkeypatch.setattr(floats, "approximate", approximate)
    found = small(emulator, Instruction("ex2", True))
    assert found.classes["+Inf -> +normal"] == found.refused_count > 50


def test_a_reference_that_is_off_settles_nothing(emulator: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    text = sweeps.module().text
    ln2 = "0d3FE62E42FEFA39EF"
    assert ln2 in text
    wrong = parse(text.replace(ln2, "0d3FE62E42FEFB39EF"), name="sweep.ptx")
    monkeypatch.setattr(sweeps, "module", lambda: wrong)
    found = small(emulator, Instruction("ex2"), 128)
    assert "the reference is off by" in found.unsettled
    assert not found.good


def test_an_assumption_is_held_only_by_all_words_of_all_spellings() -> None:
    full = Sweep("ex2.approx.ftz.f32", WORDS, 0.0, {}, [], 0, {"units": Worst("0x0", "0x0", 1.0)})
    other = replace(full, instruction="ex2.approx.f32")
    assert findings([full, other], [], None)["doc-ex2"].status == HELD
    assert findings([full, replace(other, words=WORDS - 1)], [], None)["doc-ex2"].status == NOT_MEASURED
    assert findings([full, replace(other, unsettled="why")], [], None)["doc-ex2"].detail == "ex2.approx.f32: why"
    assert findings([full, other], [], None)["doc-rcp"].status == NOT_MEASURED
    refused = replace(full, refused=["0x1 gives 0x2"], refused_count=1)
    assert findings([refused, other], [], None)["doc-ex2"].status == VIOLATED


@pytest.mark.parametrize(
    ("name", "ftz", "argument", "results", "wrong"),
    [
        ("ex2", True, 0, [ONE], [ONE + 1, ONE - 1]),
        ("ex2", True, 1, [ONE], [ONE + 1]),  # a subnormal argument is 0
        ("ex2", True, encode(Fraction(-3), F32), [0x3E000000 + d for d in (-2, 2)], [0x3E000003, 0x3DFFFFF0]),
        ("ex2", True, encode(Fraction(-127), F32), [0], [0x00400000, MINUS, 0x00800001]),
        ("ex2", False, encode(Fraction(-127), F32), [0x00400000, 0x00400002], [0, 0x00400003]),
        ("ex2", True, encode(Fraction(128), F32), [INF, INF - 1], [INF - 3, NAN]),
        ("ex2", True, INF | MINUS, [0], [MINUS, 1]),
        ("rcp", True, encode(Fraction(3), F32), [0x3EAAAAAB, 0x3EAAAAAC, 0x3EAAAAAA], [0x3EAAAAAD, 0x3EAAAAA9]),
        ("rcp", True, MINUS, [INF | MINUS], [INF, NAN]),
        ("rcp", True, MINUS | 5, [INF | MINUS], [INF]),
        ("rcp", True, MINUS | 0x7F000001, [MINUS], [0, MINUS | 0x00200000]),
        ("rcp", False, 0x7F000000, [0x00400000, 0x00400001], [0, 0x00400002]),
        ("rsqrt", False, encode(Fraction(4), F32), [0x3F000000, 0x3F000001], [0x3F000002, 0xBF000000]),
        ("rsqrt", False, encode(Fraction(-4), F32), [NAN, 0xFFFFFFFF], [0x3F000000, INF]),
        ("rsqrt", True, MINUS | 1, [INF | MINUS], [NAN]),
        ("rsqrt", False, MINUS | 1, [NAN], [INF | MINUS]),
        ("lg2", False, ONE, [0, MINUS], [INF]),
        ("lg2", False, ONE + 1, [0x34380000, 0x34000000, 0xB3000000], [0x35000000, ONE]),
        ("lg2", False, encode(Fraction(8), F32), [0x40400000, 0x40400003], [0x40400004]),
        ("lg2", True, 7, [INF | MINUS], [encode(Fraction(-146), F32)]),
        ("lg2", False, MINUS | ONE, [NAN], [0]),
        ("sqrt", False, encode(Fraction(4), F32), [0x40000000, 0x40000001], [0x40000002]),
        ("sqrt", False, MINUS, [MINUS], [0, NAN]),
        ("tanh", False, INF, [ONE], [ONE - 1]),
        ("tanh", False, 3, [3], [0, 4]),
        ("tanh", False, ONE, [0x3F42F7D6], [0x3F440000, 0x3F400000]),
        ("ex2", False, NAN, [NAN, 0xFFFFFFFF], [INF, 0]),
    ],
)  # fmt: skip
def test_results_are_judged_as_documented(
    name: str, ftz: bool, argument: int, results: list[int], wrong: list[int]
) -> None:
    assert [r for r in results if not judge(name, ftz, argument, r).allowed] == []
    assert [r for r in wrong if judge(name, ftz, argument, r).allowed] == []


def test_errors_are_exact_where_they_are_given() -> None:
    third = judge("rcp", False, encode(Fraction(3), F32), 0x3EAAAAAB)
    error = abs(decode(0x3EAAAAAB, F32) - Fraction(1, 3))
    assert third.relative == error * 3
    assert third.units == error * 2**25
    assert third.of_limit == error * 2**25 / Fraction(3, 2)


def test_kinds_of_words() -> None:
    words = (NAN, INF | MINUS, MINUS | ONE, MINUS | 1, MINUS, 0, 0x007FFFFF, 0x00800000, INF)
    assert tuple(kind_name(w) for w in words) == KINDS
