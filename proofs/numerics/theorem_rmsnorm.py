"""RMSNorm's error contract as a Coq theorem: proofs/coq/Lengths.v with the constants that contract and harness use.

The instance holds the bound of the harness for every depth that occurs, as integers, and the node graph of the
operator's ordered expression at some lengths; coqc computes both again from the theory's definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from proofs.numerics.domain import float_range, largest
from proofs.numerics.theorem import Theorem
from proofs.refinement_cases.rmsnorm import CASES
from spec.approximations import TABLE
from spec.contracts.model import Contract
from spec.errors import BadInput
from spec.operators import rmsnorm
from spec.operators.build import ZERO, add, approximate, div, from_u32, mul, narrow, widen
from spec.ptx.node import Node, input_element, parameter

LENGTHS = (2, 7, 9, 2048)
"""Graphs are compared at these lengths and at those of refinement."""
NAME = "rmsnorm_contract"
_IMPORTS = ("Rounding", "Sum", "Order", "Computed", "Rmsnorm", "Lengths")


def theorem(contract: Contract) -> Theorem:
    """The contract's instance."""
    columns = largest(contract, "columns")
    eps = float_range(contract, "eps")
    at = {case.values["columns"] for case in CASES} | set(LENGTHS)
    lengths = sorted(n for n in at if n <= columns)
    text = "".join(f"{line}\n" for line in _lines(contract.entry, columns, eps, lengths))
    return Theorem(NAME, text, f"rows of every length up to {columns}")


def _lines(entry: str, columns: int, eps: tuple[Fraction, Fraction], lengths: list[int]) -> Iterator[str]:
    rho, rounds = TABLE["rsqrt"].relative, -(-columns // (rmsnorm.VECTOR * rmsnorm.THREADS))
    low, high = (f"{e.numerator} / {e.denominator}" for e in eps)
    yield f"(* The error contract of {entry}: columns from 1 to {columns}, eps from {low} to {high}. *)"
    yield ""
    yield "From Coq Require Import Reals ZArith NArith Nnat List Lia Lra."
    yield f"From Fltc Require Import {' '.join(_IMPORTS)}."
    yield "Import ListNotations."
    yield ""
    yield "(* The documented relative error of rsqrt.approx, as spec/approximations.py has it. *)"
    yield f"Definition rho_numerator : Z := {rho.numerator}."
    yield f"Definition rho_denominator : Z := {rho.denominator}."
    yield ""
    yield "(* The bound of the harness by the depth of the sum: phi of spec/operators/rmsnorm.py. *)"
    yield "Definition bounds : list row := ["
    yield ";\n".join(f"  ({h}%nat, ({p.numerator}, {p.denominator})%Z)" for h, p in bounds(rounds))
    yield "]."
    yield ""
    yield f"Theorem {NAME} : forall (x : nat -> R) (w eps : R) (columns : nat),"
    yield f"  (forall c, binary16 (x c)) -> binary16 w -> (1 <= Z.of_nat columns <= {columns})%Z ->"
    yield f"  ({low} <= eps <= {high})%R ->"
    yield "  exists num den : Z, In (most columns, (num, den)) bounds /\\"
    yield "    obeys x w eps (IZR rho_numerator / IZR rho_denominator) columns (IZR num / IZR den)."
    yield "Proof."
    yield "  intros x w eps columns X W N E."
    yield f"  refine (rmsnorm_by_table rho_numerator rho_denominator bounds {rounds} _ _ _ _ _ _"
    yield "    x w eps columns X W _ _)."
    yield "  1, 3: vm_compute; discriminate."
    yield "  1, 3, 4: vm_compute; reflexivity."
    yield "  - lia."
    yield "  - unfold pow2; simpl; lra."
    yield "  - lia."
    yield "Qed."
    yield ""
    yield "(* The operator's own graphs of the sum at some lengths, and depth() there. *)"
    shown = "; ".join(f"{n}" for n in lengths)
    depths = "; ".join(str(rmsnorm.depth(n)) for n in lengths)
    yield f"Example depths : map (fun n => most (N.to_nat n)) [{shown}]%N = [{depths}]%nat."
    yield "Proof. vm_compute; reflexivity. Qed."
    for n in lengths:
        yield f"Example order_of_{n} : code (order (N.to_nat {n})) = ["
        yield from _wrapped(code(sum_of_squares(n)))
        yield "]%N."
        yield f"Proof. refine (eq_trans (code_order _) _); vm_cast_no_check (eq_refl (code_at {n})). Qed."


def bounds(rounds: int) -> list[tuple[int, Fraction]]:
    """Depth and phi for every depth of rows up to 2048 `rounds` columns, each from a row that has it."""
    whole = rmsnorm.VECTOR * rmsnorm.THREADS
    lengths = [1]
    for r in range(1, rounds + 1):
        lengths += [whole * r, whole * r - rmsnorm.VECTOR + 1]
    return [(rmsnorm.depth(n), rmsnorm.phi({"columns": n})) for n in lengths]


def _wrapped(numbers: Iterable[int]) -> Iterator[str]:
    """The numbers in lines of a list."""
    line = ""
    for number in numbers:
        if len(line) > 100:
            yield line
            line = ""
        line += f"{'; ' if line else '  '}{number}"
        if len(line) > 100:
            line += ";"
    if line:
        yield line.removesuffix(";")


# --- the operator's graph ---------------------------------------------------------------------------------------------


def sum_of_squares(columns: int) -> Node:
    """The sum in the operator's ordered expression of y[0]; BadInput if what is around it is not Rmsnorm.v's result."""
    values = {"rows": 1, "columns": columns, "x_stride": columns, "y_stride": columns}
    root = rmsnorm.OPERATOR.expression(values, "y", 0)
    try:
        found = root.args[0].args[0].args[1].args[0].args[0].args[0]
    except IndexError:
        raise BadInput(f"{columns} columns: y[0] has another shape than the result of proofs/coq/Rmsnorm.v") from None
    scale = approximate("rsqrt", False, add(div(found, from_u32(columns)), parameter("eps")))
    scaled = mul(widen(input_element("x", 0)), scale)
    if narrow(mul(scaled, widen(input_element("w", 0)))) is not root:
        raise BadInput(f"{columns} columns: y[0] is not the result of proofs/coq/Rmsnorm.v")
    return found


def code(node: Node) -> Iterator[int]:
    """`code` of proofs/coq/Order.v for a graph: 0 is +0, c + 2 a square of column c added to, 1 an addition."""
    if node is ZERO:
        yield 0
    elif node.op == "ffma" and node.attrs == ("f32", "rn", False, False) and node.args[0] is node.args[1]:
        yield from code(node.args[2])
        yield _column(node.args[0]) + 2
    elif node.op == "fadd" and node.attrs == ("f32", "rn", False, False):
        yield from code(node.args[0])
        yield from code(node.args[1])
        yield 1
    else:
        raise BadInput(f"{node} is no part of a sum of squares as proofs/coq/Sum.v has it")


def _column(node: Node) -> int:
    leaf = node.args[0] if node.args else node
    column = leaf.attrs[1] if leaf.op == "input" and leaf.attrs[0] == "x" else None
    if not isinstance(column, int) or widen(leaf) is not node:
        raise BadInput(f"{node} is not an element of x, converted to binary32")
    return column
