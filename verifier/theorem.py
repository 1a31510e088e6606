"""The theorem that a script stands for, in Coq's words, and its proof from the one that Gappa writes.

Gappa's text proves a lemma l1 in Gappa's own words. What is compiled here besides states the script's claim with Coq's
real numbers and Flocq's roundings only, as this module translates it, and derives it from l1: if Gappa had translated
the script otherwise, or had assumed anything, coqc would refuse this proof.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from verifier.script import ROUNDINGS, Bounds, Script, Term

AND, OR = " /\\ ", " \\/ "
FIRST = "Require Import Gappa.Gappa_library.\n"

PREAMBLE = """From Coq Require Import Reals Lra Classical_Prop.
From Flocq Require Import Core.
Open Scope R_scope.
""" + "".join(
    f"Definition {name} (x : R) : R := round radix2 (FLT_exp ({least}) {precision}) ZnearestE x.\n"
    for name, (precision, least) in ROUNDINGS.items()
) + """Definition toward0 (x : R) : R := round radix2 (FIX_exp 0) Ztrunc x.
Ltac plainly := unfold BND, float2R, F2R; cbn -[Rabs Rplus Rmult Rminus Rdiv Ropp Rle sqrt].
Lemma to_rel (y x b : R) (l h : float2) : 0 <= b -> float2R l = - b -> float2R h = b ->
  Rabs (y - x) <= b * Rabs x -> REL y x (makepairF l h).
Proof.
  intros B L H D. destruct (Req_dec x 0) as [Z|N].
  - exists 0. cbn [lower upper]. rewrite L, H. split; [lra|]. subst x.
    rewrite Rabs_R0, Rmult_0_r, Rminus_0_r in D.
    destruct (Req_dec y 0) as [E|E]; [lra|]. apply Rabs_pos_lt in E. lra.
  - exists ((y - x) / x). cbn [lower upper]. rewrite L, H. split; [|field; exact N].
    apply Rabs_pos_lt in N as P. apply Rabs_le_inv.
    unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply Rmult_le_reg_r with (Rabs x); [exact P|].
    rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma of_rel (y x b : R) (l h : float2) : float2R l = - b -> float2R h = b ->
  REL y x (makepairF l h) -> Rabs (y - x) <= b * Rabs x.
Proof.
  intros L H [e [E ->]]. cbn [lower upper] in E. rewrite L, H in E.
  replace (x * (1 + e) - x) with (e * x) by ring. rewrite Rabs_mult.
  apply Rmult_le_compat_r; [apply Rabs_pos | apply Rabs_le; exact E].
Qed.
"""


def theorems(claims: list[tuple[str, Script, str]]) -> str:
    """A Coq file with a theorem for each name, script and proof of Gappa's.

    Gappa's texts come first, each in a module: what is imported behind them would hide names that they use.
    """
    modules = "".join(f"Module M_{name}.\n{proof.removeprefix(FIRST)}\nEnd M_{name}.\n" for name, _, proof in claims)
    return FIRST + modules + PREAMBLE + "".join(_theorem(name, script) for name, script, _ in claims)


def _theorem(name: str, script: Script) -> str:
    """The theorem, derived from the lemma l1 in the module of Gappa's proof."""
    variables, defined = script.variables(), [n for n, _ in script.definitions]
    lines = [f"Theorem {name} :"]
    lines.append(f"  forall {' '.join(variables)} : R,")
    lines += [f"  let {n} := {_coq(t)} in" for n, t in script.definitions]
    lines += [f"  ({_claim(h)}) ->" for h in script.hypotheses]
    lines.append(f"  {_joined([_claim(g) for g in script.goals], AND)}.")
    count, goals = len(script.hypotheses), len(script.goals)
    lines += ["Proof.", f"  intros {' '.join([*variables, *defined, *(f'H{n}' for n in range(count))])}."]
    lines += [f"  assert (K{n} : {_gappa(h)}) by {_into(h, n)}." for n, h in enumerate(script.hypotheses)]
    known = _joined([*(f"K{n}" for n in range(count)), "No"], ", ", "conj ")
    arguments = " ".join(f"(_{v} := {v})" for v in variables)
    lines += [
        f"  assert (Yes : {_joined([_gappa(g) for g in script.goals], AND)}).",
        f"  {{ apply NNPP; intro Not. assert (No : {_joined([f'~ {_gappa(g)}' for g in script.goals], OR)}).",
        f"    {{ {' '.join(f'destruct (classic ({_gappa(g)}));' for g in script.goals)} tauto. }}",
        f"    apply M_{name}.l1 with {arguments}; exact {known}. }}",
        f"  pose proof Yes as {_pattern([f'G{n}' for n in range(goals)])}.",
        f"  clear -{''.join(f' G{n}' for n in range(goals))}.",
    ]
    lines += [f"  assert (C{n} : {_claim(g)}) by {_from(g, n)}." for n, g in enumerate(script.goals)]
    lines += [f"  exact {_joined([f'C{n}' for n in range(goals)], ', ', 'conj ')}.", "Qed."]
    return "\n".join(lines) + "\n"


