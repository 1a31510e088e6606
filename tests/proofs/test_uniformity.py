"""What is the same for the threads of a block, and who may take it for one value."""

from __future__ import annotations

from proofs.claims.model import BLOCK_SCOPES, GRID_SCOPES
from proofs.query import Copy
from proofs.sameness import uniform
from proofs.symbols import BLOCK, LAUNCH, THREAD, Symbol
from proofs.terms import Poly
from tests.proofs.kernels import problem_of, records_of

INNER, OUTER = "L9", "L5"


def _term(name: str, scope: str, *loops: str, kind: str = "opaque", even: bool = False) -> Poly:
    return Poly.symbol(Symbol(name, kind, scope, 0, None, 0, "", frozenset(loops), even))


def test_what_is_uniform_is_so_only_in_the_same_rounds() -> None:
    both, outer = frozenset({INNER, OUTER}), frozenset({OUTER})
    assert uniform(_term("n", LAUNCH) + _term("ctaid.x", BLOCK), frozenset())
    assert not uniform(_term("n", LAUNCH) + _term("tid.x", THREAD), both)
    width = _term("h", THREAD, OUTER, INNER, even=True)
    assert uniform(width, both)
    assert not uniform(width, outer)
    assert not uniform(_term("h", THREAD, OUTER, INNER), both)
    round_ = _term(f"k@{INNER}", THREAD, OUTER, kind="iteration")
    assert uniform(round_, both)
    assert not uniform(round_, outer)
    assert not uniform(round_, frozenset({INNER}))


def test_a_copy_shares_it_only_where_its_threads_are_in_the_same_rounds() -> None:
    width = _term("h", THREAD, INNER, even=True)
    marked = "|h!2|"
    assert Copy("!2", BLOCK_SCOPES).text(width) == marked
    assert Copy("!2", BLOCK_SCOPES, {}, frozenset({OUTER})).text(width) == marked
    assert Copy("!2", BLOCK_SCOPES, {}, frozenset({INNER})).text(width) == "h"
    assert Copy("!2", GRID_SCOPES, {}, frozenset({INNER})).text(width) == marked, "threads of two blocks"
    own = _term("v", THREAD, INNER)
    assert Copy("!2", BLOCK_SCOPES, {}, frozenset({INNER})).text(own) == "|v!2|"


def _address_after(width: str, until: str) -> Poly:
    body = f"""ld.param.u64 %d0, [out];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
and.b32 %r1, %r1, 1073741823;
{width}
loop:
setp.le.u32 %p1, %r10, {until};
@%p1 bra after;
shr.u32 %r10, %r10, 1;
bra loop;
after:
mul.wide.u32 %d1, %r10, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r10;
ret;"""
    (store,) = records_of(problem_of(body)).accesses
    return store.address


def test_a_width_is_uniform_if_its_start_is_and_after_the_loop_if_its_end_is() -> None:
    cases = {
        ("shr.u32 %r10, %r1, 1;", "3"): True,
        ("shr.u32 %r10, %r1, 1;", "%r2"): False,
        ("add.u32 %r10, %r1, %r2;", "3"): False,
    }
    for (width, until), together in cases.items():
        assert uniform(_address_after(width, until), frozenset()) == together, (width, until)
