"""What a register holds at the head of a loop in round k, as a term over k.

* *affine*: it changes by an amount that the body does not change: `start + step*k`.
* *delayed*: it is made of other registers of known form, of the round before: `cur = i*4` and next round `prev = cur`.
* *orbit*: from its start it runs through values that come back, such as a stage counter or `s >>= 1`; several registers
  that depend on each other are followed together, so that they stay in step.

Forms are found by running the body without proving anything. Each is confirmed later, on the back edge of the run that
proves its observations: the value there must be the form's at k+1. So a form that was guessed wrongly only gets lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proofs.loops_exit import Decide
from proofs.loops_frame import MAX_VALUE, Body, Form, Frame
from proofs.loops_orbits import confirmed_case_by_case, congruent, find_orbits
from proofs.sameness import uniform_value
from proofs.state import ARRIVALS, State, Value
from proofs.terms import FALSE, Poly, Symbol, conj, eq, ite, same
from proofs.words import Word


def find_forms(body: Body, frame: Frame, decide: Decide) -> tuple[dict[str, Form], dict[str, Word], frozenset[str]]:
    """The registers whose value in round k is a term over k; others, with what they are after a round; and those others
    that all threads of the block in the same round may have in common.
    """
    common = frozenset(r for r in frame.modified if _word_in_common(frame.entry, r, frame.around))
    start = _anywhere(body, frame, common, bounded=True)
    back = body.look(frame, start)
    if back is None:
        # `h + 256 < 256` holds of no number h >= 0, but the register may be seen as a signed one.
        start = _anywhere(body, frame, common, bounded=False)
        back = body.look(frame, start)
    if back is None:
        return {}, {}, frozenset()
    forms: dict[str, Form] = {}
    heads: dict[Symbol, str] = {}
    after: dict[str, Poly] = {}
    for register in frame.modified:
        head, value, initial = start.registers[register], back.registers.get(register), frame.initial(register)
        if not (isinstance(head, Word) and isinstance(value, Word)) or head.term is None:
            continue
        (symbol,) = head.term.symbols()
        heads[symbol] = register
        if initial is None or value.term is None:
            continue
        step = value.term - head.term
        if not frame.varies(step):
            forms[register] = Form(initial + step * frame.k)
        else:
            after[register] = value.term
    _delayed(frame, heads, after, forms)
    wanted = {r: i for r in after if r not in forms and (i := frame.initial(r)) is not None}
    find_orbits(body, frame, wanted, forms, decide)
    _delayed(frame, heads, after, forms)
    loose = {r: v for r in after if r not in forms and isinstance(v := back.registers[r], Word)}
    rounds = frame.around | {frame.name}
    return forms, loose, frozenset(r for r in common - forms.keys() if _word_in_common(back, r, rounds))


def _word_in_common(state: State, register: str, rounds: frozenset[str]) -> bool:
    value = state.registers.get(register)
    return isinstance(value, Word) and not register.startswith(ARRIVALS) and uniform_value(value, rounds)


def _anywhere(body: Body, frame: Frame, common: frozenset[str], bounded: bool) -> State:
    """The state at the head with a symbol for each register that the loop modifies, of its width's range or of any."""
    start = frame.entry.copy()
    for register in frame.modified:
        value = body.unknown(frame, register, True, register in common)
        if isinstance(value, Word) and value.term is not None and not bounded:
            (symbol,) = value.term.symbols()
            value = replace(value, term=Poly.symbol(replace(symbol, low=None, high=None)))
        start.set(register, value, frame.entry.written.get(register, FALSE))
    return start


def _delayed(
    frame: Frame, heads: Mapping[Symbol, str], after: Mapping[str, Poly], forms: dict[str, Form]
) -> None:
    """Add registers that are made of others of the round before."""
    found = True
    while found:
        found = False
        for register, value in after.items():
            varying = {s for s in value.symbols() if frame.name in s.loops or s == frame.iteration}
            initial = frame.initial(register)
            if register in forms or initial is None or not all(heads.get(s) in forms for s in varying):
                continue
            before = {frame.iteration: frame.k - 1}
            mapping = {s: forms[heads[s]].term.substitute(before) for s in varying}
            term = value.substitute(mapping)
            if term.substitute({frame.iteration: Poly({})}) != initial:
                term = ite(eq(frame.k), initial, term)
            if len(term.text) <= MAX_VALUE:
                forms[register], found = Form(term), True


def confirmed(frame: Frame, form: Form, back: State, value: Value | None, decide: Decide) -> bool:
    """Whether the value on the back edge of round k is the form's at k+1."""
    if not isinstance(value, Word) or value.term is None:
        return False
    expected = form.term.substitute({frame.iteration: frame.k + 1})
    if congruent(value, expected):
        return True
    relative = back.control[len(frame.entry.control):]
    if form.period:
        return confirmed_case_by_case(frame, form, conj(relative), value, expected, decide)
    return decide((*back.control, *back.facts), same(value.term, expected))
