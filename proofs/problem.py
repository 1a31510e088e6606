"""What is asked of the prover: one entry, what may be assumed of its launch, what its buffers are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from proofs.contents import Source
from proofs.hints.model import Hint
from proofs.terms import BLOCK, LAUNCH, THREAD, Cond, Poly, Symbol, divide, eq, ite, le, lt, modulo, negate, same
from spec.contracts.expr import Compare, Const, Expr, Var, print_expr
from spec.contracts.model import MAX_BLOCK, MAX_GRID, MAX_THREADS, Contract
from spec.errors import BadInput, Unsupported
from spec.ptx.ast import Function, Mem, Module, Sym, Variable, type_width
from spec.ptx.isa import lookup

AXES = ("x", "y", "z")
MAX_PRODUCTS = 1_000  # of an expression in a flag or contract
DYNAMIC = "dynamic_shared"  # the bytes of `.extern .shared` memory that a launch gives, as a name
BY_PLACE = " (parameters are also p0, p1, ... in order)"  # said once, instead of every spelling of each
RESERVED = frozenset((
    "and", "or", "not", "ite", "div", "mod", "abs", "let", "forall", "exists", "true", "false", "distinct", "xor",
    "par", "as", "assert",
))


@dataclass(frozen=True)
class BufferTerms:
    """A buffer in terms, in global memory or of constants.

    `rows` and `leading` are None for one extent, `columns` is None if nothing is declared.

    `planes` and `plane_stride` (in elements) are there for three extents.
    """

    name: str
    base: Symbol
    element_bytes: int
    rows: Poly | None
    leading: Poly | None
    columns: Poly | None
    access: str
    align: int
    space: str = "global"
    planes: Poly | None = None
    plane_stride: Poly | None = None

    @property
    def elements(self) -> Poly | None:
        """Elements from the first to the last one, gaps between rows included."""
        if self.columns is None or self.rows is None or self.leading is None:
            return self.columns
        inner = (self.rows - 1) * self.leading + self.columns
        if self.planes is None or self.plane_stride is None:
            return inner
        return (self.planes - 1) * self.plane_stride + inner

    @property
    def flat(self) -> Poly | None:
        """The number of elements where one follows another without a gap, else None."""
        if self.columns is None or self.rows is None or self.leading != self.columns:
            return None
        inner = self.rows * self.columns
        if self.planes is None:
            return inner
        return self.planes * inner if self.plane_stride == inner else None


@dataclass
class Problem:
    """One entry to examine.

    Args:
        domain: what is assumed of the launch, each clause with its text.
        parameters: PTX parameter name to its term, None where its value is not tracked.
        specials, variables: terms of special registers and of shared variables' addresses.
        shared_bytes: size of each shared variable, a term.
        block, grid: sizes where fixed, else None.
        power: the power parameter's symbol, if the contract has one.
        alias: pairs of buffers that may overlap.
        sources: buffers of integers whose content is followed, unless the launch turns out to write them.
        addresses: of variables that are not shared, by name (`proofs.variables`).
        local_bytes: size of each local variable.
        hints: what a person gives to help (`proofs.hints`); none of it is taken for true.
        numbers: 64-bit parameters that memory is accessed at, but that are no pointers as an expression names them: to
            the flag that it stands in.
        fields: what is loaded of structures passed by value, by PTX name, byte and width in bits.
    """

    module: Module
    function: Function
    domain: list[tuple[str, Cond]]
    parameters: dict[str, Poly | None]
    specials: dict[str, Poly]
    variables: dict[str, Poly]
    shared_bytes: dict[str, Poly]
    buffers: dict[str, BufferTerms]
    block: tuple[int | None, int | None, int | None]
    grid: tuple[Poly, Poly, Poly]
    power: Symbol | None = None
    outputs: tuple[str, ...] = ()
    rewrites: tuple[str, ...] = ()
    alias: frozenset[frozenset[str]] = frozenset()
    allow_exited: bool = False
    contract: Contract | None = None
    expected_grid: tuple[Poly, ...] = ()
    names: dict[str, Poly] = field(default_factory=dict)
    assumptions: list[str] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    addresses: dict[str, Poly] = field(default_factory=dict)
    local_bytes: dict[str, Poly] = field(default_factory=dict)
    hints: tuple[Hint, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[tuple[str, int, int], Poly] = field(default_factory=dict)

    @property
    def strict(self) -> bool:
        """Whether the kernel ships: nothing is excused in it (unwritten registers that reach nothing, numbers that wrap
        and reach nothing, several writers of one value), and its claims are those that the audit derives on its own.
        """
        return self.contract is not None

    def variable_of(self, space: str, name: str) -> tuple[Poly, Poly]:
        """Address and size of a shared or local variable."""
        if space == "local":
            return self.addresses[name], self.local_bytes[name]
        return self.variables[name], self.shared_bytes[name]

    def alias_of(self, a: str, b: str) -> bool:
        """Whether two buffers may overlap."""
        return a == b or frozenset((a, b)) in self.alias


def to_term(expr: Expr, names: Mapping[str, Poly]) -> Poly:
    """A contract expression as a term. BadInput names what is unknown or divides by a variable."""
    if isinstance(expr, Const):
        return Poly.constant(expr.value)
    if isinstance(expr, Var):
        if expr.name not in names:
            raise BadInput(f"unknown name {expr.name!r} in an expression; known are {_known(names)}")
        return names[expr.name]
    a, b = to_term(expr.a, names), to_term(expr.b, names)
    if expr.op == "*" and len(a.terms) * len(b.terms) > MAX_PRODUCTS:
        raise BadInput(f"{print_expr(expr)[:60]}...: more than {MAX_PRODUCTS} products when multiplied out")
    if expr.op in ("/", "%"):
        if b.value is None or b.value <= 0:
            raise BadInput(f"{print_expr(expr)}: the divisor must be a positive constant")
        return divide(a, b.value) if expr.op == "/" else modulo(a, b.value)
    if expr.op in ("min", "max"):
        return ite(le(a, b) if expr.op == "min" else le(b, a), a, b)
    return {"+": a + b, "-": a - b, "*": a * b}[expr.op]


def _known(names: Mapping[str, Poly]) -> str:
    """What may be named, for messages: of the spellings of one parameter, that which stands first in `names`."""
    listed: dict[Poly | str, str] = {}
    for name, value in names.items():  # two sizes may be equal without being one thing: `block.y` and `block.z`
        listed.setdefault(name if "." in name or value.value is not None else value, name)
    shown = set(listed.values())
    by_place = any(re.fullmatch(r"p\d+", name) for name in names.keys() - shown)
    return ", ".join(sorted(shown)) + (BY_PLACE if by_place else "")


def to_condition(comparison: Compare, names: Mapping[str, Poly]) -> Cond:
    """A contract comparison as a condition."""
    a, b = to_term(comparison.a, names), to_term(comparison.b, names)
    table = {"==": same(a, b), "<=": le(a, b), "<": lt(a, b), ">=": le(b, a), ">": lt(b, a)}
    return negate(same(a, b)) if comparison.op == "!=" else table[comparison.op]


def shared_variables(module: Module, function: Function) -> tuple[Variable, ...]:
    """The shared variables an entry can see."""
    return tuple(v for v in (*module.variables, *function.variables) if v.space == "shared")


def launch_specials(
    block: tuple[int | None, int | None, int | None], grid: tuple[Poly | None, Poly | None, Poly | None]
) -> tuple[dict[str, Poly], list[tuple[str, Cond]], tuple[Poly, Poly, Poly]]:
    """Terms of %tid, %ctaid, %ntid, %nctaid, the clauses that bind them, and the grid's extents."""
    specials: dict[str, Poly] = {}
    clauses: list[tuple[str, Cond]] = []
    extents = []
    threads = Poly.constant(1)
    for i, axis in enumerate(AXES):
        size, limit = block[i], MAX_BLOCK[i]
        ntid = (
            Poly.constant(size)
            if size is not None
            else Poly.symbol(Symbol(f"ntid.{axis}", "special", LAUNCH, 1, limit))
        )
        high = (size or limit) - 1
        tid = Poly({}) if high == 0 else Poly.symbol(Symbol(f"tid.{axis}", "special", THREAD, 0, high))
        if size is None:
            clauses.append((f"tid.{axis} < ntid.{axis}", lt(tid, ntid)))
        threads = threads * ntid
        given = grid[i]
        if given is not None and given.value is not None:
            extent, last = given, given.value - 1
        else:
            extent, last = Poly.symbol(Symbol(f"nctaid.{axis}", "special", LAUNCH, 1, MAX_GRID[i])), MAX_GRID[i] - 1
            if given is not None:
                clauses.append((f"nctaid.{axis} is the contract's grid", same(extent, given)))
        ctaid = Poly({}) if last == 0 else Poly.symbol(Symbol(f"ctaid.{axis}", "special", BLOCK, 0, last))
        if extent.value is None:
            clauses.append((f"ctaid.{axis} < nctaid.{axis}", lt(ctaid, extent)))
        specials |= {f"%tid.{axis}": tid, f"%ntid.{axis}": ntid, f"%ctaid.{axis}": ctaid, f"%nctaid.{axis}": extent}
        extents.append(extent)
    if threads.value is None:
        clauses.append((f"at most {MAX_THREADS} threads in a block", le(threads, MAX_THREADS)))
    linear = specials["%tid.x"] + specials["%ntid.x"] * (
        specials["%tid.y"] + specials["%ntid.y"] * specials["%tid.z"]
    )
    specials["%laneid"] = modulo(linear, 32)
    specials["WARP_SZ"] = Poly.constant(32)
    return specials, clauses, (extents[0], extents[1], extents[2])


