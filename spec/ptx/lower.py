"""Calls and indexed branches in simpler instructions, once for every machine that runs an entry.

A call of a function of the module becomes its body, with registers, labels and local variables of its own; parameters
in `.param` space become registers, one for each part that is stored or loaded (PTX ISA 7.1). An indexed branch becomes
a comparison and a branch for each target, and a trap behind them, for an index beyond the list is undefined (9.7.12.4).
Lines stay those of the text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from spec.errors import Unsupported
from spec.ptx.ast import (
    Function,
    Imm,
    Instr,
    Label,
    Mem,
    Module,
    Not,
    Operand,
    Pair,
    Param,
    ParenList,
    Reg,
    Sink,
    Special,
    Statement,
    Sym,
    Variable,
    Vec,
    type_width,
)

MAX_STATEMENTS = 50_000
_TYPE = re.compile(r"[busf](8|16|32|64)")  # of what is passed
ARBITRARY = Special("%arbitrary")
"""A word of which nothing is known; no register of PTX has this name."""
SILENT = ("vprintf",)
"""Functions of the system that leave memory alone as far as a kernel can see."""
ENDING = ("__assertfail",)
"""Functions of the system that end the launch with an error."""


def lowered(function: Function, module: Module) -> Function:
    """The entry without calls and indexed branches; the entry itself where it has neither.

    Unsupported names a call that cannot be put in place: recursive, indirect, or of a function without a body.
    """
    if function.body is None or not any(i.base in ("call", "brx") for i in function.instructions()):
        return function
    return _Lowering(function, module).result()


class _Frame:
    """One body being put in place: how it names things, and where it returns to (None: the entry)."""

    def __init__(self, function: Function, number: int, stack: tuple[str, ...], end: str | None) -> None:
        self.function, self.stack, self.end = function, stack, end
        self.suffix = f"@{number}" if number else ""
        self.labels = {s.name for s in function.body or () if isinstance(s, Label)}
        # Local variables belong to the call, others to the function, whatever the entry calls its own.
        kept = () if end is None else function.variables
        self.variables = {v.name: f"{v.name}{self.suffix}" for v in kept if v.space == "local"}
        self.variables |= {v.name: f"{v.name}@{function.name}" for v in kept if v.space not in ("local", "param")}
        # Parameters in .param space, each under a name that is unique in the result.
        self.storage = {v.name: f"{v.name}{self.suffix}" for v in function.variables if v.space == "param"}

    def register(self, name: str) -> str:
        return f"{name}{self.suffix}"


class _Lowering:
    def __init__(self, function: Function, module: Module) -> None:
        self.function, self.module = function, module
        self.registers = dict(function.registers)
        self.variables: list[Variable] = [v for v in function.variables if v.space != "param"]
        self.out: list[Statement] = []
        self.parts: dict[str, dict[tuple[int, int], str]] = {}
        self.count = 0

    def result(self) -> Function:
        self._body(_Frame(self.function, 0, (self.function.name,), None))
        return replace(
            self.function, registers=self.registers, variables=tuple(self.variables), body=tuple(self.out),
            branch_targets={}, call_targets={}, prototypes={},
        )

    def _emit(self, opcode: str, operands: tuple[Operand, ...], like: Instr) -> None:
        if len(self.out) > MAX_STATEMENTS:
            raise Unsupported(f"calls that make more than {MAX_STATEMENTS} instructions", line=like.line)
        self.out.append(replace(like, opcode=opcode, operands=operands))

    def _fresh(self) -> int:
        self.count += 1
        return self.count

    # --- bodies ---
    def _body(self, frame: _Frame) -> None:
        for statement in frame.function.body or ():
            if isinstance(statement, Label):
                self.out.append(Label(self._label(frame, statement.name), statement.line))
                continue
            here = self._renamed(frame, statement)
            if here.base == "call":
                self._call(frame, here)
            elif here.base == "brx":
                self._indexed(frame, here)
            elif here.base == "ret" and frame.end is not None:
                self._emit("bra", (Sym(frame.end),), here)
            elif here.opcode.startswith(("st.param", "ld.param")) and self._storage(frame, here) is not None:
                self._parameter(frame, here)
            else:
                self._emit(here.opcode, here.operands, here)

    def _label(self, frame: _Frame, name: str) -> str:
        return f"{name}{frame.suffix}" if name in frame.labels else name

    def _renamed(self, frame: _Frame, instruction: Instr) -> Instr:
        """In the names of the result; names in .param space stay."""
        if not frame.suffix:
            return replace(instruction)
        guard = instruction.guard
        return replace(
            instruction, operands=tuple(self._operand(frame, o) for o in instruction.operands),
            guard=None if guard is None else Reg(frame.register(guard.name)),
        )

    def _operand(self, frame: _Frame, operand: Operand) -> Operand:
        if isinstance(operand, Reg):
            return Reg(frame.register(operand.name))
        if isinstance(operand, Sym):
            if operand.name in frame.variables:
                return replace(operand, name=frame.variables[operand.name])
            return replace(operand, name=self._label(frame, operand.name))
        if isinstance(operand, Mem):
            base = operand.base if isinstance(operand.base, Imm) else self._operand(frame, operand.base)
            assert isinstance(base, Reg | Sym | Imm)
            return replace(operand, base=base)
        if isinstance(operand, Vec | ParenList):
            return replace(operand, elems=tuple(self._operand(frame, o) for o in operand.elems))
        if isinstance(operand, Pair):
            return Pair(self._operand(frame, operand.first), self._operand(frame, operand.second))
        if isinstance(operand, Not):
            return Not(Reg(frame.register(operand.operand.name)))
        return operand

    # --- calls ---
    def _call(self, frame: _Frame, call: Instr) -> None:
        operands = list(call.operands)
        returns: tuple[Operand, ...] = ()
        arguments: tuple[Operand, ...] = ()
        if operands and isinstance(operands[0], ParenList):
            returns = operands[0].elems
            del operands[0]
        target = operands.pop(0) if operands else None
        if operands and isinstance(operands[0], ParenList):
            arguments = operands[0].elems
        if not isinstance(target, Sym):
            raise Unsupported("call of what a register names", line=call.line)
        callee = self._callee(target.name, call)
        number = self._fresh()
        skip = ""
        if call.guard is not None:
            skip = f"skip@{number}"
            self._emit("bra", (Sym(skip),), replace(call, guard_negated=not call.guard_negated))
            call = replace(call, guard=None, guard_negated=False)
        if callee is None:
            self._system(frame, target.name, returns, call)
        else:
            self._inline(frame, callee, number, returns, arguments, call)
        if skip:
            self.out.append(Label(skip, call.line))

    def _callee(self, name: str, call: Instr) -> Function | None:
        """The function with a body; None for one of the system that is known."""
        for function in self.module.functions:
            if function.name == name and function.body is not None:
                return function
        if name in SILENT or name in ENDING:
            return None
        raise Unsupported(f"call of {name}, which has no body in this file", line=call.line)

    def _system(self, frame: _Frame, name: str, returns: tuple[Operand, ...], call: Instr) -> None:
        if name in ENDING:
            self._emit("trap", (), call)
        for operand in returns:
            if isinstance(operand, Reg):
                width = type_width(self.registers[operand.name])
                self._emit(f"mov.b{width}", (operand, ARBITRARY), call)
            elif isinstance(operand, Sym):
                self._emit("mov.b32", (Reg(self._part(frame.storage[operand.name], 0, 32, call)), ARBITRARY), call)

    def _inline(
        self, frame: _Frame, callee: Function, number: int, returns: tuple[Operand, ...],
        arguments: tuple[Operand, ...], call: Instr,
    ) -> None:
        if callee.name in frame.stack:
            raise Unsupported(f"call of {callee.name}, which is recursive", line=call.line)
        if len(returns) != len(callee.returns) or len(arguments) != len(callee.params):
            raise Unsupported(f"call of {callee.name} with other parameters than it has", line=call.line)
        shared = [o.name for o in (*returns, *arguments) if isinstance(o, Sym) and o.name in frame.storage]
        if len({*shared}) < len(shared):
            raise Unsupported(f"call of {callee.name} with one .param variable in two places", line=call.line)
        end = f"return@{number}"
        inner = _Frame(callee, number, (*frame.stack, callee.name), end)
        for name, kind in callee.registers.items():
            self.registers[inner.register(name)] = kind
        known = {v.name for v in self.variables}
        for variable in callee.variables:
            unique = inner.variables.get(variable.name)
            if unique is not None and unique not in known:
                self.variables.append(replace(variable, name=unique))
        for parameter, operand in zip(callee.params, arguments, strict=True):
            self._pass(frame, inner, parameter, operand, call)
        for parameter, operand in zip(callee.returns, returns, strict=True):
            if isinstance(operand, Sym) and operand.name in frame.storage:
                inner.storage[parameter.name] = frame.storage[operand.name]
            else:
                inner.storage[parameter.name] = f"{parameter.name}{inner.suffix}"
        self._body(inner)
        self.out.append(Label(end, call.line))
        for parameter, operand in zip(callee.returns, returns, strict=True):
            if isinstance(operand, Reg):
                source = Reg(inner.register(parameter.name))
                if parameter.space != "reg":
                    source = Reg(self._part(inner.storage[parameter.name], 0, type_width(parameter.type), call))
                self._emit(f"mov.b{type_width(self.registers[operand.name])}", (operand, source), call)

    def _pass(self, frame: _Frame, inner: _Frame, parameter: Param, operand: Operand, call: Instr) -> None:
        """An argument: storage that both sides name, or a value that is copied."""
        if isinstance(operand, Sym) and operand.name in frame.storage:
            inner.storage[parameter.name] = frame.storage[operand.name]
            return
        width = type_width(parameter.type)
        target = inner.register(parameter.name)
        if parameter.space != "reg":
            inner.storage[parameter.name] = f"{parameter.name}{inner.suffix}"
            target = self._part(inner.storage[parameter.name], 0, width, call)
        self._emit(f"mov.b{width}" if width > 1 else "mov.pred", (Reg(target), operand), call)

    # --- parameters ---
    def _storage(self, frame: _Frame, instruction: Instr) -> str | None:
        """The storage that a load or store of .param space names; None for a parameter of the entry."""
        place = instruction.operands[-1 if instruction.base == "ld" else 0]
        if isinstance(place, Mem) and isinstance(place.base, Sym):
            return frame.storage.get(place.base.name)
        if frame.end is not None or instruction.base == "st":
            raise Unsupported(f"{instruction.opcode} through a register", line=instruction.line)
        return None

    @staticmethod
    def _named(store: Instr) -> str:
        place = store.operands[0]
        return place.base.name if isinstance(place, Mem) and isinstance(place.base, Sym) else ""

    def _parameter(self, frame: _Frame, instruction: Instr) -> None:
        """st.param and ld.param as moves."""
        storage = self._storage(frame, instruction)
        if len(instruction.operands) != 2:
            raise Unsupported(f"{instruction.opcode} takes an address and a value", line=instruction.line)
        if instruction.base == "st" and any(p.name == self._named(instruction) for p in frame.function.params):
            raise Unsupported(f"{instruction.opcode} to a parameter that comes in", line=instruction.line)
        names = instruction.opcode.split(".")[2:]
        kind = names.pop()
        if _TYPE.fullmatch(kind) is None or not set(names) <= {"v2", "v4"}:
            raise Unsupported(f"{instruction.opcode} is not in the instruction table", line=instruction.line)
        count = int(names[0].removeprefix("v")) if names else 1
        width = type_width(kind)
        load = instruction.base == "ld"
        place, value = instruction.operands[::-1] if load else instruction.operands
        assert storage is not None
        assert isinstance(place, Mem)
        assert isinstance(place.base, Sym)
        values = value.elems if isinstance(value, Vec) else (value,)
        if len(values) != count:
            raise Unsupported(f"{instruction.opcode} of {len(values)} values", line=instruction.line)
        for i, element in enumerate(values):
            part = Reg(self._part(storage, place.base.offset + place.offset + i * width // 8, width, instruction))
            if isinstance(element, Sink):
                continue
            if load:
                opcode = f"mov.{_moved(kind)}"
                if width == 8:
                    opcode = f"cvt.{kind[0]}{self._width(element)}.{kind[0].replace('b', 'u')}8".replace(".b", ".u")
                self._emit(opcode, (element, part), instruction)
            elif width == 8:
                self._emit("and.b16" if isinstance(element, Imm) else "cvt.u16.u8", (
                    (part, element, Imm(255)) if isinstance(element, Imm) else (part, element)
                ), instruction)
            else:
                self._emit(f"mov.b{width}", (part, element), instruction)

    def _width(self, operand: Operand) -> int:
        return type_width(self.registers[operand.name]) if isinstance(operand, Reg) else 32

    def _part(self, storage: str, offset: int, width: int, at: Instr) -> str:
        """The register that holds `width` bits of a parameter from a byte on."""
        parts = self.parts.setdefault(storage, {})
        for begin, size in parts:
            if (begin, size) != (offset, width) and begin * 8 < offset * 8 + width and offset * 8 < begin * 8 + size:
                raise Unsupported(f"a parameter {storage} whose parts are stored and loaded in different sizes",
                                  line=at.line)
        if (offset, width) not in parts:
            name = f"{storage}+{offset}"
            parts[offset, width] = name
            self.registers[name] = f"b{max(16, width)}"
        return parts[offset, width]

    # --- branches ---
    def _indexed(self, frame: _Frame, instruction: Instr) -> None:
        if len(instruction.operands) != 2:
            raise Unsupported(f"{instruction.opcode} takes a register and a list of targets", line=instruction.line)
        index, targets = instruction.operands
        if not isinstance(targets, Sym) or targets.name not in frame.function.branch_targets:
            raise Unsupported(f"{instruction.opcode} without a list of targets", line=instruction.line)
        number = self._fresh()
        skip = ""
        if instruction.guard is not None:
            skip = f"skip@{number}"
            self._emit("bra", (Sym(skip),), replace(instruction, guard_negated=not instruction.guard_negated))
        plain = replace(instruction, guard=None, guard_negated=False)
        chosen = f"chosen@{number}"
        self.registers[chosen] = "pred"
        for i, name in enumerate(frame.function.branch_targets[targets.name]):
            self._emit("setp.eq.u32", (Reg(chosen), index, Imm(i)), plain)
            self._emit("bra", (Sym(self._label(frame, name)),), replace(plain, guard=Reg(chosen)))
        self._emit("trap", (), plain)
        if skip:
            self.out.append(Label(skip, instruction.line))


def _moved(kind: str) -> str:
    """The type of a mov that extends as a load of this type does."""
    return kind if kind in ("s16", "s32", "s64", "u16", "u32", "u64") else f"b{type_width(kind)}"
