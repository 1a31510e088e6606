"""Phases without barriers that go through global memory: maps, strided loops, rows of a matrix, gathers."""

from __future__ import annotations

from tests.campaign.families.memory import ELEMENTS, element_address, load, mix, store
from tests.campaign.families.shape import MOST, Shape
from tests.campaign.families.writer import BYTES, VALUE, Writer


def map_guarded(w: Writer, s: Shape) -> None:
    """y[i] = f(x[i], ...) for i < n."""
    pick = w.random
    with w.below(s.index, s.n, s.kind):
        for _ in range(pick.choice((0, 1, 1, 2))):
            element = pick.choice(ELEMENTS)
            _, x = w.pointer(element, s.n_name, "r")
            address = element_address(w, x, s.index, BYTES[element], s.wide, most=s.most)
            mix(w, load(w, element, address, pick.choice(("", "", ".nc", ".cg"))))
        if w.chance(0.7):
            _output(w, s, s.n_name)


def map_whole(w: Writer, s: Shape) -> None:
    """The same for all threads of the launch, whose number is the buffers' size."""
    element = w.random.choice(ELEMENTS)
    _, x = w.pointer(element, s.extent, "r")
    mix(w, load(w, element, element_address(w, x, s.index, BYTES[element], s.wide)))
    if w.chance(0.5):
        _output(w, s, s.extent)


def _output(w: Writer, s: Shape, extent: str) -> None:
    element = w.random.choice(ELEMENTS)
    in_place = w.chance(0.3)
    access = "r" if w.slip("store to a buffer that is only read") else "rw" if in_place else "w"
    _, y = w.pointer(element, extent, access)
    index, wide = s.index, s.wide
    if s.launched != 1 and w.slip("number of the block forgotten"):
        index, wide = s.thread, False
    address = element_address(w, y, index, BYTES[element], wide)
    if in_place:
        mix(w, load(w, element, address))
    store(w, element, address, VALUE)


def map_vectors(w: Writer, s: Shape) -> None:
    """Two or four words at a time, and the size a multiple of that."""
    count = w.random.choice((2, 4))
    per = f"{count}*{s.extent}"
    _, x = w.pointer("u32", per, "r", 4 if w.slip("vector at a smaller alignment") else 4 * count)
    _, y = w.pointer("u32", per, "w", 4 * count)
    names = [w.name("%r") for _ in range(count)]
    size = 4 * count
    if w.slip("vector at every word"):
        size = 4
    address = w.far(x, s.index, size, s.wide)
    vector = f"{{{', '.join(names)}}}"
    w.put(f"ld.global.v{count}.u32 {vector}, [{address}]")
    for name in names:
        mix(w, name)
    off = w.random.choice((0, 0, 4)) if count == 2 and w.slip("vector one word further") else 0
    target = element_address(w, y, s.index, 4 * count, s.wide)
    w.put(f"st.global.v{count}.u32 [{target}{f'+{off}' if off else ''}], {vector}")


def stride_of_grid(w: Writer, s: Shape) -> None:
    """A loop over the elements, all threads of the launch beside each other."""
    element = w.random.choice(("u32", "u32", "f32", "u16", "u64"))
    _, x = w.pointer(element, s.n_name, "r")
    blocks = w.r("mov.u32", "%nctaid.x")
    stores = w.chance(0.6)
    if stores and s.launched != 1 and w.slip("stride of one block only"):
        blocks = "1"
    stride = w.r("mul.lo.u32", s.count if s.count.startswith("%") else w.r("mov.u32", s.count), blocks)
    if s.wide:
        stride = w.d("cvt.u64.u32", stride)
    with w.rounds(s.index, s.n, stride, s.kind) as i:
        mix(w, load(w, element, element_address(w, x, i, BYTES[element], s.wide, most=s.most)))
        if stores:
            _, y = w.pointer("u32", s.n_name, "w")
            store(w, "u32", element_address(w, y, i, 4, s.wide), VALUE)


