"""Whether the coverage queries of a buffer really say that every element is written.

A query names an element (`e.row`, `e.column`), introduces digits of its coordinates, may look at one case only, and
concludes that some store writes the element. Checked here, from records and contract alone:
- the digits exist for every element, so assuming them assumes nothing;
- the cases of a buffer's queries leave none out;
- each way its goal names is a way of ours: a thread, block and round that exist, reach the store, and hit the element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from verifier.canonical import Condition as Form
from verifier.canonical import canonical
from verifier.conditions import Subject, all_symbols, bounds_of, conjunction
from verifier.contract import ACTIVE, domain
from verifier.decide import decide
from verifier.digits import Digits, read_digits
from verifier.query import Query, forms, is_lemma
from verifier.records import Access
from verifier.terms import Name, Term, arguments, conjuncts, names, show, substitute

ROW, COLUMN = Name("e.row"), Name("e.column")
MAX_WAYS = 512


@dataclass
class Claim:
    """The queries of one buffer by file name, and what is wrong with them."""

    subject: Subject
    buffer: str
    queries: Mapping[str, Query]
    findings: list[tuple[str, str]] = field(default_factory=list)
    undecided: list[tuple[str, str]] = field(default_factory=list)

    def check(self) -> None:
        """Fill the lists; (file, message) each."""
        cases = [self._query(file, query) for file, query in self.queries.items()]
        ranges = self._launch()
        unseen = [("not", conjunction(case)) for case in cases]
        status = decide([*ranges, *unseen], frozenset()).status
        if status != "unsat":
            file = next(iter(self.queries))
            (self.findings if status == "sat" else self.undecided).append((file, "the cases leave elements out"))

    def _launch(self) -> list[Term]:
        """What is known of the launch and of the element."""
        subject = self.subject
        buffer = subject.contract.buffers[self.buffer]
        known = [c for c in domain(subject.contract, subject.shared) if not self._of_thread(c)]
        for symbol in all_symbols(subject).values():
            if symbol.scope == "launch":
                known += bounds_of(Name(symbol.name), symbol.low, symbol.high)
        known += [("<=", 0, ROW), ("<=", 0, COLUMN), ("<", COLUMN, buffer.columns)]
        known.append(("<", ROW, 1 if buffer.rows is None else buffer.rows))
        known.append(("=", Name(subject.contract.power), ACTIVE))
        return known

    def _of_thread(self, term: Term) -> bool:
        return any(self.subject.scope(name) != "launch" for name in names(term))

    def _query(self, file: str, query: Query) -> list[Term]:
        """Check one query; its case."""
        launch = self._launch()
        allowed = forms(tuple(launch))
        digits: list[Digits] = []
        case: list[Term] = []
        own = {ROW.name, COLUMN.name, *(s.name for s in all_symbols(self.subject).values() if s.scope == "launch")}
        for _, term in query.assertions:
            if is_lemma(term) or all(canonical(part) in allowed for part in conjuncts(term)):
                continue
            found = read_digits(term, own)
            if found is None:
                case.append(term)
            elif self._digits_exist(file, found, launch, digits):
                digits.append(found)
        fresh = {name for d in digits for name in d.symbols}
        for term in case:
            if not set(names(term)) <= own:
                self.findings.append((file, f"neither known, nor digits, nor a case: {show(term)[:160]}"))
        if query.goal is None:
            self.findings.append((file, "asserts no goal"))
            return case
        free = {n for n in names(query.goal) if n not in own and n not in fresh}
        self._goal(file, query, [*launch, *(t for _, t in query.assertions)], digits, free)
        return case

    def _digits_exist(self, file: str, found: Digits, launch: list[Term], before: list[Digits]) -> bool:
        """Weights and radices at least 1, symbols of its own: then every value has such digits."""
        if any(set(found.symbols) & set(other.symbols) for other in before):
            self.findings.append((file, "two sets of digits share a symbol"))
            return False
        for term in (found.value_bound, *found.positive):
            answer = decide([*launch, ("not", term)], frozenset())
            if answer.status != "unsat":
                place = self.findings if answer.status == "sat" else self.undecided
                place.append((file, f"digits are assumed that need not exist: {show(term)[:120]}"))
                return False
        return True

    def _goal(self, file: str, query: Query, known: list[Term], digits: list[Digits], free: set[str]) -> None:
        assert query.goal is not None
        ways = list(self._ways(digits, free))
        rounds: dict[str, Form] = {}
        for branch in branches(query.goal):
            have = forms((branch,))
            best = max(ways, key=lambda way: len(way.forms & have), default=None)
            if best is None or not self._is_way(known, branch, best, have):
                self.findings.append((file, f"a way to write the element that is none: {show(branch)[:200]}"))
                return
            for name in best.free:
                reach = canonical(best.reach)
                if rounds.setdefault(name, reach) != reach:
                    self.findings.append((file, f"{name} stands for the earlier rounds of two different loops"))

    def _is_way(self, known: list[Term], branch: Term, way: Way, have: set[Form]) -> bool:
        lacking = [part for part in conjuncts(way.term) if canonical(part) not in (*have, ("true",))]
        return not lacking or decide([*known, branch, ("not", conjunction(lacking))], frozenset()).status == "unsat"

    def _ways(self, digits: list[Digits], free: set[str]) -> Iterator[Way]:
        """Every store under every thread that the digits name."""
        for access in self.subject.records.accesses.values():
            if access.kind == "write" and access.space == "global" and access.buffer == self.buffer:
                for values in _witnesses(self.subject, access, digits):
                    yield from self._way(access, values, free)

    def _way(self, access: Access, values: dict[str, Term], free: set[str]) -> Iterator[Way]:
        subject = self.subject
        symbols = all_symbols(subject)
        parts: list[Term] = []
        for name, value in values.items():
            parts += bounds_of(value, symbols[name].low, symbols[name].high)
        parts += [substitute(c, values) for c in domain(subject.contract, subject.shared) if self._of_thread(c)]
        parts += [substitute(c, values) for c in access.control]
        row, column = substitute(access.row, values), substitute(access.column, values)
        parts += [("=", row, ROW), ("<=", column, COLUMN), ("<", COLUMN, ("+", column, access.count))]
        if any(self._of_thread(part) for part in parts) or len(access.loops) > 1:
            return
        if not access.loops:
            yield Way(conjunction(parts), ("true",), frozenset())
        for loop, name in product(access.loops, sorted(free)):
            record = subject.records.loops[loop]
            earlier = Name(name)
            going = substitute(record.proceed, {**values, record.iteration: earlier})
            before: Term = ("and", ("<=", 0, earlier), ("<", earlier, values[record.iteration]))
            reach: Term = ("=>", before, going)
            if not self._of_thread(going):
                yield Way(conjunction([*parts, reach]), reach, frozenset({name}))


@dataclass(frozen=True)
class Way:
    """A store that writes the element under certain conditions; `free` stands for any earlier round in `reach`."""

    term: Term
    reach: Term
    free: frozenset[str]

    @property
    def forms(self) -> set[Form]:
        return forms((self.term,))


def _witnesses(subject: Subject, access: Access, digits: list[Digits]) -> Iterator[dict[str, Term]]:
    """Threads, blocks and rounds that might write the element: symbols by terms over the digits."""
    free = subject.identity(frozenset({"thread", "block"})) + [subject.records.loops[n].iteration for n in access.loops]
    rows = [d for d in digits if ROW.name in d.speaks_of]
    columns = [d for d in digits if COLUMN.name in d.speaks_of]
    for row, column in product([None, *rows], [None, *columns]):
        choices = [_named(access.row, free, row, ROW), _named(access.column, free, column, COLUMN)]
        for of_row, of_column in product(*choices):
            zero: dict[str, Term] = dict.fromkeys(free, 0)
            yield {**zero, **of_column, **of_row}


def _named(term: Term, free: list[str], digits: Digits | None, element: Name) -> Iterator[dict[str, Term]]:
    """Values of the symbols that make `term` the element's coordinate, or put it a little before."""
    here = [name for name in free if name in set(names(term))]
    if not here:
        yield {}
    elif digits is not None:
        yield from digits.values(term, here)
    elif len(here) == 1:
        offset = substitute(term, {here[0]: 0})
        yield {here[0]: ("-", element, offset)}


def branches(goal: Term) -> list[Term]:
    """The alternatives of a goal: disjunctions that hold conjunctions are taken apart, others are not."""
    if isinstance(goal, tuple) and goal[0] == "or":
        return [branch for part in arguments(goal) for branch in branches(part)]
    if not isinstance(goal, tuple) or goal[0] != "and":
        return [goal]
    choices = []
    for part in conjuncts(goal):
        split = isinstance(part, tuple) and part[0] == "or" and any(_is_and(p) for p in arguments(part))
        choices.append(branches(part) if split else [part])
    many = 1
    for choice in choices:
        many *= len(choice)
    return [goal] if many > MAX_WAYS else [("and", *parts) for parts in product(*choices)]


def _is_and(term: Term) -> bool:
    return isinstance(term, tuple) and term[0] == "and"
