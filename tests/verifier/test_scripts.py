"""The audit's reading of Gappa scripts: what they say against the contract, attacks on them, and missing programs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from fractions import Fraction
from pathlib import Path

import pytest

from spec.approximations import TABLE
from spec.enclosure import exp
from spec.operators import rmsnorm, silu
from spec.scalar import F16, F32, rounded
from tests.formal import needs_both
from tests.verifier.tampering import Copy, without
from tests.verifier.test_library import Shelf
from verifier import demands
from verifier.audit import AuditReport, Part, audit, run_job
from verifier.demands_library import library
from verifier.findings import Finding, Grade, Unreadable
from verifier.formal import ALLOWED, absent, assumed
from verifier.script import read_expression, read_script, shows_false, value

GOOD = "@rn16 = float<11,-24,ne>;\ny = rn16(x);\n{\n  |x| in [1b-14,65520]\n  ->\n  y -/ x in [-1b-11,1b-11]\n}\n"


@pytest.fixture
def silu_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """What the audit finds in it, it finds without running a program."""
    monkeypatch.setenv("PATH", "/nowhere")
    return Copy(tmp_path, "silu")


@pytest.fixture
def rmsnorm_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setenv("PATH", "/nowhere")
    return Copy(tmp_path, "rmsnorm")


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_script_is_read_part_by_part() -> None:
    script = read_script("# false at x = -3b-2\n" + GOOD, "a.g")
    assert script.definitions == (("y", ("rn16", ("name", "x"))),)
    (hypothesis,), (goal,) = script.hypotheses, script.goals
    assert hypothesis.term == ("abs", ("name", "x"))
    assert (hypothesis.low, hypothesis.high) == (Fraction(1, 2**14), Fraction(65520))
    assert goal.term == ("-/", ("name", "y"), ("name", "x"))
    assert script.witness == {"x": Fraction(-3, 4)}
    assert script.variables() == ["x"]


@pytest.mark.parametrize(
    "text",
    [
        GOOD + "y -> x;\n",
        GOOD.replace("[-1b-11,1b-11]", "?"),
        GOOD.replace("11,-24", "24,-149"),
        GOOD.replace("@rn16 = float<11,-24,ne>", "@rn16 = float<11,-24,zr>"),
        GOOD.replace("[-1b-11,", "[-1b-12,"),
        GOOD.replace("[1b-14,65520]", "[65520,1b-14]"),
        GOOD.replace("y = rn16(x);", "y = rn16(x);\ny = x;"),
        GOOD.replace("rn16(x)", "fma(x)"),
        GOOD.replace("rn16(x)", "rn16(x"),
        GOOD.replace("|x| in", "not |x| in"),
        GOOD.replace("|x|", "x \\/ x"),
        GOOD.replace("1b-14", "1b-99999"),
        GOOD.replace("1b-14", "1e-14"),
        "",
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read_script(text, "a.g")


def test_precedence_and_signs() -> None:
    known = {"a": Fraction(7), "b": Fraction(2)}
    for text, number in (
        ("a - b - b", 3), ("a - b * b", 3), ("a / b / b", Fraction(7, 4)), ("-3b-1 * a", Fraction(-21, 2)),
        ("|b - a|", 5), ("toward0(a / b)", 3), ("sqrt(b * b)", 2), ("a * -1", -7), ("(a - b) * b", 10),
    ):
        assert value(read_expression(text), known) == number
    with pytest.raises(Unreadable, match="division by zero"):
        value(read_expression("a / (b - 2)"), known)


def test_rounding_is_that_of_the_specification() -> None:
    for top in range(-70, 70):
        for bottom in (1, 3, 7, 2**11, 2**24, 2**26, 3 * 2**30, 2**160):
            x = Fraction(top * 2**6 + 1, bottom)
            assert value(read_expression("rn16(x)"), {"x": x}) == rounded(x, F16)
            assert value(read_expression("rn32(x)"), {"x": x}) == rounded(x, F32)


def test_a_control_is_false_only_where_its_values_show_it() -> None:
    stronger = GOOD.replace("1b-11", "1023b-21")
    for number, shown in (("2049b-11", True), ("1", False), ("1b-20", False)):
        assert shows_false(read_script(f"# false at x = {number}\n" + stronger, "a.g")) is shown
    assert not shows_false(read_script(stronger, "a.g"))
    assert not shows_false(read_script("# false at x = 2049b-11\n# false at z = 1\n" + stronger, "a.g"))


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_the_numbers_of_the_bounds_agree_with_the_specification() -> None:
    assert demands.rsqrt_error() <= TABLE["rsqrt"].relative < demands.rsqrt_error() * (1 + Fraction(1, 2**40))
    assert (demands.EX2, demands.RCP) == (silu.EX2, silu.RCP)
    assert (demands.LOG2E_ERROR, demands.SILU_FROM) == (silu.LOG2_E_ERROR, silu.LEAST_UNIFORM)
    for x in (Fraction(0), Fraction(1), Fraction(43), Fraction(43, 10**8)):
        low, high = exp(x)
        assert low <= demands.exponential(x) <= high * (1 + Fraction(1, 2**100))


@pytest.mark.parametrize("columns", [1, 7, 8, 15, 2048, 2049, 4096, 4103, 9000])
def test_the_roundings_of_a_row_are_those_of_the_operator(columns: int) -> None:
    expected = max(rmsnorm.depth(c) for c in range(1, columns + 1))
    assert demands.roundings(columns, rmsnorm.THREADS) == expected


# --- attacks ----------------------------------------------------------------------------------------------------------


def both(copy: Copy, name: str, change: Callable[[str], str]) -> None:
    """Change a script and its control alike."""
    for file in (f"numerics.{name}.g", f"numerics.{name}.control.g"):
        copy.edit_text(file, change)


def replace(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


def test_shipped_scripts_are_clean_without_any_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for stem, count in (("silu", 5), ("rmsnorm", 4)):
        part = run_job(Copy(tmp_path / stem, stem).root, stem, "formal")
        assert (part.findings, part.scripts, part.not_run) == ([], 0, count)
        assert part.needs == "needs gappa, coqc"


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("rmsnorm-prefix", "n in [1,65536]", "n in [1,32768]", "it assumes n in [1.0, 32768.0]; the contract gives"),
        ("rmsnorm-prefix", "eps in [1b-30,1]", "eps in [1b-20,1]", "it assumes eps in"),
        ("rmsnorm-prefix", "S in [1b-48,", "S in [1b-47,", "it assumes S in"),
        ("rmsnorm-prefix", "Sh -/ S in [-", "Sh -/ S_ in [-", "it assumes (Sh -/ S_) in"),
        ("rmsnorm-result", "|w| in [1b-24,65504]", "|w| in [1,65504]", "it assumes abs(w) in [1.0"),
        ("rmsnorm-result", "y = rn32((rn32((x * r)) * w));", "y = rn32(((x * r) * w));", "its definitions are not"),
        ("rmsnorm-result", "vh = rn32((mh + eps));", "vh = (mh + eps);", "its definitions are not the operations"),
        ("cvt-relative", "[1b-14,65520]", "[1b-13,65520]", "it assumes abs(x) in"),
        ("cvt-relative", "|x| in [1b-14,65520]", "|x| in [1b-14,65520] /\\ x in [1,2]", "it assumes x in [1.0, 2.0]"),
    ],
)
def test_a_script_that_assumes_or_computes_something_else_is_found(
    rmsnorm_copy: Copy, name: str, old: str, new: str, words: str
) -> None:
    both(rmsnorm_copy, name, replace(old, new))
    assert f"numerics.{name}.g: {words}" in rmsnorm_copy.messages("formal")


def test_a_wider_claim_and_a_claim_of_something_else_are_found(rmsnorm_copy: Copy) -> None:
    rmsnorm_copy.edit_text("numerics.cvt-relative.g", replace("y -/ x in [-1b-11,1b-11]", "y -/ x in [-1b-10,1b-10]"))
    rmsnorm_copy.edit_text("numerics.cvt-absolute.g", replace("(y - x) in", "(x - y) in"))
    messages = rmsnorm_copy.messages("formal")
    assert "numerics.cvt-relative.g: it does not claim the bound: (y -/ x) in [-0.00048828125," in messages
    assert "numerics.cvt-absolute.g: it does not claim the bound" in messages


def test_a_bound_a_little_wider_than_the_contracts_is_found(rmsnorm_copy: Copy) -> None:
    goal = next(line for line in rmsnorm_copy.read("numerics.rmsnorm-prefix.g").splitlines() if "vh -/ V in" in line)
    mantissa = int(goal.partition("[-")[2].partition("b")[0])
    rmsnorm_copy.edit_text("numerics.rmsnorm-prefix.g", replace(str(mantissa), str(mantissa + 2**9)))
    assert "numerics.rmsnorm-prefix.g: it does not claim the bound" in rmsnorm_copy.messages("formal")


def test_a_contract_with_longer_rows_needs_another_script(rmsnorm_copy: Copy) -> None:
    rmsnorm_copy.edit_text("contract.json", replace("columns <= 2^16", "columns <= 2^17"))
    messages = rmsnorm_copy.messages("formal")
    assert "rmsnorm-prefix.g: it assumes n in [1.0, 65536.0]; the contract gives n in [1.0, 131072.0]" in messages


def test_scripts_that_are_missing_unknown_or_unproved_are_found(silu_copy: Copy) -> None:
    silu_copy.edit_manifest(lambda m: without(m["scripts"], name="silu-large"))
    assert "script silu-large of the error bounds is missing" in silu_copy.messages("formal")
    assert "numerics.silu-large.v: listed in manifest.json, but it belongs to no claim" in silu_copy.messages("records")
    extra = {"name": "a-b", "file": "x.g", "control": "y.g", "proof": "z.v", "verdict": "proved"}
    silu_copy.edit_manifest(lambda m: m["scripts"].append(extra))
    assert "script a-b does not have the files numerics.a-b.g" in silu_copy.messages("formal")
    silu_copy.edit_manifest(lambda m: m["scripts"][0].update(verdict="unknown"))
    assert "the manifest calls it unknown" in silu_copy.messages("formal")


def test_controls_that_control_nothing_are_found(silu_copy: Copy) -> None:
    control = "numerics.cvt-absolute.control.g"
    silu_copy.edit_text(control, replace("[0,1b-14]", "[0,1b-15]"))
    assert f"{control}: assumes something else than the script it controls" in silu_copy.messages("formal")
    silu_copy.edit_text(control, replace("[0,1b-15]", "[0,1b-14]"))
    assert silu_copy.messages("formal") == ""
    silu_copy.edit_text(control, replace("x = 1b-25", "x = 1b-26"))
    assert f"{control}: its values do not show that its claim is false" in silu_copy.messages("formal")


def test_a_rule_or_an_unreadable_script_is_found(silu_copy: Copy) -> None:
    silu_copy.edit_text("numerics.silu-result.g", lambda text: text + "y -> x;\n")
    (finding,) = silu_copy.findings("formal")
    assert finding.grade is Grade.UNREADABLE
    assert "nothing may follow the goals" in str(finding)


def _unclaimed(copy: Copy) -> Copy:
    """As if the artifacts had been written where Gappa is missing."""
    (copy.folder / "numerics.silu-large.v").unlink()
    copy.edit_manifest(
        lambda m: next(s for s in m["scripts"] if s["name"] == "silu-large").update(verdict="unknown", proof="")
    )
    return copy


def test_a_script_of_which_nothing_is_claimed_is_not_run_where_it_cannot_be(silu_copy: Copy) -> None:
    part = run_job(_unclaimed(silu_copy).root, "silu", "formal")
    assert part == Part(not_run=5, unasked=1, needs="needs gappa, coqc")
    both(silu_copy, "silu-large", replace("E in [0,1b-60]", "E in [0,1b-70]"))
    assert "numerics.silu-large.g: it assumes E in" in silu_copy.messages("formal")


@needs_both
def test_a_script_of_which_nothing_is_claimed_is_found_where_it_can_be_run(tmp_path: Path) -> None:
    messages = _unclaimed(Copy(tmp_path, "silu")).messages("formal")
    assert messages.endswith("silu-large.g: was not proved when the artifacts were written; `fltc verify` proves it")


@needs_both
def test_shipped_scripts_are_proved_again(tmp_path: Path) -> None:
    for stem, count in (("silu", 5), ("rmsnorm", 4)):
        part = run_job(Copy(tmp_path / stem, stem).root, stem, "formal")
        assert (part.findings, part.scripts, part.not_run) == ([], count, 0)


@needs_both
def test_a_proof_that_gappa_does_not_write_is_found(tmp_path: Path) -> None:
    silu_copy = Copy(tmp_path, "silu")
    name = "numerics.cvt-relative.v"
    silu_copy.edit_text(name, lambda text: text.replace("End Generated", "Axiom wish : False.\nEnd Generated"))
    assert f"{name}: is not what Gappa writes of the script" in silu_copy.messages("formal")


@needs_both
def test_a_claim_that_gappa_cannot_prove_is_found(tmp_path: Path) -> None:
    silu_copy = Copy(tmp_path, "silu")
    silu_copy.edit_text("numerics.cvt-relative.g", replace("y -/ x in [-1b-11,1b-11]", "y -/ x in [-1b-12,1b-12]"))
    assert "numerics.cvt-relative.g: Gappa does not prove it" in silu_copy.messages("formal")


# --- library ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setenv("PATH", "/nowhere")
    return Shelf(tmp_path, few=False)


def test_the_library_is_clean_without_any_program(shelf: Shelf) -> None:
    part = run_job(shelf.root, "library", "formal")
    assert part == Part(not_run=len(library()), needs="needs gappa, coqc")


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("q4-k-exact", "sc in [0,63]", "sc in [0,31]", "it assumes sc in [0.0, 31.0]; the contract gives"),
        ("q4-0-exact", "|d| in [0,65504]", "|d| in [1,65504]", "it assumes abs(d) in [1.0"),
        ("q8-0-exact", "y = rn32((d * q));", "y = (d * q);", "its definitions are not the operations"),
        ("attention-division", "L in [1b-1,", "L in [1,", "it assumes L in [1.0"),
        ("rope-tables", "|c_| in [0,1]", "|c_| in [0,1b-1]", "it assumes abs(c_) in"),
        ("swiglu-product", "|s| in [1b-80,", "|s| in [1b-60,", "it assumes abs(s) in"),
    ],
)
def test_scripts_of_the_library_that_say_less_are_found(
    shelf: Shelf, name: str, old: str, new: str, words: str
) -> None:
    for file in (f"numerics.{name}.g", f"numerics.{name}.control.g"):
        shelf.edit(file, replace(old, new))
    shelf.mend()
    (finding, *_) = run_job(shelf.root, "library", "formal").findings
    assert f"numerics.{name}.g: {words}" in str(finding)


def test_library_goals_cannot_be_dropped_or_widened(shelf: Shelf) -> None:
    shelf.edit("numerics.q4-k-exact.g", replace(" /\\ (c - (dmin * m)) in [0,0]", ""))
    shelf.edit("numerics.rope-tables.g", replace("[-5b-25,5b-25]", "[-11b-25,11b-25]"))
    shelf.edit_manifest(lambda m: without(m["scripts"], name="product-rounded"))
    messages = "\n".join(map(str, run_job(shelf.root, "library", "formal").findings))
    assert "numerics.q4-k-exact.g: it does not claim the bound" in messages
    assert "numerics.q4-k-exact.g: 3 goals are demanded, it has 2" in messages
    assert "numerics.rope-tables.g: it does not claim the bound" in messages
    assert "script product-rounded of the error bounds is missing" in messages


def test_values_that_cannot_be_computed_with_do_not_silence_the_library(shelf: Shelf) -> None:
    shelf.edit("numerics.q8-0-exact.g", replace("[-128,127]", "[-1,1]"))
    shelf.edit("numerics.swiglu-product.control.g", replace("Q = 2251799756971443b-51", "Q = 0"))
    messages = "\n".join(map(str, run_job(shelf.root, "library", "formal").findings))
    assert "numerics.swiglu-product.control.g: a division by zero" in messages
    assert "numerics.q8-0-exact.g: it assumes" in messages


@needs_both
def test_the_scripts_of_the_library_are_proved_again(tmp_path: Path) -> None:
    assert run_job(Shelf(tmp_path, few=False).root, "library", "formal") == Part(scripts=len(library()))


# --- missing programs -------------------------------------------------------------------------------------------------


def test_scripts_that_are_not_run_have_a_line_of_their_own_and_are_not_counted() -> None:
    report = AuditReport(("silu",), Part(not_run=5, needs="needs gappa, coqc", decided=3))
    assert report.lines == ["not run here: needs gappa, coqc (apt install gappa coq libcoq-gappa): 5 Gappa scripts"]
    assert "proved again" not in report.summary_line()
    assert "5 not run" in report.summary_line()
    assert report.exit_code == 0
    assert "5 Gappa scripts proved again in Coq" in AuditReport(("silu",), Part(scripts=5)).summary_line()


@pytest.mark.parametrize("required", [False, True])
def test_where_they_are_required_a_missing_program_leaves_the_audit_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, required: bool
) -> None:
    Copy(tmp_path, "silu")
    only_formal = {("silu", "formal"): Part(not_run=5, needs="needs coqc")}
    monkeypatch.setattr("verifier.audit.run_job", lambda root, stem, job: only_formal.get((stem, job), Part()))
    monkeypatch.setattr("verifier.audit.ProcessPoolExecutor", _Here)
    report = audit(tmp_path, require_formal=required)
    assert report.exit_code == (int(Grade.UNDECIDED) if required else 0)
    words = "5 Gappa scripts are not run, and they are required: needs coqc"
    found = [Finding("proofs/artifacts", words, Grade.UNDECIDED)] if required else []
    assert report.total.findings == found


def test_programs_and_axioms_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert absent(("gappa", "coqc")) == "needs gappa, coqc"
    assert assumed("Closed under the global context\n") == []
    assert assumed("Axioms:\nClassical_Prop.classic : forall P, P\n  \\/ ~ P\nS.wish\n  : False\n") == [
        "Classical_Prop.classic", "S.wish",
    ]
    assert assumed("Axioms:\nf is assumed to be guarded.\n") == ["f is assumed to be guarded."]
    assert not {"", "f is assumed to be guarded.", "nothing is printed"} & set(ALLOWED)
    assert assumed("") == ["nothing is printed"]


class _Here:
    """An executor that runs in this process."""

    def __init__(self, _: int) -> None:
        self.ran: list[Future[object]] = []

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def submit(self, call: Callable[..., object], *arguments: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_result(call(*arguments))
        return future


@pytest.mark.parametrize("body", ["", "#!/nowhere/interpreter\n", "#!/bin/sh\nkill -9 $$\n"])
def test_programs_that_cannot_run_leave_the_audit_undecided(
    tmp_path: Path, silu_copy: Copy, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    place = tmp_path / "bin"
    place.mkdir()
    for name in ("gappa", "coqc"):
        (place / name).write_text(body)
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(place))
    findings = silu_copy.findings("formal")
    assert findings
    assert {finding.grade for finding in findings} == {Grade.UNDECIDED}
    assert any("gappa" in str(finding) for finding in findings)


@pytest.mark.parametrize("body", ["#!/bin/sh\n", "#!/bin/sh\necho Closed under the global context\n"])
def test_programs_that_only_agree_prove_nothing(
    tmp_path: Path, silu_copy: Copy, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    place = tmp_path / "bin"
    place.mkdir()
    for name in ("gappa", "coqc"):
        (place / name).write_text(body)
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(place))
    part = run_job(silu_copy.root, "silu", "formal")
    assert (part.scripts, part.theorems) == (0, 0)
    assert any("coqc's answers are not understood" in str(finding) for finding in part.findings)
