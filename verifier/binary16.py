"""Identities of binary16 and binary32 words, decided again by cvc5 with its floating-point theory.

cvc5 does not relate the two multipliers of `f16-mul-once` within its limit. That one is decided in parts: operands that
are NaN, Inf or zero, and for the others that the product in binary32 is exact, so that both sides round it once.
"""

from __future__ import annotations

import cvc5

from verifier.findings import Finding, Grade, Unreadable
from verifier.manifest import Lemma
from verifier.sexpr import PLAIN, SExpr, read_all, read_one

EFFORT = 3_000_000
LOGIC = "QF_BVFP"
SORTS: tuple[SExpr, ...] = ("Float16", "Float32", ("_", "BitVec", "8"))
_WIDE = ("((_ to_fp 8 24) RNE a)", "((_ to_fp 8 24) RNE b)")
_MODES = [f"(fp.mul {mode} {_WIDE[0]} {_WIDE[1]})" for mode in ("RNE", "RTP", "RTN")]
_SPECIAL = "(or {})".format(" ".join(f"(fp.is{kind} {x})" for x in "ab" for kind in ("NaN", "Infinite", "Zero")))
PRODUCT = f"(= ((_ to_fp 5 11) RNE {_MODES[0]}) (fp.mul RNE a b))"
IN_PARTS = {
    PRODUCT: (f"(=> {_SPECIAL} {PRODUCT})", f"(=> (not {_SPECIAL}) (= {_MODES[1]} {_MODES[2]}))"),
}
"""A claim about all a and b, without hypotheses, and the claims that make it up."""


def check_identity(folder: str, texts: dict[str, str], lemma: Lemma) -> list[Finding]:
    """What is wrong with one identity of the folder that holds these texts."""
    findings: list[Finding] = []
    parts: list[list[SExpr]] = []
    expected = (f"binary16.{lemma.name}.smt2", f"binary16.{lemma.name}.control.smt2")
    for name, listed, answer in zip(expected, (lemma.file, lemma.control), ("unsat", "sat"), strict=True):
        where = f"{folder}/{name}"
        if listed != name or name not in texts:
            findings.append(Finding(f"{folder}/manifest.json", f"identity {lemma.name} has no file {name}"))
            continue
        try:
            commands, claim = read_identity(texts[name], where)
            found = decide_identity(commands, claim)
        except Unreadable as error:
            findings.append(Finding(where, str(error).removeprefix(f"{where}: "), Grade.UNREADABLE))
            continue
        parts.append(commands)
        if found == "unknown":
            findings.append(Finding(where, "cvc5 cannot decide it within its limit", Grade.UNDECIDED))
        elif found != answer:
            findings.append(Finding(where, f"must be {answer}, cvc5 says {found}"))
    if len(parts) == 2 and parts[0] != parts[1]:
        findings.append(Finding(f"{folder}/{expected[1]}", "assumes something else than the identity it controls"))
    return findings


def read_identity(text: str, where: str) -> tuple[list[SExpr], SExpr]:
    """Everything before the last assertion, and the claim that this one negates."""
    commands = read_all(text, where)
    if len(commands) < 3 or commands[0] != ("set-logic", LOGIC) or commands[-1] != ("check-sat",):
        raise Unreadable(f"{where}: not a query about floating-point words")
    for command in commands[1:-1]:
        match command:
            case ("declare-const", str(), sort) if sort in SORTS:
                continue
            case ("assert", _):
                continue
        raise Unreadable(f"{where}: command not understood")
    match commands[-2]:
        case ("assert", ("not", claim)):
            return commands[:-2], claim
    raise Unreadable(f"{where}: the last assertion is no negated claim")


def decide_identity(commands: list[SExpr], claim: SExpr) -> str:
    """Whether the claim fails somewhere: sat, unsat or unknown."""
    assumed = any(command[0] == "assert" for command in commands)
    declared = {command for command in commands if command[0] == "declare-const"}
    halves: set[SExpr] = {("declare-const", x, "Float16") for x in "ab"}
    for whole, parts in IN_PARTS.items():
        if claim == read_one(whole, whole) and declared == halves and not assumed:
            answers = {_ask(commands, read_one(part, part)) for part in parts}
            return "unsat" if answers == {"unsat"} else "unknown"
    return _ask(commands, claim)


def show(expression: SExpr) -> str:
    """The expression as text, with bars where a symbol needs them: what has the same text is the same expression."""
    if isinstance(expression, str):
        return expression if PLAIN.fullmatch(expression) else f"|{expression}|"
    return f"({' '.join(map(show, expression))})"


def _ask(commands: list[SExpr], claim: SExpr) -> str:
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(EFFORT))
    solver.setOption("fp-exp", "true")
    parser = cvc5.InputParser(solver)
    text = "\n".join(map(show, [*commands, ("assert", ("not", claim))]))
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "identity")
    try:
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, parser.getSymbolManager())
    except RuntimeError as error:
        raise Unreadable(f"cvc5 cannot read it: {str(error).splitlines()[0]}") from None
    result = solver.checkSat()
    return "unsat" if result.isUnsat() else "sat" if result.isSat() else "unknown"
