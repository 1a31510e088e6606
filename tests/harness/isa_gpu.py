"""Agreement of the instruction table with a GPU: every spelling of every exact and bounded row as a kernel of its own,
and small programs for memory, lanes and control.

Spellings that the driver's assembler refuses are listed, not compared; a row of which none is accepted fails.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from backend.device import Device
from backend.emulator.device import EmulatorDevice
from backend.launch import Descriptor, bind, prepare
from spec.errors import DriverError
from spec.ptx.isa import ROWS
from spec.ptx.parser import parse
from spec.ptx.row import Row
from spec.tensor_core import HOPPER
from tests.harness.isa_agree import Words, agree, lanes_results
from tests.harness.isa_forms import Case, cases, rows_of_values
from tests.harness.isa_inputs import operands
from tests.harness.isa_kernels import WORD, contract_of, module_text
from tests.harness.isa_program import CONTRACT, SLOT, Program, program_text
from tests.harness.isa_program import THREADS as PROGRAM_THREADS
from tests.harness.isa_programs import programs

INPUTS = 4096
TARGETS = ("sm_89", "sm_90")
"""Tried in this order; what none accepts is reported as refused."""
_ERROR_LINE = re.compile(r"line\s+(\d+)\s*;\s*error\s*:\s*(.*)")


@dataclass
class RowAgreement:
    """Of one row of the table: spellings compared, results compared, spellings the assembler refused, disagreements."""

    template: str
    kind: str
    section: str
    spellings: int = 0
    results: int = 0
    worst_ratio: float = 0.0
    refused: list[str] = field(default_factory=list)
    disagreements: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return self.spellings > 0 and not self.disagreements


@dataclass
class ProgramAgreement:
    """Of one small program: the rows it tests, why the assembler refused it, what differed; '' where nothing is."""

    name: str
    templates: tuple[str, ...]
    refused: str = ""
    disagreement: str = ""


@dataclass(frozen=True)
class IsaReport:
    """Rows of values in table order, and programs for the others.

    Clean if every row of values has an accepted spelling, every other row an accepted program, and none disagrees.
    """

    device: str
    seed: int
    inputs: int
    rows: tuple[RowAgreement, ...]
    programs: tuple[ProgramAgreement, ...]

    @property
    def untested(self) -> tuple[str, ...]:
        """Templates of rows without an accepted spelling or program."""
        tested = {row.template for row in self.rows if row.spellings}
        tested |= {template for program in self.programs if not program.refused for template in program.templates}
        return tuple(row.template for row in ROWS if row.template not in tested)

    @property
    def clean(self) -> bool:
        agree = all(row.good for row in self.rows) and not any(program.disagreement for program in self.programs)
        return agree and not self.untested

    def to_json(self) -> dict[str, Any]:
        return {
            "device": self.device,
            "seed": self.seed,
            "inputs": self.inputs,
            "clean": self.clean,
            "spellings": sum(row.spellings for row in self.rows),
            "results": sum(row.results for row in self.rows),
            "rows": [asdict(row) for row in self.rows],
            "untested": list(self.untested),
            "programs": sum(not program.refused for program in self.programs),
            "programs_refused": [program.name for program in self.programs if program.refused],
            "programs_disagreeing": [asdict(program) for program in self.programs if program.disagreement],
        }


Compiles = Callable[[str, str], str]
"""(PTX, target) -> '' if it assembles, else the assembler's log."""


def run_isa(
    device: Device,
    compiles: Compiles,
    seed: int = 0,
    inputs: int = INPUTS,
    rows: Iterable[Row] = ROWS,
    say: Callable[[str], None] = lambda line: None,
) -> IsaReport:
    """Run every spelling and every program on the device and compare with the meaning in Lanes."""
    found = []
    chosen = rows_of_values(tuple(rows))
    for number, row in enumerate(chosen, 1):
        result = RowAgreement(row.template, row.kind, row.section)
        for target, accepted in accepted_by_target(row, compiles, result):
            _run_cases(device, target, accepted, seed, inputs, result)
        found.append(result)
        if number % 20 == 0 or not result.good:
            say(f"isa: {number} of {len(chosen)} rows{'' if result.good else f'; DISAGREES: {row.template}'}")
    ran = run_programs(device, compiles, programs(), seed)
    say(f"isa: {len(ran)} programs, {sum(bool(p.disagreement) for p in ran)} disagree")
    return IsaReport(device.name, seed, inputs, tuple(found), tuple(ran))


