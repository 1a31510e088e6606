"""Atomic operations on memory, with the old value (atom) and without (red) (PTX ISA 9.7.13.5, 9.7.13.6).

`.relaxed`, `.acquire`, `.release` and `.acq_rel` are one here: an atomic is indivisible among the threads of its scope,
and what it orders besides is not followed, so that two threads which synchronise through it are reported as racing.
"""

from __future__ import annotations

from typing import TypeVar

from spec.ptx.domain import Domain
from spec.ptx.isa_memory import space
from spec.ptx.row import MEMORY, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_HEAD = "[order:relaxed|acquire|release|acq_rel][scope:cta|cluster|gpu|sys]"
_SPACE = "[space:global|shared|shared::cta]"
_HINT = "[hint:L2::cache_hint]"
_RED_HEAD = "[order:relaxed|release][scope:cta|cluster|gpu|sys]"
_T, _VALUES, _POLICY = "{type}", "vec:{type}", "b64?"

# Operations with one operand; of cas there are two.
_ONE = (
    "{op:add}{hint}.{{type:u32|s32|u64|f32|f64}}",
    "{op:min|max}{hint}.{{type:u32|s32|u64|s64}}",
    "{op:and|or|xor}{hint}.{{type:b32|b64}}",
    "{op:inc|dec}{hint}.{{type:u32}}",
    "{op:add}.noftz{hint}.{{type:f16|f16x2|bf16|bf16x2}}",
)
_VECTORS = (
    "global.{op:add}[hint:L2::cache_hint].{vec:v2|v4}.{type:f32}",
    "global.{op:add|min|max}.noftz[hint:L2::cache_hint].{vec:v2|v4|v8}.{type:f16|bf16}",
    "global.{op:add|min|max}.noftz[hint:L2::cache_hint].{vec:v2|v4}.{type:f16x2|bf16x2}",
)


def reach(form: Form) -> str:
    """The scope of an atomic; of the whole device where none is named."""
    return form["scope"] or "gpu"


def _float(x: Domain[W, P], f: Form, old: W, operand: W, where: str) -> W:
    """Sums to nearest even; those of f32 in global memory flush subnormals, all others keep them."""
    t, flush = f.type.removesuffix("x2"), f.type == "f32" and where == "global"
    if f["op"] == "add":
        return x.fadd(t, "rn", flush, False, old, operand)
    return (x.fmin if f["op"] == "min" else x.fmax)(t, False, False, old, operand)


def updated(x: Domain[W, P], f: Form, old: W, operand: W, where: str) -> W:
    """The word that an operation with one operand leaves in memory; of a packed type, one half of it."""
    w, op = f.width, f["op"]
    if f.type.startswith(("f", "bf")):
        return _float(x, f, old, operand, where)
    if op == "add":
        return x.add(w, old, operand)
    if op in ("min", "max"):
        return (x.min if op == "min" else x.max)(w, f.signed, old, operand)
    if op == "inc":  # up to the operand, then from 0 again
        at_end = x.compare(w, False, "ge", old, operand)
        return x.select(w, at_end, x.const(w, 0), x.add(w, old, x.const(w, 1)))
    if op == "dec":  # down to 0, then from the operand again; also where the word is beyond it
        zero = x.compare(w, False, "eq", old, x.const(w, 0))
        restart = x.p_or(zero, x.compare(w, False, "gt", old, operand))
        return x.select(w, restart, operand, x.sub(w, old, x.const(w, 1)))
    if op == "exch":
        return operand
    return {"and": x.bit_and, "or": x.bit_or, "xor": x.bit_xor}[op](w, old, operand)


def _replaced(x: Domain[W, P], f: Form, address: W, operands: tuple[W, ...]) -> tuple[W, ...]:
    """Update a word for each operand. Of a packed type each half is indivisible, the whole is not (9.7.13.5)."""
    packed = f.type.endswith("x2")
    parts = tuple(half for o in operands for half in x.split(16, 2, o)) if packed else operands
    width = 16 if packed else f.width
    olds = x.atomic(
        space(f), width, len(parts), address, lambda i, old, where: updated(x, f, old, parts[i], where), reach(f)
    )
    return tuple(x.concat(16, olds[i : i + 2]) for i in range(0, len(olds), 2)) if packed else olds


def _atom(x: Domain[W, P], f: Form, address: W, operand: W, policy: W | None = None) -> W:
    (old,) = _replaced(x, f, address, (operand,))
    return old


def _red(x: Domain[W, P], f: Form, address: W, operand: W, policy: W | None = None) -> None:
    _atom(x, f, address, operand)


def _atom_vector(
    x: Domain[W, P], f: Form, address: W, operands: tuple[W, ...], policy: W | None = None
) -> tuple[W, ...]:
    return _replaced(x, f, address, operands)


def _red_vector(x: Domain[W, P], f: Form, address: W, operands: tuple[W, ...], policy: W | None = None) -> None:
    _atom_vector(x, f, address, operands)


def _cas(x: Domain[W, P], f: Form, address: W, expected: W, new: W, policy: W | None = None) -> W:
    def update(i: int, old: W, where: str) -> W:
        return x.select(f.width, x.compare(f.width, False, "eq", old, expected), new, old)

    (old,) = x.atomic(space(f), f.width, 1, address, update, reach(f))
    return old


def _one(template: str) -> str:
    return template.replace("{hint}", _HINT).replace("{{", "{").replace("}}", "}")


ROWS: tuple[Row, ...] = (
    *(
        Row(f"atom{_HEAD}{_SPACE}.{_one(t)}", (_T,), ("mem", _T, _POLICY), MEMORY, "9.7.13.5", _atom)
        for t in (*_ONE, "{op:exch}{hint}.{{type:b32|b64}}")
    ),
    Row(f"atom{_HEAD}{_SPACE}.cas{_HINT}.{{type:b32|b64}}", (_T,), ("mem", _T, _T, _POLICY), MEMORY, "9.7.13.5", _cas),
    Row(f"atom{_HEAD}{_SPACE}.cas.{{type:b16}}", (_T,), ("mem", _T, _T), MEMORY, "9.7.13.5", _cas),
    *(
        Row(f"atom{_HEAD}{t.replace('global.', '[space:global].')}", (_VALUES,), ("mem", _VALUES, _POLICY), MEMORY,
            "9.7.13.5", _atom_vector)
        for t in _VECTORS
    ),
    *(
        Row(f"red{_RED_HEAD}{_SPACE}.{_one(t)}", (), ("mem", _T, _POLICY), MEMORY, "9.7.13.6", _red)
        for t in _ONE
    ),
    *(
        Row(f"red{_RED_HEAD}{t.replace('global.', '[space:global].')}", (), ("mem", _VALUES, _POLICY), MEMORY,
            "9.7.13.6", _red_vector)
        for t in _VECTORS
    ),
)
