"""Floating operations over terms: their values are not tracked, only which lanes have them alike (PTX ISA 9.7.3)."""

from __future__ import annotations

from dataclasses import replace

from proofs.alike import common, commuted
from proofs.terms import Cond
from proofs.values import Values, Word

FLOAT_WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
# NaN payloads of f64 may depend on the order of operands; those of the others are canonical (PTX ISA 9.7.3, 9.7.4).
CANONICAL = ("f32", "f16", "bf16")


class Floating(Values):
    """The floating operations of the domain Terms."""

    def _float(self, t: str, *operands: Word) -> Word:
        alike = common(operands) if operands else frozenset()
        return replace(self.unknown(FLOAT_WIDTH[t]), alike=alike, settled=True)

    def _symmetric(self, t: str, a: Word, b: Word) -> Word:
        found = commuted(a, b) if t in CANONICAL else common((a, b))
        return replace(self.unknown(FLOAT_WIDTH[t]), alike=found, settled=True)

    def _contracted(self, t: str) -> Word:
        """A sum that the assembler may have joined with a product of its operands: each lane with its own."""
        return self._float(t)

    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word) -> Word:
        return self._symmetric(t, a, b) if rounding or (a.settled and b.settled) else self._contracted(t)

    def fsub(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word) -> Word:
        return self._float(t, a, b) if rounding or (a.settled and b.settled) else self._contracted(t)

    def fmul(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word) -> Word:
        return replace(self._symmetric(t, a, b), settled=bool(rounding))

    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word, c: Word) -> Word:
        return self._float(t, a, b, c)

    def fdiv(self, t: str, rounding: str, ftz: bool, a: Word, b: Word) -> Word:
        return self._float(t, a, b)

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: Word) -> Word:
        return self._float(t, a)

    def fneg(self, t: str, ftz: bool, a: Word) -> Word:
        return replace(self._float(t, a), settled=a.settled)

    fabs = fneg

    def fmin(self, t: str, ftz: bool, nan: bool, a: Word, b: Word) -> Word:
        return self._symmetric(t, a, b)

    fmax = fmin

    def fcompare(self, t: str, ftz: bool, op: str, a: Word, b: Word) -> Cond:
        return self.unknown_truth()

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: Word) -> Word:
        return self._float(target, a)

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: Word) -> Word:
        if a.term is not None:
            self.number(a, signed, source)
        return self._float(target, a)

    def float_to_int(self, source: str, target: int, signed: bool, rounding: str, ftz: bool, a: Word) -> Word:
        return self.unknown(target)

    def round_integral(self, t: str, rounding: str, ftz: bool, a: Word) -> Word:
        return self._float(t, a)

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[Word, ...]) -> Word:
        return self._float(t, *args)
