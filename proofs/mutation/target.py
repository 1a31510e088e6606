"""What is mutated: one entry under the flags of `fltc check`, or a kernel of this project under its contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from proofs.check.declarations import declaration
from proofs.check.entries import entries
from proofs.check.flags import problem_of
from proofs.check.request import CheckRequest
from proofs.contract import contract_problem
from proofs.problem import Problem
from proofs.ptxas import architecture_for
from spec.contracts import STEMS, contracts_of
from spec.contracts.model import Contract
from spec.errors import BadInput
from spec.ptx.ast import Module
from spec.ptx.parser import parse

_GIVEN = ("block", "grid", "assumes", "buffers", "names", "may_alias", "facts", "covers", "hints")


@dataclass(frozen=True)
class Target:
    """One entry to mutate.

    Args:
        request: the file and the flags.
        stem: of the contract that the entry is under; '' where the flags say what is assumed.
    """

    request: CheckRequest
    stem: str = ""

    @cached_property
    def module(self) -> Module:
        return parse(self.request.text, name=self.request.path)

    @cached_property
    def entry(self) -> str:
        """The entry's name. BadInput where the file has several and none is named."""
        found = entries(self.module, self.request)
        if len(found) > 1:
            names = ", ".join(f.name for f in found)
            raise BadInput(f"{self.request.path}: {len(found)} entries; choose one with --entry: {names}")
        return found[0].name

    @property
    def contract(self) -> Contract | None:
        return contracts_of(self.stem)[0] if self.stem else None

    @property
    def architecture(self) -> str:
        return architecture_for(self.module.target[0])

    @property
    def elements(self) -> Mapping[str, str]:
        """Element types of the buffers."""
        if self.contract is not None:
            return {b.name: b.element for b in self.contract.buffers}
        return {d.name: d.element for d in map(declaration, self.request.buffers)}

    def problem(self, module: Module) -> Problem:
        """The problem that a text poses. BadInput where flags or contract do not fit it any more."""
        if self.contract is not None:
            return contract_problem(self.contract, module)
        try:
            return problem_of(self.request, module, module.entry(self.entry))
        except KeyError as error:
            raise BadInput(str(error.args[0])) from None

    @property
    def key(self) -> str:
        """A digest of everything but the text that a verdict depends on."""
        said = (self.stem, self.request.entry, self.request.allow_exited, self.request.effort)
        flags = tuple(getattr(self.request, name) for name in _GIVEN)
        return sha256(repr((said, flags)).encode()).hexdigest()


def target_of(request: CheckRequest) -> Target:
    """An entry without any flag that says what is assumed is under the contract that names it, if one does."""
    if not any(getattr(request, name) for name in _GIVEN):
        names = {f.name for f in entries(parse(request.text, name=request.path), request)}
        for stem in STEMS:
            if names == {contract.entry for contract in contracts_of(stem)}:
                return Target(request, stem)
    return Target(request)
