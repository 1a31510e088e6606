"""Control flow, barriers, and exchange between the lanes of a warp (PTX ISA 9.7.12, 9.7.13, 9.7.9.6, 9.7.19)."""

from __future__ import annotations

from typing import TypeVar

from spec.ptx.domain import Domain
from spec.ptx.row import CONTROL, Form, Row

W = TypeVar("W")
P = TypeVar("P")


def _shuffle(x: Domain[W, P], f: Form, a: W, b: W, c: W, members: W) -> tuple[W, P]:
    return x.shuffle(f["mode"], a, b, c, members)


def _vote(x: Domain[W, P], f: Form, p: P, members: W) -> P:
    return x.vote(f["mode"], p, members)


def _redux(x: Domain[W, P], f: Form, a: W, members: W) -> W:
    return x.redux(f["op"], f.signed, a, members)


_BARRIERS = (("bar[scope:cta]", ""), ("barrier[scope:cta]", "[aligned:aligned]"))

ROWS: tuple[Row, ...] = (
    Row("bra[uniform:uni]", (), ("label",), CONTROL, "9.7.12.3", control="branch"),
    Row("ret[uniform:uni]", (), (), CONTROL, "9.7.12.6", control="return"),
    Row("exit", (), (), CONTROL, "9.7.12.7", control="exit"),
    Row("trap", (), (), CONTROL, "9.7.19.4", control="trap"),
    # Without a debugger a breakpoint ends the launch with an error.
    Row("brkpt", (), (), CONTROL, "9.7.19.1", control="trap"),
    Row("bar[scope:cta].sync", (), ("u32", "u32?"), CONTROL, "9.7.13.1", control="barrier"),
    Row("barrier[scope:cta].sync[aligned:aligned]", (), ("u32", "u32?"), CONTROL, "9.7.13.1", control="barrier"),
    Row("bar[scope:cta].arrive", (), ("u32", "u32"), CONTROL, "9.7.13.1", control="arrive"),
    Row("barrier[scope:cta].arrive[aligned:aligned]", (), ("u32", "u32"), CONTROL, "9.7.13.1", control="arrive"),
    *(
        Row(f"{name}.red{aligned}.popc.u32", ("u32",), ("u32", "u32?", "pred"), CONTROL, "9.7.13.1", control="barrier")
        for name, aligned in _BARRIERS
    ),
    *(
        Row(f"{name}.red{aligned}.{{op:and|or}}.pred", ("pred",), ("u32", "u32?", "pred"), CONTROL, "9.7.13.1",
            control="barrier")
        for name, aligned in _BARRIERS
    ),
    Row("bar.warp.sync", (), ("b32",), CONTROL, "9.7.13.2", control="warp_barrier"),
    Row("membar.{level:cta|gl|sys}", (), (), CONTROL, "9.7.13.4", control="fence"),
    Row(
        "fence[order:sc|acq_rel|acquire|release].{scope:cta|cluster|gpu|sys}", (), (), CONTROL, "9.7.13.4",
        control="fence",
    ),
    Row("nanosleep.u32", (), ("u32",), CONTROL, "9.7.19.2", control="fence"),
    # Hints to the memory system, and to the next launch: neither has an effect on values.
    Row("prefetch[space:global|local].{level:L1|L2}", (), ("mem",), CONTROL, "9.7.9.15", control="fence"),
    Row("prefetch.global.{level:L2::evict_last|L2::evict_normal}", (), ("mem",), CONTROL, "9.7.9.15", control="fence"),
    Row("prefetchu.L1", (), ("mem",), CONTROL, "9.7.9.15", control="fence"),
    Row("griddepcontrol.{action:launch_dependents|wait}", (), (), CONTROL, "9.7.13.13", control="fence"),
    Row(
        "shfl.sync.{mode:up|down|bfly|idx}.b32", ("b32", "pred?"), ("b32", "b32", "b32", "b32"), CONTROL, "9.7.9.6",
        _shuffle,
    ),
    Row("vote.sync.{mode:all|any|uni}.pred", ("pred",), ("pred", "b32"), CONTROL, "9.7.13.9", _vote),
    Row(
        "vote.sync.ballot.b32", ("b32",), ("pred", "b32"), CONTROL, "9.7.13.9",
        lambda x, f, p, members: x.ballot(p, members),
    ),
    Row(
        "match.any.sync.{type:b32|b64}", ("b32",), ("{type}", "b32"), CONTROL, "9.7.13.10",
        lambda x, f, a, members: x.match("any", f.width, a, members)[0],
    ),
    Row(
        "match.all.sync.{type:b32|b64}", ("b32", "pred?"), ("{type}", "b32"), CONTROL, "9.7.13.10",
        lambda x, f, a, members: x.match("all", f.width, a, members),
    ),
    Row("elect.sync", ("b32", "pred"), ("b32",), CONTROL, "9.7.13.14", lambda x, f, members: x.elect(members)),
    Row("activemask.b32", ("b32",), (), CONTROL, "9.7.13.11", lambda x, f: x.special("activemask", 32)),
    Row("redux.sync.{op:add|min|max}.{type:u32|s32}", ("{type}",), ("{type}", "b32"), CONTROL, "9.7.13.12", _redux),
    Row("redux.sync.{op:and|or|xor}.{type:b32}", ("{type}",), ("{type}", "b32"), CONTROL, "9.7.13.12", _redux),
)
