"""The commands of `fltc` and their options. A command's work is in fltc/commands, imported when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fltc.failure import code_of
from fltc.flags import (
    AllowExitedOption,
    AssumeOption,
    BlockOption,
    BufferOption,
    CoversOption,
    EffortOption,
    EntryOption,
    FactOption,
    FileArgument,
    GridOption,
    HintOption,
    JobsOption,
    JsonOption,
    MayAliasOption,
    NamesOption,
    flags_of,
)
from fltc.root import checkout
from fltc.start import INTERRUPTED

app = typer.Typer(
    name="fltc",
    help="An LLM kernel backend whose safety is proved on the PTX it ships.",
    epilog="Exit codes: 0 all proved or passed, 1 refuted or failed, 2 unknown, 3 bad input, 4 internal error.",
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Device(StrEnum):
    emulator = "emulator"
    cuda = "cuda"


@dataclass
class Globals:
    """Options given before the command's name."""

    root: Path | None = None
    debug: bool = False


RootOption = Annotated[
    Path | None, typer.Option("--root", metavar="DIR", help="The checkout to work on; default: the one you are in.")
]
_globals = Globals()


@app.callback()
def _before(
    root: RootOption = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
) -> None:
    _globals.root, _globals.debug = root, debug


def _root(own: Path | None) -> Path:
    return checkout(own or _globals.root)


@app.command()
def verify(
    kernel: Annotated[
        list[str] | None,
        typer.Option("--kernel", metavar="S", help="Only this kernel (its stem), or `library`; may be repeated."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=0, metavar="N", help="Processes; 0: one for each CPU.")] = 0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Decide everything now; take nothing from the store.")] = False,
    json: JsonOption = None,
    executor: Annotated[
        str, typer.Option("--executor", metavar="WHERE", help="`local`, or dask://HOST:PORT for a cluster.")
    ] = "local",
    root: RootOption = None,
) -> int:
    """Prove the obligations of the shipped PTX."""
    from fltc.commands.verify import run

    return run(_root(root), kernel or [], jobs, fresh, json, executor)


@app.command()
def check(
    file: FileArgument,
    entry: EntryOption = None,
    block: BlockOption = None,
    grid: GridOption = None,
    assume: AssumeOption = None,
    buffer: BufferOption = None,
    names: NamesOption = None,
    may_alias: MayAliasOption = None,
    facts: FactOption = None,
    covers: CoversOption = None,
    hint: HintOption = None,
    allow_exited: AllowExitedOption = False,
    effort: EffortOption = 100,
    jobs: JobsOption = 0,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Only every N-th entry from the I-th on.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="F", help="Also write what was found to F as SARIF 2.1.0.")
    ] = None,
    no_store: Annotated[
        bool, typer.Option("--no-store", help="Take no answers of earlier runs from the cache folder, and keep none.")
    ] = False,
    json: JsonOption = None,
) -> int:
    """Prove anybody's PTX free of races, divergent barriers and stray accesses."""
    from fltc.commands.check import run

    flags = flags_of(
        entry, block, grid, assume, buffer, names, may_alias, facts, covers, hint, allow_exited, effort
    )
    return run(file, flags, jobs=jobs, no_store=no_store, shard=shard, sarif_file=sarif, json_file=json)


@app.command()
def mutate(
    file: FileArgument,
    entry: EntryOption = None,
    block: BlockOption = None,
    grid: GridOption = None,
    assume: AssumeOption = None,
    buffer: BufferOption = None,
    names: NamesOption = None,
    may_alias: MayAliasOption = None,
    facts: FactOption = None,
    covers: CoversOption = None,
    hint: HintOption = None,
    allow_exited: AllowExitedOption = False,
    effort: EffortOption = 20,
    jobs: JobsOption = 0,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="K", help="Only edits of this kind; may be repeated.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, metavar="N", help="At most N mutants, spread over the kinds; 0: all.")
    ] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Ask the prover only of mutants that the emulator does not kill.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where results and survivors go; default: FILE.mutants, here."),
    ] = None,
    argued: Annotated[
        Path | None,
        typer.Option("--argued", metavar="FILE", help="TOML: survivors that change nothing, each with the reason."),
    ] = None,
    json: JsonOption = None,
) -> int:
    """Break anybody's PTX in small ways, and see whether prover and emulator notice."""
    from fltc.commands.mutate import run

    flags = flags_of(
        entry, block, grid, assume, buffer, names, may_alias, facts, covers, hint, allow_exited, effort
    )
    return run(
        file, flags, jobs=jobs, kinds=kind or [], limit=limit, quick=quick, out=out, argued_file=argued, json_file=json,
    )


