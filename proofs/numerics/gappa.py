"""A statement about roundings as a Gappa script, its negative control, and the theorem that Coq checks.

What stands behind a script, in three steps:

1. Gappa proves the goals and writes a Coq proof. Its last lemma, `l1`, says that the hypotheses and the negated goals
   contradict each other. (A rewriting rule in a script would be a *hypothesis* of that proof; there are none here.)
2. The closing theorem of `coq_file` says the same in Coq's real numbers and Flocq's roundings, without Gappa's words.
3. coqc compiles both and prints the axioms, which may be those of the real numbers only.

The control is the script with a goal that is too strong; Gappa must refuse it, and `witness` shows that it is right:
at these values the hypotheses hold and the stronger goal does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from proofs.numerics.gappa_terms import (
    FORMATS,
    INTEGER,
    RELATIVE,
    Term,
    absolute,
    evaluate,
    mantissa_exponent,
    names_of,
    number_to_coq,
    number_to_gappa,
    to_coq,
    to_gappa,
)
from spec.errors import BadInput

HEADER = "Require Import Gappa.Gappa_library.\n"
"""The first line of what Gappa writes."""
COQ_FILE = "Gappa.v"
AND = "/\\ "


@dataclass(frozen=True)
class Range:
    """low <= term <= high, both ends multiples of powers of two; `reason` says why it holds where it is assumed."""

    term: Term
    low: Fraction
    high: Fraction
    reason: str = ""


@dataclass(frozen=True)
class Script:
    """A statement about roundings.

    Args:
        name: lower case with hyphens; the artifacts are numerics.NAME.g, .control.g and .v.
        comment: what it says.
        definitions: names and what they stand for, in order; names without one are free variables.
        hypotheses: what is assumed.
        goals: what follows.
        too_strong: what does not: the goals of the control.
        witness: values of the free variables at which the hypotheses hold and `too_strong` does not.
    """

    name: str
    comment: str
    definitions: tuple[tuple[str, Term], ...]
    hypotheses: tuple[Range, ...]
    goals: tuple[Range, ...]
    too_strong: tuple[Range, ...]
    witness: Mapping[str, Fraction]

    @property
    def theorem(self) -> str:
        """Its name in Coq."""
        return self.name.replace("-", "_")

    @property
    def text(self) -> str:
        """The script."""
        return self._text(self.goals, f"numerics script {self.name}")

    @property
    def control_text(self) -> str:
        """The script with the goals that Gappa must refuse."""
        return self._text(self.too_strong, f"negative control of script {self.name}", self.witness)

    def variables(self) -> list[str]:
        """The names that no definition gives a meaning, sorted."""
        used = set().union(*(names_of(t) for _, t in self.definitions), *(names_of(r.term) for r in self.hypotheses))
        return sorted(used - {name for name, _ in self.definitions})

    def _text(self, goals: Sequence[Range], heading: str, witness: Mapping[str, Fraction] | None = None) -> str:
        lines = [f"# {heading}", *(f"# {line}" for line in self.comment.splitlines())]
        if witness is not None:
            lines += [f"# false at {name} = {number_to_gappa(witness[name])}" for name in sorted(witness)]
        terms = [t for _, t in self.definitions] + [r.term for r in (*self.hypotheses, *goals)]
        lines += [_declared(op) for op in (*FORMATS, INTEGER) if any(_uses(t, op) for t in terms)]
        lines += [f"{name} = {to_gappa(t)};" for name, t in self.definitions]
        lines.append("{")
        for number, h in enumerate(self.hypotheses):
            lines += [f"  # {h.reason}", f"  {AND if number else ''}{_in(h)}"]
        lines += ["  ->", "  " + f" {AND}".join(_in(g) for g in goals), "}"]
        return "\n".join(lines) + "\n"


def within(t: Term, bound: Fraction, reason: str = "") -> Range:
    """-bound <= t <= bound."""
    return Range(t, -bound, bound, reason)


def magnitude(t: Term, low: Fraction, high: Fraction, reason: str = "") -> Range:
    """low <= |t| <= high."""
    return Range(absolute(t), low, high, reason)


def exact(t: Term) -> Range:
    """t = 0."""
    return Range(t, Fraction(0), Fraction(0))


def refuted_by_witness(script: Script) -> bool:
    """Whether the witness meets every hypothesis, meets the goals, and not the goals of the control."""
    values = dict(script.witness)
    for name, t in script.definitions:
        values[name] = evaluate(t, values)

    def holds(r: Range) -> bool:
        return r.low <= evaluate(r.term, values) <= r.high

    met = all(holds(h) for h in script.hypotheses) and all(holds(g) for g in script.goals)
    return met and not all(holds(g) for g in script.too_strong)


def _uses(t: Term, op: str) -> bool:
    return t.op == op or any(_uses(a, op) for a in t.args)


def _declared(op: str) -> str:
    if op == INTEGER:
        return f"@{op} = fixed<0,zr>;"
    return f"@{op} = float<{FORMATS[op].precision},{FORMATS[op].least},ne>;"


def _in(r: Range) -> str:
    return f"{to_gappa(r.term)} in [{number_to_gappa(r.low)},{number_to_gappa(r.high)}]"


# --- Coq --------------------------------------------------------------------------------------------------------------

_PREAMBLE = """
From Coq Require Import Reals Lra Classical_Prop.
From Flocq Require Import Core.
Open Scope R_scope.
{roundings}

