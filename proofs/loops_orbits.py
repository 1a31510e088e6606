"""Orbits: registers that run through values that come back, such as a stage counter, a pair of pointers that change
places, or `s >>= 1`. Their value in round k is a table over k mod the period, after a first few rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs.loops_exit import Decide
from proofs.loops_frame import MAX_VALUE, Body, Form, Frame, at_round
from proofs.state import Value, substitute_value
from proofs.terms import FALSE, Atom, Cond, IteAtom, ModAtom, Poly, Symbol, eq, ite, modulo
from proofs.words import Word

MAX_ORBIT, MAX_SYMBOLIC_ORBIT, MAX_CIRCLE = 40, 12, 16
LATE = 4  # rounds after which it is asked whether the loop has been left


def find_orbits(
    body: Body, frame: Frame, wanted: dict[str, Poly], forms: dict[str, Form], decide: Decide | None = None
) -> None:
    """Add registers that come back to a value they had, found by following them from their start (`wanted`)."""
    wanted = {r: t for r, t in wanted.items() if t.value is not None or not _turn(body, frame, r, t, forms)}
    while wanted:
        rounds = [wanted]
        seen = {_key(wanted): 0}
        lost: set[str] = set()
        longest = MAX_ORBIT if all(t.value is not None for t in wanted.values()) else MAX_SYMBOLIC_ORBIT
        while len(rounds) <= longest:
            late = len(rounds) - 1 if len(rounds) >= LATE else None
            following = _step(body, frame, rounds[-1], forms, decide if late is not None else None, late or 0)
            if following is None:
                # The loop is left in this round, whatever else happens: no later round exists.
                _add(frame, rounds, len(rounds) - 1, forms)
                return
            lost = wanted.keys() - following.keys()
            if lost:
                break
            begin = seen.get(_key(following))
            if begin is not None:
                _add(frame, rounds, begin, forms)
                return
            seen[_key(following)] = len(rounds)
            rounds.append(following)
        if not lost:
            # Too long: give up those that never had a value twice.
            lost = {r for r in wanted if len({values[r] for values in rounds}) == len(rounds)} or set(wanted)
        wanted = {r: t for r, t in wanted.items() if r not in lost}


def _step(
    body: Body, frame: Frame, values: Mapping[str, Poly], forms: Mapping[str, Form], decide: Decide | None = None,
    number: int = 0,
) -> dict[str, Poly] | None:
    """The values of the next round, without those that hang on more than these values; None if the loop is left.

    `decide`: asked whether the loop is left for certain in round `number`, as by `o < n` for an o that doubles.
    """
    back = body.look(frame, at_round(body, frame, {r: f.term for r, f in forms.items()} | dict(values)))
    if back is None:
        return None
    if decide is not None and decide((*back.control, *back.facts, eq(frame.k - number)), FALSE):
        return None
    following: dict[str, Poly] = {}
    for register in values:
        value = back.registers.get(register)
        term = value.term if isinstance(value, Word) else None
        if term is not None and not frame.varies(term) and len(term.text) <= MAX_VALUE:
            following[register] = _small(value, term)
    return following


def _turn(body: Body, frame: Frame, register: str, initial: Poly, forms: dict[str, Form]) -> bool:
    """Add a counter that goes round a small interval up or down, wherever in it it begins."""
    low, high = initial.interval
    if low is None or high is None or not 0 < high - low < MAX_CIRCLE:
        return False
    size = high - low + 1
    following = []
    for value in range(low, high + 1):
        after = _step(body, frame, {register: Poly.constant(value)}, forms)
        term = after.get(register) if after is not None else None
        if term is None or term.value is None:
            return False
        following.append(term.value - low)
    for way in (1, -1):
        if following == [(i + way) % size for i in range(size)]:
            forms[register] = Form(modulo(initial - low + frame.k * way, size) + low)
            return True
    return False


def _small(value: Value | None, term: Poly) -> Poly:
    """One representative of a constant, so that equal words are equal terms."""
    if term.value is None or not isinstance(value, Word):
        return term
    half = 2 ** (value.width - 1)
    return Poly.constant((term.value + half) % 2**value.width - half)


def _key(values: Mapping[str, Poly]) -> str:
    return " ".join(f"{r}={t.text}" for r, t in values.items())


def _add(frame: Frame, rounds: Sequence[Mapping[str, Poly]], begin: int, forms: dict[str, Form]) -> None:
    for register in rounds[0]:
        values = [r[register] for r in rounds]
        forms[register] = Form(orbit(frame.k, values, begin), begin, len(values) - begin)


def orbit(k: Poly, values: Sequence[Poly], begin: int) -> Poly:
    """values[k] for k < begin, and from there on those from `begin` in a circle."""
    circle = list(values[begin:])
    # In the circle, round k has the value number k mod its length of the circle turned by `begin`.
    term = by_place(k, [circle[(i - begin) % len(circle)] for i in range(len(circle))])
    for i in reversed(range(begin)):
        term = ite(eq(k - i), values[i], term)
    return term


def by_place(k: Poly, values: Sequence[Poly]) -> Poly:
    """values[k mod their number]; as a line where they lie on one, also on one begun elsewhere (1, 2, 0)."""
    size = len(values)
    place = modulo(k, size)
    step = values[1] - values[0] if size > 1 else Poly({})
    if all(v == values[0] + step * i for i, v in enumerate(values)):
        return values[0] + step * place
    numbers = [v.value for v in values if v.value is not None]
    if len(numbers) == size == len(set(numbers)):
        line = sorted(numbers)
        shift, step_of_line = line.index(numbers[0]), line[1] - line[0]
        for way in (1, -1):
            if numbers == [line[0] + step_of_line * ((shift + way * i) % size) for i in range(size)]:
                return modulo(k * way + shift, size) * step_of_line + line[0]
    term = values[-1]
    for i in reversed(range(size - 1)):
        term = ite(eq(place - i), values[i], term)
    return term


def congruent(value: Value | None, expected: Poly) -> bool:
    """Whether a word is that number modulo 2^width, seen from their terms."""
    if not isinstance(value, Word) or value.term is None:
        return False
    return all(c % 2**value.width == 0 for c in (value.term - expected).terms.values())


def confirmed_case_by_case(
    frame: Frame, form: Form, going: Cond, value: Word, expected: Poly, decide: Decide
) -> bool:
    """The same for each round before the circle and each place in it, as far as the loop goes on from there."""
    for case in cases(frame, form.pre, form.period):
        here = {frame.iteration: case}
        onward = going.substitute(here)
        if onward == FALSE or congruent(substitute_value(value, here), expected.substitute(here)):
            continue
        if not left_for_certain(frame, onward, decide):
            return False
    return True


def left_for_certain(frame: Frame, going: Cond, decide: Decide) -> bool:
    """Whether the condition of going round cannot hold, by what was known on entry."""
    return decide((*frame.entry.control, *frame.entry.facts, going), FALSE)


def cases(frame: Frame, pre: int, period: int) -> list[Poly]:
    """The numbers of all rounds: each before the circle, and each place of the circle after any number of turns."""
    turns = Poly.symbol(Symbol(f"q@{frame.name}", "iteration", frame.iteration.scope, 0, None, loops=frame.around))
    return [*(Poly.constant(i) for i in range(pre)), *(turns * period + pre + i for i in range(period))]


def fold(term: Poly) -> Poly:
    """The term with each choice between constants that hangs on one remainder alone as a term over that remainder."""
    if not any(isinstance(a, IteAtom) for m in term.terms for a in m):
        return term
    total = Poly({})
    for monomial, coefficient in term.terms.items():
        product = Poly.constant(coefficient)
        for atom in monomial:
            product = product * (_folded(atom) or Poly.of(atom))
        total = total + product
    return total


def _folded(atom: Atom) -> Poly | None:
    remainders = _remainders(Poly.of(atom)) if isinstance(atom, IteAtom) else None
    if remainders is None or len(remainders) != 1:
        return None
    (remainder,) = remainders
    if remainder.c > MAX_CIRCLE:
        return None
    return by_place(remainder.a, [Poly.constant(_value(Poly.of(atom), i)) for i in range(remainder.c)])


def _remainders(term: Poly) -> set[ModAtom] | None:
    """The remainders in a term that has nothing else but choices and constants; None if it has."""
    found: set[ModAtom] = set()
    for atom in term.atoms():
        if isinstance(atom, ModAtom):
            found.add(atom)
        elif isinstance(atom, IteAtom) and not any(s.kind == "boolean" for s in atom.condition.symbols()):
            for part in (atom.a, atom.b, *atom.condition.polys()):
                inner = _remainders(part)
                if inner is None:
                    return None
                found |= inner
        else:
            return None
    return found


def _value(term: Poly, place: int) -> int:
    """The value of such a term where the remainder is `place`."""
    total = 0
    for monomial, coefficient in term.terms.items():
        product = coefficient
        for atom in monomial:
            if isinstance(atom, IteAtom):
                product *= _value(atom.a if _holds(atom.condition, place) else atom.b, place)
            else:
                product *= place
        total += product
    return total


def _holds(condition: Cond, place: int) -> bool:
    if condition.op == "not":
        return not _holds(condition.args[0], place)
    if condition.op in ("and", "or"):
        return (all if condition.op == "and" else any)(_holds(c, place) for c in condition.args)
    if condition.term is None:
        return condition.op == "true"
    value = _value(condition.term, place)
    return value >= 0 if condition.op == "ge" else value == 0
