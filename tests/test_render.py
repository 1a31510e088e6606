"""How refutations, open claims and assumptions read: one idea a line, nothing empty, nothing twice."""

from __future__ import annotations

from fltc.diagnostic import details, folded
from proofs.results import Row
from proofs.verdict import Verdict

STORE = {
    "line": 356, "kind": "write", "block": [0, 0, 0], "thread": [0, 0, 0], "iteration": {}, "buffer": "shared",
    "bytes": [0, 3],
}  # fmt: skip
LOAD = STORE | {"line": 359, "kind": "read", "thread": [32, 0, 0], "iteration": {"L358": 2}}
RACE = {
    "claim": "race.i0.a5.a6", "obligation": "race", "states": "no barrier lies between, so the bytes do not meet",
    "lines": [356, 359], "text": {"356": "st.shared.f32 [%r1], %f1;", "359": "ld.shared.f32 %f2, [%r2];"},
    "source": {"356": "/a/long/way/sum.cu:7"}, "reproduced": True, "replay": "race: both at byte 0",
    "hint": "Put a barrier.",
    "parameters": {"n": 1}, "base_offsets": {"x": 0, "y": 4}, "grid": [1, 1, 1], "block": [64, 1, 1],
    "schedule": "reverse", "accesses": [STORE, LOAD],
}  # fmt: skip


def refuted(example: dict[str, object]) -> list[str]:
    return details(Row("sum", "race", Verdict.REFUTED, detail="all of it", counterexample=example))


def test_a_race_is_two_accesses_with_place_and_values() -> None:
    assert refuted(RACE) == [
        "REFUTED sum race: this fails: no barrier lies between, so the bytes do not meet",
        "  write by block (0,0,0) thread (0,0,0): bytes 0..3 of shared, "
        "PTX line 356 (sum.cu:7): st.shared.f32 [%r1], %f1;",
        "  read by block (0,0,0) thread (32,0,0), iteration 2 of the loop at PTX line 358: "
        "bytes 0..3 of shared, PTX line 359: ld.shared.f32 %f2, [%r2];",
        "  with n = 1, y 4 bytes past a multiple of 256, grid (1,1,1), block (64,1,1)",
        "  replayed in the emulator, warps reverse: race",
        "  hint: Put a barrier.",
    ]


def test_a_place_without_a_seen_access_is_still_named() -> None:
    lines = refuted(RACE | {"accesses": [STORE]})
    assert "  PTX line 359: ld.shared.f32 %f2, [%r2];" in lines
    assert sum("PTX line 356" in line for line in lines) == 1


def test_further_counterexamples_are_counted_not_told() -> None:
    lines = refuted(RACE | {"others": [RACE | {"lines": [400]}, RACE | {"lines": [356, 390]}]})
    assert lines[-1] == "  and 2 more, at PTX line 356, 390, 400; --json F writes them all"
    assert len(lines) == len(refuted(RACE)) + 1


def test_what_is_empty_is_left_out_and_what_is_not_known_is_kept() -> None:
    empty: dict[str, object] = {"hint": "", "parameters": {}, "base_offsets": {}, "source": {}, "none": None}
    lines = refuted(RACE | empty | {"note": "kept"})
    assert "  with grid (1,1,1), block (64,1,1)" in lines
    assert "  note: kept" in lines
    assert not any("hint" in line or "none" in line or line.endswith((": ", ":")) for line in lines)


def test_a_counterexample_of_another_shape_is_printed_key_by_key() -> None:
    assert refuted({"threads": [{"tid": [0]}, {"tid": [1]}], "replay": "raced", "empty": []}) == [
        "REFUTED sum race: all of it", "  threads: tid=(0)", "  threads: tid=(1)", "  replay: raced",
    ]  # fmt: skip


def test_open_claims_are_told_once_and_only_the_first_ones() -> None:
    found = [f"claim {n}\n  PTX line {n}: bar.sync 0;" for n in (1, 1, 2, 3, 4, 5)]
    lines = details(Row("sum", "race", Verdict.UNKNOWN, detail="\n".join(found)))
    assert lines[0] == "unknown sum race: claim 1"
    assert lines[1:3] == ["    PTX line 1: bar.sync 0;", "  claim 2"]
    assert lines[-1] == "  and 2 more; --json F writes them all"
    assert "  claim 4" not in lines


def test_assumptions_of_one_kind_are_one_line() -> None:
    number = "z is a number of 32 bits, signed"
    given = ["n >= 1", "x ends below 2^64", "n >= 1", "y ends below 2^64", number]
    assert folded(given) == ["n >= 1", "x, y: each ends below 2^64", number]