(* a range between plain numbers is the range that Gappa means by its own numbers *)
Ltac numbers := unfold BND, float2R, F2R; cbn -[Rabs Rplus Rmult Rminus Rdiv Ropp Rle sqrt].

Lemma relative (y x b : R) (l h : float2) :
  0 <= b -> float2R l = - b -> float2R h = b -> (Rabs (y - x) <= b * Rabs x <-> REL y x (makepairF l h)).
Proof.
  intros B L H; unfold REL; cbn [lower upper]; rewrite L, H; split.
  - intros D; destruct (Req_dec x 0) as [->|X].
    + exists 0; split; [lra|].
      rewrite Rabs_R0, Rmult_0_r, Rminus_0_r in D; rewrite Rmult_0_l.
      destruct (Req_dec y 0) as [E|E]; [exact E | apply Rabs_pos_lt in E; lra].
    + exists ((y - x) / x); split; [|field; exact X].
      apply Rabs_le_inv; unfold Rdiv; rewrite Rabs_mult, Rabs_inv.
      apply Rmult_le_reg_r with (Rabs x); [apply Rabs_pos_lt; exact X|].
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [exact D | apply Rabs_no_R0; exact X].
  - intros [e [E ->]]; replace (x * (1 + e) - x) with (e * x) by ring.
    rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos | apply Rabs_le; exact E].
