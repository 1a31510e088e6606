"""Phases about control: local arrays, nested loops, early ends of loops, branches that depend on data."""

from __future__ import annotations

from tests.campaign.families.memory import Array, deciding, element_address, load, mix, store
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


def local_array(w: Writer, s: Shape) -> None:
    """An array of each thread's own, written whole and read at an index that is computed."""
    pick = w.random
    count = pick.choice((2, 4, 8))
    array = Array("local", w.variable("local", 4 * count))
    missing = pick.randrange(count) if w.slip("entry of a local array not written") else -1
    for i in range(count):
        if i != missing:
            array.store(w, w.r("mov.u32", i), pick.choice((VALUE, s.thread, str(i))), slips=False)
    index = w.r("and.b32", deciding(w, s), 2 * count - 1 if w.slip("index beyond a local array") else count - 1)
    mix(w, array.load(w, index))


def segments(w: Writer, s: Shape) -> None:
    """Each thread goes through a segment of its own, at times in two nested loops."""
    pick = w.random
    inner, outer = pick.choice((2, 3, 4)), pick.choice((1, 2, 3))
    per = inner * outer
    _, x = w.pointer("u32", f"{per}*{s.extent}", "r")
    stores = w.chance(0.5)
    y = w.pointer("u32", f"{per}*{s.extent}", "w")[1] if stores else ""
    first = w.d("mul.lo.u64" if s.wide else "mul.wide.u32", s.index, per)

    def touch(j: str) -> None:
        at = w.d("add.s64", first, w.d("cvt.u64.u32", j))
        mix(w, load(w, "u32", element_address(w, x, at, 4, True)))
        if stores:
            store(w, "u32", element_address(w, y, at, 4, True), VALUE)

    if outer == 1:
        with w.rounds(0, inner) as j:
            touch(j)
            if w.chance(0.4):
                _leave(w, deciding(w, s))
    else:
        with w.rounds(0, outer) as i:
            with w.rounds(0, inner) as j:
                touch(w.linear(i, inner, j))
            if w.chance(0.3):
                _leave(w, deciding(w, s))


def _leave(w: Writer, data: str) -> None:
    """A loop left early: the rest of the round is skipped, which the data decide."""
    away = w.new_label()
    w.put(f"@{w.p('setp.eq.u32', data, 0)} bra {away}")
    w.put(f"xor.b32 {VALUE}, {VALUE}, 0x55")
    w.label(away)


def search(w: Writer, s: Shape) -> None:
    """A loop that ends when the data say so, or at the end of the buffer."""
    m_name, m = w.number((1, 2, 5), 1, 1000)
    _, x = w.pointer("u32", m_name, "r")
    out = w.new_label()
    with w.rounds(0, m) as i:
        found = load(w, "u32", element_address(w, x, i, 4, False))
        w.put(f"@{w.p('setp.eq.u32', found, s.thread)} bra {out}")
        mix(w, found)
    w.label(out)


def down(w: Writer, s: Shape) -> None:
    """A loop that counts down to zero, as compilers write it: the test is for not equal."""
    m_name, m = w.number((1, 2, 6), 1, 1000)
    _, x = w.pointer("u32", m_name, "r")
    i, again = w.r("mov.u32", m), w.new_label()
    step = -2 if w.slip("bound that never comes") else -1
    address = w.d("mov.u64", x)
    w.label(again)
    mix(w, w.r("ld.global.u32", f"[{address}{'+4' if w.slip('one element further') else ''}]"))
    w.put(f"add.s64 {address}, {address}, 4", f"add.s32 {i}, {i}, {step}")
    w.put(f"@{w.p('setp.ne.s32', i, 0)} bra {again}")


def choose(w: Writer, s: Shape) -> None:
    """A branch that the data decide; both sides compute."""
    other, done = w.new_label(), w.new_label()
    pick = w.random
    test = f"setp.{pick.choice(('lt', 'gt', 'eq'))}.u32"
    w.put(f"@{w.p(test, deciding(w, s), pick.choice((0, 3, 1000)))} bra {other}")
    mix(w, s.thread)
    w.put(f"bra {done}")
    w.label(other)
    mix(w, s.block_number)
    w.label(done)
