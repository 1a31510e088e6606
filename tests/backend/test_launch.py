"""A launch is made only of a descriptor that agrees with the PTX and of arguments that the contract allows."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from backend.launch import Descriptor, Prepared, Span, bind, prepare
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.errors import ContractViolation
from spec.ptx.ast import Function, Module, Param

CONTRACT = Contract(
    stem="scale",
    entry="scale_f16",
    parameters=(
        Parameter("x", "buffer"),
        Parameter("rows", "u32"),
        Parameter("y", "buffer"),
        Parameter("columns", "u32"),
        Parameter("stride", "u64"),
        Parameter("eps", "f32"),
        Parameter("power_state", "power"),
    ),
    requires=("rows >= 1 && columns >= 1 && columns <= 2^16", "stride >= columns", "rows * stride <= 2^40"),
    buffers=(
        Buffer("x", "f16", ("rows", "columns"), "r", leading="stride", align=2),
        Buffer("y", "f16", ("rows", "columns"), "w", align=16),
    ),
    block=(128, 1, 1),
    grid=("rows", "ceil_div(columns, 128)", "1"),
    outputs=("y",),
    ceilings=Ceilings(registers=32, static_shared=0),
    operator="scale",
    float_ranges={"eps": (2.0**-30, 1.0)},
)
PARAMS = (
    Param("x", "u64"),
    Param("rows", "u32"),
    Param("y", "u64"),
    Param("columns", "u32"),
    Param("stride", "u64"),
    Param("eps", "f32"),
    Param("power_state", "u32"),
)
VALUES: dict[str, int | float] = {"rows": 3, "columns": 100, "stride": 128, "eps": 1e-5, "power_state": 0}
BUFFERS = {"x": Span(0x1_0000, 1000), "y": Span(0x2_0000, 600)}


def module(params: tuple[Param, ...] = PARAMS, directives: dict[str, tuple[int, ...]] | None = None) -> Module:
    entry = Function("scale_f16", True, params, body=(), directives=directives or {})
    return Module((8, 0), ("sm_89",), 64, (entry,), text="// scale")


def other(index: int, param: Param) -> Module:
    return module((*PARAMS[:index], param, *PARAMS[index + 1 :]))


DESCRIPTOR = bind(CONTRACT, module())


def test_parameter_bytes_follow_the_param_list() -> None:
    launch = prepare(DESCRIPTOR, VALUES, BUFFERS)
    # u32 at 8, then padding so that the u64 behind it lies at 16; f32 rounded to binary32.
    expected = struct.pack("<QIxxxxQIxxxxQfI", 0x1_0000, 3, 0x2_0000, 100, 128, 1e-5, 0)
    assert launch.parameters == expected
    assert [slot.offset for slot in DESCRIPTOR.slots] == [0, 8, 16, 24, 32, 40, 44]
    assert (launch.grid, launch.block, launch.shared) == ((3, 1, 1), (128, 1, 1), 0)
    assert launch.values["eps"] == float(np.float32(1e-5))
    assert [(r.address, r.extent) for r in launch.regions] == [(0x1_0000, (2 * 128 + 100) * 2), (0x2_0000, 600)]


def test_untyped_bits_are_accepted() -> None:
    params = tuple(replace(p, type=f"b{p.type[1:]}") for p in PARAMS)
    assert bind(CONTRACT, module(params)).slots == DESCRIPTOR.slots


@pytest.mark.parametrize(
    ("ptx", "message"),
    [
        (module(PARAMS[:-1]), "contract has 7 parameters .* the PTX 6"),
        (
            module((PARAMS[2], *PARAMS[1:2], PARAMS[0], *PARAMS[3:])),
            "parameter 0: the contract asks for x, the PTX has y",
        ),
        (other(1, Param("rows", "u64")), r"parameter 1 \(rows\): the contract asks for u32 .* the PTX has .u64"),
        (other(1, Param("rows", "s32")), r"rows\): the contract asks for u32 .* the PTX has .s32"),
        (other(0, Param("x", "u32")), r"x\): the contract asks for buffer .* the PTX has .u32"),
        (other(4, Param("stride", "s64")), r"stride\): the contract asks for u64 .* the PTX has .s64"),
        (other(5, Param("eps", "u32")), r"eps\): the contract asks for f32 .* the PTX has .u32"),
        (other(0, Param("x", "b8", elements=8)), "the PTX has an array of 8 .b8"),
        (other(0, Param("x", "u64", pointer_space="shared")), "asks for global memory, the PTX for .shared"),
        (
            other(0, Param("x", "u64", pointer_space="global", pointer_align=16)),
            "relies on alignment 16, .* promises 2",
        ),
        (other(4, Param("stride", "u64", pointer_space="global")), "the PTX has a pointer, the contract u64"),
        (module(directives={"reqntid": (256,)}), "the PTX has .reqntid"),
        (module(directives={"maxntid": (8, 8, 1)}), "128 threads a block asked, the PTX has .maxntid"),
        (Module((8, 0), ("sm_89",), 64, ()), "no entry 'scale_f16'"),
    ],
)
def test_a_descriptor_that_disagrees_with_the_ptx_is_refused(ptx: Module, message: str) -> None:
    with pytest.raises(ContractViolation, match=message):
        bind(CONTRACT, ptx)


@pytest.mark.parametrize(
    ("contract", "message"),
    [
        (
            replace(CONTRACT, buffers=CONTRACT.buffers[:1]),
            "pointer parameters are x, y, the contract describes buffers x",
        ),
        (replace(CONTRACT, block=(1024, 2, 1)), "2048 threads a block asked, the limit is 1024"),
        (replace(CONTRACT, block=(1, 1, 65)), "block.z = 65 asked, allowed are 1 to 64"),
        (replace(CONTRACT, dynamic_shared=300 * 1024), "307200 bytes of dynamic shared memory asked, the ceiling is 0"),
    ],
)
def test_a_contract_outside_the_limits_is_refused(contract: Contract, message: str) -> None:
    with pytest.raises(ContractViolation, match=message):
        bind(contract, module())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rows": 0}, "requires rows >= 1; asked for rows=0"),
        ({"stride": 99}, "requires stride >= columns; asked for .*stride=99"),
        ({"columns": 65_537, "stride": 65_537}, "requires columns <= 65536"),
        ({"rows": 2**32 - 1, "stride": 2**32}, r"requires \(rows \* stride\) <= 1099511627776"),
        ({"rows": 2**32}, "rows is u32, 0 to 4294967295; asked for 4294967296"),
        ({"rows": -1}, "rows is u32"),
        ({"rows": 2.0}, "rows is u32; asked for 2.0"),
        ({"rows": True}, "rows is u32; asked for True"),
        ({"stride": 2**64}, "stride is u64"),
        ({"eps": 0.0}, "requires .* <= eps <= 1.0; asked for 0.0"),
        ({"eps": float("nan")}, "requires .* <= eps"),
        ({"eps": 1e300}, "eps is binary32; asked for 1e[+]300"),
        ({"rows": 2**31, "columns": 1, "stride": 1}, "grid.x = 2147483648 asked, allowed are 1 to 2147483647"),
    ],
)
def test_values_outside_the_contract_are_refused(values: dict[str, int | float], message: str) -> None:
    with pytest.raises(ContractViolation, match=message):
        prepare(DESCRIPTOR, {**VALUES, **values}, BUFFERS)


@pytest.mark.parametrize(
    ("buffers", "message"),
    [
        ({"x": Span(0x1_0000, 711)}, "buffer x needs 712 bytes; 711 are there"),
        ({"x": Span(0x1_0001, 1000)}, "buffer x is aligned to 2 bytes; asked for address 0x10001"),
        ({"y": Span(0x2_0008, 600)}, "buffer y is aligned to 16 bytes"),
        ({"x": Span(0, 1000)}, "buffer x needs 712 bytes; its address is null"),
        ({"x": Span(2**64 - 100, 1000)}, "leave the 64-bit address space"),
        ({"y": Span(0x1_0000, 600)}, "buffers [xy] and [xy] overlap"),
        ({"y": Span(0x1_0000 + 704, 600)}, "buffers x and y overlap"),
        ({"y": Span(0x1_0000 - 592, 600)}, "buffers y and x overlap"),
    ],
)
def test_buffers_outside_the_contract_are_refused(buffers: dict[str, Span], message: str) -> None:
    with pytest.raises(ContractViolation, match=message):
        prepare(DESCRIPTOR, VALUES, {**BUFFERS, **buffers})


def test_adjacent_buffers_are_allowed() -> None:
    prepare(DESCRIPTOR, VALUES, {"x": Span(0x1_0000, 720), "y": Span(0x1_0000 + 720, 600)})


def test_missing_and_unknown_arguments_are_named() -> None:
    with pytest.raises(ContractViolation, match="no value given for rows"):
        prepare(DESCRIPTOR, {k: v for k, v in VALUES.items() if k != "rows"}, BUFFERS)
    with pytest.raises(ContractViolation, match="has no value parameter colums"):
        prepare(DESCRIPTOR, {**VALUES, "colums": 1}, BUFFERS)
    with pytest.raises(ContractViolation, match="no buffer given for y"):
        prepare(DESCRIPTOR, VALUES, {"x": BUFFERS["x"]})


def test_a_launch_does_not_change_after_its_check() -> None:
    values, buffers = dict(VALUES), dict(BUFFERS)
    launch = prepare(DESCRIPTOR, values, buffers)
    before = launch.parameters
    values["rows"] = 0
    buffers["x"] = Span(0, 0)
    assert launch.values["rows"] == 3
    assert launch.parameters == before
    with pytest.raises(TypeError):
        launch.values["rows"] = 0  # type: ignore[index]
    with pytest.raises(AttributeError):
        launch.grid = (1, 1, 1)  # type: ignore[misc]


def test_only_the_checks_make_a_launch() -> None:
    with pytest.raises(TypeError, match=r"made by backend.launch.prepare"):
        Prepared(DESCRIPTOR, {}, (), b"", (1, 1, 1), (1, 1, 1), 0, (), object())
    with pytest.raises(TypeError, match=r"made by backend.launch.bind"):
        Descriptor(CONTRACT, "", (), object())
    launch = prepare(DESCRIPTOR, VALUES, BUFFERS)
    with pytest.raises(TypeError):
        replace(launch, seal=None, grid=(1, 1, 1))
