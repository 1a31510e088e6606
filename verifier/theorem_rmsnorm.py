"""What the theorem behind RMSNorm's error bound must say, from the contract's numbers, and the order of its sum.

The text is a Coq file: the statement in the words of the reviewed theories, taken from the artifact's theorem by
`exact`, and the tree of the sum at some lengths, which coqc computes from the theory's definition of the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from verifier.contract import Contract
from verifier.demands import most
from verifier.findings import Unreadable

THREADS, WARP, WARPS, VECTOR = 256, 32, 8, 8
U = Fraction(1, 2**24)
RSQRT = Fraction(10_717_734_625_363, 10**13) / 2**23
"""At least 2^-22.9, the documented error of rsqrt.approx: (RSQRT 2^23)^10 >= 2."""
ARTIFACT = "rmsnorm_contract"
THEORIES = ("Rounding.v", "Gamma.v", "Sum.v", "Order.v", "Computed.v", "Factors.v", "Rmsnorm.v", "Lengths.v")
THEOREMS = ("audited", "orders", "depths")


def check_text(contract: Contract, module: str, lengths: list[int]) -> str:
    """The Coq file that takes the contract's statement from ARTIFACT in `module`, and compares orders."""
    if not lengths:
        raise Unreadable(f"{contract.entry}: its refinement compared rows of no length, so no order of a sum")
    columns = most(contract, "columns")
    low, high = (Fraction(end) for end in contract.float_ranges["eps"])
    rounds = -(-columns // (VECTOR * THREADS))
    table = ";\n  ".join(f"({h}%nat, ({p.numerator}, {p.denominator})%Z)" for h, p in _bounds(rounds))
    rows = "; ".join(map(str, lengths))
    trees = ";\n  ".join(f"[{'; '.join(map(str, tree(n)))}]" for n in lengths)
    depths = "; ".join(str(depth(n)) for n in lengths)
    return f"""From Coq Require Import Reals ZArith NArith Nnat List.
From Fltc Require Import Rounding Sum Order Computed Rmsnorm Lengths.
From Fltc Require {module}.
Import ListNotations.
Theorem audited : forall (x : nat -> R) (w eps : R) (columns : nat),
  (forall c, binary16 (x c)) -> binary16 w -> (1 <= Z.of_nat columns <= {columns})%Z ->
  ({low.numerator} / {low.denominator} <= eps <= {high.numerator} / {high.denominator})%R ->
  exists num den : Z, In (most columns, (num, den)) [
  {table}] /\\
    obeys x w eps (IZR {RSQRT.numerator} / IZR {RSQRT.denominator}) columns (IZR num / IZR den).
Proof. exact {module}.{ARTIFACT}. Qed.
Theorem orders : map (fun n => code (order (N.to_nat n))) [{rows}]%N = [
  {trees}]%N.
Proof.
  refine (eq_trans (map_ext _ (fun n => code_at (N.of_nat (N.to_nat n))) (fun n => code_order (N.to_nat n)) _) _).
  vm_cast_no_check (eq_refl (map code_at [{rows}]%N)).
Qed.
Theorem depths : map (fun n => most (N.to_nat n)) [{rows}]%N = [{depths}]%nat.
Proof. vm_compute; reflexivity. Qed.
"""


# --- order and bound --------------------------------------------------------------------------------------------------


def _chains(columns: int) -> list[list[int]]:
    """The columns of each thread in its order: whole vectors of 8 go round the threads, then one more each."""
    chains: list[list[int]] = [[] for _ in range(THREADS)]
    whole = columns - columns % VECTOR
    for column in range(columns):
        chains[column // VECTOR % THREADS if column < whole else column - whole].append(column)
    return chains


def tree(columns: int) -> list[int]:
    """The sum, arguments first: 0 is +0, c + 2 adds the square of column c, 1 adds two sums."""
    chains = _chains(columns)

    def lane(t: int, apart: int) -> Iterator[int]:
        if apart == WARP:
            yield from (0, *(c + 2 for c in chains[t]))
        else:
            yield from (*lane(t, 2 * apart), *lane(t + apart, 2 * apart), 1)

    def warps(first: int, count: int) -> Iterator[int]:
        if count == 1:
            yield from lane(WARP * first, 1)
        else:
            yield from (*warps(first, count // 2), *warps(first + count // 2, count // 2), 1)

    return list(warps(0, WARPS))


def depth(columns: int) -> int:
    """The most roundings on a path: a chain's first addition is exact; then the trees over a warp and the warps."""
    return max(map(len, _chains(columns))) - 1 + 5 + 3


def _bounds(rounds: int) -> list[tuple[int, Fraction]]:
    """Each depth that occurs in rows of up to `rounds` rounds of vectors, with its bound."""
    depths = [8, *(8 * r + more for r in range(1, rounds + 1) for more in (7, 8))]
    return [(h, bound(h)) for h in depths]


def bound(h: int) -> Fraction:
    """Phi of docs/numerics.md for h roundings up to the sum."""
    g = (h + 2) * U / (1 - (h + 2) * U)
    return (1 + g / 2 * (1 + g)) * (1 + RSQRT) * (1 + U) ** 2 - 1
