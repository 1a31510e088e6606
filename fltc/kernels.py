"""The test kernels (tests/ptx/kernels): how each is checked, and what its report must say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spec.errors import BadInput

FOLDER = Path("tests/ptx/kernels")
OPEN = "open.txt"
HEAD = ("says", "source", "flags")
KEYS = frozenset({"says", "flags", "define", "replace", "refuted", "at", "unknown", "because", "fault"})


@dataclass(frozen=True)
class Kernel:
    """One PTX file with its flags of `fltc check`.

    Args:
        refuted: the obligation that a faulty kernel breaks; empty where all are to be proved.
        at: text of the source line (of the PTX line, where the PTX is the source) that the refutation must name.
        unknown: of a sound kernel, the obligations that the prover cannot decide (docs/limits.md).
        because: what one of these must give as its reason, or part of it.
        faults: numbers of the known kinds of faults that it shows, or shows mended.
    """

    path: Path
    source: Path
    says: str
    flags: tuple[str, ...]
    refuted: str
    at: str
    unknown: tuple[str, ...] = ()
    because: str = ""
    faults: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def expected(self) -> str:
        if self.unknown:
            return f"{', '.join(self.unknown)} unknown"
        return f"{self.refuted} refuted" if self.refuted else "proved"


def kernels(root: Path, only: Sequence[str] = ()) -> list[Kernel]:
    """All test kernels of a checkout, or those named (a stem names its faulty variants too)."""
    found: list[Kernel] = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        family = tomllib.loads(path.read_text("utf-8"))
        variants = {name: content for name, content in family.items() if name not in HEAD}
        found += [_kernel(path, family, name, content) for name, content in variants.items()]
    unknown = [name for name in only if not any(_named(kernel, name) for kernel in found)]
    if unknown:
        raise BadInput(f"no test kernel is called {', '.join(unknown)}; they are those of {FOLDER}")
    return [kernel for kernel in found if not only or any(_named(kernel, name) for name in only)]


def _named(kernel: Kernel, name: str) -> bool:
    return name in (kernel.name, kernel.name.partition("-")[0])


def _kernel(path: Path, family: Mapping[str, Any], name: str, content: Any) -> Kernel:
    if not isinstance(content, dict) or not KEYS.issuperset(content):
        raise BadInput(f"{path.name}: [{name}] holds keys of {', '.join(sorted(KEYS))}")
    pairs = [("refuted", "at"), ("unknown", "because")]
    if any((one in content) != (other in content) for one, other in pairs) or {"refuted", "unknown"} <= set(content):
        raise BadInput(f"{path.name}: [{name}] has `refuted` with `at`, or `unknown` with `because`, or none of them")
    return Kernel(
        path.parent / f"{name}.ptx", path.parent / family["source"], content.get("says", family["says"]),
        tuple(content.get("flags", family["flags"])), content.get("refuted", ""), content.get("at", ""),
        tuple(_several(content.get("unknown", []))), content.get("because", ""),
        tuple(_several(content.get("fault", []))),
    )  # fmt: skip


def _several(value: Any) -> list[Any]:
    """A list, where one alone may be written without brackets."""
    return value if isinstance(value, list) else [value]


def still_open(root: Path) -> dict[str, str]:
    """Kernels that do not come out as they should yet, with the cause: lines `NAME: CAUSE`."""
    lines = (root / FOLDER / OPEN).read_text("utf-8").splitlines()
    pairs = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    return {name: cause for name, _, cause in pairs}


def wrong(kernel: Kernel, report: Mapping[str, Any]) -> str:
    """What a report (docs/check.md, JSON) says other than it should; empty where all is as expected."""
    rows = report["rows"]
    if not kernel.refuted:
        wanted = dict.fromkeys(kernel.unknown, "unknown")
        other = [row for row in rows if row["verdict"] != wanted.get(row["obligation"], "proved")]
        undecided = [row for row in rows if row["obligation"] in wanted]
        if undecided and not other and not any(_says_why(kernel, row) for row in undecided):
            return f"{kernel.expected}, but not because {kernel.because!r}"
        return ", ".join(f"{row['obligation']} {row['verdict']}" for row in other)
    (row,) = [row for row in rows if row["obligation"] == kernel.refuted]
    if row["verdict"] != "refuted":
        return f"{kernel.refuted} {row['verdict']}"
    if not any(_shows(kernel, example) for example in examples(row["counterexample"])):
        return f"{kernel.refuted} refuted, but not at {kernel.at!r}"
    return ""


def false_verdicts(kernel: Kernel, report: Mapping[str, Any]) -> list[str]:
    """Verdicts that are untrue, and not only undecided: a fault called proved, or a sound kernel called faulty."""
    rows = report["rows"]
    if kernel.refuted:
        missed = any((row["obligation"], row["verdict"]) == (kernel.refuted, "proved") for row in rows)
        return [f"{kernel.refuted} proved"] if missed else []
    return [f"{row['obligation']} refuted" for row in rows if row["verdict"] == "refuted"]


def _says_why(kernel: Kernel, row: Mapping[str, Any]) -> bool:
    return any(kernel.because in said for claim in row["open"] for said in (claim["why"], *claim.get("help", ())))


def examples(counterexample: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [counterexample, *counterexample.get("others", [])]


def _shows(kernel: Kernel, example: Mapping[str, Any]) -> bool:
    """Whether a counterexample was replayed and names the line with the fault."""
    text = kernel.source.read_text("utf-8").splitlines()
    if kernel.source.suffix == ".ptx":
        lines = [" ".join(shown.split()) for shown in example["text"].values()]
        return bool(example["reproduced"]) and any(kernel.at in line for line in lines)
    chains = [chain.split(", inlined at ") for chain in example["source"].values()]
    places = [place.rpartition(":") for chain in chains for place in chain]
    named = [int(line) for file, _, line in places if Path(file).name == kernel.source.name]
    return bool(example["reproduced"]) and any(kernel.at in text[line - 1] for line in named)
