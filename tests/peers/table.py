"""docs/peers.md from the data: one row for each test kernel, then the counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fltc.kernels import Kernel, kernels
from tests.peers.data import FLTC, PARTS, SANITIZER, STALE, VIZ, Content, Results, asked, sha256
from tests.peers.launch import ORDINARY, SHOWN
from tests.peers.verdicts import CLEAN, CRASH, FAILED, FOUND, HANG, NOT_RUN, SKIPPED, Said

TEXT = Path(__file__).parent / "peers.md"  # what a person wrote, with the marks below
MARKS = ("VERSIONS", "TABLE", "COUNTS", "SOUND", "LAUNCHES")
ANSWERS = {CLEAN, FOUND, HANG, CRASH, FAILED}  # what a tool that was run says
NO_LAUNCH = "no launch"
NOT_TRITON = "not applicable: no Triton source"


def page(root: Path, results: Results) -> str:
    """The whole of docs/peers.md."""
    found = kernels(root)
    parts = {"VERSIONS": versions(results), "TABLE": table(found, results), "COUNTS": counts(found, results),
             "SOUND": sound(found, results), "LAUNCHES": launches(found, results)}  # fmt: skip
    text = TEXT.read_text("utf-8")
    for mark in MARKS:
        text = text.replace(f"<!-- {mark} -->", "\n".join(parts[mark]))
    return text


def summary(root: Path, results: Results) -> str:
    """The counts, for a terminal."""
    found = kernels(root)
    return "\n".join([*counts(found, results), "", *sound(found, results)])


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *body]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


def versions(results: Results) -> list[str]:
    tools = results.tools
    lines = []
    if FLTC in tools:
        lines.append([f"`{FLTC} check`", f"this checkout, Z3 {tools[FLTC]['z3']}", tools[FLTC]["date"]])
    if SANITIZER in tools:
        of = tools[SANITIZER]
        options = "; ".join(f"{part} {' '.join(words)}" for part, words in of["options"].items() if words)
        what = f"{of['version']}, {of['device']}, driver for CUDA {of['driver']}; {options}"
        lines.append([f"`{SANITIZER}`", what, of["date"]])
    if VIZ in tools:
        of = tools[VIZ]
        lines.append([f"`{VIZ}`", ", ".join(f"{n} {v}" for n, v in of["versions"].items()), of["date"]])
    return rows(["tool", "version and device", "run on"], lines)


# --- the table of all kernels ---


def table(found: Sequence[Kernel], results: Results) -> list[str]:
    head = ["kernel", "what it is, or what is wrong", "`fltc check`", "compute-sanitizer, shown", "ordinary",
            "triton-viz, shown", "ordinary"]  # fmt: skip
    body = []
    for kernel in found:
        what = f"{kernel.refuted}: {kernel.says}" if kernel.refuted else f"sound: {kernel.says}"
        cells = [kernel.name, what, of_fltc(kernel, results)]
        cells += [of_sanitizer(kernel, results, which) for which in (SHOWN, ORDINARY)]
        cells += [of_viz(kernel, results, which) for which in (SHOWN, ORDINARY)]
        body.append(cells)
    return rows(head, body)


def of_fltc(kernel: Kernel, results: Results) -> str:
    state, content = fltc_state(kernel, results)
    if content is None:
        return state
    return "proved" if content["verdict"] == "proved" else f"{content['verdict']}: {content['found']}"


def fltc_state(kernel: Kernel, results: Results) -> tuple[str, Content | None]:
    """`not run` or `stale`, or the answer for the present file and flags."""
    content = results.kernels.get(kernel.name, {}).get(FLTC)
    if content is None:
        return NOT_RUN, None
    if content["of"] != sha256(kernel.path) or content["flags"] != asked(kernel):
        return STALE, None
    return "", content


def of_sanitizer(kernel: Kernel, results: Results, which: str) -> str:
    """What its four tools said of one launch: reports, and once what ended the launch."""
    if which == SHOWN and not kernel.refuted:
        return ""
    if which not in results.launches(kernel.name):
        return absent(kernel, results)
    said = {part: results.said(part, kernel, which) for part in PARTS}
    cells = [f"{part}: {words(one)}" for part, one in said.items() if one.verdict in (FOUND, HANG, FAILED)]
    states = {one.verdict for one in said.values()}
    cells += [state for state in (NOT_RUN, STALE) if state in states]
    if not any(one.verdict in (FOUND, HANG, FAILED) for one in said.values()):
        cells += ["memcheck alone: clean"] if said["memcheck"].verdict == CLEAN and SKIPPED in states else []
        cells += [words(said["memcheck"])] if said["memcheck"].verdict == SKIPPED else []
        cells += ["clean"] if states == {CLEAN} else []
    crashes = dict.fromkeys(kind for one in said.values() if one.verdict == CRASH for kind in one.kinds)
    cells += [f"the launch ends with {kind}" for kind in crashes]
    return "; ".join(cells)


def absent(kernel: Kernel, results: Results) -> str:
    """Why there is no launch."""
    state, content = fltc_state(kernel, results)
    return state if content is None else NO_LAUNCH


def of_viz(kernel: Kernel, results: Results, which: str) -> str:
    if kernel.source.suffix != ".py":
        return NOT_TRITON if which == SHOWN else ""
    if which == SHOWN and not kernel.refuted:
        return ""
    if which not in results.launches(kernel.name):
        return absent(kernel, results)
    return words(results.said(VIZ, kernel, which))


def words(said: Said) -> str:
    if said.verdict == FOUND:
        return ", ".join(f"`{kind}`" for kind in said.kinds)
    kinds = ", ".join(said.kinds)
    return f"{said.verdict}: {kinds}" if kinds else said.verdict


# --- the counts ---


def counts(found: Sequence[Kernel], results: Results) -> list[str]:
    """Of the faulty kernels of each obligation, on how many each tool reports something, of how many it was run on."""
    faulty = [kernel for kernel in found if kernel.refuted]
    kinds = sorted({kernel.refuted for kernel in faulty})
    body = []
    for kind in [*kinds, "all"]:
        here = [kernel for kernel in faulty if kind in (kernel.refuted, "all")]
        triton = [kernel for kernel in here if kernel.source.suffix == ".py"]
        states = [fltc_state(kernel, results)[1] for kernel in here]
        run = [content for content in states if content is not None]
        line = [kind, str(len(here)), f"{sum(bool(content['line']) for content in run)}/{len(run)}"]
        line += [ratios(here, results, (part,), FOUND) for part in PARTS]
        line += [ratios(here, results, PARTS, FOUND), ratios(here, results, PARTS, CRASH, HANG)]
        line.append(ratios(triton, results, (VIZ,), FOUND))
        body.append(line)
    head = ["broken", "kernels", "`fltc check`", *PARTS, "any of these four", "the launch fails", "triton-viz"]
    return rows(head, body)


def ratios(found: Sequence[Kernel], results: Results, tools: Sequence[str], *verdicts: str) -> str:
    """`SHOWN, ORDINARY`: at each launch the kernels of which a tool says so, of those with an answer of any of them."""
    cells = []
    for which in (SHOWN, ORDINARY):
        said = [{results.said(tool, kernel, which).verdict for tool in tools} for kernel in found]
        run = [states for states in said if states & ANSWERS]
        cells.append(f"{sum(bool(states & {*verdicts}) for states in run)}/{len(run)}")
    return ", ".join(cells)


def sound(found: Sequence[Kernel], results: Results) -> list[str]:
    """Of the sound kernels, how many each tool calls sound and on how many it reports something."""
    here = [kernel for kernel in found if not kernel.refuted]
    states = [content for kernel in here if (content := fltc_state(kernel, results)[1]) is not None]
    verdicts = [content["verdict"] for content in states]
    proved, alarms, others = (verdicts.count(verdict) for verdict in ("proved", "refuted", "unknown"))
    body = [["`fltc check`", f"{len(states)} of {len(here)}", f"{proved} proved", str(alarms), str(others)]]
    for part in (*PARTS, VIZ):
        of = [kernel for kernel in here if part != VIZ or kernel.source.suffix == ".py"]
        said = [results.said(part, kernel, ORDINARY).verdict for kernel in of]
        run = [verdict for verdict in said if verdict in ANSWERS]
        others = sum(verdict not in (CLEAN, FOUND) for verdict in run)
        body.append([part, f"{len(run)} of {len(of)}", f"{run.count(CLEAN)} clean", str(run.count(FOUND)), str(others)])
    return rows(["tool", "run on", "says so", "reports on", "no answer"], body)


def launches(found: Sequence[Kernel], results: Results) -> list[str]:
    return rows(["kernel", "launch"], list(_launch_lines(found, results)))


def _launch_lines(found: Sequence[Kernel], results: Results) -> Iterator[list[str]]:
    for kernel in found:
        for which, launch in sorted(results.launches(kernel.name).items(), reverse=True):
            yield [kernel.name, f"{which}: {launch.words}"]
