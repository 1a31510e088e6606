"""The instructions of a PTX text with their places in it, so that one is changed and every other keeps its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from proofs.mutation.places import Span, spans_of
from spec.ptx.ast import Function, Instr, Label, Mem, Module, Reg, Sym, type_width
from spec.ptx.isa import lookup
from spec.ptx.operands import registers_in

Changes = Mapping[int, str]
_ADDRESSED = ("ld", "st", "atom", "red", "cp", "ldmatrix", "stmatrix", "ldu", "prefetch")
_NO_ACCESS = frozenset(("param", "const", "commit_group", "wait_group", "wait_all"))
_STEERED = ("bar", "barrier", "shfl", "cp", "brx")  # what their operands say decides where something happens


def results_of(instruction: Instr) -> tuple[str, ...]:
    """The registers that an instruction writes."""
    found = lookup(instruction.opcode)
    if found is None or not found[0].results or not instruction.operands:
        return ()
    return tuple(registers_in(instruction.operands[0]))


def sources_of(instruction: Instr) -> tuple[str, ...]:
    """The registers that it reads, its guard not among them; those of a target's address are."""
    found = lookup(instruction.opcode)
    skip = 1 if found is not None and found[0].results else 0
    return tuple(name for operand in instruction.operands[skip:] for name in registers_in(operand))


def accesses_memory(instruction: Instr) -> bool:
    """Whether it reads or writes global or shared memory."""
    parts = instruction.opcode.split(".")
    return instruction.base in _ADDRESSED and _NO_ACCESS.isdisjoint(parts)


