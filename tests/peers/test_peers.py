"""Other checkers on the test kernels: their output is read rightly, launches fulfil the flags, and docs/peers.md is
what the data gives.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from fltc.kernels import Kernel, kernels
from spec.contracts.expr import holds
from spec.contracts.facts import first_breach, parse_fact
from spec.errors import BadInput, ToolMissing
from tests.peers import __main__ as command
from tests.peers import sanitizer, viz
from tests.peers.contents import content
from tests.peers.data import FLTC, PARTS, RESULTS, SANITIZER, STALE, VIZ, Results, asked, load, save, sha256
from tests.peers.fltc_checks import checked, judged
from tests.peers.host import parameter_bytes
from tests.peers.launch import ORDINARY, SHOWN, Argument, Launch, launch_from
from tests.peers.launches import Asked, launches
from tests.peers.table import counts, of_fltc, of_sanitizer, of_viz, page, sound, table
from tests.peers.verdicts import CLEAN, CRASH, FAILED, FOUND, HANG, NOT_RUN, SKIPPED, Said

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = Path(__file__).parent / "samples"
ALL = kernels(ROOT)
BY_NAME = {kernel.name: kernel for kernel in ALL}


def name_of(kernel: Kernel) -> str:
    return kernel.name


# --- what tools print ---


@pytest.mark.parametrize(
    ("sample", "verdict", "kinds"),
    [
        ("memcheck-read", FOUND, ("Invalid __global__ read",)),
        ("memcheck-atomic", FOUND, ("Invalid __global__ atomic",)),
        ("memcheck-illegal_instruction", FOUND, ("Illegal instruction",)),
        ("memcheck-clean", CLEAN, ()),
        ("racecheck-error", FOUND, ("Error: Race reported",)),
        ("racecheck-warning", FOUND, ("Warning: Race reported",)),
        ("racecheck-deadlock", FOUND, ("Deadlock detected", "Warning: Detected possible deadlock")),
        ("racecheck-launch_fails", CRASH, ("CUDA_ERROR_ILLEGAL_ADDRESS",)),
        ("racecheck-clean", CLEAN, ()),
        ("initcheck-shared", FOUND, ("Uninitialized __shared__ memory read",)),
        ("initcheck-copied_back", FOUND, ("Host API memory access error",)),
    ],
)
def test_a_recorded_run_of_compute_sanitizer_is_read(sample: str, verdict: str, kinds: tuple[str, ...]) -> None:
    log, _, own = (SAMPLES / f"{sample}.txt").read_text("utf-8").rpartition("\n\n")
    assert sanitizer.judged(log, own, True, 1.5) == Said(verdict, kinds, 1.5)


def test_a_run_that_was_ended_says_so_unless_something_was_reported_before() -> None:
    log, _, own = (SAMPLES / "synccheck-no_end.txt").read_text("utf-8").rpartition("\n\n")
    assert sanitizer.judged(log, own, False, 20).verdict == HANG
    race, _, own = (SAMPLES / "racecheck-error.txt").read_text("utf-8").rpartition("\n\n")
    assert sanitizer.judged(race, "", False, 20).verdict == FOUND


def test_a_process_that_never_launched_anything_is_no_answer() -> None:
    log = "========= COMPUTE-SANITIZER\n========= Target application terminated before first instrumented API call\n"
    said = sanitizer.judged(log, "python: cannot open the module\n", True, 1)
    assert said == Said(FAILED, ("python: cannot open the module",), 1)


def test_every_sample_is_used() -> None:
    text = Path(__file__).read_text("utf-8")
    assert [path.stem for path in SAMPLES.iterdir() if f'"{path.stem}' not in text] == []


def test_an_answer_of_triton_viz_is_read() -> None:
    printed = "report: load out of bounds at 39\nreport: load out of bounds at 39\nlaunch ended\n"
    assert viz.judged(printed, "", 2) == Said(FOUND, ("load out of bounds at 39",), 2)
    assert viz.judged("launch ended\n", "", 2) == Said(CLEAN, (), 2)
    assert viz.judged("", "Traceback\nValueError: no\n", 2) == Said(FAILED, ("ValueError: no",), 2)


def test_a_verdict_of_fltc_counts_only_at_the_line_of_the_fault() -> None:
    kernel = BY_NAME["reduce_shuffle-divergent"]
    row = {"obligation": "barrier", "verdict": "refuted", "counterexample":
           {"reproduced": True, "text": {}, "source": {"1": f"{kernel.source.name}:1"}}}  # fmt: skip
    assert judged(kernel, {"verdict": "refuted", "rows": [row]}) == {
        "verdict": "refuted", "found": "barrier", "line": False,
    }  # fmt: skip


# --- tools that are missing ---


def test_a_missing_tool_is_named_with_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sanitizer, "PLACES", (str(tmp_path / "compute-sanitizer"),))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="not run here: needs compute-sanitizer"):
        sanitizer.find()
    with pytest.raises(ToolMissing, match="not run here: needs triton-viz"):
        viz.environment(tmp_path / "nothing", make=False)
    out = tmp_path / "results.json"
    assert command.main(["--tool", SANITIZER, "--out", str(out)]) == 3
    assert "compute-sanitizer: not run here: needs" in capsys.readouterr().err
    assert not out.exists()
    monkeypatch.setattr(command, "TOOLS", (SANITIZER,))
    assert command.main(["--out", str(out)]) == 0


def test_an_environment_that_could_not_be_made_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(viz, "STEPS", (("--no-index", "a-package-that-is-nowhere"),))
    with pytest.raises(ToolMissing, match="not run here: pip install --no-index a-package-that-is-nowhere: "):
        viz.environment(tmp_path / "env", make=True)
    assert not (tmp_path / "env").exists()
    (tmp_path / "env").mkdir()
    (tmp_path / "env/installed").write_text(f"{viz.STEPS}\n")
    assert viz.environment(tmp_path / "env", make=False) == tmp_path / "env/bin/python"


# --- launches ---


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_the_ordinary_launch_fulfils_the_flags(kernel: Kernel) -> None:
    (launch,) = launches(kernel, None)
    sizes = {a.name: int(a.value) for a in launch.arguments if a.kind == "number"}
    for what, extent in (("grid", launch.grid), ("block", launch.block)):
        sizes |= {f"{what}.{axis}": size for axis, size in zip("xyz", extent, strict=True)}
    sizes["dynamic_shared"] = launch.dynamic_shared
    assert all(holds(comparison, sizes) for comparison in Asked(kernel).assumed)
    assert 0 < launch.total_bytes < 2**30
    for flag, value in zip(kernel.flags[::2], kernel.flags[1::2], strict=True):
        if flag == "--block" and value.replace(",", "").isdigit():
            given = [int(size) for size in value.split(",")]
            assert [*launch.block[: len(given)]] == given
    assert launch_from(json.loads(json.dumps(launch.to_json()))) == launch


@pytest.mark.parametrize("kernel", [k for k in ALL if "--fact" in k.flags], ids=name_of)
def test_the_memory_of_an_ordinary_launch_keeps_the_facts(kernel: Kernel) -> None:
    (launch,) = launches(kernel, None)
    sizes = {a.name: int(a.value) for a in launch.arguments if a.kind == "number"}
    sizes |= {f"grid.{axis}": size for axis, size in zip("xyz", launch.grid, strict=True)}
    buffers = {a.name: (seed, a) for seed, a in enumerate(launch.arguments) if a.kind == "buffer"}
    for text in Asked(kernel).facts:
        fact = parse_fact(text, sizes.keys())
        seed, buffer = buffers[fact.buffer]
        kind = f"<{'i' if buffer.element[0] == 's' else 'u'}{int(buffer.element[1:]) // 8}"
        assert first_breach(fact, content(buffer, seed).view(kind).reshape(buffer.extents), sizes) is None


def test_sizes_are_more_than_a_tile_and_strides_leave_no_gaps() -> None:
    (launch,) = launches(BY_NAME["matmul_static"], None)
    values = {a.name: a.value for a in launch.arguments if a.kind == "number"}
    assert values["M"] > 16
    assert values["M"] % 16
    assert (values["lda"], values["ldb"], values["ldc"]) == (values["K"], values["N"], values["N"])
    (a,) = [argument for argument in launch.arguments if argument.name == "A"]
    assert a.bytes == 4 * values["M"] * values["K"]


def test_flags_that_no_size_fulfils_are_bad_input() -> None:
    kernel = dataclasses.replace(BY_NAME["vadd32"], flags=(*BY_NAME["vadd32"].flags, "--assume", "n * n == 7"))
    with pytest.raises(BadInput, match="found no sizes"):
        launches(kernel, None)


def test_the_launch_that_showed_a_fault_is_taken_with_all_that_its_memory_held() -> None:
    kernel = BY_NAME["paged-unchecked"]
    report, trouble = checked(ROOT, kernel)
    assert report is not None, trouble
    ordinary, shown = launches(kernel, report)
    assert (ordinary.which, shown.which) == (ORDINARY, SHOWN)
    sizes = {a.name: a.value for a in shown.arguments if a.kind == "number"}
    (entry,) = [a for a in shown.arguments if a.name == "table"]
    assert content(entry, 0).view("<u4").max() >= sizes["pages"]
    assert launch_from(json.loads(json.dumps(shown.to_json()))) == shown


def test_memory_is_as_given_or_drawn_within_its_range() -> None:
    exact = Argument("x", "buffer", 64, bytes=8, element="u32", exact=True, filled=True,
                     pieces=((5, base64.b64encode(zlib.compress(b"\x01\x02")).decode()),))  # fmt: skip
    assert content(exact, 0).tolist() == [0, 0, 0, 0, 0, 1, 2, 0]
    drawn = Argument("x", "buffer", 64, bytes=400, element="s32", low=-3, high=5, rising=True)
    values = content(drawn, 1).view("<i4")
    assert values.min() == -3
    assert values.max() == 4
    assert (np.diff(values) >= 0).all()
    halves = content(Argument("x", "buffer", 64, bytes=400, element="f16"), 1).view("<f2")
    assert ((halves >= 0) & (halves <= 1)).all()
    assert len(set(halves.tolist())) > 50


def test_parameters_lie_at_multiples_of_their_size() -> None:
    arguments = (Argument("n", "number", 32, -2), Argument("x", "buffer", 64), Argument("f", "float", 32, 0.5),
                 Argument("s", "null", 64))  # fmt: skip
    data = parameter_bytes(Launch("k", ORDINARY, "k", (1, 1, 1), (1, 1, 1), 0, arguments), {"x": 0x1122})
    assert data.hex() == "feffffff00000000" + "2211000000000000" + "0000003f00000000" + "0" * 16


# --- data and table ---


@pytest.fixture
def results() -> Results:
    """Answers on one faulty and one sound kernel: a report on the shown launch alone, and one on the sound kernel."""
    found = Results()
    for name in ("triton_softmax", "triton_softmax-off_by_one"):
        kernel = BY_NAME[name]
        (ordinary,) = launches(kernel, None)
        found.put_launches(name, [ordinary, dataclasses.replace(ordinary, which=SHOWN)])
        verdict = "refuted" if kernel.refuted else "proved"
        found.kernels[name][FLTC] = {"of": sha256(kernel.path), "flags": asked(kernel), "verdict": verdict,
                                     "found": kernel.refuted, "line": bool(kernel.refuted)}  # fmt: skip
        for which, launch in found.launches(name).items():
            for part in PARTS:
                hit = part == "memcheck" and which == SHOWN
                found.put(part, launch, sha256(kernel.path), Said(FOUND, ("Invalid",)) if hit else Said(CLEAN))
            found.put(VIZ, launch, sha256(kernel.source), Said(CLEAN) if kernel.refuted else Said(FOUND, ("load",)))
    return found


def test_a_row_says_what_each_tool_said_at_each_launch(results: Results) -> None:
    kernel = BY_NAME["triton_softmax-off_by_one"]
    assert of_fltc(kernel, results) == "refuted: bounds"
    assert of_sanitizer(kernel, results, SHOWN) == "memcheck: `Invalid`"
    assert of_sanitizer(kernel, results, ORDINARY) == "clean"
    assert of_viz(kernel, results, SHOWN) == "clean"
    assert of_viz(BY_NAME["vadd32"], results, SHOWN) == "not applicable: no Triton source"
    assert of_sanitizer(BY_NAME["vadd32-off_by_one"], results, SHOWN) == NOT_RUN


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Said(CRASH, ("CUDA_ERROR_X",)), "the launch ends with CUDA_ERROR_X"),
        (Said(HANG, ("no end within 20 s",)), "racecheck: hang: no end within 20 s"),
        (Said(FAILED, ("no module",)), "racecheck: failed: no module"),
        (Said(SKIPPED, ("too large",)), "memcheck alone: clean"),
    ],
)
def test_what_is_neither_clean_nor_a_report_is_told(results: Results, said: Said, words: str) -> None:
    kernel = BY_NAME["triton_softmax-off_by_one"]
    results.put("racecheck", results.launches(kernel.name)[ORDINARY], sha256(kernel.path), said)
    assert of_sanitizer(kernel, results, ORDINARY) == words


def test_an_answer_for_another_file_other_flags_or_another_launch_is_stale(results: Results) -> None:
    kernel = BY_NAME["triton_softmax-off_by_one"]
    assert of_fltc(dataclasses.replace(kernel, flags=kernel.flags[2:]), results) == STALE
    results.kernels[kernel.name]["memcheck"][ORDINARY]["of"] = sha256(BY_NAME["vadd32"].path)
    assert results.said("memcheck", kernel, ORDINARY).verdict == STALE
    assert results.said("memcheck", kernel, SHOWN).verdict == FOUND
    shown = results.launches(kernel.name)[SHOWN]
    results.put_launches(kernel.name, [dataclasses.replace(shown, grid=(9, 1, 1))])
    assert results.said("memcheck", kernel, SHOWN).verdict == STALE
    assert of_sanitizer(kernel, results, SHOWN) == STALE


def test_counts_are_those_of_the_answers(results: Results) -> None:
    here = [BY_NAME["triton_softmax"], BY_NAME["triton_softmax-off_by_one"], BY_NAME["vadd32-off_by_one"]]
    assert counts(here, results)[2] == (
        "| bounds | 2 | 1/1 | 1/1, 0/1 | 0/1, 0/1 | 0/1, 0/1 | 0/1, 0/1 | 1/1, 0/1 | 0/1, 0/1 | 0/1, 0/1 |"
    )
    assert sound(here, results)[2:] == [
        "| `fltc check` | 1 of 1 | 1 proved | 0 | 0 |",
        *(f"| {part} | 1 of 1 | 1 clean | 0 | 0 |" for part in PARTS),
        "| triton-viz | 1 of 1 | 0 clean | 1 | 0 |",
    ]  # fmt: skip


def test_results_are_read_as_they_were_written(results: Results, tmp_path: Path) -> None:
    save(tmp_path / "r.json", results)
    assert load(tmp_path / "r.json") == json_of(results)
    (tmp_path / "r.json").write_text('{"schema": "other"}')
    with pytest.raises(BadInput, match="expected results of fltc-peers/1"):
        load(tmp_path / "r.json")


def json_of(results: Results) -> Results:
    return Results(json.loads(json.dumps(results.tools)), json.loads(json.dumps(results.kernels)))


def test_the_page_is_what_the_data_gives_and_holds_every_kernel() -> None:
    text = (ROOT / "docs/peers.md").read_text("utf-8")
    made = page(ROOT, load(ROOT / RESULTS))
    assert text == made, "docs/peers.md is not what tests/peers/results.json gives: run python -m tests.peers --table"
    listed = {line.split(" | ")[0] for line in table(ALL, load(ROOT / RESULTS))}
    assert {f"| {kernel.name}" for kernel in ALL} <= listed
    assert "<!--" not in text


def test_results_are_of_kernels_that_exist() -> None:
    assert load(ROOT / RESULTS).kernels.keys() <= BY_NAME.keys()


def test_nothing_heavy_is_imported_where_kernels_are_run() -> None:
    modules = "tests.peers.host, tests.peers.__main__"
    code = f"import sys, {modules}; print([m for m in ('z3', 'rich', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
