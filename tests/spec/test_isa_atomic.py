"""Atomic rows: spellings in small programs; memory and old values are those of the threads taking turns."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from spec.ptx.ast import type_width
from spec.ptx.isa import ROWS
from spec.ptx.isa_memory import count, space
from spec.ptx.memory import Memory
from spec.ptx.row import Form, Row
from tests.harness.isa_forms import parts_of
from tests.harness.isa_inputs import corners
from tests.spec import float_oracle as fl
from tests.spec.programs import kernel, launch

ATOMIC_ROWS = [row for row in ROWS if row.base in ("atom", "red")]
THREADS, SLOT = 32, 16
REGISTERS = {16: ("b16", "%v"), 32: ("b32", "%v"), 64: ("b64", "%v")}


def spelled(row: Row) -> list[str]:
    """Every operation, type and vector; the other parts one at a time."""
    parts = parts_of(row)
    main = [a if name in ("op", "type", "vec") else a[:1] for name, a in parts]
    found = ["".join(choice) for choice in itertools.product(*main)]
    for place, (name, alternatives) in enumerate(parts):
        if name in ("op", "type", "vec"):
            continue
        found += ["".join(a if i == place else b[0] for i, (_, b) in enumerate(parts)) for a in alternatives[1:]]
    return list(dict.fromkeys(found))


def _signed(width: int, a: int) -> int:
    return a - (1 << width) if a >> (width - 1) else a


def _plain(f: Form, old: int, b: int) -> int:
    """PTX ISA 9.7.13.5, in Python's integers."""
    w = f.width

    def number(a: int) -> int:
        return _signed(w, a) if f.signed else a

    table: dict[str, Callable[[], int]] = {
        "add": lambda: old + b,
        "min": lambda: min(old, b, key=number),
        "max": lambda: max(old, b, key=number),
        "and": lambda: old & b,
        "or": lambda: old | b,
        "xor": lambda: old ^ b,
        "exch": lambda: b,
        "inc": lambda: 0 if old >= b else old + 1,
        "dec": lambda: b if old == 0 or old > b else old - 1,
    }
    return table[f["op"]]() % (1 << w)


def _half(f: Form, t: str, old: int, b: int, where: str) -> int:
    if f["op"] == "add":
        return fl.add(t, "rn", t == "f32" and where == "global", False, old, b)
    return fl.extremum(t, False, False, f["op"] == "max", old, b)


def updated(f: Form, old: int, operands: list[int], where: str) -> int:
    """The word left in memory."""
    if "op" not in f.parts:
        return operands[1] if old == operands[0] else old
    if not f.type.startswith(("f", "bf")):
        return _plain(f, old, operands[0])
    t = f.type.removesuffix("x2")
    if t == f.type:
        return _half(f, t, old, operands[0], where)
    parts = (_half(f, t, old >> s & 0xFFFF, operands[0] >> s & 0xFFFF, where) << s for s in (0, 16))
    return sum(parts)


def _same(f: Form, got: int, want: int) -> bool:
    t = f.type.removesuffix("x2")
    if t not in fl.FRACTION:
        return got == want
    w = fl.WIDTH[t]
    for shift in range(0, f.width, w):
        a, b = (v >> shift & ((1 << w) - 1) for v in (got, want))
        if a != b and not (fl.is_nan(t, a) and fl.is_nan(t, b)):
            return False
    return True


