"""What an operator is: its meaning over the reals, the ordered expression a kernel must compute, the error allowed.

One module per stem in this package, each with `OPERATOR`. Arrays of inputs and results hold words, unsigned integers
as wide as the element (uint16 for binary16, uint32 for binary32, uint8 for bytes), in their logical shape; float
parameters are binary32 values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spec.errors import BadInput
from spec.operators import formats
from spec.operators.formats import Words
from spec.ptx.node import Node
from spec.scalar import F16, Bits16, Format, Kind, Reals, decode, encode16

NAN16 = 0x7E00
"""Stands for any NaN wherever a binary16 result is written down."""


@dataclass(frozen=True)
class Expected:
    """What the elements of an output may be.

    Args:
        kinds: int8, values of Kind; a result must be of that class, except that a FINITE one may overflow to Inf
            where the bound allows it.
        exact: the real result where kinds is FINITE, float64; anything elsewhere.
        bound: E there: how far the last binary32 value may be from the real result, the reference's own rounding
            included.
        vacuous: where the operator says that E tells nothing, because it is at least a part (the operator's module
            states which) of the range that the output has anyway. None: nowhere. Such results are still judged.
        form: the format that results are stored in.
    """

    kinds: NDArray[np.int8]
    exact: Reals
    bound: Reals
    vacuous: NDArray[np.bool_] | None = None
    form: Format = field(default=F16, kw_only=True)

    def __post_init__(self) -> None:
        found = self.vacuous
        if found is not None and (found.dtype != np.dtype(np.bool_) or found.shape != self.kinds.shape):
            raise BadInput(f"vacuous is a bool array of shape {self.kinds.shape}, got {found.dtype} {found.shape}")

    def accepts(self, bits: Words) -> NDArray[np.bool_]:
        """Which results obey the contract: class first, then RN(s - E) <= y <= RN(s + E)."""
        formats.check(bits, self.kinds.shape, self.form)
        finite = self.kinds == Kind.FINITE
        exact, bound = np.where(finite, self.exact, 0.0), np.where(finite, self.bound, 0.0)
        inside = formats.accept(bits, exact, bound, self.form)
        verdict: NDArray[np.bool_] = np.where(finite, inside, formats.kinds(bits, self.form) == self.kinds)
        return verdict

    def ratio(self, bits: Words) -> Reals:
        """The least error before the conversion that explains each result, as a part of the bound.

        0 where the result is the correctly rounded one, at most 1 (within float64) where it is accepted, infinite
        for a result of the wrong class.
        """
        formats.check(bits, self.kinds.shape, self.form)
        finite = self.kinds == Kind.FINITE
        error = formats.error(bits, np.where(finite, self.exact, 0.0), self.form)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(error == 0.0, 0.0, error / np.where(finite, self.bound, 1.0))
        found: Reals = np.where(finite, part, np.where(formats.kinds(bits, self.form) == self.kinds, 0.0, np.inf))
        return found

    def says_nothing(self) -> NDArray[np.bool_]:
        """Where the bound is vacuous: a FINITE result for which every finite word is accepted, or `vacuous` says so.

        The class is still due there, and a result outside the bound is still wrong.
        """
        found = np.zeros(self.kinds.shape, np.bool_) if self.vacuous is None else self.vacuous.copy()
        top = self.form.infinity - 1
        # No bound below half a step under the largest finite value, from where on words round to it, reaches both ends.
        wide = np.flatnonzero(self.bound >= float((decode(top, self.form) + decode(top - 1, self.form)) / 2))
        exact, bound = self.exact.reshape(-1)[wide], self.bound.reshape(-1)[wide]
        word = formats.word_type(self.form)
        ends = (np.full(exact.shape, end, word) for end in (top, top | self.form.sign))
        both = [formats.accept(end, exact, bound, self.form) for end in ends]
        found.reshape(-1)[wide] |= both[0] & both[1]
        verdict: NDArray[np.bool_] = found & (self.kinds == Kind.FINITE)
        return verdict

    def nearest(self) -> Words:
        """The correctly rounded results; a quiet NaN (NAN16 in binary16) where NaN is due."""
        special = np.select(
            [self.kinds == Kind.PLUS_INF, self.kinds == Kind.MINUS_INF, self.kinds == Kind.NAN],
            [np.inf, -np.inf, np.nan],
            0.0,
        )
        words = formats.encode(np.where(self.kinds == Kind.FINITE, self.exact, special), self.form)
        return np.where(self.kinds == Kind.NAN, formats.nan_of(self.form), words).astype(words.dtype)


@dataclass(frozen=True)
class Exactly(Expected):
    """A result that is known word for word: nothing else is accepted, signs of zeros included.

    Args:
        words: the results.
        payloads: whether NaN must have the same payload too, as in a copy; an operation may return any NaN.
    """

    words: Words = field(kw_only=True)
    payloads: bool = field(kw_only=True)

    def accepts(self, bits: Words) -> NDArray[np.bool_]:
        formats.check(bits, self.kinds.shape, self.form)
        verdict: NDArray[np.bool_] = bits == self.words
        if not self.payloads:
            verdict |= (self.kinds == Kind.NAN) & (formats.kinds(bits, self.form) == Kind.NAN)
        return verdict

    def ratio(self, bits: Words) -> Reals:
        return np.where(self.accepts(bits), 0.0, np.inf)

    def nearest(self) -> Words:
        if self.payloads:
            return self.words
        return np.where(self.kinds == Kind.NAN, formats.nan_of(self.form), self.words).astype(self.words.dtype)


def exactly(words: Words, form: Format, payloads: bool = False) -> Exactly:
    """These words and no others."""
    values, kinds = formats.finite_values(words, form), formats.kinds(words, form)
    return Exactly(kinds, values, np.zeros(words.shape), form=form, words=words, payloads=payloads)


@dataclass(frozen=True)
class KnownAnswer:
    """Inputs with a result that is known from elsewhere.

    Args:
        name: what the case shows.
        inputs: words by buffer, in logical shape.
        floats: float parameters by name.
        output: words of the output; a quiet NaN (NAN16) stands for any NaN, both zeros are equal.
        bitwise: nothing but these words; otherwise whatever the acceptance rule allows, these words included.
    """

    name: str
    inputs: Mapping[str, Words]
    output: Words
    floats: Mapping[str, float] = field(default_factory=dict)
    bitwise: bool = False


@dataclass(frozen=True)
class Operator:
    """An operator and its error contract.

    Args:
        name: stem of its module, as `Contract.operator` names it.
        sequence: the rounded operations in order, for readers.
        expression: (integer parameters, output buffer, element index) -> the ordered expression of that element.
            Element indices count elements from the buffer's base, so strides matter.
        expected: (words of the inputs by buffer, float parameters) -> what each output element may be.
        phi: (integer parameters) -> a relative bound that holds for all finite data of these sizes; BadInput where
            there is none.
        approximations: names in spec.approximations whose documented error the bound uses.
        assumptions: names in spec.assumptions: what the bound takes for granted of a device, all of it and no more.
        known_answers: see KnownAnswer.
        output: the output buffer.
    """

    name: str
    sequence: str
    expression: Callable[[Mapping[str, int], str, int], Node]
    expected: Callable[[Mapping[str, Words], Mapping[str, float]], Expected]
    phi: Callable[[Mapping[str, int]], Fraction]
    approximations: tuple[str, ...]
    assumptions: tuple[str, ...]
    known_answers: tuple[KnownAnswer, ...]
    output: str = "y"


def words(*values: float | int) -> Bits16:
    """Binary16 words of values that are binary16 numbers; BadInput if one is not."""
    wide = np.array(values, dtype=np.float64)
    found = encode16(wide)
    if not np.array_equal(found.view(np.float16).astype(np.float64), wide, equal_nan=True):
        raise BadInput(f"not all binary16 numbers: {values}")
    return found


def raw(*bits: int) -> Bits16:
    """Binary16 words as they are."""
    return np.array(bits, dtype=np.uint16)
