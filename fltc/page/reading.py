"""JSON that people keep in files: what is missing or of another kind is named with its file, not met as a KeyError."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from spec.errors import BadInput

T = TypeVar("T")


class Object:
    """A JSON object of a file. `at`: where in it, for messages."""

    def __init__(self, value: object, file: str, at: str = "") -> None:
        if not isinstance(value, Mapping):
            raise BadInput(f"{file}: {at or 'the content'} must be an object; {_ADVICE}")
        self.value: Mapping[str, Any] = value
        self.file, self.at = file, at

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of a key; BadInput where it is of another kind, or missing and there is no default."""
        found = self.value.get(key, default)
        if kind is float and isinstance(found, int) and not isinstance(found, bool):
            found = float(found)
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            wanted = "is missing" if key not in self.value else f"must be a {kind.__name__}"
            raise BadInput(f"{self.file}: {self._place(key)} {wanted}; {_ADVICE}")
        return found

    def child(self, key: str) -> Object:
        """The object of a key."""
        return Object(self.value.get(key), self.file, self._place(key))

    def children(self, key: str) -> list[Object]:
        """The objects of a list."""
        items: Sequence[object] = self.get(key, list)
        return [Object(item, self.file, f"{self._place(key)}[{i}]") for i, item in enumerate(items)]

    def _place(self, key: str) -> str:
        return f"{self.at}.{key}" if self.at else key


_ADVICE = "is this a file that fltc wrote?"


def read_object(path: Path, shown: str) -> Object:
    """The object in a JSON file; BadInput where there is none. `shown`: what the page calls the file."""
    try:
        return Object(json.loads(path.read_text("utf-8")), shown)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # of JSON, and of UTF-8
        raise BadInput(f"{path} is not JSON: {error}") from error
