"""Gappa scripts as part of the obligation numerics: run, or taken from the store, or not run here.

A script is proved when Gappa proves it, refuses its control, the control's witness shows that the refusal is right, and
coqc accepts the closing theorem with no axioms but those of the real numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofs.artifacts import sha256
from proofs.numerics import formal
from proofs.numerics.formal import Status
from proofs.numerics.gappa import COQ_FILE, Script, coq_file, refuted_by_witness
from proofs.verdict import Verdict
from spec.contracts.model import Contract
from spec.stems import optional_part


@dataclass(frozen=True)
class Checked:
    """A script, the Coq proof that Gappa wrote of it (empty: none), and what is known of both.

    `verdict` is PROVED or UNKNOWN; `words` say why it is not proved, `ran` whether the programs were there.
    """

    script: Script
    proof: str
    verdict: Verdict
    words: str = ""
    ran: bool = True

    def files(self) -> dict[str, str]:
        """Artifacts by name."""
        names = file_names(self.script.name)
        found = {names["file"]: self.script.text, names["control"]: self.script.control_text}
        return found | ({names["proof"]: self.proof} if self.proof else {})

    def record(self) -> dict[str, Any]:
        """What a manifest says of it."""
        names = file_names(self.script.name)
        if not self.proof:
            names["proof"] = ""
        return {"name": self.script.name, **names, "verdict": self.verdict.value}


def file_names(name: str) -> dict[str, str]:
    """Names of the artifacts of a script."""
    return {
        "file": f"numerics.{name}.g", "control": f"numerics.{name}.control.g", "proof": f"numerics.{name}.v",
    }


def scripts_of(contract: Contract) -> list[Script]:
    """The scripts of the contract's operator, none where it has no module of them."""
    make: Callable[[Contract], list[Script]] | None
    make = optional_part("proofs.numerics", f"gappa_{contract.operator}", "scripts")
    return make(contract) if make else []


def check(scripts: Sequence[Script], stored: Mapping[str, str], proved: Container[str]) -> list[Checked]:
    """Decide scripts.

    Args:
        scripts: what to decide; those that the store has are taken from it.
        stored: texts of stored artifacts by name.
        proved: digests of stored artifacts that were proved; see proofs.store.
    """
    found = [_from_store(script, stored, proved) or _by_gappa(script) for script in scripts]
    new = [c for c in found if c.verdict is Verdict.PROVED and sha256(c.proof) not in proved]
    words, ran = _by_coq(new)
    if not words:
        return found
    # Together they were refused: each alone, to know which.
    alone = {c.script.name: (_by_coq([c]) if ran and len(new) > 1 else (words, ran)) for c in new}
    return [_unproved(c, *alone[c.script.name]) if c in new else c for c in found]


def _unproved(checked: Checked, words: str, ran: bool) -> Checked:
    if not words:
        return checked
    return Checked(checked.script, checked.proof, Verdict.UNKNOWN, words, ran)


def _from_store(script: Script, stored: Mapping[str, str], proved: Container[str]) -> Checked | None:
    names = file_names(script.name)
    proof = stored.get(names["proof"], "")
    same = (stored.get(names["file"]), stored.get(names["control"])) == (script.text, script.control_text)
    if same and all(sha256(text) in proved for text in (script.text, script.control_text, proof)):
        return Checked(script, proof, Verdict.PROVED)
    return None


def _by_gappa(script: Script) -> Checked:
    """Gappa on script and control. PROVED here means: by Gappa; coqc has not seen it yet."""
    ran = formal.script_to_coq(script.text)
    control = formal.decide_script(script.control_text)
    if Status.MISSING in (ran.status, control.status):
        return Checked(script, "", Verdict.UNKNOWN, ran.message, ran=False)
    if ran.status is not Status.ACCEPTED:
        return Checked(script, "", Verdict.UNKNOWN, f"Gappa does not prove it: {ran.message}")
    if control.status is not Status.REFUSED:
        words = f"its control must be refused; it is {control.status.value}"
        return Checked(script, ran.output, Verdict.UNKNOWN, words)
    if not refuted_by_witness(script):
        return Checked(script, ran.output, Verdict.UNKNOWN, "its witness does not show that the control is false")
    return Checked(script, ran.output, Verdict.PROVED)


def _by_coq(checked: Sequence[Checked]) -> tuple[str, bool]:
    """What coqc objects to, empty if it accepts; and whether it ran."""
    if not checked:
        return "", True
    text = coq_file([(c.script, c.proof) for c in checked])
    file = COQ_FILE.removesuffix(".v")
    found = formal.compile_coq({COQ_FILE: text}, [COQ_FILE], [f"{file}.{c.script.theorem}" for c in checked])
    if found.status is not Status.ACCEPTED:
        return found.message, found.status is not Status.MISSING
    beyond = found.beyond()
    return "; ".join(f"{name} rests on {', '.join(axioms)}" for name, axioms in sorted(beyond.items())), True
