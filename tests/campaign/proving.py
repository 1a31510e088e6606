"""What the prover says of a kernel, end to end: `proofs.check.report.check`, as `fltc check` asks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofs.check.report import check
from proofs.check.request import CheckRequest
from proofs.entry import Analysis
from tests.campaign.kernel import Kernel

EFFORT = 6
PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"


@dataclass(frozen=True)
class Proof:
    """What the prover says.

    Args:
        statuses: the verdict of each of the seven obligations.
        analysis: what it read off the kernel; None where it does not understand it.
        reasons: of what is unknown, why: the first line of each.
        replays: of what is refuted, what the replay showed.
    """

    statuses: Mapping[str, str]
    analysis: Analysis | None
    reasons: tuple[str, ...] = ()
    replays: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Of the kernel: proved if all obligations are, refuted if one is, else unknown."""
        said = set(self.statuses.values())
        return REFUTED if REFUTED in said else PROVED if said == {PROVED} else UNKNOWN

    @property
    def proved(self) -> frozenset[str]:
        return frozenset(name for name, status in self.statuses.items() if status == PROVED)


def request_of(kernel: Kernel, effort: int = EFFORT, assembled: bool = True) -> CheckRequest:
    """What is asked of a kernel."""
    return CheckRequest(
        f"{kernel.family}-{kernel.seed}.ptx", kernel.text, block=kernel.block, grid=kernel.grid,
        assumes=assumptions(kernel), buffers=kernel.buffers, facts=kernel.facts, effort=effort, assembled=assembled,
    )  # fmt: skip


def assumptions(kernel: Kernel) -> tuple[str, ...]:
    """Those that the kernel states; where none speaks of it, also how much dynamic shared memory every launch gives."""
    if ".extern .shared" not in kernel.text or any("dynamic_shared" in text for text in kernel.assumes):
        return kernel.assumes
    return (*kernel.assumes, f"dynamic_shared == {kernel.dynamic_shared}")


def prove(kernel: Kernel, effort: int = EFFORT) -> Proof:
    """Claims, deciding and replays. Errors: those of `check`."""
    analyses: list[Analysis] = []
    report = check(request_of(kernel, effort), on_analysis=analyses.append)
    statuses = {row.obligation: row.verdict.value for row in report.rows}
    reasons, replays = [], []
    for row in report.rows:
        if row.verdict.value == UNKNOWN:
            why = row.open[0]["why"] if row.open else row.detail.splitlines()[0]
            what = f" ({row.open[0]['claim']}: {row.open[0]['states']})" if row.open else ""
            reasons.append(f"{row.obligation}: {why}{what}")
        elif row.verdict.value == REFUTED:
            replays.append(f"{row.obligation}: {row.detail.splitlines()[0]}")
    return Proof(statuses, analyses[0] if analyses else None, tuple(reasons), tuple(replays))


def _reads(kernel: Kernel, flag: str, axis: int) -> bool:
    """Whether the kernel reads a size or a position of this axis: if not, a size that is not given is 1."""
    names = ("%tid", "%ntid") if flag == "--block" else ("%ctaid", "%nctaid")
    return any(f"{name}.{'xyz'[axis]}" in kernel.text for name in names)


def command(kernel: Kernel, path: str, effort: int = EFFORT) -> str:
    """The command line that asks the same of the kernel in a file."""
    words = ["fltc check", path]
    for flag, sizes in (("--block", kernel.block), ("--grid", kernel.grid)):
        given = list(sizes)
        while given and (given[-1] is None or (given[-1] == 1 and not _reads(kernel, flag, len(given) - 1))):
            given.pop()
        if None in given:
            raise ValueError(f"{flag}: a size that is left open in front of one that is not cannot be written")
        if given:
            words.append(f'{flag} "{",".join(map(str, given))}"')
    words += [f'--assume "{text}"' for text in assumptions(kernel)]
    words += [f'--buffer "{text}"' for text in kernel.buffers]
    words += [f'--fact "{text}"' for text in kernel.facts]
    return " ".join((*words, f"--effort {effort}", "--no-store"))
