"""results.json: what Gradescope reads of a run, from its public documentation (Autograder Specifications)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from grader.model.base import Model
from grader.model.spec.rubric import Visibility

OUTPUT_CHARS = 20_000
"""Of one output; the platform itself cuts in the middle at 100,000, wherever that is."""

REPORT_KEY = "iolab_grader"
"""Under which `extra_data` holds what the next run of the same student wants to know of this one (`LastResult`)."""

FAULTS_KEY = "iolab_grader_faults"
"""Under which `extra_data` holds when those hand-ins were made whose run failed through us; no limit counts them."""

OutputFormat = Literal["text", "html", "simple_format", "md", "ansi"]


def _is_shown_whole(text: str) -> str:
    if "\0" in text:
        raise ValueError("NUL, which the platform cannot show")
    if len(text) > OUTPUT_CHARS:
        raise ValueError(f"{len(text):,} characters, more than {OUTPUT_CHARS:,}")
    return text


Output = Annotated[str, AfterValidator(_is_shown_whole)]


class TestResult(Model):
    """One line of the platform's page. Without `score` nothing is said of points, without `status` no colour is."""

    __test__ = False  # its name is the platform's; it is no test of ours

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


class Results(Model):
    """The whole file.

    `score` overrides the sum of the tests'. With neither, the platform shows no score: so a fault of ours is told.
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
        """Return the file's content, in UTF-8; what is not set is not said."""
        return self.model_dump_json(exclude_none=True, indent=1).encode("utf-8") + b"\n"
