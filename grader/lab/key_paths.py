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
    """A position in a document: the keys that are written there, its line (from 1) and its column (from 0)."""

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
        is_tag = part in within.get("discriminator", {}).get("mapping", {}) or _is_chosen_by_shape(within)
        within = _step(within, part)
        if tagged and is_tag:
            continue
        found = node.positions.get(part) if isinstance(node, (MarkedDict, MarkedList)) else None
        if found is None:
            if depth == len(location) - 1 and isinstance(node, MarkedDict):
                keys.append(part)
            continue
        line, column = found
        keys.append(node.written.get(part, part))
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
    """Follow references, and a choice of which just one has keys: between keys and null, or keys and text."""
    while True:
        choices = [choice for choice in node.get("anyOf", ()) if choice.get("type") != "null"]
        with_keys = [choice for choice in choices if "$ref" in choice or "properties" in choice]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
        elif len(choices) == 1:
            node = choices[0]
        elif len(with_keys) == 1:
            node = with_keys[0]
        else:
            return node


def _is_chosen_by_shape(node: Mapping[str, Any]) -> bool:
    """Return whether this is a union of, for example, a word and a model: its tags are in no key of the document."""
    return "oneOf" in node and "discriminator" not in node


def _step(node: Mapping[str, Any], part: int | str) -> Mapping[str, Any]:
    mapping = node.get("discriminator", {}).get("mapping", {})
    if _is_chosen_by_shape(node):
        # Only one of them has keys of its own.
        return next((child for child in node["oneOf"] if "$ref" in child), {})
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
