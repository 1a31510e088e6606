"""Counterexamples of small faulty kernels, one for each kind of claim: refuted, and shown by the emulator."""

from __future__ import annotations

import json

import pytest

from proofs.contract import contract_problem
from proofs.discharge import decide_claim
from proofs.entry import Analysis, analyse
from proofs.replay import Replay, replay
from proofs.replay.attempt import Attempt
from proofs.replay.model import launch_of
from proofs.replay.signs import SIGNS, sign_of
from proofs.wording import HINTS
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.parser import parse

HEADER = """
.version 7.8
.target sm_89
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 power_state)
.reqntid 64, 1, 1
{
    .reg .pred %p, %q, %off, %go;
    .reg .b16 %h;
    .reg .u32 %t, %b, %i, %n, %s, %power, %j;
    .reg .u64 %x, %y, %o, %a;
    .shared .align 16 .b32 cells[64];
    ld.param.u32 %power, [power_state];
    setp.ne.u32 %off, %power, 0;
    @%off bra EXIT;
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    ld.param.u32 %n, [n];
    mad.lo.u32 %i, %b, 64, %t;
    setp.lt.u32 %p, %i, %n;
    mul.wide.u32 %o, %i, 2;
    add.u64 %a, %y, %o;
    mov.u16 %h, 7;
"""
STORE = "    @%p st.global.u16 [%a], %h;\n"
FOOTER = "EXIT:\n    ret;\n}\n"
LIMIT = "2^20"


def contract(limit: str = LIMIT, grid: str = "ceil_div(n, 64)") -> Contract:
    return Contract(
        stem="k", entry="k",
        parameters=(Parameter("x", "buffer"), Parameter("y", "buffer"), Parameter("n", "u32"),
                    Parameter("power_state", "power")),
        requires=(f"n >= 1 && n <= {limit}",),
        buffers=(Buffer("x", "u16", ("n",), "r", align=2), Buffer("y", "u16", ("n",), "w", align=2)),
        block=(64, 1, 1), grid=(grid, "1", "1"), outputs=("y",), ceilings=Ceilings(64, 1024), operator="none",
    )


def analysis(body: str, terms: Contract | None = None) -> Analysis:
    return analyse(contract_problem(terms or contract(), parse(HEADER + body + FOOTER)))


def refutations(found: Analysis) -> dict[str, Replay]:
    """Replays of every claim with a counterexample, by name."""
    out = {}
    for claim in found.claims:
        decision = decide_claim(claim)
        if decision.status == "sat":
            out[claim.name] = replay(found, claim, decision.model)
    return out


FAULTY = {
    "bounds": "    setp.le.u32 %p, %i, %n;\n" + STORE,
    "align": "    @%p st.global.u16 [%a+1], %h;\n",
    "split": "    @%p st.global.u16 [%a+1], %h;\n",
    "writers": "    shr.u32 %j, %i, 1;\n    mul.wide.u32 %o, %j, 2;\n    add.u64 %a, %y, %o;\n" + STORE,
    "race": "    shl.b32 %s, %t, 2;\n    mov.u32 %j, cells;\n    add.u32 %s, %s, %j;\n    st.shared.u32 [%s], %t;\n"
            "    ld.shared.u32 %j, [cells];\n" + STORE,
    "barrier": "    setp.lt.u32 %q, %t, 32;\n    @%q bar.sync 0;\n" + STORE,
    "trips": "    mov.u32 %s, 0;\nNEXT:\n    bar.sync 0;\n    add.u32 %s, %s, 1;\n    setp.lt.u32 %q, %s, %t;\n"
             "    @%q bra NEXT;\n" + STORE,
    "converged": "    setp.lt.u32 %q, %t, 5;\n    @%q bra OVER;\n"
                 "    shfl.sync.bfly.b32 %s, %t, 1, 31, 0xffffffff;\nOVER:\n" + STORE,
    "lanes": "    shfl.sync.bfly.b32 %s, %t, 1, 31, 0x0000ffff;\n" + STORE,
    "range": "    mul.lo.u32 %s, %n, 8192;\n    setp.lt.u32 %q, %s, %n;\n" + STORE,
    "defined": "    @%p mov.u32 %s, 1;\n    add.u32 %j, %s, 1;\n    setp.eq.u32 %q, %j, 2;\n" + STORE,
    "init": "    shl.b32 %s, %t, 2;\n    mov.u32 %j, cells;\n    add.u32 %s, %s, %j;\n    setp.lt.u32 %q, %t, 63;\n"
            "    @%q st.shared.u32 [%s], %t;\n    bar.sync 0;\n    ld.shared.u32 %j, [cells+252];\n" + STORE,
    "variant": "    mov.u32 %s, 0;\nNEXT:\n    setp.lt.u32 %q, %s, %n;\n    @%q bra NEXT;\n" + STORE,
    "trap": "    setp.ge.u32 %q, %i, %n;\n    @%q trap;\n" + STORE,
    "coverage": "    sub.u32 %j, %n, 1;\n    setp.lt.u32 %p, %i, %j;\n" + STORE,
}


