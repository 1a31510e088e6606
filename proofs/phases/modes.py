"""Iterations relative to where a walk began: `free`, `0`, `1`, ..., `base`, `base+1`, `base-1`, ..., `exit-2`.

`base` is the iteration in which the walk began, a number is an iteration of a loop entered on the way, `exit-n` is n
iterations before the one in which the loop was left. `free` is any. Of a loop that a walk entered and left, `left+n`
says that it was left in iteration n.
"""

from __future__ import annotations

import re

from proofs.terms import THREAD, Poly, Symbol

FREE = "free"
Modes = tuple[tuple[str, str], ...]
_FORM = re.compile(r"(base|exit|left|)([+-]?\d+)?")


def parse(mode: str) -> tuple[str, int]:
    """(base, exit, left or '', offset) of a mode that is not free."""
    found = _FORM.fullmatch(mode)
    assert found is not None
    return found.group(1), int(found.group(2) or 0)


def spell(origin: str, offset: int) -> str:
    if not origin:
        return str(offset)
    return origin + (f"{offset:+d}" if offset else "")


def following(mode: str, ahead: int) -> str:
    """The mode one iteration later; free where that is more than `ahead` iterations on."""
    if mode == FREE:
        return FREE
    origin, offset = parse(mode)
    return FREE if offset >= ahead else spell(origin, offset + 1)


def iteration(loop: str, mode: str) -> Poly | None:
    """The number of the iteration as a term; None where it is free."""
    if mode == FREE:
        return None
    origin, offset = parse(mode)
    if not origin:
        return Poly.constant(offset)
    return (count(loop) if origin == "base" else leaving(loop)) + offset


def behind(modes: Modes) -> tuple[Modes, Modes]:
    """What a walk knows of the loops it has left: the iteration in which it began, and those in which it left."""
    began, left = [], []
    for loop, mode in modes:
        if mode != FREE:
            origin, offset = parse(mode)
            if origin == "exit":
                began.append((loop, mode))
            elif origin == "left":
                left.append((loop, str(offset)))
    return tuple(began), tuple(left)


def count(loop: str) -> Poly:
    """The symbol of a loop's completed rounds, as loop summaries name it."""
    return Poly.symbol(Symbol(f"k@{loop}", "iteration", THREAD, 0, None))


def leaving(loop: str) -> Poly:
    """The symbol of the rounds completed when a loop was left."""
    return Poly.symbol(Symbol(f"K@{loop}", "exit", THREAD, 0, None))
