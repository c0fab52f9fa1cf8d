"""Find a path of keys in a document and in a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from grader.lab.marked_yaml import MarkedDict, MarkedList
from grader.model.base import Model

KeyPath = tuple[int | str, ...]

KEY_MARK = "[key]"
"""What pydantic appends to the location of a key that is itself invalid."""


@dataclass(frozen=True)
class DocumentPosition:
    """A position in a document: the keys that lead there, its line (from 1) and its column (from 0)."""

    keys: KeyPath
    line: int
    column: int


def locate(document: MarkedDict, location: KeyPath, model: type[Model], *, tagged: bool) -> DocumentPosition:
    """Return the part of a location that is in the document, with a missing last key.

    pydantic's locations are `tagged`: they also hold the tags of unions, which are values, not keys; they are
    skipped, and so is the mark that a key itself is wrong.
    """
    if tagged and location[-1:] == (KEY_MARK,):
        location = location[:-1]
    node: Any = document
    schema = _schema(model)
    within: Mapping[str, Any] = schema
    line, column = 0, 0
    keys: list[int | str] = []
    for depth, part in enumerate(location):
        within = _resolve(within, schema)
        is_tag = tagged and part in within.get("discriminator", {}).get("mapping", {})
        within = _step(within, part)
        if is_tag:
            continue
        found = node.positions.get(part) if isinstance(node, (MarkedDict, MarkedList)) else None
        if found is None:
            if depth == len(location) - 1 and isinstance(node, MarkedDict):
                keys.append(part)
            continue
        line, column = found
        keys.append(part)
        node = node[part]
    return DocumentPosition(tuple(keys), line + 1, column)


def keys_at(location: KeyPath, model: type[Model]) -> list[str]:
    """Return the keys that are allowed at a location, read from the JSON schema."""
    schema = _schema(model)
    node: Mapping[str, Any] = schema
    for part in location:
        node = _step(_resolve(node, schema), part)
    return sorted(_resolve(node, schema).get("properties", {}))


@cache
def _schema(model: type[Model]) -> Mapping[str, Any]:
    return model.model_json_schema()


def _resolve(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node or "anyOf" in node:
        # A key may also be null, or text instead of keys.
        with_keys = (one for one in node.get("anyOf", ()) if "$ref" in one or "properties" in one)
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]] if "$ref" in node else next(with_keys, {})
    return node


def _step(node: Mapping[str, Any], part: int | str) -> Mapping[str, Any]:
    mapping = node.get("discriminator", {}).get("mapping", {})
    if part in mapping:
        return {"$ref": mapping[part]}
    if part in node.get("properties", {}):
        found: Mapping[str, Any] = node["properties"][part]
        return found
    # Keys with a pattern (names) come as patternProperties, other mappings as additionalProperties.
    children = [
        *node.get("patternProperties", {}).values(),
        node.get("additionalProperties"),
        node.get("items"),
    ]
    return next((child for child in children if isinstance(child, Mapping)), {})
