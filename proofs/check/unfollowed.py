"""The values that a counterexample hangs on and that are not followed: what they are, and what can be done."""

from __future__ import annotations

from proofs.check.source import Places
from proofs.claims import Claim
from proofs.problem import Problem
from spec.ptx.ast import Instr
from spec.ptx.isa import lookup
from spec.ptx.isa_memory import space

MAX_NAMED = 4
LOADED = "a value loaded from {} memory"
LANES = {
    "vote": "a vote", "match": "a vote", "activemask": "a vote", "bar": "a vote", "barrier": "a vote",
    "shfl": "what another lane holds", "redux": "what the lanes of the warp hold",
}  # fmt: skip
APART = ("race", "single-writer")
TESTED = ("bounds", "no-wrap")


def unfollowed(problem: Problem, claim: Claim) -> list[str]:
    """That a counterexample hangs on values which may be anything, each by name; and what may still be done."""
    symbols = claim.query.symbols if claim.query is not None else ()
    lines = sorted({s.line for s in symbols if s.kind in ("opaque", "boolean") and s.line})
    if not lines:
        return []
    places = Places(problem)
    at = {i.line: i for i in problem.function.instructions()}
    kinds = {line: described(at[line]) if line in at else "a value" for line in lines}
    named = [f"{kinds[line]} at {places.place(line)}" for line in lines[:MAX_NAMED]]
    more = [f"{len(lines) - MAX_NAMED} more"] if len(lines) > MAX_NAMED else []
    found = [f"it rests on what is not followed and may be anything: {', '.join([*named, *more])}"]
    if any(kinds[line] == LOADED.format("global") for line in lines):
        found.append("if a buffer that is only read holds it, say what it holds: --fact")
    if claim.obligation in APART:
        found.append(
            "positions made of such values cannot be proved to differ: make them of thread and block numbers, or take "
            "this one statement on review"
        )
    elif claim.obligation in TESTED:
        found.append("test such a value against its limit before it is used (if (i < n)): what is tested is known")
    return found


def described(instruction: Instr) -> str:
    """What an instruction gives, in words."""
    found = lookup(instruction.opcode)
    if found is None:
        return f"the result of {instruction.opcode}"
    row, form = found
    if row.base == "ld":
        where = space(form)
        return LOADED.format(where) if where != "generic" else "a value loaded from memory"
    if row.base == "atom":
        operation = form["op"] or "cas"
        return f"the result of {'.'.join(p for p in ('atom', form['space'], operation) if p)}"
    if row.base in ("setp", "set") and form.type.startswith(("f", "bf")):
        return f"a comparison of floats ({instruction.opcode})"
    return LANES.get(row.base, f"the result of {instruction.opcode}")
