"""From a claim that may fail to launches that may show it: models with small sizes first, then concrete launches."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from proofs.claims import Claim
from proofs.claims.model import FIRST, SECOND
from proofs.contents import ContentAtom, contents_of
from proofs.decide import DEFAULT_RLIMIT, Decide, decide
from proofs.problem import AXES, DYNAMIC, Problem, shared_variables
from proofs.query import Copy, Query, range_text
from proofs.records import Records
from proofs.replay.contents import MAX_ELEMENTS, put_contents
from proofs.replay.evaluate import condition_value, symbol_value, term_value
from proofs.replay.layout import RESIDUE, lay_out, mix_signs, put_loaded_values
from proofs.terms import LAUNCH, THREAD, Poly, Symbol, integer, quote
from spec.contracts.model import ACTIVE
from spec.errors import BadInput
from spec.ptx.ast import Param, type_width
from spec.ptx.memory import Memory
from spec.ptx.program import decode

# Bounds of sizes and of loop rounds, tried in this order; None is no bound.
BOUNDS: tuple[tuple[int | None, int | None], ...] = (
    (8, 2), (64, 4), (1024, 8), (2**14, 0), (2**14, 64), (2**17, 256), (2**21, 1024), (2**32, 16), (None, 64),
    (None, 1024), (None, None),
)
LIKE_ROUNDS = 1024
SHORT = (2, 2)
SMALL_RLIMIT = 2_000_000
MODELS = 2  # of one bound
# Rounds of whose past a model is told: the first ones, and some on the way to those that only an endless loop comes to.
FIRST_ROUNDS = 16
PAST = (*range(1, FIRST_ROUNDS + 1), *(n for power in range(5, 64) for n in (2**power - 1, 2**power)))
PAST_TEXT = 100_000  # characters of it
ROOM = 49_152  # bytes of dynamic shared memory that a launch gets where it may choose
CONTRARY, MIXED, OPEN, PLAIN = "contrary", "mixed", "open", "plain"
Index = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """A concrete launch, and the model it was made from.

    Args:
        values: the model, each buffer's base put where the emulator has it.
        parameters: integer parameters that are no addresses, by the contract's name.
        offsets: bytes by which a buffer's base misses a multiple of 256.
        origins: see `Layout`.
        contrary: see `proofs.replay.contrary`.
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
    origins: Mapping[str, int]
    contrary: bool = False


