"""From an instruction to a call of its row's meaning and back, in any domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from spec.errors import Unsupported
from spec.ptx.ast import Instr, Operand
from spec.ptx.domain import Domain
from spec.ptx.plans import Plan, plan_of, predicate, word
from spec.ptx.row import Form, Row

W = TypeVar("W")
P = TypeVar("P")


class Reader(Generic[W, P]):
    """Reads operands and carries out the meanings of one function's instructions in one domain.

    Args:
        domain: the interpretation.
        registers: register name to PTX type, as declared.
        read: value of a register: a word as wide as its type, or a predicate.
    """

    def __init__(self, domain: Domain[W, P], registers: Mapping[str, str], read: Callable[[str], Any]) -> None:
        self.domain, self.registers, self.read = domain, registers, read

    def predicate(self, operand: Operand, line: int = 0) -> P:
        value: P = predicate(operand, self.registers, line)(self)
        return value

    def word(self, kind: str, operand: Operand, line: int = 0) -> W:
        """The operand as a word of PTX type `kind`."""
        value: W = word(kind, operand, self.registers, line)(self)
        return value

    def execute(self, instr: Instr, row: Row, form: Form) -> Sequence[tuple[str, Any]]:
        """Carry out an instruction that has a meaning; returns register name and new value, in order."""
        if row.meaning is None:
            raise Unsupported(f"{instr.opcode} has no value; the machine must carry it out", line=instr.line)
        plan = plan_of(instr, row, form, self.registers)
        return self.written(plan, row.meaning(self.domain, form, *self.sources(plan)))

    def results(self, instr: Instr, row: Row, form: Form, values: Any) -> Sequence[tuple[str, Any]]:
        """Register name and new value for what the machine has given in place of a row's meaning."""
        return self.written(plan_of(instr, row, form, self.registers), values)

    # --- with a plan that was made before ---
    def sources(self, plan: Plan) -> list[Any]:
        """The operands as the row's meaning wants them."""
        return [source(self) for source in plan.sources]

    def written(self, plan: Plan, values: Any) -> Sequence[tuple[str, Any]]:
        """Register name and new value for what a row's meaning has given."""
        if plan.only and not plan.unpacked:
            return ((plan.only, values),)
        if not plan.targets:
            return ()
        each = values if plan.several else (values,)
        return [w for target, value in zip(plan.targets, each, strict=False) for w in target(self, value)]
