"""The runner: rows that stay, a run that goes on, files that `fltc check` reads, shrinking, the closing summary."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from proofs.check.report import check
from proofs.ptxas import ptxas
from tests.campaign import __main__ as runner
from tests.campaign import working
from tests.campaign.assembling import refused
from tests.campaign.judging import judged
from tests.campaign.kernel import Kernel
from tests.campaign.proving import PROVED, REFUTED, UNKNOWN, request_of
from tests.campaign.rows import ERROR, MISFIT, REFUSED, Row, Rows
from tests.campaign.shrinking import shrunk
from tests.campaign.small import FAULTY, GOOD, kernel
from tests.campaign.summary import summary
from tests.campaign.test_judging import without_claims
from tests.campaign.working import Chunk, work

BODIES = (GOOD, FAULTY["bounds"], FAULTY["race"])
TWO_WIDTHS = "add.u32 %r5, %d0, 1;\n"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds of three small kernels in turn, two to a chunk."""
    monkeypatch.setattr(working, "kernel_of", lambda seed: kernel(BODIES[seed % 3], seed))
    monkeypatch.setattr(runner, "CHUNK", 2)
    monkeypatch.setattr(runner, "digest", lambda effort: "these sources")


def run(out: Path, *more: str) -> int:
    return runner.main(["--kernels", "6", "--jobs", "1", "--out", str(out), *more])


@pytest.mark.usefixtures("small")
def test_a_campaign_ends_with_its_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--json", str(tmp_path / "f.json")) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("6 kernels \u00b7 proved 2 (33.3%) \u00b7 refuted with replay 4 (66.7%) \u00b7 unknown 0")
    assert "wrong 0" in last
    assert json.loads((tmp_path / "f.json").read_text())["line"] == last


@pytest.mark.usefixtures("small")
def test_a_campaign_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chunks: list[Chunk] = []

    def stops(chunk: Chunk) -> list[Row]:
        chunks.append(chunk)
        if len(chunks) == 2:
            raise KeyboardInterrupt
        return work(chunk)

    monkeypatch.setattr(runner, "work", stops)
    assert run(tmp_path) == 130
    assert run(tmp_path) == 0
    assert [list(chunk.seeds) for chunk in chunks] == [[0, 1], [2, 3], [2, 3], [4, 5]]
    assert "2 of 6 kernels are there already" in capsys.readouterr().err
    assert run(tmp_path) == 0
    assert len(chunks) == 4


@pytest.mark.usefixtures("small")
def test_rows_of_other_sources_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path) == 0
    monkeypatch.setattr(runner, "digest", lambda effort: "others")
    assert run(tmp_path, "--seconds", "0.000001") == 1
    told = capsys.readouterr()
    assert "of other sources" in told.err
    assert "not reached: 6 kernels are not done yet" in told.out


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    row = Row(7, "f", "m", PROVED, {"race": PROVED}, {"init": "x"}, {}, 3, 1, ("a",), {"v@": 2}, ("why",), 0.5)
    rows = Rows(tmp_path, "k")
    rows.put([row])
    rows.close()
    assert list(Rows(tmp_path, "k").of([7])) == [row]
    assert Rows(tmp_path, "k").seeds() == {7}
    assert not Rows(tmp_path, "other").seeds()


def planted(monkeypatch: pytest.MonkeyPatch, *kernels: Kernel) -> Chunk:
    monkeypatch.setattr(working, "kernel_of", lambda seed: kernels[seed])
    return Chunk(range(len(kernels)), Path(), 6)


def test_what_ptxas_refuses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = planted(monkeypatch, *(kernel(body, n) for n, body in enumerate((GOOD, TWO_WIDTHS, GOOD))))
    rows = work(replace(chunk, folder=tmp_path))
    assert [row.verdict for row in rows] == [PROVED, REFUSED, PROVED]
    assert "Arguments mismatch" in rows[1].reasons[0]
    assert (tmp_path / "refused" / "1.ptx").read_text("ascii").startswith("// seed 1 of family small\n// fltc check ")


def test_modules_of_many_kernels_have_names_of_their_own() -> None:
    table = ".global .align 4 .u32 table[4];\n"
    kernels = [replace(kernel(GOOD, n), text=kernel(GOOD).text.replace(".visible", table + ".visible")) for n in (1, 2)]
    assert ptxas().exists()
    assert not refused(kernels)


