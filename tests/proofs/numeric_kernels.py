"""Small kernels under contracts of their own, for refinement and the harness: tests/ptx/numerics/NAME.ptx."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backend.emulator.device import EmulatorDevice
from backend.launch import bind
from proofs.refinement import RefinementResult, check_refinement
from proofs.refinement_cases import Case
from spec.contracts.model import ACTIVE, Buffer, Ceilings, Contract, Parameter
from spec.errors import ContractViolation, FltcError
from spec.operators import operator_of
from spec.operators.model import KnownAnswer
from spec.ptx.parser import parse
from spec.tensor_core import ADA, TensorCore
from tests.harness.compare import Verdict, execute, judge

FOLDER = Path(__file__).parents[1] / "ptx" / "numerics"
CEILINGS = Ceilings(registers=255, static_shared=49152, dynamic_shared=49152)


@dataclass(frozen=True)
class Kernel:
    """A test kernel.

    Args:
        name: of its file.
        contract: of its only entry; `contract.operator` may be shared by several kernels.
        cases: launches for refinement, which together reach every instruction.
    """

    name: str
    contract: Contract
    cases: tuple[Case, ...]

    @property
    def text(self) -> str:
        return (FOLDER / f"{self.name}.ptx").read_text()

    def refine(self, text: str, cases: Sequence[Case] | None = None) -> RefinementResult:
        """The obligation refinement of this text at the cases, all of them if None."""
        module = parse(text, name=f"{self.name}.ptx")
        return check_refinement(self.name, self.contract, module, self.cases if cases is None else cases)

    def differ(
        self, text: str, launches: Sequence[KnownAnswer], tensor_core: TensorCore = ADA
    ) -> tuple[list[str], float]:
        """What the differential harness complains of when the emulator runs these, and the worst error / bound.

        Of a launch that is not `bitwise`, only its inputs are used.
        """
        operator = operator_of(self.contract.operator)
        descriptor = bind(self.contract, parse(text, name=self.name))
        complaints, worst = [], 0.0
        for launch in launches:
            values = {**self.sizes(launch), **launch.floats}
            verdict = Verdict()
            try:
                aligned = dict.fromkeys((b.name for b in self.contract.buffers), 0)
                outcome = execute(EmulatorDevice("forward", tensor_core), descriptor, values, launch.inputs, aligned)
                verdict.complaints += outcome.complaints
                judge(operator.expected(launch.inputs, launch.floats), outcome.outputs, operator, verdict)
            except ContractViolation:
                raise
            except FltcError as error:
                verdict.complaints.append(f"{type(error).__name__}: {error}")
            complaints += [f"{launch.name}: {complaint}" for complaint in verdict.complaints]
            worst = max(worst, verdict.worst_ratio)
        return complaints, worst

    def sizes(self, launch: KnownAnswer) -> dict[str, int]:
        """Parameter values for arrays of these shapes, inputs first; rows packed. Others are 0."""
        values: dict[str, int] = {}
        for buffer in sorted(self.contract.buffers, key=lambda b: b.name not in launch.inputs):
            shape = launch.inputs.get(buffer.name, launch.output).shape
            for name, size in zip(buffer.shape, shape, strict=False):
                if name.isidentifier():
                    values.setdefault(name, size)
        for buffer in self.contract.buffers:
            if buffer.leading:
                values[buffer.leading] = values[buffer.shape[-1]]
        others = (p.name for p in self.contract.parameters if p.kind in ("u32", "u64", "power"))
        return {**dict.fromkeys(others, 0), **values}


def buffers(shapes: Mapping[str, tuple[str, ...]], output: str, **elements: str) -> tuple[Buffer, ...]:
    """Buffers of binary16, or of the element named, packed or with a stride NAME_stride where there are rows."""
    return tuple(
        Buffer(
            name, elements.get(name, "f16"), shape, "w" if name == output else "r",
            leading=f"{name}_stride" if len(shape) == 2 else "", align=16,
        )
        for name, shape in shapes.items()
    )  # fmt: skip


SWIGLU = Kernel(
    "swiglu",
    Contract(
        stem="swiglu",
        entry="swiglu_f16",
        parameters=(
            *(Parameter(name, "buffer") for name in ("gate", "up", "y")),
            Parameter("n", "u32"),
            Parameter("power_state", "power"),
        ),
        requires=("n >= 1 && n <= 2^20",),
        buffers=buffers({"gate": ("n",), "up": ("n",), "y": ("n",)}, "y"),
        block=(64, 1, 1),
        grid=("ceil_div(n, 64)", "1", "1"),
        outputs=("y",),
        ceilings=CEILINGS,
        operator="swiglu",
    ),
    (Case("one block", {"n": 5}), Case("several blocks", {"n": 130}), Case("not active", {"n": 3}, power=1)),
)

GEMM_SHAPES = {"a": ("rows", "inner"), "b": ("inner", "columns"), "y": ("rows", "columns")}
GEMM_SIZES = ("rows", "inner", "columns", "a_stride", "b_stride", "y_stride")


def gemm_case(name: str, rows: int, inner: int, columns: int, *padding: int, power: int = ACTIVE) -> Case:
    """A launch with so many elements of padding behind the rows of a, b and y."""
    lengths = (inner, columns, columns)
    strides = (length + more for length, more in zip(lengths, padding or (0, 0, 0), strict=True))
    return Case(name, dict(zip(GEMM_SIZES, (rows, inner, columns, *strides), strict=True)), power=power)


GEMM = Kernel(
    "gemm",
    Contract(
        stem="gemm",
        entry="gemm_f16",
        parameters=(
            *(Parameter(name, "buffer") for name in ("a", "b", "y")),
            *(Parameter(name, "u32") for name in GEMM_SIZES),
            Parameter("power_state", "power"),
        ),
        requires=(
            "rows >= 1 && rows <= 2^16 && rows % 16 == 0 && inner <= 2^20 && inner % 16 == 0",
            "columns >= 1 && columns <= 2^16 && columns % 8 == 0",
            "a_stride >= inner && b_stride >= columns && y_stride >= columns",
            "a_stride % 8 == 0 && b_stride % 8 == 0 && y_stride % 8 == 0",
        ),
        buffers=buffers(GEMM_SHAPES, "y"),
        block=(32, 1, 1),
        grid=("columns / 8", "rows / 16", "1"),
        outputs=("y",),
        ceilings=CEILINGS,
        operator="gemm",
    ),
    (
        gemm_case("one tile, one step", 16, 16, 8),
        gemm_case("one tile, five steps", 16, 80, 8),
        gemm_case("tiles in both directions, padded rows", 48, 48, 24, 8, 16, 24),
        gemm_case("no step", 16, 0, 8),
        gemm_case("not active", 16, 16, 8, power=1),
    ),
)


def random_words(seed: int, *shape: int, low: int = 0x2C00, high: int = 0x4800) -> np.ndarray[
    tuple[int, ...], np.dtype[np.uint16]
]:
    """Binary16 words of either sign with magnitudes between two words."""
    rng = np.random.default_rng(seed)
    return (rng.integers(low, high, shape) | rng.integers(0, 2, shape) << 15).astype(np.uint16)

_ADD_SIZES = ("rows", "inner", "columns", "a_stride", "b_stride", "c_stride", "y_stride")
GEMM_ADD = Kernel(
    "gemm_add",
    Contract(
        stem="gemm_add",
        entry="gemm_add",
        parameters=(
            *(Parameter(name, "buffer") for name in ("a", "b", "c", "y")),
            *(Parameter(name, "u32") for name in _ADD_SIZES),
        ),
        requires=GEMM.contract.requires,
        buffers=buffers({**GEMM_SHAPES, "c": ("rows", "columns")}, "y", c="f32", y="f32"),
        block=(32, 1, 1),
        grid=GEMM.contract.grid,
        outputs=("y",),
        ceilings=CEILINGS,
        operator="gemm_add",
    ),
    tuple(
        Case(name, dict(zip(_ADD_SIZES, sizes, strict=True)))
        for name, sizes in (("a tile", (16, 32, 8, 32, 8, 8, 8)), ("tiles, padded rows", (32, 16, 16, 24, 16, 24, 32)))
    ),
)


def _flat(name: str, entry: str, inputs: tuple[str, ...], even: bool) -> Kernel:
    """Elements of n-element buffers, 64 threads to a block."""
    shapes = dict.fromkeys((*inputs, "y"), ("n",))
    return Kernel(
        name,
        Contract(
            stem=name,
            entry=entry,
            parameters=(*(Parameter(buffer, "buffer") for buffer in shapes), Parameter("n", "u32")),
            requires=("n >= 1 && n <= 2^20" + (" && n % 2 == 0" if even else ""),),
            buffers=buffers(shapes, "y"),
            block=(64, 1, 1),
            grid=("ceil_div(n, 64)", "1", "1"),
            outputs=("y",),
            ceilings=CEILINGS,
            operator=name,
        ),
        tuple(Case(f"{n} elements", {"n": n}) for n in (6, 150)),
    )


RESIDUAL = _flat("residual", "residual_f16", ("a", "b"), even=False)
COPY = _flat("copy", "copy_16", ("x",), even=True)
_PLANES = ("planes", "rows", "columns")
COPY_PLANES = Kernel(
    "copy_planes",
    Contract(
        stem="copy_planes",
        entry="copy_planes",
        parameters=(
            Parameter("x", "buffer"),
            Parameter("y", "buffer"),
            *(Parameter(name, "u32") for name in (*_PLANES, "stride", "plane", "n")),
        ),
        requires=("planes >= 1 && rows >= 1 && columns >= 1 && columns <= 32 && stride >= columns",
                  "plane >= rows * stride && n == planes * plane && n <= 2^20"),
        buffers=tuple(
            Buffer(name, "f16", _PLANES, access, leading="stride", align=2, plane="plane")
            for name, access in (("x", "r"), ("y", "w"))
        ),
        block=(32, 1, 1),
        grid=("rows", "planes", "1"),
        outputs=("y",),
        ceilings=CEILINGS,
        operator="copy",
    ),
    (Case("three planes", {"planes": 3, "rows": 2, "columns": 5, "stride": 7, "plane": 17, "n": 51}),
     Case("packed", {"planes": 2, "rows": 3, "columns": 4, "stride": 4, "plane": 12, "n": 24})),
)  # fmt: skip
_ROPE_SIZES = ("rows", "columns", "half", "x_stride", "table_stride", "y_stride")


def _rope_case(name: str, rows: int, heads: int, half: int, *padding: int) -> Case:
    columns = 2 * half * heads
    strides = (length + more for length, more in zip((columns, half, columns), padding or (0, 0, 0), strict=True))
    return Case(name, dict(zip(_ROPE_SIZES, (rows, columns, half, *strides), strict=True)))


ROPE = Kernel(
    "rope",
    Contract(
        stem="rope",
        entry="rope_f16",
        parameters=(
            *(Parameter(name, "buffer") for name in ("x", "cos", "sin", "y")),
            *(Parameter(name, "u32") for name in _ROPE_SIZES),
        ),
        requires=(
            "rows >= 1 && rows <= 2^15 && half >= 1 && half <= 2^12 && columns >= 1 && columns <= 2^16",
            "columns % (2 * half) == 0 && x_stride >= columns && table_stride >= half && y_stride >= columns",
            "x_stride <= 2^20 && table_stride <= 2^20 && y_stride <= 2^20",
        ),
        buffers=(
            Buffer("x", "f16", ("rows", "columns"), "r", leading="x_stride", align=2),
            Buffer("cos", "f32", ("rows", "half"), "r", leading="table_stride", align=4),
            Buffer("sin", "f32", ("rows", "half"), "r", leading="table_stride", align=4),
            Buffer("y", "f16", ("rows", "columns"), "w", leading="y_stride", align=2),
        ),
        block=(32, 1, 1),
        grid=("ceil_div(columns, 64)", "rows", "1"),
        outputs=("y",),
        ceilings=CEILINGS,
        operator="rope",
    ),
    (
        _rope_case("three heads of two rows, padded", 2, 3, 8, 4, 3, 6),
        _rope_case("a head over two blocks", 1, 1, 40),
        _rope_case("one pair", 1, 1, 1),
    ),
)


def _dequant(kind: str, bytes_of: int, elements: int, threads: int, grid: str, stored: str = "f32") -> Kernel:
    """Blocks of x to elements of y; n is the number of elements."""
    return Kernel(
        f"dequant_{kind}",
        Contract(
            stem=f"dequant_{kind}",
            entry=f"dequant_{kind}",
            parameters=(Parameter("x", "buffer"), Parameter("y", "buffer"), Parameter("n", "u32")),
            requires=(f"n >= 1 && n <= 2^24 && n % {elements} == 0",),
            buffers=buffers({"x": (f"n / {elements} * {bytes_of}",), "y": ("n",)}, "y", x="u8", y=stored),
            block=(threads, 1, 1),
            grid=(grid, "1", "1"),
            outputs=("y",),
            ceilings=CEILINGS,
            operator=f"dequant_{kind}" + ("" if stored == "f32" else "_f16"),
        ),
        tuple(Case(f"{count} blocks", {"n": count * elements}) for count in (1, 3)),
    )


DEQUANT = {
    kernel.name: kernel
    for kernel in (
        _dequant("q4_0", 18, 32, 32, "ceil_div(n, 64)"),
        _dequant("q8_0", 34, 32, 32, "n / 32", "f16"),
        _dequant("q4_k", 144, 256, 256, "n / 256"),
    )
}
