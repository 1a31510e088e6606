"""`python -m tests.mutate`: `fltc mutate` of the shipped kernels, the Triton matmul and the GEMM, one after another.

Results are kept in build/mutate, so that an interrupted run goes on. Survivors that change nothing stand in
tests/ptx/argued/NAME.toml, each with the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from fltc.cli import main as fltc
from fltc.kernels import kernels

SHIPPED = ("silu", "rmsnorm")
OTHERS = ("gemm", "triton_matmul")
OUT = Path("build/mutate")
ARGUED = Path("tests/ptx/argued")
EFFORT = {"gemm": 100}  # beyond that of `fltc mutate`: two of its mutants wrap in launches that take long to find
COLUMNS = ("counted", "refused", "asked", "prover", "emulator", "both", "equivalent", "survive")


def command(root: Path, name: str, out: Path) -> list[str]:
    """The command line for one of the four, and where its results go."""
    flags: tuple[str, ...] = ()
    argued = root / ARGUED / f"{name}.toml"
    if name in SHIPPED:
        file = Path("backend/ptx") / f"{name}.ptx"
    else:
        (kernel,) = (k for k in kernels(root, [name]) if k.name == name)
        file, flags = kernel.path.relative_to(root), kernel.flags
    more = ["--argued", str(argued)] if argued.is_file() else []
    more += ["--effort", str(EFFORT[name])] if name in EFFORT else []
    return ["mutate", str(file), *flags, "--out", str(out / name), "--json", str(out / f"{name}.json"), *more]


def row(name: str, report: Path) -> str:
    """The row of docs/mutate.md."""
    found = json.loads(report.read_text("utf-8"))
    summary = found["summary"]
    argued = sum(bool(r["argued"]) for r in found["rows"])
    share = 100 * summary["survive"] / max(summary["counted"], 1)
    return f"| {name} | " + " | ".join(str(summary[c]) for c in COLUMNS) + f" ({share:.1f} %) | {argued} |"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__)
    parser.add_argument("--only", nargs="*", default=[*SHIPPED, *OTHERS], help="some of the four")
    parser.add_argument("--limit", type=int, default=0, help="mutants of each; 0: all")
    parser.add_argument("--quick", action="store_true", help="ask the prover only of what the emulator does not kill")
    parser.add_argument("--jobs", type=int, default=0, help="processes; 0: one for each CPU")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the results")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    codes, rows = [], []
    for name in options.only:
        print(f"--- {name}", flush=True)
        line = command(Path.cwd(), name, options.out)
        line += ["--quick"] if options.quick else []
        codes.append(fltc([*line, "--limit", str(options.limit), "--jobs", str(options.jobs)]))
        if codes[-1] <= 1:
            rows.append(row(name, options.out / f"{name}.json"))
    print(f"| kernel | {' | '.join(COLUMNS)} | argued |", "|---" * (len(COLUMNS) + 2) + "|", *rows, sep="\n")
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main())
