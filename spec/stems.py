"""The parts of a kernel, found by its stem: one module of that name in each of the parallel folders."""

from __future__ import annotations

import importlib
from typing import Any

from spec.errors import MissingPart

_GUIDE = "CONTRIBUTING.md, Add a kernel"


def optional_part(package: str, stem: str, name: str) -> Any:
    """What the module `package.stem` calls `name`, None where there is no such module.

    Raises:
        MissingPart: the module is there and lacks the name; else a slip in the name would drop the part silently.
    """
    wanted = f"{package}.{stem}"
    try:
        importlib.import_module(wanted)
    except ModuleNotFoundError as error:
        if error.name != wanted:
            raise
        return None
    return part(package, stem, name)


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
