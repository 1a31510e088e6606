"""Integers packed in a 32-bit word: dot products, and pairs of 16 bits (PTX ISA 9.7.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from spec.ptx.domain import Domain
from spec.ptx.row import EXACT, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_PAIR = "{type:u16x2|s16x2}"


def _dot(x: Domain[W, P], signs: tuple[bool, bool], first: tuple[W, ...], second: tuple[W, ...], c: W, width: int) -> W:
    """c and the products of elements, `first` of `width` bits, `second` of 8, modulo 2^32."""
    for a, b in zip(first, second, strict=True):
        c = x.add(32, c, x.mul(32, x.extend(width, 32, signs[0], a), x.extend(8, 32, signs[1], b)))
    return c


def _signs(f: Form) -> tuple[bool, bool]:
    return f["a"] == "s32", f["b"] == "s32"


def _dp4a(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    return _dot(x, _signs(f), x.split(8, 4, a), x.split(8, 4, b), c, 8)


def _dp2a(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    parts = x.split(8, 4, b)
    return _dot(x, _signs(f), x.split(16, 2, a), parts[:2] if f["half"] == "lo" else parts[2:], c, 16)


def _pairs(operation: Callable[..., Any]) -> Callable[..., object]:
    def meaning(x: Domain[W, P], f: Form, a: W, b: W) -> W:
        signed = f["type"].startswith("s")
        pairs = zip(x.split(16, 2, a), x.split(16, 2, b), strict=True)
        halves: tuple[W, ...] = tuple(operation(x, signed, p, q) for p, q in pairs)
        return x.concat(16, halves)

    return meaning


ROWS: tuple[Row, ...] = (
    Row("dp4a.{a:u32|s32}.{b:u32|s32}", ("b32",), ("b32", "b32", "b32"), EXACT, "9.7.1.23", _dp4a),
    Row("dp2a.{half:lo|hi}.{a:u32|s32}.{b:u32|s32}", ("b32",), ("b32", "b32", "b32"), EXACT, "9.7.1.24", _dp2a),
    Row(f"add.{_PAIR}", ("b32",), ("b32", "b32"), EXACT, "9.7.1.1", _pairs(lambda x, s, p, q: x.add(16, p, q))),
    Row(f"min.{_PAIR}", ("b32",), ("b32", "b32"), EXACT, "9.7.1.12", _pairs(lambda x, s, p, q: x.min(16, s, p, q))),
    Row(f"max.{_PAIR}", ("b32",), ("b32", "b32"), EXACT, "9.7.1.13", _pairs(lambda x, s, p, q: x.max(16, s, p, q))),
)
