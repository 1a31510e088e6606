"""Every row of the instruction table means the same in Terms as in Lanes, or Terms knows nothing of its result.

Values (exact and bounded rows): on constants, in any ring representative, and on terms of symbols with numbers put for
them. Exchange between lanes: Terms gives unknowns and asks for convergence. Memory: both domains make the same access.
Control flow has no meaning over a domain; what both machines do with it is compared in test_symbolic.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pytest

from proofs.terms import THREAD, Cond, Poly, Symbol, ge, lt, negate, opaque_truth, truth
from proofs.words import LOCAL_WINDOW, PLAIN, SHARED_WINDOW, Hooks, Marks, Observation, Terms, Word
from spec.ptx import isa_float
from spec.ptx.ast import type_width
from spec.ptx.floats import WORD
from spec.ptx.isa import ROWS
from spec.ptx.isa_async import SIZES
from spec.ptx.isa_atomic import reach
from spec.ptx.isa_memory import count, space
from spec.ptx.lanes import Lanes
from spec.ptx.memory import Use
from spec.ptx.operands import list_length
from spec.ptx.reader import Reader
from spec.ptx.row import BOUNDED, CONTROL, EXACT, MEMORY, Form, ParamRef, Row
from tests.harness.isa_agree import defined, lanes_results
from tests.harness.isa_forms import Case, cases, spellings
from tests.harness.isa_inputs import operands
from tests.proofs.evaluation import Unvalued, value_of, with_definitions

VALUE_ROWS = [row for row in ROWS if row.kind in (EXACT, BOUNDED)]
MEMORY_ROWS = [row for row in ROWS if row.kind == MEMORY]
MATRIX_ROWS = [row for row in ROWS if row.base in ("ldmatrix", "stmatrix", "movmatrix", "mma")]
LANE_ROWS = [row for row in ROWS if row.kind == CONTROL and row.meaning is not None and row not in MATRIX_ROWS]
FLOW_ROWS = [row for row in ROWS if row.kind == CONTROL and row.meaning is None]

# Of these rows Terms gives a constant for some operands only.
PARTLY = {
    # Comparisons of floats are unknown, but a predicate `and` false, or `or` true, is not.
    *(r.template for r in isa_float.ROWS if r.base == "setp" and "{bool:" in r.template),
}
# Of these rows Terms gives a constant for no operands at all.
UNKNOWN = {
    # Values of floats are not tracked; copysign, testp and slct only move and test bits.
    *(r.template for r in isa_float.ROWS if r.base not in ("copysign", "testp", "slct") and r.template not in PARTLY),
    # Conversions from, to and between floats; the first row of cvt is from integer to integer.
    *(r.template for r in ROWS if r.base == "cvt" and not r.template.startswith("cvt[sat:sat].{target:u8")),
}


@dataclass
class Facts(Hooks):
    """What the domain asked for. `answer` says what is proved besides what is true of itself."""

    answer: bool
    goals: list[Cond] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    accesses: list[tuple[str, str, int, Poly | None]] = field(default_factory=list)
    marks: list[Marks] = field(default_factory=list)
    members: list[Poly | None] = field(default_factory=list)

    def prove(self, goal: Cond) -> bool:
        self.goals.append(goal)
        return goal.op == "true" or self.answer

    def observe(self, observation: Observation) -> None:
        self.observations.append(observation)

    def access(
        self, kind: str, space: str, width: int, count: int, address: Poly | None, marks: Marks = PLAIN
    ) -> None:
        self.accesses.append((kind, space, width * count // 8, address))
        self.marks.append(marks)

    def converge(self, members: Poly | None) -> None:
        self.members.append(members)


class Watched(Terms):
    """Terms that remembers the symbols it makes."""

    def __init__(self, hooks: Hooks) -> None:
        super().__init__({}, {}, {}, hooks)
        self.made: list[Symbol] = []
        self.at(1, "L1", frozenset())

    def bounded(self, width: int, low: int, high: int, definition: str = "") -> Word:
        word = super().bounded(width, low, high, definition)
        self.made += self.term(word).symbols()
        return word


def _meaning(case: Case, values: dict[str, Word | Cond], hooks: Hooks) -> tuple[list[Word | Cond], list[Symbol]]:
    """Results of the case's instruction in Terms, and the symbols made on the way."""
    domain = Watched(hooks)
    reader: Reader[Word, Cond] = Reader(domain, case.registers, values.__getitem__)
    written = dict(reader.execute(case.instr, case.row, case.form))
    return [written[f"%r{i}"] for i in range(len(case.results))], domain.made


