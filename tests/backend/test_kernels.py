"""The shipped PTX is what the emitters write, and what the contracts say of it holds."""

from __future__ import annotations

import re

import pytest

from backend import ptx
from backend.kernels import STEMS, emit, ptx_path
from backend.kernels.emit import F32, U32, U64, Kernel, f32
from proofs.ptxas import SHIPPED_ARCHITECTURES, assemble
from spec.contracts import contracts_of
from spec.contracts.model import ELEMENT_BYTES
from spec.errors import BadInput

_FLOAT_ARITHMETIC = re.compile(r"\b(add|sub|mul|fma|div|sqrt|rcp|ex2|rsqrt|lg2)\.(\S*f(?:16|32|64)\S*)")
_INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?([a-z][\w.]*)\b")


def lines(stem: str) -> list[str]:
    return [line.split("//")[0].strip() for line in ptx.load(stem).splitlines()]


def params(text: str, entry: str) -> list[tuple[str, str]]:
    """(type, name) of each `.param` of an entry."""
    head = text[text.index(f".entry {entry}(") :]
    return re.findall(r"\.param \.(\w+) (\w+)", head[: head.index(")")])


@pytest.mark.parametrize("stem", STEMS)
def test_shipped_bytes_are_the_emitted_ones(stem: str) -> None:
    assert ptx_path(stem).read_bytes() == emit(stem).encode("ascii"), "run python -m backend.kernels"
    assert emit(stem) == emit(stem)


@pytest.mark.parametrize("stem", STEMS)
def test_text_form(stem: str) -> None:
    text = ptx.load(stem)
    assert text.isascii()
    assert ".target sm_89\n" in text
    assert ".address_size 64\n" in text
    assert max(len(line) for line in text.splitlines()) <= 120


@pytest.mark.parametrize("stem", STEMS)
def test_every_float_operation_says_how_it_rounds(stem: str) -> None:
    operations = [m for line in lines(stem) if (m := _FLOAT_ARITHMETIC.search(line))]
    assert operations
    for operation in operations:
        assert re.match(r"(rn|approx)\.", operation.group(2)), operation.group()
    conversions = [line for line in lines(stem) if "cvt" in line and ".f16.f32" in line]
    assert conversions
    assert all("cvt.rn.f16.f32" in line for line in conversions)


@pytest.mark.parametrize("stem", STEMS)
def test_parameters_are_those_of_the_contract(stem: str) -> None:
    for contract in contracts_of(stem):
        declared = params(ptx.load(stem), contract.entry)
        assert [name for _, name in declared] == [p.name for p in contract.parameters]
        assert [ELEMENT_BYTES[kind] for kind, _ in declared] == [p.bytes for p in contract.parameters]
        assert declared[-1] == ("u32", "power_state")


@pytest.mark.parametrize("stem", STEMS)
def test_power_gate_is_the_first_thing(stem: str) -> None:
    body = [line for line in lines(stem) if _INSTRUCTION.match(line)]
    assert body[0].endswith("[power_state];")
    assert body[1].startswith("setp.ne.u32 %inactive")
    assert body[2] == "@%inactive bra EXIT;"


@pytest.mark.parametrize("arch", SHIPPED_ARCHITECTURES)
@pytest.mark.parametrize("stem", STEMS)
def test_ptxas_accepts_within_the_ceilings(stem: str, arch: str) -> None:
    assembly = assemble(ptx.load(stem), arch, name=f"{stem}.ptx")
    contracts = {c.entry: c for c in contracts_of(stem)}
    assert set(assembly.entries) == set(contracts)
    for entry, used in assembly.entries.items():
        ceilings = contracts[entry].ceilings
        assert used.spill_bytes == used.stack_bytes == 0
        assert used.registers <= ceilings.registers
        assert used.static_shared <= ceilings.static_shared
        assert used.code_bytes <= ceilings.code_bytes


class TestWriter:
    """What the writer refuses."""

    def kernel(self) -> Kernel:
        return Kernel(contracts_of("silu")[0])

    def test_a_name_is_declared_once(self) -> None:
        kernel = self.kernel()
        kernel.reg(U32, "a")
        with pytest.raises(BadInput, match="%a is declared twice"):
            kernel.reg(F32, "a")

    def test_a_label_is_set_once(self) -> None:
        kernel = self.kernel()
        kernel.label("HERE")
        with pytest.raises(BadInput, match="HERE is set twice"):
            kernel.label("HERE")

    def test_parameters_exist_and_have_their_width(self) -> None:
        kernel = self.kernel()
        with pytest.raises(BadInput, match="'m'"):
            kernel.ld_param(kernel.reg(U64, "m"), "m")
        with pytest.raises(BadInput, match=r"\.u32 parameter 'n'"):
            kernel.ld_param(kernel.reg(U32, "n"), "n")

    def test_constants_are_exact(self) -> None:
        assert f32(1.0) == "0f3F800000"
        with pytest.raises(BadInput, match=r"0\.1 is not a binary32"):
            f32(0.1)
