"""Other checkers on the test kernels beside `fltc check`, and the table of what each said (docs/peers.md).

    python -m tests.peers [--tool T]... [--kernel K]... [--out F] [--jobs N] [--install]
    python -m tests.peers --table

`fltc` comes first: it gives the launches that the others run. Its answers and those of the others are kept in F
(tests/peers/results.json holds the ones of docs/peers.md). `--table` runs nothing and writes docs/peers.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from common.files import write_atomic
from fltc.kernels import Kernel, kernels
from spec.errors import DriverError, FltcError, ToolMissing
from tests.peers import sanitizer, viz
from tests.peers.data import FLTC, PARTS, RESULTS, SANITIZER, STALE, TOOLS, VIZ, Results, file_of, load, save, sha256
from tests.peers.launch import Launch
from tests.peers.table import fltc_state, page, summary
from tests.peers.verdicts import FAILED, NOT_RUN, SKIPPED, Said

ROOT = Path(__file__).resolve().parents[2]
DOCS = Path("docs/peers.md")
SAVED = 50  # answers, after each of which the results are saved


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only this tool; may be repeated")
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel or family; may be repeated")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the results, read first and then added to")
    parser.add_argument("--again", action="store_true", help="also what has an answer for the present file and launch")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="launches on the GPU side by side")
    parser.add_argument("--most", type=int, default=sanitizer.MOST, help="GiB of buffers up to which a launch is tried")
    parser.add_argument("--install", action="store_true", help=f"make the environment of triton-viz in {viz.FOLDER}")
    parser.add_argument("--table", action="store_true", help=f"write {DOCS} from the results, and run nothing")
    chosen = parser.parse_args(arguments)
    os.chdir(ROOT)
    try:
        results = load(chosen.out)
        if not chosen.table:
            missing = collect(chosen, results)
            if missing and chosen.tool:
                return 3
        text = page(ROOT, results)
        if chosen.table:
            write_atomic(DOCS, text)
            print(f"{DOCS} is written")
        print(summary(ROOT, results))
    except FltcError as error:
        print(f"peers: {error}", file=sys.stderr)
        return 3
    return 0


def collect(chosen: argparse.Namespace, results: Results) -> bool:
    """Run the tools and save what each said; whether one of them is missing here."""
    found, missing = kernels(ROOT, chosen.kernel), False
    for tool in chosen.tool or TOOLS:
        try:
            _RUN[tool](found, results, chosen)
        except (ToolMissing, DriverError) as error:
            print(f"{tool}: {error}", file=sys.stderr)
            missing = True
            continue
        save(chosen.out, results)
    return missing


def _fltc(found: Sequence[Kernel], results: Results, chosen: argparse.Namespace) -> None:
    from tests.peers.fltc_checks import run_fltc

    wanted = [k for k in found if chosen.again or fltc_state(k, results)[1] is None or not results.launches(k.name)]
    if wanted:
        run_fltc(ROOT, wanted, results, _today(), _say)


def _sanitizer(found: Sequence[Kernel], results: Results, chosen: argparse.Namespace) -> None:
    tool = sanitizer.find()
    by_name = {kernel.name: kernel for kernel in found}
    launches = [launch for name in by_name for launch in results.launches(name).values()]
    wanted = [(launch, part) for launch in _late_last(launches, by_name) for part in PARTS
              if chosen.again or _open(results.said(part, by_name[launch.kernel], launch.which))]  # fmt: skip
    results.tools[SANITIZER] = {"version": sanitizer.version(tool), "options": sanitizer.options_of(tool),
                                "date": _today(), **sanitizer.device()}  # fmt: skip
    answers = count()

    def keep(launch: Launch, part: str, said: Said) -> None:
        _say(f"{launch.kernel} {launch.which} {part}: {said.verdict} {', '.join(said.kinds)} ({said.seconds} s)")
        results.put(part, launch, sha256(file_of(part, by_name[launch.kernel])), said)
        if next(answers) % SAVED == 0:
            save(chosen.out, results)

    sanitizer.run_all(tool, wanted, chosen.jobs, chosen.most, keep)


def _open(said: Said) -> bool:
    """Whether there is no answer yet, or none that stands for the present file and launch."""
    return said.verdict in (NOT_RUN, STALE, SKIPPED, FAILED)


def _late_last(launches: Sequence[Launch], by_name: Mapping[str, Kernel]) -> list[Launch]:
    """Launches that may hang come last: they would slow down all that run beside them."""
    return sorted(launches, key=lambda launch: by_name[launch.kernel].refuted in ("barrier", "no-trap"))


def _viz(found: Sequence[Kernel], results: Results, chosen: argparse.Namespace) -> None:
    python = viz.environment(viz.FOLDER, chosen.install)
    results.tools[VIZ] = {"date": _today(), "versions": viz.versions(python)}
    wanted = [(k, launch) for k in found if viz.applies(k) for launch in results.launches(k.name).values()
              if chosen.again or _open(results.said(VIZ, k, launch.which))]  # fmt: skip
    for (kernel, _), (launch, said) in zip(wanted, viz.run_viz(python, wanted, _say), strict=True):
        results.put(VIZ, launch, sha256(kernel.source), said)


_RUN = {FLTC: _fltc, SANITIZER: _sanitizer, VIZ: _viz}


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody has to read to the end
    sys.exit(main())
