"""Asynchronous copies from global to shared memory, and waiting for them (PTX ISA 9.7.9.25.3).

`.ca` and `.cg` differ in caching only. Bulk copies and completion by mbarrier are not in the table.
"""

from __future__ import annotations

from typing import TypeVar

from spec.ptx.domain import Domain
from spec.ptx.row import CONTROL, MEMORY, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_SPACES = "{target:shared|shared::cta}.global"
_PREFETCH = "[prefetch:L2::64B|L2::128B|L2::256B]"
_SECTION = "9.7.9.25"
SIZES = {"ca": (4, 8, 16), "cg": (16,)}
"""Bytes that a copy may have, by cache operator."""


def _copy(
    x: Domain[W, P], f: Form, target: W, source: W, size: int, read: tuple[W | None, P | None] = (None, None),
    policy: W | None = None,
) -> None:
    """`read`: how many bytes are read, or a predicate under which none is; the rest of the target becomes zero."""
    count, ignore = read
    x.copy_async(size, target, source, count, ignore)


def _copies(operator: str, sizes: tuple[int, ...]) -> tuple[Row, Row]:
    copy, size = f"cp.async.{{cop:{operator}}}.{_SPACES}", f"imm:{'|'.join(map(str, sizes))}"
    return (
        Row(f"{copy}{_PREFETCH}", (), ("mem", "mem", size, "size?"), MEMORY, _SECTION, _copy),
        Row(
            f"{copy}.{{hint:L2::cache_hint}}{_PREFETCH}", (),
            ("mem", "mem", size, "size?", "b64"), MEMORY, _SECTION,
            lambda x, f, target, source, size, *rest: _copy(x, f, target, source, size, *rest[:-1]),
        ),
    )


ROWS: tuple[Row, ...] = (
    *(row for operator, sizes in SIZES.items() for row in _copies(operator, sizes)),
    Row("cp.async.commit_group", (), (), CONTROL, _SECTION, control="commit"),
    Row("cp.async.wait_group", (), ("imm",), CONTROL, _SECTION, control="wait"),
    Row("cp.async.wait_all", (), (), CONTROL, _SECTION, control="wait"),
)
