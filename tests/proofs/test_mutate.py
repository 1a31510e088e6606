"""`fltc mutate`: each edit is made and noticed on a small program, survivors are listed, runs go on where they were."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fltc.cli import main
from proofs.check.entry import Checked
from proofs.check.request import CheckRequest
from proofs.mutation import campaign, judging
from proofs.mutation.campaign import RESULTS, Kept
from proofs.mutation.editing import codes_of
from proofs.mutation.judging import Judge, Proof, Result, Shown, judge_of
from proofs.mutation.making import Made, kinds_named, mutants_of, spread
from proofs.mutation.operators import OPERATORS
from proofs.mutation.target import target_of
from proofs.results import Row
from proofs.verdict import Verdict
from spec.errors import BadInput
from spec.ptx.parser import parse
from spec.ptx.printer import print_instr
from tests.proofs.test_small_programs import FOLDER, program

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/mutate.md"
EXCHANGE, RING, COPY = "exchange_across_barrier", "ring_of_three_stages", "copy_published"
SHUFFLES, COUNTS = "sums of a warp", "counter_of_all_blocks"
# A program on which each edit is made, and what must become of the mutants of that kind, at least.
MADE = {
    "barrier-dropped": (EXCHANGE, {"killed"}),
    "barrier-moved": (EXCHANGE, {"killed"}),
    "barrier-copied": (EXCHANGE, {"equivalent"}),
    "barrier-count": (EXCHANGE, {"equivalent"}),
    "wait": (COPY, {"killed"}),
    "commit": (COPY, {"killed"}),
    "guard-negated": (RING, {"killed"}),
    "guard-dropped": (RING, {"killed"}),
    "comparison": (RING, {"killed"}),
    "constant": (EXCHANGE, {"killed"}),
    "offset": (EXCHANGE, {"killed"}),
    "narrow": (EXCHANGE, {"equivalent"}),
    "signedness": (EXCHANGE, {"equivalent"}),
    "base": (COPY, {"killed"}),
    "stage": (RING, {"killed"}),
    "step": (RING, {"killed"}),
    "width": (EXCHANGE, {"killed"}),
    "store-dropped": (EXCHANGE, {"killed"}),
    "store-doubled": (EXCHANGE, {"killed", "equivalent"}),
    "plain": (COUNTS, {"killed"}),
    "shuffle": (SHUFFLES, {"killed"}),
}
# A ring that begins at another stage, or has two of them, does as well.
EQUIVALENT_ALL_THE_SAME = {"comparison.L39.2", "stage.L39.2", "stage.L28.1", "stage.L40.1"}
HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"
SUMS = HEAD + """.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %t, %v, %u;
    .reg .b64 %x, %y, %d;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %d, %t, 4;
    add.u64 %x, %x, %d;
    add.u64 %y, %y, %d;
    ld.global.u32 %v, [%x];
    shfl.sync.bfly.b32 %u, %v, 2, 31, 0xffffffff;
    xor.b32 %v, %v, %u;
    shfl.sync.down.b32 %u, %v, 8, 31, 0xffffffff;
    add.u32 %v, %v, %u;
    st.global.u32 [%y], %v;
    ret;
}
"""
# Whatever is loaded, 5 is the index: `min` may be with 4 as well, but what it gives is another number, compared
# there (3 or more in both cases) and made 5 in another block only.
CLAMPED = HEAD + """.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %t, %v; .reg .pred %p;
    .reg .b64 %x, %y, %d;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    ld.global.u32 %v, [%x];
    min.u32 %v, %v, 5; setp.gt.u32 %p, %v, 2; @%p bra L; st.global.u32 [%y], 9;
