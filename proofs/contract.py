"""From a shipped kernel's contract to the problem that it poses."""

from __future__ import annotations

from collections.abc import Mapping

from proofs.facts import memory_exists, sources
from proofs.hints import hints_of
from proofs.hints.fitting import with_hints
from proofs.problem import (
    BufferTerms,
    Problem,
    buffer_clauses,
    check_name,
    launch_specials,
    to_condition,
    to_term,
    variable_terms,
)
from proofs.terms import LAUNCH, Cond, Poly, Symbol
from spec.contracts.expr import parse_expr, print_expr
from spec.contracts.model import Buffer, Contract
from spec.errors import BadInput
from spec.ptx.ast import Module
from spec.ptx.lower import lowered


def contract_problem(contract: Contract, module: Module) -> Problem:
    """The problem a shipped kernel's contract poses."""
    try:
        function = lowered(module.entry(contract.entry), module)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from None
    if len(function.params) != len(contract.parameters):
        raise BadInput(
            f"{contract.entry} has {len(function.params)} parameters, its contract {len(contract.parameters)}"
        )
    names: dict[str, Poly] = {}
    parameters: dict[str, Poly | None] = {}
    domain: list[tuple[str, Cond]] = []
    for declared, wanted in zip(function.params, contract.parameters, strict=True):
        if declared.name != wanted.name:
            raise BadInput(f"{contract.entry}: parameter {declared.name!r} where its contract has {wanted.name!r}")
        if wanted.kind == "f32":
            parameters[declared.name] = None
            continue
        bits = wanted.bytes * 8
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if wanted.kind == "s32" else (0, 2**bits - 1)
        term = Poly.symbol(Symbol(check_name(wanted.name), "parameter", LAUNCH, low, high))
        names[wanted.name] = parameters[declared.name] = term
    for comparison in contract.comparisons():
        domain.append((print_expr(comparison), to_condition(comparison, names)))
    grid_terms = [to_term(parse_expr(e), names) for e in contract.grid]
    specials, clauses, grid = launch_specials(contract.block, (grid_terms[0], grid_terms[1], grid_terms[2]))
    domain += clauses
    buffers: dict[str, BufferTerms] = {}
    for buffer in contract.buffers:
        if buffer.name not in names:
            raise BadInput(f"{contract.entry}: buffer {buffer.name!r} is not a parameter")
        (base,) = names[buffer.name].symbols()
        buffers[buffer.name] = _buffer(buffer, base, names)
        domain += buffer_clauses(buffers[buffer.name])
    variables, sizes, aligned = variable_terms(module, function, Poly.constant(contract.dynamic_shared))
    domain += aligned
    if contract.power not in names:
        raise BadInput(f"{contract.entry}: power parameter {contract.power!r} is not a parameter")
    (power,) = names[contract.power].symbols()
    facts = [(fact.buffer, fact.text) for fact in contract.content_facts()]
    # The audit does not derive what memory holds: without facts, what is loaded is any number.
    spoken_of = {b.name: b.element for b in contract.buffers if any(b.name == name for name, _ in facts)}
    found = Problem(
        module, function, domain, parameters, specials, variables, sizes, buffers, contract.block, grid, power,
        contract.outputs, contract.rewrites, contract=contract, expected_grid=tuple(grid_terms), names=names,
        sources=sources(buffers, spoken_of, facts, names),
    )
    memory_exists(found, f"contract of {contract.entry}")
    return with_hints(found, hints_of(contract.stem, contract.entry))


def _buffer(buffer: Buffer, base: Symbol, names: Mapping[str, Poly]) -> BufferTerms:
    shape = [to_term(parse_expr(s), names) for s in buffer.shape]
    two, three = len(shape) > 1, len(shape) > 2
    return BufferTerms(
        buffer.name, base, buffer.element_bytes, shape[-2] if two else None,
        to_term(parse_expr(buffer.row_stride), names) if two else None, shape[-1], buffer.access, buffer.align,
        planes=shape[0] if three else None,
        plane_stride=to_term(parse_expr(buffer.plane_stride), names) if three else None,
    )
