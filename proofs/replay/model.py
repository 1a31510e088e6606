"""From a claim that may fail to launches that may show it: models with small sizes first, then concrete launches."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofs.claims import Claim
from proofs.claims.model import FIRST, SECOND
from proofs.contents import ContentAtom
from proofs.decide import DEFAULT_RLIMIT, Decide, decide
from proofs.problem import AXES, BufferTerms, Problem, shared_variables
from proofs.query import range_text
from proofs.replay.contents import put_contents
from proofs.replay.evaluate import condition_value, symbol_value, term_value
from proofs.terms import LAUNCH, Symbol, integer, quote
from spec.contracts.model import ACTIVE
from spec.errors import BadInput
from spec.ptx.memory import Memory
from spec.ptx.program import decode

# Bounds of sizes and of loop rounds, tried in this order; None is no bound.
BOUNDS: tuple[tuple[int | None, int | None], ...] = (
    (8, 2), (64, 4), (1024, 8), (2**14, 0), (2**14, 64), (2**17, 256), (2**21, 1024), (2**32, 16), (None, 64),
    (None, None),
)
SMALL_RLIMIT = 2_000_000
RESIDUE = 256  # bytes modulo which a buffer keeps its place: above any access width and the alignment paths of kernels
UNBOUNDED_BYTES = 2**40  # of a buffer without a declared size
Index = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """A concrete launch, and the model it was made from.

    Args:
        values: the model, each buffer's base put where the emulator has it.
        parameters: integer parameters that are no addresses, by the contract's name.
        offsets: bytes by which a buffer's base misses a multiple of 256.
    """

    values: Mapping[str, int]
    parameters: Mapping[str, int]
    offsets: Mapping[str, int]
    arguments: Mapping[str, int | bytes]
    memory: Memory
    grid: Index
    block: Index
    blocks: tuple[Index, ...]
    power: int
    dynamic_shared: int


def models(
    problem: Problem, claim: Claim, first: Mapping[str, int], ask: Decide = decide
) -> Iterator[dict[str, int]]:
    """Models of the claim's negation, those with small launches first; at the end the one that is there already."""
    assert claim.query is not None
    clauses = [c for _, c in problem.domain if all(s.scope == LAUNCH for s in c.symbols())]
    if claim.obligation == "abi":
        # The launch function's grid is what is in doubt: no launch exists yet.
        clauses = [c for c in clauses if not any(s.name.startswith("nctaid") for s in c.symbols())]
    launch = {s.name: s for c in clauses for s in c.symbols()}
    known = {s.name for s in claim.query.symbols}
    more = [f"(declare-const {quote(n)} Int)" for n in launch if n not in known]
    more += [f"(assert {text})" for n, s in launch.items() if n not in known and (text := range_text(s))]
    more += [f"(assert {c.text})" for c in clauses]
    sizes = [s for s in (*launch.values(), *claim.query.symbols) if _is_size(problem, s)]
    # The claim that a loop ends speaks of rounds without number: there they are not bounded.
    endless = claim.name.startswith("variant.")
    rounds = [s for s in claim.query.symbols if s.kind == "iteration" and not endless]
    # What shows in memory is looked for first, and once without that.
    tries = [(claim.visible, *b) for b in BOUNDS] if claim.visible else []
    for visible, bound, most in (*tries, *(("", *b) for b in BOUNDS)):
        limits = [] if bound is None else [_within(s, bound) for s in dict.fromkeys(sizes)]
        limits += [] if most is None else [_within(s, most) for s in rounds]
        limits += [f"(assert {visible})"] if visible else []
        text = claim.query.text.replace("(check-sat)", "\n".join([*more, *limits, "(check-sat)"]))
        answer = ask(text, SMALL_RLIMIT if bound is not None else DEFAULT_RLIMIT)
        if answer.status == "sat":
            yield answer.model
    yield dict(first)


def _within(symbol: Symbol, bound: int) -> str:
    name = quote(symbol.name)
    return f"(assert (and (<= {integer(-bound)} {name}) (<= {name} {bound})))"


def _is_size(problem: Problem, symbol: Symbol) -> bool:
    bases = {b.base.name for b in problem.buffers.values()}
    power = problem.power.name if problem.power else ""
    return (
        symbol.scope == LAUNCH and symbol.kind in ("parameter", "special") and symbol.name not in bases
        and symbol.name != power
    )


