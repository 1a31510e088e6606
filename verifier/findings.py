"""What the audit reports: a finding says which file, what is wrong, and how bad that is."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Grade(enum.IntEnum):
    """How bad a finding is; the numbers are the exit codes of the audit."""

    FALSE = 1
    UNDECIDED = 2
    UNREADABLE = 3


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    file: str
    message: str
    grade: Grade = Grade.FALSE

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


class AuditError(Exception):
    """Root of what the verifier raises on purpose; the audit turns each into a finding."""


class Unreadable(AuditError):
    """A file that cannot be read as what it should be."""


class Unknown(AuditError):
    """An instruction, operand or term outside what the verifier understands; never skipped."""
