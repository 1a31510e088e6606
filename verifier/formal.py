"""Gappa and Coq, run on texts: with limits, in a folder that is removed afterwards. A program that is missing says
nothing: what needs it is counted as not run.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

GAPPA, COQC = "gappa", "coqc"
PACKAGES = "gappa coq libcoq-gappa"
SECONDS, BYTES = 300, 6 * 2**30
# What the real numbers of Coq's library assume, and the only things that a proof here may.
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec": "Coq.Reals",
    "ClassicalDedekindReals.sig_not_dec": "Coq.Reals",
    "FunctionalExtensionality.functional_extensionality_dep": "Coq.Logic",
    "Classical_Prop.classic": "Coq.Logic",
}
_AXIOM = re.compile(r"([A-Za-z_][\w'.]*)( :.*)?")
_MARK = "answer-of-the-audit"
_COMPILED: dict[str, bytes] = {}
"""Reviewed theories that this process compiled, by a digest of the program, of their texts and of those before."""


@dataclass(frozen=True)
class Answer:
    """A finished run: whether the program accepted, and what it wrote."""

    accepted: bool
    output: str
    errors: str


class Stopped(Exception):
    """A run that did not begin, or was ended by its limits or a signal: it has said nothing."""


def absent(programs: Iterable[str]) -> str:
    """Words for the programs that are not here, empty if all are."""
    names = [program for program in programs if shutil.which(program) is None]
    return f"needs {', '.join(names)}" if names else ""


def run(command: Sequence[str], folder: Path | None = None, text: str = "") -> Answer:
    """Run a program that is here; Stopped if it cannot be started or did not end by itself."""
    try:
        told = subprocess.run(
            command, input=text, cwd=folder, capture_output=True, text=True, errors="replace", check=False,
            preexec_fn=_limit,
        )
    except OSError as error:
        raise Stopped(f"{command[0]} cannot be started: {error.strerror}") from None
    if told.returncode < 0 or "Out of memory" in told.stderr:
        raise Stopped(f"{command[0]} ran out of its limits")
    return Answer(told.returncode == 0, told.stdout, told.stderr)


def _limit() -> None:
    for kind, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_AS, BYTES)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def gappa(script: str) -> Answer:
    """Gappa on a script: the Coq proof of its goals as output, if it accepts them."""
    return run([GAPPA, "-Bcoq"], text=script)


def objections(
    files: Mapping[str, str], theorems: Sequence[str], library: str = "Audit", theories: Mapping[str, str] | None = None
) -> list[str]:
    """What is wrong with Coq texts: one that does not compile, or a theorem that assumes what it may not.

    Args:
        files: texts by file name, in the order in which they are compiled; `A.v` is the module A of the library.
        theorems: `A.name` for each theorem whose axioms are looked at.
        library: the name under which the files know each other.
        theories: reviewed texts, compiled before the others; a process compiles the same ones once.
    """
    theories = theories or {}
    with tempfile.TemporaryDirectory(prefix="fltc-audit-") as place:
        before = f"{shutil.which(COQC)} {library}"
        for name, text in (*theories.items(), *files.items()):
            Path(place, name).write_text(text, encoding="utf-8")
            made = Path(place, name).with_suffix(".vo")
            before = sha256(f"{before}\0{name}\0{text}".encode()).hexdigest()
            if name in theories and before in _COMPILED:
                made.write_bytes(_COMPILED[before])
                continue
            answer = run([COQC, "-q", "-Q", ".", library, name], Path(place))
            if not answer.accepted:
                return [f"coqc refuses {name}: {_last(answer.errors)}"]
            if name in theories and made.exists():
                _COMPILED[before] = made.read_bytes()
        Path(place, "Question_.v").write_text(_question((*theories, *files), theorems, library), encoding="utf-8")
        answer = run([COQC, "-q", "-Q", ".", library, "Question_.v"], Path(place))
    if not answer.accepted:
        return [f"coqc does not know a theorem: {_last(answer.errors)}"]
    parts = answer.output.split(_MARK)
    if len(parts) != len(theorems) + 2:
        return ["coqc's answers are not understood"]
    wrong = []
    for constant in re.findall(r"^Constant (\S+)", parts[-1], re.MULTILINE):
        if constant not in {f"{home}.{name}" for name, home in ALLOWED.items()}:
            wrong.append(f"{constant} has the name of an axiom of the real numbers")
    for theorem, part in zip(theorems, parts[1:-1], strict=True):
        wrong += [f"{theorem} assumes {axiom}" for axiom in assumed(part) if axiom not in ALLOWED]
    return wrong


def _question(files: Iterable[str], theorems: Sequence[str], library: str) -> str:
    lines = [f"From {library} Require {name.removesuffix('.v')}." for name in files]
    mark = f'Goal True. idtac "{_MARK}". exact I. Qed.'
    for theorem in theorems:
        lines += [mark, f"Print Assumptions {library}.{theorem}."]
    return "\n".join([*lines, mark, *(f"Locate {name}." for name in ALLOWED)]) + "\n"


def assumed(answer: str) -> list[str]:
    """The axioms that Print Assumptions names; a line that is not understood stands for itself."""
    lines = [line for line in answer.splitlines() if line.strip()]
    if lines == ["Closed under the global context"]:
        return []
    if len(lines) < 2 or lines[0] != "Axioms:":
        return [" ".join(lines) or "nothing is printed"]
    names = []
    for line in lines[1:]:
        if not line[0].isspace():
            match = _AXIOM.fullmatch(line)
            names.append(match.group(1) if match else line)
    return names


def _last(errors: str) -> str:
    """The error at the end of what coqc wrote; warnings come before it."""
    at = errors.rfind("File ", 0, errors.rfind("Error"))
    return " ".join(errors[max(at, 0) :].split())[:400]
