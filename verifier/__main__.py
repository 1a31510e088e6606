"""`python -m verifier [ROOT]`: audit a checkout, print the findings and the closing line."""

from __future__ import annotations

import sys
from pathlib import Path

from verifier.audit import audit


def main(arguments: list[str]) -> int:
    """Exit code of the audit; 3 for arguments that are no checkout."""
    if len(arguments) > 1:
        print("usage: python -m verifier [ROOT]", file=sys.stderr)
        return 3
    report = audit(Path(arguments[0] if arguments else "."))
    for line in report.lines:
        print(line)
    print(report.summary_line())
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
