"""The errors of the project: one root, one class per kind of refusal. A verdict is a value, never an error."""

from __future__ import annotations


class FltcError(Exception):
    """Root of every error this project raises on purpose."""


class PtxSyntaxError(FltcError):
    """PTX text that is not PTX; carries the place and draws a caret under it.

    Args:
        message: what was expected or found.
        file: name of the source as the user gave it.
        line: 1-based line.
        column: 1-based column.
        text: the source line, for the caret.
    """

    def __init__(self, message: str, *, file: str, line: int, column: int, text: str) -> None:
        self.message, self.file, self.line, self.column, self.text = message, file, line, column, text
        caret = " " * (column - 1) + "^"
        super().__init__(f"{file}:{line}:{column}: {message}\n  {text}\n  {caret}")


class Unsupported(FltcError):
    """A construct outside the model; names the instruction and its line."""

    def __init__(self, what: str, *, line: int = 0) -> None:
        self.what, self.line = what, line
        super().__init__(f"line {line}: {what}" if line else what)


class ContractViolation(FltcError):
    """A launch, file or value outside the contract, refused before anything ran."""


class DriverError(FltcError):
    """A CUDA driver call that failed, or a driver that is not there."""


class BadInput(FltcError):
    """A request that cannot be understood: unknown name, shape that does not parse, contradicting assumptions."""


class ToolMissing(FltcError):
    """A program that the work needs and this machine lacks; says what brings it."""


class AssemblerRefused(FltcError):
    """PTX text that ptxas does not accept, with its message."""


class MissingPart(BadInput):
    """A kernel without one of the parts that every kernel has; names the file and what it must hold."""
