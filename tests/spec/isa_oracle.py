"""What each value row of the instruction table means, in plain Python integers and rationals, by opcode.

An oracle takes the parsed form and the operands as non-negative integers (predicates as bools) and gives the results
likewise. It is written from the PTX ISA and shares nothing with the table's own meanings.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from spec.ptx.ast import type_width
from spec.ptx.row import Form
from tests.spec import float_oracle as fl

Oracle = Callable[..., Any]


def signed(width: int, a: int) -> int:
    return a - (1 << width) if a >> (width - 1) else a


def value(kind: str, a: int) -> int:
    """The integer a word of this PTX type stands for."""
    return signed(type_width(kind), a) if kind.startswith("s") else a


def wrap(width: int, a: int) -> int:
    return a % (1 << width)


def limits(kind: str) -> tuple[int, int]:
    w = type_width(kind)
    return (-(1 << (w - 1)), (1 << (w - 1)) - 1) if kind.startswith("s") else (0, (1 << w) - 1)


def clamp(kind: str, a: int) -> int:
    low, high = limits(kind)
    return min(max(a, low), high)


def quotient(a: int, b: int) -> int:
    """Toward zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer(function: Callable[..., int]) -> Oracle:
    """An operation on the integers the operands stand for, all of the form's type, modulo 2^width."""

    def oracle(f: Form, *args: int) -> int:
        return wrap(f.width, function(*(value(f.type, a) for a in args)))

    return oracle


def wide(function: Callable[..., int]) -> Oracle:
    def oracle(f: Form, a: int, b: int, *rest: int) -> int:
        return wrap(2 * f.width, function(value(f.type, a), value(f.type, b), *rest))

    return oracle


def low24(kind: str, a: int) -> int:
    return signed(24, a % (1 << 24)) if kind == "s32" else a % (1 << 24)


def mul24(f: Form, a: int, b: int) -> int:
    product = low24(f.type, a) * low24(f.type, b)
    return wrap(32, product if f["half"] == "lo" else product >> 16)


def divide(f: Form, a: int, b: int) -> int:
    if b == 0:
        return (1 << f.width) - 1
    return wrap(f.width, quotient(value(f.type, a), value(f.type, b)))


def remainder(f: Form, a: int, b: int) -> int:
    if b == 0:
        return a
    x, y = value(f.type, a), value(f.type, b)
    return wrap(f.width, x - quotient(x, y) * y)


def bits(f: Form, a: int) -> list[int]:
    """Least significant first."""
    return [a >> i & 1 for i in range(f.width)]


def number(of: list[int]) -> int:
    return sum(bit << i for i, bit in enumerate(of))


def bfe(f: Form, a: int, position: int, length: int) -> int:
    """As PTX ISA 9.7.1.19 spells it out, bit by bit."""
    position, length, top = position & 0xFF, length & 0xFF, f.width - 1
    fill = bits(f, a)[min(position + length - 1, top)] if f.signed and length else 0
    return number([
        bits(f, a)[position + i] if i < length and position + i <= top else fill for i in range(f.width)
    ])


def bfi(f: Form, a: int, b: int, position: int, length: int) -> int:
    position, length = position & 0xFF, length & 0xFF
    out = bits(f, b)
    for i in range(length):
        if position + i < f.width:
            out[position + i] = bits(f, a)[i] if i < f.width else 0
    return number(out)


def bfind(f: Form, a: int) -> int:
    """As PTX ISA 9.7.1.16 spells it out: look down from the top for a 1, of negative numbers for a 0."""
    wanted = 0 if f.signed and a >> (f.width - 1) else 1
    for i in reversed(range(f.width)):
        if a >> i & 1 == wanted:
            return f.width - 1 - i if f.has("amount") else i
    return 0xFFFFFFFF


def bmsk(f: Form, position: int, length: int) -> int:
    if f["mode"] == "wrap":
        position, length = position % 32, length % 32
    return number([int(position <= i < position + length) for i in range(32)])


def shf(f: Form, a: int, b: int, amount: int) -> int:
    n = amount % 32 if f["mode"] == "wrap" else min(amount, 32)
    if f["direction"] == "l":
        return wrap(32, b << n | a >> (32 - n))
    return wrap(32, b << (32 - n) | a >> n)


def shl(f: Form, a: int, n: int) -> int:
    return wrap(f.width, a << min(n, f.width))


def shr(f: Form, a: int, n: int) -> int:
    return wrap(f.width, value(f.type, a) >> min(n, f.width))


