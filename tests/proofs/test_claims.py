"""Claims that must not come out as proved, each for a reason that once escaped the model, beside one that must."""

from __future__ import annotations

from typing import Any

import pytest

from proofs import resources
from proofs.artifacts import records_json, to_text
from proofs.claims import OBLIGATIONS
from proofs.claims.digits import Coordinate, Digit, introduce
from proofs.contract import contract_problem
from proofs.discharge import decide_claim
from proofs.entry import Analysis, analyse
from proofs.outcome import SOLVER_OBLIGATIONS
from proofs.problem import check_name
from proofs.store import Store
from proofs.terms import LAUNCH, Poly, Symbol
from proofs.verdict import Verdict
from proofs.verify import _Job
from spec.errors import BadInput, Unsupported
from tests.proofs.evaluation import value_of
from tests.proofs.kernels import contract, module_of, problem_of
from tests.proofs.test_vacuity import ROOT, STORE

HEAD = """ld.param.u64 %d0, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d1, %r1, 4;
add.u64 %d1, %d0, %d1;
mov.u32 %r9, s;
mad.lo.u32 %r2, %r1, 4, %r9;
"""


def proved(body: str, prefix: str, block: int = 4) -> bool:
    """Whether all claims whose names begin so are proved; there must be one."""
    found = [c for c in _analysis(body, block).claims if c.name.startswith(prefix)]
    assert found, f"no claim {prefix}"
    return all(decide_claim(c).status == "unsat" for c in found)


def _analysis(body: str, block: int = 4) -> Analysis:
    return analyse(problem_of(HEAD + body, shared="s[256]", block=block))


# --- barriers ----------------------------------------------------------------------------------------------------

LOOP_THAT_ENDS_FOR_SOME = """setp.ge.u32 %p0, %r1, 2;
@%p0 bra over;
mov.u32 %r3, 0;
loop:
add.u32 %r3, %r3, 1;
shl.b32 %r4, %r1, 1;
setp.lt.u32 %p1, %r4, 3;
@!%p1 bra loop;
bar.sync 0;
over:
ret;"""


def test_how_a_loop_ended_says_nothing_of_a_thread_that_never_entered_it() -> None:
    """Two of four threads reach the barrier; that they left a loop by `2*tid < 3` must not be assumed of the others."""
    assert not proved(LOOP_THAT_ENDS_FOR_SOME, "barrier.")
    assert proved("bar.sync 0;\nret;", "barrier.")


# --- init --------------------------------------------------------------------------------------------------------

EXCHANGE = """{load}
setp.eq.u32 %p0, %r5, 0;
@%p0 st.shared.u32 [%r2], %r1;
bar.sync 0;
xor.b32 %r3, %r1, 1;
mad.lo.u32 %r3, %r3, 4, %r9;
@%p0 ld.shared.u32 %r4, [%r3];
ret;"""


def test_a_loaded_guard_of_the_reader_is_not_that_of_the_writer() -> None:
    """Each thread writes if its own flag says so and then reads its neighbour's word, if its own flag says so."""
    assert not proved(EXCHANGE.format(load="ld.global.u32 %r5, [%d1];"), "init.")
    assert proved(EXCHANGE.format(load="ld.param.u32 %r5, [n];"), "init.")


def test_trip_counts_of_reader_and_writer_are_two() -> None:
    body = """mov.u32 %r6, 0;
loop:
add.u32 %r6, %r6, 1;
ld.global.u32 %r5, [%d1];
setp.lt.u32 %p1, %r6, 3;
setp.ne.and.u32 %p1, %r5, 0, %p1;
@%p1 bra loop;
mad.lo.u32 %r7, %r6, 4, %r9;
st.shared.u32 [%r7], %r1;
bar.sync 0;
ld.shared.u32 %r4, [%r7];
ret;"""
    assert not proved(body, "init.")


# --- writers -----------------------------------------------------------------------------------------------------


def test_one_thread_that_writes_a_byte_in_every_round_is_reported() -> None:
    """The address and the path of the store do not depend on the round."""
    body = """loop:
st.global.u32 [%d1], %r1;
ld.global.u32 %r5, [%d1];
setp.ne.u32 %p1, %r5, 0;
@%p1 bra loop;
ret;"""
    assert not proved(body, "writers.")
    assert proved("mov.u32 %r7, %ctaid.x;\nmul.wide.u32 %d3, %r7, 16;\nadd.u64 %d1, %d1, %d3;\n"
                  "st.global.u32 [%d1], %r1;\nret;", "writers.")