L:  max.u32 %v, %v, 5;
    mul.wide.u32 %d, %v, 4;
    add.u64 %y, %y, %d;
    mov.u32 %t, 7;
    st.global.u32 [%y], %t;
    ret;
}
"""
LAST = HEAD + """.visible .entry k(.param .u64 x, .param .u32 n)
{
    .reg .b32 %v;
    .reg .b64 %x, %d;
    ld.param.u64 %x, [x];
    ld.param.u32 %v, [n];
    sub.u32 %v, %v, 1;
    mul.wide.u32 %d, %v, 4;
    add.u64 %x, %x, %d;
    st.global.u32 [%x], %v;
    ret;
}
"""
CLAMPED_FLAGS = ("--block", "1", "--grid", "1", "--buffer", "x=u32[1]:r", "--buffer", "y=u32[8]:w")
SURVIVOR = "constant.L11.2"


@cache
def judge_for(name: str) -> Judge:
    if name == SHUFFLES:
        return judged(CheckRequest(name, SUMS, block=(32,), grid=(1,), buffers=("x=u32[32]:r", "y=u32[32]:w")))
    case = program(FOLDER / f"{name}.ptx")
    flags = dict.fromkeys(("--block", "--grid"), "")
    several: dict[str, list[str]] = {"--assume": [], "--buffer": []}
    for flag, value in zip(case.flags[::2], case.flags[1::2], strict=True):
        if flag in several:
            several[flag].append(value)
        else:
            flags[flag] = value
    return judged(CheckRequest(
        name, case.path.read_text(), block=(int(flags["--block"]),), grid=(int(flags["--grid"]),),
        assumes=tuple(several["--assume"]), buffers=tuple(several["--buffer"]),
    ))


def judged(request: CheckRequest) -> Judge:
    """The judge of an entry that is proved."""
    judge = judge_of(target_of(request), None)
    assert isinstance(judge, Judge), judge
    return judge


def rows_of(name: str, kind: str) -> Iterator[Result]:
    judge = judge_for(name)
    for made in mutants_of(judge.target.module, None, kinds_named([kind])):
        yield judge.judge(made)


@pytest.mark.parametrize("kind", OPERATORS)
def test_each_edit_is_made_and_noticed(kind: str) -> None:
    name, expected = MADE[kind]
    rows = list(rows_of(name, kind))
    assert expected <= {row.status for row in rows}, rows
    assert {row.id for row in rows if row.status in ("survives", "DISAGREE")} <= EQUIVALENT_ALL_THE_SAME
    assert all(row.kind == kind and row.words for row in rows)
    for row in rows:
        if row.status == "killed":
            assert row.prover.verdict == "refuted" or row.emulator.kills
            assert (row.prover.verdict == "refuted") == bool(row.prover.obligation) or row.prover.verdict == "unknown"
        if row.status == "equivalent":
            assert row.claim in ("order", "again", "unread", "local", "same-code")


def test_the_document_names_every_edit() -> None:
    text = DOCUMENT.read_text("utf-8")
    table = text[text.index("## Edits") : text.index("## What becomes")]
    named = [name for cell in re.findall(r"^\| ([a-z, -]+) \|", table, re.MULTILINE) for name in cell.split(", ")]
    assert named[1:] == list(OPERATORS)


def test_a_dropped_barrier_is_shown_by_both() -> None:
    (row,) = rows_of(EXCHANGE, "barrier-dropped")
    assert (row.prover.verdict, row.prover.obligation) == ("refuted", "race")
    assert row.emulator.verdict == "fault"
    assert "race" in row.emulator.detail


def test_every_line_keeps_its_number_and_no_text_is_made_twice() -> None:
    text = (FOLDER.parent / "kernels/gemm.ptx").read_text()
    module = parse(text)
    found = mutants_of(module, None, kinds_named([]))
    assert len({made.text for made in found} | {text}) == len(found) + 1
    assert len({made.id for made in found}) == len(found)
    for made in found:
        lines, before = made.text.split("\n"), text.split("\n")
        changed = [n for n, (a, b) in enumerate(zip(lines, before, strict=True), 1) if a != b]
        assert changed
        assert {made.kind} <= OPERATORS.keys()
    for made in found[::40]:
        parse(made.text)


def test_instructions_are_found_where_they_stand() -> None:
    for path in sorted(FOLDER.glob("*.ptx"))[::25]:
        for code in codes_of(parse(path.read_text())):
            for at, instruction in enumerate(code.instructions):
                assert code.text(at).endswith(";")
                assert instruction.opcode in "".join(code.text(at).split())
                assert code.replaced({at: print_instr(instruction)}).count("\n") == code.module.text.count("\n")


def test_a_limit_takes_of_every_kind() -> None:
    module = parse((FOLDER / f"{RING}.ptx").read_text())
    found = mutants_of(module, None, kinds_named([]))
    some = spread(found, 20)
    assert len(some) == 20
    assert len({made.kind for made in some}) >= 8
    assert [m for m in found if m in some] == some
    with pytest.raises(BadInput, match="no such kind of edit"):
        kinds_named(["barier-dropped"])


# --- the prover and the emulator watch each other -----------------------------------------------------------------


def test_a_blind_prover_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_for(EXCHANGE)
    rows = [Row("k", "race", Verdict.PROVED, detail="everything is fine")]
    monkeypatch.setattr(judging, "check_entry", lambda *given, **more: Checked(rows, []))
    (made,) = mutants_of(judge.target.module, None, ["barrier-dropped"])
    row = judge.judge(made)
    assert (row.status, row.prover.verdict, row.emulator.verdict) == ("DISAGREE", "proved", "fault")


def test_a_blind_prover_is_noticed_by_a_fault_behind_a_run_that_only_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last element but one is another place, and no place at all where there is one element only."""
    flags: dict[str, Any] = {"block": (1,), "grid": (1,), "assumes": ("n >= 1",), "buffers": ("x=u32[n]:w",)}
    judge = judged(CheckRequest("k.ptx", LAST, **flags))
    made = next(m for m in mutants_of(judge.target.module, None, ["constant"]) if m.words.startswith("1 made 2"))
    judge.runs = sorted(judge.runs, key=lambda run: judge.show(parse(made.text), [run]).verdict == "fault")
    assert judge.show(parse(made.text)).verdict == "differs"
    rows = [Row("k", "bounds", Verdict.PROVED, detail="everything is fine")]
    monkeypatch.setattr(judging, "check_entry", lambda *given, **more: Checked(rows, []))
    row = judge.judge(made)
    assert (row.status, row.prover.verdict, row.emulator.verdict) == ("DISAGREE", "proved", "fault")


