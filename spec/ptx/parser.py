"""PTX text to the syntax tree: modules and functions.

Strict: a text that this parser accepts has every name declared once and before its use (labels: anywhere in their
scope). Whatever the text, the only error is PtxSyntaxError, and the time is linear in the size of the text.
Source: PTX ISA 4 (syntax), 5, 7.1, 11 (directives).
"""

from __future__ import annotations

import re
from typing import Final

from spec.ptx.ast import Function, Module, Param, Sym, Variable
from spec.ptx.lexer import DIRECTIVE, END, INTEGER, NAME, STRING, Source, Tokens
from spec.ptx.parser_body import BodyReader
from spec.ptx.parser_constants import read_count
from spec.ptx.parser_decls import (
    LINKAGES,
    SPACES,
    Declared,
    read_name,
    read_variables,
)
from spec.ptx.parser_names import FUNCTION, PARAMETER, REGISTER, VARIABLE, Budget, Entry, Scopes
from spec.ptx.parser_params import read_directives, read_params, read_pragma

_TARGET: Final = re.compile(r"sm_[0-9]{2,3}[af]?")
_TARGET_OPTIONS: Final = frozenset(
    {"texmode_unified", "texmode_independent", "texmode_raw", "debug", "map_f64_to_f32"}
)
_VERSION: Final = re.compile(r"[0-9]{1,2}\.[0-9]")
_OLDEST, _NEWEST_MAJOR = (6, 0), 9


def parse(text: str, *, name: str = "<text>") -> Module:
    """The syntax tree of a PTX file; `name` is the file's name in messages.

    Raises:
        PtxSyntaxError: the text is not PTX of version 6.0 to 9.x, or uses a form that is not read.
    """
    return _ModuleReader(Tokens(Source(text, name))).module()


class _ModuleReader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.names: dict[str, Entry] = {}
        self.defined: set[str] = set()
        self.budget = Budget()
        self.functions: list[Function] = []
        self.variables: list[Variable] = []
        self.aliases: dict[str, str] = {}
        self.pragmas: list[str] = []
        self.files = _scan_files(tokens)
        self.labels = _scan_labels(tokens)

    def module(self) -> Module:
        version = self._version()
        target = self._target()
        address_size = self._address_size()
        while self.tokens.kind != END:
            self._declaration()
        return Module(
            version=version, target=target, address_size=address_size, functions=tuple(self.functions),
            variables=tuple(self.variables), files=self.files, aliases=self.aliases, pragmas=tuple(self.pragmas),
            name=self.tokens.source.name, text=self.tokens.source.text,
        )  # fmt: skip

    # --- the head of the file -----------------------------------------------------------------------------------

    def _version(self) -> tuple[int, int]:
        tokens = self.tokens
        tokens.expect(".version", "at the start of the file")
        word = tokens.text
        if not _VERSION.fullmatch(word):
            raise tokens.error(f"expected a version, such as 8.0, found {tokens.shown()}")
        major, minor = map(int, word.split("."))
        if (major, minor) < _OLDEST or major > _NEWEST_MAJOR:
            raise tokens.error(f"PTX version {word} is not read; 6.0 to 9.x are")
        tokens.take()
        return major, minor

    def _target(self) -> tuple[str, ...]:
        tokens = self.tokens
        tokens.expect(".target", "after '.version'")
        found: list[str] = []
        while True:
            word = tokens.text
            if not (_TARGET.fullmatch(word) if not found else word in _TARGET_OPTIONS):
                wanted = f"one of {', '.join(sorted(_TARGET_OPTIONS))}" if found else "an architecture, such as sm_90"
                raise tokens.error(f"expected {wanted}, found {tokens.shown()}")
            found.append(tokens.take())
            if not tokens.accept(","):
                return tuple(found)

    def _address_size(self) -> int:
        tokens = self.tokens
        if not tokens.accept(".address_size"):
            return 32  # PTX ISA 11.1.3
        if tokens.text not in ("32", "64"):
            raise tokens.error(f"expected an address size of 32 or 64, found {tokens.shown()}")
        return int(tokens.take())

    # --- declarations -------------------------------------------------------------------------------------------

    def _declaration(self) -> None:
        tokens = self.tokens
        word = tokens.text
        if word == ".file":
            _skip_file(tokens)
        elif word == ".section":
            _skip_section(tokens)
        elif word == ".pragma":
            tokens.take()
            self.pragmas.extend(read_pragma(tokens))
        elif word == ".alias":
            self._alias()
        elif word in (".version", ".target", ".address_size"):
            raise tokens.error(f"{word!r} stands once, at the start of the file")
        elif word == ".reg":
            raise tokens.error("registers are declared inside functions")
        else:
            self._linked()

    def _linked(self) -> None:
        """A variable or function, with its linkage."""
        tokens = self.tokens
        linkage = tokens.take()[1:] if tokens.text in LINKAGES else ""
        if tokens.text in (".entry", ".func"):
            self.functions.append(self._function(linkage))
        elif tokens.text in SPACES:
            self._variables(linkage)
        elif tokens.kind == DIRECTIVE and not linkage:
            raise tokens.error(f"unknown directive {tokens.text!r}")
        else:
            raise tokens.error(f"expected a variable, '.entry' or '.func', found {tokens.shown()}")

    def _variables(self, linkage: str) -> None:
        tokens = self.tokens
        if tokens.text in (".local", ".param"):
            raise tokens.error(f"{tokens.text!r} variables are declared inside functions")

        def declare(declared: Declared, signature: str) -> str:
            return self.enter(declared, VARIABLE, signature, defines=linkage != "extern")

        self.variables.extend(read_variables(tokens, self.budget, linkage, declare, self.names.get))

    def enter(self, declared: Declared, kind: str, signature: str, *, defines: bool) -> str:
        """Enter a module name; a declaration may be repeated as it was, and defined once."""
        name = declared.name
        known = self.names.get(name)
        if known is not None and (known.kind != kind or name in self.defined):
            raise self.tokens.error(f"{name!r} is already declared as a {known.kind}", declared.at)
        if known is not None and known.type != signature:
            raise self.tokens.error(f"{name!r} was declared with other types before", declared.at)
        if defines:
            self.defined.add(name)
        self.names[name] = Entry(kind, Sym(name), signature)
        return name

    def _alias(self) -> None:
        tokens = self.tokens
        tokens.take()
        name = self._function_name()
        tokens.expect(",", "between the names of an '.alias'")
        self.aliases[name] = self._function_name()
        tokens.expect_semicolon("an '.alias'")

    def _function_name(self) -> str:
        tokens = self.tokens
        entry = self.names.get(tokens.text)
        if entry is None or entry.kind != FUNCTION:
            raise tokens.error(f"{tokens.shown()} is not a function declared before")
        return tokens.take()

    # --- functions ----------------------------------------------------------------------------------------------

    def _function(self, linkage: str) -> Function:
        tokens = self.tokens
        line = tokens.line
        is_entry = tokens.take() == ".entry"
        scopes = Scopes(self.names)
        scopes.enter()
        registers: dict[str, str] = {}

        def declare(declared: Declared, param: Param) -> str:
            if declared.name == "_":
                raise tokens.error("only a call prototype may leave a parameter unnamed", declared.at)
            if scopes.declared_here(declared.name) is not None:
                raise tokens.error(f"parameter {declared.name!r} is declared twice", declared.at)
            kind = REGISTER if param.space == "reg" else PARAMETER
            unique = scopes.declare(declared.name, kind, param.type)
            if kind == REGISTER:
                registers[unique] = param.type
            return unique

        returns: tuple[Param, ...] = ()
        if not is_entry and tokens.text == "(":
            returns = read_params(tokens, declare, "the results")
            if len(returns) > 1 and any(p.space == "param" for p in returns):
                raise tokens.error("several results must be '.reg'", tokens.at - 1)
        at = tokens.at
        name = read_name(tokens, "a kernel" if is_entry else "a function")
        params = read_params(tokens, declare, f"{name!r}", kernel=is_entry) if tokens.text == "(" else ()
        directives: dict[str, tuple[int, ...]] = {}
        read_directives(tokens, directives, kernel=is_entry)
        defines = tokens.text == "{"
        signature = [is_entry, *((p.space, p.type, p.elements, p.align) for p in (*returns, *params)), len(params)]
        self.enter(Declared(name, at), FUNCTION, repr(signature), defines=defines)
        if not defines:
            tokens.expect_semicolon(f"the declaration of {name!r}")
            return Function(
                name, is_entry, params, returns, registers, directives=directives, linkage=linkage, line=line
            )
        body = BodyReader(tokens, scopes, self.budget, self.labels, self.files, registers, directives)
        body.read(name)
        return Function(
            name=name, is_entry=is_entry, params=params, returns=returns, registers=registers,
            variables=tuple(body.variables), body=tuple(body.statements), directives=directives, linkage=linkage,
            branch_targets=body.branch_targets, call_targets=body.call_targets, prototypes=body.prototypes, line=line,
        )  # fmt: skip


