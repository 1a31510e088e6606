"""Memory rows: each spelling, sampled, in a small program: the bytes moved are the ones its type and vector name."""

from __future__ import annotations

import random

import numpy as np
import pytest

from spec.ptx.ast import type_width
from spec.ptx.isa import ROWS
from spec.ptx.isa_memory import count, space
from spec.ptx.memory import Memory
from spec.ptx.row import MEMORY, Form, Row
from tests.harness.isa_forms import spellings
from tests.spec.programs import kernel, launch
from tests.spec.test_isa_async import COPY_ROWS
from tests.spec.test_isa_atomic import ATOMIC_ROWS
from tests.spec.test_isa_matrix import MATRIX_ROWS

SAMPLES = 30
MEMORY_ROWS = [row for row in ROWS if row.kind == MEMORY]
DATA = np.random.default_rng(5).integers(0, 256, 64, dtype=np.uint8)
WIDTHS = {8: "b16", 16: "b16", 32: "b32", 64: "b64"}
CVTA = [row for row in MEMORY_ROWS if row.base == "cvta"]
SPACES = [row for row in MEMORY_ROWS if row.base == "isspacep"]
LOADS = [row for row in MEMORY_ROWS if row.base == "ld"]
STORES = [row for row in MEMORY_ROWS if row.base == "st"]


def _sample(row: Row) -> list[tuple[str, Form]]:
    """Spellings of the row, 256 bits at most, each with its form."""
    opcodes = list(spellings(row))
    chosen = random.Random(row.template).sample(opcodes, min(SAMPLES, len(opcodes)))
    formed = [(opcode, form) for opcode in chosen if (form := row.match(opcode)) is not None]
    return [(opcode, form) for opcode, form in formed if form.width * count(form) <= 256]


def _registers(form: Form) -> tuple[str, str]:
    """Declarations of as many registers as the access moves, and the operand that names them."""
    names = [f"%v{i}" for i in range(count(form))]
    operand = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
    return f".reg .{WIDTHS[form.width]} {', '.join(names)};", operand


def _address(form: Form, wanted: str) -> str:
    """Instructions that put an address of 64 bytes into %d1, in the form's own or the generic space."""
    places = {"global": "ld.param.u64 %d1, [out];", "shared": "mov.u64 %d1, s;", "local": "mov.u64 %d1, l;",
              "const": "mov.u64 %d1, table;"}
    if space(form) == "generic":
        convert = "" if wanted == "global" else f"cvta.{wanted}.u64 %d1, %d1;"
        return places[wanted] + convert
    return places[space(form)]


def _fill(where: str) -> str:
    """Copy the input buffer's 64 bytes to shared or local memory."""
    if where not in ("shared", "local"):
        return ""
    symbol = {"shared": "s", "local": "l"}[where]
    lines = [f"mov.u64 %d2, {symbol}; ld.param.u64 %d3, [data];"]
    for i in range(0, 64, 8):
        lines.append(f"ld.global.u64 %d4, [%d3+{i}]; st.{where}.u64 [%d2+{i}], %d4;")
    return "\n".join(lines)


def _policy(form: Form) -> str:
    return ", %d9" if form.has("hint") else ""


def _run(body: str, memory: Memory) -> None:
    table = ", ".join(str(b) for b in DATA)
    module = kernel(
        f"mov.u64 %d9, 0;\n{body}", shared="s[64]", local="l[64]",
        module=f".const .align 32 .b8 table[64] = {{{table}}};",
        params=".param .u64 out, .param .u64 data, .param .u64 result",
    )
    args: dict[str, int | bytes] = {name: memory[name].base for name in ("out", "data", "result")}
    assert launch(module, memory, args).faults == []


def _memory() -> Memory:
    memory = Memory()
    memory.add("out", DATA)
    memory.add("data", DATA, writable=False)
    memory.add("result", size=64)
    return memory


