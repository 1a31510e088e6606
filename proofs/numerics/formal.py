"""Runs the two programs of formal proof, Gappa and Coq, on texts: limited, in a folder that is removed afterwards.

`gappa` decides a script about roundings and writes a Coq proof of it; `coqc` checks a proof. Neither is part of the
Python packages: on Debian and Ubuntu they are `apt install gappa coq libcoq-gappa` (libcoq-gappa brings Flocq).
Where one is missing the answer is Status.MISSING, which is neither passed nor failed.
"""

from __future__ import annotations

import enum
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path

from spec.errors import BadInput

GAPPA, COQC = "gappa", "coqc"
PACKAGES = "gappa coq libcoq-gappa"
LOGICAL = "Fltc"
"""Coq's name for the folder of the texts: file `Sums.v` is the module Fltc.Sums."""
CPU_SECONDS = 300
"""A run that takes more processor time than this is stopped: a net under what should take seconds, not a verdict."""
MEMORY_BYTES = 6 * 2**30
_HOMES = {
    "ClassicalDedekindReals.sig_forall_dec": "Coq.Reals",
    "ClassicalDedekindReals.sig_not_dec": "Coq.Reals",
    "FunctionalExtensionality.functional_extensionality_dep": "Coq.Logic",
    "Classical_Prop.classic": "Coq.Logic",
}
REAL_AXIOMS = frozenset(_HOMES)
"""What Coq's library of real numbers and Flocq on top of it assume; a proof here may rest on nothing else."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_']*(\.[A-Za-z_][A-Za-z0-9_']*)*")
_FILE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.v")
_MARK = "fltc-assumptions-of"
_CLOSED = "Closed under the global context"
_COMPILED: dict[str, bytes] = {}
"""What this process compiled, by a digest of the program, the text and all texts before it."""
MANY = 64


class Status(enum.Enum):
    """How a run ended. Only ACCEPTED is a success; MISSING and EXHAUSTED say nothing about the text."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    EXHAUSTED = "ran out of its limits"
    MISSING = "not run here"


@dataclass(frozen=True)
class Ran:
    """One run of a program.

    Args:
        status: how it ended.
        output: what it wrote to standard output.
        message: what it said otherwise, or what is missing.
    """

    status: Status
    output: str = ""
    message: str = ""


@dataclass(frozen=True)
class Compiled:
    """What coqc said of some texts.

    Args:
        status: ACCEPTED if every file compiled and the axioms of every theorem asked for were printed.
        message: what coqc said where it did not accept, or what is missing.
        axioms: for each theorem asked for, the axioms it rests on, sorted; empty unless accepted.
    """

    status: Status
    message: str = ""
    axioms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def beyond(self, allowed: frozenset[str] = REAL_AXIOMS) -> dict[str, tuple[str, ...]]:
        """The theorems that rest on something that is not allowed, and on what."""
        found = {name: tuple(a for a in axioms if a not in allowed) for name, axioms in self.axioms.items()}
        return {name: axioms for name, axioms in found.items() if axioms}


def missing(*programs: str) -> str:
    """Words for the programs that are not here, empty if all are."""
    absent = [p for p in programs if shutil.which(p) is None]
    return f"not run here: needs {', '.join(absent)} (apt install {PACKAGES})" if absent else ""


@cache
def version(program: str) -> str:
    """The first line that `program --version` writes, empty where it is not here."""
    ran = run(program, "--version")
    return ran.output.partition("\n")[0] if ran.status is Status.ACCEPTED else ""


def run(program: str, *arguments: str, folder: Path | None = None, text: str = "") -> Ran:
    """Run a program of the search path with limits on processor time and memory.

    Args:
        program: its name.
        arguments: as they are.
        folder: where it runs.
        text: what it reads from standard input.
    """
    if words := missing(program):
        return Ran(Status.MISSING, message=words)
    try:
        told = subprocess.run(
            [program, *arguments], input=text, cwd=folder, capture_output=True, text=True, check=False,
            errors="replace", preexec_fn=_limit,
        )
    except OSError as error:
        return Ran(Status.MISSING, message=f"not run here: {program} cannot be started: {error.strerror}")
    status = Status.ACCEPTED if told.returncode == 0 else Status.REFUSED
    if told.returncode < 0 or "Out of memory" in told.stderr:
        status = Status.EXHAUSTED
    return Ran(status, told.stdout, told.stderr.strip())