# --- looking ahead ----------------------------------------------------------------------------------------------


def _scan_files(tokens: Tokens) -> dict[int, str]:
    """The `.file` directives: they may follow the `.loc` that name them."""
    files: dict[int, str] = {}
    for at, text in enumerate(tokens.texts):
        if text == ".file" and tokens.kinds[at + 1] == INTEGER and tokens.kinds[at + 2] == STRING:
            tokens.at = at + 1
            index = read_count(tokens, "a file index", 0)
            if index in files:
                raise tokens.error(f"file {index} is already declared", at + 1)
            files[index] = tokens.text[1:-1]
    tokens.at = 0
    return files


def _skip_file(tokens: Tokens) -> None:
    """`.file 1 "name", time, size`; the name was read ahead."""
    tokens.take()
    read_count(tokens, "a file index", 0)
    tokens.expect_kind(STRING, "the name of a file")
    if tokens.accept(","):
        read_count(tokens, "the time of a file", 0)
        if tokens.accept(","):
            read_count(tokens, "the size of a file", 0)


def _skip_section(tokens: Tokens) -> None:
    """`.section .debug_info { ... }`: debugging data, without meaning for the program."""
    tokens.take()
    tokens.expect_kind(DIRECTIVE, "the name of a section")
    opening = tokens.at
    tokens.expect("{", "before the data of a section")
    depth = 1
    while depth:
        if tokens.kind == END:
            raise tokens.error("section is not closed; expected '}'", opening)
        depth += {"{": 1, "}": -1}.get(tokens.take(), 0)


def _scan_labels(tokens: Tokens) -> dict[int, list[int]]:
    """For each `{`, by token: the labels right inside it, since a branch may name a label further down.

    A name before `:` is a label everywhere but in `a ? WARP_SZ : b`.
    """
    found: dict[int, list[int]] = {}
    open_braces: list[int] = []
    for at, text in enumerate(tokens.texts):
        if text == "{":
            open_braces.append(at)
        elif text == "}":
            if open_braces:
                open_braces.pop()
        elif text == ":" and open_braces and tokens.kinds[at - 1] == NAME and tokens.texts[at - 1] != "WARP_SZ":
            found.setdefault(open_braces[-1], []).append(at - 1)
    return found
