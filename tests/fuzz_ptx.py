"""Mutated PTX for the parser and for `fltc check`: `python -m tests.fuzz_ptx N SEED [--check]`.

N texts are made from the PTX files under tests/ptx; each must end in a module that prints and reads back as itself, or
in a PtxSyntaxError that points into the text. With --check each goes on to `fltc check` with the least effort (without
ptxas, which would refuse most of them), for a launch of fixed size or of any, and must end in a report or in an error
of the project. Prints what went wrong, each with the number of its text, and exits with 1 if anything did: a text may
take 2 seconds of one core and 1 GiB.
"""

from __future__ import annotations

import random
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from spec.errors import FltcError, PtxSyntaxError
from spec.ptx.parser import parse
from spec.ptx.printer import print_module, strip_lines

SECONDS, MEBIBYTES = 2.0, 1024
# Sizes of block and grid for `fltc check`: most are fixed, since all sizes at once take several times as long.
LAUNCHES: tuple[tuple[tuple[int, int, int] | None, tuple[int, int, int] | None], ...] = (
    ((32, 1, 1), (2, 1, 1)), ((64, 1, 1), (1, 1, 1)), ((128, 1, 1), None), ((16, 4, 1), (2, 2, 1)),
    ((256, 1, 1), (3, 1, 1)), ((7, 1, 1), (1, 1, 1)), ((32, 1, 1), None), (None, None),
)  # fmt: skip
WORD = re.compile(r"[\w$%.]+|[^\w\s]|\s+")
NUMBERS = ("0", "1", "-1", "7", "31", "32", "33", "64", "255", "4096", "65536", "2147483647", "2147483648",
           "4294967295", "18446744073709551615", "99999999999999999999999", "0x7fffffffffffffff")  # fmt: skip


@cache
def samples() -> tuple[str, ...]:
    """The PTX files of the tests that the parser takes."""
    files = sorted((Path(__file__).parent / "ptx").rglob("*.ptx"))
    return tuple(text for text in (f.read_text(encoding="utf-8") for f in files) if len(text) < 40_000)


@cache
def words() -> tuple[str, ...]:
    """Every word of the samples."""
    return tuple(sorted({word for text in samples() for word in WORD.findall(text)}))


def mutate(text: str, chance: random.Random) -> str:
    """The text with one to four changes: words, numbers and lines taken out, doubled, swapped, brought in."""
    found = WORD.findall(text)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(found))
        match chance.randrange(8):
            case 0:
                del found[at : at + chance.choice((1, 3))]
            case 1:
                found.insert(at, chance.choice(words()))
            case 2:
                found[at] = chance.choice(words())
            case 3:
                found[at:at] = found[chance.randrange(len(found)) :][: chance.choice((2, 40))]
            case 4:
                found[at] = found[at][:-1] + chr(chance.randrange(130))
            case 5:
                numbers = [i for i, word in enumerate(found) if word.isdigit()]
                found[chance.choice(numbers) if numbers else at] = chance.choice(NUMBERS)
            case 6:
                other = chance.choice(samples()).splitlines(keepends=True)
                found[at:at] = other[chance.randrange(len(other)) :][: chance.choice((1, 8))]
            case _:
                lines = "".join(found).splitlines(keepends=True)
                a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
                lines[a], lines[b] = lines[b], lines[a]
                found = WORD.findall("".join(lines))
        if not found:
            break
    return "".join(found)


def texts(count: int, seed: int) -> Iterator[str]:
    """Mutated samples; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        yield mutate(chance.choice(samples()), chance)


def accepts(text: str) -> bool:
    """Whether the text is PTX; then its printed form must read as the same module. Any other error is a failure."""
    try:
        module = parse(text)
    except PtxSyntaxError as error:
        return refuses(error)
    assert strip_lines(parse(print_module(module))) == strip_lines(module)
    return True


def refuses(error: PtxSyntaxError) -> bool:
    """False, once the place of the error is seen to lie in the shown line."""
    assert error.line >= 1
    assert 1 <= error.column <= len(error.text) + 1
    return False


def checked(text: str) -> bool:
    """Whether `fltc check` has something to say of the text; an error that is not the project's own is a failure."""
    from proofs.check.report import check
    from proofs.check.request import CheckRequest

    block, grid = LAUNCHES[len(text) % len(LAUNCHES)]
    try:
        report = check(CheckRequest(path="fuzz.ptx", text=text, block=block, grid=grid, effort=1))
    except FltcError:
        return False
    assert report.rows
    return True


def main(arguments: Sequence[str]) -> int:
    """Run the command line; 1 if any text failed."""
    numbers = [int(a) for a in arguments if not a.startswith("-")]
    count, seed = (*numbers, *(1000, 0)[len(numbers) :])[:2]
    run: Callable[[str], bool] = accepts
    if "--check" in arguments:
        # ptxas would refuse almost all of them, and take most of the time.
        patch("proofs.check.flags.assemble").start()
        run = checked
    accepted = failed = 0
    slowest, peak = 0.0, 0
    signal.signal(signal.SIGVTALRM, _late)
    for number, text in enumerate(texts(count, seed)):
        start = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, 10 * SECONDS)
        try:
            accepted += run(text)
        except Exception:  # whatever it is, it is what is looked for: a failure, shown with its place
            failed += 1
            print(f"text {number} of seed {seed}:\n{traceback.format_exc(limit=-4)}", flush=True)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest = max(slowest, time.process_time() - start)
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        if time.process_time() - start > SECONDS or (used > MEBIBYTES and peak <= MEBIBYTES):
            failed += 1
            print(f"text {number} of seed {seed}: {time.process_time() - start:.1f} s, {used} MiB", flush=True)
        peak = used
    print(f"{count} texts of seed {seed}: {accepted} accepted, {failed} failed; slowest {slowest:.2f} s, {peak} MiB")
    return 1 if failed else 0


def _late(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError("this text takes too long")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
