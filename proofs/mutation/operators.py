"""The edits, each with a name and a sentence for a person: what is changed of one instruction, wherever it fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from proofs.mutation.editing import (
    Changes,
    Code,
    access_bytes,
    accesses_memory,
    results_of,
    sources_of,
    type_of,
)
from spec.ptx.ast import Imm, Instr, Mem, Operand, Reg, Sink, Sym, Vec
from spec.ptx.printer import print_instr

SYNCHRONISES = frozenset(("barrier-dropped", "barrier-moved", "barrier-copied", "barrier-count", "wait", "commit"))
"""Edits of nothing but barriers and of what asynchronous copies are waited for."""


@dataclass(frozen=True)
class Edit:
    """`changes`: the statements that replace others; `words`: what was done, with the instruction."""

    changes: Changes
    words: str


Apply = Callable[[Code, int, Instr], Iterator[Edit]]


@dataclass(frozen=True)
class Operator:
    """One kind of edit. `says`: a sentence for a person."""

    name: str
    says: str
    apply: Apply


OPERATORS: dict[str, Operator] = {}


def _operator(name: str, says: str) -> Callable[[Apply], Apply]:
    def add(apply: Apply) -> Apply:
        OPERATORS[name] = Operator(name, says, apply)
        return apply

    return add


def _one(at: int, new: Instr | None, words: str) -> Edit:
    return Edit({at: "" if new is None else print_instr(new)}, words)


def _is_barrier(i: Instr) -> bool:
    return i.base in ("bar", "barrier") and "red" not in i.opcode.split(".")


def _with(i: Instr, at: int, operand: Operand) -> Instr:
    return replace(i, operands=(*i.operands[:at], operand, *i.operands[at + 1 :]))


def _retyped(i: Instr, **parts: str) -> Instr:
    return replace(i, opcode=".".join(parts.get(part, part) for part in i.opcode.split(".")))


# --- barriers and copies ------------------------------------------------------------------------------------------


@_operator("barrier-dropped", "a barrier is left out")
def _barrier_dropped(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if _is_barrier(i):
        yield _one(at, None, "dropped")


@_operator("barrier-moved", "a barrier stands behind the next memory access, or in front of the one before")
def _barrier_moved(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if _is_barrier(i):
        for step, words in ((1, "moved behind"), (-1, "moved in front of")):
            other = code.near(at, step)
            if other is not None:
                both = [code.text(other), code.text(at)][::step]
                line = code.instructions[other].line
                yield Edit({at: "", other: " ".join(both)}, f"{words} the access at line {line}")


@_operator("barrier-copied", "a barrier stands twice: at once, or again in the next guarded stretch or loop")
def _barrier_copied(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if _is_barrier(i):
        yield Edit({at: f"{code.text(at)} {code.text(at)}"}, "doubled")
        regions = [first for first in code.guarded_regions() if first > at] or code.guarded_regions()
        if regions and regions[0] != at:
            first = regions[0]
            words = f"copied to line {code.instructions[first].line}"
            yield Edit({first: f"{code.text(at)} {code.text(first)}"}, words)


@_operator("barrier-count", "a barrier has another number, or is for another count of threads")
def _barrier_count(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base not in ("bar", "barrier") or i.opcode.startswith("bar.warp"):
        return
    for where, steps in ((0, (1,)), (1, (32, -32))):
        if len(i.operands) > where and isinstance(n := i.operands[where], Imm):
            for step in steps:
                if n.value + step >= 0:
                    yield _one(at, _with(i, where, Imm(n.value + step)), f"{n.value} made {n.value + step}")


@_operator("wait", "asynchronous copies are waited for with one group more or fewer in flight, or not at all")
def _wait(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.opcode.startswith("cp.async.wait"):
        yield _one(at, None, "dropped")
        if i.operands and isinstance(n := i.operands[0], Imm):
            for step in (1, -1):
                if n.value + step >= 0:
                    yield _one(at, _with(i, 0, Imm(n.value + step)), f"{n.value} made {n.value + step}")


@_operator("commit", "a group of asynchronous copies is closed behind the next copy or wait, or not at all")
def _commit(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.opcode.startswith("cp.async.commit"):
        yield _one(at, None, "dropped")
        other = code.next_of(at, "cp.async")
        if other is not None and not code.instructions[other].opcode.startswith("cp.async.commit"):
            line = code.instructions[other].line
            yield Edit({at: "", other: f"{code.text(other)} {code.text(at)}"}, f"moved behind line {line}")


# --- guards and comparisons ---------------------------------------------------------------------------------------


@_operator("guard-negated", "an instruction or a branch is carried out where it was not, and the other way round")
def _guard_negated(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.guard is not None:
        yield _one(at, replace(i, guard_negated=not i.guard_negated), "guard negated")


@_operator("guard-dropped", "an instruction or a branch is carried out by all threads")
def _guard_dropped(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.guard is not None:
        yield _one(at, replace(i, guard=None, guard_negated=False), "guard dropped")


_NEXT_TO = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "lo": "ls", "ls": "lo", "hi": "hs", "hs": "hi"}


@_operator("comparison", "a comparison lets one more or one less pass (lt and le, gt and ge, or its constant)")
def _comparison(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    parts = i.opcode.split(".")
    if i.base not in ("setp", "set", "slct") or type_of(i)[:1] not in ("u", "s", "b"):
        return
    if parts[1] in _NEXT_TO:
        yield _one(at, _retyped(i, **{parts[1]: _NEXT_TO[parts[1]]}), f"{parts[1]} made {_NEXT_TO[parts[1]]}")
    for where, operand in enumerate(i.operands[1:], 1):
        if isinstance(operand, Imm):
            for step in (1, -1):
                new = _with(i, where, Imm(operand.value + step))
                yield _one(at, new, f"{operand.value} made {operand.value + step}")


# --- arithmetic ---------------------------------------------------------------------------------------------------

_LINEAR = ("add", "sub", "mov", "mad")


@_operator("constant", "a constant from which an address or a guard is computed is one more or less, or an element")
def _constant(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base in ("setp", "set") or accesses_memory(i) or not set(results_of(i)) & code.steering:
        return
    if type_of(i)[:1] not in ("u", "s", "b"):
        return
    addressing = bool(set(results_of(i)) & code.addresses)
    for where, operand in enumerate(i.operands[1:], 1):
        if not isinstance(operand, Imm):
            continue
        more = code.element if addressing and i.base in _LINEAR else 1
        for step in dict.fromkeys((1, -1, more, -more)):
            new = _with(i, where, Imm(operand.value + step))
            yield _one(at, new, f"{operand.value} made {operand.value + step}")


@_operator("offset", "what is added to an address register in an access is one byte or one element more or less")
def _offset(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if not accesses_memory(i):
        return
    for where, operand in enumerate(i.operands):
        if isinstance(operand, Mem):
            size = access_bytes(i)
            for step in dict.fromkeys((size, -size, 1)):
                new = _with(i, where, replace(operand, offset=operand.offset + step))
                yield _one(at, new, f"offset {operand.offset} made {operand.offset + step}")


@_operator("narrow", "a product is made in half the width and widened afterwards")
def _narrow(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    parts = i.opcode.split(".")
    if i.base not in ("mul", "mad") or parts[1] != "wide" or parts[2][1:] != "32":
        return
    kind, guard = parts[2], "" if i.guard is None else f"@{'!' if i.guard_negated else ''}{i.guard.name} "
    product = Instr(f"mul.lo.{kind}", (Reg("%narrow_product"), i.operands[1], i.operands[2]))
    widened = Instr(f"cvt.{kind[0]}64.{kind}", (i.operands[0], Reg("%narrow_product")))
    text = f"{{ .reg .b32 %narrow_product; {guard}{print_instr(product)} "
    if i.base == "mul":
        yield Edit({at: f"{text}{guard}{print_instr(widened)} }}"}, "made mul.lo")
        return
    text = text.replace("{ ", "{ .reg .b64 %narrow_wide; ")
    widened = replace(widened, operands=(Reg("%narrow_wide"), Reg("%narrow_product")))
    total = Instr(f"add.{kind[0]}64", (i.operands[0], Reg("%narrow_wide"), i.operands[3]))
    yield Edit({at: f"{text}{guard}{print_instr(widened)} {guard}{print_instr(total)} }}"}, "made mul.lo")


_SIGNED = ("setp", "min", "max", "shr", "div", "rem", "mul", "mad", "bfe")
_OTHER = {"u": "s", "s": "u"}


@_operator("signedness", "signed numbers are taken for unsigned ones, or the other way round")
def _signedness(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    parts = i.opcode.split(".")
    kind = type_of(i)
    if kind[:1] not in _OTHER or (i.base in ("mul", "mad") and parts[1] == "lo"):
        return
    if i.base in _SIGNED:
        new = _retyped(i, **{kind: _OTHER[kind[0]] + kind[1:]})
        if i.base == "setp":
            new = _retyped(new, **({"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"} if kind[0] == "u" else {}))
        yield _one(at, new, f".{kind} made .{_OTHER[kind[0]]}{kind[1:]}")
    elif i.base == "cvt" and len(parts) == 3 and parts[1][0] in _OTHER and int(parts[1][1:]) > int(kind[1:]):
        other = _OTHER[kind[0]]
        new = replace(i, opcode=f"cvt.{other}{parts[1][1:]}.{other}{kind[1:]}")
        yield _one(at, new, f"widened as .{other}{kind[1:]}")


# --- addresses ----------------------------------------------------------------------------------------------------


@_operator("base", "an address begins at another buffer, or at another variable")
def _base(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    for where, operand in enumerate(i.operands):
        inner = operand.base if isinstance(operand, Mem) else operand
        if not isinstance(inner, Sym):
            continue
        for names in (code.pointers, code.shared):
            for other in names if inner.name in names else ():
                if other != inner.name:
                    changed = replace(inner, name=other)
                    new = _with(i, where, replace(operand, base=changed) if isinstance(operand, Mem) else changed)
                    yield _one(at, new, f"{inner.name} made {other}")


@_operator("stage", "a counter that goes round begins, or begins anew, one step further or before")
def _stage(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base not in ("mov", "setp", "selp") or type_of(i)[:1] not in ("u", "s", "b"):
        return
    names = results_of(i) if i.base != "setp" else sources_of(i)
    steps = {
        abs(step.value) for other in code.instructions if other.base in ("add", "sub")
        for step in other.operands[1:] if isinstance(step, Imm) and set(results_of(other)) & {*names}
        and set(results_of(other)) & {*sources_of(other)} and step.value
    }  # fmt: skip
    for where, operand in enumerate(i.operands[1:], 1):
        if isinstance(operand, Imm):
            for step in (s * sign for s in sorted(steps) for sign in (1, -1)):
                new = _with(i, where, Imm(operand.value + step))
                yield _one(at, new, f"{operand.value} made {operand.value + step}")


@_operator("step", "a loop's counter does not step, or steps twice as far")
def _step(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base not in ("add", "sub", "mad", "shl", "shr") or type_of(i)[:1] not in ("u", "s", "b"):
        return
    if not code.in_loop(at) or not set(results_of(i)) & {*sources_of(i)}:
        return
    yield _one(at, None, "step dropped")
    if i.base in ("add", "sub") and isinstance(n := i.operands[-1], Imm):
        yield _one(at, _with(i, len(i.operands) - 1, Imm(2 * n.value)), "step doubled")
    elif i.base in ("add", "sub"):
        yield Edit({at: f"{code.text(at)} {code.text(at)}"}, "step doubled")


# --- accesses -----------------------------------------------------------------------------------------------------


def _vector(i: Instr) -> int:
    return next((int(part[1:]) for part in i.opcode.split(".") if part in ("v2", "v4")), 1)


@_operator("width", "an access, a copy or a matrix load is half or twice as wide")
def _width(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base == "cp" and len(i.operands) > 2 and isinstance(n := i.operands[2], Imm):
        for size in (n.value // 2, n.value * 2):
            opcode = i.opcode.replace(".cg", ".ca") if size < 16 else i.opcode
            new = _with(replace(i, opcode=opcode), 2, Imm(size))
            if 4 <= size <= 16:
                yield _one(at, new, f"{n.value} bytes made {size}")
    if i.base not in ("ld", "st") or "param" in i.opcode:
        return
    count = _vector(i)
    where = 0 if i.base == "ld" else 1
    elements = list(value.elems if isinstance(value := i.operands[where], Vec) else (value,))
    if count == 1 and len(elements) == 1:
        spare: Operand = Sink() if i.base == "ld" else elements[0]
        parts = i.opcode.rpartition(".")
        new = replace(i, opcode=f"{parts[0]}.v2.{parts[2]}")
        yield _one(at, _with(new, where, Vec((elements[0], spare))), "scalar made .v2")
        return
    if count == 4:
        new = _with(_retyped(i, v4="v2"), where, Vec(tuple(elements[:2])))
        yield _one(at, new, ".v4 made .v2")
    if count == 2:
        spares = [Sink(), Sink()] if i.base == "ld" else elements
        yield _one(at, _with(_retyped(i, v2="v4"), where, Vec((*elements, *spares))), ".v2 made .v4")
        yield _one(at, _with(replace(i, opcode=i.opcode.replace(".v2", "")), where, elements[0]), ".v2 made scalar")


def _stores(i: Instr) -> bool:
    return i.base in ("st", "red", "stmatrix", "atom") and "param" not in i.opcode


@_operator("store-dropped", "a store is left out, or an asynchronous copy")
def _store_dropped(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if _stores(i) or (i.base == "cp" and accesses_memory(i)):
        yield _one(at, None, "dropped")


@_operator("store-doubled", "a store is made twice")
def _store_doubled(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if _stores(i):
        yield Edit({at: f"{code.text(at)} {code.text(at)}"}, "doubled")


_COMBINES = {"add": "add", "min": "min", "max": "max", "and": "and", "or": "or", "xor": "xor"}


@_operator("plain", "an atomic update becomes a load, an operation and a store")
def _plain(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base not in ("atom", "red"):
        return
    parts, kind = i.opcode.split("."), type_of(i)
    operation = next((p for p in parts if p in (*_COMBINES, "exch")), "")
    space = next((p for p in parts if p in ("global", "shared")), "")
    operands = i.operands if i.base == "atom" else (Reg("%plain_old"), *i.operands)
    if not operation or len(operands) != 3 or not kind or _vector(i) > 1:
        return
    where, value = operands[1], operands[2]
    stored = f"st{'.' * bool(space)}{space}.{kind}"
    guard = "" if i.guard is None else f"@{'!' if i.guard_negated else ''}{i.guard.name} "
    old = Reg("%plain_old")
    combine = Instr(f"{operation}.{'b' + kind[1:] if operation in ('and', 'or', 'xor') else kind}",
                    (Reg("%plain_new"), old, value))
    lines = [Instr(f"ld{'.' * bool(space)}{space}.{kind}", (old, where))]
    lines += [combine] if operation != "exch" else []
    lines += [Instr(stored, (where, value if operation == "exch" else Reg("%plain_new")))]
    if i.base == "atom":
        register = "f" if kind[0] == "f" else "b"
        lines += [Instr(f"mov.{register}{kind[1:]}", (operands[0], old))]
    text = " ".join(guard + print_instr(line) for line in lines)
    yield Edit({at: f"{{ .reg .{kind} %plain_old, %plain_new; {text} }}"}, "made load, operation and store")


# --- lanes --------------------------------------------------------------------------------------------------------

_MODES = {"up": "down", "down": "up", "bfly": "down", "idx": "bfly"}


@_operator("shuffle", "lanes exchange with others, in another way, or fewer take part")
def _shuffle(code: Code, at: int, i: Instr) -> Iterator[Edit]:
    if i.base not in ("shfl", "vote", "redux", "match") and not i.opcode.startswith("bar.warp"):
        return
    last = len(i.operands) - 1
    if isinstance(mask := i.operands[last], Imm):
        for bits in (mask.value & 0xFFFFFFFF) >> 1, (mask.value & 0xFFFFFFFF) & ~1:
            yield _one(at, _with(i, last, Imm(bits)), f"mask made {bits:#x}")
    if i.base == "shfl":
        if isinstance(n := i.operands[2], Imm):
            for value in dict.fromkeys((n.value + 1, n.value - 1, 2 * n.value)):
                if 0 <= value < 32 and value != n.value:
                    yield _one(at, _with(i, 2, Imm(value)), f"lane {n.value} made {value}")
        mode = next((m for m in i.opcode.split(".") if m in _MODES), "")
        if mode:
            yield _one(at, _retyped(i, **{mode: _MODES[mode]}), f".{mode} made .{_MODES[mode]}")
