"""The models of tensor cores against rationals, and theorems 2.1 and 2.2 against the models."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from spec.errors import BadInput
from spec.scalar import F16, F32, Kind, Rounding, decode, encode, kind_of
from spec.tensor_core import (
    ADA,
    HOPPER,
    KAPPA,
    KAPPA_LITERAL,
    MODELS,
    PRODUCTS,
    VOLTA,
    Chain,
    TensorCore,
    chain,
    chains,
    clipped,
    judge,
    kappa,
    model,
    weight,
)
from spec.tensor_probes import PROBES, SPECIALS, Probe, Special, adversarial, groups, pairs
from tests.spec.tensor_fuzz import COUNT, fuzz, table
from tests.spec.tensor_oracle import FORMATS, Oracle, down

Array = npt.NDArray[Any]
CORES = (ADA, HOPPER, VOLTA)
ORACLES = {"ada": Oracle(24, 8), "hopper": Oracle(25, 16), "volta": Oracle(23, 4)}
both = pytest.mark.parametrize("core", MODELS.values(), ids=MODELS.keys())
every = pytest.mark.parametrize("core", CORES, ids=lambda core: core.name)


def _fractions(words: Array) -> list[Fraction]:
    return [decode(w, F16) for w in words.tolist()]


def _own(core: TensorCore) -> Fraction:
    return kappa(core.kept, core.groups("f16", PRODUCTS))


# --- the models ---------------------------------------------------------------------------------------------------


@every
def test_a_model_is_its_definition_on_adversarial_vectors(core: TensorCore) -> None:
    a, b, c = adversarial(np.random.default_rng(3), 1500)
    found = core.dot("f16", "f32", a, b, c)
    for i in range(len(a)):
        assert int(found[i]) == ORACLES[core.name].dot("f16", "f32", a[i].tolist(), b[i].tolist(), int(c[i]))


def _random(rng: np.random.Generator, kind: str, shape: tuple[int, ...], near: bool) -> Array:
    """Words of a format, finite ones but for a few: of any exponent that the square has in binary32, subnormal ones
    too, or of exponents near one another, so that sums have bits of many addends.
    """
    form = FORMATS[kind]
    words = rng.integers(0, 1 << form.width, shape)
    middle = (1 << (form.width - form.precision - 1)) - 1
    low, high = (middle - 3, middle + 4) if near else (0, middle + middle // 2)
    field = rng.integers(low, high, shape) << form.fraction_bits
    finite = (words & (form.sign | ((1 << form.fraction_bits) - 1))) | field
    return np.where(rng.random(shape) < 0.005, words, finite).astype(np.uint16 if form.width == 16 else np.uint32)


@every
@pytest.mark.parametrize("near", [False, True], ids=["any", "near"])
@pytest.mark.parametrize(
    ("kind", "c_kind", "count"),
    [("f16", "f32", 8), ("f16", "f16", 8), ("f16", "f16", 16), ("bf16", "f32", 8), ("bf16", "f32", 16),
     ("tf32", "f32", 4), ("tf32", "f32", 8)],
)  # fmt: skip
def test_every_type_of_factor_and_accumulator(
    core: TensorCore, kind: str, c_kind: str, count: int, near: bool
) -> None:
    """Other types take as many bits of a row: groups of tf32 have half as many products."""
    rng = np.random.default_rng(count)
    a, b = (_random(rng, kind, (250, count), near) for _ in range(2))
    c = _random(rng, c_kind, (250,), near)
    base = ORACLES[core.name]
    oracle = Oracle(base.kept, base.group // 2 if kind == "tf32" else base.group)
    found = core.dot(kind, c_kind, a, b, c)
    form, finite = FORMATS[c_kind], 0
    for i in range(len(a)):
        want = oracle.dot(kind, c_kind, a[i].tolist(), b[i].tolist(), int(c[i]))
        got = int(found[i])
        finite += want is not None
        if want is None:
            assert kind_of(got, form) is not Kind.FINITE
        else:
            assert got == want
    assert finite > 50


def test_groups_by_type() -> None:
    assert [core.products("f16") for core in CORES] == [8, 16, 4]
    assert [core.products("tf32") for core in CORES] == [4, 8, 2]
    assert [core.groups("bf16", 16) for core in CORES] == [2, 1, 4]
    assert [core.groups("f16", 8) for core in CORES] == [1, 1, 2]
    assert ADA.groups("tf32", 8) == 2


def test_models_by_name() -> None:
    assert model("ada") is ADA
    assert model("hopper") is HOPPER
    with pytest.raises(BadInput, match="no tensor core 'volta'; have ada, hopper"):
        model("volta")


def test_overflow_of_an_accumulator() -> None:
    """Rounding toward zero ends at the largest number; what is beyond its binade is infinite."""
    most, ones = np.full(16, 0x7BFF, np.uint16), np.full(16, 0x3C00, np.uint16)
    start = np.array([0x7F7FFFFF], np.uint32)
    for core in MODELS.values():
        assert core.dot("f16", "f32", ones, ones, start).tolist() == [0x7F7FFFFF]
        top = np.array([0x7F7F], np.uint16)
        assert core.dot("bf16", "f32", top, np.array([0x4000], np.uint16), start).tolist() == [0x7F800000]
        assert core.dot("bf16", "f32", top, np.array([0xC080], np.uint16), start).tolist() == [0xFF800000]
        assert core.dot("f16", "f16", most, ones, np.array([0], np.uint16)).tolist() == [0x7C00]


# --- probes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.name)
def test_probe(probe: Probe) -> None:
    """Both models give what is written down, which the bound and the gate admit."""
    assert set(probe.expected) == set(MODELS)
    for name, core in MODELS.items():
        assert decode(int(core.dot("f16", "f32", *probe.words())), F32) == probe.expected[name]
        assert probe.admits(probe.expected[name])
    assert probe.shows


@pytest.mark.parametrize("special", SPECIALS, ids=lambda s: s.name)
def test_special_values(special: Special) -> None:
    for core in MODELS.values():
        bits = int(core.dot("f16", "f32", *special.words()))
        assert kind_of(bits, F32) is special.expected
        assert bits == 0x7FFFFFFF or special.expected is not Kind.NAN


DEVICES = {
    "one group of 23 bits": (Oracle(23, 16), {"P1", "P4b"}),
    "groups of 4": (Oracle(24, 4), {"P4b"}),
    "sums rounded to nearest": (Oracle(24, 8, final=Rounding.NEAREST), {"P5+", "P5-"}),
    "sums rounded down": (Oracle(24, 8, final=Rounding.DOWN), {"P5-"}),
    "addends cut downward": (Oracle(24, 8, cut=down), {"P6"}),
    "subnormal numbers flushed": (Oracle(24, 8, flush=True), {"P7", "P7b", "P7c"}),
    "one product after the other": (Oracle(24, 1, final=Rounding.NEAREST, sequential=True), {"P1", "P4b"}),
    "normalised products": (Oracle(24, 8, normalised=True), set()),
    "three more bits": (Oracle(28, 16), set()),
}


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_that_breaks_the_assumption_fails_the_probes_that_show_it(name: str) -> None:
    device, failing = DEVICES[name]
    found = set()
    for probe in PROBES:
        a, b, c = probe.words()
        bits = device.dot("f16", "f32", a.tolist(), b.tolist(), int(c))
        assert bits is not None
        if not probe.admits(decode(bits, F32)):
            found.add(probe.name)
    assert failing <= found
    assert bool(found) == bool(failing)


def test_a_probe_admits_nothing_beyond_the_bound() -> None:
    probe = next(p for p in PROBES if p.name == "P12")
    assert probe.allowed is None
    limit = KAPPA * (2**24 + 16)
    assert probe.admits(probe.exact + limit)
    assert not probe.admits(probe.exact + limit + Fraction(1, 2**40))
    assert not probe.admits(probe.exact - limit - Fraction(1, 2**40))


def test_groups_are_found_by_probing() -> None:
    rows, (a, _, _) = pairs()
    assert len(rows) == len(a) == 16 * 15 * 14
    found = {core.name: groups(partial(core.dot, "f16", "f32")) for core in CORES}
    assert found["ada"] == (tuple(range(8)), tuple(range(8, 16)))
    assert found["hopper"] == (tuple(range(16)),)
    assert len(found["volta"]) == 16

    def even(a: Array, b: Array, c: Array) -> Array:
        """Ada with even products first."""
        order = [*range(0, 16, 2), *range(1, 16, 2)]
        return ADA.dot("f16", "f32", a[:, order], b[:, order], c)

    assert groups(even) == (tuple(range(0, 16, 2)), tuple(range(1, 16, 2)))


# --- theorem 2.1 --------------------------------------------------------------------------------------------------


def test_constants() -> None:
    unit = Fraction(1, 2**23)
    assert kappa(25, 1) == 5 * unit
    assert KAPPA == kappa(24, 2) == 10 * unit
    assert kappa(23, 4) == 20 * unit
    assert kappa(24, 1, 8) == 5 * unit
    assert 16 * unit < KAPPA_LITERAL < Fraction("16.0001") * unit
    for wrong in ((22, 1, 16), (24, 0, 16), (24, 2, 0)):
        with pytest.raises(BadInput, match="at least 23 bits, one group and one product"):
            kappa(*wrong)


def test_clipped_magnitudes() -> None:
    p = Fraction(2)
    assert [clipped(x) for x in (Fraction(0), p**-24, -(p**-14), -p)] == [0, p**-14, p**-14, 2]
    assert weight([p**-24, p], [p**15, Fraction(0)], -p) == 2 + 2


def _fuzz(seed: int, record: Callable[[str, object], None]) -> None:
    found = fuzz(seed)
    record("tensor core", table(seed, COUNT, found))
    assert [f.violations for f in found] == [0, 0], table(seed, COUNT, found)
    assert all(f.worst > 0.7 for f in found)  # the vectors are hard


def test_a_million_vectors_keep_the_bound(record_property: Callable[[str, object], None]) -> None:
    _fuzz(1, record_property)


def test_a_million_vectors_of_a_seed_of_this_run_keep_the_bound(
    record_property: Callable[[str, object], None],
) -> None:
    """The seed is in the message of a failure; `python -m tests.spec.tensor_fuzz SEED` repeats it."""
    _fuzz(secrets.randbits(32), record_property)


def test_judging_is_the_theorem_in_rationals() -> None:
    """With results moved to where the bound just holds and just fails."""
    a, b, c = adversarial(np.random.default_rng(9), 400)
    d = ADA.dot("f16", "f32", a, b, c)
    rng = np.random.default_rng(10)
    d = np.where(rng.random(400) < 0.7, d + rng.integers(-90, 90, 400), d).astype(np.uint32)
    d = np.where((d & 0x7FFFFFFF) < 0x7F800000, d, 0).astype(np.uint32)
    kept, ratio = judge(a, b, c, d)
    for i in range(400):
        x, y, z = _fractions(a[i]), _fractions(b[i]), decode(int(c[i]), F32)
        error = abs(decode(int(d[i]), F32) - z - sum(p * q for p, q in zip(x, y, strict=True)))
        limit = KAPPA * weight(x, y, z)
        assert kept[i] == (error <= limit)
        assert ratio[i] == (float(error / limit) if limit else (np.inf if error else 0.0)) or not limit
    assert 100 < kept.sum() < 390


def test_results_that_are_not_finite_keep_no_bound() -> None:
    a = np.zeros((2, 16), np.uint16)
    kept, ratio = judge(a, a, np.zeros(2, np.uint32), np.array([0x7F800000, 0x7FFFFFFF], np.uint32))
    assert not kept.any()
    assert np.isinf(ratio).all()


@both
def test_magnitudes_do_not_grow(core: TensorCore) -> None:
    a, b, c = adversarial(np.random.default_rng(4), 1500)
    d = core.dot("f16", "f32", a, b, c)
    for i in range(len(a)):
        x, y, z = _fractions(a[i]), _fractions(b[i]), decode(int(c[i]), F32)
        assert abs(decode(int(d[i]), F32)) <= abs(z) + sum(abs(p * q) for p, q in zip(x, y, strict=True))


def _swamped(kept: int) -> tuple[Array, Array, Array]:
    """1 and 15 products just below 2^-kept, which are cut off next to it."""
    low = -kept - 2
    a, b = (np.full((1, 16), encode(Fraction(2047, 1024) * Fraction(2) ** e, F16), np.uint16)
            for e in (low // 2, low - low // 2))  # fmt: skip
    a[0, 0] = b[0, 0] = 0x3C00
    return a, b, np.zeros(1, np.uint32)


@pytest.mark.parametrize(("core", "reached"), [(ADA, 0.74), (HOPPER, 0.89)], ids=["ada", "hopper"])
def test_the_bound_is_nearly_reached(core: TensorCore, reached: float) -> None:
    """15 addends lose almost all of what 24 bits do not keep, or half with 25 bits, and then so does their sum."""
    vectors = _swamped(24)
    d = core.dot("f16", "f32", *vectors)
    kept, ratio = judge(*vectors, d, _own(core))
    assert kept.all()
    assert reached < ratio[0] < 1


def test_fewer_bits_break_the_bound() -> None:
    """Negative control: TC(23, 4) is not within the constant of TC(24, 2)."""
    vectors = _swamped(VOLTA.kept)
    d = VOLTA.dot("f16", "f32", *vectors)
    assert judge(*vectors, d, _own(VOLTA))[0].all()
    assert not judge(*vectors, d)[0].any()
    assert judge(*vectors, d)[1][0] > 1.4


@both
def test_without_clipped_magnitudes_the_bound_is_false(core: TensorCore) -> None:
    """Negative control: a subnormal factor cuts off what its value would not."""
    probe = next(p for p in PROBES if p.name == "P8")
    error = abs(decode(int(core.dot("f16", "f32", *probe.words())), F32) - probe.exact)
    x, y = zip(*probe.products.values(), strict=True)
    assert error > KAPPA * (abs(probe.c) + sum(abs(p * q) for p, q in zip(x, y, strict=True)))
    assert error <= KAPPA * weight(x, y, probe.c)


# --- theorem 2.2 --------------------------------------------------------------------------------------------------


def _run(core: TensorCore, a: Array, b: Array, c: Array, step: int = PRODUCTS) -> Array:
    for first in range(0, a.shape[-1], step):
        c = core.dot("f16", "f32", a[:, first : first + step], b[:, first : first + step], c)
    return c


def _rows(rng: np.random.Generator, count: int, length: int) -> tuple[Array, Array]:
    """Adversarial vectors put together, some of them many times, and rows of normal numbers."""
    a, b, _ = adversarial(rng, count * length // 16)
    a, b = a.reshape(count, length), b.reshape(count, length)
    for i in range(0, count, 3):
        a[i], b[i] = np.tile(a[i, :16], length // 16), np.tile(b[i, :16], length // 16)
    for i in range(1, count, 3):
        a[i], b[i] = rng.standard_normal((2, length)).astype(np.float16).view(np.uint16)
    return a, b


def _real(words: Array) -> npt.NDArray[np.float64]:
    return words.view(np.float16).astype(np.float64)


@pytest.mark.parametrize("start", [False, True], ids=["from 0", "from c"])
@pytest.mark.parametrize(("length", "count"), [(16, 60), (64, 45), (256, 24), (512, 12)])
def test_the_running_bound_holds_for_both_models_and_in_binary64(length: int, count: int, start: bool) -> None:
    rng = np.random.default_rng(length)
    a, b = _rows(rng, count, length)
    c = adversarial(rng, count)[2] if start else np.zeros(count, np.uint32)
    found = chains(_real(a)[:, None, :], _real(b)[:, :, None], c.view(np.float32).astype(np.float64)[:, None, None])
    results = {core.name: _run(core, a, b, c) for core in MODELS.values()}
    for i in range(count):
        exact = chain(_fractions(a[i]), _fractions(b[i]), decode(int(c[i]), F32))
        for words in results.values():
            assert abs(decode(int(words[i]), F32) - exact.exact) <= min(exact.running, exact.a_priori)
        sums, running, a_priori = (Fraction(float(v[i, 0, 0])) for v in (found.sums, found.running, found.a_priori))
        off = abs(sums - exact.exact)
        for outward, bound in ((running, exact.running), (a_priori, exact.a_priori)):
            assert bound + off <= outward <= bound * (1 + Fraction(1, 10**6))


def test_a_chain_of_one_instruction_is_theorem_1() -> None:
    p = Fraction(2)
    a, b = [p**-24, p, Fraction(0)], [p**15, -p, p]
    one = chain(a, b, p**5)
    assert one == Chain(p**5 + p**-9 - 4, KAPPA * weight(a, b, p**5), KAPPA * weight(a, b, p**5))


def test_a_constant_that_is_too_small_is_broken_by_a_chain() -> None:
    """Negative control: rows that lose 15 addends each time."""
    a, b, c = _swamped(24)
    length = 16 * 20
    b[0, 0] = 0x3C00
    a, b = np.tile(a, (1, 20)), np.tile(b, (1, 20))
    a[0, 16::16] = 0
    result = decode(int(_run(ADA, a, b, c)[0]), F32)
    x, y = _fractions(a[0]), _fractions(b[0])
    assert length == len(x)
    assert abs(result - chain(x, y).exact) <= chain(x, y).running
    small = chain(x, y, factor=KAPPA * Fraction(7, 10))
    assert abs(result - small.exact) > small.running


def test_shorter_instructions() -> None:
    """m16n8k8 has 8 products in one group: a smaller constant, more steps."""
    rng = np.random.default_rng(8)
    a, b = _rows(rng, 30, 64)
    result = _run(ADA, a, b, np.zeros(30, np.uint32), step=8)
    for i in range(30):
        exact = chain(_fractions(a[i]), _fractions(b[i]), factor=kappa(24, 1, 8), step=8)
        assert abs(decode(int(result[i]), F32) - exact.exact) <= exact.running


def test_bounds_of_a_matrix_are_those_of_its_elements() -> None:
    rng = np.random.default_rng(2)
    a, b = (_real(adversarial(rng, n)[0]) for n in (6, 10))
    a, b = a.reshape(2, 48), b.reshape(2, 80)[:, :48].T
    found = chains(a, b, 3.0)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        exact = chain([Fraction(v) for v in a[i].tolist()], [Fraction(v) for v in b[:, j].tolist()], Fraction(3))
        assert Fraction(float(found.running[i, j])) >= exact.running
        assert float(found.running[i, j]) == pytest.approx(float(exact.running), rel=1e-6)
        assert float(found.a_priori[i, j]) == pytest.approx(float(exact.a_priori), rel=1e-6)
        assert float(found.sums[i, j]) == pytest.approx(float(exact.exact), abs=float(exact.running))


def test_an_empty_product_has_no_error() -> None:
    found = chains(np.zeros((2, 0)), np.zeros((0, 3)), 5.0)
    assert found.sums.tolist() == [[5.0] * 3] * 2
    assert not found.running.any()
    assert not found.a_priori.any()


def test_a_constant_without_a_binary64_number_is_rounded_up() -> None:
    third = Fraction(1, 3)
    found = chains(np.ones((1, 1)), np.ones((1, 1)), factor=third)
    assert Fraction(float(found.running[0, 0])) >= third


def test_shapes_that_do_not_fit_are_refused() -> None:
    for a, b in ((np.zeros((2, 16)), np.zeros((32, 2))), (np.zeros((2, 16)), np.zeros(16))):
        with pytest.raises(BadInput, match="columns of a are rows of b"):
            chains(a, b)
