"""A value against a JSON schema, as far as ours use the language (draft 2020-12): what does not fit, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float), 
    "null": (type(None),),
}  # fmt: skip
KNOWN = {
    "$schema", "$defs", "title", "description", "type", "required", "additionalProperties", "properties", "items",
    "const", "enum", "anyOf", "not", "minimum", "minItems", "maxItems", "$ref",
}  # fmt: skip


def misfits(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], at: str = "$") -> Iterator[str]:
    """Each place that does not fit. AssertionError for a keyword that is not known here: nothing is passed over."""
    assert schema.keys() <= KNOWN, f"unknown keywords {schema.keys() - KNOWN}"
    if "$ref" in schema:
        yield from misfits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and (not isinstance(value, TYPES[schema["type"]]) or isinstance(value, bool)):
        yield f"{at}: {value!r} is no {schema['type']}"
        return
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{at}: {value} is below {schema['minimum']}"
    if "anyOf" in schema and all(list(misfits(value, s, root, at)) for s in schema["anyOf"]):
        yield f"{at}: fits none of the alternatives: {[list(misfits(value, s, root, at))[:2] for s in schema['anyOf']]}"
    if "not" in schema and not list(misfits(value, schema["not"], root, at)):
        yield f"{at}: fits what it must not"
    if isinstance(value, dict):
        yield from _members(value, schema, root, at)
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{at}: {len(value)} items"
        for i, item in enumerate(value):
            yield from misfits(item, schema.get("items", {}), root, f"{at}[{i}]")


def _members(value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], at: str) -> Iterator[str]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
    yield from (f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value)
    for name, item in value.items():
        if name in properties:
            yield from misfits(item, properties[name], root, f"{at}.{name}")
        elif rest is False:
            yield f"{at}: {name} is not in the schema"
        else:
            yield from misfits(item, rest, root, f"{at}.{name}")
