"""Variables of an entry besides those of shared memory: its own local ones, and global and constant ones of the module.

A local variable belongs to one thread. A variable of the module is a buffer like one that a parameter names, with its
declared extent and its initial content; a constant one is only read.
"""

from __future__ import annotations

from collections.abc import Iterator

from proofs.problem import BufferTerms, Problem, buffer_clauses
from proofs.terms import LAUNCH, Poly, Symbol, eq, modulo
from spec.ptx.ast import Function, Mem, Operand, ParenList, Sym, Variable, Vec, type_width

OPEN_SIZE = 2**20


def add_variables(problem: Problem) -> None:
    """Give the problem terms for these variables, as far as its instructions name them."""
    named = set(_names(problem.function))
    mine = [v for v in problem.function.variables if v.name in named]
    for variable in (*problem.module.variables, *mine):
        if variable.name not in named or variable.name in problem.addresses:
            continue
        if variable.space == "local":
            _local(problem, variable)
        elif variable.space in ("global", "const") and variable.name not in problem.buffers:
            _buffer(problem, variable)


def _alignment(variable: Variable) -> int:
    return variable.align or type_width(variable.type) // 8 * variable.vector


def _local(problem: Problem, variable: Variable) -> None:
    if variable.bytes is None:
        return
    base = Symbol(f"local.{variable.name}", "variable", LAUNCH, 0, OPEN_SIZE)
    problem.addresses[variable.name] = address = Poly.symbol(base)
    problem.local_bytes[variable.name] = Poly.constant(variable.bytes)
    align = _alignment(variable)
    if align > 1:
        problem.domain.append((f"local.{variable.name} is aligned to {align}", eq(modulo(address, align))))


def _buffer(problem: Problem, variable: Variable) -> None:
    size = type_width(variable.type) // 8
    base = Symbol(f"{variable.space}.{variable.name}", "variable", LAUNCH, 0, 2**64 - 1)
    columns = None if variable.bytes is None else Poly.constant(variable.bytes // size)
    access = "r" if variable.space == "const" else "rw"
    found = BufferTerms(variable.name, base, size, None, None, columns, access, _alignment(variable), variable.space)
    problem.addresses[variable.name] = Poly.symbol(base)
    problem.buffers[variable.name] = found
    problem.domain += buffer_clauses(found)
    problem.assumptions.append(f"{variable.name}, a variable of the module, overlaps no buffer")


def _names(function: Function) -> Iterator[str]:
    def walk(operand: Operand) -> Iterator[str]:
        if isinstance(operand, Sym):
            yield operand.name
        elif isinstance(operand, Mem) and isinstance(operand.base, Sym):
            yield operand.base.name
        elif isinstance(operand, Vec | ParenList):
            for part in operand.elems:
                yield from walk(part)

    for instruction in function.instructions():
        for operand in instruction.operands:
            yield from walk(operand)
