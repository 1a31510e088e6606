"""And, or, exclusive or of non-negative numbers as terms: bit fields where they do not meet, exact atoms where they do.

A constant operand takes bit fields out of the other one or flips them. Two numbers are cut at the bits where one ends
or begins; what is left, two fields that share their bits, is an atom whose text says each bit in integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from math import gcd

from proofs.division import divide, modulo
from proofs.polynomials import Atom, Poly, within
from proofs.symbols import Symbol

MAX_BITS, MAX_TEXT, MAX_RUNS = 12, 3000, 12


class BitAtom(Atom):
    """`operands`, each in [0, 2^bits), joined bit by bit."""

    __slots__ = ("bits", "op", "operands")

    def __init__(self, op: str, operands: Sequence[Poly], bits: int) -> None:
        self.op, self.operands, self.bits = op, tuple(sorted(operands, key=lambda p: p.text)), bits
        tops = [2**bits - 1, *(o.interval[1] for o in self.operands if o.interval[1] is not None)]
        self.interval = (0, min(tops) if op == "and" else 2**bits - 1)
        self.text = f"(+ {' '.join((_bit(op, self.operands, i) * 2**i).text for i in range(bits))})"

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        joined = [o.substitute(mapping) for o in self.operands]
        whole = joined[0]
        for other in joined[1:]:
            made = combine(self.op, whole, other)
            if made is None:  # too wide for an atom: the same bits, one by one
                return Poly.of(BitAtom(self.op, joined, self.bits))
            whole = made
        return whole

    def symbols(self) -> frozenset[Symbol]:
        return frozenset(s for o in self.operands for s in o.symbols())

    def parts(self) -> tuple[Poly, ...]:
        return self.operands

    def value(self, values: Mapping[str, int]) -> int:
        mask = (1 << self.bits) - 1
        found = [o.evaluate(values) & mask for o in self.operands]
        result = found[0]
        for other in found[1:]:
            result = _number(self.op, result, other)
        return result

    def divided(self, c: int) -> Poly | None:
        return None if c & (c - 1) else _fold(self.op, [divide(o, c) for o in self.operands])

    def reduced(self, c: int) -> Poly | None:
        return None if c & (c - 1) else _fold(self.op, [modulo(o, c) for o in self.operands])


def _bit(op: str, operands: Sequence[Poly], i: int) -> Poly:
    """Bit i."""
    n, shifted = len(operands), [divide(o, 2**i) for o in operands]
    if op == "xor":
        return modulo(sum(shifted, Poly({})), 2)
    ones = sum((modulo(s, 2) for s in shifted), Poly({}))
    return divide(ones if op == "and" else ones + (n - 1), n)


def _number(op: str, a: int, b: int) -> int:
    return {"and": a & b, "or": a | b, "xor": a ^ b}[op]


def _fold(op: str, operands: Sequence[Poly]) -> Poly | None:
    whole: Poly | None = operands[0]
    for other in operands[1:]:
        whole = None if whole is None else combine(op, whole, other)
    return whole


def runs(mask: int, width: int) -> Iterator[tuple[int, int, bool]]:
    """The runs of equal bits of a mask: bits [low, high), and whether they are ones."""
    low = 0
    while low < width:
        ones = bool(mask >> low & 1)
        high = low
        while high < width and bool(mask >> high & 1) == ones:
            high += 1
        yield low, high, ones
        low = high


def with_constant(op: str, x: Poly, mask: int, width: int) -> Poly | None:
    """x joined with a constant, modulo 2^width: any representative of x gives one of the result. None: too many runs.

    The run that reaches the top is not taken out of x: x without its low bits stands for it.
    """
    found = list(runs(mask, width))
    if len(found) > MAX_RUNS:
        return None
    total = Poly({})
    for low, high, ones in found:
        top = high == width
        part = x - modulo(x, 2**low) if top else modulo(divide(x, 2**low), 2 ** (high - low)) * 2**low
        full = Poly.constant(-(2**low) if top else 2**high - 2**low)
        if op == "and":
            total = total + part if ones else total
        elif op == "or":
            total = total + (full if ones else part)
        else:
            total = total + (full - part if ones else part)
    return total


def combine(op: str, x: Poly, y: Poly) -> Poly | None:
    """Two numbers, in two's complement where negative, joined bit by bit; None if that takes an atom too wide."""
    for a, b in ((x, y), (y, x)):
        if a.value is None:
            continue
        if b.value is not None:
            return Poly.constant(_number(op, a.value, b.value))
        if a.value == 0:
            return Poly({}) if op == "and" else b
        top = b.interval[1]
        return None if top is None else with_constant(op, b, a.value, max(top, a.value).bit_length() + 1)
    if x == y:
        return Poly({}) if op == "xor" else x
    for a, b in ((x, y), (y, x)):
        if not within(a, 0, None):
            return _beside(op, a, b)
    low = max(_zeros(x), _zeros(y))
    if low:
        return _halves(op, x, y, low)
    widths = [None if p.interval[1] is None else p.interval[1].bit_length() for p in (x, y)]
    for width, other in zip(widths, (y, x), strict=True):
        if width == 0:  # only 0 is left of its range, whatever it looks like
            return Poly({}) if op == "and" else other
    known = [w for w in widths if w is not None]
    if not known:
        return None
    if widths[0] != widths[1]:
        return _halves(op, x, y, min(known))
    cuts = [bit for bit in _cuts(x) & _cuts(y) if bit < known[0]]
    return _halves(op, x, y, max(cuts)) if cuts else _atom(op, x, y)


