"""Matrix rows: fragments lie where the PTX ISA draws them, products are the mathematical ones where they are exact."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from spec import scalar
from spec.errors import Unsupported
from spec.ptx.faults import INACTIVE_LANE, MISALIGNED, RACE, Fault
from spec.ptx.isa import ROWS
from spec.ptx.memory import Memory
from spec.ptx.row import Form, Row
from spec.tensor_core import HOPPER, MODELS
from spec.tensor_probes import PROBES, Probe
from tests.harness.isa_forms import spellings
from tests.spec import float_oracle as fl
from tests.spec.programs import kernel, launch

MATRIX_ROWS = [row for row in ROWS if row.base in ("ldmatrix", "stmatrix", "movmatrix", "mma")]
MOVES = [row for row in MATRIX_ROWS if row.base != "mma"]
MMAS = [row for row in MATRIX_ROWS if row.base == "mma"]
THREADS = 64
Words = npt.NDArray[np.uint32]
# Each thread's 16 words of the input, and 8 of the output.
HEAD = """
    mov.u32 %r0, %tid.x; mov.u32 %r9, s; mad.lo.u32 %r8, %r0, 16, %r9;
    ld.param.u64 %d0, [data]; mad.wide.u32 %d1, %r0, 64, %d0;
    ld.param.u64 %d2, [out]; mad.wide.u32 %d3, %r0, 32, %d2;
