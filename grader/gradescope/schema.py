"""results.json as we write it, from Gradescope's public documentation (Autograder Specifications)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from grader.model.base import Model
from grader.model.spec.rubric import Visibility

OUTPUT_CHARS = 20_000
"""The limit of one output. The platform cuts longer ones than 100,000 in their middle."""

REPORT_KEY = "iolab_grader"
"""The key of `extra_data` with what the next run of the same student needs (`LastResult`)."""

FAULTS_KEY = "iolab_grader_faults"
"""The key of `extra_data` with the times of submissions whose runs failed because of us; no limit counts them."""

OutputFormat = Literal["text", "html", "simple_format", "md", "ansi"]


def _is_shown_whole(text: str) -> str:
    if "\0" in text:
        raise ValueError("NUL, which the platform cannot show")
    if len(text) > OUTPUT_CHARS:
        raise ValueError(f"{len(text):,} characters, more than {OUTPUT_CHARS:,}")
    return text


Output = Annotated[str, AfterValidator(_is_shown_whole)]


class TestResult(Model):
    """One test on the platform's page; without `score` it has no points there, without `status` no colour."""

    __test__ = False  # the platform's name; pytest must not collect it

    name: Output
    number: str
    score: float | None = None
    max_score: float | None = None
    status: Literal["passed", "failed"] | None = None
    output: Output = ""
    output_format: OutputFormat = "md"
    name_format: OutputFormat = "text"
    tags: tuple[str, ...] = ()
    visibility: Visibility = "visible"
    extra_data: Mapping[str, Any] = Field(default_factory=dict)


class LeaderboardRow(Model):
    """A figure that a class compares; `order` says which end is best."""

    name: Output
    value: float
    order: Literal["asc", "desc"]


class ResultsJson(Model):
    """The whole file.

    `score` overrides the sum of the tests'. Without either the platform shows no
    score, as it must after a fault of ours.
    """

    score: float | None = None
    execution_time: float | None = None
    output: Output = ""
    output_format: OutputFormat = "md"
    test_output_format: OutputFormat = "md"
    test_name_format: OutputFormat = "text"
    visibility: Visibility = "visible"
    stdout_visibility: Visibility = "hidden"
    extra_data: Mapping[str, Any] = Field(default_factory=dict)
    tests: tuple[TestResult, ...] = ()
    leaderboard: tuple[LeaderboardRow, ...] = ()

    def to_json(self) -> bytes:
        """Return the file's content, in UTF-8, without the fields that are not set."""
        return self.model_dump_json(exclude_none=True, indent=1).encode("utf-8") + b"\n"