def _atom(op: str, x: Poly, y: Poly) -> Poly | None:
    once: dict[Poly, int] = {}
    for part in (x, y):
        atom = part.atom
        for o in atom.operands if isinstance(atom, BitAtom) and atom.op == op else (part,):
            once[o] = once.get(o, 0) + 1
    operands = [o for o, n in once.items() if op != "xor" or n % 2]
    if len(operands) < 2:
        return operands[0] if operands else Poly({})
    if len(operands) == 2 and set(operands) != {x, y}:
        return combine(op, operands[0], operands[1])
    widths = [o.interval[1].bit_length() for o in operands if o.interval[1] is not None]
    bits = (min if op == "and" else max)(widths)
    if bits > MAX_BITS or sum(len(o.text) for o in operands) * bits > MAX_TEXT:
        return None
    if bits == 1:
        return _bit(op, operands, 0)
    return Poly.of(BitAtom(op, operands, bits))


def _beside(op: str, x: Poly, y: Poly) -> Poly | None:
    """x, of any sign, and y, which ends at some bit: from there on the result is x, or 0."""
    top = y.interval[1] if within(y, 0, None) else None
    if top is None:
        return None
    c = 2 ** top.bit_length()
    below = combine(op, modulo(x, c), y)
    above = Poly({}) if op == "and" else divide(x, c) * c
    return None if below is None else above + below


def _halves(op: str, x: Poly, y: Poly, bit: int) -> Poly | None:
    """The bits from `bit` on and those below it on their own."""
    c = 2**bit
    above = combine(op, divide(x, c), divide(y, c))
    below = combine(op, modulo(x, c), modulo(y, c))
    return None if above is None or below is None else above * c + below


def _zeros(x: Poly) -> int:
    """Low bits that are zero by the coefficients."""
    factor = gcd(*x.terms.values())
    return (factor & -factor).bit_length() - 1 if factor else 0


def _cuts(x: Poly) -> set[int]:
    """Bits at which x is a multiple plus a digit below it."""
    found = set()
    for weight in {c for m, c in x.terms.items() if m and c > 1}:
        bit = (weight & -weight).bit_length() - 1
        below = Poly({m: c for m, c in x.terms.items() if c % 2**bit})
        if bit and within(below, 0, 2**bit - 1):
            found.add(bit)
    return found


def same_bits(term: Poly) -> Poly | None:
    """Of the difference of two exclusive ors that share all but one operand each: the difference of those two.

    It is zero exactly where `term` is.
    """
    if len(term.terms) != 2 or sorted(term.terms.values()) != [-1, 1]:
        return None
    first, second = (m[0] if len(m) == 1 else None for m in term.terms)
    if not (isinstance(first, BitAtom) and isinstance(second, BitAtom) and first.op == second.op == "xor"):
        return None
    mine = [o for o in first.operands if o not in second.operands]
    others = [o for o in second.operands if o not in first.operands]
    return mine[0] - others[0] if len(mine) == len(others) == 1 else None


def xor_lemmas(atoms: Sequence[BitAtom]) -> Iterator[str]:
    """Tautologies `c = d and (a xor c) = (b xor d) imply a = b`, for a and b in range, of exclusive ors of two."""
    pairs = [a for a in atoms if a.op == "xor" and len(a.operands) == 2]
    for first, second in combinations(pairs, 2):
        if first.bits != second.bits:
            continue
        for a, c in permutations(first.operands):
            for b, d in permutations(second.operands):
                if c != d:
                    within_bits = " ".join(f"(<= 0 {x.text}) (< {x.text} {2**first.bits})" for x in (a, b))
                    equal = f"(= {c.text} {d.text}) (= {first.text} {second.text})"
                    yield f"(=> (and {within_bits} {equal}) (= {a.text} {b.text}))"
