"""The command line: exit codes, one clear message for each failure, and what is handed to the modules behind it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from common.histogram import Histogram
from fltc.cli import main
from fltc.commands import diff as diff_command
from proofs.check.request import CheckRequest
from proofs.results import Report, Row
from proofs.verdict import Verdict
from spec.errors import BadInput, ContractViolation, DriverError, PtxSyntaxError, Unsupported

ROOT = Path(__file__).resolve().parent.parent

PROVED = Row("rmsnorm", "race", Verdict.PROVED)
DERIVED = Row("rmsnorm", "numerics", Verdict.DERIVED, "taken from the store", detail="assembly over columns")
UNKNOWN = Row("silu", "bounds", Verdict.UNKNOWN, detail="line 12: brx.idx is outside the model")
REFUTED = Row(
    "silu",
    "race",
    Verdict.REFUTED,
    detail="line 40 st.shared against line 44 ld.shared\nno barrier between them",
    counterexample={"threads": [{"tid": [0, 0, 0]}, {"tid": [1, 0, 0]}], "params": {"n": 3}, "replay": "raced"},
)

Stand = Callable[..., None]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty checkout that is the current folder."""
    (tmp_path / "backend/ptx").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Put a stand-in with these functions in the place of a module."""

    def put(module: str, **functions: object) -> None:
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(**functions))

    return put


def returns(report: object) -> Callable[..., Any]:
    return lambda *_, **__: report


def raises(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def last_line(text: str) -> str:
    return text.rstrip("\n").splitlines()[-1]


# --- usage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing command"),
        (["prove"], "No such command 'prove'"),
        (["verify", "--nope"], "No such option"),
        (["verify", "--jobs", "many"], "--jobs"),
        (["verify", "--jobs", "-1"], "--jobs"),
        (["verify", "extra"], "extra"),
        (["check"], "FILE"),
        (["diff", "--device", "tpu"], "tpu"),
        (["verify", "--executor", "slurm"], "--executor slurm"),
        (["bench", "--device", "emulator"], "CUDA device only"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors_exit_3_with_a_message(
    checkout: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    assert main(args) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fltc: ")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("args", [["--help"], ["verify", "--help"], ["check", "--help"], ["diff", "--help"]])
def test_help_exits_0(capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert main(args) == 0
    assert "Usage: fltc" in capsys.readouterr().out


def test_help_shows_the_brackets_of_a_buffer(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--help"])
    assert "P=f32[n]:r" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["verify", "audit", "diff", "report", "bench"])
def test_outside_a_checkout_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command]) == 3
    assert "not inside an fltc checkout" in capsys.readouterr().err


@pytest.mark.parametrize("args", [["--root", "nowhere", "audit"], ["audit", "--root", "nowhere"]])
def test_a_root_that_is_no_checkout_is_bad_input(capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert main(args) == 3
    assert "--root nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["before", "after", "inside"])
def test_the_root_is_found_or_given(
    checkout: Path, stand: Stand, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    seen: list[Path] = []

    def audit(root: Path, on_progress: object, require_formal: bool) -> object:
        seen.append(root)
        return SimpleNamespace(exit_code=0, lines=[], summary_line=lambda: "audit clean")

    stand("verifier.audit", audit=audit)
    given = str(checkout)
    if where == "inside":
        (checkout / "docs/deep").mkdir(parents=True)
        monkeypatch.chdir(checkout / "docs/deep")
    else:
        monkeypatch.chdir("/")
    args = {"before": ["--root", given, "audit"], "after": ["audit", "--root", given], "inside": ["audit"]}[where]
    assert main(args) == 0
    assert seen == [checkout]


# --- failures --------------------------------------------------------------------------------------------------------

SYNTAX = PtxSyntaxError("expected `;`", file="k.ptx", line=3, column=2, text="mov x")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BadInput("no kernel `nope`; have rmsnorm, silu"), 3, "no kernel `nope`"),
        (SYNTAX, 3, "k.ptx:3:2: expected `;`"),
        (ContractViolation("columns is 0, at least 1"), 3, "columns is 0"),
        (Unsupported("brx.idx", line=9), 3, "line 9: brx.idx"),
        (DriverError("cuInit: CUDA_ERROR_NO_DEVICE"), 1, "--device emulator"),
        (RuntimeError("broken"), 4, "internal error: RuntimeError: broken"),
        (AssertionError(), 4, "internal error: AssertionError"),
        (ModuleNotFoundError("No module named 'z3'", name="z3"), 4, "'z3' is not installed here"),
        (ModuleNotFoundError("No module named 'proofs.x'", name="proofs.x"), 4, "internal error"),
        (MemoryError(), 4, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_each_failure_has_its_code_and_one_message(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str], error: BaseException, code: int, message: str
) -> None:
    stand("proofs.verify", verify=raises(error))
    assert main(["verify", "--json", "report.json"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert err.count("fltc: ") == (2 if code == 4 else 1)
    assert [path.name for path in checkout.iterdir()] == ["backend"], "nothing is written by a run that failed"


def test_an_internal_error_names_the_way_to_its_traceback(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    stand("proofs.verify", verify=raises(RuntimeError("broken")))
    assert main(["verify"]) == 4
    assert "fltc --debug" in capsys.readouterr().err
    assert main(["--debug", "verify"]) == 4
    assert "Traceback" in capsys.readouterr().err


# --- verify ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "code"),
    [([PROVED, DERIVED], 0), ([PROVED, UNKNOWN], 2), ([UNKNOWN, REFUTED], 1), ([], 2)],
    ids=["proved", "unknown", "refuted", "nothing"],
)
def test_verify_exits_with_the_verdict_and_ends_with_the_summary(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str], rows: list[Row], code: int
) -> None:
    report = Report(rows)
    stand("proofs.verify", verify=returns(report))
    assert main(["verify"]) == code
    assert last_line(capsys.readouterr().out) == report.summary_line()


def test_verify_prints_matrix_details_assumptions_and_sources(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    stand("proofs.verify", verify=returns(Report([PROVED, DERIVED, UNKNOWN, REFUTED], ["n >= 1", "out[f16] is apart"])))
    assert main(["verify"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["obligation", "rmsnorm", "silu"] in lines
    assert ["race", "proved", "REFUTED"] in lines
    assert ["bounds", "-", "unknown"] in lines
    assert ["numerics", "derived", "-"] in lines
    text = [" ".join(line) for line in lines]
    assert "REFUTED silu race: line 40 st.shared against line 44 ld.shared" in text
    assert "threads: tid=(0, 0, 0)" in text
    assert "params: n=3" in text
    assert "replay: raced" in text
    assert "unknown silu bounds: line 12: brx.idx is outside the model" in text
    assert "out[f16] is apart" in text, "square brackets are text, not markup"
    assert "decided now 3, taken from the store 1" in text


def test_verify_hands_its_options_on(checkout: Path, stand: Stand) -> None:
    seen: dict[str, object] = {}

    def verify(**options: object) -> Report:
        seen.update(options)
        return Report([PROVED])

    stand("proofs.verify", verify=verify)
    executor = "dask://127.0.0.1:8786"
    args = ["verify", "--kernel", "silu", "--kernel", "rmsnorm", "--jobs", "3", "--fresh", "--executor", executor]
    assert main(args) == 0
    del seen["on_progress"]
    expected = {"root": checkout, "kernels": ["silu", "rmsnorm"], "jobs": 3, "fresh": True, "executor": executor}
    assert seen == expected


def test_verify_writes_the_json_report(checkout: Path, stand: Stand) -> None:
    report = Report([PROVED, REFUTED], ["n >= 1"])
    stand("proofs.verify", verify=returns(report))
    assert main(["verify", "--json", "report.json"]) == 1
    assert json.loads((checkout / "report.json").read_text()) == report.to_json()


def test_verify_refuses_a_folder_that_does_not_exist_before_it_works(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    stand("proofs.verify", verify=raises(AssertionError("it worked")))
    assert main(["verify", "--json", "out/report.json"]) == 3
    assert f"there is no folder {checkout / 'out'}; make it first" in capsys.readouterr().err
    assert not (checkout / "out").exists()


def test_a_json_file_that_cannot_be_written_is_bad_input(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    stand("proofs.verify", verify=returns(Report([PROVED])))
    assert main(["verify", "--json", str(checkout / "backend")]) == 3
    assert "cannot write" in capsys.readouterr().err


# --- check -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(stand: Stand) -> list[CheckRequest]:
    """The requests that reached the prover."""
    seen: list[CheckRequest] = []

    def check(request: CheckRequest, **how: object) -> Report:
        seen.append(request)
        return Report([PROVED])

    stand("proofs.check.report", check=check)
    return seen


@pytest.fixture
def ptx(tmp_path: Path) -> Path:
    path = tmp_path / "k.ptx"
    path.write_text(".version 7.0\n")
    return path


def test_check_hands_every_flag_on(ptx: Path, asked: list[CheckRequest]) -> None:
    args = ["check", str(ptx), "--entry", "k", "--block", "256,1", "--grid", "ceil_div(n, 256)", "--allow-exited"]
    args += ["--assume", "n >= 1", "--assume", "n <= 2^20", "--buffer", "x=f32[n]:r", "--names", "x, y,n"]
    args += ["--may-alias", "x,y"]
    assert main(args) == 0
    assert asked == [
        CheckRequest(
            path=str(ptx),
            text=".version 7.0\n",
            entry="k",
            block=(256, 1, None),
            grid=("ceil_div(n, 256)", None, None),
            assumes=("n >= 1", "n <= 2^20"),
            buffers=("x=f32[n]:r",),
            names=("x", "y", "n"),
            may_alias=(("x", "y"),),
            allow_exited=True,
        )
    ]


def test_check_needs_no_flags_and_no_checkout(
    ptx: Path, asked: list[CheckRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert main(["check", str(ptx)]) == 0
    assert asked == [CheckRequest(path=str(ptx), text=".version 7.0\n")]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--block", "0"], "x is 0, the hardware takes 1 to 1024"),
        (["--block", "1025"], "x is 1025"),
        (["--block", "1,1,65"], "z is 65"),
        (["--block", "1,1,1,1"], "4 sizes given"),
        (["--block", "32,,1"], "empty"),
        (["--grid", "1,65536"], "y is 65536, the hardware takes 1 to 65535"),
        (["--may-alias", "x"], "two different parameter names"),
        (["--may-alias", "x,x"], "two different parameter names"),
        (["--names", "a,,b"], "empty"),
        (["--names", "a", "--names", "b"], "--names is given 2 times: a, b; give it once"),
        (["--block", "32", "--block", "64"], "--block is given 2 times: 32, 64"),
        (["--grid", "1", "--grid", "1"], "--grid is given 2 times"),
        (["--entry", "k", "--entry", "k"], "--entry is given 2 times"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_check_refuses_flags_that_mean_nothing(
    ptx: Path, asked: list[CheckRequest], capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    assert main(["check", str(ptx), *flags]) == 3
    assert message in capsys.readouterr().err
    assert asked == []


@pytest.mark.parametrize(
    ("place", "message"),
    [(".", "it is a folder"), ("k.ptx/r.json", "is no folder"), ("no/such/r.json", "no/such; make it first")],
)
@pytest.mark.parametrize("flag", ["--json", "--sarif"])
def test_check_refuses_a_place_for_its_report_before_it_works(
    ptx: Path, asked: list[CheckRequest], capsys: pytest.CaptureFixture[str], flag: str, place: str, message: str
) -> None:
    assert main(["check", str(ptx), flag, str(ptx.parent / place)]) == 3
    assert message in capsys.readouterr().err
    assert asked == []
    assert list(ptx.parent.iterdir()) == [ptx]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read"),
        (b"__global__ void k() {}", "is CUDA source, not PTX"),
        (b".version 7.0\n\xff\xfe", "k.ptx:2: byte 0xff is not text"),
        (b"", "k.ptx is empty; expected PTX"),
        (b" \n\n", "k.ptx is empty; expected PTX"),
        (b"\x50\xed\x55\xba\x01\x00", "k.ptx is a fatbin, not PTX; take the PTX out of it"),
        (b"\x7fELF" + bytes(14) + b"\xbe\x00", "k.ptx is a cubin, machine code without PTX"),
        (b"\x7fELF" + bytes(14) + b"\x3e\x00", "k.ptx is an ELF file (a program, library or object), not PTX"),
    ],
    ids=["missing", "source", "binary", "empty", "blank", "fatbin", "cubin", "object"],
)
def test_check_refuses_files_it_cannot_read(
    ptx: Path, asked: list[CheckRequest], capsys: pytest.CaptureFixture[str], content: bytes | None, message: str
) -> None:
    ptx.unlink() if content is None else ptx.write_bytes(content)
    assert main(["check", str(ptx)]) == 3
    assert message in capsys.readouterr().err
    assert asked == []


def test_check_exits_with_the_verdict(
    ptx: Path, stand: Stand, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report([REFUTED], ["buffers are disjoint"])
    stand("proofs.check.report", check=returns(report))
    assert main(["check", str(ptx), "--json", str(tmp_path / "r.json")]) == 1
    assert "buffers are disjoint" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["verdict"] == "refuted"


def test_a_closed_stdout_changes_no_exit_code(
    ptx: Path, stand: Stand, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand("proofs.check.report", check=returns(Report([REFUTED])))
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["check", str(ptx)]) == 1
    assert capsys.readouterr().err == ""


# --- audit, diff, bench ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_audit_prints_findings_and_exits_with_its_code(
    checkout: Path, stand: Stand, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    line = "backend/ptx/silu.ptx: sha256 differs from the manifest [1]"
    report = SimpleNamespace(exit_code=code, lines=[line], summary_line=lambda: "audit: 1 finding")
    stand("verifier.audit", audit=returns(report))
    assert main(["audit"]) == code
    assert capsys.readouterr().out.splitlines() == [line, "audit: 1 finding"]


def diff_rows(*rows: tuple[str, int, float, list[str]]) -> object:
    return SimpleNamespace(
        rows=[
            SimpleNamespace(
                op=op, cases=cases, worst_ratio=ratio, failures=failures, histogram=Histogram(zero=cases, vacuous=2)
            )
            for op, cases, ratio, failures in rows
        ]
    )


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        ([("silu", 40, 0.51, [])], 0, "7: 1 operators, 40 cases, 0 failed, worst error/bound 0.510, 2 vacuous"),
        ([("silu", 40, 1.5, ["n=3: element 2"])], 1, "1 failed, worst error/bound 1.500"),
        ([("silu", 0, 0.0, [])], 1, "0 cases"),
        ([], 1, "0 operators"),
    ],
    ids=["inside", "outside", "no-case", "no-operator"],
)
def test_diff_passes_only_what_ran_and_stayed_inside(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    rows: list[tuple[str, int, float, list[str]]],
    code: int,
    line: str,
) -> None:
    harness = SimpleNamespace(run_diff=returns(diff_rows(*rows)))
    monkeypatch.setattr(diff_command, "load_harness", lambda _: harness)
    assert main(["diff", "--device", "emulator", "--seed", "7"]) == code
    assert line in last_line(capsys.readouterr().out)


def test_diff_refuses_a_place_for_its_json_before_it_runs(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(diff_command, "load_harness", raises(AssertionError("ran")))
    for flag in ("--json", "--evidence"):
        assert main(["diff", flag, "nowhere/d.json"]) == 3
        assert "there is no folder" in capsys.readouterr().err


def test_diff_without_a_driver_says_that_it_takes_the_emulator(
    checkout: Path, stand: Stand, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand("backend.cuda.driver", Driver=raises(DriverError("no NVIDIA driver here")))
    seen: list[str] = []

    def run_diff(device: str, **_: object) -> object:
        seen.append(device)
        return diff_rows(("silu", 1, 0.0, []))

    monkeypatch.setattr(diff_command, "load_harness", lambda _: SimpleNamespace(run_diff=run_diff))
    assert main(["diff"]) == 0
    assert seen == ["emulator"]
    assert capsys.readouterr().out.startswith("device: emulator (no NVIDIA driver here)\n")
    stand("backend.cuda.driver", Driver=returns(object()))
    assert main(["diff"]) == 0
    assert seen == ["emulator", "cuda"]


def test_diff_refuses_the_harness_of_another_checkout(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--device", "emulator"]) == 3
    assert f"not of {checkout}" in capsys.readouterr().err


def test_bench_hands_its_options_on(checkout: Path, stand: Stand) -> None:
    seen: list[object] = []
    stand("backend.bench", run_bench=lambda device, out: seen.append((device, out)))
    assert main(["bench", "--out", "b.json"]) == 0
    assert seen == [("cuda", Path("b.json"))]