@app.command()
def audit(
    require_formal: Annotated[
        bool, typer.Option("--require-formal", help="Undecided where Gappa or Coq is missing, not only said so.")
    ] = False,
    root: RootOption = None,
) -> int:
    """Check the stored proofs against the shipped PTX, with other solvers and none of the prover's code."""
    from fltc.commands.audit import run

    return run(_root(root), require_formal)


@app.command()
def diff(
    device: Annotated[
        Device | None, typer.Option("--device", help="Default: cuda if there is a device, else emulator.")
    ] = None,
    op: Annotated[
        list[str] | None, typer.Option("--op", metavar="S", help="Only this operator; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the generated inputs.")] = 0,
    evidence: Annotated[
        Path | None,
        typer.Option("--json", "--evidence", metavar="F", help="Also write what was run, with histograms, to F."),
    ] = None,
    root: RootOption = None,
) -> int:
    """Run the kernels and their references on the same inputs."""
    from fltc.commands.diff import run

    return run(_root(root), None if device is None else device.value, op or [], seed, evidence)


@app.command()
def report(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder to write to; it is made if it is not there.")
    ] = Path("report"),
    diff: Annotated[
        list[Path] | None,
        typer.Option("--diff", metavar="F", help="Show this run of `fltc diff --json F` too; may be repeated."),
    ] = None,
    root: RootOption = None,
) -> int:
    """Write verdicts, error bounds, assumptions and evidence as a static HTML page."""
    from fltc.commands.report import run

    return run(_root(root), out, diff or [])


@app.command()
def probe(
    device: Annotated[
        Device | None, typer.Option("--device", help="Default: cuda if there is a device, else emulator.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the drawn operands.")] = 0,
    json: JsonOption = None,
) -> int:
    """Measure what error bounds assume of a device: approximate instructions and the tensor core."""
    from fltc.commands.probe import run

    return run(None if device is None else device.value, seed, json)


@app.command()
def bench(
    device: Annotated[Device, typer.Option("--device", help="Where to measure.")] = Device.cuda,
    out: Annotated[Path | None, typer.Option("--out", metavar="F", help="Also write the rows to F as JSON.")] = None,
    prover: Annotated[
        bool, typer.Option("--prover", help="Measure `fltc check` over the test kernels; needs no device.")
    ] = False,
    kernel: Annotated[
        list[str] | None, typer.Option("--kernel", metavar="S", help="With --prover: only this one; may be repeated.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, metavar="N", help="With --prover: checks side by side.")] = 1,
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="SECONDS", help="With --prover: stop a check after so long.")
    ] = 60,
    root: RootOption = None,
) -> int:
    """Measure the kernels against ceilings and peers in one run, or the prover over the test kernels."""
    if prover:
        from fltc.commands.bench_prover import run as run_prover

        return run_prover(_root(root), kernel or [], jobs, limit, out)
    from fltc.commands.bench import run

    return run(_root(root), device.value, out)


def main(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; every failure is one message on stderr."""
    global _globals
    _globals = Globals()
    try:
        result = app(args=None if args is None else list(args), prog_name="fltc", standalone_mode=False)
        if sys.stdout is not None:  # it is None where the caller has closed it
            sys.stdout.flush()  # here, where a full disk is still one message
    except BaseException as error:
        return code_of(error, debug=_globals.debug)
    return code_of(KeyboardInterrupt(), debug=False) if result == INTERRUPTED else int(result or 0)

