"""What error bounds take for granted of a device: named assumptions, and which of them an expression needs.

A bound holds *if* these do. Their names stand in contracts, reports and evidence; a measurement that contradicts one
makes every verdict that names it void, whatever was proved. The documented constants are in spec.approximations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spec.approximations import TABLE as APPROXIMATIONS
from spec.errors import BadInput
from spec.ptx.node import Node, label, topological

IEEE = "ieee-rn"
TENSOR_CORE = "TC(24,2)"


@dataclass(frozen=True)
class Assumption:
    """One statement about the device.

    Args:
        name: as contracts and reports spell it.
        statement: what is assumed, complete enough to be measured.
        source: where it is documented, or what it was inferred from.
        violated: what a measurement looks like that contradicts it.
    """

    name: str
    statement: str
    source: str
    violated: str


def _documented(instruction: str, spelled: str, section: str, domain: str = "finite") -> Assumption:
    entry = APPROXIMATIONS[instruction]
    return Assumption(
        f"doc-{instruction}",
        f"every {domain} argument of {spelled} gives a result within the documented error ({entry.documented}); zeros, "
        "infinities and NaN give what the ISA lists",
        f"PTX ISA {section}; constants in spec/approximations.py",
        f"an argument whose result is further from the exact one than documented ({entry.documented}), or of another "
        "class than the ISA lists",
    )


TABLE = {
    a.name: a
    for a in (
        Assumption(
            IEEE,
            "add, sub, mul, fma, div, rcp, sqrt with .rn and every cvt give the exact result rounded once to nearest, "
            "ties to even, subnormals kept without .ftz, overflow to Inf",
            "IEEE 754; PTX ISA 9.7.3, 9.7.4, 9.7.9.21",
            "operands whose result differs in a bit from the exact result rounded once (NaN payloads aside)",
        ),
        _documented("ex2", "ex2.approx[.ftz].f32", "9.7.3.21"),
        _documented("rcp", "rcp.approx[.ftz].f32", "9.7.3.13"),
        _documented("rsqrt", "rsqrt.approx[.ftz].f32", "9.7.3.16", "positive finite"),
        _documented("lg2", "lg2.approx[.ftz].f32", "9.7.3.20", "positive finite"),
        _documented("sqrt", "sqrt.approx[.ftz].f32", "9.7.3.15", "non-negative finite"),
        _documented("tanh", "tanh.approx.f32", "9.7.3.22"),
        Assumption(
            TENSOR_CORE,
            "the 16 products of one mma.m16n8k16 of binary16 with binary32 C are added in at most 2 groups, one after "
            "the other: products exact, each addend changed by less than one unit 2^(Emax - 24) and never made larger "
            "in magnitude, their sum exact, the group's result rounded toward zero to binary32; subnormal operands "
            "count; Emax is the largest of the addends' exponents, those of subnormal operands taken as -14",
            "not documented (PTX ISA 9.7.15.5 leaves order and rounding open); inferred from published measurements of "
            "Ampere, Ada and Hopper, of which an H200 was measured again",
            "operands with |d - (c + sum a b)| > 10 * 2^-23 (|c| + sum cl(a) cl(b)), cl(x) = max(|x|, 2^-14) for x not "
            "0; a vanished addend of 2^-24 beside 1 in one group; a subnormal operand that is taken for 0",
        ),
    )
}
"""Every assumption there is, by name."""

_ROUNDING = {
    "fadd": 1, "fsub": 1, "fmul": 1, "ffma": 1, "fdiv": 1, "fsqrt": 1, "fconvert": 2, "int_to_float": 3,
}  # fmt: skip
"""Where the rounding stands among the attributes of a rounded operation."""
_WIDENS = {("f16", "f32"), ("bf16", "f32")}
_EXACT = frozenset({"input", "param", "const", "fneg", "fabs", "fmin", "fmax", "fcompare", "select", "bits"})
"""Leaves, and what only moves, compares or changes the sign."""


def needed(roots: Iterable[Node]) -> tuple[str, ...]:
    """Names of the assumptions behind an exact meaning or a bound of these expressions, in the order of TABLE.

    Raises:
        BadInput: for an operation that no assumption covers.
    """
    found = {name for node in topological(roots) if (name := _behind(node))}
    return tuple(name for name in TABLE if name in found)


def _behind(node: Node) -> str:
    attrs = node.attrs
    if node.op in _ROUNDING and (attrs[_ROUNDING[node.op]] == "rn" or attrs[:2] in _WIDENS):
        return IEEE
    if node.op == "mma" and attrs == ("f16", "f32") and len(node.args) == 33:
        return TENSOR_CORE
    if node.op == "approximate" and attrs[1] == "f32" and f"doc-{attrs[0]}" in TABLE:
        return f"doc-{attrs[0]}"
    if node.op in _EXACT:
        return ""
    raise BadInput(f"no assumption says what {label(node)} may return; add one to spec/assumptions.py")
