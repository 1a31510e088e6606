"""Which entries of a file a request asks for, with calls put in place."""

from __future__ import annotations

from proofs.check.request import CheckRequest
from proofs.names import plain_name
from spec.errors import BadInput, Unsupported
from spec.ptx.ast import Function, Module
from spec.ptx.lower import lowered

MAX_ENTRIES = 1_000


def entries(module: Module, request: CheckRequest) -> tuple[Function, ...]:
    """The entries asked for, those of the part asked for; BadInput if there are none, or more than a run takes."""
    index, count = request.shard
    found = _called(module, request)[index - 1 :: count]
    if not found:
        raise BadInput(f"--shard {index}/{count}: there are only {index - 1} entries or fewer, so that part is empty")
    if len(found) > MAX_ENTRIES:
        raise BadInput(
            f"{request.path}: {len(found)} entries, at most {MAX_ENTRIES} are checked in one run; name one with "
            "--entry, or take a part with --shard I/N"
        )
    return found


def _called(module: Module, request: CheckRequest) -> tuple[Function, ...]:
    """All entries, or the one that is meant: by its name, or by the one that only it had before C++ mangled it."""
    if not module.entries:
        raise BadInput(f"{request.path}: there is no .entry in this file")
    if request.entry is None:
        return module.entries
    called = [f for f in module.entries if request.entry in (f.name, plain_name(f.name))]
    exact = [f for f in called if f.name == request.entry]
    if len(exact or called) == 1:
        return tuple(exact or called)
    names = ", ".join(f.name for f in called or module.entries)
    what = f"{len(called)} entries are called {request.entry!r}" if called else f"no entry {request.entry!r}"
    raise BadInput(f"{request.path}: {what}; this file has {names}")


def in_place(function: Function, module: Module) -> Function:
    """The entry with calls put in place; as it is where one cannot be, which the machine then names."""
    try:
        return lowered(function, module)
    except Unsupported:
        return function
