"""What each known instruction reads, writes and does: the verifier's own table, strict (an unknown opcode is refused).

Meanings take and return non-negative integers (a signed narrow result may be negative: the register sign-extends it).
`meaning` None means: the result is arbitrary. Source: PTX ISA 9.7; the sections stand beside the groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from verifier.findings import Unknown
from verifier.reader import WIDTHS, Immediate, Instruction, Pair, Vector

Meaning = Callable[..., tuple[int, ...]]


@dataclass(frozen=True)
class Effect:
    """Widths in bits of the source operands (the last ones of the instruction) and of the values written.

    kind: value, load, store, barrier, warp_barrier, shuffle, branch, end, trap. For load and store `space` is global
    or shared and `bytes` the whole access. `observes` tells which sources are looked at as numbers and not only
    modulo 2^width.
    """

    kind: str
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    meaning: Meaning | None = None
    space: str = ""
    bytes: int = 0
    parameter: bool = False
    observes: tuple[int, ...] = ()


FLOATS = ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64")
_INTS = ("u16", "u32", "u64", "s16", "s32", "s64")
_BITS = ("b16", "b32", "b64")
_HINTS = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak"}
_ROUNDING = {"rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "rni", "rzi", "rmi", "rpi", "NaN", "relu", "rna"}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b,
    "hs": lambda a, b: a >= b,
}
_FLOAT_COMPARE = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
_FLOAT_ARITY = {"add": 2, "sub": 2, "mul": 2, "fma": 3, "mad": 3, "div": 2, "neg": 1, "abs": 1, "min": 2, "max": 2}
_FLOAT_ARITY |= {"rcp": 1, "rsqrt": 1, "sqrt": 1, "ex2": 1, "lg2": 1, "tanh": 1, "sin": 1, "cos": 1}


def signed(width: int, value: int) -> int:
    """Two's complement reading of a non-negative value below 2^width."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


def effect_of(instruction: Instruction) -> Effect:
    """What the instruction does; Unknown, with its line, if the verifier does not know it."""
    base, *parts = instruction.opcode
    reader = _GROUPS.get(base)
    effect = reader(base, parts, instruction) if reader else None
    if effect is None and parts and parts[-1] in FLOATS:
        effect = _float(base, parts, instruction)
    if effect is None:
        raise Unknown(f"line {instruction.line}: instruction not known: {instruction.text}")
    return effect


def _as(kind: str, width: int) -> Callable[[int], int]:
    return (lambda v: signed(width, v)) if kind.startswith("s") else (lambda v: v)


def _truncated(a: int, b: int) -> tuple[int, int]:
    """Quotient toward zero and its remainder (9.7.1.8, 9.7.1.9)."""
    quotient = abs(a) // abs(b)
    quotient = -quotient if (a < 0) != (b < 0) else quotient
    return quotient, a - quotient * b


