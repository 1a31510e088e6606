"""`fltc diff`: kernels and references on the same inputs. Runs where no solver is installed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fltc.output import check_place, stdout
from fltc.render_diff import passed, print_diff
from spec.errors import BadInput, DriverError

if TYPE_CHECKING:
    from types import ModuleType

HARNESS = Path("tests/harness/run.py")


def run(root: Path, device: str | None, ops: list[str], seed: int, evidence: Path | None) -> int:
    """Print one row for each operator and return 0 if every operator `passed`, else 1."""
    if evidence is not None:
        check_place(evidence)
    console = stdout()
    if device is None:
        device, reason = default_device()
        console.print(f"device: {device} ({reason})", markup=False, soft_wrap=True)
    harness = load_harness(root)
    report = harness.run_diff(device=device, ops=ops, seed=seed, evidence=evidence)
    print_diff(console, device, seed, report.rows)
    return 0 if report.rows and all(map(passed, report.rows)) else 1


def default_device() -> tuple[str, str]:
    """cuda if the driver has a device, else emulator; and why."""
    from backend.cuda.driver import Driver

    try:
        Driver()
    except DriverError as error:
        return "emulator", str(error)
    return "cuda", "the driver has a device"


def load_harness(root: Path) -> ModuleType:
    """tests.harness.run of this checkout. The kernels and references must come from the same checkout as the tests."""
    import spec

    running = Path(str(spec.__file__)).resolve().parent.parent
    if running != root.resolve():
        raise BadInput(
            f"fltc diff runs the code of {running}, not of {root}; for that one: cd {root} && python -m fltc diff"
        )
    if not (root / HARNESS).is_file():
        raise BadInput(f"{root / HARNESS} is missing; fltc diff works in a checkout, not in an installed package")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module("tests.harness.run")