def prmt(f: Form, a: int, b: int, control: int) -> int:
    data = [*a.to_bytes(4, "little"), *b.to_bytes(4, "little")]
    mode, pick = f["mode"], control & 3
    if not mode:
        selectors = [control >> 4 * i & 15 for i in range(4)]
        out = [data[s & 7] if s < 8 else 0xFF * (data[s & 7] >> 7) for s in selectors]
    else:
        # PTX ISA 9.7.9.7, the tables of the special modes, source bytes for d[31:24] .. d[7:0].
        table = {
            "f4e": ["3210", "4321", "5432", "6543"],
            "b4e": ["5670", "6701", "7012", "0123"],
            "rc8": ["0000", "1111", "2222", "3333"],
            "ecl": ["3210", "3211", "3222", "3333"],
            "ecr": ["0000", "1110", "2210", "3210"],
            "rc16": ["1010", "3232", "1010", "3232"],
        }
        out = [data[int(c)] for c in reversed(table[mode][pick])]
    return int.from_bytes(bytes(out), "little")


def szext(f: Form, a: int, length: int) -> int:
    """As PTX ISA 9.7.1.21 spells it out, with its masks."""
    low = length & 0x1F
    too_large = length >= 32 and f["mode"] == "clamp"
    mask = 0 if too_large else wrap(32, 0xFFFFFFFF << low)
    negative = f.signed and low and not too_large and a >> (low - 1) & 1
    return a & ~mask | (mask if negative else 0)


def lop3(f: Form, a: int, b: int, c: int, *rest: Any) -> int | tuple[int, bool]:
    """`rest` is the table, with .and or .or after the predicate."""
    table = rest[-1]
    word = number([table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1 for i in range(32)])
    return (word, JOIN[f["bool"]](word != 0, rest[0])) if f.has("bool") else word


COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lo": lambda a, b: a < b, "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b, "hs": lambda a, b: a >= b,
}
JOIN: dict[str, Callable[[bool, bool], bool]] = {
    "and": lambda p, q: p and q, "or": lambda p, q: p or q, "xor": lambda p, q: p != q,
}


def is_float(kind: str) -> bool:
    return kind in ("f16", "bf16", "f32", "f64", "f16x2", "bf16x2")


def compared(f: Form, a: int, b: int) -> bool:
    if is_float(f.type):
        return fl.compare(f.type, f.has("ftz"), f["cmp"], a, b)
    return COMPARE[f["cmp"]](value(f.type, a), value(f.type, b))


def setp(f: Form, a: int, b: int, c: bool | None = None) -> tuple[bool, bool]:
    if f.type.endswith("x2"):
        t = f.type.removesuffix("x2")
        return (fl.compare(t, f.has("ftz"), f["cmp"], a & 0xFFFF, b & 0xFFFF),
                fl.compare(t, f.has("ftz"), f["cmp"], a >> 16, b >> 16))
    holds = compared(f, a, b)
    if c is None:
        return holds, not holds
    return JOIN[f["bool"]](holds, c), JOIN[f["bool"]](not holds, c)


def set_(f: Form, a: int, b: int) -> int:
    return (0x3F800000 if f["target"] == "f32" else 0xFFFFFFFF) if compared(f, a, b) else 0


def slct(f: Form, a: int, b: int, c: int) -> int:
    if f["selector"] == "f32":
        return a if fl.compare("f32", f.has("ftz"), "ge", c, 0) else b
    return a if signed(32, c) >= 0 else b


def halves(function: Oracle) -> Oracle:
    """A float operation (t, *operands), half by half for packed types; integers go to their own oracle."""

    def oracle(f: Form, *args: int) -> int:
        t = f.type
        if not t.endswith("x2"):
            return int(function(f, t, *args))
        t = t.removesuffix("x2")
        low, high = ([a >> shift & 0xFFFF for a in args] for shift in (0, 16))
        return int(function(f, t, *low)) | int(function(f, t, *high)) << 16

    return oracle


def mode(f: Form) -> str:
    return f["round"] or "rn"


def relu(f: Form, t: str, result: int) -> int:
    if not f.has("relu") or fl.is_nan(t, result):
        return result
    return 0 if fl.sign(t, result) else result


def by_type(integers: Oracle, floats: Oracle) -> Oracle:
    def oracle(f: Form, *args: int) -> Any:
        return (floats if is_float(f.type) else integers)(f, *args)

    return oracle


def ffma(f: Form, t: str, a: int, b: int, c: int) -> int:
    return relu(f, t, fl.fma(t, mode(f), f.has("ftz"), f.has("sat"), a, b, c))


def fadd(f: Form, t: str, a: int, b: int) -> int:
    return fl.add(t, mode(f), f.has("ftz"), f.has("sat"), a, b)


def fsub(f: Form, t: str, a: int, b: int) -> int:
    return fl.add(t, mode(f), f.has("ftz"), f.has("sat"), a, b ^ 1 << (fl.WIDTH[t] - 1))


def fmul(f: Form, t: str, a: int, b: int) -> int:
    return fl.mul(t, mode(f), f.has("ftz"), f.has("sat"), a, b)


