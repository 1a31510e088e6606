"""Claims against queries: every required claim has its query, the query asks exactly that, and cvc5 agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from verifier import tiles, written
from verifier.canonical import canonical
from verifier.claims import required
from verifier.conditions import Condition, Subject
from verifier.coverage import Claim as Coverage
from verifier.decide import decide
from verifier.enumeration import Again, Open, TooLarge, differences, read_enumeration
from verifier.findings import Finding, Grade, Unreadable
from verifier.initialised import init_conditions
from verifier.intervals import Walk
from verifier.manifest import OBLIGATIONS, Bundle, Claimed
from verifier.query import Query, read_query, unexpected, wrong_symbols
from verifier.terms import show
from verifier.tiles import read_tiled
from verifier.written import read_initialised

_Found = TypeVar("_Found")

GRADES = {"refuted": Grade.FALSE, "unknown": Grade.UNDECIDED}


@dataclass
class Judgement:
    """Findings, and how many queries were decided."""

    bundle: Bundle
    findings: list[Finding] = field(default_factory=list)
    decided: int = 0

    def say(self, name: str, message: str, grade: Grade = Grade.FALSE) -> None:
        """Add a finding about one file of the bundle."""
        self.findings.append(Finding(self.bundle.path(name), message, grade))


def judge(bundle: Bundle, subject: Subject) -> Judgement:
    """Every claim of one entry."""
    judgement = Judgement(bundle)
    entry = subject.entry.name
    claimed = {claim.name: claim for claim in bundle.manifest[entry].claims}
    if len(claimed) != len(bundle.manifest[entry].claims):
        judgement.say("manifest.json", f"{entry}: two claims of one name")
    conditions = {c.name: c for c in _conditions(subject)}
    covering = {n: c for n, c in claimed.items() if n.startswith("coverage.")}
    for name, condition in conditions.items():
        claim = claimed.get(name)
        if claim is None or claim.obligation != condition.obligation:
            judgement.say("manifest.json", f"{entry}: required claim {name} ({condition.obligation}) is missing")
        else:
            judge_claim(judgement, subject, claim, condition)
    for name in sorted(claimed.keys() - conditions.keys() - covering.keys()):
        judgement.say("manifest.json", f"{entry}: claim {name} follows from nothing in records and contract")
    _coverage(judgement, subject, covering)
    _verdicts(judgement, entry)
    return judgement


def _conditions(subject: Subject) -> Iterator[Condition]:
    yield from required(subject)
    yield from init_conditions(subject, Walk(subject))


def _verdicts(judgement: Judgement, entry: str) -> None:
    """What the manifest says of each obligation: all there, all proved (numerics may be derived)."""
    given = judgement.bundle.manifest[entry].obligations
    for obligation in sorted(set(OBLIGATIONS) ^ set(given)):
        what = "is missing" if obligation in OBLIGATIONS else "is not known"
        judgement.say("manifest.json", f"{entry}: obligation {obligation} {what}")
    for obligation, verdict in given.items():
        if verdict != "proved" and not (obligation == "numerics" and verdict == "derived"):
            grade = GRADES.get(verdict, Grade.FALSE)
            judgement.say("manifest.json", f"{entry}: obligation {obligation} is {verdict}", grade)


def _open(judgement: Judgement, entry: str, claim: Claimed) -> Query | None:
    """The query of a claim, from the file that bears its name."""
    name = f"{entry}.{claim.name}.smt2"
    if claim.verdict != "proved":
        judgement.say(
            "manifest.json", f"{entry}: claim {claim.name} is {claim.verdict}", GRADES.get(claim.verdict, Grade.FALSE)
        )
    if claim.file != name or name not in judgement.bundle.texts:
        judgement.say("manifest.json", f"{entry}: claim {claim.name} has no file {name}")
        return None
    try:
        return read_query(judgement.bundle.texts[name], judgement.bundle.path(name))
    except Unreadable as error:
        judgement.say(name, str(error).removeprefix(f"{judgement.bundle.path(name)}: "), Grade.UNREADABLE)
        return None


def judge_claim(judgement: Judgement, subject: Subject, claim: Claimed, condition: Condition) -> None:
    """One claim against what it must say, decided again."""
    if claim.file.endswith(".json"):
        _enumerated(judgement, subject, claim, condition)
        return
    query = _open(judgement, subject.entry.name, claim)
    if query is None:
        return
    for label, term in unexpected(query, condition)[:3]:
        judgement.say(claim.file, f"assumes what neither records nor contract give ({label}): {show(term)[:160]}")
    for symbol in wrong_symbols(query, condition)[:3]:
        judgement.say(claim.file, f"declares {symbol}, which this claim does not have")
    if query.goal is None:
        judgement.say(claim.file, "asserts no negated goal")
    elif canonical(query.goal) != canonical(condition.goal):
        judgement.say(
            claim.file,
            f"concludes something else than {claim.name} demands: {show(query.goal)[:120]} "
            f"instead of {show(condition.goal)[:120]}",
        )
    _decide(judgement, claim.file, query)


def _file(judgement: Judgement, subject: Subject, claim: Claimed) -> str:
    """The name of the file that a claim was enumerated in; '' if it is not there."""
    name = f"{subject.entry.name}.{claim.name}.json"
    if claim.verdict != "proved":
        grade = GRADES.get(claim.verdict, Grade.FALSE)
        judgement.say("manifest.json", f"{subject.entry.name}: claim {claim.name} is {claim.verdict}", grade)
    if claim.file != name or name not in judgement.bundle.texts:
        judgement.say("manifest.json", f"{subject.entry.name}: claim {claim.name} has no file {name}")
        return ""
    return name


def _enumerated(judgement: Judgement, subject: Subject, claim: Claimed, condition: Condition) -> None:
    """A claim that was enumerated, by what it is about."""
    digest = judgement.bundle.ptx_sha256
    kind = claim.name.partition(".")[0]
    if kind == "init":
        _gone_through(
            judgement, subject, claim, read_initialised,
            lambda found: written.objections(found, condition.name, subject, Walk(subject), digest),
            lambda found: written.Again(found, subject).refuted(),
        )
    elif kind == "writers":
        _gone_through(
            judgement, subject, claim, read_tiled,
            lambda found: tiles.objections(found, condition.name, subject, digest),
            lambda found: tiles.refuted(found, subject),
        )
    else:
        _gone_through(
            judgement, subject, claim, read_enumeration,
            lambda found: differences(found, condition, subject, digest),
            lambda found: Again(found, subject).refuted(),
        )


def _gone_through(
    judgement: Judgement, subject: Subject, claim: Claimed, read: Callable[[str, str], _Found],
    objections: Callable[[_Found], Iterator[str]], refuted: Callable[[_Found], str],
) -> None:
    """The file asks what the claim does, of the accesses that there are; and enumerating again says the same."""
    name = _file(judgement, subject, claim)
    if not name:
        return
    where = judgement.bundle.path(name)
    try:
        found = read(judgement.bundle.texts[name], where)
    except Unreadable as error:
        judgement.say(name, str(error).removeprefix(f"{where}: "), Grade.UNREADABLE)
        return
    judgement.decided += 1
    against = list(islice(objections(found), 3))
    for message in against:
        judgement.say(name, message)
    if against:
        return
    try:
        counterexample = refuted(found)
    except (Open, TooLarge) as error:
        judgement.say(name, f"cannot be enumerated here: {error}", Grade.UNDECIDED)
        return
    if counterexample:
        judgement.say(name, f"enumeration does not confirm the claim: {counterexample}")


def _decide(judgement: Judgement, file: str, query: Query) -> None:
    answer = decide(query.all, query.booleans)
    judgement.decided += 1
    if answer.status == "unknown":
        judgement.say(file, "cvc5 cannot decide it within its limit", Grade.UNDECIDED)
    elif answer.status == "sat":
        values = ", ".join(f"{n}={v}" for n, v in sorted(answer.model.items())[:12])
        judgement.say(file, f"the claim does not hold, cvc5 says: {values}")


def _coverage(judgement: Judgement, subject: Subject, claimed: dict[str, Claimed]) -> None:
    entry = subject.entry.name
    for buffer in subject.contract.outputs:
        mine = {n: c for n, c in claimed.items() if n.split(".")[1] == buffer}
        queries: dict[str, Query] = {}
        for claim in mine.values():
            query = _open(judgement, entry, claim)
            if query is not None:
                queries[claim.file] = query
                _decide(judgement, claim.file, query)
            if claim.obligation != "coverage":
                judgement.say("manifest.json", f"{entry}: claim {claim.name} stands under {claim.obligation}")
        if not mine:
            judgement.say("manifest.json", f"{entry}: required claim coverage.{buffer} (coverage) is missing")
        elif len(queries) == len(mine):
            check = Coverage(subject, buffer, queries)
            check.check()
            for file, message in check.findings:
                judgement.say(file, message)
            for file, message in check.undecided:
                judgement.say(file, f"{message} (undecided)", Grade.UNDECIDED)
    for name in sorted(claimed):
        if name.split(".")[1] not in subject.contract.outputs:
            judgement.say("manifest.json", f"{entry}: claim {name} is about no output")