def _joined(parts: list[str], between: str, head: str = "") -> str:
    """Joined to the left, as Gappa joins; with a head as an application to two arguments."""
    if head:
        return reduce(lambda a, b: f"({head}{a} {b})", parts)
    return reduce(lambda a, b: f"({a}){between}({b})", parts)


def _pattern(names: list[str]) -> str:
    return reduce(lambda a, b: f"[{a} {b}]", names)


def _coq(term: Term) -> str:
    head = term[0]
    if head == "name":
        return str(term[1])
    if head == "number":
        m, e = _odd(term[1])
        return f"({m << e})" if 0 <= e < 32 else f"(IZR ({m}) * bpow radix2 ({e}))"
    parts = [_coq(t) for t in term[1:]]
    if head in "+-*/":
        return f"({parts[0]} {head} {parts[1]})"
    return f"({'Rabs' if head == 'abs' else head} {parts[0]})"


def _odd(q: Fraction) -> tuple[int, int]:
    """m, e with q = m 2^e, m odd or both 0."""
    e = 0
    while q and (q.denominator > 1 or q.numerator % 2 == 0):
        q, e = (q * 2, e - 1) if q.denominator > 1 else (q / 2, e + 1)
    return q.numerator, e


def _fraction(q: Fraction) -> str:
    return f"(({q.numerator}) / {q.denominator})"


def _claim(b: Bounds) -> str:
    if b.term[0] == "-/":
        y, x = _coq(b.term[1]), _coq(b.term[2])
        return f"Rabs ({y} - {x}) <= {_fraction(b.high)} * Rabs {x}"
    return f"{_fraction(b.low)} <= {_coq(b.term)} <= {_fraction(b.high)}"


def _ends(b: Bounds) -> str:
    return " ".join("(Float2 ({}) ({}))".format(*_odd(q)) for q in (b.low, b.high))


def _gappa(b: Bounds) -> str:
    if b.term[0] == "-/":
        return f"REL {_coq(b.term[1])} {_coq(b.term[2])} (makepairF {_ends(b)})"
    return f"BND {_coq(b.term)} (makepairF {_ends(b)})"


def _into(b: Bounds, n: int) -> str:
    if b.term[0] != "-/":
        return f"(revert H{n}; plainly; lra)"
    numbers = f"{_fraction(b.high)} {_ends(b)} ltac:(lra) ltac:(plainly; lra) ltac:(plainly; lra)"
    return f"exact (to_rel _ _ {numbers} H{n})"


def _from(b: Bounds, n: int) -> str:
    if b.term[0] != "-/":
        return f"(revert G{n}; plainly; lra)"
    numbers = f"{_fraction(b.high)} {_ends(b)} ltac:(plainly; lra) ltac:(plainly; lra)"
    return f"exact (of_rel _ _ {numbers} G{n})"
