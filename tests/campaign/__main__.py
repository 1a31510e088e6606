"""`python -m tests.campaign`: random kernels, each proved and run, verdict against faults (docs/campaign.md)."""

from __future__ import annotations

import argparse
import ctypes
import multiprocessing
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from common.files import write_atomic
from fltc.output import check_place, write_json
from proofs.effort import limits_of
from spec.errors import BadInput
from tests.campaign.proving import EFFORT
from tests.campaign.rows import Row, Rows, digest
from tests.campaign.summary import Summary, summary
from tests.campaign.working import Chunk, work

CHUNK = 25  # kernels that are assembled together, and written in one transaction
GENERATION = 40  # chunks that a process works on before a fresh one takes its place
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4  # malloc.h of glibc
KEPT = 2**30  # bytes
BAD_INPUT, INTERRUPTED = 3, 130


def main(words: Sequence[str] | None = None) -> int:
    """Run, or go on with, a campaign. The exit code: 0 if all goals are reached, 1 if not, 3 for flags that cannot be
    taken, 130 after Ctrl-C.
    """
    asked = _flags().parse_args(words)
    seeds = range(asked.first, asked.first + asked.kernels)
    try:
        if asked.json is not None:
            check_place(asked.json)
        limits_of(asked.effort)
        rows = Rows(asked.out, digest(asked.effort))
    except (BadInput, OSError, sqlite3.Error) as error:
        print(f"python -m tests.campaign: {asked.out}: {error}", file=sys.stderr)
        return BAD_INPUT
    if rows.anew:
        print(f"{asked.out}: the results there are of other sources; all kernels are judged anew", file=sys.stderr)
    done = rows.seeds()
    todo = [seed for seed in seeds if seed not in done]
    if len(todo) < len(seeds):
        print(f"{asked.out}: {len(seeds) - len(todo)} of {len(seeds)} kernels are there already", file=sys.stderr)
    try:
        _run(todo, asked, rows)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    except BrokenProcessPool:
        print("a process ended, out of memory as it seems; the same command goes on from here, --jobs 1 needs less",
              file=sys.stderr)  # fmt: skip
        return 1
    found = summary(rows.of(seeds), len(seeds))
    rows.close()
    _show(found, asked.out)
    if asked.json is not None:
        write_json(asked.json, found.to_json())
    return 1 if found.short_of else 0


class _Parser(argparse.ArgumentParser):
    """Bad flags have the exit code that they have everywhere in this project."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def _from(least: int) -> Callable[[str], int]:
    """A number that is no less."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: it is a number from {least} on")
        return int(text)

    return number


def _seconds(text: str) -> float:
    """A time that is not negative."""
    with suppress(ValueError):
        if 0 <= float(text) < float("inf"):
            return float(text)
    raise argparse.ArgumentTypeError(f"{text}: it is a number of seconds")


def _flags() -> argparse.ArgumentParser:
    parser = _Parser("python -m tests.campaign", description=__doc__)
    parser.add_argument("--kernels", type=_from(1), default=20_000, metavar="N", help="how many (20000)")
    parser.add_argument("--from", type=_from(0), default=0, dest="first", metavar="SEED", help="the first seed (0)")
    parser.add_argument("--jobs", type=_from(0), default=0, metavar="J", help="processes; 0: one for each CPU (0)")
    parser.add_argument("--out", type=Path, default=Path("build/campaign"), metavar="DIR", help="where results go")
    parser.add_argument("--seconds", type=_seconds, default=0, metavar="S", help="begin nothing new after so long")
    parser.add_argument("--effort", type=int, default=EFFORT, metavar="E", help=f"as of fltc check ({EFFORT})")
    parser.add_argument("--json", type=Path, default=None, metavar="F", help="also write the summary to F")
    return parser


def _run(todo: Sequence[int], asked: argparse.Namespace, rows: Rows) -> None:
    """Judge the kernels in processes, and keep their rows chunk by chunk."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("kernels", total=len(todo))
        wrong = 0
        for made in _chunks(todo, asked):
            rows.put(made)
            wrong += sum(row.bad for row in made)
            bar.update(task, advance=len(made), description=f"kernels, {wrong} bad" if wrong else "kernels")


def _chunks(todo: Sequence[int], asked: argparse.Namespace) -> Iterator[list[Row]]:
    """The rows of each chunk, as they come."""
    chunks = [Chunk(todo[at : at + CHUNK], asked.out, asked.effort) for at in range(0, len(todo), CHUNK)]
    end = time.monotonic() + asked.seconds if asked.seconds else float("inf")
    jobs = asked.jobs or os.cpu_count() or 1
    if jobs == 1:
        _keep_memory()
        for chunk in takewhile(lambda _: time.monotonic() < end, chunks):
            yield work(chunk)
        return
    for at in range(0, len(chunks), GENERATION * jobs):
        yield from _in_processes(iter(chunks[at : at + GENERATION * jobs]), jobs, end)


def _in_processes(chunks: Iterator[Chunk], jobs: int, end: float) -> Iterator[list[Row]]:
    """The rows of some chunks, from processes that end when these are done: what they keep does not grow for ever."""
    pool = ProcessPoolExecutor(jobs, initializer=_in_a_worker, initargs=(os.getpid(),))
    running: set[Future[list[Row]]] = set()
    try:
        while True:
            if time.monotonic() < end:
                running |= {pool.submit(work, chunk) for chunk in islice(chunks, jobs - len(running))}
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_a_worker(parent: int) -> None:
    """Ctrl-C goes to every process of the terminal; the parent's is the one that counts. Without it none goes on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _keep_memory()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _keep_memory() -> None:
    """Let the C library keep what is freed: a solver for each query otherwise gets and returns its pages each time,
    which takes a sixth of a campaign. Other C libraries have no mallopt, and go on as they are.
    """
    with suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, given in ((M_TRIM_THRESHOLD, KEPT), (M_TOP_PAD, KEPT // 8), (M_MMAP_MAX, 0)):
            mallopt(parameter, given)


def _show(found: Summary, folder: Path) -> None:
    text = "\n".join((*found.table(), ""))
    print(text)
    for reason, count in found.left_out.most_common(5):
        print(f"not compared: {count} of {reason}")
    for words in found.short_of:
        print(f"not reached: {words}")
    if found.bad:
        print(f"seeds: {', '.join(map(str, found.bad[:20]))}; files are in {folder}")
    write_atomic(folder / "summary.txt", f"{text}{found.line()}\n")
    print(found.line())


if __name__ == "__main__":
    sys.exit(main())
