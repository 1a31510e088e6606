"""Ordered float expressions as a hash-consed graph: what the Dag domain computes and what an operator states.

A Node is a symbolic word. Its form repeats the Domain interface (`spec.ptx.domain`), so both sides spell it alike:

    op      name of the Domain method: fadd, fsub, fmul, ffma, fdiv, fsqrt, fneg, fmin, fconvert, approximate, ...
    attrs   the arguments of that method that are not words, in order; a rounding that the instruction leaves out
            is '' (the assembler may then contract), never the default spelled out
    args    the arguments that are words, in order

    fadd(t, rounding, ftz, sat, a, b)               Node("fadd", ("f32", "rn", False, False), (a, b))
    fconvert(source, target, rounding, ftz, sat, a) Node("fconvert", ("f16", "f32", "", False, ""), (a,))
    approximate(name, t, ftz, args)                 Node("approximate", ("ex2", "f32", True), (a,))

and three leaves:

    input   attrs (buffer, element): the element of a global buffer as the launch found it, element-sized
    param   attrs (name,): a float parameter
    const   attrs (width, bits): a known word

and one that puts words together:

    bits    attrs "offset+width" of each part, least significant first, args the words that the parts are cut from

Words that are known integers never become nodes other than `const`; lanes, memory and control leave no trace.
Nodes of equal form are one object, so `is` compares whole graphs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, final
from weakref import WeakValueDictionary

Attr = str | int | bool


@final
class Node:
    """An immutable node; equal forms are the same object. Compared and hashed by identity."""

    __slots__ = ("__weakref__", "args", "attrs", "op")

    op: str
    attrs: tuple[Attr, ...]
    args: tuple[Node, ...]

    _interned: ClassVar[WeakValueDictionary[tuple[object, ...], Node]] = WeakValueDictionary()

    def __new__(cls, op: str, attrs: tuple[Attr, ...] = (), args: tuple[Node, ...] = ()) -> Node:
        # 1, True and "1" are different attributes: Python's == alone would merge the first two.
        key = (op, attrs, tuple(type(a) for a in attrs), tuple(id(a) for a in args))
        found = cls._interned.get(key)
        if found is not None:
            return found
        made = object.__new__(cls)
        object.__setattr__(made, "op", op)
        object.__setattr__(made, "attrs", attrs)
        object.__setattr__(made, "args", args)
        cls._interned[key] = made
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Node is immutable, {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Node is immutable, {name} cannot be deleted")

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Node, (self.op, self.attrs, self.args)

    def __repr__(self) -> str:
        return f"<Node {label(self)}, {len(self.args)} args>"


def input_element(buffer: str, element: int) -> Node:
    """The element of this index (in elements, row-major over the buffer's leading dimension) at launch."""
    return Node("input", (buffer, element))


def parameter(name: str) -> Node:
    """A float parameter of the kernel, a word of its type."""
    return Node("param", (name,))


def constant(width: int, bits: int) -> Node:
    """A known word of `width` bits."""
    return Node("const", (width, bits % (1 << width)))


def bits(parts: Iterable[tuple[Node, int, int]]) -> Node:
    """A word put together of parts (word, offset, width), least significant first; no part goes on in the next one."""
    known = list(parts)
    return Node("bits", tuple(f"{offset}+{width}" for _, offset, width in known), tuple(part for part, _, _ in known))


def label(node: Node) -> str:
    """The node without its arguments, `fadd.f32.rn.False.False`, `input.x.7`, `const.32.0x3f800000`."""
    attrs = [hex(node.attrs[1])] if node.op == "const" and isinstance(node.attrs[1], int) else []
    shown = [*(str(a) for a in node.attrs[: 1 if attrs else None]), *attrs]
    return ".".join([node.op, *(part or "-" for part in shown)])


def topological(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node below the roots once, arguments first; order fixed by the roots and the argument order."""
    done: set[int] = set()
    for root in roots:
        stack = [(root, iter(root.args))]
        if id(root) in done:
            continue
        done.add(id(root))
        while stack:
            node, rest = stack[-1]
            step = next((a for a in rest if id(a) not in done), None)
            if step is None:
                stack.pop()
                yield node
                continue
            done.add(id(step))
            stack.append((step, iter(step.args)))


def canonical_lines(outputs: Mapping[tuple[str, int], Node]) -> Iterator[str]:
    """Text of a family of expressions: one line per shared node, `N: label args`, then one per output element."""
    number: dict[int, int] = {}
    keys = sorted(outputs)
    for node in topological(outputs[k] for k in keys):
        number[id(node)] = len(number)
        yield " ".join([f"{number[id(node)]}:", label(node), *(str(number[id(a)]) for a in node.args)])
    for buffer, element in keys:
        yield f"{buffer}[{element}] = {number[id(outputs[buffer, element])]}"


def digest(outputs: Mapping[tuple[str, int], Node]) -> str:
    """sha256 of the canonical text."""
    text = hashlib.sha256()
    for line in canonical_lines(outputs):
        text.update(line.encode() + b"\n")
    return text.hexdigest()


def first_difference(a: Node, b: Node) -> tuple[Node, Node] | None:
    """The deepest-first pair at which two expressions part: same place, arguments equal or not comparable."""
    if a is b:
        return None
    while a.op == b.op and a.attrs == b.attrs and len(a.args) == len(b.args):
        differing = next(((x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y), None)
        if differing is None:
            break
        a, b = differing
    return a, b
