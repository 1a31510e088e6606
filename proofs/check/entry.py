"""One entry from its problem to its rows: claims are stated, decided within the effort, and refutations replayed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from proofs.check.answers import AnswerStore
from proofs.check.assumed import UNDECIDED
from proofs.check.decisions import NOT_ASKED, decide_all
from proofs.check.findings import Context, Finding
from proofs.check.known import Known
from proofs.check.open_claims import Open, not_followed, not_replayed, shut_out, undecided
from proofs.check.ordering import could_be_ordered
from proofs.check.source import Places
from proofs.check.work import Workers
from proofs.claims import Claim
from proofs.claims.model import domain, known
from proofs.contents import contents_of
from proofs.discharge import Decision
from proofs.effort import Limits, Meter
from proofs.entry import Analysis, analyse
from proofs.outcome import SOLVER_OBLIGATIONS
from proofs.problem import Problem
from proofs.query import Hypothesis, build
from proofs.records import Access
from proofs.replay import replay
from proofs.replay.model import made_anew
from proofs.results import Row
from proofs.terms import Poly, Symbol
from proofs.verdict import Verdict
from proofs.wording import states
from spec.errors import Unsupported

# What is asked of every entry; coverage only of the buffers that --covers names.
KINDS = ("race", "barrier", "bounds", "single-writer", "no-wrap", "init", "no-trap")
MAX_SHOWN, MAX_FAILED = 4, 8  # counterexamples of one kind that show, though it be one fault, and that do not
MAX_SPANS = 8  # of lines in a note
REACH_RLIMIT = 400_000
NOT_LOOKED = "not looked at, since something else was refuted first"
FURTHER = 4  # a part of an obligation's effort for counterexamples: all further ones together cost no more


@dataclass(frozen=True)
class Checked:
    """The rows of one entry, and notes for the reader. `one_value`: as in `Analysis`."""

    rows: list[Row]
    notes: list[str]
    one_value: frozenset[frozenset[int]] = frozenset()


def kinds_of(problem: Problem) -> tuple[str, ...]:
    """The obligations that are asked of an entry."""
    if problem.contract is not None:
        return (*SOLVER_OBLIGATIONS, "abi")
    return (*KINDS, "coverage") if problem.outputs else KINDS


def unknown_entry(problem: Problem, detail: str, seconds: float = 0.0) -> Checked:
    """Rows that say the same of every obligation."""
    name, each = problem.function.name, seconds / len(kinds_of(problem))
    return Checked([Row(name, kind, Verdict.UNKNOWN, seconds=each, detail=detail) for kind in kinds_of(problem)], [])


def check_entry(
    problem: Problem, limits: Limits, workers: Workers, store: AnswerStore | None,
    on_progress: Callable[[int, int], None], on_analysis: Callable[[Analysis], None] | None = None,
    first: bool = False, known: Known | None = None,
) -> Checked:
    """Check one entry.

    Args:
        on_analysis: is told what was read off the entry.
        first: only until something is refuted; what was not looked at is then unknown.
        known: claims that were found to hold of another text; see `proofs.check.known`.
    """
    start = time.monotonic()
    places = Places(problem)
    # Half of the effort may go into reading the entry, three quarters of it until all is decided: the rest is there for
    # running counterexamples, without which nothing is refuted.
    meter = Meter(limits.units // 2, store)
    try:
        analysis = analyse(problem, ask=meter, limits=limits)
    except Unsupported as error:
        text = f"\n  {places.whole(error.line)}" if error.line else ""
        return unknown_entry(
            problem, f"{error}{text}\nnothing is said of an entry that is not understood", time.monotonic() - start
        )
    meter.left = limits.units - meter.used - limits.units // 4
    dead = _unreachable(analysis, meter)
    findings = {kind: Finding() for kind in kinds_of(problem)}
    claims = [c for c in analysis.claims if not _needs_declaration(problem, c)]
    decided, remembered = decide_all(claims, meter, workers, store, on_progress, analysis.enumerator, known)
    meter.left = max(meter.left, 0) + limits.units // 4  # the last queries may have taken more than there was
    alike, other = (
        {frozenset(d.claim.lines) for d in decided.values() if (d.alike if same else d.status != "unsat")}
        for same in (True, False)
    )
    analysis = replace(analysis, one_value=frozenset(alike - other))
    if on_analysis is not None:
        on_analysis(analysis)
    registers, rows = True, True
    for claim in claims:
        findings[claim.obligation].remembered += claim.name in remembered
        if decided[claim.name].status != "unsat":
            registers = registers and not claim.name.startswith("defined.")
            rows = rows and not claim.name.startswith("rows.")
    refuted = False
    for decision, units in in_turn([decided[c.name] for c in claims], findings, meter):
        finding = findings[decision.claim.obligation]
        if first and refuted:
            finding.open.append(Open(decision.claim.name, decision.claim.words, decision.claim.lines, NOT_LOOKED))
            continue
        with meter.part(units):
            _settle(analysis, decision, finding, meter, limits)
        refuted = bool(finding.refuted)
    findings["bounds"].assumed += _undeclared_bounds(analysis)
    findings["init"].open += _unwritten(analysis)
    if store is not None:
        store.put(meter.fresh)
    accesses = analysis.records.accesses
    vacuous = ""
    if accesses and len(dead) == len(accesses):
        vacuous = "under these assumptions no thread reaches any memory access, so nothing was examined"
    elif any(text.startswith(UNDECIDED) for text in problem.assumptions):
        vacuous = "cannot tell whether the assumptions contradict each other, in which case everything would follow"
    memory = analysis.memory | {
        d.claim.obligation for d in decided.values() if problem.sources
        and d.rung not in ("syntactic", "enumeration") and d.claim.query is not None and d.claim.query.contents
    }
    registers = registers and (findings["barrier"].holds or not analysis.exchanges)
    context = Context(problem.function.name, findings, registers, vacuous, places, memory, rows, analysis.shares)
    notes = [f"note: under these assumptions no thread reaches {_short(places, a)}" for a in dead]
    notes += [f"note: facts about {b} are not used, since the launch writes there" for b in sorted(analysis.rewritten)]
    notes += _undefined(analysis) if findings["init"].holds else []
    notes += _wrapping(analysis.wrapping.lines)
    notes += [f"note: this hint was not proved, and is not used: {text}" for text in analysis.unproved]
    notes += _alike([d for d in decided.values() if d.alike])
    notes += [
        f"lanes of one warp that store one value to one word at once make one store: {_short(places, a)}"
        for a in accesses if _one_store(problem, a)
    ]  # fmt: skip
    return Checked([context.row(kind) for kind in kinds_of(problem)], notes, analysis.one_value)


def in_turn(
    decisions: Sequence[Decision], findings: Mapping[str, Finding], meter: Meter
) -> Iterator[tuple[Decision, int]]:
    """The decisions in the order in which they are filed, each with the effort that it may cost.

    Each kind of obligation has an equal part of what is left for counterexamples of its own until one of them has
    shown, and a part is left over: so a kind whose launches take long does not use up the effort of the others. Further
    ones of a kind that has one take turns and cost little, the others get what is left. The order within a kind stays.
    """
    queues: dict[str, list[Decision]] = {}
    for decision in decisions:
        if _to_run(decision):
            queues.setdefault(decision.claim.obligation, []).append(decision)
        else:
            yield decision, 0
    purse = (meter.left or 0) // (len(queues) + 1)
    for kind, queue in queues.items():
        end = meter.used + purse
        while queue and meter.used < end and not findings[kind].refuted:
            yield queue.pop(0), end - meter.used
    further = dict.fromkeys(queues, purse // FURTHER)
    while left := [kind for kind, queue in queues.items() if queue]:
        for number, kind in enumerate(left):
            before, units = meter.used, (meter.left or 0) // (len(left) - number)
            shown = bool(findings[kind].refuted)
            yield queues[kind].pop(0), min(units, further[kind]) if shown else units
            further[kind] -= (meter.used - before) * shown


def _undefined(analysis: Analysis) -> list[str]:
    """Registers that are read where some threads have not written them, which is allowed since nothing comes of it."""
    lines: dict[str, list[int]] = {}
    for read in analysis.records.undefined:
        lines.setdefault(read.register, []).append(read.at.line)
    return [
        f"register {name} is read at PTX line {', '.join(map(str, sorted(set(found))))} by threads that have not "
        "written it; what they read reaches no address, guard or memory"
        for name, found in lines.items()
    ]


def _wrapping(lines: tuple[int, ...]) -> list[str]:
    """Where arithmetic is modular, on purpose as it seems: hashes, random numbers."""
    if not lines:
        return []
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    shown = [str(low) if low == high else f"{low}-{high}" for low, high in spans]
    if len(shown) > MAX_SPANS:
        shown[MAX_SPANS - 1:] = [f"... {shown[-1]} ({len(lines)} lines)"]
    return [f"note: numbers may wrap at PTX line {', '.join(shown)}: they reach no address, guard or bound"]


def _alike(decisions: list[Decision]) -> list[str]:
    """Formally these bytes have several writers; what they hold does not depend on who comes last."""
    lines = sorted({line for d in decisions for line in d.claim.lines})
    if not lines:
        return []
    where = ", ".join(map(str, lines))
    return [f"note: several threads write the same value to the same place at PTX line {where}, as if they were one"]


def _settle(analysis: Analysis, decision: Decision, finding: Finding, meter: Meter, limits: Limits) -> None:
    """File what became of a claim; a counterexample counts once it was run."""
    start = time.monotonic()
    claim = decision.claim
    finding.claims += 1
    finding.rungs[claim.name] = decision.rung
    if decision.reason == NOT_ASKED:
        finding.open.append(Open(claim.name, states(claim, analysis.records), claim.lines, NOT_ASKED))
    elif not _to_run(decision):
        if decision.status == "unknown":
            finding.open.append(undecided(analysis.problem, analysis.records, decision, limits.effort))
    elif (order := could_be_ordered(analysis.graph, claim, decision.model))[0]:
        finding.open.append(not_followed(analysis.problem, analysis.records, claim, *order))
    elif _enough(finding, meter):
        words = "a solver has a counterexample, not replayed since enough others of this kind were"
        finding.open.append(Open(claim.name, states(claim, analysis.records), claim.lines, words))
    else:
        finding.replays += 1
        like = finding.refuted[0][1] if finding.refuted else None
        seen = replay(analysis, decision.subject, decision.model, meter, meter, like)
        if not seen.reproduced and decision.narrowed is not None and made_anew(claim):
            # The numbers of the candidate may be some that no launch comes to.
            seen = replay(analysis, claim, decision.model, meter, meter)
        finding.failed += not seen.reproduced
        if not seen.reproduced and decision.status == "unknown":
            finding.open.append(undecided(analysis.problem, analysis.records, decision, limits.effort))
        elif not seen.reproduced:
            finding.open.append(not_replayed(analysis.problem, analysis.records, decision, str(seen.content["replay"])))
        elif not _again(finding, seen.content):
            where = "".join(f"\n  {Places(analysis.problem).whole(n)}" for n in _lines(seen.content))
            finding.refuted.append((seen.detail + where, seen.to_json() | {"help": shut_out(analysis.problem, claim)}))
    finding.seconds += decision.seconds + time.monotonic() - start


def _to_run(decision: Decision) -> bool:
    """Whether there are launches to run: counterexamples, or any at all where no store of an output is understood, or
    no barrier of part of a block is."""
    claim = decision.claim
    any_launch = claim.obligation in ("coverage", "barrier") and claim.partial and decision.reason == claim.reason
    return decision.status == "sat" or (decision.status == "unknown" and any_launch)


def _enough(finding: Finding, meter: Meter) -> bool:
    """Whether no further counterexample of a kind is run."""
    shown = finding.replays - finding.failed
    return shown >= MAX_SHOWN or finding.failed >= MAX_FAILED or (bool(finding.refuted) and meter.over)


def _again(finding: Finding, content: Mapping[str, object]) -> bool:
    """Several claims may lead to the same two accesses of one launch; that is one finding."""
    return any(e["accesses"] and e["accesses"] == content["accesses"] for _, e in finding.refuted)


def _lines(content: Mapping[str, object]) -> list[int]:
    lines = content["lines"]
    assert isinstance(lines, list)
    return lines


def _undeclared(problem: Problem, access: Access) -> bool:
    return access.space == "global" and problem.buffers[access.buffer].columns is None


def _needs_declaration(problem: Problem, claim: Claim) -> bool:
    """Whether bounds cannot be asked of an access; `_undeclared_bounds` says what is missing."""
    if claim.obligation != "bounds" or claim.name.startswith("offset."):
        return False
    return any(_undeclared(problem, access) for access, _ in claim.subjects)


def _undeclared_bounds(analysis: Analysis) -> list[Open]:
    """Pointers of which neither size nor alignment is known, each with the accesses through it."""
    problem = analysis.problem
    found = []
    for name in problem.buffers:
        through = [a for a in analysis.records.accesses if _undeclared(problem, a) and a.buffer == name]
        if not through:
            continue
        lines = tuple(sorted({a.at.line for a in through}))
        words = "the accesses lie inside their buffer, aligned to their width"
        why = f"{name} is not declared, its extent and alignment are unknown"
        found.append(Open(f"declared.{name}", words, lines, why, (_declaration(problem, name, through),)))
    return found


def _declaration(problem: Problem, name: str, through: list[Access]) -> str:
    """A `--buffer` flag that fits the accesses through a pointer."""
    kinds = {a.kind for a in through}
    access = "rw" if len(kinds) > 1 or not kinds <= {"read", "write"} else "r" if kinds == {"read"} else "w"
    width = min(a.width for a in through)
    element = {1: "u8", 2: "f16", 8: "f64"}.get(width, "f32")
    bases = {b.base.name for b in problem.buffers.values()}
    sizes = [s.name for t in problem.parameters.values() if t is not None for s in t.symbols() if s.name not in bases]
    extent = sizes[0] if len(sizes) == 1 else "EXTENT"
    return f'--buffer "{name}={element}[{extent}]:{access}", for example'


def _unwritten(analysis: Analysis) -> list[Open]:
    """Reads of buffers that were declared write only: nobody promises that their bytes hold anything."""
    problem = analysis.problem
    return [
        Open(
            f"unwritten.{a.id}", "every byte read was written before", (a.at.line,),
            f"{a.buffer} is read, and is declared :w", (f"declare {a.buffer} as :rw, if its content is the caller's",),
        )
        for a in analysis.records.accesses
        if a.space == "global" and a.reads and "r" not in problem.buffers[a.buffer].access
    ]  # fmt: skip


def _one_store(problem: Problem, access: Access) -> bool:
    """Whether lanes of a warp may meet in a store whose value they have alike."""
    if not (access.alike and access.space == "shared" and access.kind == "write"):
        return False
    if any(problem.specials[f"%ntid.{axis}"].value != 1 for axis in "yz"):
        return True
    symbols = problem.specials["%tid.x"].symbols()
    further = access.address.substitute({s: Poly.symbol(s) + 1 for s in symbols}) - access.address
    return further.value is None or abs(further.value) < access.width


def _unreachable(analysis: Analysis, meter: Meter) -> list[Access]:
    """Accesses that no thread reaches under the assumptions.

    Most often there is a thread that reaches all of them, and else one that reaches several.
    """
    launch = domain(analysis.problem)
    accesses = analysis.records.accesses
    seen: list[dict[str, int]] = []
    dead = []

    def reached(here: Sequence[Hypothesis]) -> str:
        if any(_holds(here, values) for values in reversed(seen)):
            return "sat"
        answer = meter(build("reach", (), here, "false", []).text, REACH_RLIMIT)
        if answer.status == "sat":
            seen.append(answer.model)
        return answer.status

    if len(accesses) > 1:
        reached([*launch, *(h for a in accesses for h in known(a.at))])
    for access in accesses:
        if reached([*launch, *known(access.at)]) == "unsat":
            dead.append(access)
    return dead


def _holds(hypotheses: Sequence[Hypothesis], values: Mapping[str, int]) -> bool:
    """Whether all hold under these values. Not said where they speak of memory, whose elements depend on each other."""
    conds = [h.cond for h in hypotheses]
    if contents_of(conds) or not all(_in_range(s, s.value(values)) for c in conds for s in c.symbols()):
        return False
    return all(c.evaluate(values) for c in conds)


def _in_range(symbol: Symbol, value: int) -> bool:
    return (symbol.low is None or symbol.low <= value) and (symbol.high is None or value <= symbol.high)


def _short(places: Places, access: Access) -> str:
    return f"{places.place(access.at.line)} ({access.kind} of {access.buffer})"
