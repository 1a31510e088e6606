"""`fltc check` from the command line: the examples of the documentation, flags that are refused, what is assumed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from fltc.cli import main
from proofs.check.declarations import declaration
from proofs.names import plain_name
from proofs.usage import usage
from spec.errors import BadInput
from spec.ptx.parser import parse

ROOT = Path(__file__).resolve().parents[2]
ALL_PROVED = "proved 7 \u00b7 derived 0 \u00b7 refuted 0 \u00b7 unknown 0 \u00b7 of 7 obligations"
HEAD = ".version 7.8\n.target sm_89\n.address_size 64\n"
# y[i] = x[i] below n, as a compiler writes it: parameters without names of their own, signed arithmetic, 64-bit index.
COPY = (
    HEAD
    + """
.visible .entry copy(.param .u64 copy_param_0, .param .u64 copy_param_1, .param .u32 copy_param_2)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [copy_param_0];
    ld.param.u64 %rd2, [copy_param_1];
    ld.param.u32 %r1, [copy_param_2];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd3, %rd1;
    mul.wide.s32 %rd4, %r5, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.u32 %r4, [%rd5];
    cvta.to.global.u64 %rd6, %rd2;
    add.s64 %rd7, %rd6, %rd4;
    st.global.u32 [%rd7], %r4;
DONE:
    ret;
}
"""
)
SCALE = (
    HEAD
    + """
.visible .entry scale(.param .u64 scale_param_0, .param .u32 scale_param_1)
{
    .reg .pred %p<2>;
    .reg .f32 %f<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [scale_param_0];
    ld.param.u32 %r1, [scale_param_1];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra $L__BB0_2;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd4], %f2;
