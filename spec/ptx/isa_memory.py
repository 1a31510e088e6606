"""Moves, loads, stores and address conversion (PTX ISA 9.7.9).

An address reaches a meaning as a 64-bit word, base and offset already added; of `ld.param` it is a `ParamRef`.
Cache operators, eviction hints and prefetch sizes have no effect on values; `.relaxed` and `.acquire` are taken as
plain accesses, so that two threads which synchronise through them are reported as racing.
"""

from __future__ import annotations

from typing import TypeVar

from spec.ptx.domain import Domain
from spec.ptx.row import EXACT, MEMORY, Form, ParamRef, Row

W = TypeVar("W")
P = TypeVar("P")

_TYPES = "{type:b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64}"
_SPACE = "[space:global|shared|shared::cta|local]"
_LOAD_SPACE = "[space:global|shared|shared::cta|local|const]"
_L1 = "[l1:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate]"
_L2 = "[l2:L2::evict_normal|L2::evict_first|L2::evict_last]"
_HINT = "[hint:L2::cache_hint]"
_PREFETCH = "[prefetch:L2::64B|L2::128B|L2::256B]"
_VECTOR = "[vec:v2|v4|v8]"
_TAIL = f"{_L1}{_L2}{_HINT}{_PREFETCH}{_VECTOR}.{_TYPES}"
_SCOPE = "{scope:cta|cluster|gpu|sys}"
_VALUES = "vec:{type}"
_POLICY = "b64?"


def space(form: Form) -> str:
    """State space of an access: global, shared, local, const or generic."""
    return form["space"].removesuffix("::cta") or "generic"


def count(form: Form) -> int:
    """Elements of a vector access; 1 for a scalar one."""
    return int(form["vec"].removeprefix("v") or "1")


def _load(x: Domain[W, P], f: Form, address: W, policy: W | None = None) -> tuple[W, ...]:
    return x.load(space(f), f.width, count(f), address, False)


def _load_readonly(x: Domain[W, P], f: Form, address: W, policy: W | None = None) -> tuple[W, ...]:
    return x.load("global", f.width, count(f), address, True)


def _load_param(x: Domain[W, P], f: Form, parameter: ParamRef) -> tuple[W, ...]:
    return x.load_param(parameter.name, parameter.offset, f.width, count(f))


def _store(x: Domain[W, P], f: Form, address: W, values: tuple[W, ...], policy: W | None = None) -> None:
    x.store(space(f), f.width, address, values)


ROWS: tuple[Row, ...] = (
    Row(
        "mov.{type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}", ("pack:{type}",), ("pack:{type}",), EXACT, "9.7.9.3",
        lambda x, f, a: a,
    ),
    Row("mov.pred", ("pred",), ("pred",), EXACT, "9.7.9.3", lambda x, f, p: p),
    Row(
        f"ld[order:weak]{_LOAD_SPACE}[cop:ca|cg|cs|lu|cv]{_TAIL}", (_VALUES,), ("mem", _POLICY), MEMORY, "9.7.9.8",
        _load,
    ),
    Row(f"ld.volatile{_LOAD_SPACE}{_PREFETCH}{_VECTOR}.{_TYPES}", (_VALUES,), ("mem",), MEMORY, "9.7.9.8", _load),
    Row(
        f"ld.{{order:relaxed|acquire}}.{_SCOPE}{_SPACE}{_TAIL}", (_VALUES,), ("mem", _POLICY), MEMORY, "9.7.9.8", _load,
    ),
    Row(f"ld.global[cop:ca|cg|cs].nc{_TAIL}", (_VALUES,), ("mem", _POLICY), MEMORY, "9.7.9.9", _load_readonly),
    Row(f"ld.param{_VECTOR}.{_TYPES}", (_VALUES,), ("param",), MEMORY, "9.7.9.8", _load_param),
    Row(f"st[order:weak]{_SPACE}[cop:wb|cg|cs|wt]{_TAIL}", (), ("mem", _VALUES, _POLICY), MEMORY, "9.7.9.11", _store),
    Row(f"st.volatile{_SPACE}{_VECTOR}.{_TYPES}", (), ("mem", _VALUES), MEMORY, "9.7.9.11", _store),
    Row(
        f"st.{{order:relaxed|release}}.{_SCOPE}{_SPACE}{_TAIL}", (), ("mem", _VALUES, _POLICY), MEMORY, "9.7.9.11",
        _store,
    ),
    Row(
        "isspacep.{space:global|shared|shared::cta|local|const}", ("pred",), ("u64",), MEMORY, "9.7.9.19",
        lambda x, f, a: x.is_space(space(f), 64, a),
    ),
    Row(
        "cvta.{space:global|shared|local|const}.{type:u32|u64}", ("{type}",), ("{type}",), MEMORY, "9.7.9.20",
        lambda x, f, a: x.to_generic(f["space"], f.width, a),
    ),
    Row(
        "cvta.to.{space:global|shared|local|const}.{type:u32|u64}", ("{type}",), ("{type}",), MEMORY, "9.7.9.20",
        lambda x, f, a: x.from_generic(f["space"], f.width, a),
    ),
)