Qed.
"""


def coq_preamble() -> str:
    """What the theorems of `coq_file` are written with."""
    lines = [
        f"Definition {op} := round radix2 (FLT_exp ({f.least}) {f.precision}) ZnearestE."
        for op, f in FORMATS.items()
    ]
    lines.append(f"Definition {INTEGER} := round radix2 (FIX_exp 0) Ztrunc.")
    return _PREAMBLE.replace("{roundings}", "\n".join(lines))


def coq_file(proofs: Sequence[tuple[Script, str]]) -> str:
    """One Coq file with Gappa's proof of each script, in a module, and its closing theorem; the file is Gappa.v.

    Args:
        proofs: scripts with the text that `gappa -Bcoq` writes for each.

    Raises:
        BadInput: for a text that does not begin as Gappa's do.
    """
    # Gappa's text first: names of the library of real numbers would hide those that it uses.
    modules = "".join(_module(script, proof) for script, proof in proofs)
    return HEADER + modules + coq_preamble() + "".join(_closed(script) for script, _ in proofs)


def _module(script: Script, proof: str) -> str:
    if not proof.startswith(HEADER):
        raise BadInput(f"{script.name}: this is no proof that Gappa wrote")
    name = f"Gappa_{script.theorem}"
    return f"\nModule {name}.\n{proof.removeprefix(HEADER)}End {name}.\n"


def _closed(script: Script) -> str:
    variables = script.variables()
    names = [name for name, _ in script.definitions]
    count = len(script.hypotheses)
    lines = ["", *(f"(* {line} *)" for line in script.comment.splitlines())]
    lines += [statement(script), "Proof."]
    lines.append(f"  intros {' '.join((*variables, *names, *(f'H{n}' for n in range(count))))}.")
    for n, h in enumerate(script.hypotheses):
        lines.append(f"  assert (A{n} : {_meant(h)}) by {_by(h, f'H{n}', 'proj1')}.")
    claims = [f"({_meant(g)})" for g in script.goals]
    one = " ".join(f"destruct (classic {claim});" for claim in claims)
    lines += [
        f"  assert (G : {_nested(claims, _and)}).",
        "  { apply NNPP; intro M.",
        f"    assert (N : {_nested([f'(~ {claim})' for claim in claims], _or)}) by ({one} tauto).",
        f"    apply Gappa_{script.theorem}.l1 with {' '.join(f'(_{v} := {v})' for v in variables)}.",
        f"    exact {_nested([*(f'A{n}' for n in range(count)), 'N'], _conj)}. }}",
        f"  pose proof G as {_nested([f'G{n}' for n in range(len(claims))], _brackets)}.",
        f"  clear - {' '.join(f'G{n}' for n in range(len(claims)))}.",
    ]
    for n, g in enumerate(script.goals):
        lines.append(f"  assert (C{n} : {_plain(g)}) by {_by(g, f'G{n}', 'proj2')}.")
    last = " | ".join(f"apply C{n}" for n in range(len(claims)))
    lines += [f"  repeat split; first [ {last} ].", "Qed."]
    return "\n".join(lines) + "\n"


def statement(script: Script) -> str:
    """The theorem, in Coq's words only."""
    lines = [f"Theorem {script.theorem} : forall {' '.join(script.variables())} : R,"]
    lines += [f"  let {name} := {to_coq(t)} in" for name, t in script.definitions]
    lines += [f"  {_plain(h)} ->" for h in script.hypotheses]
    return "\n".join(lines) + "\n  " + " /\\ ".join(_plain(g) for g in script.goals) + "."


def _plain(r: Range) -> str:
    """The range in Coq's words; a relative error of at most b as |y - x| <= b |x|."""
    if r.term.op == RELATIVE:
        y, x = (to_coq(t) for t in r.term.args)
        return f"Rabs ({y} - {x}) <= {number_to_coq(r.high)} * Rabs {x}"
    return f"{number_to_coq(r.low)} <= {to_coq(r.term)} <= {number_to_coq(r.high)}"


def _meant(r: Range) -> str:
    """The range in Gappa's words."""
    if r.term.op == RELATIVE:
        y, x = (to_coq(t) for t in r.term.args)
        return f"REL {y} {x} (makepairF {_ends(r)})"
    return f"BND {to_coq(r.term)} (makepairF {_ends(r)})"


def _ends(r: Range) -> str:
    return " ".join(f"(Float2 ({m}) ({e}))" for m, e in (mantissa_exponent(r.low), mantissa_exponent(r.high)))


def _by(r: Range, known: str, direction: str) -> str:
    """The tactic that turns `known` into the same range in other words."""
    if r.term.op == RELATIVE:
        equal = "ltac:(numbers; lra)"
        bound = f"({number_to_coq(r.high)}) {_ends(r)} ltac:(lra) {equal} {equal}"
        return f"(apply ({direction} (relative _ _ {bound}) {known}))"
    return f"(revert {known}; numbers; lra)"


def _nested(parts: Sequence[str], join: Callable[[str, str], str]) -> str:
    """The parts joined as Gappa joins them, to the left."""
    return reduce(join, parts)


def _and(a: str, b: str) -> str:
    return f"({a} /\\ {b})"


def _or(a: str, b: str) -> str:
    return f"({a} \\/ {b})"


def _conj(a: str, b: str) -> str:
    return f"(conj {a} {b})"


def _brackets(a: str, b: str) -> str:
    return f"[{a} {b}]"

