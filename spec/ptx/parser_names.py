"""The names of PTX: the predefined ones, and the scopes of a function with their renaming.

Source: PTX ISA 4.4 (identifiers), 5.4.2 and 5.4.6 (parameterised names), 10 (special registers).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from spec.ptx.ast import Reg, Special, Sym

_VECTORS = ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")
_SCALARS = (
    "laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "is_explicit_cluster", "cluster_ctarank",
    "cluster_nctarank", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "clock",
    "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "reserved_smem_offset_begin",
    "reserved_smem_offset_end", "reserved_smem_offset_cap", "reserved_smem_offset_0", "reserved_smem_offset_1",
    "total_smem_size", "aggr_smem_size", "dynamic_smem_size", "current_graph_exec",
)  # fmt: skip

SPECIAL_REGISTERS: Final = frozenset(
    [f"%{name}{part}" for name in _VECTORS for part in ("", ".x", ".y", ".z", ".w")]
    + [f"%{name}" for name in _SCALARS]
    + [f"%pm{i}{suffix}" for i in range(8) for suffix in ("", "_64")]
    + [f"%envreg{i}" for i in range(32)]
)
PREDEFINED: Final = SPECIAL_REGISTERS | {"WARP_SZ"}
SPECIALS: Final = {name: Special(name) for name in PREDEFINED}

_PLAIN = re.compile(r"(?:[A-Za-z][\w$]*|[_$%][\w$]+)", re.ASCII)

# What a name stands for.
REGISTER: Final = "register"
VARIABLE: Final = "variable"
PARAMETER: Final = "parameter"
FUNCTION: Final = "function"
LABEL: Final = "label"
BRANCH_TARGETS: Final = "list of branch targets"
CALL_TARGETS: Final = "list of call targets"
PROTOTYPE: Final = "call prototype"

MOST_CHARACTERS: Final = 1 << 22  # of the names that all `x<N>` of a file stand for: a short text must stay small
MOST_ZEROS: Final = 1 << 20  # that all initialisers of a file leave out between inner braces


class Entry(NamedTuple):
    """What a name stands for, and the operand node that every use of it shares. `type` is that of a register."""

    kind: str
    operand: Reg | Sym
    type: str = ""


def is_plain(name: str) -> bool:
    """Whether a NAME token is an identifier, without dotted parts and not the sink `_`."""
    return _PLAIN.fullmatch(name) is not None


class Scopes:
    """The names visible at a place of a function: innermost `{}` first, then the function, then the module.

    A name declared in several scopes is renamed where it is declared later, `x` to `x$1`, so that names are unique in
    the function and hide no name that the module declared before it.
    """

    def __init__(self, module: dict[str, Entry]) -> None:
        self.module = module
        self.stack: list[dict[str, Entry]] = []
        self._used: set[str] = set()
        self._copies: dict[str, int] = {}

    def enter(self) -> None:
        """Open a scope."""
        self.stack.append({})

    def leave(self) -> None:
        """Close the innermost scope."""
        self.stack.pop()

    def find(self, name: str) -> Entry | None:
        """What the name stands for here."""
        for scope in reversed(self.stack):
            if (entry := scope.get(name)) is not None:
                return entry
        return self.module.get(name)

    def declared_here(self, name: str) -> Entry | None:
        """What the name stands for in the innermost scope alone."""
        return self.stack[-1].get(name)

    def declare(self, name: str, kind: str, type_name: str = "") -> str:
        """Declare a name that the innermost scope does not have; returns its unique name."""
        unique = name
        while unique in self._used or unique in self.module:
            self._copies[name] = self._copies.get(name, 0) + 1
            unique = f"{name}${self._copies[name]}"
        self._used.add(unique)
        operand = Reg(unique) if kind == REGISTER else Sym(unique)
        self.stack[-1][name] = Entry(kind, operand, type_name)
        return unique


class Budget:
    """What is left for this file of the things that a short text could ask for without end."""

    def __init__(self) -> None:
        self.characters = MOST_CHARACTERS
        self.zeros = MOST_ZEROS