def launch_of(problem: Problem, model: Mapping[str, int], contents: Sequence[ContentAtom] = ()) -> Launch:
    """The launch that a model describes, its buffers in fresh memory. BadInput if it is outside the domain."""
    values = dict(model)
    power = ACTIVE
    if problem.power is not None:
        power = values.setdefault(problem.power.name, ACTIVE)
    memory = Memory()
    offsets = {}
    for buffer in problem.buffers.values():
        offsets[buffer.name] = symbol_value(buffer.base, values) % RESIDUE
        values[buffer.base.name] = _add(memory, buffer, values, offsets[buffer.name])
    dynamic = [problem.shared_bytes[v.name] for v in shared_variables(problem.module, problem.function) if not v.bytes]
    dynamic_shared = max((term_value(size, values) for size in dynamic), default=0)
    for name, at in decode(problem.function, problem.module, dynamic_shared).shared.items():
        values[f"shared.{name}"] = at
    for axis, extent in zip(AXES, problem.expected_grid, strict=False):
        values[f"nctaid.{axis}"] = term_value(extent, values)
    for clause_text, clause in problem.domain:
        if all(s.scope == LAUNCH for s in clause.symbols()) and not condition_value(clause, values):
            raise BadInput(f"the model breaks the assumption {clause_text}")
    put_contents(problem, memory, values, contents)
    block = _triple(term_value(problem.specials[f"%ntid.{a}"], values) for a in AXES)
    extents = problem.expected_grid or tuple(problem.specials[f"%nctaid.{a}"] for a in AXES)
    grid = _triple(term_value(extent, values) for extent in extents)
    bases = {b.base.name for b in problem.buffers.values()}
    parameters: dict[str, int] = {}
    arguments: dict[str, int | bytes] = {}
    for declared in problem.function.params:
        term = problem.parameters[declared.name]
        if term is None:
            arguments[declared.name] = _float_argument(problem, declared.name, declared.type)
            continue
        arguments[declared.name] = term_value(term, values)
        (symbol,) = term.symbols()
        if symbol.name not in bases:
            parameters[symbol.name] = term_value(term, values)
    blocks = _blocks(values, grid)
    return Launch(values, parameters, offsets, arguments, memory, grid, block, blocks, power, dynamic_shared)


def _triple(items: Iterable[int]) -> Index:
    x, y, z = items
    return x, y, z


def _blocks(values: Mapping[str, int], grid: Index) -> tuple[Index, ...]:
    """The blocks that a model speaks of: one, or those of its two threads."""
    two = any(f"ctaid.{a}{mark}" in values for a in AXES for mark in (FIRST, SECOND))
    found: dict[Index, None] = {}
    for mark in (FIRST, SECOND) if two else ("",):
        wanted = [values.get(f"ctaid.{a}{mark}", 0) for a in AXES]
        found[_triple(min(max(w, 0), g - 1) for w, g in zip(wanted, grid, strict=True))] = None
    return tuple(found)


def _add(memory: Memory, buffer: BufferTerms, values: Mapping[str, int], offset: int) -> int:
    """Lay out a buffer with its logical rows; what the kernel is to write begins without a value."""
    pitch = row_bytes = plane_pitch = plane_bytes = 0
    size = UNBOUNDED_BYTES
    if buffer.columns is not None:
        columns = max(term_value(buffer.columns, values), 0)
        size = columns * buffer.element_bytes
        if buffer.rows is not None and buffer.leading is not None:
            rows, leading = term_value(buffer.rows, values), term_value(buffer.leading, values)
            pitch, row_bytes = leading * buffer.element_bytes, size
            size = max((rows - 1) * pitch + row_bytes, 0)
        if buffer.planes is not None and buffer.plane_stride is not None:
            planes, stride = term_value(buffer.planes, values), term_value(buffer.plane_stride, values)
            plane_pitch, plane_bytes = stride * buffer.element_bytes, size
            size = max((planes - 1) * plane_pitch + plane_bytes, 0)
    writable = "w" in buffer.access or buffer.columns is None
    return memory.add(
        buffer.name, size=size, writable=writable, initialised="r" in buffer.access or buffer.columns is None,
        offset=offset, row_pitch=pitch, row_bytes=row_bytes, plane_pitch=plane_pitch, plane_bytes=plane_bytes,
    )


def _float_argument(problem: Problem, name: str, kind: str) -> bytes:
    """A value inside the contract's range for a parameter that the prover does not follow."""
    ranges = problem.contract.float_ranges if problem.contract else {}
    value = ranges.get(name, (1.0, 1.0))[0]
    return struct.pack("<d" if kind.endswith("64") else "<f", value)
