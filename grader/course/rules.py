"""What a course decides: about lateness (course.yaml), and about single students (overrides.yaml)."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator
from typing_extensions import Self

from grader.course.roster import Roster
from grader.course.times import NOT_A_DURATION, NOT_A_TIME, read_duration, read_time, read_zone
from grader.model.base import Model, PathText
from grader.model.spec.inconsistency import InconsistenciesError, InconsistencyError

DECIMALS = 2
"""Decimals that points may have."""

MAX_POINTS = Decimal(1_000_000)
MAX_TEXT_CHARS = 2000
MAX_STUDENTS = 20_000

_TEXT = {"type": "string"}
_NOT_AN_AMOUNT = "expected percent of the score or points, like 10 % or 5 points"


def _number(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise ValueError("expected a number")  # noqa: TRY004 - pydantic reports a ValueError with its place
    try:
        # As it is written: a float's text, not its binary value.
        number = Decimal(str(value).strip())
    except InvalidOperation as error:
        raise ValueError("expected a number") from error
    if not number.is_finite():
        raise ValueError("expected a number")
    return number


def _points(value: object) -> Decimal:
    number = _number(value)
    if not 0 <= number <= MAX_POINTS:
        raise ValueError(f"expected points from 0 to {MAX_POINTS:,}")
    if number != round(number, DECIMALS):
        raise ValueError(f"expected points with at most {DECIMALS} decimals")
    return number


def _text_of(value: object, expected: str = "expected text") -> str:
    if not isinstance(value, str):
        raise ValueError(expected)  # noqa: TRY004 - see above
    return value


_AS_TEXT = PlainSerializer(str, return_type=str, when_used="json")
Points = Annotated[Decimal, BeforeValidator(_points), _AS_TEXT, WithJsonSchema({"type": "number"})]
Reason = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]


def _time(value: object) -> datetime:
    return value if isinstance(value, datetime) else read_time(_text_of(value, NOT_A_TIME))


def _duration(value: object) -> timedelta:
    return read_duration(_text_of(value, NOT_A_DURATION))


Time = Annotated[datetime, BeforeValidator(_time), WithJsonSchema(_TEXT)]
"""A time with its zone."""

Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    PlainSerializer(lambda value: f"{value.total_seconds():.0f} s", return_type=str, when_used="json"),
    WithJsonSchema(_TEXT),
]


class Amount(Model):
    """Points, or a share of the score in percent."""

    value: Points
    unit: Literal["percent", "points"]

    def of(self, score: Decimal) -> Decimal:
        """Return how many points it is, exactly."""
        return score * self.value / 100 if self.unit == "percent" else self.value

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"{self.value.normalize():f} {'%' if self.unit == 'percent' else 'points'}"


def _amount(value: object) -> Amount:
    if isinstance(value, (Amount, dict)):
        return Amount.model_validate(value)
    text = _text_of(value, _NOT_AN_AMOUNT).strip().lower()
    for ending, unit in (("%", "percent"), ("percent", "percent"), ("points", "points"), ("point", "points")):
        if text.endswith(ending):
            number = _points(text.removesuffix(ending))
            if unit == "percent" and number > 100:  # noqa: PLR2004 - percent
                raise ValueError("expected at most 100 %")
            return Amount.model_validate({"value": number, "unit": unit})
    raise ValueError(_NOT_AN_AMOUNT)


AmountText = Annotated[Amount, BeforeValidator(_amount), WithJsonSchema(_TEXT)]


def _zone_name(value: object) -> str:
    text = _text_of(value)
    read_zone(text)
    return text


def _student(value: object) -> str | int:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        raise ValueError("expected a student's number, e-mail address or name, or the name of the results")
    return value.strip() if isinstance(value, str) else value


StudentWord = Annotated[str | int, BeforeValidator(_student), WithJsonSchema({"anyOf": [_TEXT, {"type": "integer"}]})]
"""Who is meant. A number without quotes has lost the zeros at its beginning; it means a number with them, too."""


class LatePolicy(Model):
    """What lateness costs: `penalty` for each begun `per` since the deadline, or once; `at_most` in all."""

    penalty: AmountText
    per: Duration | None = None
    at_most: AmountText | None = None


class Extension(Model):
    """A later deadline for a student."""

    student: StudentWord
    until: Time
    reason: str = Field("", max_length=MAX_TEXT_CHARS)


class Course(Model):
    """The content of course.yaml.

    Lateness up to `grace` costs nothing; what is later counts from the deadline. What comes after `closes` gets 0
    points. `attempts` says which one counts if a student has several results. `zone` is that of times that an export
    states without one.
    """

    deadline: Time | None = None
    grace: Duration | None = None
    late: LatePolicy | None = None
    closes: Time | None = None
    extensions: tuple[Extension, ...] = Field((), max_length=MAX_STUDENTS)
    attempts: Literal["last", "best", "first"] | None = None
    zone: Annotated[str, BeforeValidator(_zone_name), WithJsonSchema(_TEXT)] | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        mistakes = []
        if self.deadline is None:
            mistakes += [
                InconsistencyError("there is no deadline to which this could apply", key_path=key)
                for key in ("grace", "late", "extensions")
                if getattr(self, key)
            ]
        else:
            if self.closes is not None and self.closes < self.deadline:
                mistakes.append(InconsistencyError("is before the deadline", key_path="closes"))
            mistakes += [
                InconsistencyError(
                    "is before the deadline, so it extends nothing", key_path=f"extensions.{number}.until"
                )
                for number, extension in enumerate(self.extensions)
                if extension.until < self.deadline
            ]
        if mistakes:
            raise InconsistenciesError(mistakes)
        return self

    @property
    def tzinfo(self) -> tzinfo | None:
        """The zone of times without one."""
        return None if self.zone is None else read_zone(self.zone)


class CheckPoints(Model):
    """Other points for a check."""

    check: str
    points: Points
    reason: Reason


class TotalPoints(Model):
    """The final score."""

    points: Points
    reason: Reason


class UsedFile(Model):
    """The file of the submission that is graded as one of the lab's."""

    file: str = Field(min_length=1, max_length=4096)
    graded_as: str = Field(alias="as")


class Override(Model):
    """What was decided about a student; `excused` is the reason why they need no score."""

    student: StudentWord
    checks: tuple[CheckPoints, ...] = Field((), max_length=1000)
    total: TotalPoints | None = None
    use: tuple[UsedFile, ...] = Field((), max_length=1000)
    submitted: Time | None = None
    excused: Reason | None = None
    comment: str = Field("", max_length=MAX_TEXT_CHARS)


class Overrides(Model):
    """The content of overrides.yaml."""

    overrides: tuple[Override, ...] = Field((), max_length=MAX_STUDENTS)


class Rules(Model):
    """Everything that a course decided, as the gradebook keeps it.

    `…_file` are the paths of the files, as seen from `folder`, empty if there was none, and `…_lines` the lines of
    their lists' items.
    """

    course: Course | None = None
    course_file: PathText = ""
    extension_lines: tuple[int, ...] = ()
    overrides: Overrides | None = None
    overrides_file: PathText = ""
    override_lines: tuple[int, ...] = ()
    roster: Roster | None = None
    roster_file: PathText = ""
    folder: PathText = ""

    @property
    def decide(self) -> bool:
        """Whether they say anything about grades."""
        return (self.course is not None and self.course != Course()) or (
            self.overrides is not None and self.overrides != Overrides()
        )


NO_RULES = Rules()
