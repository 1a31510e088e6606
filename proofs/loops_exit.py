"""How many rounds a loop goes: closed forms of the exit count, read off the conditions of leaving and then proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from proofs.terms import Cond, Poly, Symbol, divide, ite, le, same

MAX_CANDIDATES = 4
Decide = Callable[[tuple[Cond, ...], Cond], bool]


def linear(term: Poly, symbol: Symbol) -> tuple[Poly, int] | None:
    """(c, s) with term = c + s*symbol, s a constant other than 0; None if the term is not of that form."""
    at_zero = term.substitute({symbol: Poly({})})
    k = Poly.symbol(symbol)
    step = (term - at_zero).terms.get(tuple(k.atoms()), 0)
    return (at_zero, step) if step and term - at_zero == k * step else None


def literals(conditions: Iterable[Cond]) -> Iterator[Cond]:
    """The conditions and their parts: all of a conjunction, each of a disjunction."""
    for condition in conditions:
        if condition.op in ("and", "or"):
            yield from literals(condition.args)
        else:
            yield condition


def exit_count(known: tuple[Cond, ...], leaving: tuple[Cond, ...], iteration: Symbol, decide: Decide) -> Poly | None:
    """The one round in which `leaving` holds, if that is a term without the iteration.

    Args:
        known: what holds in the round that is left, the conditions of leaving included.
        leaving: the conditions of leaving, over the iteration.

    A guard `c + s*k >= 0` first holds in round ceil(-c/s), or in round 0 if that is negative; `c + s*k = 0` only in
    round -c/s. These are candidates: what counts is that `known` implies that the iteration is the candidate.
    """
    k = Poly.symbol(iteration)
    candidates: dict[Poly, None] = {}
    for literal in literals(leaving):
        form = linear(literal.term, iteration) if literal.term is not None else None
        if form is None:
            continue
        constant, step = form
        if step < 0 and literal.op == "eq":
            constant, step = -constant, -step
        if step < 0:
            continue
        count = divide(-constant + (step - 1 if literal.op == "ge" else 0), step)
        candidates[count] = None
        if count.interval[0] is None or count.interval[0] < 0:
            candidates[ite(le(0, count), count, Poly({}))] = None
    for candidate in list(candidates)[:MAX_CANDIDATES]:
        if decide(known, same(k, candidate)):
            return candidate
    return None
