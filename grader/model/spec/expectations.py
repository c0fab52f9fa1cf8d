"""What a case expects of a run: a word, or the exit status and both outputs one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag

from grader.model.base import Model, SpecBytes
from grader.model.spec.line_pattern import pattern_mistake

Unit = Annotated[str, StringConstraints(pattern=r"^\S(.*\S)?$", max_length=40)]


class Number(Model):
    """One number that is followed by `unit`, of which a list gives several spellings; the bounds are included."""

    unit: Unit | Annotated[tuple[Unit, ...], Field(min_length=1)]
    min: float | None = None
    max: float | None = None

    @property
    def units(self) -> tuple[str, ...]:
        """All spellings of the unit."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit


class OutputRule(Model):
    """What an output must be like, in one of these ways.

    `exact`: these bytes. `contains`: these bytes are somewhere in it. `matches`: a line of it matches this regular
    expression, from its beginning to its end. `number`: it has exactly one number with this unit, within bounds.
    """

    exact: SpecBytes | None = None
    contains: Annotated[SpecBytes, Field(min_length=1)] | None = None
    matches: Annotated[str, StringConstraints(min_length=1, max_length=400)] | None = None
    number: Number | None = None


def _kind_of_output(value: object) -> str:
    return "word" if isinstance(value, str) else "rule"


OutputWord = Literal["reference-output", "empty", "any"]
Output = Annotated[
    Annotated[OutputWord, Tag("word")] | Annotated[OutputRule, Tag("rule")], Discriminator(_kind_of_output)
]

ExitStatus = Annotated[int, Field(ge=0, le=255)]


def _kind_of_status(value: object) -> str:
    return "not" if isinstance(value, Mapping) else "word" if value == "any" else "number"


Status = Annotated[
    Annotated[ExitStatus, Tag("number")]
    | Annotated[Literal["any"], Tag("word")]
    | Annotated[Mapping[Literal["not"], ExitStatus], Field(min_length=1), Tag("not")],
    Discriminator(_kind_of_status),
]


class Expected(Model):
    """What a case expects in detail; what it leaves out is not judged, but a run must always end by itself."""

    status: Status = "any"
    stdout: Output = "any"
    stderr: Output = "any"

    def mistakes(self) -> Iterator[tuple[str, str]]:
        """Yield (key path below this, what is wrong) for each rule that cannot be judged."""
        for stream, output in (("stdout", self.stdout), ("stderr", self.stderr)):
            if isinstance(output, OutputRule):
                for key, mistake in _mistakes_of(output):
                    yield f"{stream}{key}", mistake


ExpectationWord = Literal["reference-output", "operand-error", "either"]


def _kind_of_expectation(value: object) -> str:
    return "word" if isinstance(value, str) else "stated"


Expectation = Annotated[
    Annotated[ExpectationWord, Tag("word")] | Annotated[Expected, Tag("stated")],
    Discriminator(_kind_of_expectation),
]


def _mistakes_of(rule: OutputRule) -> Iterator[tuple[str, str]]:
    given = [key for key in type(rule).model_fields if getattr(rule, key) is not None]
    if len(given) != 1:
        yield "", f"needs exactly one of exact, contains, matches and number, and has {len(given)}"
    if rule.matches is not None and (mistake := pattern_mistake(rule.matches)):
        yield ".matches", mistake
    bounds = rule.number
    if bounds is not None and bounds.min is not None and bounds.max is not None and bounds.min > bounds.max:
        yield ".number.min", "is more than max"
