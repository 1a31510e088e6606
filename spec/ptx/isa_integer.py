"""Integer arithmetic, logic, shifts, bit fields, comparison and selection (PTX ISA 9.7.1, 9.7.6, 9.7.8, 9.7.9.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spec.ptx.domain import Domain
from spec.ptx.row import EXACT, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_INTS = "{type:u16|s16|u32|s32|u64|s64}"
_SIGNED = "{type:s16|s32|s64}"
_BITS = "{type:b16|b32|b64}"
_T = "{type}"
_BOOLEANS = "{bool:and|or|xor}"


def _mul_hi(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return x.mul_hi(f.width, f.signed, a, b)


def _mad_wide(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    return x.add(2 * f.width, x.mul_wide(f.width, f.signed, a, b), c)


def saturate(x: Domain[W, P], width: int, signed: bool, low: int, high: int, a: W) -> W:
    """a clamped to [low, high], both within the range of a's own type."""
    raised = x.max(width, signed, a, x.const(width, low))
    return x.min(width, signed, raised, x.const(width, high))


def _saturating(x: Domain[W, P], f: Form, op: str, a: W, b: W) -> W:
    # The exact sum fits in 33 bits; clamp it at 64 before narrowing.
    wide_a, wide_b = x.extend(32, 64, True, a), x.extend(32, 64, True, b)
    total = x.add(64, wide_a, wide_b) if op == "add" else x.sub(64, wide_a, wide_b)
    return x.truncate(64, 32, saturate(x, 64, True, -(2**31), 2**31 - 1, total))


