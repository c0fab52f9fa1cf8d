"""The JSON schema of specs as people write them: with `for`, and names of parameters instead of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grader.lab.parameters import FOR, MAPPINGS, NAME, PARAMETER, SEQUENCES
from grader.model.spec.lab import Spec

Schema = dict[str, Any]

_REFERENCE = "#/$defs/"
_FILLED_IN = {"$ref": f"{_REFERENCE}FilledIn"}
_DEFINITIONS: Schema = {
    "FilledIn": {
        "description": "Text in which the names of parameters in braces are replaced by their values.",
        "type": "string",
        "pattern": PARAMETER.pattern,
    },
    "Parameters": {
        "description": "Parameters and their values; the part is generated for each combination.",
        "type": "object",
        "patternProperties": {
            f"^{NAME.pattern}$": {"type": "array", "items": {"type": ["string", "number"]}, "minItems": 1}
        },
        "additionalProperties": False,
        "minProperties": 1,
    },
}


def spec_schema() -> Schema:
    """Return the schema of specs. In parts that `for` may generate, each value may be text with a parameter."""
    schema = Spec.model_json_schema()
    definitions = schema["$defs"]
    parts = [*_generated_parts(schema)]
    for name in _reachable(parts, definitions):
        for key, value in definitions[name].get("properties", {}).items():
            definitions[name]["properties"][key] = _may_be_filled_in(value)
    for name in parts:
        definitions[name]["properties"][FOR] = {"$ref": f"{_REFERENCE}Parameters"}
    for section in MAPPINGS:
        by_pattern = schema["properties"][section]["patternProperties"]
        (part,) = by_pattern.values()
        by_pattern[PARAMETER.pattern] = part
    plotted = definitions["Plot"]["properties"]
    names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    plotted["cases"] = {"anyOf": [plotted["cases"], names]}
    # What they leave out comes from the defaults.
    del definitions["RunLimits"]["required"]
    definitions.update(_DEFINITIONS)
    return schema


def _generated_parts(schema: Schema) -> Iterator[str]:
    """Yield the names of the definitions of inputs, cases, checks, comparisons and plots."""
    for section in (*MAPPINGS, *SEQUENCES):
        yield from _references(schema["properties"][section])


def _references(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if "$ref" in node:
            yield node["$ref"].removeprefix(_REFERENCE)
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _reachable(names: list[str], definitions: Schema) -> dict[str, None]:
    found: dict[str, None] = {}
    pending = [*names]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = None
            pending += _references(definitions[name])
    return found


def _may_be_filled_in(node: Schema) -> Schema:
    """Return the schema of a value that may also be text with a parameter, if it is not any text already."""
    if node.get("type") == "array" and "items" in node:
        return {**node, "items": _may_be_filled_in(node["items"])}
    if node.get("type") == "object" and "patternProperties" in node:
        values = {pattern: _may_be_filled_in(value) for pattern, value in node["patternProperties"].items()}
        return {**node, "patternProperties": values}
    if "anyOf" in node:
        return {**node, "anyOf": [_may_be_filled_in(choice) for choice in node["anyOf"]]}
    # A constant tells which kind of part it is.
    is_narrow = node.get("type") in ("integer", "number", "boolean") or {"enum", "pattern"} & node.keys()
    return {"anyOf": [node, _FILLED_IN]} if is_narrow and "const" not in node else node
