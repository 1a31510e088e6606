"""What stays open in words: which statement, at which line, why it was not decided, and what would help.

The advice is computed from the claim: the unknowns of its query that nothing bounds, the buffers without a declaration,
the sizes of the launch that were left symbolic, the values that come from memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proofs.cfg import graph_of
from proofs.check.source import Places
from proofs.check.unfollowed import unfollowed
from proofs.claims import Claim
from proofs.discharge import Decision
from proofs.effort import SPENT
from proofs.places import loop_names
from proofs.problem import AXES, DYNAMIC, Problem
from proofs.records import Records
from proofs.terms import Cond, Symbol
from proofs.wording import loaded_from, states

USUAL = 2**20  # what is proposed as a bound; a size that cannot be larger needs none
MAX_NAMED = 4  # names in one piece of advice
BLOCK = "fix the block's size: --block X[,Y,Z]"
GRID = 'tie the grid to the sizes, --grid "ceil_div(n, 256)", or bound it, --assume "grid.x <= 65535"'
_HEAD = re.compile(r"h@(L\d+(?:\.i\d+)?)\.(%[\w$]+)")
GAVE_UP = ("max. resource limit exceeded", "max. memory exceeded", "canceled", "incomplete", "")


@dataclass(frozen=True)
class Open:
    """One statement that was neither proved nor refuted.

    Args:
        claim: its name, as in the artifacts of `fltc verify`.
        states: what should hold.
        lines: PTX lines it speaks of.
        why: what kept it from being decided.
        help: flags that may change that, most promising first.
    """

    claim: str
    states: str
    lines: tuple[int, ...]
    why: str
    help: tuple[str, ...] = ()

    def to_json(self, places: Places) -> dict[str, object]:
        """JSON values."""
        return {
            "claim": self.claim, "states": self.states, "lines": list(self.lines),
            "text": {str(n): places.text(n) for n in self.lines},
            "source": {str(n): places.source(n) for n in self.lines if places.source(n)},
            "why": self.why, "help": list(self.help),
        }  # fmt: skip


def undecided(problem: Problem, records: Records, decision: Decision, effort: int) -> Open:
    """A claim that no solver decided."""
    claim, reason = decision.claim, decision.reason
    if reason == SPENT:
        why = f"{SPENT} before this was decided"
    elif reason in GAVE_UP or "incomplete" in reason:
        why = "the solver gave up" + (f" ({reason})" if reason else "")
    else:
        why = reason
    help_ = advice(problem, claim) if claim.stated or reason != SPENT else []
    if claim.full is not None:
        help_.append(f"more effort: --effort {effort * 4}")
    return Open(claim.name, states(claim, records), claim.lines, why, tuple(help_))


def not_replayed(problem: Problem, records: Records, decision: Decision, reason: str) -> Open:
    """A claim with a counterexample that the emulator does not show."""
    claim = decision.claim
    why = f"the solver has a counterexample, but running it does not show the fault: {reason}"
    help_ = (*advice(problem, claim), *unfollowed(problem, claim))
    return Open(claim.name, states(claim, records), claim.lines, why, help_)


def not_followed(problem: Problem, records: Records, claim: Claim, line: int, launch: bool) -> Open:
    """A race that the fence at a line may put in order."""
    between = "between blocks" if launch else "between threads"
    why = f"fences and atomics {between} are not followed as an order; {Places(problem).whole(line)}"
    help_ = (
        "such an order cannot be proved here: let a launch of its own read what this one has written"
        if launch else "such an order cannot be proved here: a barrier between the two accesses can"
    )
    return Open(claim.name, states(claim, records), claim.lines, why, (help_,))


def advice(problem: Problem, claim: Claim) -> list[str]:
    """Flags that make the claim easier, or shut out launches that are never made."""
    if claim.query is None:
        sizes = [a for a, size in zip(AXES, problem.block, strict=True) if size is None]
        wants_size = claim.obligation == "init" and sizes
        return ["give the block's size: --block X[,Y,Z]"] if wants_size else []
    symbols = claim.query.symbols
    found: list[str] = []
    bare = {
        access.buffer for access, _ in claim.subjects
        if access.space == "global" and problem.buffers[access.buffer].columns is None
    }  # fmt: skip
    found += [f"say what {name} points to: --buffer {name}=ELEMENT[EXTENT]:r (or w, rw)" for name in sorted(bare)]
    for name in loaded_from(claim):
        places = ", ".join("ijk"[: len(problem.sources[name].extents)])
        found.append(f'say what {name} holds: --fact "{name}[{places}] in [0, EXTENT)"')
    loose = unbounded(problem, symbols)
    if loose:
        texts = " && ".join(f"{name} <= 2^20" for name in loose[:MAX_NAMED])
        names = " and ".join(loose[:MAX_NAMED])
        found.append(f'bound {names} from above, which nothing does alone: --assume "{texts}"')
    told_of = {s.name for _, c in problem.domain for s in c.symbols()}
    if any(s.name == DYNAMIC for s in symbols) and DYNAMIC not in told_of:
        found.append(f'say how much dynamic shared memory a launch gives: --assume "{DYNAMIC} >= BYTES"')
    return found + _sizes(problem, symbols) + _invariants(problem, symbols)


def shut_out(problem: Problem, claim: Claim) -> list[str]:
    """Flags for somebody who never makes the launch of a counterexample."""
    if claim.obligation in ("no-wrap", "bounds", "single-writer"):
        found = advice(problem, claim)
    else:
        found = _sizes(problem, claim.query.symbols if claim.query is not None else ())
        sizes = [a for a, size in zip(AXES, problem.block, strict=True) if size is None and not _tied(problem, a)]
        if sizes and BLOCK not in found:
            found.insert(0, BLOCK)
    return [f"if there is no such launch: {text}" for text in found]


def _tied(problem: Problem, axis: str) -> bool:
    """Whether a dimension of the block is an expression over parameters."""
    return any(f"block.{axis} == " in text for text, _ in problem.domain)


def _invariants(problem: Problem, symbols: Iterable[Symbol]) -> list[str]:
    """Registers of loops of which the query knows only what was guessed and proved."""
    heads = {m.groups() for s in symbols if (m := _HEAD.match(s.name)) is not None}
    if not heads:
        return []
    labels = {name: label for label, name in loop_names(problem.function, graph_of(problem.function)).items()}
    found = [(labels[loop], register) for loop, register in sorted(heads) if loop in labels]
    return [
        f'if {register} keeps in bounds in the loop at {label}, say in which, and they are proved: '
        f'--hint "loop {label}: {register} <= BOUND"'
        for label, register in found[:MAX_NAMED]
    ]


def _sizes(problem: Problem, symbols: Iterable[Symbol]) -> list[str]:
    """Dimensions of the launch that the query leaves open."""
    names = {s.name.partition("!")[0] for s in symbols}
    block = any(f"ntid.{axis}" in names for axis in AXES)
    tied = {s.name for text, c in problem.domain if "size that the hardware" in text for s in c.symbols()}
    extents = [e for b in problem.buffers.values() for e in (b.planes, b.rows, b.columns) if e is not None]
    tied |= {s.name for extent in extents for atom in extent.atoms() for s in atom.symbols()}
    grid = any(f"nctaid.{axis}" in names and f"nctaid.{axis}" not in tied for axis in AXES)
    found = [BLOCK] if block else []
    return found + ([GRID] if grid else [])


def unbounded(problem: Problem, symbols: Sequence[Symbol]) -> list[str]:
    """Parameters of a query, no addresses, that no assumption keeps below anything."""
    bases = {b.base.name for b in problem.buffers.values()}
    bounded = {s.name for _, clause in problem.domain for s in _bounded(clause)}
    return sorted(
        s.name for s in symbols
        if s.kind == "parameter" and s.name not in bases and s.name not in bounded and (s.high or USUAL + 1) > USUAL
    )


def _bounded(clause: Cond) -> set[Symbol]:
    """What a clause bounds from above: what it subtracts on the side that is not negative, or makes equal.

    A bound of a product is none of its factors: `rows * columns <= 2^40` lets each be as large as its type allows.
    """
    if clause.op == "and":
        return {s for part in clause.args for s in _bounded(part)}
    if clause.term is None:
        return set()
    found: set[Symbol] = set()
    for monomial, coefficient in clause.term.terms.items():
        if clause.op == "eq" or (coefficient < 0 and len(monomial) == 1):
            found |= {s for atom in monomial for s in atom.symbols()}
    return found


def told(found: Sequence[Open], places: Places) -> str:
    """Open claims for a reader; those that differ in the line only are one paragraph of their own."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[Open]] = {}
    for claim in found:
        groups.setdefault((claim.states, claim.why, claim.help), []).append(claim)
    paragraphs = []
    for (stated, why, help_), members in groups.items():
        first = members[0]
        lines = [stated + (f", at {places.whole(first.lines[0])}" if first.lines else "")]
        lines += [f"  and {places.whole(line)}" for line in first.lines[1:]]
        others = sorted({n for m in members[1:] for n in m.lines} - set(first.lines))
        if others:
            shown = ", ".join(map(str, others[:8])) + (", ..." if len(others) > 8 else "")
            lines.append(f"  and in the same way at PTX line {shown}")
        lines.append(f"  why: {why}")
        lines += [f"  help: {text}" for text in help_]
        paragraphs.append("\n".join(lines))
    return "\n".join(paragraphs)

