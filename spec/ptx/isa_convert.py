"""cvt: between integers, between floats, and from one to the other (PTX ISA 9.7.9.21)."""

from __future__ import annotations

from typing import TypeVar

from spec.ptx.ast import type_width
from spec.ptx.domain import Domain
from spec.ptx.isa_integer import saturate
from spec.ptx.row import EXACT, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_SECTION = "9.7.9.21"
_INTS = "u8|s8|u16|s16|u32|s32|u64|s64"
_MUST_ROUND = "{round:rn|rz|rm|rp}"
_INTEGRAL = "{round:rni|rzi|rmi|rpi}"


def _limits(name: str) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    w = type_width(name)
    return (-(1 << (w - 1)), (1 << (w - 1)) - 1) if name.startswith("s") else (0, (1 << w) - 1)


def _resize(x: Domain[W, P], source: int, target: int, signed: bool, a: W) -> W:
    if source == target:
        return a
    return x.extend(source, target, signed, a) if source < target else x.truncate(source, target, a)


def _int_to_int(x: Domain[W, P], f: Form, a: W) -> W:
    """Extended by the sign of the source type, or the low bits; `.sat` first clamps to the target's range."""
    source, target = f.width, type_width(f["target"])
    if f.has("sat"):
        (low, high), (least, most) = _limits(f.type), _limits(f["target"])
        a = saturate(x, source, f.signed, max(low, least), min(high, most), a)
    return _resize(x, source, target, f.signed, a)


def _int_to_float(x: Domain[W, P], f: Form, a: W) -> W:
    value = x.int_to_float(f.width, f.signed, f["target"], f["round"], a)
    return x.fconvert(f["target"], f["target"], "", False, "sat", value) if f.has("sat") else value


def _float_to_int(x: Domain[W, P], f: Form, a: W) -> W:
    target = f["target"]
    return x.float_to_int(f.type, type_width(target), target.startswith("s"), f["round"], f.has("ftz"), a)


def _relu(x: Domain[W, P], f: Form, t: str, a: W) -> W:
    return x.fmax(t, False, True, a, x.const(type_width(t), 0)) if f.has("relu") else a


def _float_to_float(x: Domain[W, P], f: Form, a: W) -> W:
    sat = "satfinite" if f.has("satfinite") else "sat" if f.has("sat") else ""
    result = x.fconvert(f.type, f["target"], f["round"], f.has("ftz"), sat, a)
    return _relu(x, f, f["target"], result)


def _pack(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    """a to the high half, b to the low one."""
    t = f["target"].removesuffix("x2")
    sat = "satfinite" if f.has("satfinite") else ""
    low, high = (_relu(x, f, t, x.fconvert("f32", t, f["round"], f.has("ftz"), sat, v)) for v in (b, a))
    return x.concat(16, (low, high))


def _integral(x: Domain[W, P], f: Form, a: W) -> W:
    value = x.round_integral(f.type, f["round"], f.has("ftz"), a)
    return x.fconvert(f.type, f.type, "", False, "sat", value) if f.has("sat") else value


def _float_row(template: str) -> Row:
    return Row(template, ("{target}",), ("{type}",), EXACT, _SECTION, _float_to_float)


def _same_format(t: str, ftz: str) -> tuple[Row, ...]:
    """cvt of a float to its own format: to an integral value, or only `.sat` and `.ftz`."""
    return (
        Row(f"cvt.{_INTEGRAL}{ftz}[sat:sat].{{target:{t}}}.{{type:{t}}}", (t,), (t,), EXACT, _SECTION, _integral),
        _float_row(f"cvt{ftz}[sat:sat].{{target:{t}}}.{{type:{t}}}"),
    )


_FTZ = "[ftz:ftz]"

ROWS: tuple[Row, ...] = (
    Row(f"cvt[sat:sat].{{target:{_INTS}}}.{{type:{_INTS}}}", ("{target}",), ("{type}",), EXACT, _SECTION, _int_to_int),
    *(
        Row(
            f"cvt.{_MUST_ROUND}{ftz}[sat:sat].{{target:{floats}}}.{{type:{_INTS}}}", ("{target}",), ("{type}",), EXACT,
            _SECTION, _int_to_float,
        )
        for floats, ftz in (("f32", _FTZ), ("f16|bf16|f64", ""))
    ),
    *(
        Row(
            f"cvt.{_INTEGRAL}{ftz}[sat:sat].{{target:{_INTS}}}.{{type:{floats}}}", ("{target}",), ("{type}",), EXACT,
            _SECTION, _float_to_int,
        )
        for floats, ftz in (("f32", _FTZ), ("f16|bf16|f64", ""))
    ),
    *_same_format("f32", _FTZ),
    *_same_format("f64", ""),
    *_same_format("f16", ""),
    _float_row("cvt.{round:rn|rz}[ftz:ftz][sat:sat].{target:f16}.{type:f32}"),
    # With .ftz the text flushes a subnormal source and hardware does not; only these two directions could tell.
    _float_row("cvt.{round:rm|rp}[sat:sat].{target:f16}.{type:f32}"),
    _float_row("cvt.{round:rn|rz}.{satfinite:satfinite}[relu:relu].{target:f16|bf16}.{type:f32}"),
    _float_row("cvt.{round:rn|rz}.{relu:relu}[satfinite:satfinite].{target:f16|bf16}.{type:f32}"),
    _float_row("cvt.{round:rn|rz}.{target:bf16}.{type:f32}"),
    _float_row(f"cvt.{_MUST_ROUND}[sat:sat].{{target:f16}}.{{type:f64}}"),
    _float_row(f"cvt.{_MUST_ROUND}[ftz:ftz][sat:sat].{{target:f32}}.{{type:f64}}"),
    _float_row("cvt.{round:rn|rz|rm|rp}.{target:bf16}.{type:f16|f64}"),
    _float_row("cvt.{round:rn|rz|rm|rp}.{target:f16}.{type:bf16}"),
    _float_row("cvt[ftz:ftz][sat:sat].{target:f32}.{type:f16|bf16}"),
    _float_row("cvt[ftz:ftz][sat:sat].{target:f64}.{type:f32}"),
    _float_row("cvt[sat:sat].{target:f64}.{type:f16|bf16}"),
    Row(
        "cvt.{round:rn|rz}[ftz:ftz][satfinite:satfinite].{target:f16x2|bf16x2}.f32", ("b32",), ("f32", "f32"), EXACT,
        _SECTION, _pack,
    ),
    Row(
        "cvt.{round:rn|rz}.{relu:relu}[satfinite:satfinite].{target:f16x2|bf16x2}.f32", ("b32",), ("f32", "f32"), EXACT,
        _SECTION, _pack,
    ),
)
