"""The parts of a kernel, found by its stem: one module of that name in each of the parallel folders."""

from __future__ import annotations

import importlib
from typing import Any

from spec.errors import MissingPart

_GUIDE = "CONTRIBUTING.md, Add a kernel"


def part(package: str, stem: str, name: str) -> Any:
    """What the module `package.stem` calls `name`.

    Raises:
        MissingPart: there is no such module, or it lacks the name; an import that fails inside it goes through.
    """
    wanted = f"{package}.{stem}"
    path = wanted.replace(".", "/") + ".py"
    try:
        module = importlib.import_module(wanted)
    except ModuleNotFoundError as error:
        if error.name != wanted:
            raise
        raise MissingPart(f"{stem}: there is no {path}; write it, with {name} ({_GUIDE})") from None
    try:
        return getattr(module, name)
    except AttributeError:
        raise MissingPart(f"{stem}: {path} has no {name} ({_GUIDE})") from None
