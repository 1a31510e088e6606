"""`python -m proofs.mutation`: make every mutant, ask the obligations, write docs/kill-table.md.

Exit code 1 if a mutant is not refuted by the obligation named for it.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from common.files import write_atomic
from proofs.mutation.killing import Killed, accepted, all_mutants, kill
from proofs.mutation.model import Mutant
from proofs.mutation.table import TABLE, Entry, table


def examine(root: Path, mutant: Mutant) -> Entry:
    """The outcome of one mutant that ptxas accepts."""
    if mutant.line:
        accepted(mutant)
    return Entry(mutant, kill(root, mutant))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proofs.mutation", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="mutants whose name contains this; the table is not written")
    options = parser.parse_args(arguments)
    chosen = [m for m in all_mutants(options.root) if options.only in m.id]
    entries: list[Entry] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for entry in pool.map(partial(examine, options.root), chosen, chunksize=4):
            entries.append(entry)
            by = entry.outcome.detail if isinstance(entry.outcome, Killed) else f"survives {entry.outcome.unknown}"
            said = f": {by}" if options.only or not entry.good else ""
            print(f"{len(entries)}/{len(chosen)} {entry.mutant.id} ({entry.mutant.obligation}){said}", flush=True)
    if not options.only:
        write_atomic(options.root / TABLE, table(entries))
    wrong = sum(not e.good for e in entries)
    print(f"{len(entries)} mutants, {len(entries) - wrong} as named, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