def run_programs(
    device: Device, compiles: Compiles, listed: Iterable[Program], seed: int = 0
) -> list[ProgramAgreement]:
    """Run each program on the emulator and on the device; the memory they leave must be the same."""
    count = 3 * PROGRAM_THREADS
    results = []
    # The GPU that evidence is of is a Hopper. Sums of the programs are exact on every tensor core as they are.
    with EmulatorDevice(tensor_core=HOPPER) as emulator:
        for program in listed:
            result = ProgramAgreement(program.name, program.templates)
            results.append(result)
            for target in TARGETS:
                text = program_text(program, target)
                result.refused = compiles(text, target)
                if not result.refused:
                    break
            if result.refused:
                continue
            random = np.random.Generator(np.random.Philox(seed ^ zlib.crc32(program.name.encode())))
            source = random.integers(0, 2**64, (count, SLOT // WORD), dtype=np.uint64)
            descriptor = bind(CONTRACT, parse(text, name=program.name))
            want, got = (run_program(d, descriptor, source) for d in (emulator, device))
            if not np.array_equal(want, got):
                thread, word = (int(i) for i in np.argwhere(want != got)[0])
                result.disagreement = (
                    f"word {word} of thread {thread}: {int(got[thread, word]):#x}, "
                    f"expected {int(want[thread, word]):#x}, from {[hex(int(w)) for w in source[thread]]}"
                )
    return results


def run_program(device: Device, descriptor: Descriptor, source: Words) -> Words:
    """What a program leaves in `dst`, a row for each thread."""
    memory = {"src": device.alloc(source.nbytes), "dst": device.alloc(source.nbytes)}
    try:
        device.upload(memory["src"], source)
        device.upload(memory["dst"], np.zeros_like(source))
        spans = {name: m.span() for name, m in memory.items()}
        device.launch(prepare(descriptor, {"n": len(source)}, spans))
        return device.download(memory["dst"]).view(np.uint64).reshape(source.shape)
    finally:
        for m in memory.values():
            device.free(m)


def cuda_compiles(device: Any) -> Compiles:
    """Ask the driver's assembler."""

    def compiles(text: str, target: str) -> str:
        try:
            device.driver.unload(device.driver.load(text)[0])
        except DriverError as error:
            return str(error)
        return ""

    return compiles


def accepted_cases(listed: list[Case], target: str, compiles: Compiles) -> tuple[list[Case], dict[str, str]]:
    """The cases that assemble for a target, and the assembler's word on each of the others."""
    live, refused = list(listed), dict[str, str]()
    while live:
        text = module_text([(f"k{i}", case) for i, case in enumerate(live)], target)
        log = compiles(text, target)
        if not log:
            break
        bad = blamed(text, log)
        if not bad:  # a refusal without a line: of the whole module if it holds several, of the case if it is alone
            if len(live) == 1:
                return [], {**refused, live[0].name: log.splitlines()[-1][:200]}
            halves = [accepted_cases(half, target, compiles) for half in (live[::2], live[1::2])]
            return [case for part, _ in halves for case in part], {**refused, **halves[0][1], **halves[1][1]}
        refused |= {live[i].name: message for i, message in bad.items()}
        live = [case for i, case in enumerate(live) if i not in bad]
    return live, refused


def accepted_by_target(row: Row, compiles: Compiles, result: RowAgreement) -> Iterable[tuple[str, list[Case]]]:
    """(target, cases) to run; refused spellings are noted in the result."""
    waiting = list(cases(row))
    single = {case.name: case for case in cases(row, second_result=False)}
    for target in TARGETS:
        live, refused = accepted_cases(waiting, target, compiles)
        if live:
            yield target, live
        # What is refused with an optional second destination may have only the first.
        again, refused = accepted_cases([single[c.name] for c in waiting if c.name in refused], target, compiles)
        if again:
            yield target, again
        waiting = [case for case in waiting if case.name in refused]
    result.refused = [f"{case.name}: {refused[case.name]}" for case in waiting]


def blamed(text: str, log: str) -> dict[int, str]:
    """Number of the kernel -> message, for each error line of an assembler's log."""
    starts: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(".visible .entry"):
            starts.append(number)
    blamed: dict[int, str] = {}
    for found in _ERROR_LINE.finditer(log):
        index = int(np.searchsorted(starts, int(found.group(1)), side="right")) - 1
        if index >= 0:
            blamed.setdefault(index, found.group(2).strip())
    return blamed


def _run_cases(device: Device, target: str, accepted: list[Case], seed: int, inputs: int, result: RowAgreement) -> None:
    entries = [(f"k{i}", case) for i, case in enumerate(accepted)]
    module = parse(module_text(entries, target), name="one-instruction kernels")
    for entry, case in entries:
        given = operands(case.sources, inputs, seed ^ zlib.crc32(case.name.encode()))
        found = run_case(device, case, bind(contract_of(case, entry), module), given)
        verdict = agree(case, given, lanes_results(case, given), found)
        result.spellings += 1
        result.results += verdict.inputs
        result.worst_ratio = max(result.worst_ratio, verdict.worst_ratio)
        if verdict.wrong:
            result.disagreements.append(f"{case.name}: {verdict.wrong} of {verdict.inputs}: {verdict.first}")


def run_case(device: Device, case: Case, descriptor: Any, given: list[Words]) -> list[Words]:
    """The results of one kernel on these operands."""
    count, results = len(given[0]) if given else 1, len(case.results)
    source = np.stack(given, axis=1) if given else np.zeros((count, 1), np.uint64)
    memory = {"src": device.alloc(source.nbytes), "dst": device.alloc(count * results * WORD)}
    try:
        device.upload(memory["src"], source)
        device.upload(memory["dst"], np.zeros((count, results), np.uint64))
        device.launch(prepare(descriptor, {"n": count}, {name: m.span() for name, m in memory.items()}))
        words = device.download(memory["dst"]).view(np.uint64).reshape(count, results)
    finally:
        for m in memory.values():
            device.free(m)
    return [words[:, i].copy() for i in range(results)]
