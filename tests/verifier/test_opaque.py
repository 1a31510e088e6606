"""Unknowns in the records (loaded values, registers of loops, bit operations) are bound to a run by their names."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from proofs.artifacts import contract_json, records_json, sha256
from proofs.contract import contract_problem
from proofs.entry import analyse
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.parser import parse
from verifier.binding import bind
from verifier.completeness import incomplete
from verifier.conditions import Subject
from verifier.contract import read_contract
from verifier.points import sample
from verifier.reader import read_ptx
from verifier.records import read_records

PTX = """
.version 7.8
.target sm_89
.address_size 64
.visible .entry k(
    .param .u64 x,
    .param .u64 y,
    .param .u32 n,
    .param .u32 power_state
)
.reqntid 64, 1, 1
{
    .reg .pred %off, %p, %q, %big;
    .reg .u32 %power, %t, %n, %i, %v, %w, %m, %s;
    .reg .u64 %x, %y, %a, %b;
    ld.param.u32 %power, [power_state];
    setp.ne.u32 %off, %power, 0;
    @%off bra EXIT;
    mov.u32 %t, %tid.x;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mul.wide.u32 %a, %t, 4;
    add.u64 %b, %x, %a;
    ld.global.u32 %v, [%b];
    ld.param.u32 %n, [n];
    and.b32 %w, %v, %n;
    xor.b32 %m, %v, %n;
    and.b32 %m, %m, 7;
    setp.gt.u32 %big, %w, 5;
    @%big bra OTHER;
    mov.u32 %s, %v;
    bra JOIN;
OTHER:
    popc.b32 %s, %v;
JOIN:
    and.b32 %s, %s, 63;
    mov.u32 %i, 0;
HEAD:
    setp.ge.u32 %p, %i, %m;
    @%p bra DONE;
    ld.global.u32 %w, [%b];
    setp.eq.u32 %q, %w, %s;
    @%q bra DONE;
    add.u32 %i, %i, 1;
    mov.u32 %s, %w;
    bra HEAD;
DONE:
    add.u64 %b, %y, %a;
    setp.lt.u32 %p, %s, 40;
    @%p st.global.u32 [%b], %i;
EXIT:
    ret;
}
"""

CONTRACT = Contract(
    stem="k",
    entry="k",
    parameters=(
        Parameter("x", "buffer"),
        Parameter("y", "buffer"),
        Parameter("n", "u32"),
        Parameter("power_state", "power"),
    ),
    requires=("n == 64",),
    buffers=(Buffer("x", "u32", ("n",), "r", align=4), Buffer("y", "u32", ("n",), "w", align=4)),
    block=(64, 1, 1),
    grid=("1", "1", "1"),
    outputs=("y",),
    ceilings=Ceilings(64, 0),
    operator="none",
)


@cache
def recorded() -> str:
    analysis = analyse(contract_problem(CONTRACT, parse(PTX, name="k.ptx")))
    return json.dumps(records_json(analysis, sha256(PTX)))


def messages(change: Callable[[Any], object] = lambda records: None) -> str:
    data = json.loads(recorded())
    change(data)
    records = read_records(data, "k.records.json")
    contract = read_contract(contract_json([CONTRACT])["k"], "contract.json")
    entry = read_ptx(PTX, "k.ptx")["k"]
    outcome = bind(entry, contract, records, sample(contract, {}, random.Random(3), 24))
    return "\n".join([*incomplete(Subject(entry, contract, records)), *outcome.messages.values()])


def _symbol(records: Any, start: str) -> Any:
    return next(s for s in records["symbols"] if s["name"].startswith(start) and "'" not in s["name"])


def test_the_prover_names_unknowns_as_the_audit_reads_them() -> None:
    data = json.loads(recorded())
    assert {s["name"][:2] for s in data["symbols"] if s["kind"] == "opaque"} >= {"v@", "h@"}
    assert any("'" in s["name"] for s in data["symbols"])
    assert messages() == ""


def _definition(records: Any) -> None:
    symbol = next(s for s in records["symbols"] if s["definition"] and "bvxor" in s["definition"])
    symbol["definition"] = symbol["definition"].replace("bvxor", "bvor")


def _narrow(records: Any) -> None:
    next(s for s in records["symbols"] if s["definition"] and "bvand" in s["definition"])["high"] = 8


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_definition, "the definition of v@"),
        (_narrow, "outside its recorded range"),
        (lambda r: _symbol(r, "h@").update(high=63), "may be any word"),
        (lambda r: _symbol(r, "h@").update(scope="launch"), "may differ between threads"),
        (lambda r: r["accesses"][-1]["control"].pop(), "its recorded control holds, but PTX line"),
        (lambda r: r["loops"][0].update({"continue": "true"}), "`continue` is True"),
    ],
)
def test_what_is_said_of_unknowns_is_compared(change: Callable[[Any], object], says: str) -> None:
    assert says in messages(change)
