"""The page of `fltc report`: its numbers are those of the data, it loads nothing, it is written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from common.histogram import Histogram
from fltc.cli import main
from fltc.commands import report as command
from fltc.page.picture import described
from proofs.results import Report, Row
from proofs.verdict import Verdict
from spec.assumptions import TABLE
from spec.contracts import STEMS, contracts_of
from spec.operators import operator_of
from tests.harness.gpu_evidence import SCHEMA, descriptors
from tests.harness.run import DiffReport, DiffRow

ROOT = Path(__file__).resolve().parent.parent
VOID = {"meta", "link", "br", "img", "input", "hr"}
LEAVES = {"rect", "path", "line", "circle"}  # SVG: closed as they open


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    content: list[Element | str] = field(default_factory=list)

    @property
    def children(self) -> list[Element]:
        return [part for part in self.content if isinstance(part, Element)]

    def all(self, tag: str, css: str = "") -> list[Element]:
        """Elements of this kind inside, in order."""
        own = [self] if self.tag == tag and (not css or css in self.attributes.get("class", "").split()) else []
        return own + [found for child in self.children for found in child.all(tag, css)]

    @property
    def text(self) -> str:
        return " ".join(self._letters().split())

    def _letters(self) -> str:
        return "".join(part if isinstance(part, str) else part._letters() for part in self.content)


class Reader(HTMLParser):
    """A tree of the page; every element but the void ones is closed, in order, or it is no page."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("root", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].content.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in LEAVES, tag
        self.open[-1].content.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def read(text: str) -> Element:
    reader = Reader()
    reader.feed(text)
    reader.close()
    (root,) = reader.open
    return root


# --- a checkout, a prover's report and a run to show ------------------------------------------------------------------

COUNTS = Histogram(
    class_only=12, zero=1_234_567, tenths=[30, 0, 1, 0, 0, 0, 0, 0, 0, 2], vacuous=4, outside=5, wrong_class=3
)
HASHES = {d.contract.entry: d.sha256 for d in descriptors().values()}


def diff_row(entry: str, histogram: Histogram, **changes: Any) -> DiffRow:
    return DiffRow(**{
        "op": entry.removesuffix("_f16"), "cases": 7, "worst_ratio": 0.987, "entry": entry, "launches": 9,
        "ptx_sha256": HASHES[entry], "elements": histogram.total, "worst_case": "<every> & all",
        "histogram": histogram, **changes,
    })  # fmt: skip


def diff_json(*rows: DiffRow) -> dict[str, Any]:
    return DiffReport("emulator", "emulator", 5, rows).to_json()


def evidence_json(**changes: Any) -> dict[str, Any]:
    rows = [diff_row(entry, Histogram(zero=40)) for entry in HASHES]
    return {
        "schema": SCHEMA, "device": {"name": "GPU 1", "driver": "13.0"}, "python": "3", "numpy": "2", "seed": 0,
        "hypothesis": "6", "kernels": {entry: {"ptx_sha256": digest} for entry, digest in HASHES.items()},
        "complete": True, "diff": {"good": True, "seconds": 1.5, **diff_json(*rows)},
        "isa": {"good": False, "seconds": 2, "error": "lost"}, **changes,
    }  # fmt: skip


ASSUMED = {stem: operator_of(contracts_of(stem)[0].operator).assumptions for stem in STEMS}
PROVED = Report(
    [
        *(Row(stem, "race", Verdict.PROVED, "taken from the store", detail="1 claims") for stem in STEMS),
        *(Row(s, "numerics", Verdict.DERIVED, detail="decided", assumptions=ASSUMED[s]) for s in STEMS),
        Row("silu", "bounds", Verdict.UNKNOWN, detail="line 3: <script>alert(1)</script>"),
    ],
    ["silu_f16: requires n >= 1", "rmsnorm_f16: requires rows >= 1", "every lane counts", "ieee-rn: all is exact"],
)