def test_mistakes_of_a_generator_and_errors_are_rows_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = replace(kernel(GOOD, 0), assumes=("n >= 4",))
    rows = work(replace(planted(monkeypatch, odd, kernel(GOOD, 1)), folder=tmp_path))
    assert [row.verdict for row in rows] == [MISFIT, PROVED]

    def breaks(*args: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(working, "judged", breaks)
    (row,) = work(replace(planted(monkeypatch, kernel(GOOD, 0)), folder=tmp_path))
    assert row.verdict == ERROR
    assert row.bad
    assert "broken" in row.reasons[0]


def test_a_disagreement_is_shrunk_to_a_file_that_a_check_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_claims(monkeypatch, "bounds")
    more = "add.u32 %r6, %r1, 3;\nmul.lo.u32 %r6, %r6, 5;\nst.shared.u32 [%r3], %r6;\nbar.sync 0;\n"
    chunk = planted(monkeypatch, kernel(more + FAULTY["bounds"], 0))
    (row,) = work(replace(chunk, folder=tmp_path))
    assert "bounds" in row.wrong
    text = (tmp_path / "disagreements" / "0.ptx").read_text("ascii")
    assert "// wrong: bounds is proved, but line " in text
    assert "mul.lo" not in text
    assert "bar.sync" not in text
    assert "ld.global" in text
    monkeypatch.undo()
    report = check(request_of(replace(kernel(GOOD), text=text), assembled=False))
    assert {row.obligation: row.verdict.value for row in report.rows}["bounds"] == REFUTED


def test_shrinking_keeps_the_obligation(monkeypatch: pytest.MonkeyPatch) -> None:
    without_claims(monkeypatch, "single-writer")
    first = judged(kernel(GOOD + FAULTY["single-writer"]))
    small = shrunk(first, 6, attempts=40)
    assert "single-writer" in small.wrong
    assert len(small.kernel.text) < len(first.kernel.text) - 100


def rows_of(*verdicts: str) -> list[Row]:
    return [Row(n, "f", "", verdict, agree=100) for n, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(("shares", "short"), [
    ((400, 560, 40), ""),
    ((400, 540, 60), "more than 5% unknown"),
    ((250, 740, 10), "less than 30% proved"),
    ((740, 250, 10), "less than 30% refuted"),
])  # fmt: skip
def test_goals_are_shares_of_all_kernels(shares: tuple[int, int, int], short: str) -> None:
    verdicts = [v for v, n in zip((PROVED, REFUTED, UNKNOWN), shares, strict=True) for _ in range(n)]
    assert "".join(summary(rows_of(*verdicts), 1000).short_of) == short


def test_shares_of_a_few_kernels_are_not_judged() -> None:
    assert not summary(rows_of(UNKNOWN, PROVED), 2).short_of


@pytest.mark.parametrize("row", [
    Row(0, "f", "", PROVED, wrong={"race": "x"}), Row(0, "f", "", PROVED, disagree=1), Row(0, "f", "", REFUSED),
    Row(0, "f", "", MISFIT), Row(0, "f", "", ERROR),
])  # fmt: skip
def test_one_bad_kernel_fails_the_campaign(row: Row) -> None:
    found = summary([row], 1)
    assert found.short_of
    assert found.bad == [0]


def test_too_few_addresses_fail_a_whole_campaign() -> None:
    rows = [Row(n, "f", "", PROVED if n % 2 else REFUTED, agree=1) for n in range(20_000)]
    assert summary(rows, 20_000).short_of == ["less than 1000000 addresses agree"]


@pytest.mark.parametrize(("flags", "said"), [
    (["--kernels", "0"], "0: it is a number from 1 on"),
    (["--from", "-3"], "-3: it is a number from 0 on"),
    (["--jobs", "-1"], "-1: it is a number from 0 on"),
    (["--seconds", "-1"], "-1: it is a number of seconds"),
    (["--seconds", "soon"], "soon: it is a number of seconds"),
    (["--effort", "0"], "it is a number from 1 to"),
    (["--json", "no/such/folder/F"], "no/such/folder"),
    (["--kernel"], "expected one argument"),
])  # fmt: skip
def test_flags_that_cannot_be_taken_are_named(
    flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = runner.main([*flags, "--out", str(tmp_path / "rows")])
    except SystemExit as left:
        code = left.code
    assert code == 3
    assert said in capsys.readouterr().err
    assert not (tmp_path / "rows").exists()


def test_a_place_for_results_that_is_no_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "file"
    place.write_text("")
    assert runner.main(["--kernels", "1", "--out", str(place)]) == 3
    assert str(place) in capsys.readouterr().err