$L__BB0_2:
    ret;
}
"""
)
SAFE = ["--assume", "p2 >= 1 && p2 <= 2^30", "--block", "256", "--grid", "ceil_div(p2, 256)"]
BUFFERS = ["--buffer", "p0=u32[p2]:r", "--buffer", "p1=u32[p2]:w"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    path = tmp_path / "copy.ptx"
    path.write_text(COPY)
    return path


def documented() -> list[list[str]]:
    """The commands that docs/check.md shows."""
    text = (ROOT / "docs/check.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    commands = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(c)[1:] for c in commands if c.startswith("fltc check")]


@pytest.mark.parametrize("args", documented(), ids=lambda args: Path(args[1]).stem)
def test_the_documented_commands_prove_the_shipped_kernels(
    args: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(args) == 0
    assert capsys.readouterr().out.splitlines()[-1] == ALL_PROVED


def test_the_command_in_the_readme_proves_such_a_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """x[i] += x[i] below n, as nvcc writes it."""
    readme = (ROOT / "README.md").read_text()
    (command,) = re.findall(r"^\.venv/bin/(fltc check kernel\.ptx (?:.*\\\n)*.*)$", readme, re.M)
    args = shlex.split(command.replace("\\\n", " "))[1:]
    path = tmp_path / "kernel.ptx"
    path.write_text(SCALE)
    assert args[1] == "kernel.ptx"
    assert main([args[0], str(path), *args[2:]]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == ALL_PROVED


def test_both_kernels_are_documented() -> None:
    assert {Path(args[1]).stem for args in documented()} == {"silu", "rmsnorm"}
    assert not any("==" in part for args in documented() for part in args), "sizes are to stay symbolic"


def test_a_missing_barrier_is_a_race_between_two_named_accesses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "backend/ptx/rmsnorm.ptx").read_text()
    lines = text.splitlines()
    (at,) = [i for i, line in enumerate(lines) if "bar.sync" in line]
    lines[at] = ""
    path = tmp_path / "rmsnorm.ptx"
    path.write_text("\n".join(lines) + "\n")
    (args,) = [a for a in documented() if "rmsnorm" in a[1]]
    report = tmp_path / "report.json"
    assert main(["check", str(path), *args[2:], "--json", str(report)]) == 1
    row = next(r for r in json.loads(report.read_text())["rows"] if r["obligation"] == "race")
    assert row["verdict"] == "refuted"
    found = row["counterexample"]["lines"]
    assert "st.shared" in lines[found[0] - 1]
    assert "ld.shared" in lines[found[1] - 1]
    assert all(lines[n - 1].strip() in row["detail"] for n in found)
    assert row["counterexample"]["reproduced"] is True


def test_a_compilers_copy_is_proved(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(copy), *SAFE, *BUFFERS]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == ALL_PROVED
    for said in (
        "p2 is a number of 32 bits, signed",
        "each = 1: it is not given and the entry does not read it",
        "different buffers do not overlap: p0, p1",
        "grid.x == ceil_div(p2, 256)",
        "p0 % 4 == 0",
        "modulo 32",
    ):
        assert said in out


def test_names_may_be_those_of_the_ptx_positions_or_given(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["--assume", "n >= 1 && n <= 2^30", "--block", "256", "--grid", "ceil_div(n, 256)"]
    args += ["--buffer", "in=u32[n]:r", "--buffer", "out=u32[n]:w", "--names", "in,out,n"]
    assert main(["check", str(copy), *args]) == 0
    assert "different buffers do not overlap: in, out" in capsys.readouterr().out
    buffers = ["--buffer", "copy_param_0=u32[copy_param_2]:r", "--buffer", "copy_param_1=u32[p2]:w"]
    assert main(["check", str(copy), *SAFE, *buffers]) == 0


def rows(path: Path, *args: str) -> dict[str, str]:
    report = path.parent / "report.json"
    main(["check", str(path), *args, "--json", str(report)])
    return {r["obligation"]: r["verdict"] for r in json.loads(report.read_text())["rows"]}


def test_what_is_not_declared_has_unknown_bounds(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(copy, *SAFE)
    out = capsys.readouterr().out
    assert found.pop("bounds") == "unknown"
    assert set(found.values()) == {"proved"}, "the rest holds if the accesses stay where they belong"
    load = 1 + COPY.splitlines().index("    ld.global.u32 %r4, [%rd5];")
    assert f"PTX line {load}: ld.global.u32" in out
    assert "why: p0 is not declared, its extent and alignment are unknown" in out
    assert 'help: --buffer "p0=u8[p2]:r"' not in out, "the element is as wide as the access"
    assert "every access through p0 stays inside what p0 points to, which is less than 2^63 bytes: not declared" in out


@pytest.mark.parametrize(
    ("assume", "buffers", "said", "unsaid"),
    [
        ("p2 >= 1 && p2 * grid.x <= 2^50", "grid.x,p2", ["bound p2 from above"], ["tie the grid"]),
        ("p2 >= 1 && p2 <= 2^30", "p2", ["tie the grid"], ["bound p2"]),
        ("p2 >= 1 && p2 <= 2^30", "grid.x", [], ["tie the grid", "bound p2"]),
    ],
    ids=["a-product-bounds-no-factor", "bounded", "an-extent-ties-the-grid"],
)
def test_help_names_what_is_open(
    copy: Path, capsys: pytest.CaptureFixture[str], assume: str, buffers: str, said: list[str], unsaid: list[str]
) -> None:
    declared = ["--buffer", f"p0=u32[{buffers}]:r", "--buffer", f"p1=u32[{buffers}]:w"]
    assert main(["check", str(copy), "--block", "256", "--assume", assume, *declared]) == 1
    out = capsys.readouterr().out
    assert all(text in out for text in said), out
    assert not any(text in out for text in unsaid), out


def test_buffers_that_may_overlap_are_not_assumed_apart(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(copy, *SAFE, *BUFFERS, "--may-alias", "p0,p1")
    assert found["race"] != "proved"
    assert "p0 and p1 may overlap" in capsys.readouterr().out


def test_an_extent_too_small_is_refuted(copy: Path) -> None:
    found = rows(copy, *SAFE, "--buffer", "p0=u32[p2-1]:r", "--buffer", "p1=u32[p2]:w")
    assert found["bounds"] == "refuted"


def test_writing_what_is_read_only_is_not_proved(copy: Path) -> None:
    found = rows(copy, *SAFE, "--buffer", "p0=u32[p2]:w", "--buffer", "p1=u32[p2]:r")
    assert found["bounds"] == "refuted"
    assert found["init"] == "unknown"


def test_every_block_size_is_meant_when_none_is_given(copy: Path) -> None:
    found = rows(copy, "--assume", "p2 >= 1 && p2 <= 2^20", *BUFFERS)
    assert found["no-wrap"] != "proved", "ctaid * ntid wraps for large grids"


def test_an_unknown_instruction_makes_everything_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.ptx"
    path.write_text(
        HEAD + ".visible .entry a(.param .u64 h)\n{\n.reg .u64 %h;\n.reg .f32 %f<4>;\nld.param.u64 %h, [h];\n"
        "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%f0}];\nret;\n}\n"
    )
    found = rows(path)
    assert set(found.values()) == {"unknown"}
    assert "line 9: tex.1d.v4.f32.f32" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--entry", "nope"], "no entry 'nope'; this file has copy"),
        (["--names", "a,b"], "2 names, copy has 3 parameters"),
        (["--names", "a,b,b"], "twice"),
        (["--names", "a,b,let"], "'let' cannot be a name"),
        (["--buffer", "q=u32[n]:r"], "copy has no parameter 'q'; it has p0, p1, p2"),
        (["--buffer", "p2=u32[4]:r"], "p2: a pointer parameter has 64 bits"),
        (["--buffer", "p0=u32[p2]:x"], "access 'x'"),
        (["--buffer", "p0=i32[p2]:r"], "element type 'i32'"),
        (["--buffer", "p0=u32[p2]:r@3"], "@3 is not a power of two"),
        (["--buffer", "p0=u32[1,2,3,4]:r"], "extents are"),
        (["--buffer", "p0=u32[4;4]:r"], "extents are"),
        (["--buffer", "p0=u32[-5]:r"], "-5 is -5; extents and strides are 0 or more"),
        (["--buffer", "p0=u32[p2,4;3 - 4]:r"], "3 - 4 is -1; extents and strides are 0 or more"),
        (["--buffer", "p0=u32[zz]:r"], "unknown name 'zz'"),
        (["--buffer", "p0=u32[p2]:r", "--buffer", "p0=u32[p2]:r"], "declared twice"),
        (["--assume", "m >= 1"], "unknown name 'm'"),
        (["--assume", "p2 => 1"], "at '=> 1'; at least is >="),
        (["--assume", "p2 =< 1"], "at '=< 1'; at most is <="),
        (["--assume", "p2 = 1"], "at '= 1'; equal is =="),
        (["--assume", "p2"], "expected"),
        (["--assume", "p2 << -1 == 0"], "'<' where a value is expected"),
        (["--assume", "p2 >> 1 == 0"], "where a value is expected"),
        (["--assume", "p2 == 2 ^ -1"], "where a value is expected"),
        (["--assume", "p2 == 2 ^ 200"], "exponent at most 128"),
        (["--assume", "p2 == 1 &&"], "expected more, found the end"),
        (["--assume", "(" * 80 + "p2" + ")" * 80 + " == 1"], "nested deeper than 64"),
        (["--assume", "p2 == " + "9" * 5000], "digits"),
        (["--assume", "p2 == " + "p2 + " * 500 + "1"], "more than 200 operations"),
        (["--block", "33,32"], "1056 threads"),
        (["--assume", "1 <= " + "*".join(["(p2 + block.x + grid.x + 1)"] * 30)], "products when multiplied out"),
        (["--grid", "0 - 1"], "the hardware takes 1 to 2147483647"),
        (["--effort", "0"], "it is a number from 1 to"),
        (["--covers", "p2"], "p2"),
        (["--assume", "p2 / p2 == 1"], "divisor must be a positive constant"),
        (["--grid", "p9"], "unknown name 'p9'"),
        (["--may-alias", "p0,p2"], "p2 is not a pointer"),
        (["--may-alias", "p0,copy_param_0"], "both are p0"),
        (["--assume", "p2 >= 2", "--assume", "p2 <= 1"], "contradict each other"),
        (["--assume", "p2 >= 2^20 && p2 <= 2^21", "--grid", "1,p2"], "contradict each other"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_flags_that_do_not_fit_are_bad_input(
    copy: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    assert main(["check", str(copy), *args]) == 3
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "known"),
    [
        (["--assume", "m >= 1"], "block.x, block.y, block.z, grid.x, grid.y, grid.z, p0, p1, p2"),
        (["--block", "m"], "p0, p1, p2"),
        (["--names", "x,y,n", "--grid", "m"], "n, x, y (parameters are also p0, p1, ... in order)"),
        (["--names", "x,y,n", "--covers", "m"], "x, y, n (parameters are also p0, p1, ... in order)"),
        (["--names", "p2,p0,n", "--grid", "m"], "n, p0, p2 (parameters are also p0, p1, ... in order)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_message_lists_each_parameter_once(
    copy: Path, capsys: pytest.CaptureFixture[str], args: list[str], known: str
) -> None:
    assert main(["check", str(copy), *args]) == 3
    assert capsys.readouterr().err.endswith(f" {known}\n")


@pytest.mark.parametrize(
    ("args", "chosen"),
    [
        (["--names", "x,n"], "; the file has 2 entries: choose one with --entry\n"),
        (["--names", "x,n", "--entry", "b"], "b has 1 parameters: n\n"),
        (["--buffer", "x=u32[4]:r"], "; the file has 2 entries: choose one with --entry\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_flags_of_one_entry_for_several_say_to_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], chosen: str
) -> None:
    path = tmp_path / "two.ptx"
    path.write_text(
        HEAD + ".visible .entry a(.param .u64 x, .param .u32 n) { ret; }\n.visible .entry b(.param .u32 n) { ret; }\n"
    )
    assert main(["check", str(path), *args]) == 3
    assert capsys.readouterr().err.endswith(chosen)


def test_a_block_against_reqntid_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(ROOT / "backend/ptx/silu.ptx"), "--block", "96"]) == 3
    assert "x is 96, but silu_f16 has .reqntid " in capsys.readouterr().err


def test_a_file_that_ptxas_refuses_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.ptx"
    path.write_text(COPY.replace("ld.global.u32 %r4", "ld.global.u32 %p1"))
    assert main(["check", str(path)]) == 3
    assert "ptxas refuses it for sm_89" in capsys.readouterr().err


def test_a_file_without_entries_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.ptx"
    path.write_text(HEAD)
    assert main(["check", str(path)]) == 3
    assert "there is no .entry" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x=f32[n]:r", ("x", "f32", ("n",), (), "r", 4)),
        ("C=f16[M,N;ldc]:rw", ("C", "f16", ("M", "N"), ("ldc",), "rw", 2)),
        ("w=f16[columns]:r@16", ("w", "f16", ("columns",), (), "r", 16)),
        ("X=f32[B,M,N;ps,ld]:w", ("X", "f32", ("B", "M", "N"), ("ps", "ld"), "w", 4)),
        (" x = f64 [ max(n, 1), m ] : w @ 8 ", ("x", "f64", ("max(n, 1)", "m"), (), "w", 8)),
    ],
)
def test_declarations_are_read(text: str, expected: tuple[object, ...]) -> None:
    d = declaration(text)
    assert (d.name, d.element, d.shape, d.strides, d.access, d.align) == expected


def test_a_declaration_without_extents_is_refused() -> None:
    with pytest.raises(BadInput, match="expected NAME=ELEMENT"):
        declaration("x=f32:r")


@pytest.mark.parametrize("extents", ["a,b,c,d", "a,b;", "a;b", "a,b,c;ld", "a,,b"])
def test_extents_that_do_not_fit_together_are_refused(extents: str) -> None:
    with pytest.raises(BadInput, match="extents are"):
        declaration(f"x=f32[{extents}]:r")


def test_parameters_are_pointers_or_sizes_by_their_use() -> None:
    found = usage(parse(COPY).entry("copy"))
    assert [u.address for u in found.values()] == [True, True, False]
    assert found["copy_param_2"].signed is True
    silu = usage(parse((ROOT / "backend/ptx/silu.ptx").read_text()).entry("silu_f16"))
    assert [silu[p].address for p in ("x", "y", "n")] == [True, True, False]
    assert silu["n"].signed is False


@pytest.mark.parametrize(("kind", "signed"), [("s32", True), ("u32", False), ("b32", None)])
def test_a_load_that_widens_a_parameter_shows_its_sign(kind: str, signed: bool | None) -> None:
    text = f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 a) {{ .reg .b64 x; ld.param.{kind} x, [a]; ret; }}
"""
    assert usage(parse(text).entry("k"))["a"].signed is signed


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("_ZZ7reversePKfPfiE4tile", "tile"), ("_Z7reversePKfPfi", "reverse"), ("_ZN3foo3barEPf", "bar"),
        ("_Z3fooIfEvPT_", "foo"), ("_ZZ6kernelvE1s_0", "s"), ("k", "k"), ("_Z9", "_Z9"), ("_Z99ab", "_Z99ab"),
        ("_ZZ6kernelvE9s", "_ZZ6kernelvE9s"), ("cells", "cells"),
    ],
)  # fmt: skip
def test_mangled_names_are_read(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_an_entry_may_be_called_by_its_name_in_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "copy.ptx"
    mangled = COPY.replace("entry copy(", "entry _Z4copyPKjPjj(")
    path.write_text(mangled)
    assert main(["check", str(path), "--entry", "copy"]) in (1, 2)
    path.write_text(mangled + mangled.removeprefix(HEAD).replace("_Z4copyPKjPjj", "_Z4copyPKfPfj"))
    capsys.readouterr()
    assert main(["check", str(path), "--entry", "copy"]) == 3
    assert "2 entries are called 'copy'; this file has _Z4copyPKjPjj, _Z4copyPKfPfj" in capsys.readouterr().err


def test_ptx_of_a_newer_compiler_is_refused_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "newer.ptx"
    path.write_text(COPY.replace(".version 7.8", ".version 9.9"))
    assert main(["check", str(path)]) == 3
    said = capsys.readouterr().err
    assert "Unsupported .version 9.9" in said
    assert "compile with a compiler of that release or an older one" in said


def test_a_file_for_an_architecture_older_than_ptxas_knows(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy.write_text(copy.read_text().replace(".target sm_89", ".target sm_60").replace(".version 7.8", ".version 6.0"))
    flags = ["--block", "256", "--grid", "ceil_div(p2, 256)", "--assume", "p2 >= 1 && p2 <= 2^30"]
    assert main(["check", str(copy), *flags, "--buffer", "p0=u32[p2]:r", "--buffer", "p1=u32[p2]:w"]) == 0
    told = capsys.readouterr().out
    assert "the file is for sm_60, which this ptxas no longer knows: it was assembled for sm_75" in told
