"""What is the same for all threads of a block, seen from the unknowns in it.

A term or condition is uniform at a place if each of its unknowns is one for the launch or the block, or is the round of
a loop around that place, or is marked `uniform` and redefined only by such loops: threads that are there in the same
rounds then have the same value. Nothing is said of threads in different rounds. In particular the round in which a
loop is left is uniform only if all that decides about leaving is (`loops.py`), whatever the loop looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proofs.problem import Problem
from proofs.sameness import rests_on_shared, uniform, uniform_value
from proofs.state import State
from proofs.terms import Cond, Poly
from spec.ptx.ast import FloatImm, Imm, Instr, Not, Operand, Pair, ParenList, Reg, Sink, Special, Sym, Vec

# What these give depends on their operands alone, whichever thread executes them (PTX ISA 9.7.1 to 9.7.8).
PURE = frozenset((
    "abs", "add", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "cvt", "div", "fma", "lop3", "mad",
    "mad24", "max", "min", "mov", "mul", "mul24", "neg", "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "selp",
    "set", "setp", "shf", "shl", "shr", "slct", "sqrt", "sub", "szext", "xor",
))


def computes_uniformly(
    problem: Problem, instruction: Instr, guard: Cond, state: State, rounds: frozenset[str]
) -> bool:
    """Whether an instruction gives threads in the same rounds the same: it only computes, from what is uniform.

    Where it is guarded it may leave what it writes as it was, so that this counts as an operand, too.
    """
    base, *suffixes = instruction.opcode.split(".")
    if base == "ld" and suffixes[:1] == ["param"]:
        return instruction.guard is None
    if base not in PURE or not uniform(guard, rounds):
        return False
    operands = instruction.operands if instruction.guard is not None else instruction.operands[1:]
    return all(_same_for_all(problem, part, state, rounds) for part in _parts(operands))


def computes_from_shared(instruction: Instr, guard: Cond, state: State) -> bool:
    """Whether it has an operand that threads have in common since they load it from shared memory."""
    values = (state.registers.get(p.name) for p in _parts(instruction.operands) if isinstance(p, Reg))
    return rests_on_shared(guard) or any(map(rests_on_shared, values))


def _parts(operands: Iterable[Operand]) -> Iterator[Operand]:
    for operand in operands:
        if isinstance(operand, Vec | ParenList):
            yield from _parts(operand.elems)
        elif isinstance(operand, Pair):
            yield from _parts((operand.first, operand.second))
        else:
            yield operand.operand if isinstance(operand, Not) else operand


def _same_for_all(problem: Problem, operand: Operand, state: State, rounds: frozenset[str]) -> bool:
    if isinstance(operand, Imm | FloatImm | Sym | Sink):
        return True
    if isinstance(operand, Special):
        term = problem.specials.get(operand.name)
        return term is not None and uniform(term, rounds)
    value = state.registers.get(operand.name) if isinstance(operand, Reg) else None
    if value is None:
        return False
    return uniform_value(value, rounds)


def loads_uniformly(problem: Problem, instruction: Instr, buffer: str, address: Poly, rounds: frozenset[str]) -> bool:
    """Whether a load gives threads in the same rounds the same: from one address, of memory that does not change.

    That nothing writes there is by what was declared of the buffers; `sync_claims` has it proved where it matters.
    """
    return _plain(instruction) and never_written(problem, buffer) and uniform(address, rounds)


def loads_from_shared_uniformly(instruction: Instr, address: Poly, rounds: frozenset[str]) -> bool:
    """Whether a load from shared memory does: from one address, between the same two barriers of the whole block.

    Whoever writes there between those barriers races with a thread that reads, so that this stands on *race* and on
    *barrier*; until something goes wrong for the first time, all that threads have loaded like this is the same.
    """
    return _plain(instruction) and uniform(address, rounds)


def _plain(instruction: Instr) -> bool:
    watched = {"volatile", "relaxed", "acquire", "mmio"} & {*instruction.opcode.split(".")}
    return instruction.guard is None and not watched


def never_written(problem: Problem, buffer: str) -> bool:
    """Whether the launch may not write a buffer, by what was declared of it and of those that may overlap it."""
    return all(
        "w" not in other.access for other in problem.buffers.values() if problem.alias_of(buffer, other.name)
    )