def _module(opcode: str, row: Row, form: Form, place: str, shared_slot: bool) -> str:
    """Operands from `data`, old values to `result`; the words updated lie in `out`, or in memory they are copied to."""
    w, n = form.width, count(form)
    kind = REGISTERS[w][0]
    arguments = 2 if "op" not in form.parts else 1
    names = [f"%v{i}" for i in range(max(n, arguments))]
    vector = names[0] if n == 1 else "{" + ", ".join(names[:n]) + "}"
    operands = ", ".join(names[:arguments]) if arguments == 2 else vector
    loads = "\n".join(f"ld.global.{kind} {name}, [%d3+{i * w // 8}];" for i, name in enumerate(names))
    old = [f"%w{i}" for i in range(n)]
    target = "" if not row.results else (old[0] if n == 1 else "{" + ", ".join(old) + "}") + ", "
    kept = "\n".join(f"st.global.{kind} [%d4+{i * w // 8}], {o};" for i, o in enumerate(old)) if row.results else ""
    stride = 0 if shared_slot else SLOT
    copy_in = copy_back = convert = ""
    address = f"mad.wide.u32 %d1, %r0, {stride}, %d5;"
    if place == "shared":
        own = f"mad.wide.u32 %d2, %r0, {SLOT}, %d6;"
        words = range(0, SLOT, 8)
        copy_in = own + "".join(f"ld.global.b64 %d7, [%d8+{i}]; st.shared.b64 [%d2+{i}], %d7;" for i in words)
        copy_back = "bar.sync 0;" + "".join(
            f"ld.shared.b64 %d7, [%d2+{i}]; st.global.b64 [%d8+{i}], %d7;" for i in words
        )
        copy_in += "bar.sync 0;"
        address = address.replace("%d5", "%d6")
        convert = "cvta.shared.u64 %d1, %d1;" if space(form) == "generic" else ""
    hint = ", %d9" if form.has("hint") else ""
    return f"""
        .reg .{kind} {', '.join((*names, *old))};
        mov.u32 %r0, %tid.x; mov.u64 %d9, 0; mov.u64 %d6, s;
        ld.param.u64 %d5, [out]; mad.wide.u32 %d8, %r0, {SLOT}, %d5;
        ld.param.u64 %d3, [data]; mad.wide.u32 %d3, %r0, {SLOT}, %d3;
        ld.param.u64 %d4, [result]; mad.wide.u32 %d4, %r0, {SLOT}, %d4;
        {copy_in}
        {address} {convert}
        {loads}
        {opcode} {target}[%d1], {operands}{hint};
        {kept}
        {copy_back}"""


def _words(form: Form, seed: int) -> list[int]:
    """Corner values of the type, in an order that the seed chooses; counters get small numbers too."""
    kind = form.type
    values = corners(kind) + ([0, 1, 2, 3, 4, 5] * 3 if "op" not in form.parts or form["op"] in ("inc", "dec") else [])
    random = np.random.default_rng(seed)
    per = SLOT * 8 // form.width
    return [int(values[i]) for i in random.integers(0, len(values), THREADS * per)]


def _bytes(form: Form, words: list[int]) -> bytes:
    return b"".join(w.to_bytes(form.width // 8, "little") for w in words)


def _run(opcode: str, row: Row, form: Form, place: str, shared_slot: bool) -> None:
    old, operands = _words(form, 1), _words(form, 2)
    if "op" not in form.parts:  # every other comparison holds
        operands[:: 2 * SLOT * 8 // form.width] = old[:: 2 * SLOT * 8 // form.width]
    memory = Memory()
    memory.add("out", _bytes(form, old))
    memory.add("data", _bytes(form, operands), writable=False)
    memory.add("result", size=THREADS * SLOT, initialised=True)
    module = kernel(
        _module(opcode, row, form, place, shared_slot), shared=f"s[{THREADS * SLOT}]",
        params=".param .u64 out, .param .u64 data, .param .u64 result",
    )
    args: dict[str, int | bytes] = {name: memory[name].base for name in ("out", "data", "result")}
    assert launch(module, memory, args, block=(THREADS, 1, 1)).faults == []
    per, n = SLOT * 8 // form.width, count(form)
    expected, before = list(old), [0] * len(old)
    for thread in range(THREADS):
        slot = 0 if shared_slot else thread * per
        for i in range(n):
            before[thread * per + i] = expected[slot + i] if row.results else 0
            given = operands[thread * per + i :][:2]
            expected[slot + i] = updated(form, expected[slot + i], given, place)
    kind = np.dtype(f"u{form.width // 8}")
    for name, wanted in (("out", expected), ("result", before)):
        got = [int(v) for v in memory[name].array(kind)]
        wrong = [i for i, (g, w) in enumerate(zip(got, wanted, strict=True)) if not _same(form, g, w)]
        assert not wrong, f"{opcode} in {place}: word {wrong[0]} of {name}: {got[wrong[0]]:#x}, {wanted[wrong[0]]:#x}"


@pytest.mark.parametrize("one", [False, True], ids=["each its own", "all one word"])
@pytest.mark.parametrize("row", ATOMIC_ROWS, ids=lambda r: r.template[-50:])
def test_atomic_row(row: Row, one: bool) -> None:
    for opcode in spelled(row):
        form = row.match(opcode)
        assert form is not None
        assert form.width == type_width(form.type)
        places = ["global", "shared"] if space(form) == "generic" and not form.has("vec") else [space(form)]
        for place in ("global" if p == "generic" else p for p in places):
            _run(opcode, row, form, place, one)