def fneg(f: Form, t: str, a: int) -> int:
    return fl.flush(t, f.has("ftz"), a) ^ 1 << (fl.WIDTH[t] - 1)


def fabs(f: Form, t: str, a: int) -> int:
    return fl.flush(t, f.has("ftz"), a) % (1 << (fl.WIDTH[t] - 1))


def extremum(f: Form, t: str, largest: bool, a: int, b: int) -> int:
    top = 1 << (fl.WIDTH[t] - 1)
    if not f.has("xor"):
        return fl.extremum(t, f.has("ftz"), f.has("nan"), largest, a, b)
    size = fl.extremum(t, f.has("ftz"), f.has("nan"), largest, a % top, b % top)
    return size | ((a ^ b) & top)


def fmin(f: Form, t: str, a: int, b: int) -> int:
    return extremum(f, t, False, a, b)


def fmax(f: Form, t: str, a: int, b: int) -> int:
    return extremum(f, t, True, a, b)


def integer_sat(op: Callable[[int, int], int]) -> Oracle:
    plain = integer(op)

    def oracle(f: Form, a: int, b: int) -> int:
        if not f.has("sat"):
            return int(plain(f, a, b))
        return wrap(32, clamp("s32", op(signed(32, a), signed(32, b))))

    return oracle


def testp(f: Form, a: int) -> bool:
    t = f.type
    size = a % (1 << (f.width - 1))
    least = 1 << fl.FRACTION[t]
    return {
        "finite": size < fl.infinity(t), "infinite": size == fl.infinity(t), "number": size <= fl.infinity(t),
        "notanumber": size > fl.infinity(t), "subnormal": 0 < size < least,
        # Zeros count as normal.
        "normal": size == 0 or least <= size < fl.infinity(t),
    }[f["property"]]


def copysign(f: Form, a: int, b: int) -> int:
    top = 1 << (f.width - 1)
    return (a & top) + b % top


def div(f: Form, a: int, b: int) -> int:
    return fl.div(f.type, f["round"], f.has("ftz"), a, b) if is_float(f.type) else divide(f, a, b)


def rcp(f: Form, a: int) -> int:
    return fl.div(f.type, f["round"], f.has("ftz"), fl.encode(f.type, "rn", Fraction(1)), a)


def sqrt(f: Form, a: int) -> int:
    return fl.sqrt(f.type, f["round"], f.has("ftz"), a)


def cvt(f: Form, *args: int) -> int:
    """PTX ISA 9.7.9.21."""
    target, ftz = f["target"], f.has("ftz")
    if target.endswith("x2"):
        high, low = (convert_float(f, "f32", target.removesuffix("x2"), a) for a in args)
        return high << 16 | low
    (a,) = args
    source = f.type
    if is_float(source) and is_float(target):
        if f["round"].endswith("i"):
            return integral_float(f, source, a)
        return convert_float(f, source, target, a)
    if is_float(target):
        return fl.finish(target, False, f.has("sat"), fl.encode(target, f["round"], Fraction(value(source, a))))
    if not is_float(source):
        whole = value(source, a)
        return wrap(type_width(target), clamp(target, whole) if f.has("sat") else whole)
    width = type_width(target)
    x = fl.decode(source, fl.flush(source, ftz and source == "f32", a))
    low, high = limits(target)
    if x == "nan":
        return 1 << (width - 1) if source == "f64" or width == 64 else 0
    if isinstance(x, str):
        return wrap(width, high if x == "inf" else low)
    return wrap(width, clamp(target, fl.integral(f["round"], x)))


def convert_float(f: Form, source: str, target: str, a: int) -> int:
    ftz = f.has("ftz")
    a = fl.flush(source, ftz and source == "f32", a)
    out = fl.encode(target, mode(f), fl.decode(source, a), bool(fl.sign(source, a)))
    out = fl.finish(target, ftz and target == "f32", f.has("sat"), out)
    if f.has("satfinite") and out % (1 << (fl.WIDTH[target] - 1)) == fl.infinity(target):
        out -= 1
    return relu(f, target, out)


def integral_float(f: Form, t: str, a: int) -> int:
    a = fl.flush(t, f.has("ftz"), a)
    x = fl.decode(t, a)
    out = a if isinstance(x, str) else fl.encode(t, "rn", Fraction(fl.integral(f["round"], x)), bool(fl.sign(t, a)))
    return fl.finish(t, False, f.has("sat"), out)


