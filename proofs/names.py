"""Names of C++ as their author wrote them, out of what the compiler made of them (Itanium C++ ABI 5.1)."""

from __future__ import annotations

import re

_LOCAL = re.compile(r"_ZZ.*E(\d+)([A-Za-z_]\w*?)(?:_\d+)?")  # a variable inside a function
_FUNCTION = re.compile(r"_ZN?\d")


def plain_name(name: str) -> str:
    """`tile` of `_ZZ7reversePKfPfiE4tile`, `reverse` of `_Z7reversePKfPfi`; any other name is what it is."""
    local = _LOCAL.fullmatch(name)
    if local is not None:
        return local.group(2) if len(local.group(2)) == int(local.group(1)) else name
    if _FUNCTION.match(name) is None:
        return name
    at, last = (3 if name.startswith("_ZN") else 2), name
    while length := re.compile(r"\d{1,3}").match(name, at):
        begin = length.end()
        at = begin + int(length.group())
        if at > len(name):
            return name
        last = name[begin:at]
    return last
