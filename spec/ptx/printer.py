"""The syntax tree to PTX text: `parse` of the printed text gives the same tree, but for lines, name and text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

from spec.ptx.ast import (
    AddressOf,
    FloatImm,
    Function,
    Half,
    Imm,
    Instr,
    Label,
    Mem,
    Module,
    Not,
    Operand,
    Pair,
    Param,
    ParenList,
    Prototype,
    Reg,
    Sink,
    SourceLoc,
    Special,
    Sym,
    Variable,
    Vec,
)
from spec.ptx.carry import without_carry

_NUMBERED = re.compile(r"(.*?[^0-9])(0|[1-9][0-9]*)")
_NAMES_A_LINE = 8


def strip_lines(module: Module) -> Module:
    """The module without what the layout of its text decides: line numbers, name and text."""
    return replace(
        module,
        name="<text>",
        text="",
        variables=tuple(replace(v, line=0) for v in module.variables),
        functions=tuple(_strip_function(f) for f in module.functions),
    )


def _strip_function(function: Function) -> Function:
    prototypes = {
        name: replace(p, params=_strip_params(p.params), returns=_strip_params(p.returns))
        for name, p in function.prototypes.items()
    }
    body = None if function.body is None else tuple(replace(s, line=0) for s in function.body)
    return replace(
        function,
        line=0,
        params=_strip_params(function.params),
        returns=_strip_params(function.returns),
        variables=tuple(replace(v, line=0) for v in function.variables),
        prototypes=prototypes,
        body=body,
    )


def _strip_params(params: tuple[Param, ...]) -> tuple[Param, ...]:
    return tuple(replace(p, line=0) for p in params)


# --- modules ----------------------------------------------------------------------------------------------------


def print_module(m: Module) -> str:
    """The PTX text of a module. Variables and functions keep the order of their lines: names precede their uses."""
    lines = [f".version {m.version[0]}.{m.version[1]}", f".target {', '.join(m.target)}"]
    lines.append(f".address_size {m.address_size}")
    lines.extend(f'.file {index} "{name}"' for index, name in m.files.items())
    lines.extend(f'.pragma "{text}";' for text in m.pragmas)
    file_indices: dict[str, int] = {}
    for index, name in m.files.items():
        file_indices.setdefault(name, index)
    parts: list[Variable | Function] = [*m.variables, *m.functions]
    for part in sorted(parts, key=lambda p: p.line):
        if isinstance(part, Variable):
            lines.append(_variable(part))
        else:
            lines.extend(["", *_function(part, file_indices)])
    lines.extend(f".alias {alias}, {name};" for alias, name in m.aliases.items())
    return "\n".join(lines) + "\n"


def _linkage(linkage: str) -> str:
    return f".{linkage} " if linkage else ""


def _variable(v: Variable) -> str:
    attribute = f" .attribute({v.attribute})" if v.attribute else ""
    align = f" .align {v.align}" if v.align is not None else ""
    vector = f" .v{v.vector}" if v.vector > 1 else ""
    text = f"{_linkage(v.linkage)}.{v.space}{attribute}{align}{vector} .{v.type} {v.name}{_extents(v.dims)}"
    if v.initializer is None:
        return text + ";"
    shape = [*(extent or 1 for extent in v.dims), v.vector] if v.vector > 1 else [extent or 1 for extent in v.dims]
    return f"{text} = {_braces([_element(e) for e in v.initializer], shape)};"


def _braces(elements: list[str], shape: list[int]) -> str:
    """The flat elements in the braces of their extents; what is missing at the end stays missing."""
    if not shape:
        return elements[0]
    row = prod(shape[1:])
    parts = [_braces(elements[i : i + row], shape[1:]) for i in range(0, len(elements), row)]
    return f"{{{', '.join(parts)}}}"


def _extents(dims: Iterable[int | None]) -> str:
    return "".join("[]" if extent is None else f"[{extent}]" for extent in dims)


def _element(element: int | FloatImm | Sym | AddressOf) -> str:
    if isinstance(element, int):
        return _integer(element)
    if isinstance(element, FloatImm):
        return _float(element)
    if isinstance(element, Sym):
        return _offset(element.name, element.offset)
    name = f"generic({element.symbol.name})" if element.generic else element.symbol.name
    text = _offset(name, element.symbol.offset)
    return text if element.mask is None else f"0x{element.mask:X}({text})"


def _param(p: Param) -> str:
    align = f" .align {p.align}" if p.align is not None else ""
    pointer = ""
    if p.pointer_space is not None:
        space = "" if p.pointer_space == "generic" else f" .{p.pointer_space}"
        pointer = f" .ptr{space}" + (f" .align {p.pointer_align}" if p.pointer_align is not None else "")
    extent = "" if p.elements is None else f"[{p.elements or ''}]"
    return f".{p.space}{align} .{p.type}{pointer} {p.name}{extent}"


def _params(params: tuple[Param, ...]) -> str:
    return f"({', '.join(_param(p) for p in params)})"


def _directive(name: str, values: tuple[int, ...]) -> str:
    if name.startswith("pragma "):
        return f".{name};"
    return f".{name} {', '.join(map(str, values))}" if values else f".{name}"


# --- functions --------------------------------------------------------------------------------------------------


def _function(f: Function, file_indices: dict[str, int]) -> Iterator[str]:
    returns = f" {_params(f.returns)}" if f.returns else ""
    head = f"{_linkage(f.linkage)}.{'entry' if f.is_entry else 'func'}{returns} {f.name}{_params(f.params)}"
    heads = [head, *(_directive(name, values) for name, values in f.directives.items())]
    if f.body is None:
        heads[-1] += "" if heads[-1].endswith('";') else ";"
        yield from heads
        return
    yield from heads
    yield "{"
    yield from (f"\t{line}" for line in _declarations(f))
    source: SourceLoc | None = None
    for statement in f.body:
        if isinstance(statement, Label):
            yield f"{statement.name}:"
            continue
        if statement.source is not None and statement.source != source:
            source = statement.source
            yield f"\t.loc {file_indices[source.file]} {source.line} {source.column}"
        yield f"\t{print_instr(statement)}"
    yield "}"


def _declarations(f: Function) -> Iterator[str]:
    passed = {p.name for p in (*f.params, *f.returns) if p.space == "reg"}
    by_type: dict[str, list[str]] = {}
    for name, type_name in f.registers.items():
        if name not in passed:
            by_type.setdefault(type_name, []).append(name)
    for type_name, names in by_type.items():
        words = _ranges(names)
        for i in range(0, len(words), _NAMES_A_LINE):
            yield f".reg .{type_name} {', '.join(words[i : i + _NAMES_A_LINE])};"
    yield from (_variable(v) for v in f.variables)
    yield from (f"{name}: .branchtargets {', '.join(targets)};" for name, targets in f.branch_targets.items())
    yield from (f"{name}: .calltargets {', '.join(targets)};" for name, targets in f.call_targets.items())
    yield from (f"{name}: .callprototype {_prototype(p)};" for name, p in f.prototypes.items())


def _prototype(p: Prototype) -> str:
    returns = f"{_params(p.returns)} " if p.returns else ""
    directives = "".join(f" {_directive(name, values)}" for name, values in p.directives.items())
    return f"{returns}_ {_params(p.params)}{directives}"


def _ranges(names: list[str]) -> list[str]:
    """The names, with `%r<3>` for %r0, %r1, %r2 where all numbers from 0 on are there."""
    numbers: dict[str, set[int]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            numbers.setdefault(match[1], set()).add(int(match[2]))
    whole = {stem: len(found) for stem, found in numbers.items() if len(found) > 1 and max(found) == len(found) - 1}
    words = [f"{stem}<{count}>" for stem, count in whole.items()]
    return words + [n for n in names if not ((m := _NUMBERED.fullmatch(n)) and m[1] in whole)]


# --- instructions and operands ----------------------------------------------------------------------------------


def print_instr(i: Instr) -> str:
    """The text of one instruction, with its guard and its `;`."""
    guard = "" if i.guard is None else f"@{'!' if i.guard_negated else ''}{i.guard.name} "
    operands = ", ".join(map(print_operand, without_carry(i.operands)))
    return f"{guard}{i.opcode}{' ' if operands else ''}{operands};"


def print_operand(o: Operand) -> str:
    """The text of one operand."""
    match o:
        case Reg(name) | Special(name):
            return name
        case Imm(value):
            return _integer(value)
        case FloatImm():
            return _float(o)
        case Sym(name, offset):
            return _offset(name, offset)
        case Mem(base, offset, indices):
            return f"[{', '.join([_offset(print_operand(base), offset), *map(print_operand, indices)])}]"
        case Vec(elems):
            return f"{{{', '.join(map(print_operand, elems))}}}"
        case ParenList(elems):
            return f"({', '.join(map(print_operand, elems))})"
        case Pair(first, second):
            return f"{print_operand(first)}|{print_operand(second)}"
        case Not(operand):
            return f"!{operand.name}"
        case Half(operand, selector):
            return f"{operand.name}.{selector}"
        case Sink():
            return "_"


def _offset(base: str, offset: int) -> str:
    return f"{base}+{_integer(offset)}" if offset else base


def _integer(value: int) -> str:
    """Decimal; the least signed number as a difference, since its magnitude is a `.u64` (PTX ISA 4.5.1)."""
    return "-9223372036854775807-1" if value == -(1 << 63) else str(value)


def _float(value: FloatImm) -> str:
    return f"0f{value.bits:08X}" if value.width == 32 else f"0d{value.bits:016X}"