def _mad_hi_saturating(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    return _saturating(x, f, "add", x.mul_hi(32, True, a, b), c)


def _mul24(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    """mul24.hi is bits 47..16 of the product of the low 24 bits, mul24.lo its low 32 bits (PTX ISA 9.7.1.5)."""
    eight = x.const(32, 8)
    wide = [x.extend(32, 64, f.signed, x.shr(32, f.signed, x.shl(32, v, eight), eight)) for v in (a, b)]
    product = x.mul(64, wide[0], wide[1])
    return x.truncate(64, 32, product if f["half"] == "lo" else x.shr(64, f.signed, product, x.const(32, 16)))


def _sad(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    less = x.compare(f.width, f.signed, "lt", a, b)
    return x.add(f.width, c, x.select(f.width, less, x.sub(f.width, b, a), x.sub(f.width, a, b)))


def _abs(x: Domain[W, P], f: Form, a: W) -> W:
    zero = x.const(f.width, 0)
    return x.select(f.width, x.compare(f.width, True, "lt", a, zero), x.sub(f.width, zero, a), a)


def _cnot(x: Domain[W, P], f: Form, a: W) -> W:
    zero, one = x.const(f.width, 0), x.const(f.width, 1)
    return x.select(f.width, x.compare(f.width, False, "eq", a, zero), one, zero)


def _bfind(x: Domain[W, P], f: Form, a: W) -> W:
    """Position of the highest bit that differs from the sign (of the highest 1, if unsigned); 0xffffffff if none.

    `.shiftamt` gives the left shift that brings this bit to the top (PTX ISA 9.7.1.16).
    """
    w, none = f.width, x.const(32, -1)
    if f.signed:
        a = x.bit_xor(w, a, x.shr(w, True, a, x.const(32, w - 1)))
    zeros = x.clz(w, a)
    found = zeros if f.has("amount") else x.sub(32, x.const(32, w - 1), zeros)
    return x.select(32, x.compare(w, False, "eq", a, x.const(w, 0)), none, found)


def _field_mask(x: Domain[W, P], width: int, length: W) -> W:
    """`length` ones from bit 0 on; shl clamps, so that lengths >= width give all ones."""
    one = x.const(width, 1)
    return x.sub(width, x.shl(width, one, length), one)


def _byte(x: Domain[W, P], a: W) -> W:
    return x.bit_and(32, a, x.const(32, 0xFF))


def _bfe(x: Domain[W, P], f: Form, a: W, position: W, length: W) -> W:
    """Field of `length` bits at `position`; both mod 256; past the top bit the sign, or zeros (PTX ISA 9.7.1.19)."""
    w, length = f.width, _byte(x, length)
    field = x.shr(w, f.signed, a, _byte(x, position))
    if not f.signed:
        return x.bit_and(w, field, _field_mask(x, w, length))
    unused = x.sub(32, x.const(32, w), x.min(32, False, length, x.const(32, w)))
    return x.shr(w, True, x.shl(w, field, unused), unused)


def _bfi(x: Domain[W, P], f: Form, a: W, b: W, position: W, length: W) -> W:
    """The low `length` bits of a put into b at `position`; both mod 256 (PTX ISA 9.7.1.20)."""
    w, position = f.width, _byte(x, position)
    mask = x.shl(w, _field_mask(x, w, _byte(x, length)), position)
    return x.bit_or(w, x.bit_and(w, b, x.bit_not(w, mask)), x.bit_and(w, x.shl(w, a, position), mask))


def _bmsk(x: Domain[W, P], f: Form, position: W, length: W) -> W:
    wrap = f["mode"] == "wrap"
    low_bits = x.const(32, 31)
    at, n = (x.bit_and(32, v, low_bits) if wrap else v for v in (position, length))
    return x.shl(32, _field_mask(x, 32, n), at)


def _szext(x: Domain[W, P], f: Form, a: W, length: W) -> W:
    """The low `length` bits of a, extended by their top bit or by zeros; of no bits 0 (PTX ISA 9.7.1.21)."""
    n = x.bit_and(32, length, x.const(32, 31)) if f["mode"] == "wrap" else x.min(32, False, length, x.const(32, 32))
    if not f.signed:
        return x.bit_and(32, a, _field_mask(x, 32, n))
    unused = x.sub(32, x.const(32, 32), n)
    return x.shr(32, True, x.shl(32, a, unused), unused)


def _shf(x: Domain[W, P], f: Form, a: W, b: W, amount: W) -> W:
    """32 bits of the 64 bits b:a shifted by a clamped or wrapped amount (PTX ISA 9.7.8.7)."""
    limit = x.const(32, 31 if f["mode"] == "wrap" else 32)
    n = x.bit_and(32, amount, limit) if f["mode"] == "wrap" else x.min(32, False, amount, limit)
    both = x.concat(32, (a, b))
    if f["direction"] == "l":
        return x.split(32, 2, x.shl(64, both, n))[1]
    return x.split(32, 2, x.shr(64, False, both, n))[0]


_PRMT_SPECIAL: dict[str, Callable[[int], list[int]]] = {
    "f4e": lambda k: [k, k + 1, k + 2, k + 3],
    "b4e": lambda k: [k, (k - 1) % 8, (k - 2) % 8, (k - 3) % 8],
    "rc8": lambda k: [k] * 4,
    "ecl": lambda k: [max(i, k) for i in range(4)],
    "ecr": lambda k: [min(i, k) for i in range(4)],
    "rc16": lambda k: [0, 1, 0, 1] if k % 2 == 0 else [2, 3, 2, 3],
}


def _prmt(x: Domain[W, P], f: Form, a: W, b: W, control: W) -> W:
    """Each result byte is one of the 8 bytes of b:a, or its sign replicated where bit 3 of the selector is set."""
    both = x.concat(32, (a, b))
    out = []
    for i in range(4):
        selector = x.shr(32, False, control, x.const(32, 4 * i))
        shift = x.shl(32, x.bit_and(32, selector, x.const(32, 7)), x.const(32, 3))
        # Masked before it is cut: only the byte is looked at, and that nothing stands above it need not be known.
        byte = x.truncate(64, 8, x.bit_and(64, x.shr(64, False, both, shift), x.const(64, 0xFF)))
        sign = x.shr(8, True, byte, x.const(32, 7))
        plain = x.compare(32, False, "eq", x.bit_and(32, selector, x.const(32, 8)), x.const(32, 0))
        out.append(x.select(8, plain, byte, sign))
    return x.concat(8, tuple(out))


def _prmt_special(x: Domain[W, P], f: Form, a: W, b: W, control: W) -> W:
    """The modes that take one selector, control mod 4 (PTX ISA 9.7.9.7)."""
    data = x.split(8, 8, x.concat(32, (a, b)))
    selector = x.bit_and(32, control, x.const(32, 3))
    result = x.const(32, 0)
    for k in range(4):
        word = x.concat(8, tuple(data[i % 8] for i in _PRMT_SPECIAL[f["mode"]](k)))
        result = x.select(32, x.compare(32, False, "eq", selector, x.const(32, k)), word, result)
    return result


def lop3(x: Domain[W, P], f: Form, a: W, b: W, c: W, table: int) -> W:
    """Each result bit is bit 4a+2b+c of the 8-bit table (PTX ISA 9.7.8.6), by expanding one input after the other."""

    def build(bits: tuple[int, ...], inputs: tuple[W, ...]) -> W:
        """The function with these 2^n values of the n inputs, first input most significant."""
        if not any(bits) or all(bits):
            return x.const(32, -1 if bits[0] else 0)
        low, high = bits[: len(bits) // 2], bits[len(bits) // 2 :]
        first, rest = inputs[0], inputs[1:]
        if low == high:
            return build(low, rest)
        if all(p != q for p, q in zip(low, high, strict=True)):
            if all(low):
                return x.bit_not(32, first)
            return x.bit_xor(32, first, build(low, rest)) if any(low) else first
        if not any(low):
            return x.bit_and(32, first, build(high, rest))
        if not any(high):
            return x.bit_and(32, x.bit_not(32, first), build(low, rest))
        if all(high):
            return x.bit_or(32, first, build(low, rest))
        if all(low):
            return x.bit_or(32, x.bit_not(32, first), build(high, rest))
        when_set = x.bit_and(32, first, build(high, rest))
        return x.bit_or(32, when_set, x.bit_and(32, x.bit_not(32, first), build(low, rest)))

    return build(tuple(table >> i & 1 for i in range(8)), (a, b, c))


def _lop3_with(x: Domain[W, P], f: Form, a: W, b: W, c: W, table: int, q: P) -> tuple[W, P]:
    """Besides, whether any bit of the result is set, combined with q (PTX ISA 9.7.8.6)."""
    word = lop3(x, f, a, b, c, table)
    return word, combine(x, f["bool"], x.compare(32, False, "ne", word, x.const(32, 0)), q)


def combine(x: Domain[W, P], op: str, p: P, q: P) -> P:
    """A boolean connective named in an opcode: and, or, xor."""
    return {"and": x.p_and, "or": x.p_or, "xor": x.p_xor}[op](p, q)


_UNSIGNED_COMPARISON = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def _compare(x: Domain[W, P], f: Form, a: W, b: W) -> P:
    return x.compare(f.width, f.signed, _UNSIGNED_COMPARISON.get(f["cmp"], f["cmp"]), a, b)


def _setp(x: Domain[W, P], f: Form, a: W, b: W) -> tuple[P, P]:
    holds = _compare(x, f, a, b)
    return holds, x.p_not(holds)


def _setp_with(x: Domain[W, P], f: Form, a: W, b: W, c: P) -> tuple[P, P]:
    holds = _compare(x, f, a, b)
    return combine(x, f["bool"], holds, c), combine(x, f["bool"], x.p_not(holds), c)


def set_word(x: Domain[W, P], target: str, holds: P) -> W:
    """The value `set` writes: all ones, or 1.0 where the destination is f32."""
    return x.select(32, holds, x.const(32, 0x3F800000 if target == "f32" else -1), x.const(32, 0))


ROWS: tuple[Row, ...] = (
    Row(f"add.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.1", lambda x, f, a, b: x.add(f.width, a, b)),
    Row(
        "add.{sat:sat}.{type:s32}", (_T,), (_T, _T), EXACT, "9.7.1.1",
        lambda x, f, a, b: _saturating(x, f, "add", a, b),
    ),
    Row(f"sub.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.2", lambda x, f, a, b: x.sub(f.width, a, b)),
    Row(
        "sub.{sat:sat}.{type:s32}", (_T,), (_T, _T), EXACT, "9.7.1.2",
        lambda x, f, a, b: _saturating(x, f, "sub", a, b),
    ),
    Row(f"mul.lo.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.3", lambda x, f, a, b: x.mul(f.width, a, b)),
    Row(f"mul.hi.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.3", _mul_hi),
    Row(
        "mul.wide.{type:u16|s16|u32|s32}", ("wide:{type}",), (_T, _T), EXACT, "9.7.1.3",
        lambda x, f, a, b: x.mul_wide(f.width, f.signed, a, b),
    ),
    Row(
        f"mad.lo.{_INTS}", (_T,), (_T, _T, _T), EXACT, "9.7.1.4",
        lambda x, f, a, b, c: x.add(f.width, x.mul(f.width, a, b), c),
    ),
    Row(
        f"mad.hi.{_INTS}", (_T,), (_T, _T, _T), EXACT, "9.7.1.4",
        lambda x, f, a, b, c: x.add(f.width, _mul_hi(x, f, a, b), c),
    ),
    Row("mad.hi.sat.{type:s32}", (_T,), (_T, _T, _T), EXACT, "9.7.1.4", _mad_hi_saturating),
    Row(
        "mad.wide.{type:u16|s16|u32|s32}", ("wide:{type}",), (_T, _T, "wide:{type}"), EXACT, "9.7.1.4", _mad_wide,
    ),
    Row("mul24.{half:lo|hi}.{type:u32|s32}", (_T,), (_T, _T), EXACT, "9.7.1.5", _mul24),
    Row(
        "mad24.{half:lo|hi}.{type:u32|s32}", (_T,), (_T, _T, _T), EXACT, "9.7.1.6",
        lambda x, f, a, b, c: x.add(32, _mul24(x, f, a, b), c),
    ),
    Row(f"sad.{_INTS}", (_T,), (_T, _T, _T), EXACT, "9.7.1.7", _sad),
    Row(f"div.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.8", lambda x, f, a, b: x.div(f.width, f.signed, a, b)),
    Row(f"rem.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.9", lambda x, f, a, b: x.rem(f.width, f.signed, a, b)),
    Row(f"abs.{_SIGNED}", (_T,), (_T,), EXACT, "9.7.1.10", _abs),
    Row(f"neg.{_SIGNED}", (_T,), (_T,), EXACT, "9.7.1.11", lambda x, f, a: x.sub(f.width, x.const(f.width, 0), a)),
    Row(f"min.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.12", lambda x, f, a, b: x.min(f.width, f.signed, a, b)),
    Row(f"max.{_INTS}", (_T,), (_T, _T), EXACT, "9.7.1.13", lambda x, f, a, b: x.max(f.width, f.signed, a, b)),
    Row("popc.{type:b32|b64}", ("u32",), (_T,), EXACT, "9.7.1.14", lambda x, f, a: x.popc(f.width, a)),
    Row("clz.{type:b32|b64}", ("u32",), (_T,), EXACT, "9.7.1.15", lambda x, f, a: x.clz(f.width, a)),
    Row("bfind[amount:shiftamt].{type:u32|s32|u64|s64}", ("u32",), (_T,), EXACT, "9.7.1.16", _bfind),
    Row("brev.{type:b32|b64}", (_T,), (_T,), EXACT, "9.7.1.18", lambda x, f, a: x.brev(f.width, a)),
    Row("bfe.{type:u32|s32|u64|s64}", (_T,), (_T, "u32", "u32"), EXACT, "9.7.1.19", _bfe),
    Row("bfi.{type:b32|b64}", (_T,), (_T, _T, "u32", "u32"), EXACT, "9.7.1.20", _bfi),
    Row("szext.{mode:clamp|wrap}.{type:u32|s32}", (_T,), (_T, "u32"), EXACT, "9.7.1.21", _szext),
    Row("bmsk.{mode:clamp|wrap}.b32", ("b32",), ("u32", "u32"), EXACT, "9.7.1.22", _bmsk),
    Row(f"and.{_BITS}", (_T,), (_T, _T), EXACT, "9.7.8.1", lambda x, f, a, b: x.bit_and(f.width, a, b)),
    Row(f"or.{_BITS}", (_T,), (_T, _T), EXACT, "9.7.8.2", lambda x, f, a, b: x.bit_or(f.width, a, b)),
    Row(f"xor.{_BITS}", (_T,), (_T, _T), EXACT, "9.7.8.3", lambda x, f, a, b: x.bit_xor(f.width, a, b)),
    Row(f"not.{_BITS}", (_T,), (_T,), EXACT, "9.7.8.4", lambda x, f, a: x.bit_not(f.width, a)),
    Row("and.pred", ("pred",), ("pred", "pred"), EXACT, "9.7.8.1", lambda x, f, p, q: x.p_and(p, q)),
    Row("or.pred", ("pred",), ("pred", "pred"), EXACT, "9.7.8.2", lambda x, f, p, q: x.p_or(p, q)),
    Row("xor.pred", ("pred",), ("pred", "pred"), EXACT, "9.7.8.3", lambda x, f, p, q: x.p_xor(p, q)),
    Row("not.pred", ("pred",), ("pred",), EXACT, "9.7.8.4", lambda x, f, p: x.p_not(p)),
    Row(f"cnot.{_BITS}", (_T,), (_T,), EXACT, "9.7.8.5", _cnot),
    Row("lop3.b32", ("b32",), ("b32", "b32", "b32", "imm"), EXACT, "9.7.8.6", lop3),
    Row(
        "lop3.{bool:or|and}.b32", ("b32", "pred"), ("b32", "b32", "b32", "imm", "pred"), EXACT, "9.7.8.6", _lop3_with,
    ),
    Row("shf.{direction:l|r}.{mode:clamp|wrap}.b32", ("b32",), ("b32", "b32", "u32"), EXACT, "9.7.8.7", _shf),
    Row(f"shl.{_BITS}", (_T,), (_T, "u32"), EXACT, "9.7.8.8", lambda x, f, a, n: x.shl(f.width, a, n)),
    Row(
        "shr.{type:b16|b32|b64|u16|u32|u64|s16|s32|s64}", (_T,), (_T, "u32"), EXACT, "9.7.8.9",
        lambda x, f, a, n: x.shr(f.width, f.signed, a, n),
    ),
    Row("prmt.b32", ("b32",), ("b32", "b32", "b32"), EXACT, "9.7.9.7", _prmt),
    Row("prmt.b32.{mode:f4e|b4e|rc8|ecl|ecr|rc16}", ("b32",), ("b32", "b32", "b32"), EXACT, "9.7.9.7", _prmt_special),
    Row("setp.{cmp:eq|ne}.{type:b16|b32|b64}", ("pred", "pred?"), (_T, _T), EXACT, "9.7.6.2", _setp),
    Row(f"setp.{{cmp:eq|ne|lt|le|gt|ge}}.{_INTS}", ("pred", "pred?"), (_T, _T), EXACT, "9.7.6.2", _setp),
    Row("setp.{cmp:lo|ls|hi|hs}.{type:u16|u32|u64}", ("pred", "pred?"), (_T, _T), EXACT, "9.7.6.2", _setp),
    Row(
        f"setp.{{cmp:eq|ne}}.{_BOOLEANS}.{{type:b16|b32|b64}}", ("pred", "pred?"), (_T, _T, "pred"), EXACT, "9.7.6.2",
        _setp_with,
    ),
    Row(
        f"setp.{{cmp:eq|ne|lt|le|gt|ge}}.{_BOOLEANS}.{_INTS}", ("pred", "pred?"), (_T, _T, "pred"), EXACT, "9.7.6.2",
        _setp_with,
    ),
    Row(
        f"setp.{{cmp:lo|ls|hi|hs}}.{_BOOLEANS}.{{type:u16|u32|u64}}", ("pred", "pred?"), (_T, _T, "pred"), EXACT,
        "9.7.6.2", _setp_with,
    ),
    Row(
        f"set.{{cmp:eq|ne|lt|le|gt|ge}}.{{target:u32|s32|f32}}.{_INTS}", ("{target}",), (_T, _T), EXACT, "9.7.6.1",
        lambda x, f, a, b: set_word(x, f["target"], _compare(x, f, a, b)),
    ),
    Row(
        "selp.{type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}", (_T,), (_T, _T, "pred"), EXACT, "9.7.6.3",
        lambda x, f, a, b, p: x.select(f.width, p, a, b),
    ),
    Row(
        "slct.{type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}.s32", (_T,), (_T, _T, "s32"), EXACT, "9.7.6.4",
        lambda x, f, a, b, c: x.select(f.width, x.compare(32, True, "ge", c, x.const(32, 0)), a, b),
    ),
)