def _limit() -> None:
    for kind, value in ((resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_AS, MEMORY_BYTES)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def decide_script(script: str) -> Ran:
    """Gappa on a script with explicit goals: ACCEPTED where it proves them, REFUSED where it cannot."""
    return run(GAPPA, text=script)


def script_to_coq(script: str) -> Ran:
    """The Coq proof that Gappa writes of a script's goals, as `output`."""
    return run(GAPPA, "-Bcoq", text=script)


def compile_coq(files: Mapping[str, str], order: Sequence[str], ask: Sequence[str] = ()) -> Compiled:
    """Compile texts, then ask for the axioms of theorems.

    Args:
        files: text by file name, such as `Sums.v`; they see each other as `From Fltc Require Import Sums`.
        order: names of `files` in the order in which coqc shall read them; what is not named is not read.
        ask: theorems by file and name, such as `Sums.gamma_bound`; Fltc is put before each.

    Raises:
        BadInput: for a file name or a theorem that cannot be one, or an order that names no file.
    """
    for name in order:
        if _FILE.fullmatch(name) is None or name not in files:
            raise BadInput(f"{name!r} is not one of the Coq files given ({', '.join(sorted(files))})")
    for name in ask:
        if _NAME.fullmatch(name) is None or f"{name.partition('.')[0]}.v" not in order:
            raise BadInput(f"{name!r} is no theorem of a file that is compiled; write FILE.THEOREM")
    if words := missing(COQC):
        return Compiled(Status.MISSING, words)
    with tempfile.TemporaryDirectory(prefix="fltc-coq-") as place:
        folder, before = Path(place), ""
        for name in order:
            ran, before = _compile(folder, name, files[name], before)
            if ran.status is not Status.ACCEPTED:
                return Compiled(ran.status, f"{name}: {_short(ran.message)}")
        if not ask:
            return Compiled(Status.ACCEPTED)
        question = "FltcAsk_.v"
        (folder / question).write_text(_question(order, ask), encoding="utf-8")
        ran = run(COQC, "-q", "-Q", ".", LOGICAL, question, folder=folder)
    if ran.status is not Status.ACCEPTED:
        return Compiled(ran.status, f"Print Assumptions: {_short(ran.message)}")
    return _answers(ran.output, ask)


def _compile(folder: Path, name: str, text: str, before: str) -> tuple[Ran, str]:
    """Compile a file behind those that `before` is a digest of, or take what this process made of the same texts."""
    (folder / name).write_text(text, encoding="utf-8")
    key = sha256("\0".join((before, shutil.which(COQC) or "", name, text)).encode()).hexdigest()
    made = folder / f"{name.removesuffix('.v')}.vo"
    if key in _COMPILED:
        made.write_bytes(_COMPILED[key])
        return Ran(Status.ACCEPTED), key
    ran = run(COQC, "-q", "-Q", ".", LOGICAL, name, folder=folder)
    if ran.status is Status.ACCEPTED and made.exists():
        if len(_COMPILED) >= MANY:
            _COMPILED.clear()
        _COMPILED[key] = made.read_bytes()
    return ran, key


def _short(message: str) -> str:
    """The end of what coqc said, from the first error on: warnings come before it."""
    at = message.find("Error")
    start = message.rfind("File ", 0, at) if at >= 0 else 0
    return message[max(start, 0):][:2000] or "no message"


def _question(order: Sequence[str], ask: Sequence[str]) -> str:
    """A file that prints each theorem's axioms behind a mark, and last what the names of the allowed ones stand for."""
    lines = [f"From {LOGICAL} Require {name.removesuffix('.v')}." for name in order]
    for number, name in enumerate(ask):
        lines.append(f'Goal True. idtac "{_MARK} {number}". exact I. Qed.')
        lines.append(f"Print Assumptions {LOGICAL}.{name}.")
    lines.append(f'Goal True. idtac "{_MARK} {len(ask)}". exact I. Qed.')
    lines += [f"Locate {name}." for name in sorted(REAL_AXIOMS)]
    return "\n".join(lines) + "\n"


def _answers(output: str, ask: Sequence[str]) -> Compiled:
    parts = output.split(_MARK)
    if len(parts) != len(ask) + 2:
        return Compiled(Status.REFUSED, f"Print Assumptions: {len(ask)} answers were expected, {len(parts) - 2} came")
    stands_for = set(re.findall(r"^Constant (\S+)", parts[-1], re.MULTILINE))
    if others := stands_for - {f"{home}.{name}" for name, home in _HOMES.items()}:
        return Compiled(Status.REFUSED, f"{', '.join(sorted(others))}: named like an axiom of the real numbers")
    found = {}
    for number, (name, part) in enumerate(zip(ask, parts[1:-1], strict=True)):
        head, _, body = part.partition("\n")
        axioms = read_axioms(body)
        if head.strip() != str(number) or axioms is None:
            return Compiled(Status.REFUSED, f"Print Assumptions {name}: not understood: {part.strip()[:500]}")
        found[name] = axioms
    return Compiled(Status.ACCEPTED, axioms=found)


def read_axioms(text: str) -> tuple[str, ...] | None:
    """The names in one answer of Print Assumptions, sorted; None if it is none.

    A line that names no axiom, such as `f is assumed to be guarded`, is kept whole: it is allowed nowhere.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if lines == [_CLOSED]:
        return ()
    if len(lines) < 2 or lines[0] != "Axioms:":
        return None
    names = set()
    for line in lines[1:]:
        if line[0].isspace():
            continue
        name, _, rest = line.partition(" ")
        names.add(name if _NAME.fullmatch(name) and (not rest or rest.startswith(":")) else line.strip())
    return tuple(sorted(names))
