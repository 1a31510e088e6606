"""Phases that find their elements in unusual ways: predicates, loops backwards, swizzles, generic addresses, calls."""

from __future__ import annotations

from tests.campaign.families.memory import Array, bar, deciding, element_address, mix, shared_words
from tests.campaign.families.phases_shared import partner
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


def map_predicated(w: Writer, s: Shape) -> None:
    """A guarded map without a branch: load and store are predicated."""
    _, x = w.pointer("u32", s.n_name, "r")
    _, y = w.pointer("u32", s.n_name, "w")
    test = "le" if w.slip("guard off by one") else "lt"
    holds = w.p(f"setp.{test}.{s.kind}", s.index, s.n)
    guards = [f"@{holds} "] * 2
    if w.slip("predicate dropped"):
        guards[w.random.randrange(2)] = ""
    if w.slip("guard negated"):
        guards[1] = f"@!{holds} "
    found = w.r("mov.u32", "0")
    source = element_address(w, x, s.index, 4, s.wide)
    w.put(f"{guards[0]}ld.global.u32 {found}, [{source}]")
    mix(w, found)
    target = element_address(w, y, s.index, 4, s.wide)
    w.put(f"{guards[1]}st.global.u32 [{target}], {VALUE}")


def backwards(w: Writer, s: Shape) -> None:
    """From the last element to the first, all threads of the launch beside each other: the index gets negative."""
    _, x = w.pointer("u32", s.n_name, "r")
    stores = w.chance(0.5)
    y = w.pointer("u32", s.n_name, "w")[1] if stores else ""
    new, kind = (w.d, "s64") if s.wide else (w.r, "s32")
    blocks = w.r("mov.u32", "%nctaid.x")
    if stores and s.launched != 1 and w.slip("stride of one block only"):
        blocks = "1"
    stride = w.r("mul.lo.u32", w.r("mov.u32", s.count), blocks)
    if s.wide:
        stride = w.d("cvt.u64.u32", stride)
    last = s.n if w.slip("one element further") else new(f"add.{kind}", s.n, -1)
    i = new(f"sub.{kind}", last, s.index)
    again, out = w.new_label(), w.new_label()
    test = kind.replace("s", "u") if w.slip("index compared as unsigned") else kind
    w.label(again)
    w.put(f"@{w.p(f'setp.lt.{test}', i, 0)} bra {out}")
    offset = w.d("shl.b64", i, 2) if s.wide else w.d("mul.wide.s32", i, 4)
    mix(w, w.r("ld.global.u32", f"[{w.d('add.s64', x, offset)}]"))
    if stores:
        w.put(f"st.global.u32 [{w.d('add.s64', y, offset)}], {VALUE}")
    w.put(f"sub.{kind} {i}, {i}, {stride}", f"bra {again}")
    w.label(out)


def swizzle(w: Writer, s: Shape) -> None:
    """A tile in shared memory whose columns are exchanged by the row, so that columns lie in different banks."""
    side = 2 ** w.random.randrange(1, s.threads.bit_length() - 1)
    array = shared_words(w, s, s.threads)
    row, column = w.divided(s.thread, side)
    # Where rows are more than columns, only their low bits are below the number of columns.
    turn = row
    if s.threads // side > side and not w.slip("swizzle by the whole row"):
        turn = w.r("and.b32", row, side - 1)
    array.store(w, w.linear(row, side, w.r("xor.b32", column, turn)), VALUE)
    bar(w, s)
    other = w.r("xor.b32", w.r("xor.b32", column, side - 1), turn)
    mix(w, array.load(w, w.linear(row, side, other)))


def exchange_generic(w: Writer, s: Shape) -> None:
    """An exchange in which one side uses generic addresses of shared memory."""
    array = shared_words(w, s, s.threads)
    base = w.d("cvta.shared.u64", w.d("mov.u64", array.base))
    other = partner(w, s)
    if w.chance(0.5):
        w.put(f"st.u32 [{w.far(base, s.thread, 4)}], {VALUE}")
        bar(w, s)
        mix(w, array.load(w, other))
    else:
        array.store(w, s.thread, VALUE)
        bar(w, s)
        mix(w, w.r("ld.u32", f"[{w.far(base, other, 4)}]"))


def exchange_dynamic(w: Writer, s: Shape) -> None:
    """An exchange in shared memory whose size comes from the launch."""
    if not w.dynamic_shared:
        w.head.append(".extern .shared .align 16 .b8 dynamic[];")
        short = 1 if w.slip("dynamic shared memory too small") else 0
        w.assumes.append(f"dynamic_shared >= 4*{s.size_text}" + (" - 4" if short else ""))
        w.dynamic_shared = 4 * (s.threads - short)
    else:
        bar(w, s, "barrier between two uses of an array dropped")
    array = Array("shared", "dynamic")
    array.store(w, s.thread, VALUE)
    bar(w, s)
    mix(w, array.load(w, partner(w, s)))


def exchange_called(w: Writer, s: Shape) -> None:
    """An exchange whose partner a function of the file computes."""
    name = w.name("f")
    last = s.threads if w.slip("partner one beyond") else s.threads - 1
    body = f"xor.b32 %r, %r, {last}" if s.power and w.chance(0.5) else f"sub.u32 %r, {last}, %r"
    w.head.append(
        f".func (.param .b32 out) {name}(.param .b32 x)\n{{\n.reg .b32 %r;\nld.param.b32 %r, [x];\n{body};\n"
        "st.param.b32 [out], %r;\nret;\n}"
    )
    array = shared_words(w, s, s.threads)
    array.store(w, s.thread, VALUE)
    bar(w, s)
    found = w.name("%r")
    w.put("{\n.param .b32 given", f"st.param.b32 [given], {s.thread}", ".param .b32 back",
          f"call.uni (back), {name}, (given)", f"ld.param.b32 {found}, [back]")  # fmt: skip
    w.lines.append("}")
    mix(w, array.load(w, found))


def by_index(w: Writer, s: Shape) -> None:
    """A branch to one of four places."""
    targets, done = w.name("T"), w.new_label()
    places = [w.new_label() for _ in range(4)]
    index = w.r("and.b32", w.random.choice((s.thread, deciding(w, s))), 7 if w.slip("branch beyond its list") else 3)
    w.lines.append(f"{targets}: .branchtargets {', '.join(places)};")
    w.put(f"brx.idx {index}, {targets}")
    for number, place in enumerate(places):
        w.label(place)
        mix(w, w.random.choice((s.thread, str(number))))
        w.put(f"bra {done}")
    w.label(done)


def triangle(w: Writer, s: Shape) -> None:
    """Two nested loops, the inner one as long as the outer one says, over a segment of the thread's own."""
    side = w.random.choice((3, 4))
    _, x = w.pointer("u32", f"{side * side}*{s.extent}", "r")
    first = w.d("mul.lo.u64" if s.wide else "mul.wide.u32", s.index, side * side)
    with w.rounds(0, side) as i:
        limit = w.r("add.u32", i, 2 if w.slip("inner loop one round too long") else 1)
        with w.rounds(0, limit) as j:
            at = w.d("add.s64", first, w.d("cvt.u64.u32", w.linear(i, side, j)))
            mix(w, w.r("ld.global.u32", f"[{w.far(x, at, 4, True)}]"))
