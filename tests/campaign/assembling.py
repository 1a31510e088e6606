"""ptxas over many kernels at once: starting it for each would take most of a campaign's time.

The kernels go into one module, in which everything of module scope has a name of its own; one that is refused is found
by halving.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from proofs.ptxas import SECONDS_LIMIT, architecture_for, ptxas
from spec.errors import FltcError
from spec.ptx.parser import parse
from tests.campaign.kernel import Kernel

_HEAD = re.compile(r"^\s*\.(version|target|address_size)\b[^\n]*$", re.MULTILINE)


def refused(kernels: Sequence[Kernel]) -> dict[int, str]:
    """What ptxas says of those that it refuses, by seed."""
    by_head: dict[str, list[tuple[int, str]]] = {}
    found: dict[int, str] = {}
    for kernel in kernels:
        try:
            head, body = _apart(kernel.text, f"_{kernel.seed}")
        except FltcError as error:
            found[kernel.seed] = f"not read by the parser: {error}"
            continue
        by_head.setdefault(head, []).append((kernel.seed, body))
    for head, bodies in by_head.items():
        found |= _halved(head, bodies)
    return found


def _apart(text: str, mark: str) -> tuple[str, str]:
    """The directives of the module, and the rest with the names of its scope marked."""
    module = parse(text)
    head = "\n".join(match.group().strip() for match in _HEAD.finditer(text))
    body = _HEAD.sub("", text)
    names = {f.name for f in module.functions} | {v.name for v in module.variables}
    for name in names:
        body = re.sub(rf"(?<![\w$%.]){re.escape(name)}(?![\w$])", lambda match: match.group() + mark, body)
    return f"{head}\n", body


def _halved(head: str, bodies: Sequence[tuple[int, str]]) -> Mapping[int, str]:
    message = _message(head + "\n".join(body for _, body in bodies), _target(head))
    if not message:
        return {}
    if len(bodies) == 1:
        return {bodies[0][0]: message}
    middle = len(bodies) // 2
    return {**_halved(head, bodies[:middle]), **_halved(head, bodies[middle:])}


def _target(head: str) -> str:
    found = re.search(r"\.target\s+(\w+)", head)
    return architecture_for(found[1]) if found else "sm_89"


def _message(text: str, architecture: str) -> str:
    """What ptxas says against a module; "" if it takes it."""
    with tempfile.TemporaryDirectory(prefix="fltc-campaign-") as folder:
        source, target = Path(folder, "kernels.ptx"), Path(folder, "kernels.cubin")
        source.write_text(text, encoding="ascii")
        told = subprocess.run(
            [ptxas(), f"--gpu-name={architecture}", str(source), "--output-file", str(target)],
            capture_output=True, text=True, timeout=SECONDS_LIMIT, check=False,
        )
        if told.returncode == 0 and target.exists():
            return ""
        return (told.stdout + told.stderr).replace(str(source), "kernels.ptx").strip() or f"exit {told.returncode}"
