"""The body of a function: scopes, labels, instructions, source positions.

Source: PTX ISA 4.3 (statements), 9.7.13.1 (`{}`), 11.3 (control flow directives), 11.5 (debugging directives).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from spec.ptx.ast import Instr, Label, Param, Prototype, Reg, SourceLoc, Statement, Sym, Variable
from spec.ptx.carry import CARRY, uses_carry, with_carry
from spec.ptx.lexer import DIRECTIVE, END, NAME, Tokens
from spec.ptx.parser_constants import read_count
from spec.ptx.parser_decls import (
    SPACES,
    Declared,
    read_names,
    read_type,
    read_variables,
)
from spec.ptx.parser_names import (
    BRANCH_TARGETS,
    CALL_TARGETS,
    FUNCTION,
    LABEL,
    PREDEFINED,
    PROTOTYPE,
    REGISTER,
    VARIABLE,
    Budget,
    Scopes,
    is_plain,
)
from spec.ptx.parser_operands import OperandReader
from spec.ptx.parser_params import read_directives, read_params, read_pragma

DEEPEST_SCOPE: Final = 64  # of nested braces; a look-up walks through them
MOST_CALLS: Final = 8  # inside each other, that a source position is followed through
_LABEL_KINDS: Final = {
    ".branchtargets": BRANCH_TARGETS, ".calltargets": CALL_TARGETS, ".callprototype": PROTOTYPE,
}  # fmt: skip
_OPCODE: Final = re.compile(r"[a-z][a-z0-9_]*(?:(?:\.|::)\w+)*", re.ASCII)


class BodyReader:
    """Reads one body into its lists; `registers` and `directives` are those of the head and grow."""

    def __init__(
        self,
        tokens: Tokens,
        scopes: Scopes,
        budget: Budget,
        labels: dict[int, list[int]],
        files: dict[int, str],
        registers: dict[str, str],
        directives: dict[str, tuple[int, ...]],
    ) -> None:
        self.tokens, self.scopes, self.budget = tokens, scopes, budget
        self.labels, self.files = labels, files
        self.registers, self.directives = registers, directives
        self.variables: list[Variable] = []
        self.statements: list[Statement] = []
        self.branch_targets: dict[str, tuple[str, ...]] = {}
        self.call_targets: dict[str, tuple[str, ...]] = {}
        self.prototypes: dict[str, Prototype] = {}
        self._reader = OperandReader(tokens, scopes)
        self._source: SourceLoc | None = None
        self._calls: dict[SourceLoc, SourceLoc] = {}

    def read(self, name: str) -> None:
        """The whole body, from its `{` to its `}`; the scope of the parameters is open already."""
        tokens = self.tokens
        opening = tokens.at
        self._open(new_scope=False)
        depth = 1
        while depth:
            if tokens.text == "}":
                tokens.take()
                self.scopes.leave()
                depth -= 1
            elif tokens.text == "{":
                if depth >= DEEPEST_SCOPE:
                    raise tokens.error(f"scopes are nested deeper than {DEEPEST_SCOPE}")
                self._open(new_scope=True)
                depth += 1
            elif tokens.kind == END:
                raise tokens.error(f"body of {name!r} is not closed; expected '}}'", opening)
            else:
                self._statement()

    def _open(self, *, new_scope: bool) -> None:
        """Open a scope and declare its labels, which may be named before they stand."""
        tokens = self.tokens
        if new_scope:
            self.scopes.enter()
        for at in self.labels.get(tokens.at, ()):
            name = tokens.texts[at]
            if not is_plain(name) or name in PREDEFINED:
                raise tokens.error(f"{name!r} cannot be a label", at)
            if tokens.texts[at + 2] not in _LABEL_KINDS:
                self._declare(Declared(name, at), LABEL)
        tokens.take()

    def _declare(self, declared: Declared, kind: str, type_name: str = "") -> str:
        known = self.scopes.declared_here(declared.name)
        if known is not None:
            message = f"{declared.name!r} is already declared in this scope as a {known.kind}"
            raise self.tokens.error(message, declared.at)
        return self.scopes.declare(declared.name, kind, type_name)

    # --- statements ---------------------------------------------------------------------------------------------

    def _statement(self) -> None:
        tokens = self.tokens
        if tokens.kind == DIRECTIVE:
            self._directive()
        elif tokens.text == "@":
            self._instruction()
        elif tokens.kind == NAME:
            if tokens.texts[tokens.at + 1] == ":":
                self._label()
            else:
                self._instruction()
        else:
            raise tokens.error(f"expected a statement, found {tokens.shown()}")

    def _directive(self) -> None:
        tokens = self.tokens
        word = tokens.text
        if word == ".loc":
            self._loc()
        elif word == ".reg":
            self._registers()
        elif word == ".pragma":
            tokens.take()
            for text in read_pragma(tokens):
                self.directives[f'pragma "{text}"'] = ()
        elif word in SPACES:
            self._variables()
        else:
            raise tokens.error(f"directive {word!r} does not stand in the body of a function")

    def _registers(self) -> None:
        tokens = self.tokens
        tokens.take()
        if tokens.text in (".v2", ".v4", ".v8"):
            raise tokens.error("vector registers are not supported; declare one register for each component")
        type_name = read_type(tokens, registers=True)
        while True:
            for declared in read_names(tokens, self.budget, "a register"):
                if declared.dims:
                    raise tokens.error(f"register {declared.name!r} cannot be an array", declared.at)
                self.registers[self._declare(declared, REGISTER, type_name)] = type_name
            if not tokens.accept(","):
                break
        tokens.expect_semicolon("a '.reg' declaration")

    def _variables(self) -> None:
        def declare(declared: Declared, _type: str) -> str:
            return self._declare(declared, VARIABLE)

        found = read_variables(self.tokens, self.budget, "", declare, self.scopes.find)
        self.variables.extend(found)

    def _loc(self) -> None:
        """`.loc file line column {, function_name label {+ offset}, inlined_at file line column}`."""
        tokens = self.tokens
        tokens.take()
        place = self._position()
        if not tokens.accept(","):
            self._source = place
            self._calls[place] = place
            return
        tokens.expect("function_name", "after ',' in a '.loc'")
        tokens.expect_kind(NAME, "the label of a function's name")
        if tokens.accept("+"):
            read_count(tokens, "the offset of a function's name", 0)
        tokens.expect(",", "after the function's name in a '.loc'")
        tokens.expect("inlined_at", "after the function's name in a '.loc'")
        call = self._position()
        # Of nested calls the outer one was described by the `.loc` of its own place before.
        outer = self._calls.get(call, call)
        self._source = replace(place, inlined_at=outer if len(outer.places) < MOST_CALLS else call)
        self._calls[place] = self._source

    def _position(self) -> SourceLoc:
        tokens = self.tokens
        at = tokens.at
        index = read_count(tokens, "a file index", 0)
        if index not in self.files:
            message = f"file {index} is not declared; expected a '.file {index}' in this module"
            # Compilers write these directives at the end, so that they are what a file that was cut off lacks first.
            raise tokens.error(message if self.files else f"{message}, often at its end: is the file whole?", at)
        line = read_count(tokens, "a line of a '.loc'", 0)
        column = read_count(tokens, "a column of a '.loc'", 0)
        return SourceLoc(self.files[index], line, column)

    # --- labels -------------------------------------------------------------------------------------------------

    def _label(self) -> None:
        tokens = self.tokens
        line = tokens.line
        declared = Declared(tokens.text, tokens.at)
        tokens.at += 2
        if (kind := _LABEL_KINDS.get(tokens.text)) is not None:
            name = self._declare(declared, kind)  # from here on: unlike a label, a list is named after it stands
        elif (entry := self.scopes.declared_here(declared.name)) is not None:
            name = entry.operand.name
        else:  # _open declared every other name before ':' of this scope
            raise tokens.error(f"{declared.name!r} cannot be a label", declared.at)
        if tokens.text == ".branchtargets":
            self.branch_targets[name] = self._targets(LABEL)
        elif tokens.text == ".calltargets":
            self.call_targets[name] = self._targets(FUNCTION)
        elif tokens.text == ".callprototype":
            self.prototypes[name] = self._prototype()
        else:
            self.statements.append(Label(name, line))

    def _targets(self, kind: str) -> tuple[str, ...]:
        tokens = self.tokens
        word = tokens.take()
        found = [self._target(kind)]
        while tokens.accept(","):
            found.append(self._target(kind))
        tokens.expect_semicolon(f"'{word}'")
        return tuple(found)

    def _target(self, kind: str) -> str:
        """The unique name of a label, or of a function."""
        tokens = self.tokens
        if tokens.kind != NAME:
            raise tokens.error(f"expected a {kind}, found {tokens.shown()}")
        entry = self.scopes.find(tokens.text)
        if entry is None:
            where = "in this scope" if kind == LABEL else "before this line"
            raise tokens.error(f"{kind} {tokens.text!r} is not defined {where}")
        if entry.kind != kind:
            raise tokens.error(f"expected a {kind}; {tokens.text!r} is a {entry.kind}")
        tokens.take()
        return entry.operand.name

    def _prototype(self) -> Prototype:
        tokens = self.tokens
        tokens.take()

        def declare(declared: Declared, param: Param) -> str:
            return declared.name

        returns = read_params(tokens, declare, "the results of a '.callprototype'") if tokens.text == "(" else ()
        tokens.expect("_", "for the name of a '.callprototype'")
        params = read_params(tokens, declare, "a '.callprototype'") if tokens.text == "(" else ()
        directives: dict[str, tuple[int, ...]] = {}
        read_directives(tokens, directives, kernel=False)
        tokens.expect_semicolon("a '.callprototype'")
        return Prototype(params, returns, directives)

    # --- instructions -------------------------------------------------------------------------------------------

    def _instruction(self) -> None:
        tokens = self.tokens
        guard: Reg | None = None
        negated = False
        line = tokens.line
        if tokens.accept("@"):
            negated = tokens.accept("!")
            guard = self._reader.predicate("a guard")
            line = tokens.line
        opcode = tokens.text
        if tokens.kind != NAME or not _OPCODE.fullmatch(opcode):
            raise tokens.error(f"expected an instruction, found {tokens.shown()}")
        tokens.take()
        while tokens.kind == DIRECTIVE:  # `mov .u32`: white space may stand before a part
            opcode += tokens.take()
        base = opcode.partition(".")[0]
        if base == "bra":
            operands = self._reader.operands(base) if tokens.text == ";" else (Sym(self._target(LABEL)),)
        else:
            operands = self._reader.operands(base)
        tokens.expect_semicolon(f"'{opcode}'")
        if uses_carry(opcode):
            operands = with_carry(opcode, operands)
            self.registers[CARRY] = "pred"
        self.statements.append(Instr(opcode, operands, guard, negated, line, self._source))