def linear_thread(specials: Mapping[str, Poly]) -> Poly:
    """The thread's number in its block."""
    return specials["%tid.x"] + specials["%ntid.x"] * (specials["%tid.y"] + specials["%ntid.y"] * specials["%tid.z"])


def variable_terms(
    module: Module, function: Function, dynamic: Poly
) -> tuple[dict[str, Poly], dict[str, Poly], list[tuple[str, Cond]]]:
    """Addresses and sizes of shared variables, and their alignment; an open extent has the launch's dynamic bytes."""
    addresses: dict[str, Poly] = {}
    sizes: dict[str, Poly] = {}
    clauses: list[tuple[str, Cond]] = []
    for variable in shared_variables(module, function):
        size = variable.bytes
        align = variable.align or type_width(variable.type) // 8 * variable.vector
        address = Poly.symbol(Symbol(f"shared.{variable.name}", "variable", LAUNCH, 0, 2**20))
        addresses[variable.name] = address
        sizes[variable.name] = dynamic if size is None else Poly.constant(size)
        if align > 1:
            clauses.append((f"shared.{variable.name} is aligned to {align}", eq(modulo(address, align))))
    return addresses, sizes, clauses


def buffer_clauses(buffer: BufferTerms) -> list[tuple[str, Cond]]:
    """What holds of a buffer in memory: its base is aligned, its last byte has an address of 64 bits."""
    base = Poly.symbol(buffer.base)
    clauses = []
    if buffer.align > 1:
        clauses.append((f"{buffer.name} % {buffer.align} == 0", eq(modulo(base, buffer.align))))
    elements = buffer.elements
    if elements is not None:
        clauses.append((f"{buffer.name} ends below 2^64", le(base + elements * buffer.element_bytes, 2**64)))
    return clauses


