"""From the flags of `fltc check` to problems: one for each entry. The grammar and the promises are in docs/check.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod

from proofs.check.assumed import consistent, fixed_sizes
from proofs.check.declarations import Declaration, declaration
from proofs.check.entries import entries, in_place
from proofs.check.request import CheckRequest
from proofs.check.structures import fields_of
from proofs.contents import Source
from proofs.facts import memory_exists, sources
from proofs.hints.fitting import with_hints
from proofs.opaque import opaque_notes
from proofs.problem import (
    AXES,
    BY_PLACE,
    DYNAMIC,
    RESERVED,
    BufferTerms,
    Problem,
    buffer_clauses,
    launch_specials,
    shared_variables,
    to_condition,
    to_term,
    variable_terms,
)
from proofs.ptxas import architecture_for, assemble
from proofs.terms import LAUNCH, Cond, Poly, Symbol, le, same
from proofs.usage import Use, special_registers, usage
from proofs.variables import add_variables
from spec.contracts.expr import names as names_in
from spec.contracts.expr import parse_comparisons, parse_expr, print_expr
from spec.contracts.facts import spoken_buffer
from spec.contracts.model import ELEMENT_BYTES, MAX_BLOCK, MAX_GRID, MAX_THREADS
from spec.errors import BadInput
from spec.ptx.ast import Function, Module, Param, type_width
from spec.ptx.parser import parse

MAX_DYNAMIC = 232_448  # bytes of shared memory that a block can have, sm_90
_WARP_INSTRUCTIONS = ("shfl", "vote", "redux", "match", "activemask", "ldmatrix", "mma", "stmatrix")
Size = int | Poly | None


def problems(request: CheckRequest) -> list[Problem]:
    """The problems of a request, in text order of the entries.

    Raises:
        PtxSyntaxError, AssemblerRefused: the file is not PTX, or ptxas says no.
        BadInput: a flag that cannot be read or names what is not there; assumptions that contradict each other.
    """
    module = parse(request.text, name=request.path)
    if module.address_size != 64:
        raise BadInput(f"{request.path}: .address_size {module.address_size}; only 64-bit addresses are known")
    functions = entries(module, request)
    if not request.assembled:
        assemble(request.text, architecture_for(module.target[0]), name=request.path)
    return [problem_of(request, module, function) for function in functions]


def problem_of(request: CheckRequest, module: Module, function: Function) -> Problem:
    """The problem of one entry of a module that the assembler takes."""
    return _Reader(request, module, in_place(function, module)).problem()


class _Reader:
    """Reads the flags for one entry."""

    def __init__(self, request: CheckRequest, module: Module, function: Function) -> None:
        self.request, self.module, self.function = request, module, function
        self.uses = usage(function)
        self.reads = special_registers(function)
        self.declared = [declaration(text) for text in request.buffers]
        self.display = self._display()
        self.spellings = self._spellings()
        self.names: dict[str, Poly] = {}
        self.domain: list[tuple[str, Cond]] = []
        self.said: list[str] = []
        self.numbers: dict[str, str] = {}

    def problem(self) -> Problem:
        """The problem; every flag has been used or refused."""
        pointers = self._pointers()
        parameters = self._parameters(pointers)
        block, grid = self._launch()
        specials, clauses, extents = self._geometry(block, grid)
        dynamic = self._dynamic()
        self._assume()
        self.domain += clauses
        buffers = self._buffers(pointers)
        variables, sizes, aligned = variable_terms(self.module, self.function, dynamic)
        self.domain += aligned
        found = Problem(
            self.module, self.function, self.domain, parameters, specials, variables, sizes, buffers,
            (_number(block[0]), _number(block[1]), _number(block[2])), extents, alias=self._aliases(buffers),
            allow_exited=self.request.allow_exited, names=self.names, assumptions=self.said,
            outputs=self._outputs(buffers), sources=self._sources(buffers), numbers=self.numbers,
            fields=fields_of(self.function, self.display),
        )  # fmt: skip
        add_variables(found)
        found.assumptions += opaque_notes(self.function)
        consistent(found, self.request.path)
        memory_exists(found, self.request.path)
        return with_hints(found, self.request.hints)

    # --- names ---
    def _display(self) -> dict[str, str]:
        """PTX name to the name in messages: that of --names; p0, p1, ... where the PTX has none that helps."""
        params = self.function.params
        given = self.request.names
        if given:
            if len(given) != len(params):
                raise BadInput(
                    f"--names gives {len(given)} names, {self.function.name} has {len(params)} parameters"
                    + (f": {', '.join(p.name for p in params)}" if params else "")
                    + self._choose()
                )
            if len(set(given)) != len(given):
                raise BadInput(f"--names {','.join(given)}: a name stands twice")
            for name in given:
                if re.fullmatch(r"[A-Za-z_$][\w$]*", name) is None or name in RESERVED:
                    raise BadInput(f"--names: {name!r} cannot be a name here; use letters, digits and _")
            return {p.name: n for p, n in zip(params, given, strict=True)}
        taken = {p.name for p in params}
        shown = {}
        for i, param in enumerate(params):
            plain = re.fullmatch(r"[A-Za-z_$][\w$]*", param.name) is not None and param.name not in RESERVED
            generated = param.name == f"{self.function.name}_param_{i}"
            name = param.name
            if not plain or (generated and f"p{i}" not in taken):
                name = f"p{i}"
                while name in taken:  # two parameters under one name would be one unknown
                    name += "_"
            taken.add(name)
            shown[param.name] = name
        return shown

    def _spellings(self) -> dict[str, str]:
        """Everything a parameter may be called in a flag, to its PTX name; first what messages call it."""
        found = {shown: ptx for ptx, shown in self.display.items()}
        by_name = {p.name: p.name for p in self.function.params}
        by_place = {f"p{i}": p.name for i, p in enumerate(self.function.params)}
        return found | {name: ptx for name, ptx in (by_place | by_name).items() if name not in found}

    def _choose(self) -> str:
        """Advice where flags that fit one entry were read for all of them."""
        several = self.request.entry is None and len(self.module.entries) > 1
        return f"; the file has {len(self.module.entries)} entries: choose one with --entry" if several else ""

    def _named(self, flag: str, name: str) -> str:
        """The PTX name of a parameter that a flag names."""
        if name not in self.spellings:
            known = ", ".join(self.display.values()) or "none"
            known += BY_PLACE if "p0" in self.spellings.keys() - set(self.display.values()) else ""
            raise BadInput(
                f"{flag}: {self.function.name} has no parameter {name!r}; it has {known}{self._choose()}"
            )
        return self.spellings[name]

    # --- parameters ---
    def _pointers(self) -> set[str]:
        """PTX names of the 64-bit parameters that are addresses: declared, or used as one and not as a size."""
        declared: set[str] = set()
        for d in self.declared:
            ptx = self._named(f"--buffer {d.text}", d.name)
            if ptx in declared:
                raise BadInput(f"--buffer {d.text}: {d.name} is declared twice")
            declared.add(ptx)
        mentioned: set[str] = set()
        texts = [e for d in self.declared for e in (*d.shape, *d.strides)]
        texts += [s for s in (*(self.request.block or ()), *(self.request.grid or ())) if isinstance(s, str)]
        for text in texts:
            mentioned |= names_in(parse_expr(text))
        for text in self.request.assumes:
            for comparison in parse_comparisons(text):
                mentioned |= names_in(comparison)
        sizes = {self.spellings[m] for m in mentioned if m in self.spellings} - declared
        found = set(declared)
        for param in self.function.params:
            whole = param.elements is None and type_width(param.type) == 64
            if param.name in declared and not whole:
                raise BadInput(f"{self.display[param.name]}: a pointer parameter has 64 bits, this is {_kind(param)}")
            used = param.pointer_space is not None or self.uses[param.name].address
            if whole and used and (param.pointer_space is not None or param.name not in sizes):
                found.add(param.name)
            elif whole and used:
                self.numbers[self.display[param.name]] = self._speaks(param.name)
        return found

    def _speaks(self, ptx: str) -> str:
        """The flag in which an expression names a parameter, those of --assume first."""
        for text in self.request.assumes:
            if any(self.spellings.get(n) == ptx for c in parse_comparisons(text) for n in names_in(c)):
                return "--assume"
        sizes = (*(self.request.block or ()), *(self.request.grid or ()))
        spoken = {self.spellings.get(n) for s in sizes if isinstance(s, str) for n in names_in(parse_expr(s))}
        return "--block or --grid" if ptx in spoken else "an extent of --buffer"

    def _parameters(self, pointers: set[str]) -> dict[str, Poly | None]:
        """A symbol for each parameter but floats and structures, whose values are not followed."""
        found: dict[str, Poly | None] = {}
        for param in self.function.params:
            shown = self.display[param.name]
            if param.elements is not None or param.type.startswith("f") or param.type == "pred":
                found[param.name] = None
                if param.elements is not None:
                    self.said.append(f"{shown} is {_kind(param)}, each field any number, for all threads the same")
                continue
            bits = type_width(param.type)
            low, high = self._range(param.type, bits, self.uses[param.name], param.name in pointers)
            term = Poly.symbol(Symbol(shown, "parameter", LAUNCH, low, high))
            found[param.name] = term
            if param.name not in pointers:
                self.said.append(f"{shown} is a number of {bits} bits, {'signed' if low else 'unsigned'}")
        for spelling, ptx in self.spellings.items():
            value = found[ptx]
            if value is not None:
                self.names[spelling] = value
        return found

    @staticmethod
    def _range(kind: str, bits: int, use: Use, pointer: bool) -> tuple[int, int]:
        signed = kind.startswith("s") if use.signed is None else use.signed
        if signed and not pointer:
            return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        return 0, 2**bits - 1

    # --- launch ---
    def _launch(self) -> tuple[list[Size], list[Size]]:
        """Sizes of block and grid: a number, a term over parameters, or None for a symbolic one."""
        block: list[Size] = self._sizes("--block", self.request.block, MAX_BLOCK)
        grid: list[Size] = self._sizes("--grid", self.request.grid, MAX_GRID)
        required = self.function.directives.get("reqntid")
        if required:
            fixed = (*required, 1, 1)[:3]
            for axis, given, size in zip(AXES, block, fixed, strict=True):
                if isinstance(given, int) and given != size:
                    raise BadInput(f"--block: {axis} is {given}, but {self.function.name} has .reqntid {size}")
                if isinstance(given, Poly):
                    self.domain.append((f"block.{axis} of .reqntid is the one asked for", same(given, size)))
            block = list(fixed)
            self.said.append(f"the block is {'x'.join(map(str, fixed))} (.reqntid)")
        threads = prod(size for size in block if isinstance(size, int))
        if threads > MAX_THREADS:
            raise BadInput(f"--block: {threads} threads, the hardware takes {MAX_THREADS} in a block")
        warps = any(i.base in _WARP_INSTRUCTIONS for i in self.function.instructions())
        lanes = warps or any(n.startswith(("%lane", "%warp", "%nwarp")) for n in self.reads)
        for i, axis in enumerate(AXES):
            if block[i] is None and not ({f"%tid.{axis}", f"%ntid.{axis}"} & self.reads or (lanes and axis == "x")):
                block[i] = 1
                self.said.append(f"block.{axis} = 1: it is not given and the entry does not read it")
            if grid[i] is None and not {f"%ctaid.{axis}", f"%nctaid.{axis}"} & self.reads:
                grid[i] = 1
                self.said.append(f"grid.{axis} = 1: it is not given and the entry does not read it")
        self.said += [] if required else fixed_sizes("block", block, self.request.block)
        self.said += fixed_sizes("grid", grid, self.request.grid)
        return block, grid

    def _sizes(self, flag: str, given: tuple[int | str | None, ...] | None, limits: Sequence[int]) -> list[Size]:
        sizes = (*(given or ()), None, None, None)[:3]
        return [self._size(flag, s, limit) for s, limit in zip(sizes, limits, strict=True)]

    def _size(self, flag: str, size: int | str | None, limit: int) -> Size:
        if not isinstance(size, str):
            return size
        term = to_term(parse_expr(size), self.names)
        if term.value is not None and not 1 <= term.value <= limit:
            raise BadInput(f"{flag}: {size} is {term.value}, the hardware takes 1 to {limit}")
        return term if term.value is None else term.value

    def _geometry(
        self, block: list[Size], grid: list[Size]
    ) -> tuple[dict[str, Poly], list[tuple[str, Cond]], tuple[Poly, Poly, Poly]]:
        extents = [Poly.constant(g) if isinstance(g, int) else g for g in grid]
        for axis, size, extent, limit in zip(AXES, block, grid, MAX_GRID, strict=True):
            if size is None:
                self.said.append(f"block.{axis} is any size up to {MAX_BLOCK[AXES.index(axis)]}")
            if extent is None:
                self.said.append(f"grid.{axis} is any size up to {limit}")
        specials, clauses, found = launch_specials(
            (_number(block[0]), _number(block[1]), _number(block[2])), (extents[0], extents[1], extents[2])
        )
        shown = []
        for text, clause in clauses:
            axis = text[7:8] if text.startswith("nctaid.") else ""
            if axis and "contract" in text:
                asked = (self.request.grid or ())[AXES.index(axis)]
                text = f"grid.{axis} == {asked}, and it is a size that the hardware takes"
            shown.append((text, clause))
        for i, axis in enumerate(AXES):
            size = block[i]
            if isinstance(size, Poly):
                asked = (self.request.block or ())[i]
                text = f"block.{axis} == {asked}, and it is a size that the hardware takes"
                shown.append((text, same(specials[f"%ntid.{axis}"], size)))
            self.names |= {f"block.{axis}": specials[f"%ntid.{axis}"], f"grid.{axis}": specials[f"%nctaid.{axis}"]}
        most = self.function.directives.get("maxntid")
        if most:
            product = prod(most)
            threads = specials["%ntid.x"] * specials["%ntid.y"] * specials["%ntid.z"]
            if product < MAX_THREADS:
                shown.append((f"at most {product} threads in a block (.maxntid)", le(threads, product)))
        return specials, shown, found

    def _dynamic(self) -> Poly:
        open_variables = [v for v in shared_variables(self.module, self.function) if v.bytes is None]
        if len(open_variables) > 1:
            names = ", ".join(v.name for v in open_variables)
            raise BadInput(f"{self.function.name}: {names} are the same dynamic shared memory under several names; "
                           "give them one name")  # fmt: skip
        if not open_variables:
            return Poly({})
        if DYNAMIC in self.display.values():
            raise BadInput(f"{self.function.name}: {DYNAMIC} is the size of {open_variables[0].name} and cannot be a "
                           "parameter too; rename it with --names")  # fmt: skip
        term = Poly.symbol(Symbol(DYNAMIC, "parameter", LAUNCH, 0, MAX_DYNAMIC))
        self.names[DYNAMIC] = term
        self.said.append(f"{open_variables[0].name} has {DYNAMIC} bytes, any number up to {MAX_DYNAMIC}")
        return term

    # --- assumptions ---
    def _assume(self) -> None:
        for text in self.request.assumes:
            for comparison in parse_comparisons(text):
                self.domain.append((print_expr(comparison), to_condition(comparison, self.names)))

    def _buffers(self, pointers: set[str]) -> dict[str, BufferTerms]:
        declared = {self.spellings[d.name]: d for d in self.declared}
        found = {}
        for param in self.function.params:
            if param.name not in pointers:
                continue
            shown = self.display[param.name]
            (base,) = self.names[shown].symbols()
            d = declared.get(param.name)
            if d is None:
                # Without a size nothing is said of bounds; elements are bytes, so that two accesses are told apart.
                align = param.pointer_align or 1
                found[shown] = BufferTerms(shown, base, 1, None, None, None, "rw", align)
                self.said.append(
                    f"every access through {shown} stays inside what {shown} points to, which is less than 2^63 bytes:"
                    " not declared"
                )
            else:
                found[shown] = self._declared(shown, base, d, self.names)
                self.said.append(f"--buffer {d.text}")
            self.domain += buffer_clauses(found[shown])
        return found

    @staticmethod
    def _declared(shown: str, base: Symbol, d: Declaration, names: Mapping[str, Poly]) -> BufferTerms:
        shape = [to_term(parse_expr(e), names) for e in d.shape]
        strides = [to_term(parse_expr(e), names) for e in d.strides]
        for term, text in zip((*shape, *strides), (*d.shape, *d.strides), strict=True):
            if term.value is not None and term.value < 0:
                raise BadInput(f"--buffer {d.text}: {text} is {term.value}; extents and strides are 0 or more")
        columns, two, three = shape[-1], len(shape) > 1, len(shape) > 2
        leading = (strides[-1] if strides else columns) if two else None
        plane_stride = (strides[0] if strides else shape[1] * columns) if three else None
        return BufferTerms(
            shown, base, ELEMENT_BYTES[d.element], shape[-2] if two else None, leading, columns, d.access, d.align,
            planes=shape[0] if three else None, plane_stride=plane_stride,
        )

    def _aliases(self, buffers: dict[str, BufferTerms]) -> frozenset[frozenset[str]]:
        pairs = set()
        for pair in self.request.may_alias:
            shown = [self.display[self._named(f"--may-alias {','.join(pair)}", name)] for name in pair]
            for name in shown:
                if name not in buffers:
                    raise BadInput(f"--may-alias {','.join(pair)}: {name} is not a pointer")
            if shown[0] == shown[1]:
                raise BadInput(f"--may-alias {','.join(pair)}: both are {shown[0]}")
            pairs.add(frozenset(shown))
            self.said.append(f"{shown[0]} and {shown[1]} may overlap")
        if len(buffers) > 1:
            others = " but those named above" if pairs else ""
            self.said.append(f"different buffers do not overlap{others}: {', '.join(buffers)}")
        return frozenset(pairs)


    def _sources(self, buffers: dict[str, BufferTerms]) -> dict[str, Source]:
        elements = {self.display[self.spellings[d.name]]: d.element for d in self.declared}
        facts = [(self.display[self._named(f"--fact {t}", spoken_buffer(t))], t) for t in self.request.facts]
        self.said += [f"--fact {text}" for _, text in facts]
        if facts:
            self.said.append("what facts speak of is changed by nobody else during the launch")
        return sources(buffers, elements, facts, self.names)

    def _outputs(self, buffers: dict[str, BufferTerms]) -> tuple[str, ...]:
        """The buffers whose every element must be written."""
        found: dict[str, None] = {}
        for text in self.request.covers:
            shown = self.display[self._named(f"--covers {text}", text)]
            if shown not in buffers or buffers[shown].columns is None:
                raise BadInput(f"--covers {text}: its extents are not known (--buffer {text}=f32[n]:w, for example)")
            if "w" not in buffers[shown].access:
                raise BadInput(f"--covers {text}: it is declared read-only")
            found[shown] = None
        return tuple(found)


def _number(size: Size) -> int | None:
    return size if isinstance(size, int) else None


def _kind(param: Param) -> str:
    """A parameter's declared type."""
    if param.elements is None:
        return f".{param.type}"
    return f"a structure of {param.elements * type_width(param.type) // 8} bytes"
