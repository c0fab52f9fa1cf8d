"""Whether Gradescope accepts a results.json, by its public documentation (Autograder Specifications).

The models here are not those of `gradescope/schema.py`, which say how we write the file and are stricter. A simulator
that used our own models would find no fault in what we write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, from_json

OUTPUT_CHARS = 100_000
NO_RESULTS: Mapping[str, Any] = {
    "score": 0,
    "output": (
        "The autograder failed to execute correctly. Please ensure that your submission is valid. Contact your "
        "course staff for help in debugging this issue. Make sure to include a link to this page so that they can "
        "help you most effectively."
    ),
}
"""What the platform shows if it cannot read results.json."""

Format = Literal["text", "html", "simple_format", "md", "ansi"]
PlatformVisibility = Literal["hidden", "after_due_date", "after_published", "visible"]


class _Fields(BaseModel):
    # Strict: a number in quotes is not a number.
    model_config = ConfigDict(extra="forbid", strict=True)


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
    visibility: PlatformVisibility = "visible"
    extra_data: dict[str, Any] = {}


class _LeaderboardRow(_Fields):
    name: str
    value: float | str
    order: Literal["asc", "desc"] = "desc"


class _ResultsFile(_Fields):
    score: float = 0
    execution_time: float = 0
    output: str = ""
    output_format: Format = "text"
    test_output_format: Format = "text"
    test_name_format: Format = "text"
    visibility: PlatformVisibility = "visible"
    stdout_visibility: PlatformVisibility = "visible"
    extra_data: dict[str, Any] = {}
    tests: list[_Test] = []
    leaderboard: list[_LeaderboardRow] = []


@dataclass(frozen=True)
class AcceptedResults:
    """The results that the platform shows: those of the file, or NO_RESULTS if the file cannot be read.

    `problem` says why they are not a grade, and is empty if they are one. `mistakes` lists all fields with a wrong
    value, `warnings` the fields that the platform does not know and the outputs that it changes.
    """

    results: Mapping[str, Any]
    problem: str = ""
    mistakes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def accept(raw: bytes | None) -> AcceptedResults:
    """Return what the platform makes of results.json; None: there is none."""
    if raw is None:
        return AcceptedResults(NO_RESULTS, "there is no results.json")
    try:
        results = from_json(decoded(raw), allow_inf_nan=False)
    except ValueError as error:
        return AcceptedResults(NO_RESULTS, f"results.json is not JSON: {error}")
    if not isinstance(results, dict):
        return AcceptedResults(NO_RESULTS, "results.json is not an object")
    errors = list(_errors(results))
    mistakes = tuple(f"{_path(error)}: {error['msg']}" for error in errors if error["type"] != "extra_forbidden")
    unknown = [f"{_path(error)} is unknown to the platform" for error in errors if error["type"] == "extra_forbidden"]
    problem = ""
    if mistakes:
        problem = f"results.json does not have the form that the platform expects: {mistakes[0]}"
    elif "score" not in results and not results.get("tests"):
        problem = "results.json has neither a score nor tests, so there is no score"
    changed = () if mistakes else _changed_outputs(results)
    return AcceptedResults(results, problem, mistakes, (*unknown, *changed))


def decoded(data: bytes) -> str:
    """Return bytes as the platform reads them: invalid UTF-8 and NUL become replacement characters."""
    return data.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _errors(results: Mapping[str, Any]) -> list[ErrorDetails]:
    try:
        _ResultsFile.model_validate(results)
    except ValidationError as error:
        return error.errors(include_url=False, include_context=False)
    return []


def _path(error: ErrorDetails) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    return "".join(parts).lstrip(".")


def _changed_outputs(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning for each output that the platform does not show as it is."""
    outputs = {"output": results.get("output", "")}
    for number, test in enumerate(results.get("tests", [])):
        outputs[f"tests[{number}].output"] = test.get("output", "")
    for path, output in outputs.items():
        if len(output) > OUTPUT_CHARS:
            yield f"{path} has {len(output):,} characters and is cut in its middle"
        if "\0" in output:
            yield f"{path} has NUL in it, which the platform replaces"