def test_what_the_prover_does_not_ask_the_emulator_sees() -> None:
    """Another constant stored, say: no obligation of `fltc check` speaks of values."""
    rows = [row for row in rows_of(RING, "step") if row.prover.verdict == "proved"]
    assert [row.status for row in rows] == ["killed"] * len(rows)
    assert all(row.emulator.verdict == "differs" for row in rows)


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def clamped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "clamped.ptx"
    path.write_text(CLAMPED)
    return path


def mutate(path: Path, *more: str) -> int:
    return main(["mutate", str(path), *CLAMPED_FLAGS, "--jobs", "1", *more])


def test_a_survivor_is_listed_and_written(clamped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mutate(clamped, "--kind", "constant", "--json", "report.json") == 1
    said = capsys.readouterr().out
    written = clamped.parent / f"clamped.ptx.mutants/survivors/{SURVIVOR}.ptx"
    assert f"survives {SURVIVOR}: 5 made 4: min.u32 %v, %v, 5;" in said
    head = written.read_text().splitlines()[:5]
    assert head[0] == f"// survives: {SURVIVOR} of {clamped}"
    assert head[4] == f"// fltc check {SURVIVOR}.ptx{''.join(f' {shlex.quote(w)}' for w in CLAMPED_FLAGS)}"
    assert main(["check", str(written), *CLAMPED_FLAGS, "--no-store"]) == 0
    report = json.loads((clamped.parent / "report.json").read_text())
    assert report["schema"] == "fltc-mutate/1"
    assert report["summary"]["survive"] == report["kinds"]["constant"]["survive"] >= 1
    assert SURVIVOR in [row["id"] for row in report["rows"] if row["status"] == "survives"]


def test_what_is_argued_counts_no_more(clamped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reasons = clamped.parent / "argued.toml"
    assert mutate(clamped, "--kind", "constant") == 1
    found = [p.stem for p in (clamped.parent / "clamped.ptx.mutants/survivors").glob("*.ptx")]
    reasons.write_text("".join(f'"{name}" = "the next line makes it 5"\n' for name in found))
    capsys.readouterr()
    assert mutate(clamped, "--kind", "constant", "--argued", str(reasons)) == 0
    assert f"argued {SURVIVOR}: the next line makes it 5" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"constant.L11.1" = "it changes nothing at all"', "no survivors: constant.L11.1 (killed)"),
        (f'"{SURVIVOR}" = "because"', f'"{SURVIVOR}": expected a sentence that says why'),
        (f'"{SURVIVOR}" = 3', "a sentence that says why"),
        ("no toml", 'each line is "ID" = "why it changes nothing"'),
    ],
)
def test_bad_arguments_are_bad_input(clamped: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    (clamped.parent / "argued.toml").write_text(text)
    assert mutate(clamped, "--kind", "constant", "--argued", "argued.toml") == 3
    assert said in capsys.readouterr().err


def test_an_entry_that_names_no_mutant_is_bad_input(clamped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clamped.parent / "argued.toml").write_text('"constant.L99.1" = "there is no such line"')
    assert mutate(clamped, "--argued", "argued.toml") == 3
    assert "constant.L99.1 (no such mutant)" in capsys.readouterr().err


def test_mutants_of_what_is_not_proved_show_nothing(clamped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clamped.write_text(CLAMPED.replace("max.u32 %v, %v, 5", "max.u32 %v, %v, 8"))
    assert mutate(clamped) == 2
    said = capsys.readouterr().out
    assert "itself is refuted: bounds" in said
    assert "killed" not in said


def test_a_run_that_was_interrupted_goes_on(
    clamped: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Judge.judge
    judged: list[str] = []

    def until_the_third(self: Judge, made: Made) -> Result:
        if len(judged) == 3:
            raise KeyboardInterrupt
        row = whole(self, made)
        judged.append(row.id)
        return row

    monkeypatch.setattr(Judge, "judge", until_the_third)
    assert mutate(clamped, "--kind", "constant") == 130
    results = clamped.parent / "clamped.ptx.mutants" / RESULTS
    assert len(results.read_text().splitlines()) == 3
    results.write_text(results.read_text()[:-20])  # the last row was cut off

    def all_the_others(self: Judge, made: Made) -> Result:
        judged.append(made.id)
        return whole(self, made)

    monkeypatch.setattr(Judge, "judge", all_the_others)
    assert mutate(clamped, "--kind", "constant") == 1
    assert "from the folder 2" in capsys.readouterr().out
    assert judged[2] == judged[3]
    assert len(set(judged)) == len(judged) - 1


def test_a_quick_run_asks_the_prover_of_what_is_left_and_another_run_of_the_rest(clamped: Path) -> None:
    for quick, asked in ((["--quick"], False), ([], True)):
        assert mutate(clamped, "--kind", "width", "--json", "report.json", *quick) == 0
        rows = json.loads((clamped.parent / "report.json").read_text())["rows"]
        shown = [row for row in rows if row["emulator"]["verdict"] == "fault"]
        assert shown
        assert all((row["prover"]["verdict"] == "refuted") == asked for row in shown)


def test_rows_of_other_flags_or_sources_are_not_taken(tmp_path: Path) -> None:
    made = mutants_of(parse(CLAMPED), None, ["constant"])[0]
    row = Result(made.id, made.kind, made.line, made.words, made.key, "killed", emulator=Shown("differs"))
    kept = Kept(tmp_path / RESULTS, "these")
    with kept.open() as keep:
        keep(row)
    assert Kept(tmp_path / RESULTS, "these").get(made) == row
    assert Kept(tmp_path / RESULTS, "others").get(made) is None
    assert Kept(tmp_path / RESULTS, "these").get(replace(made, text=made.text + "\n")) is None


@pytest.mark.parametrize(
    "edit",
    [
        {"status": "killed"}, {"status": "refused"}, {"status": "equivalent"}, {"status": "argued"}, {"status": 1},
        {"prover": {"verdict": "fine"}}, {"emulator": {"verdict": "gone"}},
    ],
    ids=str,
)
def test_a_row_that_somebody_edited_is_not_taken(tmp_path: Path, edit: dict[str, object]) -> None:
    made = mutants_of(parse(CLAMPED), None, ["constant"])[0]
    row = Result(made.id, made.kind, made.line, made.words, made.key, "survives", Proof("proved"), Shown("same"))
    with Kept(tmp_path / RESULTS, "these").open() as keep:
        keep(row)
    assert Kept(tmp_path / RESULTS, "these").get(made) == row
    line = json.loads((tmp_path / RESULTS).read_text())
    (tmp_path / RESULTS).write_text(json.dumps({**line, **edit}) + "\n")
    assert Kept(tmp_path / RESULTS, "these").get(made) is None


@pytest.mark.parametrize(("proof", "stays"), [("refuted", True), ("not asked", True), ("proved", False)])
def test_a_kill_of_what_is_proved_is_looked_at_again_with_more_launches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proof: str, stays: bool
) -> None:
    made = mutants_of(parse(CLAMPED), None, ["constant"])[0]
    row = Result(made.id, made.kind, made.line, made.words, made.key, "killed", Proof(proof), Shown("differs"))
    with Kept(tmp_path / RESULTS, "these").open() as keep:
        keep(row)
    monkeypatch.setattr(campaign, "engine_digest", lambda: "another")
    assert (Kept(tmp_path / RESULTS, "these").get(made) is not None) == stays


def test_a_disagreement_is_not_made_a_kill(tmp_path: Path) -> None:
    made = mutants_of(parse(CLAMPED), None, ["constant"])[0]
    row = Result(made.id, made.kind, made.line, made.words, made.key, "killed", Proof("proved"), Shown("fault"))
    with Kept(tmp_path / RESULTS, "these").open() as keep:
        keep(row)
    assert Kept(tmp_path / RESULTS, "these").get(made) is None


def test_functions_on_one_line_have_mutants_of_their_own() -> None:
    one = ".func f() { .reg .b32 %v; add.u32 %v, 1, 1; add.u32 %v, %v, %v; ret; }"
    two = " ".join(CLAMPED.split("\n", 3)[3].split("\n"))
    made = mutants_of(parse(f"{HEAD}{one.replace('ret', 'st.shared.u32 [%v], %v; ret')} {two}\n"), None, ["constant"])
    assert {m.function for m in made} == {"f", "k"}
    assert len({m.id for m in made}) == len(made)


def test_what_the_assembler_refuses_is_not_counted(clamped: Path) -> None:
    buffers = ("x=u32[1]:r", "y=u32[8]:w")
    judge = judged(CheckRequest(str(clamped), CLAMPED, block=(1,), grid=(1,), buffers=buffers))
    made = replace(mutants_of(judge.target.module, None, ["constant"])[0], text=CLAMPED.replace("min.u32", "min.b32"))
    row = judge.judge(made)
    assert row.status == "refused"
    assert row.reason


def test_a_file_with_several_entries_needs_one_named(clamped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clamped.write_text(CLAMPED + CLAMPED.split("\n", 3)[3].replace("entry k", "entry l"))
    assert mutate(clamped) == 3
    assert "choose one with --entry: k, l" in capsys.readouterr().err
    assert mutate(clamped, "--entry", "l", "--kind", "width", "--limit", "1") == 0
