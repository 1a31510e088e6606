"""Identities of binary16 by going through all words: `python -m tests.exhaust [IDENTITY...] [--slices N --seed S]`.

A check on the solvers, which share an encoding of floating-point numbers: here NumPy and the processor compute. All
pairs of binary16 words are 65,536 slices, all binary32 words 32,768; without --slices all are gone through. The exact
value of a sum or product of binary16 numbers is a float64, and its conversion is the one rounding. Exits with 1 if
anything differs, having printed operands.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint16]
Truths = NDArray[np.bool_]

WORDS: Bits = np.arange(2**16, dtype=np.uint16)
_HALVES = WORDS.view(np.float16)
_SINGLES, _DOUBLES = _HALVES.astype(np.float32), _HALVES.astype(np.float64)
_NAN = np.isnan(_SINGLES)
_BYTES = np.arange(-128, 128, dtype=np.float32)
BLOCK = 2**17


@dataclass(frozen=True)
class Check:
    """One identity: `slices` of operands, and where it fails in one of them, given by number."""

    slices: int
    differs: Callable[[int], Truths]


def narrow(values: NDArray[Any]) -> Bits:
    """RN16 of each float32 or float64; every NaN is 0x7E00."""
    with np.errstate(over="ignore", invalid="ignore"):
        words = values.astype(np.float16).view(np.uint16)
    return np.where(words & 0x7FFF > 0x7C00, np.uint16(0x7E00), words)


def narrow_by_integers(words: NDArray[np.uint32]) -> Bits:
    """RN16 of binary32 words, to nearest even in integers alone."""
    magnitude = words & 0x7FFFFFFF
    exponent = magnitude >> 23
    shift = np.uint32(126) - np.clip(exponent, 95, 113)
    kept = np.where(exponent < 113, (magnitude & 0x7FFFFF) | 0x800000, magnitude - np.uint32(112 << 23))
    rounded = (kept + (np.uint32(1) << (shift - 1)) - 1 + ((kept >> shift) & 1)) >> shift
    rounded = np.where(magnitude > 0x7F800000, 0x7E00, np.minimum(rounded, 0x7C00))
    sign = np.where(rounded == 0x7E00, 0, (words >> 16) & 0x8000)
    found: Bits = (rounded | sign).astype(np.uint16)
    return found


def _once(op: Callable[[Any, Any], Any]) -> Callable[[int], Truths]:
    def differs(a: int) -> Truths:
        found: Truths = narrow(op(_SINGLES[a], _SINGLES)) != narrow(op(_DOUBLES[a], _DOUBLES))
        return found

    return differs


def _inexact(a: int) -> Truths:
    product = (_SINGLES[a] * _SINGLES).astype(np.float64)
    found: Truths = (product != _DOUBLES[a] * _DOUBLES) & ~np.isnan(product)
    return found


def _order(a: int) -> Truths:
    """Against the order of the words themselves."""
    places = np.where(WORDS & 0x8000, -(WORDS & 0x7FFF).astype(np.int32), (WORDS & 0x7FFF).astype(np.int32))
    below = (places[a] < places) & ~_NAN & ~_NAN[a]
    found: Truths = below != (_SINGLES[a] < _SINGLES)
    return found


def _subtract(a: int) -> Truths:
    found: Truths = narrow(_DOUBLES[a] - _DOUBLES) != narrow(_DOUBLES[a] + -_DOUBLES)
    return found


def _inexact_bytes(a: int) -> Truths:
    product = (_SINGLES[a] * _BYTES).astype(np.float64)
    found: Truths = (product != _DOUBLES[a] * _BYTES.astype(np.float64)) & ~np.isnan(product)
    return found


def _same_word(a: int) -> Truths:
    """cvt.f32.f16 of a block of all words (there is one), back again, class and sign; no subnormal result."""
    del a
    back = narrow(_SINGLES)
    wide = _SINGLES.view(np.uint32)
    subnormal = (wide & 0x7F800000 == 0) & (wide & 0x7FFFFF != 0)
    kept = (wide >> 31 == WORDS >> 15) & (np.isinf(_SINGLES) == (WORDS & 0x7FFF == 0x7C00))
    found: Truths = (back != np.where(_NAN, 0x7E00, WORDS)) | subnormal | ~kept
    return found


def _block(number: int) -> NDArray[np.uint32]:
    return np.arange(number * BLOCK, (number + 1) * BLOCK, dtype=np.uint32)


def _conversion(number: int) -> Truths:
    """cvt.rn.f16.f32 against integers: Inf from 65520 on, zero up to 2^-25, monotone, and idempotent."""
    words = _block(number)
    values = words.view(np.float32)
    found = narrow(values)
    size = np.abs(values)
    wrong: Truths = found != narrow_by_integers(words)
    wrong |= (found & 0x7FFF == 0x7C00) != (size >= 65520)
    wrong |= (found & 0x7FFF == 0) != (size <= 2.0**-25)
    again = narrow(found.view(np.float16).astype(np.float32))
    places = found & 0x7FFF
    wrong[1:] |= (places[1:] < places[:-1]) & (size[1:] <= np.inf)
    wrong |= again != found
    return wrong


PAIRS = 2**16
CHECKS = {
    "f16-add-once": Check(PAIRS, _once(np.add)),
    "f16-sub-once": Check(PAIRS, _once(np.subtract)),
    "f16-mul-once": Check(PAIRS, _once(np.multiply)),
    "f16-product-exact": Check(PAIRS, _inexact),
    "f16-widen-order": Check(PAIRS, _order),
    "f16-subtract": Check(PAIRS, _subtract),
    "f16-int8-exact": Check(PAIRS, _inexact_bytes),
    "f16-round-trip": Check(1, _same_word),
    "f16-conversion": Check(2**32 // BLOCK, _conversion),
}
"""f16-conversion: f16-overflow, f16-underflow, f16-round-order (within a sign and block) and f16-round-again."""


def run(check: Check, slices: Iterable[int]) -> tuple[int, str]:
    """How many cases were gone through, and the first that differs, '' if none does."""
    cases = 0
    with np.errstate(all="ignore"):
        for number in slices:
            differs = check.differs(number)
            cases += differs.size
            if differs.any():
                return cases, f"slice {number:#x}, element {int(differs.argmax()):#x}"
    return cases, ""


def main(arguments: Sequence[str]) -> int:
    """Go through what was asked for and print a line for each identity."""
    parser = argparse.ArgumentParser(prog="python -m tests.exhaust", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("identity", nargs="*", help=f"default: all of {', '.join(CHECKS)}")
    parser.add_argument("--slices", type=int, metavar="N", help="only N slices of each, drawn")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="what the slices are drawn with")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.identity if name not in CHECKS]:
        parser.error(f"no identity {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    failed = False
    for name in given.identity or CHECKS:
        check, start = CHECKS[name], time.process_time()
        count = check.slices if given.slices is None else min(given.slices, check.slices)
        drawn = range(count) if count == check.slices else random.Random(given.seed).sample(range(check.slices), count)
        cases, words = run(check, drawn)
        failed |= bool(words)
        print(f"{name}: {words or 'holds'}, {cases} cases, {time.process_time() - start:.0f} s of CPU time", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
