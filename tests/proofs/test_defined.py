"""What becomes of registers that some threads have not written: the prover against the emulator, on drawn programs."""

from __future__ import annotations

import pytest

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.discharge import discharge
from proofs.entry import Analysis, analyse
from proofs.registers import source_thread
from proofs.replay.evaluate import term_value
from proofs.terms import Poly
from proofs.words import Word
from spec.ptx.shuffle import source_lane
from tests.spec.test_defined import SOME, THREADS, carried_out, drawn_body, text_of


def analysed(body: str, block: tuple[int, ...] = (THREADS, 1, 1)) -> Analysis:
    request = CheckRequest("drawn", text_of(body), block=block, grid=(1, 1, 1), buffers=("y=u32[64]:rw",))
    return analyse(problems(request)[0])


def undecided(analysis: Analysis) -> list[str]:
    claims = [c for c in analysis.claims if c.name.startswith("defined.")]
    return [f"{d.claim.lines} {d.claim.words}" for d in discharge(claims) if d.status != "unsat"]


@pytest.mark.parametrize("seeds", [range(at, at + 40) for at in range(0, 160, 40)], ids=lambda seeds: str(seeds[0]))
def test_what_is_proved_shows_no_fault(seeds: range) -> None:
    proved = passed = 0
    for seed in seeds:
        body = drawn_body(seed)
        analysis = analysed(body)
        faults, _ = carried_out(body)
        if not faults and carried_out(body, lenient=False)[0]:
            passed += 1
            proved += not undecided(analysis)
        elif faults:
            assert undecided(analysis), f"seed {seed}: proved, but {faults[0]}\n{body}"
    assert passed > 0
    assert proved * 10 >= passed * 8


def test_the_registers_that_are_read_unwritten_are_known() -> None:
    body = "    add.u32 %r2, %r1, 1;\n    add.u32 %r3, %r2, 1;\n    @%p0 st.global.u32 [%d2], %r3;\n"
    analysis = analysed(SOME + body)
    assert [u.register for u in analysis.records.undefined] == ["%r1"]
    assert not undecided(analysis)


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("ends", [31, 0, 0x181F, 0x1000, 0x1C07])
def test_the_lane_of_a_shuffle_is_that_of_the_emulator(mode: str, ends: int) -> None:
    request = CheckRequest("k", text_of(""), block=(96, 1, 1), grid=(1, 1, 1), buffers=("y=u32[64]:rw",))
    problem = problems(request)[0]
    for by in (0, 1, 3, 16, 21, 31):
        source = source_thread(problem, mode, Word(32, Poly.constant(by)), Word(32, Poly.constant(ends)))
        assert source is not None
        for tid in (0, 5, 31, 32, 63, 70, 95):
            expected = tid - tid % 32 + int(source_lane(mode, tid % 32, by, ends)[0])
            assert term_value(source, {"tid.x": tid}) == expected