def copied(folder: Path) -> Path:
    """A checkout with all that the prover reads, whose artifacts may be written to; without evidence."""
    (folder / "proofs").mkdir(parents=True)
    for path in [ROOT / "spec", ROOT / "backend", *(p for p in (ROOT / "proofs").iterdir() if p.name != "artifacts")]:
        (folder / path.relative_to(ROOT)).symlink_to(path)
    shutil.copytree(ROOT / "proofs/artifacts", folder / "proofs/artifacts")
    return folder


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the shipped kernels and their artifacts, and without evidence; the current folder."""
    for name in ("backend/ptx", "proofs/artifacts"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "evidence").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_verified", lambda root: PROVED)
    return tmp_path


def write(path: Path, content: object) -> str:
    path.write_text(json.dumps(content))
    return str(path)


def made(args: Sequence[str] = ()) -> Element:
    assert main(["report", *args]) == 0
    return read(Path("report/index.html").read_text("utf-8"))


def section(page: Element, ident: str) -> Element:
    (found,) = [s for s in page.all("section") if s.attributes["id"] == ident]
    return found


def cells(table: Element) -> list[list[str]]:
    body = table.all("tbody")[0]
    return [[cell.text for cell in row.children if cell.tag in ("th", "td")] for row in body.all("tr")]


# --- content ----------------------------------------------------------------------------------------------------------


def test_obligations_and_the_lemmas_of_the_bound_are_those_of_the_report_and_the_artifacts(checkout: Path) -> None:
    page = made()
    assert page.all("p")[0].text == PROVED.summary_line()
    for stem in STEMS:
        (contract,) = contracts_of(stem)
        part = section(page, contract.entry)
        rows = [r for r in PROVED.rows if r.kernel == stem]
        shown = [row[:3] for row in cells(part.all("table", "obligations")[0])]
        assert shown == [[r.obligation, r.verdict.value, r.source] for r in rows]
        manifest = json.loads((ROOT / f"proofs/artifacts/{stem}/manifest.json").read_text())
        lemmas = [[n["name"], n["verdict"], n["file"], n["control"]] for n in manifest["numerics"]]
        assert cells(part.all("table", "lemmas")[0]) == lemmas
        files = {code.text for code in part.all("code")}
        assert set(manifest["files"]) <= files, "an artifact is not named"
        assert manifest["ptx_sha256"] in part.text


def test_all_that_the_prover_reports_of_this_checkout_is_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copied(tmp_path / "checkout"))
    page = made()
    summary = page.all("p")[0].text
    assert summary == capsys.readouterr().out.splitlines()[0]
    report = json.loads(Path("report/verify.json").read_text())
    shown = [row[:2] for table in page.all("table", "obligations") for row in cells(table)]
    assert shown == [[row["obligation"], row["verdict"]] for row in report["rows"]]
    stems = {row["kernel"].partition(":")[0] for row in report["rows"]}
    files = {path.name for stem in stems for path in Path("proofs/artifacts", stem).iterdir()}
    assert files - {code.text for code in page.all("code")} == {"manifest.json"}


def test_what_belongs_to_no_kernel_has_a_part_of_its_own(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("library", "numerics", Verdict.DERIVED, detail="decided", assumptions=("doc-lg2",))
    monkeypatch.setattr(command, "_verified", lambda root: Report([*PROVED.rows, row]))
    page = made()
    manifest = json.loads((ROOT / "proofs/artifacts/library/manifest.json").read_text())
    lemmas = [[n["name"], n["verdict"], n["file"], n["control"]] for n in manifest["numerics"]]
    assert cells(section(page, "library").all("table", "lemmas")[0]) == lemmas
    named = dict(zip((e.text for e in page.all("dt")), (e.text for e in page.all("dd")), strict=True))
    assert "Named by library." in named["doc-lg2"]


def test_every_named_assumption_stands_with_its_statement_and_who_names_it(checkout: Path) -> None:
    page = made()
    used: dict[str, list[str]] = {}
    for stem in STEMS:
        for contract in contracts_of(stem):
            links = [a.text for a in section(page, contract.entry).all("a")]
            assert links == [*ASSUMED[stem], *ASSUMED[stem]], "at the verdict, and at the bound"
            for name in ASSUMED[stem]:
                used.setdefault(name, []).append(contract.entry)
    terms = section(page, "assumptions").all("dt")
    assert [t.text for t in terms] == list(used)
    for term, said in zip(terms, section(page, "assumptions").all("dd"), strict=True):
        one = TABLE[term.text]
        for text in (one.statement, one.source, one.violated, "Named by " + ", ".join(used[term.text])):
            assert " ".join(text.split()) in said.text
        assert "Measured on no device." in said.text
    assert [li.text for li in section(page, "silu_f16").all("ul", "requires")[0].all("li")] == ["requires n >= 1"]
    assert [li.text for li in section(page, "assumptions").all("ul", "general")[0].all("li")] == ["every lane counts"]


def test_the_numbers_of_a_histogram_are_those_of_the_run_in_table_picture_and_words(checkout: Path) -> None:
    run = write(checkout / "d.json", diff_json(diff_row("silu_f16", COUNTS, failures=["n=3: y[0] = <1>"])))
    page = made(["--diff", run])
    part = section(page, "silu_f16")
    (table,) = part.all("table", "histogram")
    bins = [(b.label, str(b.count), b.standing.value) for b in COUNTS.bins()]
    assert [tuple(row) for row in cells(table)] == bins
    (svg,) = part.all("svg")
    bars = svg.all("g", "bar")
    assert [bar.all("title")[0].text for bar in bars] == [f"{b.label}: {b.count:,} results" for b in COUNTS.bins()]
    assert [len(bar.all("rect")) for bar in bars] == [int(b.count > 0) for b in COUNTS.bins()]
    assert svg.all("desc")[0].text == described(COUNTS)
    outcomes = part.all("p", "outcomes")[0].text
    assert outcomes == (
        "Class first, value second: 3 of the wrong class, 5 outside the bound, 1,234,616 accepted, "
        "of these 4 by a vacuous bound."
    )
    assert "1,234,624 results, worst error/bound 0.987 (<every> & all)" in part.all("p", "run")[0].text
    assert [p.text for p in part.all("p", "wrong")] == ["FAILED: n=3: y[0] = <1>"]
    assert not section(page, "rmsnorm_f16").all("svg")


def test_bars_are_told_apart_without_colour(checkout: Path) -> None:
    page = made(["--diff", write(checkout / "d.json", diff_json(diff_row("silu_f16", COUNTS)))])
    (svg,) = page.all("svg")
    patterns = {p.attributes["id"] for p in svg.all("pattern")}
    fills = [r.attributes["fill"] for bar in svg.all("g", "bar") for r in bar.all("rect")]
    assert fills == ["#888"] * 5 + [f"url(#silu_f16-1-{name})" for name in ("outside", "wrong-class", "vacuous")]
    assert {fill[5:-1] for fill in fills if fill != "#888"} == patterns
    words = [t.text for t in svg.all("text", "name")]
    assert words == ["error / bound", "results (logarithmic)"]


def test_the_page_loads_nothing_runs_nothing_and_its_links_lead_somewhere(checkout: Path) -> None:
    write(checkout / "evidence/gpu.json", evidence_json())
    page = made(["--diff", write(checkout / "d.json", diff_json(diff_row("silu_f16", COUNTS)))])
    everything: list[Element] = []
    waiting = [page]
    while waiting:
        everything.append(waiting.pop())
        waiting += everything[-1].children
    idents = [e.attributes["id"] for e in everything if "id" in e.attributes]
    assert len(idents) == len(set(idents))
    for element in everything:
        assert element.tag not in ("script", "link", "img", "iframe", "object", "use", "image")
        assert not [name for name in element.attributes if name.startswith("on") or name in ("src", "style")]
        if "href" in element.attributes:
            assert element.attributes["href"].removeprefix("#") in idents
        for ident in element.attributes.get("aria-labelledby", "").split():
            assert ident in idents
    text = Path("report/index.html").read_text("utf-8")
    assert not re.search(r"https?:|@import|url\((?!#)", text)
    assert "<script" not in text
    (policy,) = [m for m in page.all("meta") if "http-equiv" in m.attributes]
    assert policy.attributes["content"].startswith("default-src 'none'")


def test_the_same_data_gives_the_same_bytes_and_the_provers_report_lies_beside_them(checkout: Path) -> None:
    write(checkout / "evidence/gpu.json", evidence_json())
    made()
    first = Path("report/index.html").read_bytes()
    made()
    assert Path("report/index.html").read_bytes() == first
    assert json.loads(Path("report/verify.json").read_text()) == PROVED.to_json()
    assert sorted(os.listdir("report")) == ["index.html", "verify.json"]


# --- evidence ---------------------------------------------------------------------------------------------------------


def test_evidence_of_the_shipped_text_is_current_and_its_parts_are_told(checkout: Path) -> None:
    write(checkout / "evidence/gpu.json", evidence_json())
    part = section(made(), "devices")
    assert part.all("span", "current")
    assert [row[:2] for row in cells(part.all("table", "tested")[0])] == [[entry, "current"] for entry in HASHES]
    assert cells(part.all("table", "parts")[0]) == [["diff", "good", "1.5"], ["isa", "NOT GOOD: lost", "2.0"]]


def test_evidence_of_other_text_is_stale_where_it_stands_and_at_the_kernel(checkout: Path) -> None:
    content = evidence_json()
    content["kernels"]["silu_f16"]["ptx_sha256"] = "00"
    content["diff"]["rows"] = [asdict(diff_row("silu_f16", Histogram(zero=3), ptx_sha256="00"))]
    del content["kernels"]["rmsnorm_f16"]
    write(checkout / "evidence/gpu.json", content)
    page = made()
    part = section(page, "devices")
    assert [s.text for s in part.all("strong", "stale")] == ["evidence stale"]
    assert [row[:2] for row in cells(part.all("table", "tested")[0])] == [
        ["rmsnorm_f16", "not there"], ["silu_f16", "stale"],
    ]  # fmt: skip
    assert [s.text for s in section(page, "silu_f16").all("strong", "stale")] == [
        "Stale: other PTX was compared, sha256 00."
    ]


def test_what_a_device_does_with_an_assumption_stands_at_the_assumption(checkout: Path) -> None:
    said = {
        "doc-ex2": {"status": "violated", "detail": "3 ulp at <0x1>"}, "doc-rcp": {"status": "held", "detail": "1 ulp"},
    }  # fmt: skip
    probe = {"good": False, "seconds": 1.0, "assumptions": said}
    write(checkout / "evidence/gpu.json", evidence_json(probe=probe))
    part = section(made(), "assumptions")
    texts = dict(zip((dt.text for dt in part.all("dt")), (dd.text for dd in part.all("dd")), strict=True))
    assert "Violated on GPU 1: 3 ulp at <0x1>." in texts["doc-ex2"]
    assert "Held on GPU 1: 1 ulp." in texts["doc-rcp"]
    assert "Measured on no device." in texts["ieee-rn"]


def test_a_violated_assumption_is_told_aloud(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("silu", "numerics", Verdict.VIOLATED, detail="doc-ex2 does not hold", assumptions=("doc-ex2",))
    monkeypatch.setattr(command, "_verified", lambda root: Report([row]))
    page = made()
    assert page.all("title")[0].text == "fltc report: assumption violated"
    assert {s.text for s in page.all("span", "assumption-violated")} == {"ASSUMPTION VIOLATED"}


def test_a_run_that_was_cut_short_is_not_current(checkout: Path) -> None:
    content = evidence_json(complete=False, diff={"good": False, "seconds": 1.0, "error": "DriverError: gone"})
    write(checkout / "evidence/gpu.json", content)
    part = section(made(), "devices")
    assert [s.text for s in part.all("strong", "stale")] == ["not complete; of the shipped PTX"]
    assert cells(part.all("table", "parts")[0])[0] == ["diff", "NOT GOOD: DriverError: gone", "1.0"]


def test_the_committed_evidence_can_be_read_with_or_without_histograms(checkout: Path) -> None:
    files = sorted((ROOT / "evidence").glob("*.json"))
    assert files
    for file in files:
        content = json.loads(file.read_text())
        for row in content["diff"]["rows"]:
            row.pop("histogram", None)
        write(checkout / "evidence" / file.name, content)
    page = made()
    for entry in HASHES:
        notes = [p.text for p in section(page, entry).all("p", "note")]
        assert "No histogram in this file: it was written before there were any." in notes
    for file in files:
        (checkout / "evidence" / file.name).write_bytes(file.read_bytes())
    made()


# --- what can go wrong ------------------------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["report", *args]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fltc: ")
    assert "Traceback" not in err
    return err


def test_a_place_that_takes_no_page_is_refused_before_the_work(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "_verified", lambda root: pytest.fail("worked for nothing"))
    Path("file").write_text("kept")
    assert "file: it is no folder" in refused(capsys, "--out", "file")
    assert "there is no folder" in refused(capsys, "--out", "nowhere/deep")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "no permission to write" in refused(capsys, "--out", "page")
    assert Path("file").read_text() == "kept"
    assert not Path("page").exists()


def test_a_page_that_cannot_be_written_leaves_the_old_one(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made()
    before = Path("report/index.html").read_bytes()
    capsys.readouterr()

    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert "No space left on device" in refused(capsys, "--diff", write(checkout / "d.json", diff_json()))
    assert Path("report/index.html").read_bytes() == before
    assert sorted(os.listdir("report")) == ["index.html", "verify.json"]


WRONG: list[tuple[object, str]] = [
    ([], "the content must be an object"),
    ({}, "device is missing"),
    ({"device": 3}, "device must be a str"),
    ({"device": "d", "rows": [3]}, "rows[0] must be an object"),
    ({"device": "d", "rows": [{"elements": True}]}, "rows[0].elements must be a int"),
    (diff_json(diff_row("silu_f16", COUNTS, elements=1)), "the histogram counts 1234624 results of 1"),
]


@pytest.mark.parametrize(("content", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_run_that_is_none_is_named_with_what_is_wrong(
    checkout: Path, capsys: pytest.CaptureFixture[str], content: object, message: str
) -> None:
    err = refused(capsys, "--diff", write(checkout / "d.json", content))
    assert f"{checkout / 'd.json'}: " in err
    assert message in err
    assert not Path("report").exists()


def test_a_run_that_is_not_there_or_no_json_is_named(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot read none.json: No such file" in refused(capsys, "--diff", "none.json")
    for text in ("{", "\udcff"):
        Path("d.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        assert "d.json is not JSON" in refused(capsys, "--diff", "d.json")


def test_a_histogram_that_was_edited_is_refused(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = diff_json(diff_row("silu_f16", COUNTS))
    content["rows"][0]["histogram"]["zero"] = -1
    err = refused(capsys, "--diff", write(checkout / "d.json", content))
    assert "rows[0].histogram: counts are integers, not negative" in err


def test_evidence_of_an_unknown_schema_and_a_kernel_that_is_missing_are_named(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(checkout / "evidence/gpu.json", evidence_json(schema=99))
    assert "evidence/gpu.json is of schema 99" in refused(capsys)
    (checkout / "backend/ptx").unlink()
    (checkout / "backend/ptx").mkdir()
    assert "cannot read" in refused(capsys)


def test_the_template_is_installed_with_the_program() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["fltc"]
    data = [p.relative_to(ROOT / "fltc") for p in (ROOT / "fltc").rglob("*.j2")]
    assert data
    assert all(any(path.match(pattern) for pattern in patterns) for path in data)
