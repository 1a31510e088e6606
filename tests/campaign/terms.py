"""Values of a prover's term for many threads at once: the SMT-LIB text is read by the verifier's reader, and evaluated
over arrays of Python integers, so that nothing overflows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from verifier.terms import Name, Term, arguments, euclid

Array = npt.NDArray[Any]
Value = Array | int
Lookup = Callable[[str], Value]
_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip
_BITS: Mapping[str, Callable[[Any, Any], Any]] = {
    "bvand": operator.and_, "bvor": operator.or_, "bvxor": operator.xor,
}  # fmt: skip


class Missing(Exception):
    """A symbol has no value here, or the term none: a division by zero."""


def value(term: Term, lookup: Lookup) -> Value:
    """The values, one for each thread, or one for all of them. Truth is True and False."""
    if isinstance(term, int):
        return term
    if isinstance(term, Name):
        return lookup(term.name)
    head, parts = str(term[0]), arguments(term)
    if head in ("true", "false"):
        return head == "true"
    if head in ("and", "or"):
        return _joined(parts, lookup, stop=head == "or")
    if head == "=>":
        return _joined((*(("not", p) for p in parts[:-1]), parts[-1]), lookup, stop=True)
    if head == "ite":
        return _choice(parts, lookup)
    return _applied(head, [value(part, lookup) for part in parts])


def _joined(parts: tuple[Term, ...], lookup: Lookup, stop: bool) -> Value:
    """and (stop False), or (stop True): a part with the stopping value decides, whatever the others lack."""
    found: list[Array] = []
    missing: Missing | None = None
    for part in parts:
        try:
            one = value(part, lookup)
        except Missing as error:
            missing = error
            continue
        if np.all(_truth(one) == stop):
            return stop
        found.append(_truth(one))
    if missing is not None:
        raise missing
    every = np.asarray(not stop)
    for one in found:
        every = np.logical_or(every, one) if stop else np.logical_and(every, one)
    return every


def _choice(parts: tuple[Term, ...], lookup: Lookup) -> Value:
    condition = _truth(value(parts[0], lookup))
    if condition.all():
        return value(parts[1], lookup)
    if not condition.any():
        return value(parts[2], lookup)
    one, other = (np.asarray(value(part, lookup), object) for part in parts[1:])
    return np.where(condition, one, other)


def _truth(one: Value) -> Array:
    return np.asarray(one, bool)


def _applied(head: str, v: list[Value]) -> Value:
    if head == "+":
        return reduce(operator.add, v)
    if head == "-":
        return -v[0] if len(v) == 1 else reduce(operator.sub, v)
    if head == "*":
        return reduce(operator.mul, v)
    if head in ("div", "mod"):
        return _divided(head, v[0], v[1])
    if head == "not":
        return np.logical_not(_truth(v[0]))
    if head == "xor":
        return np.logical_xor(_truth(v[0]), _truth(v[1]))
    if head == "distinct" and len(v) == 2:
        return np.asarray(v[0] != v[1], bool)
    if head in _COMPARE:
        return reduce(np.logical_and, [np.asarray(_COMPARE[head](a, b), bool) for a, b in pairwise(v)])
    if head in _BITS:
        return reduce(_BITS[head], v)
    width = v[0]
    if not isinstance(width, int):
        raise Missing(head)
    if head == "bvnot":
        return (1 << width) - 1 - v[1]
    if head == "trunc":
        return v[1] & ((1 << width) - 1)
    if head == "sext":
        low = v[1] & ((1 << width) - 1)
        return low - (low >> (width - 1)) * (1 << width)
    raise Missing(head)


def _divided(head: str, a: Value, b: Value) -> Value:
    if isinstance(b, int) and b > 0:
        return a // b if head == "div" else a % b
    if np.any(np.asarray(b == 0)):
        raise Missing("a division by zero")
    part = head == "mod"
    return np.asarray(np.frompyfunc(lambda x, y: euclid(x, y)[part], 2, 1)(a, b), object)