def stride_of_block(w: Writer, s: Shape) -> None:
    """Each block goes through a row of its own."""
    m_name, m = w.number((1, s.threads, s.threads + 2), 1, w.random.choice((100, 2**16)))
    _, x = w.pointer("u32", f"grid.x, {m_name}", "r")
    _, y = w.pointer("u32", f"grid.x, {m_name}", "w")
    first = w.r("mul.lo.u32", s.block_number, m)
    if s.grid[0] is None or w.assumes[-1].endswith(str(2**16)):
        wide = w.d("mul.wide.u32", s.block_number, m)
        first = ""
    with w.rounds(s.thread, m, s.count) as i:
        if first:
            at, far = w.plus(first, i), False
        else:
            at, far = w.d("add.s64", wide, w.d("cvt.u64.u32", i)), True
        if s.launched != 1 and w.slip("number of the block forgotten"):
            at, far = i, False
        mix(w, load(w, "u32", element_address(w, x, at, 4, far)))
        store(w, "u32", element_address(w, y, at, 4, far), VALUE)


def rows(w: Writer, s: Shape) -> None:
    """A row of a matrix for each block, its elements in rounds, with a leading dimension."""
    pick = w.random
    row_name, number = w.number((1, 2, 5), 1, 2**16)
    column_name, columns = w.number((1, s.threads, s.threads + 3), 1, 2**16)
    ld_name, ld = w.number((s.threads + 3, s.threads + 7), 1, 2**17)
    w.assumes.append(f"{ld_name} >= {column_name}")
    element = pick.choice(("u32", "f32", "u16"))
    _, x = w.pointer(element, f"{row_name},{column_name};{ld_name}", "r")
    _, y = w.pointer(element, f"{row_name},{column_name};{ld_name}", pick.choice(("w", "rw")))
    if w.slip("stride of the row one short"):
        ld = w.r("sub.u32", ld, 1)
    with w.below(s.block_number, number):
        first = w.d("mul.wide.u32", s.block_number, ld)
        with w.rounds(s.thread, columns, s.count) as i:
            at = w.d("add.s64", first, w.d("cvt.u64.u32", i))
            mix(w, load(w, element, element_address(w, x, at, BYTES[element], True)))
            store(w, element, element_address(w, y, at, BYTES[element], True), VALUE)


def gather(w: Writer, s: Shape) -> None:
    """x[index[i]], the index tested or known to be in range."""
    pick = w.random
    m_name, m = w.number((1, 3, 40), 1, pick.choice((1000, MOST)))
    kind = pick.choice(("u32", "s32"))
    index_name, table = w.pointer(kind, s.n_name, "r")
    _, x = w.pointer("u32", m_name, "r")
    known = w.chance(0.4)
    if known and not w.slip("fact about the index missing"):
        top = f"{m_name}]" if w.slip("fact about the index one too far") else f"{m_name})"
        w.facts.append(f"{index_name}[i] in [0, {top}")
    with w.below(s.index, s.n, s.kind):
        found = w.r(f"ld.global.{kind}", f"[{element_address(w, table, s.index, 4, s.wide)}]")
        if known:
            mix(w, load(w, "u32", w.far(x, found, 4)))
        else:
            signed = w.slip("index compared as signed")
            with w.below(found, m, "s32" if signed else "u32"):
                mix(w, load(w, "u32", w.far(x, found, 4)))


def scatter(w: Writer, s: Shape) -> None:
    """y[index[i]] = value, the indexes all different."""
    m_name, _ = w.number((7, 40), 1, 1000)
    index_name, table = w.pointer("u32", s.n_name, "r")
    _, y = w.pointer("u32", m_name, "w")
    w.facts.append(f"{index_name}[i] in [0, {m_name})")
    w.assumes.append(f"{m_name} >= {s.n_name}")
    if not w.slip("indexes may be equal"):
        w.facts.append(f"{index_name}[i] != {index_name}[j] for i < j")
    with w.below(s.index, s.n, s.kind, slips=False):
        found = load(w, "u32", w.far(table, s.index, 4, s.wide))
        store(w, "u32", w.far(y, found, 4), VALUE)