def test_an_access_that_begins_inside_an_element_reaches_into_the_next() -> None:
    access, = (a for a in _analysis("st.global.u16 [%d1+2], %h1;\nret;".replace("%h1", "1")).records.accesses)
    assert access.count == 2
    access, = (a for a in _analysis("st.global.u32 [%d1+4], %r1;\nret;").records.accesses)
    assert access.count == 1


# --- coverage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0, 1, 3])
def test_no_digits_are_promised_of_weight_zero(weight: int) -> None:
    """Digits exist for every value, but not if the lowest weight is 0: that hypothesis would prove anything."""
    stride = Symbol("stride", "parameter", LAUNCH, 0, 100)
    digit = Symbol("tid.x", "special", "thread", 0, 9)
    value = Poly.symbol(Symbol("e.column", "digit", LAUNCH, 0, None))
    hypothesis, chosen = introduce(value, Coordinate((Digit(digit, Poly.symbol(stride), None),), Poly({})), "w")
    at = {"e.column": 7, "stride": weight}
    (name,) = (s.name for p in chosen.values() for s in p.symbols())
    options = [{**at, name: d, "w.rest": r} for d in range(9) for r in range(9)]
    assert any(value_of(hypothesis, option) for option in options)


# --- addresses and parameters ------------------------------------------------------------------------------------


def test_a_generic_address_of_shared_memory_is_not_its_shared_address() -> None:
    """A comparison with a small number would come out wrong."""
    body = "mov.u64 %d4, s;\ncvta.shared.u64 %d4, %d4;\nsetp.lt.u64 %p1, %d4, 4294967296;\n@%p1 bra.uni end;\n" \
        "st.global.u32 [%d1], %r1;\nend:\nret;"
    (store,) = _analysis(body).records.accesses
    assert store.at.control != ()
    (store,) = _analysis("mov.u64 %d4, s;\ncvta.shared.u64 %d4, %d4;\nst.u32 [%d4], %r1;\nret;").records.accesses
    assert (store.space, store.buffer) == ("shared", "s")
    for wrong in ("st.u32 [%d4], %r1;", "cvta.shared.u64 %d4, %d4;\nst.shared.u32 [%d4], %r1;"):
        with pytest.raises(Unsupported, match="names no single buffer"):
            _analysis(f"mov.u64 %d4, s;\n{wrong}\nret;")


def test_a_load_past_the_end_of_a_parameter_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"ld\.param\.u64 of n reads past the parameter"):
        _analysis("ld.param.u64 %d5, [n];\nret;")


@pytest.mark.parametrize("name", ["tid.x", "k@L5", "a!1", "a'b", "and", "e|f"])
def test_names_that_would_mean_something_else_in_a_query_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match="cannot be used in a query"):
        check_name(name)


# --- verdicts ----------------------------------------------------------------------------------------------------


def test_what_was_not_measured_is_not_under_its_ceiling() -> None:
    record = resources.resources_json("", {}, contract())
    assert resources.judge(record)[0] is Verdict.UNKNOWN


def test_dead_code_stays_unknown_when_the_store_is_asked() -> None:
    """Places that nothing reaches are not among the stored occasions; the second run must find them missing again."""
    dead = "ld.param.u32 %r4, [n];\nsetp.gt.u32 %p2, %r4, 1000;\n@%p2 st.global.u32 [%d0], %r3;\nret;"
    module = module_of(STORE.removesuffix("ret;") + dead)
    analysis = analyse(contract_problem(contract(), module))
    store = Store()
    for _ in range(2):
        job = _Job(ROOT, "drawn", "", module, store)
        outcomes: dict[str, list[tuple[Verdict, str, Any]]] = {o: [] for o in OBLIGATIONS}
        job.entries["k"] = {"claims": [], "occasions": [], "obligations": {}}
        job.files["k.records.json"] = to_text(records_json(analysis, ""))
        job._vacuity("k", analysis, outcomes)
        assert all(outcomes[o] for o in SOLVER_OBLIGATIONS)
        assert job.entries["k"]["occasions"]
        entry = {**job.entries["k"], "obligations": dict.fromkeys(OBLIGATIONS, "unknown")}
        store = Store(files=dict(job.files), manifest={"entries": {"k": entry}})
