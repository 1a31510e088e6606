"""`fltc audit`: the independent verifier over artifacts and shipped PTX."""

from __future__ import annotations

from pathlib import Path

from fltc.output import progress, stdout


def run(root: Path, require_formal: bool = False) -> int:
    """Print each finding and the closing line, and return the audit's exit code."""
    from verifier.audit import audit

    with progress("audit") as on_progress:
        report = audit(root, on_progress, require_formal=require_formal)
    console = stdout()
    for line in report.lines:
        console.print(line, markup=False, soft_wrap=True)
    console.print(report.summary_line(), markup=False, soft_wrap=True)
    code: int = report.exit_code
    return code