def carried(base: str, sets: bool) -> Oracle:
    """add, sub or mad of the text, with the carry or borrow in and out (PTX ISA 9.7.2)."""

    def oracle(f: Form, *args: int) -> tuple[int, ...] | int:
        operands, flag = (args[:-1], int(args[-1])) if base.endswith("c") else (args, 0)
        if base.startswith("mad"):
            a, b = (value(f.type, v) for v in operands[:2])
            product = a * b if f["half"] == "lo" else a * b >> f.width
            exact = wrap(f.width, product) + operands[2] + flag
        else:
            exact = operands[0] + operands[1] + flag if base.startswith("add") else operands[0] - operands[1] - flag
        outside = not 0 <= exact < 1 << f.width
        return (wrap(f.width, exact), outside) if sets else wrap(f.width, exact)

    return oracle


def dot(elements: int) -> Oracle:
    """dp4a and dp2a."""

    def oracle(f: Form, a: int, b: int, c: int) -> int:
        width = 32 // elements
        first = [value(f"{f['a'][0]}{width}", a >> width * i & ((1 << width) - 1)) for i in range(elements)]
        skipped = 2 if f["half"] == "hi" else 0
        second = [value(f"{f['b'][0]}8", b >> 8 * (i + skipped) & 0xFF) for i in range(elements)]
        return wrap(32, c + sum(p * q for p, q in zip(first, second, strict=True)))

    return oracle


def pairs(function: Callable[[int, int], int], otherwise: Oracle) -> Oracle:
    """Of u16x2 and s16x2 each half on its own."""

    def oracle(f: Form, *args: int) -> Any:
        if f.parts["type"] not in ("u16x2", "s16x2"):
            return otherwise(f, *args)
        kind = f.parts["type"].removesuffix("x2")
        halves = [[value(kind, a >> s & 0xFFFF) for a in args] for s in (0, 16)]
        return sum(wrap(16, function(*half)) << s for half, s in zip(halves, (0, 16), strict=True))

    return oracle


ORACLES: dict[str, Oracle] = {
    "add": pairs(lambda a, b: a + b, by_type(integer_sat(lambda a, b: a + b), halves(fadd))),
    "sub": by_type(integer_sat(lambda a, b: a - b), halves(fsub)),
    "mul": halves(fmul),
    "mul.lo": integer(lambda a, b: a * b),
    "mul.hi": lambda f, a, b: wrap(f.width, value(f.type, a) * value(f.type, b) >> f.width),
    "mul.wide": wide(lambda a, b: a * b),
    "mad": halves(ffma),
    "mad.lo": integer(lambda a, b, c: a * b + c),
    "mad.hi": lambda f, a, b, c: wrap(f.width, (value(f.type, a) * value(f.type, b) >> f.width) + c),
    "mad.hi.sat": lambda f, a, b, c: wrap(32, clamp("s32", (signed(32, a) * signed(32, b) >> 32) + signed(32, c))),
    "mad.wide": wide(lambda a, b, c: a * b + c),
    "mul24": mul24,
    "mad24": lambda f, a, b, c: wrap(32, mul24(f, a, b) + c),
    "sad": integer(lambda a, b, c: c + abs(a - b)),
    "div": div,
    "rem": remainder,
    "abs": by_type(integer(abs), halves(fabs)),
    "neg": by_type(integer(lambda a: -a), halves(fneg)),
    "min": pairs(min, by_type(integer(min), halves(fmin))),
    "max": pairs(max, by_type(integer(max), halves(fmax))),
    **{f"{base}.cc": carried(base, True) for base in ("add", "addc", "sub", "subc", "mad", "madc")},
    **{base: carried(base, False) for base in ("addc", "subc", "madc")},
    "dp4a": dot(4),
    "dp2a": dot(2),
    "popc": lambda f, a: sum(bits(f, a)),
    "clz": lambda f, a: f.width - a.bit_length(),
    "brev": lambda f, a: number(bits(f, a)[::-1]),
    "bfind": bfind,
    "bfe": bfe,
    "bfi": bfi,
    "szext": szext,
    "bmsk": bmsk,
    "and": lambda f, a, b: a & b,
    "or": lambda f, a, b: a | b,
    "xor": lambda f, a, b: a ^ b,
    "not": lambda f, a: a ^ (1 << f.width) - 1,
    "and.pred": lambda f, p, q: p and q,
    "or.pred": lambda f, p, q: p or q,
    "xor.pred": lambda f, p, q: p != q,
    "not.pred": lambda f, p: not p,
    "cnot": lambda f, a: int(a == 0),
    "lop3": lop3,
    "shf": shf,
    "shl": shl,
    "shr": shr,
    "prmt": prmt,
    "setp": setp,
    "set": set_,
    "selp": lambda f, a, b, p: a if p else b,
    "slct": slct,
    "mov": lambda f, a: a,
    "mov.pred": lambda f, p: p,
    "fma": halves(ffma),
    "copysign": copysign,
    "testp": testp,
    "rcp": rcp,
    "sqrt": sqrt,
    "cvt": cvt,
}
