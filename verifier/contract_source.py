"""Whether contract.json is the contract that the host checks launches against.

The Python source of the contract is read as data: its syntax tree, constants and calls of the contract's own classes
evaluated, nothing imported or run.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verifier.findings import Finding, Grade
from verifier.manifest import Bundle

MODEL = "spec/contracts/model.py"
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
Fields = dict[str, list[tuple[str, Any]]]


class NotData(Exception):
    """A construct that is more than data."""


def check_source(root: Path, bundle: Bundle) -> list[Finding]:
    """Compare contract.json with spec/contracts/<stem>.py."""
    name = f"spec/contracts/{bundle.stem}.py"
    try:
        fields = _classes(ast.parse((root / MODEL).read_text(encoding="utf-8")))
        contracts = _contracts(ast.parse((root / name).read_text(encoding="utf-8")), fields)
    except OSError:
        return [Finding(bundle.path("contract.json"), f"{name} is not here to compare with", Grade.UNDECIDED)]
    except (SyntaxError, NotData, UnicodeDecodeError) as error:
        return [Finding(name, f"cannot be read as data: {error}", Grade.UNREADABLE)]
    found = []
    for entry in sorted(contracts.keys() | bundle.contract_data.keys()):
        stated, source = bundle.contract_data.get(entry), contracts.get(entry)
        if stated is None or source is None:
            found.append(Finding(bundle.path("contract.json"), f"{entry} stands only {'here' if stated else name}"))
            continue
        for key in sorted(stated.keys() | source.keys()):
            if stated.get(key) != source.get(key):
                message = f"{entry}: {key} is {stated.get(key)!r}, in {name} it is {source.get(key)!r}"
                found.append(Finding(bundle.path("contract.json"), message))
    return found


def _classes(tree: ast.Module) -> Fields:
    """Field names and defaults of the dataclasses, in order."""
    found: Fields = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            given = [s for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
            found[node.name] = [(s.target.id, _default(s.value)) for s in given if isinstance(s.target, ast.Name)]
    return found


def _default(value: ast.expr | None) -> Any:
    if value is None:
        return NotData
    if isinstance(value, ast.Call):
        return {}
    return _plain(ast.literal_eval(value))


def _contracts(tree: ast.Module, fields: Fields) -> dict[str, Any]:
    """`CONTRACTS` of a module, by entry, as JSON holds it."""
    names: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(id=name)], value):
                names[name] = _value(value, names, fields)
            case ast.AnnAssign(ast.Name(id=name), _, ast.expr() as value):
                names[name] = _value(value, names, fields)
            case ast.ImportFrom() | ast.Import() | ast.Expr(ast.Constant()):
                continue
            case _:
                raise NotData(f"line {node.lineno}: more than an assignment")
    return {contract["entry"]: contract for contract in names.get("CONTRACTS", [])}


def _value(node: ast.expr, names: Mapping[str, Any], fields: Fields) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Tuple(parts) | ast.List(parts):
            return [_value(part, names, fields) for part in parts]
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            return {_value(k, names, fields): _value(v, names, fields) for k, v in pairs if k is not None}
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand, names, fields)
        case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_value(left, names, fields), _value(right, names, fields))
        case ast.JoinedStr(parts):
            return "".join(_value(part, names, fields) for part in parts)
        case ast.FormattedValue(value, -1, None):
            return str(_value(value, names, fields))
        case ast.Call(ast.Name(id=kind), args, keywords) if kind in fields:
            return _object(kind, args, keywords, names, fields)
    raise NotData(f"line {node.lineno}: {ast.unparse(node)[:60]}")


def _object(
    kind: str, args: list[ast.expr], keywords: list[ast.keyword], names: Mapping[str, Any], fields: Fields
) -> dict[str, Any]:
    given = {name: default for name, default in fields[kind] if default is not NotData}
    for (name, _), value in zip(fields[kind], args, strict=False):
        given[name] = _value(value, names, fields)
    for keyword in keywords:
        if keyword.arg is None:
            raise NotData(f"{kind}(**...)")
        given[keyword.arg] = _value(keyword.value, names, fields)
    if set(given) != {name for name, _ in fields[kind]}:
        raise NotData(f"{kind} with fields {sorted(given)}")
    return given


def _plain(value: Any) -> Any:
    """As JSON holds it: tuples are lists."""
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
