"""Read YAML that people write and check it against a model, with the lines of what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import ValidationError

from grader.errors import SpecError
from grader.lab.diagnostics import inconsistency_errors, spec_error_from
from grader.lab.marked_yaml import MarkedDict, load_marked
from grader.model.base import Model
from grader.model.spec.inconsistency import InconsistencyError

MAX_BYTES = 10_000_000
"""Size limit of a file, far above what anybody writes by hand."""

Content = TypeVar("Content", bound=Model)


@dataclass(frozen=True)
class YamlFile(Generic[Content]):
    """A file's content as a model, with its lines for what later turns out to be inconsistent."""

    path: Path
    content: Content
    document: MarkedDict

    def error(self, *causes: InconsistencyError) -> SpecError:
        """Return one error for inconsistencies, each with its line."""
        return inconsistency_errors(causes, self.document, self.path, type(self.content))


_UNQUOTED = re.compile(r"(?<![\w\"'{}-])[\w-]+(?:\{[A-Z][A-Z0-9_]*\}[\w-]*)+")
"""A name with a parameter that is not in quotes, within which braces would be part of a list or a mapping."""


def _advice(problem: str, line: str) -> str:
    """Say what is probably meant by a line: the parser's words do not lead to these mistakes."""
    unquoted = _UNQUOTED.search(line)
    if unquoted is not None:
        return f'; write "{unquoted[0]}" in quotes'
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "; the line begins with a tab, and YAML takes only spaces there"
    if problem == "mapping values are not allowed in this context" and line.count(": ") > 1:
        return "; a text that contains ': ' needs quotes"
    if problem == "found character that cannot start any token":
        return "; a text that begins with % , @ or ` needs quotes, and a tab cannot separate words"
    return ""


Expand = Callable[[MarkedDict], tuple[MarkedDict, Sequence[InconsistencyError]]]


def read_yaml(path: Path, model: type[Content], *, example: str, expand: Expand | None = None) -> YamlFile[Content]:
    """Read a file and check it against a model; `example` shows some of its keys in a message.

    `expand` returns the document that is meant by the one in the file, and what is wrong with that.

    Raises:
        SpecError: the file cannot be read, is not YAML, or does not fit the model.
    """
    return _checked(path, _text(path), model, example, expand)


@lru_cache(maxsize=4)
def _checked(path: Path, text: str, model: type[Model], example: str, expand: Expand | None) -> YamlFile[Any]:
    """Commands ask for the same spec more than once, and nobody changes what was read."""
    document = _parse(path, text, example)
    if expand is not None:
        written, (document, mistakes) = document, expand(document)
        if mistakes:
            raise inconsistency_errors(mistakes, written, path, model)
    try:
        return YamlFile(path, model.model_validate(document), document)
    except ValidationError as error:
        raise spec_error_from(error.errors(), document, path, model) from error


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SpecError(f"cannot be read: {error}", path=path) from error
    if len(data) > MAX_BYTES:
        raise SpecError(f"has more than {MAX_BYTES:,} bytes", path=path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data.count(b"\n", 0, error.start)
        raise SpecError("is not UTF-8 text: save it in this encoding", path=path, line=before + 1) from error


def _parse(path: Path, text: str, example: str) -> MarkedDict:
    try:
        document = load_marked(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        # After the last line there is nothing to search.
        written = "".join(text.splitlines()[line - 1 : line]) if line is not None else ""
        problem = f"not valid YAML: {error.problem or error.context}{_advice(str(error.problem), written)}"
        raise SpecError(problem, path=path, line=line) from error
    except yaml.YAMLError as error:
        raise SpecError(f"not valid YAML: {error}", path=path) from error
    if not isinstance(document, MarkedDict):
        raise SpecError(f"expected keys and values ({example}) at the top", path=path, line=1)
    return document
