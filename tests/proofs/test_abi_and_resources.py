"""The two obligations without a solver: each way a parameter list or a resource can be wrong is refuted by name."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from backend.ptx import load
from proofs import abi, resources
from proofs.verdict import Verdict
from spec.contracts import contracts_of
from spec.ptx.parser import parse


def abi_record(edit: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """The record of silu, of its PTX with one text replaced."""
    text = load("silu")
    assert edit[0] in text
    module = parse(text.replace(*edit) if edit[0] else text)
    contract = contracts_of("silu")[0]
    return abi.abi_json("0" * 64, module.entry(contract.entry), contract)


def test_the_shipped_parameter_lists_agree() -> None:
    assert abi.judge(abi_record())[0] is Verdict.PROVED


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ((".param .u64 x,\n    .param .u64 y,", ".param .u64 y,\n    .param .u64 x,"), "parameter 0: y in the PTX, x"),
        ((".param .u64 n,", ".param .u32 n,"), "parameter n: 4 bytes in the PTX, 8 in the contract"),
        ((".param .u32 power_state", ".param .u32 power_state, .param .u32 more"), "5 parameters in the PTX, 4 in"),
        (("ld.param.u64 %n, [n];", "ld.param.s64 %n, [n];"), "n is u64 in the contract, used as s64"),
        (("ld.param.u32 %power, [power_state];", "ld.param.u16 %power, [power_state];"), "2 are loaded"),
        ((".reqntid 128, 1, 1", ".reqntid 256, 1, 1"), "a block of [256, 1, 1], the contract launches [128, 1, 1]"),
    ],
)
def test_a_difference_is_refuted_and_named(edit: tuple[str, str], message: str) -> None:
    verdict, detail, example = abi.judge(abi_record(edit))
    assert verdict is Verdict.REFUTED
    assert message in detail
    assert example is not None


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("registers", 65, "sm_89: registers 65 > ceiling"),
        ("spill_bytes", 8, "sm_89: spill_bytes 8 > ceiling 0"),
        ("stack_bytes", 16, "sm_89: stack_bytes 16 > ceiling 0"),
        ("static_shared", 64, "sm_89: static_shared 64 > ceiling 0"),
        ("code_bytes", 10**6, "sm_89: code_bytes 1000000 > ceiling"),
    ],
)
def test_a_number_over_its_ceiling_is_refuted_and_named(field: str, value: int, message: str) -> None:
    contract = contracts_of("silu")[0]
    measured = copy.deepcopy(resources.measure(load("silu"), "silu.ptx")[contract.entry])
    assert resources.judge(resources.resources_json("0" * 64, measured, contract))[0] is Verdict.PROVED
    measured["sm_89"][field] = value
    verdict, detail, example = resources.judge(resources.resources_json("0" * 64, measured, contract))
    assert verdict is Verdict.REFUTED
    assert message in detail
    assert example is not None


def test_registers_and_shared_memory_must_fit_the_device() -> None:
    contract = contracts_of("silu")[0]
    record = resources.resources_json("0" * 64, resources.measure(load("silu"), "silu.ptx")[contract.entry], contract)
    record["threads"] = 1024
    record["ceilings"] |= {"registers": 255, "dynamic_shared": 110_000}
    record["used"]["sm_89"]["registers"] = 128
    detail = resources.judge(record)[1]
    assert "sm_89: 131072 registers in a block > 65536" in detail
    assert "sm_89: 110000 bytes of shared memory in a block > 101376" in detail
