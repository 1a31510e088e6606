"""Sound structured kernels with one or two lines changed at random: mistakes that nobody thought of.

Most changes make a fault, some make none, and some only for sizes or schedules that are rare.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from tests.campaign.families.structured import compose, kernel_from
from tests.campaign.kernel import Kernel

SEEDS = 10**9  # those of this family's kernels, so that they are no kernels of `structured`
_INSTRUCTION = re.compile(r"(@!?%p\d+ )?([a-z][\w.:]*)( .*)?;")
_ARITHMETIC = re.compile(r"(add|sub|mul|mad|and|or|xor|shl|shr|setp|mov|selp|bfe|min|max|div|rem)\.")
_TESTS = {"lt": "le", "le": "lt", "ge": "gt", "gt": "ge", "eq": "ne", "ne": "eq"}
_NAMES_MEMORY = re.compile(r"\[a\d+\]|, [sl]\d+;|, dynamic;|cvta")
Edit = Callable[[random.Random, list[str], int], bool]


def _drop(pick: random.Random, lines: list[str], at: int) -> bool:
    del lines[at]
    return True


def _twice(pick: random.Random, lines: list[str], at: int) -> bool:
    lines.insert(at, lines[at])
    return True


def _move(pick: random.Random, lines: list[str], at: int) -> bool:
    """Up or down past up to three instructions, not past a label."""
    step, line = pick.choice((-1, 1)), lines[at]
    for _ in range(pick.randint(1, 3)):
        if not (0 <= at + step < len(lines) and _INSTRUCTION.fullmatch(lines[at + step])):
            break
        lines[at], lines[at + step] = lines[at + step], line
        at += step
    return True


def _constant(pick: random.Random, lines: list[str], at: int) -> bool:
    """One of the numbers of an arithmetic instruction changed."""
    numbers = list(re.finditer(r"(?<=, )\d+(?=[,;])", lines[at]))
    if not numbers or not _ARITHMETIC.search(lines[at]):
        return False
    found = pick.choice(numbers)
    n = int(found[0])
    changed = pick.choice((n + 1, max(0, n - 1), 2 * n, n // 2)) % 2**31
    lines[at] = lines[at][: found.start()] + str(changed) + lines[at][found.end() :]
    return True


def _test(pick: random.Random, lines: list[str], at: int) -> bool:
    """A comparison that takes one more or one less, or the other sign."""
    found = re.search(r"setp\.(lt|le|ge|gt|eq|ne)\.([us])(32|64)", lines[at])
    if found is None:
        return False
    test, sign = found[1], found[2]
    if pick.random() < 0.7:
        test = _TESTS[test]
    else:
        sign = "s" if sign == "u" else "u"
    lines[at] = lines[at].replace(found[0], f"setp.{test}.{sign}{found[3]}")
    return True


def _operand(pick: random.Random, lines: list[str], at: int) -> bool:
    """Another register where one is read."""
    head, comma, rest = lines[at].partition(", ")
    kinds = list(re.finditer(r"%([rd])\d+", rest))
    if not kinds:
        return False
    found = pick.choice(kinds)
    addresses = _addresses(lines)
    before = {m[0] for line in lines[:at] for m in re.finditer(rf"%{found[1]}\d+", line)} - {found[0]} - addresses
    if not before or found[0] in addresses:
        return False
    other = pick.choice(sorted(before, key=lambda name: int(name[2:]))[-6:])
    lines[at] = head + comma + rest[: found.start()] + other + rest[found.end() :]
    return True


def _guard(pick: random.Random, lines: list[str], at: int) -> bool:
    """A guard that is negated, dropped, or put on."""
    found = re.match(r"@(!?)(%p\d+) ", lines[at])
    if found is not None:
        rest = lines[at][found.end() :]
        lines[at] = rest if pick.random() < 0.3 else f"@{'' if found[1] else '!'}{found[2]} {rest}"
        return True
    before = sorted({m[0] for line in lines[:at] for m in re.finditer(r"%p\d+", line)})
    if not before or lines[at].startswith(("call", "brx")):
        return False
    lines[at] = f"@{pick.choice(before)} {lines[at]}"
    return True


def _sign(pick: random.Random, lines: list[str], at: int) -> bool:
    """Signed for unsigned and the other way round, or a narrow product for a wide one."""
    found = re.search(r"(mul\.wide|mad\.wide|shr|min|max|div|rem|mul\.hi)\.([us])32", lines[at])
    if found is None:
        return False
    lines[at] = lines[at].replace(found[0], f"{found[1]}.{'s' if found[2] == 'u' else 'u'}32")
    return True


def _wait(pick: random.Random, lines: list[str], at: int) -> bool:
    """A wait for one group more or less."""
    found = re.search(r"wait_group (\d+)", lines[at])
    if found is None:
        return False
    lines[at] = lines[at].replace(found[0], f"wait_group {max(0, int(found[1]) + pick.choice((-1, 1)))}")
    return True


EDITS: tuple[tuple[Edit, int], ...] = (
    (_drop, 4), (_twice, 1), (_move, 4), (_constant, 5), (_test, 5), (_operand, 5), (_guard, 3), (_sign, 3), (_wait, 3),
)  # fmt: skip


def generate(seed: int) -> Kernel:
    """The kernel of a seed."""
    pick = random.Random(f"mutant {seed}")
    w, s = compose(SEEDS + seed)
    kernel = kernel_from(w, s, pick, SEEDS + seed)
    head, start, body = kernel.text.partition("mov.u32 %v, ")
    lines = body.splitlines()
    told = []
    for _ in range(pick.choice((1, 1, 1, 2))):
        told.append(_edited(pick, lines))
    text = head + start + "\n".join(lines) + "\n"
    return replace(kernel, family="mutants", text=text, seed=seed, meant=", ".join(filter(None, told)))


def _addresses(lines: list[str]) -> set[str]:
    """Registers that hold an address: without them nobody can say which memory is meant."""
    found: set[str] = set()
    for line in lines:
        registers = re.findall(r"%[rd]\d+", line)
        if registers and "[%" not in line and (_NAMES_MEMORY.search(line) or found & set(registers[1:])):
            found.add(registers[0])
    return found


def _edited(pick: random.Random, lines: list[str]) -> str:
    """Change one line, if any that was tried can be changed so; what was done."""
    for _ in range(40):
        (edit,) = pick.choices([e for e, _ in EDITS], [weight for _, weight in EDITS])
        places = _places(lines)
        if not places:
            break
        at = pick.choice(places)
        line = lines[at]
        target = re.search(r"%[rd]\d+", line)
        if edit in (_drop, _move, _guard) and "[%" not in line and target and target[0] in _addresses(lines):
            continue
        if edit(pick, lines, at):
            return f"{edit.__name__[1:]}: {line}"
    return ""


def _places(lines: list[str]) -> list[int]:
    """Instructions; not those of a call, nor the last ret."""
    found, inside = [], 0
    for number, line in enumerate(lines[:-2]):
        if line.startswith("{") and not line.endswith("};"):
            inside += 1
        elif line == "}":
            inside -= 1
        elif not inside and _INSTRUCTION.fullmatch(line):
            found.append(number)
    return found