def models(
    problem: Problem, claim: Claim, first: Mapping[str, int], ask: Decide = decide,
    like: Mapping[str, int] | None = None,
) -> Iterator[dict[str, int]]:
    """Models of the claim's negation, those with small launches first; at the end the one that is there already.

    `like`: sizes of a launch that is tried before all others.
    """
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
    more += _apart(problem, known, {*launch, *known})
    filled = _fillable(problem, {*launch, *known})
    past = [_history(claim.query, s) for s in claim.query.symbols if s.kind == "iteration"]
    sizes = [s for s in (*launch.values(), *claim.query.symbols) if _is_size(problem, s)]
    # The claim that a loop ends speaks of rounds without number: there they are not bounded.
    endless = claim.name.startswith("variant.")
    rounds = [s for s in claim.query.symbols if s.kind == "iteration" and not endless]
    # What shows in memory is looked for first, and once without that.
    tries: list[tuple[str, int | None, int | None]] = [(claim.visible, *b) for b in BOUNDS] if claim.visible else []
    if claim.obligation != "bounds":
        inside = _inside(problem, claim, {*launch, *known})
        tries += [(inside, *b) for b in BOUNDS[:5]] if inside else []
    # What each round makes anew hangs on sizes in ways that the query does not say: large ones are tried early as well.
    parameters = [s for s in dict.fromkeys(sizes) if s.kind == "parameter"] if made_anew(claim) else []
    large = [(_at_least(parameters, b // 2), b, most) for b, most in BOUNDS[1:3] if b and parameters]
    tries = [*tries[:1], *large, *tries[1:]] if tries else [("", *BOUNDS[0]), *large]
    if claim.obligation == "init":
        # What is left out in the last rounds of a short launch is written in the first ones of a longer one.
        tries.insert(0, ("", *SHORT))
    same = [f"(= {quote(s.name)} {integer(like[s.name])})" for s in dict.fromkeys(sizes) if like and s.name in like]
    if same:
        tries.insert(0, (f"(and {' '.join(same)})", None, LIKE_ROUNDS))
    for visible, bound, most in (*tries, *(("", *b) for b in BOUNDS)):
        limits = [] if bound is None else [_within(s, bound) for s in dict.fromkeys(sizes)]
        limits += [] if bound is None else filled
        limits += [] if most is None else [_within(s, most) for s in rounds]
        late = None if endless or most is None else most
        limits += [text for facts in past for n, text in facts.items() if late is None or n <= late]
        limits += [f"(assert {visible})"] if visible else []
        for _ in range(MODELS):
            text = claim.query.text.replace("(check-sat)", "\n".join([*more, *limits, "(check-sat)"]))
            answer = ask(text, SMALL_RLIMIT if bound is not None else DEFAULT_RLIMIT)
            if answer.status != "sat":
                break
            yield answer.model
            # It did not show: one that differs in the launch or in the threads.
            limits.append(_other(problem, claim.query.symbols, answer.model))
    yield dict(first)


def made_anew(claim: Claim) -> bool:
    """Whether a claim speaks of a value that each round of a loop makes, and of which little is known."""
    return claim.query is not None and any(s.kind == "opaque" and s.loops for s in claim.query.symbols)


def _apart(problem: Problem, known: set[str], declared: set[str]) -> list[str]:
    """Numbers for two threads that the query tells apart by what they load alone: different ones, of one warp."""
    marks = [mark for mark in (FIRST, SECOND) if any(name.endswith(mark) for name in known)]
    tids = [s for a in AXES for s in problem.specials[f"%tid.{a}"].symbols()]
    if len(marks) < 2 or any(s.name + mark in known for s in tids for mark in marks):
        return []
    lines = []
    for mark in marks:
        copy = Copy(mark, frozenset({THREAD}))
        for symbol in tids:
            low = symbol.renamed(symbol.name + mark)
            lines += [f"(declare-const {quote(low.name)} Int)", f"(assert (<= 0 {quote(low.name)} 31))"]
        for _, clause in problem.domain:
            own = {s.name for s in clause.symbols() if s.scope == THREAD}
            others = {s.name for s in clause.symbols()} - own
            if own and own <= {s.name for s in tids} and others <= declared:
                lines.append(f"(assert {copy.text(clause)})")
    differ = " ".join(f"(distinct {quote(s.name + marks[0])} {quote(s.name + marks[1])})" for s in tids)
    return [*lines, f"(assert (or false {differ}))"] if tids else []


def _fillable(problem: Problem, declared: set[str]) -> list[str]:
    """That buffers of which facts are given have no more elements than are filled as the facts say."""
    lines = []
    for source in problem.sources.values():
        elements = prod(source.extents, start=Poly.constant(1)) if source.facts else Poly({})
        if elements.value is None and {s.name for s in elements.symbols()} <= declared:
            lines.append(f"(assert (<= {elements.text} {MAX_ELEMENTS}))")
    return lines


def _inside(problem: Problem, claim: Claim, declared: set[str]) -> str:
    """That the accesses of a claim lie in their buffers, and dynamic shared memory is large: an access out of bounds
    is left out by the emulator, and shows nothing else.
    """
    parts = [f"(>= {DYNAMIC} {ROOM})"] if DYNAMIC in declared else []
    for access, copy in claim.subjects:
        if access.space in ("shared", "local"):
            base, size = problem.variable_of(access.space, access.buffer)
            low, high, items = base, base + size - access.width, [access.address]
            texts = [f"(<= {low.text} {copy.text(access.address)} {high.text})"]
        else:
            buffer = problem.buffers[access.buffer]
            if buffer.columns is None:
                continue
            high, items = buffer.columns - access.count, [access.column]
            texts = [f"(<= 0 {copy.text(access.column)} {high.text})"]
            if buffer.rows is not None:
                items += [access.row, buffer.rows]
                texts.append(f"(<= 0 {copy.text(access.row)} {(buffer.rows - 1).text})")
        terms = [*(copy.poly(i) for i in items), high]
        elements = {e.name for e in contents_of(terms)}
        if {s.name for t in terms for s in t.symbols()} | elements <= declared:
            parts += texts
    return f"(and true {' '.join(parts)})" if parts else ""


def _history(query: Query, iteration: Symbol) -> dict[int, str]:
    """What a query knows of a round because the thread went round before, said of certain earlier rounds as well.

    It follows from what happens in a run, but not from the query, which speaks of one round: a counter that wraps in a
    late round could else come from rounds that were never made. What speaks of elements of memory that the query does
    not have is left out.
    """
    loop = iteration.name.partition("@")[2].partition("!")[0]
    elements = {e.name for e in query.contents}

    def told(number: int) -> str:
        found = [f.substitute({iteration: Poly.constant(number)}) for f in facts]
        return " ".join(f.text for f in found if elements >= {e.name for e in contents_of([f])})

    facts = [
        h.cond for h in (query.statement.hypotheses if query.statement is not None else ())
        if h.label == "fact" and iteration in h.cond.symbols() and not any(loop in s.loops for s in h.cond.symbols())
    ]
    size = sum(len(f.text) for f in facts)
    return {
        n: f"(assert (=> (<= {n} {quote(iteration.name)}) (and true {told(n)})))"
        for n in (PAST[: PAST_TEXT // size] if facts else ())
    }


def _other(problem: Problem, symbols: Iterable[Symbol], model: Mapping[str, int]) -> str:
    told = [s for s in symbols if s.kind in ("special", "iteration") or _is_size(problem, s)]
    names = [s.name for s in told if s.name in model]
    same = " ".join(f"(= {quote(n)} {integer(model[n])})" for n in names)
    return f"(assert (not (and true {same})))"


def _within(symbol: Symbol, bound: int) -> str:
    name = quote(symbol.name)
    return f"(assert (and (<= {integer(-bound)} {name}) (<= {name} {bound})))"


def _at_least(symbols: Iterable[Symbol], bound: int) -> str:
    return f"(and {' '.join(f'(<= {bound} {quote(s.name)})' for s in symbols)})"


def _is_size(problem: Problem, symbol: Symbol) -> bool:
    bases = {b.base.name for b in problem.buffers.values()}
    power = problem.power.name if problem.power else ""
    return (
        symbol.scope == LAUNCH and symbol.kind in ("parameter", "special") and symbol.name not in bases
        and symbol.name not in (power, DYNAMIC)
    )


def launch_of(
    problem: Problem, model: Mapping[str, int], records: Records, content: str = PLAIN,
    contents: Sequence[ContentAtom] = (),
) -> Launch:
    """The launch that a model describes, its buffers in fresh memory. BadInput if it is outside the domain.

    Args:
        contents: the elements of memory that the model speaks of.
        content: MIXED fills what is read with numbers of both signs first; what the model loads is there in any case.
            OPEN gives the parameters of which the model says nothing 1, and not the least number that they can be.
            CONTRARY gives what PTX leaves unspecified another value than the emulator's usual one.
    """
    values = dict(model)
    power = ACTIVE
    if problem.power is not None:
        power = values.setdefault(problem.power.name, ACTIVE)
    if content == OPEN:
        _give_ones(problem, values)
    layout = lay_out(problem, values)
    memory = layout.memory
    offsets = {b.name: symbol_value(b.base, values) % RESIDUE for b in problem.buffers.values()}
    values |= {b.base.name: layout.bases[b.name] for b in problem.buffers.values()}
    if content == MIXED:
        mix_signs(problem, memory)
    put_loaded_values(problem, records, memory, values)
    dynamic = [problem.shared_bytes[v.name] for v in shared_variables(problem.module, problem.function) if not v.bytes]
    if not any(s.name == DYNAMIC for _, c in problem.domain for s in c.symbols()):
        values.setdefault(DYNAMIC, ROOM)
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
            arguments[declared.name] = (
                _float_argument(problem, declared.name, declared.type) if declared.elements is None
                else _structure(problem, declared, values, parameters)
            )
            continue
        arguments[declared.name] = term_value(term, values)
        (symbol,) = term.symbols()
        if symbol.name not in bases:
            parameters[symbol.name] = term_value(term, values)
    blocks = _blocks(values, grid)
    return Launch(
        values, parameters, offsets, arguments, memory, grid, block, blocks, power, dynamic_shared, layout.origins,
        content == CONTRARY,
    )


def _give_ones(problem: Problem, values: dict[str, int]) -> None:
    """Values for what a model leaves open. BadInput if it leaves nothing open: such a launch was made already."""
    bases = {b.base.name for b in problem.buffers.values()}
    symbols = (s for t in problem.parameters.values() if t is not None for s in t.symbols())
    ones = {s.name: 1 for s in symbols if s.name not in bases and s.name not in values}
    if not ones:
        raise BadInput("the model gives every parameter")
    values |= ones


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


def _structure(problem: Problem, param: Param, values: Mapping[str, int], shown: dict[str, int]) -> bytes:
    """The bytes of a structure whose fields are those of the model, which go to `shown` as well."""
    data = bytearray((param.elements or 0) * type_width(param.type) // 8)
    for (name, offset, bits), term in problem.fields.items():
        if name == param.name:
            (symbol,) = term.symbols()
            shown[symbol.name] = value = term_value(term, values)
            data[offset:offset + bits // 8] = (value % 2**bits).to_bytes(bits // 8, "little")
    return bytes(data)


def _float_argument(problem: Problem, name: str, kind: str) -> bytes:
    """A value inside the contract's range for a parameter that the prover does not follow."""
    ranges = problem.contract.float_ranges if problem.contract else {}
    value = ranges.get(name, (1.0, 1.0))[0]
    return struct.pack("<d" if kind.endswith("64") else "<f", value)