"""


def _run(body: str, data: Words, block: int = THREADS, **options: Any) -> tuple[Words, list[Fault], set[int]]:
    memory = Memory()
    memory.add("data", data)
    memory.add("out", size=THREADS * 32, initialised=True)
    module = kernel(HEAD + body, shared=f"s[{THREADS * 16}]", params=".param .u64 out, .param .u64 data")
    args: dict[str, int | bytes] = {name: memory[name].base for name in ("out", "data")}
    result = launch(module, memory, args, block=(block, 1, 1), **options)
    marked = {number for number, line in enumerate(module.text.splitlines(), 1) if "FAULT" in line}
    return memory["out"].array(np.uint32).reshape(THREADS, 8), result.faults, marked


def _vector(name: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"{name}{first + i}" for i in range(count)) + "}"


def _random(seed: int = 4) -> Words:
    return np.random.default_rng(seed).integers(0, 2**32, (THREADS, 16), dtype=np.uint32)


STAGE = """ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; st.shared.v4.u32 [%r8], {%r1, %r2, %r3, %r4}; bar.warp.sync -1;
"""


def _matrix(data: Words, warp: int, i: int, rows: list[int]) -> npt.NDArray[np.uint16]:
    """Matrix i of a warp, its rows at the addresses of these lanes; each thread staged 16 bytes."""
    return data[warp * 32 + np.array(rows[8 * i : 8 * i + 8]), :4].copy().view(np.uint16)


def _load(opcode: str, form: Form) -> None:
    count = int(form["num"][1:])
    # Lane i gives the row that lane (5 * i + 3) % 32 staged; lanes that give none have an address of nothing.
    place = f"mad.lo.u32 %r7, %r0, 5, 3; and.b32 %r7, %r7, 31; and.b32 %r6, %r0, 32; or.b32 %r7, %r7, %r6;" \
        f"mad.lo.u32 %r7, %r7, 16, %r9; and.b32 %r6, %r0, 31; setp.ge.u32 %p0, %r6, {8 * count}; @%p0 mov.u32 %r7, -1;"
    convert = "" if form["space"] else "cvt.u64.u32 %d4, %r7; cvta.shared.u64 %d4, %d4;"
    address = "[%r7]" if form["space"] else "[%d4]"
    data = _random()
    store = "\n".join(f"st.global.u32 [%d3+{4 * i}], %r{10 + i};" for i in range(count))
    got, faults, _ = _run(f"{STAGE}{place}{convert}\n{opcode} {_vector('%r', 10, count)}, {address};\n{store}", data)
    assert faults == []
    rows = [(5 * i + 3) % 32 for i in range(32)]
    for thread in range(THREADS):
        lane = thread % 32
        for i in range(count):
            matrix = _matrix(data, thread // 32, i, rows)
            if form.has("trans"):
                matrix = matrix.T
            row, column = lane // 4, 2 * (lane % 4)
            assert got[thread, i] == int(matrix[row, column]) | int(matrix[row, column + 1]) << 16, (opcode, thread, i)


def _store(opcode: str, form: Form) -> None:
    count = int(form["num"][1:])
    convert = "" if form["space"] else "cvt.u64.u32 %d4, %r8; cvta.shared.u64 %d4, %d4;"
    address = "[%r8]" if form["space"] else "[%d4]"
    data = _random()
    body = f"""st.shared.v4.u32 [%r8], {{-1, -1, -1, -1}}; bar.warp.sync -1;
        ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d1]; {convert}
        {opcode} {address}, {_vector('%r', 10, count)};
        bar.warp.sync -1; ld.shared.v4.u32 {{%r1, %r2, %r3, %r4}}, [%r8];
        st.global.v4.u32 [%d3], {{%r1, %r2, %r3, %r4}};"""
    got, faults, _ = _run(body, data)
    assert faults == []
    want = np.full((THREADS, 8), 0xFFFF, np.uint16)
    for thread in range(THREADS):
        lane = thread % 32
        for i in range(count):
            for half in range(2):
                row, column = lane // 4, 2 * (lane % 4) + half
                if form.has("trans"):
                    row, column = column, row
                want[thread - lane + 8 * i + row, column] = int(data[thread, i]) >> 16 * half & 0xFFFF
    assert (got[:, :4] == want.view(np.uint32)).all(), opcode


def _transpose(opcode: str, form: Form) -> None:
    data = _random()
    got, faults, _ = _run(f"ld.global.u32 %r1, [%d1];\n{opcode} %r2, %r1;\nst.global.u32 [%d3], %r2;", data)
    assert faults == []
    for warp in range(THREADS // 32):
        mine = slice(32 * warp, 32 * warp + 32)
        matrix = data[mine, 0].copy().view(np.uint16).reshape(8, 8)
        assert (got[mine, 0].copy().view(np.uint16).reshape(8, 8) == matrix.T).all()


@pytest.mark.parametrize("row", MOVES, ids=lambda r: r.template)
def test_moving_row(row: Row) -> None:
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        {"ldmatrix": _load, "stmatrix": _store, "movmatrix": _transpose}[row.base](opcode, form)


# --- products ----------------------------------------------------------------------------------------------------

# PTX ISA 9.7.15.5.8 and on: (row, column) of element i of a lane, with g its group and t its place in the group.
Places = Callable[[int, int, int], tuple[int, int]]
PLACES_A: dict[tuple[int, int, int], Places] = {
    (16, 4, 1): lambda g, t, i: (g + 8 * (i & 1), t),
    (16, 8, 1): lambda g, t, i: (g + 8 * (i & 1), t if i < 2 else t + 4),
    (16, 8, 2): lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
    (16, 16, 2): lambda g, t, i: (g if i < 2 or 4 <= i < 6 else g + 8, t * 2 + (i & 1) + (0 if i < 4 else 8)),
    (8, 16, 4): lambda g, t, i: (g, t * 4 + i),
    (16, 16, 4): lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3)),
    (16, 32, 4): lambda g, t, i: (g if i < 4 or 8 <= i < 12 else g + 8, t * 4 + (i & 3) + (0 if i < 8 else 16)),
}
PLACES_B: dict[tuple[int, int], Places] = {
    (4, 1): lambda g, t, i: (t, g),
    (8, 1): lambda g, t, i: (t if i == 0 else t + 4, g),
    (8, 2): lambda g, t, i: (t * 2 + i, g),
    (16, 2): lambda g, t, i: (t * 2 + (i & 1) + (0 if i < 2 else 8), g),
    (16, 4): lambda g, t, i: (t * 4 + i, g),
    (32, 4): lambda g, t, i: (t * 4 + (i & 3) + (0 if i < 4 else 16), g),
}


def _place_c(g: int, t: int, i: int) -> tuple[int, int]:
    return g if i < 2 else g + 8, t * 2 + (i & 1)


def _encode(kind: str, value: int) -> int:
    if kind in ("s8", "u8", "s32"):
        return value % (1 << {"s8": 8, "u8": 8, "s32": 32}[kind])
    return fl.encode("f32" if kind == "tf32" else kind, "rn", Fraction(value))


def _decode(kind: str, bits: int) -> int:
    if kind == "s32":
        return bits - 2**32 if bits >> 31 else bits
    value = fl.decode(kind, bits)
    assert isinstance(value, Fraction)
    assert value.denominator == 1
    return int(value)


WIDTH = {"s8": 8, "u8": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32}


def _fill(words: Words, first: int, width: int, thread: int, elements: list[int]) -> int:
    """Elements as bits into the input words of a thread; how many words they take."""
    per = 32 // width
    for i, bits in enumerate(elements):
        words[thread, first + i // per] |= np.uint32(bits << i % per * width)
    return len(elements) // per


Bits = npt.NDArray[Any]


def _multiply(opcode: str, form: Form, a: Bits, b: Bits, c: Bits, **options: Any) -> Bits:
    """D as bits, of matrices of bits (warps, rows, columns) that lie in registers as the PTX ISA draws them."""
    (m, k), n = a.shape[1:], b.shape[2]
    wa, wb, wc = (WIDTH[form[part]] for part in "abc")
    place_a, place_b = PLACES_A[m, k, 32 // wa], PLACES_B[k, 32 // wb]
    words = np.zeros((THREADS, 16), np.uint32)
    counts: tuple[int, ...] = ()
    for thread in range(THREADS):
        warp, g, t = thread // 32, thread % 32 // 4, thread % 4
        in_a = [int(a[warp][place_a(g, t, i)]) for i in range(m * k // 32)]
        in_b = [int(b[warp][place_b(g, t, i)]) for i in range(k * n // 32)]
        in_c = [int(c[warp][_place_c(g, t, i)]) for i in range(m * n // 32)]
        first, used = 0, []
        for width, elements in ((wa, in_a), (wb, in_b), (wc, in_c)):
            used.append(_fill(words, first, width, thread, elements))
            first += used[-1]
        counts = tuple(used)
    na, nb, nc = counts
    loads = "\n".join(f"ld.global.u32 %r{10 + i}, [%d1+{4 * i}];" for i in range(na + nb + nc))
    to, add = _vector("%r", 1, nc), _vector("%r", 10 + na + nb, nc)
    body = f"{loads}\n{opcode} {to}, {_vector('%r', 10, na)}, {_vector('%r', 10 + na, nb)}, {add};\n"
    body += "\n".join(f"st.global.u32 [%d3+{4 * i}], %r{1 + i};" for i in range(nc))
    got, faults, _ = _run(body, words, **options)
    assert faults == []
    result = np.zeros(c.shape, np.uint32)
    for thread in range(THREADS):
        warp, g, t = thread // 32, thread % 32 // 4, thread % 4
        for i in range(m * n // 32):
            bits = int(got[thread, i * wc // 32]) >> i * wc % 32 & ((1 << wc) - 1)
            result[warp][_place_c(g, t, i)] = bits
    return result


def _sizes(row: Row) -> tuple[int, int, int]:
    """m, n and k of a row."""
    m, n, k = (int(v) for v in row.template.split(".")[3][1:].replace("n", " ").replace("k", " ").split())
    return m, n, k


@pytest.mark.parametrize("row", MMAS, ids=lambda r: r.template)
def test_product_row(row: Row) -> None:
    """Whole numbers small enough for every order to be exact."""
    m, n, k = _sizes(row)
    for number, opcode in enumerate(spellings(row)):
        form = row.match(opcode)
        assert form is not None
        ta, tb, tc = form["a"], form["b"], form["c"]
        random = np.random.default_rng(number)
        limits = {"u8": (0, 256), "s8": (-128, 128)}
        a, b = (
            random.integers(*limits.get(t, (-4, 5)), (THREADS // 32, x, y)) for t, x, y in ((ta, m, k), (tb, k, n))
        )
        c = random.integers(-9, 10, (THREADS // 32, m, n))
        if tc == "s32" and number % 2:
            c[:, ::2] = 2**31 - 1
        encoded = (np.vectorize(partial(_encode, t), otypes=[np.uint32])(v) for t, v in ((ta, a), (tb, b), (tc, c)))
        got = _multiply(opcode, form, *encoded)
        exact = a.astype(object) @ b.astype(object) + c.astype(object)
        if form.has("sat"):
            exact = np.clip(exact, -(2**31), 2**31 - 1)
        elif tc == "s32":
            exact = (exact + 2**31) % 2**32 - 2**31
        assert (np.vectorize(partial(_decode, tc), otypes=[object])(got) == exact).all(), opcode


FLOATS = [row for row in MMAS if "satfinite" not in row.template]


def _near(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Bits:
    """Bits of numbers of about one size, so that sums are cut and rounded."""
    kept = {"f16": 10, "bf16": 7, "tf32": 23, "f32": 23}[kind]
    exponent = random.integers(-6, 7, shape) + {"f16": 15, "bf16": 127, "tf32": 127, "f32": 127}[kind]
    sign = random.integers(0, 2, shape) << (WIDTH[kind] - 1)
    return np.asarray(sign | exponent << kept | random.integers(0, 1 << kept, shape)).astype(np.uint32)


@pytest.mark.parametrize("row", FLOATS, ids=lambda r: r.template)
def test_a_product_of_floats_is_that_of_the_chosen_tensor_core(row: Row) -> None:
    """Bit for bit, whatever the model; Ada is chosen where nothing is said."""
    m, n, k = _sizes(row)
    words = {16: np.uint16, 32: np.uint32}
    for number, opcode in enumerate(spellings(row)):
        form = row.match(opcode)
        assert form is not None
        kind, tc = form["a"], form["c"]
        random = np.random.default_rng(number)
        a, b, c = (
            _near(random, t, (THREADS // 32, x, y)) for t, x, y in ((kind, m, k), (kind, k, n), (tc, m, n))
        )
        size = (THREADS // 32, m, n, k)
        rows, columns = (
            np.broadcast_to(v, size).astype(words[WIDTH[kind]])
            for v in (a[:, :, None, :], b.transpose(0, 2, 1)[:, None])
        )
        seen = []
        for core in MODELS.values():
            want = core.dot(kind, tc, rows, columns, c.astype(words[WIDTH[tc]]))
            seen.append(_multiply(opcode, form, a, b, c, tensor_core=core))
            assert (seen[-1] == want).all(), (opcode, core.name)
        assert (_multiply(opcode, form, a, b, c) == seen[list(MODELS).index("ada")]).all()
        # Two roundings of a binary16 accumulator hide the bits that one group keeps and the other does not.
        assert tc == "f16" or (seen[0] != seen[1]).any(), opcode


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.name)
def test_a_probe_on_the_emulator(probe: Probe) -> None:
    """All rows, all columns and all accumulators alike: every element is what is written down for the model."""
    row = next(r for r in MMAS if r.template.startswith("mma.sync.aligned.m16n8k16") and ".f32." in r.template)
    opcode = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    form = row.match(opcode)
    assert form is not None
    x, y, z = probe.words()
    a, b = np.broadcast_to(x, (2, 16, 16)), np.broadcast_to(y[:, None], (2, 16, 8))
    results = {}
    for name, core in MODELS.items():
        got = _multiply(opcode, form, a, b, np.broadcast_to(z, (2, 16, 8)), tensor_core=core)
        assert len(np.unique(got)) == 1
        results[name] = scalar.decode(int(got.flat[0]), scalar.F32)
    assert results == probe.expected
    assert (results["ada"] != results["hopper"]) == (probe.name in ("P2", "P4", "P9b", "P13"))


def _dot(a: list[float], b: list[float], c: float) -> float:
    x, y = (np.array([v + [0.0] * (16 - len(v))], np.float16).view(np.uint16) for v in (a, b))
    with np.errstate(all="ignore"):
        bits = HOPPER.dot("f16", "f32", x, y, np.array([c], np.float32).view(np.uint32))
    return float(bits.view(np.float32)[0])


def _dot16(kind: str, a: list[float], b: list[float]) -> float:
    """Of numbers that are cut to bf16."""
    x, y = ((np.array([v], np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16) for v in (a, b))
    with np.errstate(all="ignore"):
        return float(HOPPER.dot(kind, "f32", x, y, np.zeros(1, np.uint32)).view(np.float32)[0])


def test_sums_are_cut_as_measured_on_an_h200() -> None:
    assert _dot([1, 2.0**-12, -1], [1, 2.0**-13, 1], 0) == 2.0**-25
    assert _dot([1, 2.0**-13, -1], [1, 2.0**-13, 1], 0) == 0.0
    assert _dot([1.0, *[2.0**-12] * 15], [1.0, *[2.0**-13] * 15], 2.0**-25) == 1.0 + 2.0**-23 * 3 + 2.0**-23
    assert _dot([1, -(2.0**-12)], [1, 2.0**-13], 0) == 1 - 2.0**-24
    assert _dot([2.0**-24], [1], 0) == 2.0**-24
    assert _dot([], [], 2.0**-149) == 2.0**-149
    assert np.isnan(_dot([np.inf], [0], 0))
    assert np.isnan(_dot([np.inf, -np.inf], [1, 1], 0))
    assert _dot([np.inf], [1], -5) == np.inf
    assert np.isfinite(_dot([65504] * 16, [65504] * 16, 3e38))
    greatest = float(np.finfo(np.float32).max)
    assert _dot([32768] * 16, [-32768] * 16, -greatest) == -greatest
    assert _dot16("bf16", [greatest, greatest / 2], [1.0, 1.0]) == np.inf


# --- faults ------------------------------------------------------------------------------------------------------

LDMATRIX = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r8];"
STMATRIX = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r8], {%r1, %r2, %r3, %r4};"
ZERO = "mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;"
FAULTY = {
    "own row written before, others read it": (
        RACE, f"st.shared.v4.u32 [%r8], {{0, 0, 0, 0}};\n{LDMATRIX} // FAULT",
        f"st.shared.v4.u32 [%r8], {{0, 0, 0, 0}}; bar.warp.sync -1;\n{LDMATRIX}",
    ),
    "own row written after, others read it": (
        RACE, f"{STAGE}{LDMATRIX}\nst.shared.v4.u32 [%r8], {{0, 0, 0, 0}}; // FAULT",
        f"{STAGE}{LDMATRIX}\nbar.warp.sync -1; st.shared.v4.u32 [%r8], {{0, 0, 0, 0}};",
    ),
    "what other lanes stored read without a barrier": (
        RACE, f"{ZERO}\n{STMATRIX}\nld.shared.u32 %r5, [%r8]; // FAULT",
        f"{ZERO}\n{STMATRIX}\nbar.warp.sync -1; ld.shared.u32 %r5, [%r8];",
    ),
    "in half of a warp": (
        INACTIVE_LANE, f"{STAGE}and.b32 %r5, %r0, 31; setp.lt.u32 %p0, %r5, 16;\n@%p0 {LDMATRIX} // FAULT",
        f"{STAGE}and.b32 %r5, %r0, 32; setp.eq.u32 %p0, %r5, 0;\n@%p0 {LDMATRIX}",
    ),
    "a row that is not aligned": (
        MISALIGNED, f"{STAGE}bar.sync 0; and.b32 %r5, %r0, 31; setp.eq.u32 %p0, %r5, 3; @%p0 add.u32 %r8, %r8, 8;\n"
        f"{LDMATRIX} // FAULT", f"{STAGE}{LDMATRIX}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("schedule", ["forward", "reverse", 5], ids=str)
@pytest.mark.parametrize("name", FAULTY)
def test_faulty_program_is_caught_and_its_repair_is_clean(name: str, schedule: str | int) -> None:
    kind, faulty, repaired = FAULTY[name]
    _, faults, marked = _run(faulty, _random(), schedule=schedule)
    assert {f.kind for f in faults} == {kind}
    assert all({f.line, f.other_line} & marked for f in faults), [str(f) for f in faults]
    assert _run(repaired, _random(), schedule=schedule)[1] == []


def test_a_block_without_whole_warps_cannot_multiply() -> None:
    _, faults, _ = _run("mov.u32 %r1, 0;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;", _random(), block=48)
    assert {f.kind for f in faults} == {INACTIVE_LANE}


def test_a_matrix_lies_in_shared_memory() -> None:
    body = "ldmatrix.sync.aligned.m8n8.x4.b16 {%r1, %r2, %r3, %r4}, [%d1];"
    with pytest.raises(Unsupported, match="outside of shared memory"):
        _run(body, _random())
