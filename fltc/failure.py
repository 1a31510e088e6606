"""From an exception to one message on stderr and an exit code. The only place that decides either."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback

import typer

from fltc.start import interrupted
from spec.errors import DriverError, FltcError

REFUTED, UNKNOWN, BAD_INPUT, INTERNAL = 1, 2, 3, 4
READER_GONE = 141  # what a shell reports of a program that SIGPIPE ended
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # a device or a file that takes no more
OURS = ("common", "spec", "backend", "proofs", "verifier", "tests", "fltc")

# Usage errors of the command-line library, under whatever package name this version of it has them.
_USAGE = next(cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException")


def code_of(error: BaseException, *, debug: bool) -> int:
    """Print what happened and return the exit code that the documentation gives it."""
    if isinstance(error, SystemExit | BrokenPipeError):
        return READER_GONE  # rich and typer end the process when nobody reads stdout any more, with 1: not a refutation
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return interrupted()
    if isinstance(error, _USAGE):
        _say(_usage(error))
        return BAD_INPUT
    if isinstance(error, DriverError):
        advice = "" if "--device emulator" in str(error) else "\nThe emulator needs no device: --device emulator"
        _say(f"{error}{advice}")
        return REFUTED
    if isinstance(error, FltcError):
        _say(str(error))
        return BAD_INPUT
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        _give_up_stdout()
        _say(f"cannot write {error.filename or 'the output'}: {error.strerror}; make room, or write elsewhere")
        return BAD_INPUT
    if debug:
        traceback.print_exception(error)
    if isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] not in OURS:
        _say(f"the Python package of {error.name!r} is not installed here; `make install` brings all of them")
    elif isinstance(error, MemoryError):
        _say("out of memory; fewer processes (--jobs 1) need less")
    else:
        _say(f"internal error: {type(error).__name__}: {error}")
    if not debug:
        _say("for the traceback: fltc --debug COMMAND ...")
    return INTERNAL


def _usage(error: BaseException) -> str:
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if callable(format_message) else error)
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "fltc")
    return f"{message}\n`{command} --help` lists what it takes"


def _give_up_stdout() -> None:
    """Send what stdout still holds nowhere: at its end the interpreter would try to write it again, and complain."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError), open(os.devnull, "w") as nowhere:  # a stdout without a number has no file
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _say(message: str) -> None:
    print(f"fltc: {message}", file=sys.stderr)
