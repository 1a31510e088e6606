"""What a kernel may assume and must deliver. A contract is data: the host checks it, the prover assumes exactly it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spec.contracts.expr import Compare, evaluate, holds, parse_comparisons, parse_expr, print_expr
from spec.contracts.facts import INTEGERS, Array, Fact, first_breach, parse_fact
from spec.errors import BadInput, ContractViolation

ELEMENT_BYTES = {"u8": 1, "f16": 2, "bf16": 2, "u16": 2, "f32": 4, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f64": 8}
ACTIVE = 0
MAX_GRID = (2**31 - 1, 65_535, 65_535)
MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024


@dataclass(frozen=True)
class Parameter:
    """One kernel parameter, in the entry's order. kind: buffer (a u64 address), u32, u64, s32, f32, power (u32)."""

    name: str
    kind: str

    @property
    def bytes(self) -> int:
        return 8 if self.kind in ("buffer", "u64") else 4


@dataclass(frozen=True)
class Buffer:
    """A global buffer behind a pointer parameter.

    Args:
        name: the parameter.
        element: element type, key of ELEMENT_BYTES.
        shape: extents in elements, expressions; one, two (rows, columns) or three (planes, rows, columns).
        access: r, w or rw.
        leading: elements from one row to the next, for more than one extent; default the row length.
        align: bytes that divide the base address.
        plane: elements from one plane to the next, for three extents; default the rows of a plane.
    """

    name: str
    element: str
    shape: tuple[str, ...]
    access: str
    leading: str = ""
    align: int = 1
    plane: str = ""

    @property
    def element_bytes(self) -> int:
        return ELEMENT_BYTES[self.element]

    @property
    def row_stride(self) -> str:
        """Elements from one row to the next, as an expression (more than one extent only)."""
        return self.leading or self.shape[-1]

    @property
    def plane_stride(self) -> str:
        """Elements from one plane to the next, as an expression (three extents only)."""
        return self.plane or f"({self.shape[-2]}) * ({self.row_stride})"

    def sizes(self, values: Mapping[str, int]) -> tuple[int, ...]:
        """The extents in elements."""
        return tuple(evaluate(parse_expr(s), values) for s in self.shape)

    def strides(self, values: Mapping[str, int]) -> tuple[int, ...]:
        """Elements from one index to the next in each extent, outermost first."""
        texts = (self.plane_stride, self.row_stride)[-(len(self.shape) - 1) :] if len(self.shape) > 1 else ()
        return (*(evaluate(parse_expr(t), values) for t in texts), 1)

    def extent(self, values: Mapping[str, int]) -> int:
        """Bytes from the base to the end of the last logical row."""
        sizes = self.sizes(values)
        if 0 in sizes:
            return 0
        last = sum((size - 1) * stride for size, stride in zip(sizes, self.strides(values), strict=True))
        return (last + 1) * self.element_bytes


@dataclass(frozen=True)
class Ceilings:
    """Upper limits of what the assembled kernel may use; per thread, per block, or in bytes as named."""

    registers: int
    static_shared: int
    dynamic_shared: int = 0
    spill_bytes: int = 0
    stack_bytes: int = 0
    code_bytes: int = 65_536


@dataclass(frozen=True)
class Contract:
    """The contract of one entry.

    Args:
        stem: file name without suffix, shared by operator, contract, kernel and PTX.
        entry: the kernel's name in the PTX.
        parameters: in the entry's order.
        requires: comparisons over parameters (integers); one string may hold several, joined by &&.
        float_ranges: inclusive ranges of float parameters.
        buffers: every pointer parameter has one; different buffers do not overlap.
        block, grid: launch size; block of constants, grid of expressions over parameters.
        outputs: buffers of which every logical element is written, once.
        rewrites: buffers whose elements one thread may write several times.
        power: the parameter that gates output mutation (ACTIVE lets the kernel run).
        operator: name in spec.operators that gives meaning, order and error bound.
        facts: what buffers of integers hold when the launch begins (spec.contracts.facts).
    """

    stem: str
    entry: str
    parameters: tuple[Parameter, ...]
    requires: tuple[str, ...]
    buffers: tuple[Buffer, ...]
    block: tuple[int, int, int]
    grid: tuple[str, str, str]
    outputs: tuple[str, ...]
    ceilings: Ceilings
    operator: str
    float_ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rewrites: tuple[str, ...] = ()
    power: str = "power_state"
    dynamic_shared: int = 0
    facts: tuple[str, ...] = ()

    def comparisons(self) -> tuple[Compare, ...]:
        """`requires`, parsed."""
        return tuple(c for text in self.requires for c in parse_comparisons(text))

    def content_facts(self) -> tuple[Fact, ...]:
        """`facts`, parsed; BadInput for one that speaks of no buffer of integers that the kernel reads."""
        known = {p.name for p in self.parameters if p.kind in ("u32", "u64", "s32", "power")}
        found = []
        for text in self.facts:
            fact = parse_fact(text, known)
            buffer = next((b for b in self.buffers if b.name == fact.buffer), None)
            if buffer is None or buffer.element not in INTEGERS or "r" not in buffer.access:
                raise BadInput(f"{self.entry}: fact {text}: {fact.buffer} is no buffer of integers that is read; "
                               f"integers are {', '.join(INTEGERS)}")  # fmt: skip
            found.append(fact.of_rank(len(buffer.shape)))
        return tuple(found)

    def buffer(self, name: str) -> Buffer:
        """The buffer behind a pointer parameter."""
        return next(b for b in self.buffers if b.name == name)

    def grid_for(self, values: Mapping[str, int]) -> tuple[int, int, int]:
        """Blocks to launch for these parameter values."""
        x, y, z = (evaluate(parse_expr(e), values) for e in self.grid)
        return x, y, z

    def check_values(self, values: Mapping[str, int]) -> None:
        """ContractViolation naming the first clause that these integer parameter values break."""
        for comparison in self.comparisons():
            if not holds(comparison, values):
                shown = [p.name for p in self.parameters if p.name in values and p.kind != "buffer"]
                used = ", ".join(f"{name}={values[name]}" for name in shown)
                raise ContractViolation(f"{self.entry} requires {print_expr(comparison)}; asked for {used}")

    def check_contents(self, values: Mapping[str, int], contents: Mapping[str, Array]) -> None:
        """ContractViolation naming the first fact that these contents break, and the first elements that do.

        Args:
            values: the integer parameters.
            contents: the elements of every buffer that a fact speaks of, in its logical shape.
        """
        for fact in self.content_facts():
            try:
                breach = first_breach(fact, contents[fact.buffer], values)
            except BadInput as error:
                raise ContractViolation(f"{self.entry}: {error}") from None
            if breach is not None:
                raise ContractViolation(f"{self.entry} requires {fact.text}; {breach.words(fact.buffer)}")