def _expected(form: Form) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """What the loaded registers hold, stored as b16, b32 or b64: bytes are extended by the sign of the type."""
    moved = DATA[32 : 32 + form.width // 8 * count(form)]
    if form.width == 8:
        kind = np.int8 if form.signed else np.uint8
        return moved.view(kind).astype(np.int16).view(np.uint8)
    return moved


@pytest.mark.parametrize("row", LOADS, ids=lambda r: r.template[:40])
def test_loads(row: Row) -> None:
    for opcode, form in _sample(row):
        declared, operand = _registers(form)
        width = type_width(WIDTHS[form.width])
        stores = "\n".join(f"st.global.b{width} [%d8+{i * width // 8}], %v{i};" for i in range(count(form)))
        where = "global" if row.template.startswith("ld.global") else space(form)
        places = ["global", "shared", "local"] if where == "generic" else [where]
        for place in places if row.sources[0] == "mem" else ["param"]:
            memory = _memory()
            if place == "param":
                # The parameter block itself: `out` and `data` hold known addresses.
                module = kernel(
                    f"{declared}\nld.param.u64 %d8, [result];\n{opcode} {operand}, [out];\n{stores}",
                    params=".param .align 32 .b8 out[32], .param .u64 result",
                )
                given = DATA[32:].tobytes()
                result = launch(module, memory, {"out": given, "result": memory["result"].base})
                assert result.faults == []
            else:
                address = "ld.param.u64 %d1, [out];" if where == "global" else _address(form, place)
                _run(
                    f"{declared}\n{_fill(place)}\n{address}\nld.param.u64 %d8, [result];\n"
                    f"{opcode} {operand}, [%d1+32]{_policy(form)};\n{stores}",
                    memory,
                )
            want = _expected(form)
            got = np.frombuffer(memory["result"].data(0, len(want)), np.uint8)
            assert (got == want).all(), opcode


@pytest.mark.parametrize("row", STORES, ids=lambda r: r.template[:40])
def test_stores(row: Row) -> None:
    for opcode, form in _sample(row):
        declared, operand = _registers(form)
        width = type_width(WIDTHS[form.width])
        loads = "\n".join(f"ld.global.b{width} %v{i}, [%d8+{i * width // 8}];" for i in range(count(form)))
        for place in ["global", "shared", "local"] if space(form) == "generic" else [space(form)]:
            memory = _memory()
            size = form.width // 8 * count(form)
            back = "" if place == "global" else "\n".join(
                f"ld.{place}.u8 %h0, [%d2+{32 + i}]; st.global.u8 [%d7+{32 + i}], %h0;" for i in range(size)
            )
            symbol = {"global": "s", "shared": "s", "local": "l"}[place]
            _run(
                f"{declared}\n{_address(form, place)}\nld.param.u64 %d8, [data];\nld.param.u64 %d7, [out];\n"
                f"mov.u64 %d2, {symbol};\n{loads}\n{opcode} [%d1+32], {operand}{_policy(form)};\n{back}",
                memory,
            )
            words = DATA[: width // 8 * count(form)].reshape(count(form), -1)[:, : form.width // 8].ravel()
            want = np.concatenate([DATA[:32], words, DATA[32 + size :]])
            got = np.frombuffer(memory["out"].data(), np.uint8)
            assert (got == want).all(), opcode


@pytest.mark.parametrize("row", CVTA, ids=lambda r: r.template)
def test_addresses_convert_there_and_back(row: Row) -> None:
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        if form.width == 32:
            continue  # no kernel of 64-bit addresses may use it
        other = opcode.replace("cvta.to.", "cvta.") if ".to." in opcode else opcode.replace("cvta.", "cvta.to.")
        generic, own = (opcode, other) if ".to." not in opcode else (other, opcode)
        source = {"global": "ld.param.u64 %d1, [out];", "shared": "mov.u64 %d1, s;", "local": "mov.u64 %d1, l;",
                  "const": "mov.u64 %d1, table;"}[form["space"]]
        fill = _fill(form["space"])
        memory = _memory()
        _run(
            f"{fill}\n{source}\n{generic} %d2, %d1;\n{own} %d3, %d2;\nld.param.u64 %d8, [result];\n"
            f"ld.u32 %r1, [%d2+4];\nst.global.u32 [%d8], %r1;\n"
            f"ld.{form['space']}.u32 %r2, [%d3+4];\nst.global.u32 [%d8+4], %r2;",
            memory,
        )
        got = np.frombuffer(memory["result"].data(0, 8), np.uint8)
        assert (got == np.tile(DATA[4:8], 2)).all(), opcode


@pytest.mark.parametrize("row", SPACES, ids=lambda r: r.template)
def test_generic_addresses_know_their_space(row: Row) -> None:
    """PTX ISA 9.7.9.19; an H200 says that constants do not lie in global memory."""
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        for place, source in (("global", "ld.param.u64 %d1, [out];"), ("shared", "mov.u64 %d1, s;"),
                              ("local", "mov.u64 %d1, l;"), ("const", "mov.u64 %d1, table;")):
            convert = "" if place == "global" else f"cvta.{place}.u64 %d1, %d1;"
            memory = _memory()
            _run(f"{source}{convert}\n{opcode} %p1, %d1;\nselp.u32 %r1, 1, 0, %p1; ld.param.u64 %d8, [result];"
                 "st.global.u32 [%d8], %r1;", memory)
            got = int(memory["result"].array(np.uint32)[0])
            assert got == (place == space(form)), (opcode, place)


def test_every_memory_row_is_covered() -> None:
    tested = (*SPACES, *LOADS, *STORES, *CVTA, *ATOMIC_ROWS, *COPY_ROWS, *MATRIX_ROWS)
    assert {r.template for r in (*MEMORY_ROWS, *MATRIX_ROWS)} == {r.template for r in tested}
