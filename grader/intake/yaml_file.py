"""YAML that people write: a mistake is told with file, line, key path and the key that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from grader.errors import SpecError
from grader.model.base import Model
from grader.model.spec import MisfitError

KeyPath = tuple[int | str, ...]
Content = TypeVar("Content", bound=Model)


@dataclass(frozen=True)
class YamlFile(Generic[Content]):
    """A file's content as a model; its lines are still known, for what turns out not to fit later."""

    path: Path
    content: Content
    document: CommentedMap

    def misfit(self, cause: MisfitError) -> SpecError:
        """Return the error that tells a misfit with its line."""
        return _explain_misfit(cause, self.document, self.path, type(self.content))


def read_yaml(path: Path, model: type[Content], *, example: str) -> YamlFile[Content]:
    """Read a file and check it against a model; `example` are some of its keys, as a message shows them.

    Raises:
        SpecError: the file cannot be read, is not YAML, or does not say what the model asks for.
    """
    document = _parse(path, example)
    try:
        return YamlFile(path, model.model_validate(document), document)
    except ValidationError as error:
        raise _explain(_most_telling(error.errors()), document, path, model) from error


def _parse(path: Path, example: str) -> CommentedMap:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", path=path) from error
    try:
        # The round-trip loader is the one that remembers lines.
        document = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise SpecError(f"not valid YAML: {error.problem or error.context}", path=path, line=line) from error
    except YAMLError as error:
        raise SpecError(f"not valid YAML: {error}", path=path) from error
    if not isinstance(document, CommentedMap):
        raise SpecError(f"expected keys and values ({example}) at the top", path=path, line=1)
    return document


def _most_telling(errors: Sequence[ErrorDetails]) -> ErrorDetails:
    # A misspelt key shows twice: as a key too many and as one that is missing. The first is what was written.
    return next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])


def _explain(error: ErrorDetails, document: CommentedMap, path: Path, model: type[Model]) -> SpecError:
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, MisfitError):
        return _explain_misfit(cause, document, path, model)
    keys, line = _locate(document, error["loc"], model, tagged=True)
    return SpecError(_message(error, model), path=path, line=line, key_path=_dotted(keys))


def _explain_misfit(cause: MisfitError, document: CommentedMap, path: Path, model: type[Model]) -> SpecError:
    location: KeyPath = tuple(int(part) if part.isdigit() else part for part in cause.key_path.split("."))
    keys, line = _locate(document, location, model, tagged=False)
    message = f"{cause}{_perhaps(cause.wanted, cause.known)}"
    return SpecError(message, path=path, line=line, key_path=_dotted(keys))


def _dotted(keys: KeyPath) -> str:
    return ".".join(str(key) for key in keys)


def _message(error: ErrorDetails, model: type[Model]) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            key = str(error["loc"][-1])
            known = _keys_at(error["loc"][:-1], model)
            return f"unknown key {key!r}{_perhaps(key, known)}"
        case "missing":
            return f"the key {error['loc'][-1]!r} is missing"
        case "union_tag_invalid":
            known = context["expected_tags"].replace("'", "").split(", ")
            return f"{context['tag']!r} is not one of {', '.join(known)}{_perhaps(context['tag'], known)}"
        case "union_tag_not_found":
            return f"the key {context['discriminator']} is missing"
        case "literal_error":
            known = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
            return f"{error['input']!r} is not one of {', '.join(known)}{_perhaps(str(error['input']), known)}"
        case _:
            return f"{error['msg'].removeprefix('Value error, ')}, found {error['input']!r:.80}"


def _perhaps(wanted: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(wanted, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _locate(document: CommentedMap, location: KeyPath, model: type[Model], *, tagged: bool) -> tuple[KeyPath, int]:
    """Return the part of a location that is in the document, with a missing last key, and its line from 1.

    pydantic's locations are `tagged`: they also hold the tags of unions, which are values and no keys, and are
    passed over.
    """
    node: Any = document
    schema = model.model_json_schema()
    place: Mapping[str, Any] = schema
    line = 0
    keys: list[int | str] = []
    for depth, part in enumerate(location):
        place = _resolve(place, schema)
        is_tag = tagged and part in place.get("discriminator", {}).get("mapping", {})
        place = _step(place, part)
        if is_tag:
            continue
        if isinstance(node, CommentedMap) and part in node:
            line = node.lc.key(part)[0]
        elif isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node):
            line = node.lc.item(part)[0]
        else:
            if depth == len(location) - 1 and isinstance(node, CommentedMap):
                keys.append(part)
            continue
        keys.append(part)
        node = node[part]
    return tuple(keys), line + 1


def _keys_at(location: KeyPath, model: type[Model]) -> list[str]:
    """Return the keys that may stand at a location, read from the JSON schema."""
    schema = model.model_json_schema()
    node: Mapping[str, Any] = schema
    for part in location:
        node = _step(_resolve(node, schema), part)
    return sorted(_resolve(node, schema).get("properties", {}))


def _resolve(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
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
