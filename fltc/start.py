"""Where the program begins: nothing heavy is imported before Ctrl-C is taken care of."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def run() -> int:
    """The console command `fltc`: its exit code. The command line is imported here, where an interrupt is met."""
    try:
        from fltc.cli import main

        return main()
    except KeyboardInterrupt:
        return interrupted()


def interrupted() -> int:
    """Say that somebody stopped it, and return the exit code of that."""
    print("fltc: interrupted; files are either complete or untouched", file=sys.stderr)
    return INTERRUPTED
