"""Small programs for the rows whose meaning is not one value: memory, exchange between lanes, barriers, control flow.

Atomics have a module of their own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from spec.ptx.ast import type_width
from spec.ptx.isa import ROWS, lookup
from spec.ptx.row import CONTROL, MEMORY, Row
from tests.harness.isa_atomic_programs import atomic_programs
from tests.harness.isa_copy_programs import copy_programs
from tests.harness.isa_forms import parts_of
from tests.harness.isa_matrix_programs import matrix_programs
from tests.harness.isa_program import SLOT, THREADS, Program, own_memory, register

_TABLE = "0x03020181, 0x87868584, 0xFFFFFFFF, 0x80000000, 0x7FC00001, 0, 0x12345678, 0x9ABCDEF0"


def programs() -> tuple[Program, ...]:
    """All of them."""
    special = (*atomic_programs(), *copy_programs(), *matrix_programs())
    return (*_memory_programs(), *special, *_lane_programs(), *_CONTROL, *_MOVES)


# --- memory -----------------------------------------------------------------------------------------------------------


def _memory_programs() -> Iterator[Program]:
    for row in ROWS:
        if row.kind != MEMORY or row.base not in ("ld", "st", "mov", "cvta", "isspacep"):
            continue
        if row.base == "isspacep":
            yield from (_space(row, opcode) for opcode in _sampled(row))
            continue
        if row.base == "cvta":
            yield from (_conversion(row, opcode) for opcode in _sampled(row))
            continue
        for opcode in _sampled(row):
            if "cache_hint" not in opcode and ".v8" not in opcode:  # a policy operand; sm_100
                yield from _access(row, opcode)


def _sampled(row: Row) -> list[str]:
    """Opcodes in which every alternative occurs: of plain accesses all types, vectors and spaces together, the others
    one at a time."""
    parts = parts_of(row)
    plain = not re.match(r"(ld|st)\.(volatile|\{order)", row.template)
    together = ("type", "vec", "space", "") if plain else ("type", "")
    main = [alternatives if name in together else alternatives[:1] for name, alternatives in parts]
    found = ["".join(choice) for choice in itertools.product(*main)]
    for place, (name, alternatives) in enumerate(parts):
        if name in together:
            continue
        for alternative in alternatives[1:]:
            chosen = [
                alternative if i == place else (".u32" if n == "type" and ".u32" in a else a[0])
                for i, (n, a) in enumerate(parts)
            ]
            found.append("".join(chosen))
    return list(dict.fromkeys(found))


def _access(row: Row, opcode: str) -> Iterator[Program]:
    found = lookup(opcode)
    assert found is not None, opcode
    form = found[1]
    width, elements = type_width(form.type), int(form["vec"].removeprefix("v") or "1")
    if width * elements > 128:
        return
    space = "param" if opcode.startswith("ld.param") else form["space"].removesuffix("::cta") or "generic"
    if space == "param" and (width * elements > 32 or elements > 1):
        return  # the only parameter with the same bytes everywhere has 32 bits; wider loads are in every program
    if row.results:
        yield _load(row, opcode, space, max(16, width), elements)
        if width < 64 and elements == 1:
            yield _load(row, opcode, space, 64, elements)  # into a wider register: extended by the type
    else:
        yield _store(row, opcode, space, max(16, width), elements)


def _operand(width: int, elements: int) -> str:
    names = [register(width, k) for k in range(elements)]
    return names[0] if elements == 1 else "{" + ", ".join(names) + "}"


def _load(row: Row, opcode: str, space: str, width: int, elements: int) -> Program:
    declarations: tuple[str, ...] = ()
    code, address, module = list[str](), "[%rd1]", ""
    if space in ("shared", "local"):
        declarations, code, address = own_memory(space)
        for k in range(SLOT // 8):
            code += [f"ld.global.b64 %rd7, [%rd1+{8 * k}];", f"st.{space}.b64 [%rd4+{8 * k}], %rd7;"]
    if space == "const":
        module, address = f".const .align 32 .b32 table[8] = {{{_TABLE}}};", "[table]"
    if space == "param":
        address = "[n]"
    code.append(f"{opcode} {_operand(width, elements)}, {address};")
    code += [f"st.global.b{width} [%rd2+{8 * k}], {register(width, k)};" for k in range(elements)]
    return Program(f"{opcode} into {width} bits", (row.template,), tuple(code), declarations, module)


def _store(row: Row, opcode: str, space: str, width: int, elements: int) -> Program:
    declarations: tuple[str, ...] = ()
    code, address = list[str](), "[%rd2]"
    if space in ("shared", "local"):
        declarations, code, address = own_memory(space)
        code += ["mov.b64 %rd7, 0;", *(f"st.{space}.b64 [%rd4+{8 * k}], %rd7;" for k in range(SLOT // 8))]
    code += [f"ld.global.b{width} {register(width, k)}, [%rd1+{8 * k}];" for k in range(elements)]
    code.append(f"{opcode} {address}, {_operand(width, elements)};")
    if space in ("shared", "local"):
        for k in range(SLOT // 8):
            code += [f"ld.{space}.b64 %rd7, [%rd4+{8 * k}];", f"st.global.b64 [%rd2+{8 * k}], %rd7;"]
    return Program(opcode, (row.template,), tuple(code), declarations)


def _conversion(row: Row, opcode: str) -> Program:
    """To a generic address, or there and back, and one load through what comes out."""
    found = lookup(opcode)
    assert found is not None, opcode
    space, width = found[1]["space"], found[1].width
    declarations: tuple[str, ...] = ()
    code, module, register = ["mov.b64 %rd4, %rd1;"], "", "%rd4"
    if space in ("shared", "local"):
        declarations, code, _ = own_memory(space)
        code += ["ld.global.b64 %rd7, [%rd1];", f"st.{space}.b64 [%rd4], %rd7;"]
    if space == "const":
        module, code = f".const .align 32 .b32 table[8] = {{{_TABLE}}};", ["mov.u64 %rd4, table;"]
    if width == 32:
        code, register = [*code, "cvt.u32.u64 %r4, %rd4;"], "%r4"
    if ".to." in opcode:
        code.append(f"cvta.{space}.u{width} {register}, {register};")
    code += [
        f"{opcode} {register}, {register};",
        f"ld.{space + '.' if '.to.' in opcode else ''}b64 %rd6, [{register}];",
    ]
    return Program(opcode, (row.template,), (*code, "st.global.b64 [%rd2], %rd6;"), declarations, module)


def _space(row: Row, opcode: str) -> Program:
    """Addresses of four spaces, asked one after the other."""
    shared, code, _ = own_memory("shared")
    code += ["mov.u64 %rd8, mine;", "mov.u64 %rd9, table;"]
    for i, (space, held) in enumerate((("", "%rd2"), ("shared", "%rd4"), ("local", "%rd8"), ("const", "%rd9"))):
        if space:
            code.append(f"cvta.{space}.u64 {held}, {held};")
        code += [f"{opcode} %p0, {held};", "selp.u32 %r0, 1, 0, %p0;", f"st.global.b32 [%rd2+{4 * i}], %r0;"]
    declarations = (*shared, ".local .align 8 .b8 mine[8];")
    module = f".const .align 32 .b32 table[8] = {{{_TABLE}}};"
    return Program(opcode, (row.template,), tuple(code), declarations, module)


# --- lanes ------------------------------------------------------------------------------------------------------------


def _lane_programs() -> Iterator[Program]:
    """Whole warps, and the odd lanes of each warp alone behind a branch."""
    for row in ROWS:
        if row.kind != CONTROL or row.meaning is None or row.base in ("mma", "movmatrix"):
            continue
        for opcode in _sampled(row):
            everyone = _exchange(row, opcode, "0xFFFFFFFF")
            yield Program(opcode, (row.template,), (*_READ, *everyone))
            odd = ("and.b32 %r9, %t, 1;", "setp.eq.u32 %p5, %r9, 0;", "@%p5 bra DONE;")
            body = (*_READ, *odd, *_exchange(row, opcode, "0xAAAAAAAA"), "DONE:")
            yield Program(f"{opcode} among odd lanes", (row.template,), body)


_READ = ("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];", "setp.lt.s32 %p0, %r0, 0;")


def _exchange(row: Row, opcode: str, members: str) -> tuple[str, ...]:
    result = "st.global.b32 [%rd2], %r4;"
    if opcode.startswith("shfl"):
        # Lane or distance from %r1, clamp and segment mask from %r2; among odd lanes, even sources are not members.
        bits = "0x1F" if members == "0xFFFFFFFF" else "0x1E"
        odd = ("or.b32 %r1, %r1, 1;",) if members != "0xFFFFFFFF" and ".idx" in opcode else ()
        clamp = ("and.b32 %r2, %r2, 0x1F1F;",) if members == "0xFFFFFFFF" else ("mov.b32 %r2, 0x1F;",)
        clamp = ("mov.b32 %r2, 0;",) if members != "0xFFFFFFFF" and ".up" in opcode else clamp
        code = (f"and.b32 %r1, %r1, {bits};", *odd, *clamp, f"{opcode} %r4|%p1, %r0, %r1, %r2, {members};")
        return (*code, result, "selp.u32 %r5, 1, 0, %p1;", "st.global.b32 [%rd2+4], %r5;")
    if opcode.startswith("vote.sync.ballot"):
        return (f"{opcode} %r4, %p0, {members};", result)
    if opcode.startswith("vote"):
        return (
            *(f"{opcode} %p1, %p0, {members};", "selp.u32 %r4, 1, 0, %p1;", result),
            *("setp.eq.u32 %p2, %r0, %r0;", f"{opcode} %p1, %p2, {members};"),
            *("selp.u32 %r4, 1, 0, %p1;", "st.global.b32 [%rd2+4], %r4;"),
        )
    if opcode.startswith("match"):
        wide = opcode.endswith("64")
        key = ("and.b32 %r0, %r0, 1;", *(("cvt.u64.u32 %rd6, %r0;",) if wide else ()))
        to = "%r4|%p1" if ".all." in opcode else "%r4"
        again = ("mov.b32 %r0, 5;", *(("mov.b64 %rd6, 5;",) if wide else ()))
        line = f"{opcode} {to}, {'%rd6' if wide else '%r0'}, {members};"
        return (*key, line, result, *again, line, "st.global.b32 [%rd2+4], %r4;")
    if opcode.startswith("elect"):
        return (f"{opcode} %r4|%p1, {members};", result, "@%p1 st.global.b32 [%rd2+4], %t;")
    if opcode.startswith("activemask"):
        return (f"{opcode} %r4;", result)
    return (f"{opcode} %r4, %r0, {members};", result)


# --- control ----------------------------------------------------------------------------------------------------------


def _template(pattern: str) -> str:
    """The template of the one row that spells an opcode."""
    found = lookup(pattern)
    assert found is not None, pattern
    return found[0].template


def _rows_named(*opcodes: str) -> tuple[str, ...]:
    return tuple(_template(opcode) for opcode in opcodes)


def _swap_across(barrier: str) -> tuple[str, ...]:
    """Each thread hands its word to the thread at the mirrored place of the block, across a barrier."""
    return (
        *("mov.u64 %rd4, own;", "mul.wide.u32 %rd5, %t, 4;", "add.u64 %rd6, %rd4, %rd5;"),
        *("ld.global.b32 %r0, [%rd1];", "st.shared.b32 [%rd6], %r0;", barrier),
        *(f"sub.u32 %r1, {THREADS - 1}, %t;", "mul.wide.u32 %rd5, %r1, 4;", "add.u64 %rd6, %rd4, %rd5;"),
        *("ld.shared.b32 %r2, [%rd6];", "st.global.b32 [%rd2], %r2;"),
    )


_WORDS = (f".shared .align 4 .b32 own[{THREADS}];",)
_BARRIERS = (
    "bar.sync 0;",
    "bar.cta.sync 3;",
    f"bar.sync 1, {THREADS};",
    "barrier.sync 0;",
    "barrier.cta.sync.aligned 2;",
    f"barrier.sync.aligned 4, {THREADS};",
)
_ARRIVALS = (
    ("bar.arrive", "bar.sync"),
    ("bar.cta.arrive", "bar.cta.sync"),
    ("barrier.arrive", "barrier.sync"),
    ("barrier.cta.arrive.aligned", "barrier.cta.sync.aligned"),
)
_FENCES = (
    *(f"membar.{level};" for level in ("cta", "gl", "sys")),
    *(
        f"fence{order}.{scope};"
        for order in ("", ".sc", ".acq_rel", ".acquire", ".release") for scope in ("cta", "gpu", "sys")
    ),
    "nanosleep.u32 10;",
    *(f"prefetch{space}.{level} [%rd1];" for space in ("", ".global") for level in ("L1", "L2")),
    "prefetch.global.L2::evict_last [%rd1];",
    "prefetchu.L1 [%rd1];",
    "griddepcontrol.launch_dependents;",
    "griddepcontrol.wait;",
)
_REDUCTIONS = tuple(
    f"{name}.red{aligned}.{tail}"
    for name, aligned in (("bar", ""), ("bar.cta", ""), ("barrier", ""), ("barrier.cta", ".aligned"))
    for tail in ("popc.u32", "and.pred", "or.pred")
)


def _first_word(line: str) -> str:
    return re.split(r"[ ;]", line)[0]


def _reduction(opcode: str) -> tuple[str, ...]:
    """Over the whole block, and over each of its warps."""
    to, get = ("%r4", ()) if "popc" in opcode else ("%p1", ("selp.u32 %r4, 1, 0, %p1;",))
    half = ("shr.u32 %r5, %t, 5;", "add.u32 %r5, %r5, 1;")
    return (
        *("ld.global.b32 %r0, [%rd1];", "setp.lt.s32 %p0, %r0, 0;", f"{opcode} {to}, 0, %p0;", *get),
        *("st.global.b32 [%rd2], %r4;", *half, "setp.lt.s32 %p0, %r0, 0x60000000;"),
        *(f"{opcode} {to}, %r5, 32, !%p0;", *get, "st.global.b32 [%rd2+4], %r4;"),
    )


def _handover(arrive: str, sync: str) -> tuple[str, ...]:
    """The first half of the block writes and arrives; the second half waits and reads."""
    half = THREADS // 2
    return (
        *("mov.u64 %rd4, own;", "mul.wide.u32 %rd5, %t, 4;", "add.u64 %rd6, %rd4, %rd5;"),
        *("ld.global.b32 %r0, [%rd1];", f"setp.ge.u32 %p0, %t, {half};", "@%p0 bra READER;"),
        *("st.shared.b32 [%rd6], %r0;", f"{arrive} 1, {THREADS};", "bra DONE;"),
        *("READER:", f"{sync} 1, {THREADS};", f"sub.u64 %rd6, %rd6, {4 * half};", "ld.shared.b32 %r1, [%rd6];"),
        *("st.global.b32 [%rd2], %r1;", "DONE:"),
    )


_CONTROL = (
    *(Program(f"swap across {b}", _rows_named(_first_word(b)), _swap_across(b), _WORDS) for b in _BARRIERS),
    *(Program(f"hand over by {a}", _rows_named(a, s), _handover(a, s), _WORDS) for a, s in _ARRIVALS),
    *(
        Program(f, _rows_named(_first_word(f)), ("ld.global.b32 %r0, [%rd1];", f, "st.global.b32 [%rd2], %r0;"))
        for f in _FENCES
    ),
    *(Program(opcode, _rows_named(opcode), _reduction(opcode)) for opcode in _REDUCTIONS),
    Program(
        "a breakpoint that nobody reaches",
        _rows_named("brkpt"),
        ("setp.eq.u32 %p0, %n, 0;", "@%p0 brkpt;", "st.global.b32 [%rd2], %n;"),
    ),
    Program(
        "neighbours swap across bar.warp.sync",
        _rows_named("bar.warp.sync"),
        (
            *("mov.u64 %rd4, own;", "mul.wide.u32 %rd5, %t, 4;", "add.u64 %rd6, %rd4, %rd5;"),
            *("ld.global.b32 %r0, [%rd1];", "st.shared.b32 [%rd6], %r0;", "bar.warp.sync 0xFFFFFFFF;"),
            *("xor.b32 %r1, %t, 1;", "mul.wide.u32 %rd5, %r1, 4;", "add.u64 %rd6, %rd4, %rd5;"),
            *("ld.shared.b32 %r2, [%rd6];", "st.global.b32 [%rd2], %r2;"),
        ),
        _WORDS,
    ),
    Program(
        "loops of different length and a branch within",
        _rows_named("bra", "bra.uni", "ret", "ret.uni", "exit"),
        (
            *("ld.global.v2.b32 {%r0, %r1}, [%rd1];", "and.b32 %r2, %r1, 63;", "mov.b32 %r3, 0;", "LOOP:"),
            *("setp.ge.u32 %p0, %r3, %r2;", "@%p0 bra OUT;", "and.b32 %r4, %r0, 1;", "setp.eq.u32 %p1, %r4, 0;"),
            *("@%p1 bra EVEN;", "mul.lo.u32 %r0, %r0, 3;", "add.u32 %r0, %r0, 1;", "bra.uni NEXT;"),
            *("EVEN:", "shr.u32 %r0, %r0, 1;", "NEXT:", "add.u32 %r3, %r3, 1;", "bra LOOP;"),
            *("OUT:", "st.global.b32 [%rd2], %r0;", "and.b32 %r4, %t, 3;", "setp.eq.u32 %p2, %r4, 1;", "@%p2 exit;"),
            *("st.global.b32 [%rd2+4], %r3;", "setp.eq.u32 %p3, %r4, 2;", "@%p3 ret;", "st.global.b32 [%rd2+8], %r2;"),
            *("setp.eq.u32 %p4, %n, 0;", "@%p4 bra LAST;", "ret.uni;", "LAST:"),
        ),
    ),
    Program(
        "a trap that nobody reaches",
        _rows_named("trap"),
        ("setp.eq.u32 %p0, %n, 0;", "@%p0 trap;", "st.global.b32 [%rd2], %n;"),
    ),
)
_MOVES = (
    Program(
        "mov packs and unpacks",
        _rows_named("mov.b32", "mov.b64"),
        (
            *("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];", "mov.b64 %rd4, {%r0, %r1};"),
            *("mov.b32 {%h0, %h1}, %r2;", "mov.b32 {%h2, %h3}, %r3;", "mov.b64 %rd5, {%h3, %h0, %h2, %h1};"),
            *("mov.b64 {%r4, %r5}, %rd5;", "mov.b32 %r6, {%h1, %h2};", "st.global.b64 [%rd2], %rd4;"),
            *("st.global.v2.b32 [%rd2+8], {%r5, %r4};", "st.global.b32 [%rd2+16], %r6;"),
            *("mov.b64 {%h4, %h5, %h6, %h7}, %rd4;", "st.global.v4.b16 [%rd2+24], {%h7, %h6, %h5, %h4};"),
        ),
    ),
    Program(
        "special registers",
        _rows_named("mov.u32"),
        (
            *("mov.u32 %r0, %laneid;", "mov.u32 %r1, %ntid.x;", "mov.u32 %r2, %nctaid.x;", "mov.u32 %r3, %ctaid.y;"),
            *("st.global.v4.b32 [%rd2], {%r0, %r1, %r2, %r3};", "mov.u32 %r0, %lanemask_lt;"),
            *("mov.u32 %r1, %lanemask_ge;", "mov.u32 %r2, WARP_SZ;", "mov.u32 %r3, %tid.y;"),
            "st.global.v4.b32 [%rd2+16], {%r0, %r1, %r2, %r3};",
        ),
    ),
)