def _constant(result: Word | Cond) -> int | None:
    if isinstance(result, Cond):
        return int(result.op == "true") if result.op in ("true", "false") else None
    value = None if result.term is None else result.term.value
    return None if value is None else value % 2**result.width


def _some(row: Row, most: int) -> list[Case]:
    """Cases of a row, spread over all of its spellings."""
    every = list(cases(row))
    return every[:: max(1, len(every) // most)]


def _inputs(case: Case, number: int) -> list[tuple[list[int], list[int]]]:
    """Operand words whose result the ISA fixes, with the results in Lanes."""
    given = operands(case.sources, number, zlib.crc32(case.name.encode()))
    expected, good = lanes_results(case, given), defined(case, given)
    return [
        ([int(a[i]) for a in given], [int(e[i]) for e in expected]) for i in range(len(good)) if good[i]
    ]


def _exactly(case: Case, index: int, words: list[int]) -> Word | Cond:
    """A register that holds a known word: some integer congruent to it."""
    kind = case.registers[f"%a{index}"]
    if kind == "pred":
        return truth(words[index] != 0)
    width = type_width(kind)
    turn = random.Random(words[index] + index).choice((0, 0, -1, 5))
    return Word(width, Poly.constant(words[index] % 2**width + turn * 2**width))


@pytest.mark.parametrize("row", VALUE_ROWS, ids=lambda r: r.template[:70])
def test_constants(row: Row) -> None:
    seen: set[bool] = set()
    for case in _some(row, 24):
        for words, expected in _inputs(case, 14):
            values = {f"%a{i}": _exactly(case, i, words) for i in range(len(words))}
            results, _ = _meaning(case, values, Facts(answer=False))
            for result, want in zip(results, expected, strict=True):
                got = _constant(result)
                seen.add(got is not None)
                assert got in (None, want), f"{case.name}{tuple(map(hex, words))} = {got}, in Lanes {want}"
    listed = {False} if row.template in UNKNOWN else {True, False} if row.template in PARTLY else {True}
    assert seen == listed, f"{row.template}: known and unknown results {seen}, listed as {listed}"


def _symbolic(case: Case, index: int, word: int, values: dict[str, int], small: bool) -> Word | Cond:
    """A register that holds a term of symbols; `values` gets numbers at which it is the word."""
    kind, name, rng = case.registers[f"%a{index}"], f"s{index}", random.Random(word * 31 + index)
    if kind == "pred":
        if rng.random() < 0.5:
            values[name] = int(word != 0)
            return opaque_truth(Symbol(name, "boolean", THREAD, None, None))
        values[name] = 7 if word else 6
        return ge(Poly.symbol(Symbol(name, "opaque", THREAD, 0, 100)) - 7)
    width = type_width(kind)
    word %= 2**width
    shape = rng.randrange(8)
    if shape > 3:  # often: shifts and fields are followed for constant amounts only
        return Word(width, Poly.constant(word))
    if shape == 0:
        values[f"v{index}"] = word
        return Word(width, None, f"v{index}")
    low, high = (max(0, word - 9), word + 9) if small else (0, 2**width - 1)
    symbol = Poly.symbol(Symbol(name, "opaque", THREAD, low, high))
    if shape == 1:
        values[name] = word
        return Word(width, symbol)
    if shape == 2:
        # A multiple of a symbol, beside a constant that wraps below zero.
        values[name], rest = word // 3, word % 3
        symbol = Poly.symbol(Symbol(name, "opaque", THREAD, low // 3, high // 3))
        return Word(width, symbol * 3 + (rest - 2**width * rng.choice((0, 1))))
    values[name], values[f"t{index}"] = word, rng.randrange(-4, 5)
    turn = Poly.symbol(Symbol(f"t{index}", "opaque", THREAD, -4, 4))
    return Word(width, symbol + turn * 2**width)


def _check_symbolic(case: Case, words: list[int], expected: list[int], answer: bool) -> int:
    """Compare results in Terms, with numbers put for symbols, with those in Lanes; how many were compared."""
    given: dict[str, int] = {}
    values = {f"%a{i}": _symbolic(case, i, w, given, answer) for i, w in enumerate(words)}
    hooks = Facts(answer)
    results, made = _meaning(case, values, hooks)
    known = with_definitions(given, made)
    try:
        if answer and not all(value_of(g, known) for g in hooks.goals):
            return 0  # what was granted does not hold here
    except Unvalued:
        return 0
    compared = 0
    for result, want in zip(results, expected, strict=True):
        term = result if isinstance(result, Cond) else result.term
        if term is None:
            continue
        shown = f"{case.name}{tuple(map(hex, words))} = {term.text} at {known}, in Lanes {want}"
        try:
            got = value_of(term, known)
        except Unvalued:
            # Nothing is said of the symbol but its range.
            bare = [s for s in made if isinstance(term, Poly) and term == Poly.symbol(s)]
            assert all((s.low is None or s.low <= want) and (s.high is None or want <= s.high) for s in bare), shown
            continue
        compared += 1
        assert (bool(got) if isinstance(result, Cond) else got % 2**result.width) == want, shown
        if isinstance(term, Poly) and all(s.name in given for s in term.symbols()):
            low, high = term.interval
            assert low is None or low <= got, shown
            assert high is None or got <= high, shown
    return compared


@pytest.mark.parametrize("row", VALUE_ROWS, ids=lambda r: r.template[:70])
@pytest.mark.parametrize("answer", [False, True], ids=["nothing proved", "ranges granted"])
def test_terms_of_symbols(row: Row, answer: bool) -> None:
    compared = 0
    for case in _some(row, 12):
        for words, expected in _inputs(case, 16):
            small = [w % (7 * i + 9) for i, w in enumerate(words)] if answer else words
            if small != words:
                arrays = [np.array([w], np.uint64) for w in small]
                if not defined(case, arrays)[0]:
                    continue
                expected = [int(e[0]) for e in lanes_results(case, arrays)]
            compared += _check_symbolic(case, small, expected, answer)
    assert (compared > 0) == (row.template not in UNKNOWN), f"{row.template}: {compared} results compared"


# --- lanes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", LANE_ROWS, ids=lambda r: r.template)
def test_exchange_between_lanes_is_unknown_and_converged(row: Row) -> None:
    for case in cases(row):
        words = [Word(32, Poly.constant(i)) for i in range(len(case.sources))]
        values: dict[str, Word | Cond] = {f"%a{i}": w for i, w in enumerate(words)}
        values |= {f"%a{i}": truth(True) for i, kind in enumerate(case.sources) if kind == "pred"}
        hooks = Facts(answer=False)
        results, _ = _meaning(case, values, hooks)
        for result in results:
            assert _constant(result) is None, f"{case.name} depends on other lanes"
            if isinstance(result, Cond):
                assert all(s.scope == THREAD for s in result.symbols())
        members = [] if row.base == "activemask" else [words[-1].term]
        assert hooks.members == members, case.name


# --- memory ------------------------------------------------------------------------------------------------------


class Around:
    """Surroundings of Lanes that only write down what is accessed."""

    count = 1

    def __init__(self) -> None:
        self.accesses: list[tuple[str, str, int, int]] = []
        self.uses: list[Use] = []
        self.copies: list[tuple[int, int, int, list[int]]] = []
        self.parameters: list[tuple[str, int, int]] = []

    def lanes(self) -> Any:
        return np.zeros(1, np.uint32)

    def locate(self, space: str, nbytes: int, address: Any, use: Use) -> list[Any]:
        self.accesses.append((use.kind, space, nbytes, int(np.asarray(address).ravel()[0])))
        self.uses.append(use)
        return []

    def copy_async(self, size: int, target: Any, source: Any, counts: Any) -> None:
        self.copies.append((size, int(target), int(source), counts.tolist()))

    def parameter(self, name: str, offset: int, nbytes: int) -> bytes:
        return (0x8877665544332211 << 64 | 0xFFEEDDCCBBAA9988).to_bytes(16, "little")[offset : offset + nbytes]


def _sample(row: Row, number: int) -> list[tuple[str, Form]]:
    every = list(islice(spellings(row), 400_000))
    chosen = random.Random(row.template).sample(every, min(number, len(every)))
    return [(opcode, form) for opcode in chosen if (form := row.match(opcode)) is not None]


def _accessing(row: Row) -> bool:
    return row.sources[0] == "mem" and row.base != "cp" and row not in MATRIX_ROWS


@pytest.mark.parametrize("row", [r for r in MEMORY_ROWS if _accessing(r)], ids=lambda r: r.template[:50])
def test_accesses(row: Row) -> None:
    """Kind, space, bytes and address; a load gives as many words, of which Terms knows nothing."""
    assert row.meaning is not None
    for opcode, form in _sample(row, 80):
        address, n, width = 0x1234560, count(form), form.width
        around, hooks = Around(), Facts(answer=False)
        symbol = Poly.symbol(Symbol("p", "parameter", THREAD, 0, 2**64 - 1))
        lanes: list[Any] = [np.full(1, address, np.uint64)]
        terms: list[Any] = [Word(64, symbol * 2 + 16)]
        for declared in row.sources[1:]:
            if declared.endswith("?"):
                continue
            words = [np.zeros(1, WORD[width]) for _ in range(n)]
            lanes.append(tuple(words) if declared.startswith("vec:") else words[0])
            unknowns = [Word(width, Poly({})) for _ in range(n)]
            terms.append(tuple(unknowns) if declared.startswith("vec:") else unknowns[0])
        concrete = row.meaning(Lanes(around), form, *lanes)  # type: ignore[arg-type]
        unknown = row.meaning(Watched(hooks), form, *terms)
        ((kind, where, size, term),) = hooks.accesses
        assert term is not None
        at = value_of(term, {"p": (address - 16) // 2})
        assert around.accesses == [(kind, where, size, at)], opcode
        assert (where, size) == (space(form) if ".nc" not in row.template else "global", n * width // 8)
        if len(row.results) == 1 and not row.results[0].startswith("vec:"):
            concrete, unknown = (concrete,), (unknown,)
        if row.base in ("atom", "red"):
            assert (hooks.marks[0].scope, around.uses[0].scope) == (reach(form), reach(form)), opcode
        if row.results:
            assert [w.term for w in unknown] == [None] * n
            assert len({w.key for w in unknown}) == n
            assert [w.width for w in unknown] == [width] * n == [8 * v.dtype.itemsize for v in concrete]


def test_parameters_are_read_whole_or_not_at_all() -> None:
    (row,) = (r for r in MEMORY_ROWS if r.sources[0] == "param")
    assert row.meaning is not None
    word = int.from_bytes(Around().parameter("a", 0, 8), "little")
    for opcode, form in _sample(row, 60):
        for offset in (0, 8):
            domain = Terms({"a": Poly.symbol(Symbol("a", "parameter", THREAD, 0, 2**64 - 1))}, {}, {}, Facts(False))
            known = row.meaning(domain, form, ParamRef("a", offset))
            if count(form) > 1 or offset:
                assert all(w.term is None for w in known), opcode
                continue
            (lanes,) = row.meaning(Lanes(Around()), form, ParamRef("a", 0))  # type: ignore[arg-type]
            assert value_of(known[0].term, {"a": word}) % 2**form.width == int(lanes), opcode


def test_a_parameter_that_is_not_tracked_is_unknown() -> None:
    domain = Terms({"eps": None}, {}, {}, Facts(False))
    assert domain.load_param("eps", 0, 32, 1)[0].term is None


@pytest.mark.parametrize("row", [r for r in MEMORY_ROWS if r.base == "isspacep"], ids=lambda r: r.template[:50])
def test_the_space_of_a_generic_address_is_unknown(row: Row) -> None:
    assert row.meaning is not None
    for opcode in spellings(row):
        result = row.meaning(Watched(Facts(True)), row.match(opcode), Word(64, Poly.constant(64)))
        assert _constant(result) is None
        assert len(result.symbols()) == 1


@pytest.mark.parametrize("row", [r for r in MEMORY_ROWS if r.base == "cvta"], ids=lambda r: r.template[:50])
def test_address_conversion(row: Row) -> None:
    """Generic addresses of global memory are global ones (an assumption that is printed), those of shared memory lie
    somewhere in a window, of the others nothing is known."""
    assert row.meaning is not None
    sign = -1 if row.template.startswith("cvta.to") else 1
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        given = Word(form.width, Poly.symbol(Symbol("p", "parameter", THREAD, 0, 2**32 - 1)))
        result = row.meaning(Watched(Facts(False)), form, given)
        term = Poly.symbol(Symbol("p", "parameter", THREAD, 0, 2**32 - 1))
        windows = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW} if form.width == 64 else {}
        expected = {"global": term} | {space: term + window * sign for space, window in windows.items()}
        assert result.term == expected.get(form["space"]), opcode


def test_special_registers_and_constants() -> None:
    domain = Terms({}, {"%tid.x": Poly.symbol(Symbol("tid.x", "special", THREAD, 0, 7))}, {}, Facts(False))
    assert domain.special("%tid.x", 32).term is not None
    assert domain.special("%clock", 32).term is None
    for width in (8, 16, 32, 64):
        for value in (0, 1, -1, 2 ** (width - 1), 2**width - 1, 2**width + 3):
            assert _constant(domain.const(width, value)) == value % 2**width


@pytest.mark.parametrize("row", [r for r in MEMORY_ROWS if r.base == "cp"], ids=lambda r: r.template[:50])
def test_asynchronous_copies(row: Row) -> None:
    """A read of the source, where any byte is read, and a write of the whole target, both in flight."""
    assert row.meaning is not None
    source, target = (Poly.symbol(Symbol(n, "parameter", THREAD, 0, 2**40)) for n in ("source", "target"))
    count = Poly.symbol(Symbol("count", "opaque", THREAD, 0, 16))
    yes = opaque_truth(Symbol("yes", "boolean", THREAD, None, None))
    amounts: list[tuple[tuple[Word | None, Cond | None], Cond]] = [
        ((None, None), truth(True)), ((None, yes), negate(yes)), ((None, truth(True)), truth(False)),
        ((Word(32, Poly.constant(0)), None), truth(False)), ((Word(32, Poly.constant(4)), None), truth(True)),
        ((Word(32, count), None), ge(count - 1)),
    ]
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        policy = [Word(64, Poly({}))] if form.has("hint") else []
        for size in SIZES[form["cop"]]:
            for given, guard in amounts:
                hooks = Facts(answer=False)
                row.meaning(Watched(hooks), form, Word(64, target), Word(64, source), size, given, *policy)
                assert hooks.accesses == [("read", "global", size, source), ("write", "shared", size, target)]
                assert hooks.marks == [Marks(flight=True, guard=guard), Marks(flight=True)]
                # More bytes than the copy has: nobody says what is read.
                unsure = given[0] is not None and given[0].term == count and size < 16
                assert [o.proved for o in hooks.observations] == ([False] if unsure else [])
    around = Around()
    row.meaning(Lanes(around), form, np.uint64(64), np.uint64(128), 16, (None, None), *([0] * len(policy)))  # type: ignore[arg-type]
    assert around.copies == [(16, 64, 128, [16])]


@pytest.mark.parametrize("row", MATRIX_ROWS, ids=lambda r: r.template[:60])
def test_matrices(row: Row) -> None:
    """All lanes take part; what comes out is unknown; a row of 16 bytes is an access of the whole warp."""
    assert row.meaning is not None
    lane = Poly.symbol(Symbol("lane", "special", THREAD, 0, 31))
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        address = Word(64, Poly.symbol(Symbol("p", "parameter", THREAD, 0, 2**40)))
        given: list[Any] = []
        for declared in row.sources:
            n = list_length(declared)
            words = tuple(Word(32, Poly.constant(i)) for i in range(n or 1))
            given.append(address if declared == "mem" else words if n else words[0])
        hooks = Facts(answer=False)
        domain = Watched(hooks)
        domain.specials = {"%laneid": lane}
        found = row.meaning(domain, form, *given)
        assert [m.value for m in hooks.members if m is not None] == [2**32 - 1]
        if row.results:
            results = found if isinstance(found, tuple) else (found,)
            assert len(results) == (list_length(row.results[0]) or 1)
            assert {w.term for w in results} == {None}
            assert len({w.key for w in results}) == len(results)
        if row.kind == CONTROL:
            assert hooks.accesses == []
            continue
        n = int(form["num"][1:])
        kind = "read" if row.results else "write"
        assert hooks.accesses == [(kind, space(form), 16, address.term)]
        assert hooks.marks == [Marks(warp=True, guard=truth(True) if n == 4 else lt(lane, 8 * n))]


# --- every row ---------------------------------------------------------------------------------------------------

CLASSES: dict[str, Callable[[Row], bool]] = {
    "constants and symbols": lambda r: r in VALUE_ROWS,
    "lanes": lambda r: r in LANE_ROWS,
    "accesses": lambda r: r in MEMORY_ROWS and _accessing(r),
    "parameters": lambda r: r in MEMORY_ROWS and r.sources[0] == "param",
    "matrices": lambda r: r in MATRIX_ROWS,
    "asynchronous copies": lambda r: r in MEMORY_ROWS and r.base == "cp",
    "state spaces": lambda r: r in MEMORY_ROWS and r.base == "isspacep",
    "conversion": lambda r: r in MEMORY_ROWS and r.base == "cvta",
    "flow": lambda r: r in FLOW_ROWS,
}


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.template[:70])
def test_every_row_is_in_one_class(row: Row) -> None:
    assert sum(holds(row) for holds in CLASSES.values()) == 1


def test_listed_rows_exist() -> None:
    assert {row.template for row in ROWS} >= (UNKNOWN | PARTLY)