def check_name(name: str) -> str:
    """A name that can stand in a query; BadInput otherwise."""
    if name in RESERVED or "|" in name or "." in name or "!" in name or "@" in name or "'" in name:
        raise BadInput(f"parameter name {name!r} cannot be used in a query; rename it with --names")
    return name


def unsupported_function(function: Function) -> None:
    """Unsupported for what the prover does not model in a function's declarations."""
    for variable in function.variables:
        if variable.space not in ("shared", "param", "local", "global", "const"):
            raise Unsupported(f".{variable.space} variable {variable.name}", line=variable.line)
    sizes = {p.name: type_width(p.type) // 8 * (p.elements or 1) for p in function.params}
    for instruction in function.instructions():
        if not instruction.opcode.startswith("ld.param"):
            continue
        found = lookup(instruction.opcode)
        source = instruction.operands[-1] if instruction.operands else None
        if found is None or not isinstance(source, Mem) or not isinstance(source.base, Sym):
            continue  # the machine names what it does not know
        form = found[1]
        end = source.base.offset + source.offset + form.width // 8 * int(form["vec"].removeprefix("v") or "1")
        if source.base.name in sizes and not 0 <= source.base.offset + source.offset < end <= sizes[source.base.name]:
            raise Unsupported(f"{instruction.opcode} of {source.base.name} reads past the parameter",
                              line=instruction.line)