@pytest.mark.parametrize("kind", FAULTY)
def test_a_fault_is_refuted_and_shown(kind: str) -> None:
    found = {name: r for name, r in refutations(analysis(FAULTY[kind])).items() if name.split(".")[0] == kind}
    assert found, "no claim of this kind has a counterexample"
    shown = [r for r in found.values() if r.reproduced]
    assert shown, [r.detail for r in found.values()]
    content = shown[0].to_json()
    assert content["hint"] == HINTS[kind]
    assert json.loads(json.dumps(content)) == content


NEIGHBOUR = """    shl.b32 %s, %t, 2;
    mov.u32 %j, cells;
    add.u32 %s, %s, %j;
    st.shared.u32 [%s], 0;
    bar.sync 0;
    st.shared.u32 [%s], 7;
    ORDERED
    xor.b32 %s, %s, 4;
    ld.shared.u32 %j, [%s];
    setp.eq.u32 %q, %j, 0;
    @%q trap;
"""


@pytest.mark.parametrize("ordered", [False, True])
def test_what_lanes_in_step_hide_is_shown_by_lanes_that_are_not(ordered: bool) -> None:
    """Lanes read their neighbours' words, which are written at once as long as the warp stays in step."""
    body = NEIGHBOUR.replace("ORDERED", "bar.warp.sync -1;" if ordered else "")
    found = refutations(analysis(body + STORE))
    (shown,) = (r for name, r in found.items() if name.split(".")[0] == "trap")
    assert shown.reproduced is not ordered, shown.detail
    if not ordered:
        assert shown.content["schedule"] == "halves"


def test_the_sound_kernel_has_no_counterexample() -> None:
    assert refutations(analysis(STORE)) == {}


def test_power_is_shown_by_a_write_that_it_should_have_stopped() -> None:
    text = HEADER.replace("    @%off bra EXIT;\n", "") + STORE + FOOTER
    found = refutations(analyse(contract_problem(contract(), parse(text))))
    assert found["power.a1"].reproduced
    assert found["power.a1"].content["accesses"]


def test_the_grid_is_evaluated() -> None:
    found = refutations(analysis(STORE, contract(grid="ceil_div(n, 64) - 1")))
    assert found["abi.grid"].reproduced
    assert "0 blocks in x" in found["abi.grid"].detail


def test_overlapping_rows_are_evaluated() -> None:
    terms = contract()
    y = Buffer("y", "u16", ("2", "n"), "w", leading="1", align=2)
    found = refutations(analysis(STORE, Contract(**{**vars(terms), "buffers": (terms.buffers[0], y)})))
    assert found["rows.y"].reproduced


def test_a_race_names_both_accesses() -> None:
    found = refutations(analysis(FAULTY["race"]))
    (shown,) = [r for name, r in found.items() if name.startswith("race.")]
    accesses = shown.content["accesses"]
    assert isinstance(accesses, list)
    first, second = accesses
    assert {first["kind"], second["kind"]} == {"read", "write"}
    assert first["thread"] != second["thread"]


def test_a_write_to_the_next_row_s_padding_is_out_of_bounds() -> None:
    terms = contract()
    y = Buffer("y", "u16", ("2", "n"), "w", leading="n + 8", align=2)
    body = "    add.u32 %j, %n, 1;\n    setp.lt.u32 %p, %i, %j;\n" + STORE
    found = refutations(analysis(body, Contract(**{**vars(terms), "buffers": (terms.buffers[0], y)})))
    shown = next(r for name, r in found.items() if name.startswith("bounds."))
    assert shown.reproduced
    assert "of row 0 of y" in shown.detail


def test_what_the_emulator_does_not_show_is_not_reproduced() -> None:
    found = analysis(FAULTY["bounds"])
    claim = next(c for c in found.claims if c.name == "align.a1")
    outcome = replay(found, claim, {})
    assert not outcome.reproduced
    assert "does not show" in outcome.detail


def test_every_kind_has_a_sign_and_a_hint() -> None:
    assert SIGNS.keys() == HINTS.keys()


def test_of_a_large_grid_the_blocks_run_that_come_near_the_element() -> None:
    """Elements from the millionth on are not written: 15 thousand blocks before the first of them."""
    body = "    setp.lt.and.u32 %p, %i, 1000000, %p;\n" + STORE
    found = refutations(analysis(body))
    shown = [r for name, r in found.items() if name.startswith("coverage")]
    assert [r.reproduced for r in shown] == [True], [r.detail for r in shown]
    assert "blocks, those that come near it, have run" in shown[0].detail


def test_of_a_large_grid_an_element_that_is_written_refutes_nothing() -> None:
    found = analysis(STORE)
    (claim,) = [c for c in found.claims if c.name.startswith("coverage")]
    n = 10**6
    launch = launch_of(found.problem, {"n": n, "e.column": n - 1}, found.records)
    assert launch.grid[0] > 512
    sign = sign_of(Attempt(found, claim, launch, "forward"))
    assert sign == f"element ({n - 1},) of y was written"