# 9.7.1 integer arithmetic
def _arithmetic(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 1 or parts[0] not in _INTS:
        return None
    width, see = WIDTHS[parts[0]], _as(parts[0], WIDTHS[parts[0]])
    two: dict[str, Callable[[int, int], int]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "min": lambda a, b: min(see(a), see(b)),
        "max": lambda a, b: max(see(a), see(b)),
    }
    if base in two:
        looks = (0, 1) if base in ("min", "max") else ()
        return Effect("value", (width, width), (width,), lambda a, b: (two[base](a, b),), observes=looks)
    if base in ("div", "rem"):
        at = 0 if base == "div" else 1

        def divide(a: int, b: int) -> tuple[int, ...]:
            if b == 0:
                raise Unknown(f"line {instruction.line}: division by zero: {instruction.text}")
            return (_truncated(see(a), see(b))[at],)

        return Effect("value", (width, width), (width,), divide, observes=(0, 1))
    if base == "neg" and parts[0].startswith("s"):
        return Effect("value", (width,), (width,), lambda a: (-a,))
    if base == "abs" and parts[0].startswith("s"):
        return Effect("value", (width,), (width,), lambda a: (abs(see(a)),), observes=(0,))
    return None


def _multiply(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 2 or parts[1] not in _INTS or parts[0] not in ("lo", "hi", "wide"):
        return None
    half, kind = parts
    width, see = WIDTHS[kind], _as(kind, WIDTHS[kind])
    if half == "wide" and width == 64:
        return None
    looks = () if half == "lo" else (0, 1)
    target = 2 * width if half == "wide" else width
    shift = width if half == "hi" else 0
    if base == "mul":
        return Effect("value", (width, width), (target,), lambda a, b: ((see(a) * see(b)) >> shift,), observes=looks)
    return Effect(
        "value",
        (width, width, target),
        (target,),
        lambda a, b, c: (((see(a) * see(b)) >> shift) + c,),
        observes=looks,
    )


# 9.7.5 comparison and selection (9.7.6 in later editions)
def _setp(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    pair = isinstance(instruction.operands[0], Pair)
    kind = parts[-1]
    names = [p for p in parts[:-1] if p != "ftz"]
    if kind in FLOATS:
        if len(names) != 1 or names[0] not in _FLOAT_COMPARE or pair or "x2" in kind:
            return None
        return Effect("value", (WIDTHS[kind], WIDTHS[kind]), (1,))
    if kind not in (*_INTS, *_BITS) or names[0] not in _COMPARE or (kind in _BITS and names[0] not in ("eq", "ne")):
        return None
    if names[0] in ("lo", "ls", "hi", "hs") and not kind.startswith("u"):
        return None
    width, see, compare = WIDTHS[kind], _as(kind, WIDTHS[kind]), _COMPARE[names[0]]
    combine: dict[str, Callable[[bool, bool], bool]] = {
        "and": lambda p, c: p and c,
        "or": lambda p, c: p or c,
        "xor": lambda p, c: p != c,
    }
    if len(names) == 1:

        def plain(a: int, b: int) -> tuple[int, ...]:
            found = compare(see(a), see(b))
            return (int(found), int(not found)) if pair else (int(found),)

        return Effect("value", (width, width), (1, 1) if pair else (1,), plain, observes=(0, 1))
    if len(names) != 2 or names[1] not in combine or pair:
        return None
    join = combine[names[1]]

    def joined(a: int, b: int, c: int) -> tuple[int, ...]:
        return (int(join(compare(see(a), see(b)), bool(c))),)

    return Effect("value", (width, width, 1), (1,), joined, observes=(0, 1))


def _selp(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 1 or parts[0] not in (*_INTS, *_BITS, "f32", "f64"):
        return None
    width = WIDTHS[parts[0]]
    return Effect("value", (width, width, 1), (width,), lambda a, b, p: (a if p else b,))


# 9.7.8 logic and shifts
def _logic(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 1 or parts[0] not in (*_BITS, "pred"):
        return None
    width = WIDTHS[parts[0]]
    mask = (1 << width) - 1
    if base == "not":
        return Effect("value", (width,), (width,), lambda a: (a ^ mask,))
    if base in ("shl", "shr"):
        return None
    table: dict[str, Callable[[int, int], int]] = {
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }
    looks = (0, 1) if width > 1 else ()
    return Effect("value", (width, width), (width,), lambda a, b: (table[base](a, b),), observes=looks)


def _shift(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 1 or parts[0] not in (_BITS if base == "shl" else (*_BITS, *_INTS)):
        return None
    width, see = WIDTHS[parts[0]], _as(parts[0], WIDTHS[parts[0]])
    if base == "shl":
        return Effect("value", (width, 32), (width,), lambda a, n: (a << n if n < width else 0,), observes=(1,))
    return Effect("value", (width, 32), (width,), lambda a, n: (see(a) >> min(n, width),), observes=(0, 1))


def _count(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 1 or parts[0] not in ("b32", "b64"):
        return None
    width = WIDTHS[parts[0]]
    if base == "popc":
        return Effect("value", (width,), (32,), lambda a: (a.bit_count(),), observes=(0,))
    return Effect("value", (width,), (32,), lambda a: (width - a.bit_length(),), observes=(0,))


# 9.7.9 moves and conversions
def _mov(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) != 1 or parts[0] not in WIDTHS:
        return None
    width = WIDTHS[parts[0]]
    packs = any(isinstance(o, Vector) for o in instruction.operands)
    return Effect("value", (width,), (width,), lambda a: (a,), observes=(0,) if packs else ())


def _cvt(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    modes, kinds = parts[:-2], parts[-2:]
    if len(kinds) != 2 or any(k not in WIDTHS for k in kinds) or not set(modes) <= _ROUNDING:
        return None
    target, source = kinds
    if target in ("f16x2", "bf16x2") and source == "f32":
        return Effect("value", (32, 32), (32,))
    if target in FLOATS or source in FLOATS:
        return Effect("value", (WIDTHS[source],), (WIDTHS[target],), observes=() if source in FLOATS else (0,))
    if modes or not (target[0] in "us" and source[0] in "us"):
        return None
    width, see, keep = WIDTHS[target], _as(source, WIDTHS[source]), _as(target, WIDTHS[target])
    widens = width > WIDTHS[source]
    return Effect(
        "value",
        (WIDTHS[source],),
        (width,),
        lambda a: (keep(see(a) & ((1 << width) - 1)),),
        observes=(0,) if widens else (),
    )


def _cvta(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if parts not in (["to", "global", "u64"], ["global", "u64"]):
        return None
    return Effect("value", (64,), (64,), lambda a: (a,))


# 9.7.9.8 and 9.7.9.11: memory
def _memory(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if len(parts) < 2 or parts[-1] not in WIDTHS or parts[-1] in ("pred", "f16", "bf16", "f16x2", "bf16x2", "b128"):
        return None
    space, hints, kind = parts[0], list(parts[1:-1]), parts[-1]
    space = "shared" if space == "shared::cta" else space
    count = 1
    for spelled, many in (("v2", 2), ("v4", 4)):
        if spelled in hints:
            hints.remove(spelled)
            count = many
    if any(h not in _HINTS and not h.startswith(("L1::", "L2::")) for h in hints):
        return None
    width = WIDTHS[kind]
    if space == "param" and base == "ld" and count == 1 and not hints:
        return Effect("value", (), (width,), parameter=True)
    if space not in ("global", "shared"):
        return None
    size = count * width // 8
    if base == "ld":
        return Effect("load", (), (width,) * count, space=space, bytes=size)
    return Effect("store", (width * count,), space=space, bytes=size, meaning=lambda value: ())


# 9.7.12 control, 9.7.13 synchronisation, shuffles
def _control(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if base == "bra" and parts in ([], ["uni"]):
        return Effect("branch")
    if base in ("ret", "exit") and parts in ([], ["uni"]):
        return Effect("end")
    return Effect("trap") if base == "trap" and not parts else None


def _barrier(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if base == "bar" and parts == ["warp", "sync"]:
        return Effect("warp_barrier", (32,), meaning=lambda mask: ())
    if parts not in (["sync"], ["sync", "aligned"], ["cta", "sync"]):
        return None
    if instruction.operands not in ((), (Immediate(0),)):
        return None
    return Effect("barrier", (32,) * len(instruction.operands), meaning=lambda *barrier: ())


def _lanes(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if not isinstance(instruction.operands[-1], Immediate):
        return None
    if base == "shfl" and len(parts) == 3 and parts[0] == "sync" and parts[2] == "b32":
        pair = isinstance(instruction.operands[0], Pair)
        known = parts[1] in ("up", "down", "bfly", "idx")
        return Effect("shuffle", (32, 32, 32, 32), (32, 1) if pair else (32,)) if known else None
    if base == "vote" and parts in (["sync", "any", "pred"], ["sync", "all", "pred"], ["sync", "uni", "pred"]):
        return Effect("shuffle", (1, 32), (1,))
    return Effect("shuffle", (1, 32), (32,)) if base == "vote" and parts == ["sync", "ballot", "b32"] else None


def _float(base: str, parts: list[str], instruction: Instruction) -> Effect | None:
    if base not in _FLOAT_ARITY or not set(parts[:-1]) <= _ROUNDING:
        return None
    width = WIDTHS[parts[-1]]
    return Effect("value", (width,) * _FLOAT_ARITY[base], (width,))


_GROUPS: dict[str, Callable[[str, list[str], Instruction], Effect | None]] = {
    **dict.fromkeys(("add", "sub", "div", "rem", "min", "max", "neg", "abs"), _arithmetic),
    **dict.fromkeys(("mul", "mad"), _multiply),
    **dict.fromkeys(("and", "or", "xor", "not"), _logic),
    **dict.fromkeys(("shl", "shr"), _shift),
    **dict.fromkeys(("popc", "clz"), _count),
    **dict.fromkeys(("ld", "st"), _memory),
    **dict.fromkeys(("bra", "ret", "exit", "trap"), _control),
    **dict.fromkeys(("bar", "barrier"), _barrier),
    **dict.fromkeys(("shfl", "vote"), _lanes),
    "setp": _setp,
    "selp": _selp,
    "mov": _mov,
    "cvt": _cvt,
    "cvta": _cvta,
}
