"""The fields of results.json as the platform documents them (Autograder Specifications).

Not those of `gradescope/schema.py`, which is how we write the file and is stricter: a stand-in that took our own word
for the format would find no fault in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

Format = Literal["text", "html", "simple_format", "md", "ansi"]
Seen = Literal["hidden", "after_due_date", "after_published", "visible"]


class _Fields(BaseModel):
    # Strict: a number in quotes is no number. What is unknown is told apart from what is wrong.
    model_config = ConfigDict(extra="ignore", strict=True)


class _Test(_Fields):
    score: float = 0
    max_score: float = 0
    status: Literal["passed", "failed"] = "passed"
    name: str = ""
    name_format: Format = "text"
    number: str = ""
    output: str = ""
    output_format: Format = "text"
    tags: list[str] = []
    visibility: Seen = "visible"
    extra_data: dict[str, Any] = {}


class _Row(_Fields):
    name: str
    value: float | str
    order: Literal["asc", "desc"] = "desc"


class _Results(_Fields):
    score: float = 0
    execution_time: float = 0
    output: str = ""
    output_format: Format = "text"
    test_output_format: Format = "text"
    test_name_format: Format = "text"
    visibility: Seen = "visible"
    stdout_visibility: Seen = "visible"
    extra_data: dict[str, Any] = {}
    tests: list[_Test] = []
    leaderboard: list[_Row] = []


def mistakes(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that are not what they should be: "tests[0].status: Input should be 'passed' or 'failed'"."""
    try:
        _Results.model_validate(results)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_context=False):
            yield f"{_place(one['loc'])}: {one['msg']}"


def unknown(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the places of fields that the platform does not know."""
    yield from _unknown("", results, _Results)
    for key, kind in (("tests", _Test), ("leaderboard", _Row)):
        items = results.get(key)
        for number, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                yield from _unknown(f"{key}[{number}].", item, kind)


def _unknown(place: str, value: Mapping[str, Any], kind: type[_Fields]) -> Iterator[str]:
    yield from (f"{place}{key}" for key in value if key not in kind.model_fields)


def _place(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
