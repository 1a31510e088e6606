"""Floating operations over terms: their values are not tracked (PTX ISA 9.7.3, 9.7.4)."""

from __future__ import annotations

from proofs.terms import Cond
from proofs.values import Values, Word

FLOAT_WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


class Floating(Values):
    """The floating operations of the domain Terms."""

    def _float(self, t: str) -> Word:
        return self.unknown(FLOAT_WIDTH[t])

    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word) -> Word:
        return self._float(t)

    fsub = fmul = fadd

    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word, c: Word) -> Word:
        return self._float(t)

    def fdiv(self, t: str, rounding: str, ftz: bool, a: Word, b: Word) -> Word:
        return self._float(t)

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: Word) -> Word:
        return self._float(t)

    def fneg(self, t: str, ftz: bool, a: Word) -> Word:
        return self._float(t)

    fabs = fneg

    def fmin(self, t: str, ftz: bool, nan: bool, a: Word, b: Word) -> Word:
        return self._float(t)

    fmax = fmin

    def fcompare(self, t: str, ftz: bool, op: str, a: Word, b: Word) -> Cond:
        return self.unknown_truth()

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: Word) -> Word:
        return self._float(target)

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: Word) -> Word:
        if a.term is not None:
            self.number(a, signed, source)
        return self._float(target)

    def float_to_int(self, source: str, target: int, signed: bool, rounding: str, ftz: bool, a: Word) -> Word:
        return self.unknown(target)

    def round_integral(self, t: str, rounding: str, ftz: bool, a: Word) -> Word:
        return self._float(t)

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[Word, ...]) -> Word:
        return self._float(t)
