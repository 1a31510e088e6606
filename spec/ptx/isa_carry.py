"""Extended-precision arithmetic through the carry flag (PTX ISA 9.7.2).

The flag is a predicate that the text does not name: a second result, and a last source (`spec.ptx.carry`). After a
subtraction it is the borrow.
"""

from __future__ import annotations

from typing import TypeVar

from spec.ptx.domain import Domain
from spec.ptx.row import EXACT, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_T = "{type}"
_TYPES = "{type:u32|s32|u64|s64}"


def _bit(x: Domain[W, P], width: int, p: P) -> W:
    return x.select(width, p, x.const(width, 1), x.const(width, 0))


def _sum(x: Domain[W, P], w: int, a: W, b: W, carry: P) -> tuple[W, P]:
    """a + b + carry and whether that goes beyond the width."""
    half = x.add(w, a, b)
    total = x.add(w, half, _bit(x, w, carry))
    first = x.compare(w, False, "lt", half, a)
    second = x.p_and(carry, x.compare(w, False, "eq", total, x.const(w, 0)))
    return total, x.p_or(first, second)


def _difference(x: Domain[W, P], w: int, a: W, b: W, borrow: P) -> tuple[W, P]:
    """a - b - borrow and whether that goes below zero."""
    half = x.sub(w, a, b)
    first = x.compare(w, False, "lt", a, b)
    second = x.p_and(borrow, x.compare(w, False, "eq", half, x.const(w, 0)))
    return x.sub(w, half, _bit(x, w, borrow)), x.p_or(first, second)


def _add(x: Domain[W, P], f: Form, a: W, b: W) -> tuple[W, P]:
    return _sum(x, f.width, a, b, x.truth(False))


def _addc(x: Domain[W, P], f: Form, a: W, b: W, carry: P) -> tuple[W, P]:
    return _sum(x, f.width, a, b, carry)


def _sub(x: Domain[W, P], f: Form, a: W, b: W) -> tuple[W, P]:
    return _difference(x, f.width, a, b, x.truth(False))


def _subc(x: Domain[W, P], f: Form, a: W, b: W, borrow: P) -> tuple[W, P]:
    return _difference(x, f.width, a, b, borrow)


def _product(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return x.mul(f.width, a, b) if f["half"] == "lo" else x.mul_hi(f.width, f.signed, a, b)


def _mad(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> tuple[W, P]:
    return _sum(x, f.width, _product(x, f, a, b), c, x.truth(False))


def _madc(x: Domain[W, P], f: Form, a: W, b: W, c: W, carry: P) -> tuple[W, P]:
    return _sum(x, f.width, _product(x, f, a, b), c, carry)


ROWS: tuple[Row, ...] = (
    Row(f"add.cc.{_TYPES}", (_T, "pred"), (_T, _T), EXACT, "9.7.2.1", _add),
    Row(f"addc.{_TYPES}", (_T,), (_T, _T, "pred"), EXACT, "9.7.2.2", lambda x, f, a, b, c: _addc(x, f, a, b, c)[0]),
    Row(f"addc.cc.{_TYPES}", (_T, "pred"), (_T, _T, "pred"), EXACT, "9.7.2.2", _addc),
    Row(f"sub.cc.{_TYPES}", (_T, "pred"), (_T, _T), EXACT, "9.7.2.3", _sub),
    Row(f"subc.{_TYPES}", (_T,), (_T, _T, "pred"), EXACT, "9.7.2.4", lambda x, f, a, b, c: _subc(x, f, a, b, c)[0]),
    Row(f"subc.cc.{_TYPES}", (_T, "pred"), (_T, _T, "pred"), EXACT, "9.7.2.4", _subc),
    Row(f"mad.{{half:lo|hi}}.cc.{_TYPES}", (_T, "pred"), (_T, _T, _T), EXACT, "9.7.2.5", _mad),
    Row(
        f"madc.{{half:lo|hi}}.{_TYPES}", (_T,), (_T, _T, _T, "pred"), EXACT, "9.7.2.6",
        lambda x, f, a, b, c, carry: _madc(x, f, a, b, c, carry)[0],
    ),
    Row(f"madc.{{half:lo|hi}}.cc.{_TYPES}", (_T, "pred"), (_T, _T, _T, "pred"), EXACT, "9.7.2.6", _madc),
)
