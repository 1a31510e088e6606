"""The error contract of an operator as one Coq theorem about every length, compiled with theories of proofs/coq.

proofs/numerics/theorem_<operator>.py makes the text from the contract. Accepted by coqc, and resting on the axioms of
the real numbers only, it takes the place of the assembly by hand: numerics is proved.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proofs.artifacts import sha256
from proofs.numerics import theory
from proofs.numerics.formal import Compiled, Status, compile_coq
from spec.contracts.model import Contract
from spec.stems import optional_part

FILE = "Contract_.v"
"""Under this name coqc sees the text."""


@dataclass(frozen=True)
class Theorem:
    """A Coq text that ends in a theorem.

    Args:
        name: of the theorem.
        text: the file.
        scope: what it speaks of, for readers.
        theories: what it rests on, names of files of proofs/coq in their order.
    """

    name: str
    text: str
    scope: str
    theories: tuple[str, ...]

    @property
    def key(self) -> str:
        """Digest of everything that coqc reads."""
        return sha256("".join(f"{sha256(text)}\n" for text in (*theory.texts(self.theories).values(), self.text)))


class Standing(enum.Enum):
    """What is known of a theorem: PROVED, WRONG if coqc refuses it or it assumes more than it may, else OPEN."""

    PROVED = "proved"
    WRONG = "wrong"
    OPEN = "open"


@dataclass(frozen=True)
class Judged:
    """A theorem and what is known of it, with words for the reader.

    `stored`: it was not compiled now.
    """

    theorem: Theorem
    standing: Standing
    words: str
    stored: bool = False

    def record(self, file: str) -> dict[str, Any]:
        """What the manifest keeps."""
        t = self.theorem
        return {"name": t.name, "file": file, "inputs": t.key, "verdict": self.standing.value}


def theorem_of(contract: Contract) -> Theorem | None:
    """The contract's theorem, None where its operator has none."""
    make: Callable[[Contract], Theorem] | None
    make = optional_part("proofs.numerics", f"theorem_{contract.operator}", "theorem")
    return make(contract) if make else None


def compile_theorem(theorem: Theorem) -> Compiled:
    """coqc on the theories and the theorem."""
    files = {**theory.texts(theorem.theories), FILE: theorem.text}
    return compile_coq(files, (*theorem.theories, FILE), (_asked(theorem),))


def judge(theorem: Theorem, stored: Mapping[str, Any]) -> Judged:
    """Take a theorem from the manifest's record, or compile it.

    Args:
        theorem: the theorem.
        stored: what `record` returned in a previous run; anything else is no record.
    """
    if stored.get("inputs") == theorem.key and stored.get("verdict") == Standing.PROVED.value:
        return Judged(theorem, Standing.PROVED, f"{theorem.name}: {theorem.scope}", stored=True)
    compiled = compile_theorem(theorem)
    if compiled.status is Status.REFUSED:
        return Judged(theorem, Standing.WRONG, f"coqc refuses the theorem {theorem.name}: {compiled.message}")
    if compiled.status is not Status.ACCEPTED:
        return Judged(theorem, Standing.OPEN, f"theorem {theorem.name}: {compiled.message or compiled.status.value}")
    if beyond := compiled.beyond().get(_asked(theorem)):
        return Judged(theorem, Standing.WRONG, f"the theorem {theorem.name} assumes {', '.join(beyond)}")
    return Judged(theorem, Standing.PROVED, f"{theorem.name}: {theorem.scope}")


def _asked(theorem: Theorem) -> str:
    return f"{FILE.removesuffix('.v')}.{theorem.name}"