def access_bytes(instruction: Instr) -> int:
    """Bytes of one element that it accesses: what an address is a multiple of, as a rule."""
    found = lookup(instruction.opcode)
    if found is not None and "type" in found[1].parts:
        return max(type_width(found[1].type) // 8, 1)
    return 16


@dataclass(frozen=True)
class Code:
    """One function of a module, its instructions in text order.

    Args:
        module: the module that it is of.
        function: the function.
        instructions: those of its text.
        spans: where each stands.
    """

    module: Module
    function: Function
    instructions: tuple[Instr, ...]
    spans: tuple[Span, ...]

    def replaced(self, changes: Changes) -> str:
        """The text with the statements at some indices replaced; every line of the rest keeps its number."""
        text = self.module.text
        for at in sorted(changes, reverse=True):
            start, end = self.spans[at]
            new = changes[at]
            lost = text.count("\n", start, end) - new.count("\n")
            text = text[:start] + new + "\n" * lost + text[end:]
        return text

    def text(self, at: int) -> str:
        """The text of the instruction at an index, as it is written."""
        start, end = self.spans[at]
        return self.module.text[start:end]

    def near(self, at: int, step: int) -> int | None:
        """The next memory access behind (1) or in front of (-1) an instruction, in text order."""
        return self._next(at, step, accesses_memory)

    def next_of(self, at: int, *opcodes: str) -> int | None:
        """The next instruction behind that begins with one of these."""
        return self._next(at, 1, lambda i: i.opcode.startswith(opcodes))

    def _next(self, at: int, step: int, wanted: Callable[[Instr], bool]) -> int | None:
        index = at + step
        while 0 <= index < len(self.instructions):
            if wanted(self.instructions[index]):
                return index
            index += step
        return None

    # --- control ---
    @cached_property
    def labels(self) -> dict[str, int]:
        """The index of the instruction behind each label."""
        found: dict[str, int] = {}
        count = 0
        for statement in self.function.body or ():
            if isinstance(statement, Label):
                found[statement.name] = count
            else:
                count += 1
        return found

    @cached_property
    def loops(self) -> tuple[tuple[int, int], ...]:
        """First and last instruction of each stretch of text that a branch goes back over."""
        found = []
        for at, instruction in enumerate(self.instructions):
            target = self.target(instruction)
            if target is not None and target <= at:
                found.append((target, at))
        return tuple(found)

    def target(self, instruction: Instr) -> int | None:
        """Where a branch goes."""
        if instruction.base != "bra" or not isinstance(instruction.operands[0], Sym):
            return None
        return self.labels.get(instruction.operands[0].name)

    def in_loop(self, at: int) -> bool:
        return any(first <= at <= last for first, last in self.loops)

    def guarded_regions(self) -> list[int]:
        """First instructions of the stretches that a conditional branch jumps over, and of the loops' bodies."""
        found = []
        for at, instruction in enumerate(self.instructions):
            if instruction.base == "bra" and instruction.guard is not None and at + 1 < len(self.instructions):
                found.append(at + 1)
        return sorted({*found, *(first for first, _ in self.loops)})

    # --- where numbers go ---
    @cached_property
    def _writers(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, instruction in enumerate(self.instructions):
            for register in results_of(instruction):
                found.setdefault(register, []).append(at)
        return found

    def _back(self, registers: set[str], floats: bool = False) -> set[str]:
        """The registers from which these are computed; not through memory and not through floats."""
        todo, seen = list(registers), set(registers)
        while todo:
            for at in self._writers.get(todo.pop(), ()):
                instruction = self.instructions[at]
                if accesses_memory(instruction):
                    continue
                guard = (instruction.guard.name,) if instruction.guard is not None else ()
                for name in (*sources_of(instruction), *guard):
                    if name not in seen and (floats or self.function.registers.get(name, "")[:1] != "f"):
                        seen.add(name)
                        todo.append(name)
        return seen

    @cached_property
    def bases(self) -> dict[str, int]:
        """Registers that hold addresses of memory, each with the bytes of an element there."""
        found: dict[str, int] = {}
        for instruction in self.instructions:
            if accesses_memory(instruction):
                for operand in instruction.operands:
                    if isinstance(operand, Mem) and isinstance(operand.base, Reg):
                        found[operand.base.name] = access_bytes(instruction)
        return found

    @cached_property
    def addresses(self) -> set[str]:
        """Registers from which addresses are computed."""
        return self._back(set(self.bases))

    @cached_property
    def steering(self) -> set[str]:
        """Registers from which addresses, guards, sizes of copies and lanes are computed."""
        guards = {i.guard.name for i in self.instructions if i.guard is not None}
        others = {name for i in self.instructions if i.base in _STEERED for name in sources_of(i)}
        return self._back({*self.bases, *guards, *others})

    @cached_property
    def element(self) -> int:
        """Bytes of the elements that are accessed most."""
        sizes = sorted(self.bases.values())
        return sizes[len(sizes) // 2] if sizes else 4

    # --- what there is ---
    @cached_property
    def pointers(self) -> tuple[str, ...]:
        """Parameters that are loaded into registers from which addresses are computed."""
        names = []
        for instruction in self.instructions:
            if not (instruction.opcode.startswith("ld.param") and type_of(instruction)[1:] == "64"):
                continue
            source = instruction.operands[1]
            if isinstance(source, Mem) and isinstance(source.base, Sym) and not source.offset:
                register = results_of(instruction)[0]
                if register in self.addresses and self._is_base(register):
                    names.append(source.base.name)
        return tuple(dict.fromkeys(names))

    def _is_base(self, register: str) -> bool:
        """Whether an address is this register plus something, and not a multiple of it."""
        todo, seen = [register], {register}
        while todo:
            name = todo.pop()
            if name in self.bases:
                return True
            for instruction in self.instructions:
                if instruction.base in ("add", "mov", "cvta", "mad", "sub", "selp") and name in sources_of(instruction):
                    if instruction.base == "mad" and name in [*registers_in(instruction.operands[1])]:
                        continue
                    for result in results_of(instruction):
                        if result not in seen:
                            seen.add(result)
                            todo.append(result)
        return False

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Shared variables."""
        found = (*self.module.variables, *self.function.variables)
        return tuple(v.name for v in found if v.space == "shared")


def type_of(instruction: Instr) -> str:
    """The last type in an opcode, `u32` of `cvt.u64.u32`; '' where there is none."""
    for part in reversed(instruction.opcode.split(".")):
        if part[:1] in "usbf" and part[1:].isdigit():
            return part
    return ""


def codes_of(module: Module) -> list[Code]:
    """The functions of a module that have a body."""
    spans = spans_of(module)
    found = []
    for function in module.functions:
        if function.body is not None:
            instructions = tuple(function.instructions())
            found.append(Code(module, function, instructions, tuple(spans[id(i)] for i in instructions)))
    return found
