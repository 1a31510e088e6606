"""A contract that nothing can meet proves nothing, and what is said to be reachable is reached in the emulator."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofs.claims import OBLIGATIONS
from proofs.contract import contract_problem
from proofs.decide import decide
from proofs.discharge import decide_claim
from proofs.entry import analyse
from proofs.outcome import SOLVER_OBLIGATIONS
from proofs.store import Store
from proofs.vacuity import occasions, vacuity_query
from proofs.verdict import Verdict
from proofs.verify import ARTIFACTS, PTX, _Job
from spec.contracts import STEMS, contracts_of
from spec.contracts.model import Contract
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from spec.ptx.parser import parse
from tests.proofs.kernels import contract, module_of, problem_of

ROOT = Path(__file__).resolve().parents[2]
STORE = """ld.param.u32 %r1, [power];
setp.ne.u32 %p1, %r1, 0;
@%p1 ret;
ld.param.u64 %d0, [out];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %tid.x;
mad.lo.u32 %r2, %r2, 4, %r3;
mul.wide.u32 %d1, %r2, 4;
add.u64 %d0, %d0, %d1;
st.global.u32 [%d0], %r2;
ret;"""
CONTRADICTIONS = {
    "bounds that exclude each other": "n >= 1 && n <= 0",
    "a size beyond its type": "n >= 2^32",
    "no solution modulo 2": "n % 2 == 1 && n % 4 == 2",
    "a product that cannot be": "n * n == 7",
    "a buffer that ends beyond 2^64": "out >= 2^64 - 1000",
}


def verdicts(c: Contract, body: str) -> dict[str, str]:
    """What a verification of this kernel says, by obligation; only what a solver decides."""
    job = _Job(ROOT, c.stem, "", module_of(body), Store())
    outcomes: dict[str, list[tuple[Verdict, str, Any]]] = {o: [] for o in OBLIGATIONS}
    job.entries[c.entry] = {"claims": [], "occasions": [], "obligations": {}}
    analysis = analyse(contract_problem(c, job.module))
    job._solve(c, analysis, outcomes, dict.fromkeys(OBLIGATIONS, 0.0), dict.fromkeys(OBLIGATIONS, "now"))
    return {
        o: min((v for v, _, _ in outcomes[o]), default=Verdict.PROVED).value for o in SOLVER_OBLIGATIONS
    }


def test_the_kernel_itself_is_fine() -> None:
    found = verdicts(contract(), STORE)
    assert found["single-writer"] == found["bounds"] == found["power-gate"] == "proved"


@pytest.mark.parametrize("requires", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradicting_contract_proves_nothing(requires: str) -> None:
    assert set(verdicts(contract(requires=requires), STORE).values()) == {"unknown"}


@pytest.mark.parametrize("grid", ["n", "2^31"])
def test_a_grid_that_does_not_always_fit_is_not_proved(grid: str) -> None:
    """No limit of the hardware shrinks the domain silently."""
    c = replace(contract(requires="n >= 1 && n <= 2^32 - 1"), grid=(grid, "1", "1"))
    (claim,) = (k for k in analyse(contract_problem(c, module_of(STORE))).claims if k.name == "abi.grid")
    assert decide_claim(claim).status == "sat"


def test_dead_code_is_named() -> None:
    """A store that no launch reaches would make every claim about it true."""
    dead = "ld.param.u32 %r4, [n];\nsetp.gt.u32 %p2, %r4, 1000;\n@%p2 st.global.u32 [%d0], %r3;\nret;"
    body = STORE.removesuffix("ret;") + dead
    line = next(i.line for i in module_of(body).entries[0].instructions() if i.guard and i.guard.name == "%p2")
    assert occasions(analyse(problem_of(body)))[1] == [line]
    assert set(verdicts(contract(), body).values()) == {"unknown"}


def test_vacuity_wants_more_than_one_block() -> None:
    assert decide(vacuity_query(problem_of(STORE)).text).status == "sat"
    assert decide(vacuity_query(problem_of(STORE, requires="n == 3 && n == 4")).text).status == "unsat"


def _shipped() -> list[tuple[str, str]]:
    return [(stem, c.entry) for stem in STEMS for c in contracts_of(stem)]


def _analysis_free_launch(c: Contract, values: dict[str, int]) -> tuple[Memory, dict[str, int | bytes]]:
    """Buffers as the occasion says, sparse, each with its base at an address of the same alignment."""
    memory = Memory()
    args: dict[str, int | bytes] = {}
    buffers = {b.name: b for b in c.buffers}
    sizes = {p.name: values.get(p.name, 0) for p in c.parameters if p.kind != "f32"}
    for p in c.parameters:
        if p.name in buffers:
            b = buffers[p.name]
            args[p.name] = memory.add(
                p.name, size=max(1, b.extent(sizes)), initialised=True, offset=values.get(p.name, 0) % 64
            )
        else:
            args[p.name] = values.get(p.name, 0) if p.kind != "f32" else bytes(4)
    return memory, args


@pytest.mark.parametrize(("stem", "entry"), _shipped())
def test_every_occasion_executes_its_lines(stem: str, entry: str) -> None:
    """The manifest's occasions, launched: the named block and thread execute the named lines."""
    manifest = json.loads((ROOT / ARTIFACTS / stem / "manifest.json").read_text())
    module = parse((ROOT / PTX / f"{stem}.ptx").read_text())
    (c,) = (c for c in contracts_of(stem) if c.entry == entry)
    found = manifest["entries"][entry]["occasions"]
    assert found
    for occasion in found:
        values: dict[str, int] = occasion["values"]
        c.check_values({p.name: values.get(p.name, 0) for p in c.parameters if p.kind != "f32"})
        memory, args = _analysis_free_launch(c, values)
        block = tuple(values.get(f"ctaid.{a}", 0) for a in "xyz")
        thread = tuple(values.get(f"tid.{a}", 0) for a in "xyz")
        sizes = {p.name: values.get(p.name, 0) for p in c.parameters if p.kind not in ("f32", "buffer")}
        lines: set[int] = set()
        result = run(
            module.entry(entry), module, grid=c.grid_for(sizes), block=c.block, args=args, memory=memory,
            blocks=[block],  # type: ignore[list-item]
            dynamic_shared=c.dynamic_shared,
            on_access=lambda e, own=thread, seen=lines: seen.add(e.line) if e.thread == own else None,  # type: ignore[misc]
        )
        assert result.faults == []
        accesses = {line for line in occasion["lines"] if line in _access_lines(analysis_lines(stem, entry))}
        assert accesses <= lines, f"{sorted(accesses - lines)} were not executed at {values}"
        rest = set(occasion["lines"]) - accesses
        assert all(result.stats.lines.get(line, 0) for line in rest), f"{sorted(rest)} at {values}"


def analysis_lines(stem: str, entry: str) -> dict[str, list[dict[str, int]]]:
    records: dict[str, list[dict[str, int]]] = json.loads(
        (ROOT / ARTIFACTS / stem / f"{entry}.records.json").read_text()
    )
    return records


def _access_lines(records: dict[str, list[dict[str, int]]]) -> set[int]:
    return {a["line"] for a in records["accesses"]}


@pytest.mark.parametrize(("stem", "entry"), _shipped())
def test_occasions_cover_every_access_and_barrier(stem: str, entry: str) -> None:
    manifest = json.loads((ROOT / ARTIFACTS / stem / "manifest.json").read_text())
    records = analysis_lines(stem, entry)
    covered = {line for o in manifest["entries"][entry]["occasions"] for line in o["lines"]}
    assert covered == {i["line"] for kind in ("accesses", "barriers", "shuffles") for i in records[kind]}
