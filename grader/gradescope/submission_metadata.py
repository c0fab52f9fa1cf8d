"""submission_metadata.json: who submitted and when, and the earlier submissions of the same student."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY
from grader.model.base import Model
from grader.model.gradebook import Person
from grader.model.report import Report
from grader.model.spec.rubric import Visibility

LONG_AGO = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SAME_TIME = timedelta(seconds=1)


def _in_fixed_zone(time: datetime) -> datetime:
    # pydantic's own zones have no names such as UTC-08:00, which students read.
    return time.astimezone(timezone(time.utcoffset() or timedelta()))


# The bounds keep away from both ends of the calendar, where a time cannot be converted to another zone.
_Time = Annotated[
    AwareDatetime, Field(ge=LONG_AGO, lt=datetime(9000, 1, 1, tzinfo=timezone.utc)), AfterValidator(_in_fixed_zone)
]


class LastResult(Model):
    """What a run leaves in results.json for the next submission of the same student.

    `score` is the score that was given, `report` is without evidence (`model/report.py: without_evidence`).
    `visibility` says when the student may see that score: not before every check is shown.
    """

    schema_version: int = 1
    score: FiniteFloat
    report: Report
    visibility: Visibility = "visible"


@dataclass(frozen=True)
class EarlierSubmission:
    """An earlier submission; `score` is None if it has none.

    `failed`: the run broke, or ended because of a fault of ours, so it does not count for the student.
    """

    submitted_at: datetime | None
    score: float | None
    failed: bool


@dataclass(frozen=True)
class SubmissionMetadata:
    """What is known of a submission. Everything may be missing, and `problem` then says why.

    Times have a time zone. `earlier` is sorted from the oldest to the newest. `last` is what the newest earlier run
    left, None if there is none or it cannot be read.
    """

    people: tuple[Person, ...] = ()
    created_at: datetime | None = None
    due_at: datetime | None = None
    earlier: tuple[EarlierSubmission, ...] = ()
    last: LastResult | None = None
    problem: str = ""


class _Lenient(BaseModel):
    """A part of the file. Unknown fields are ignored.

    A field that is null or cannot be understood has its default value, because no unexpected field may cost a grade.
    The names of fields that cannot be understood are collected in the list that is the context of the validation.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True, defer_build=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_default(cls, value: object, validate: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:  # noqa: ANN401 - of any field
        name = str(info.field_name)
        if value is not None:
            try:
                return validate(value)
            except ValidationError:
                cast("list[str]", info.context).append(name)
        return cls.model_fields[name].default


class _Assignment(_Lenient):
    due_date: _Time | None = None


class _User(_Lenient):
    name: str = ""
    email: str = ""
    id: str = ""
    assignment: _Assignment = _Assignment()


class _ExtraData(_Lenient):
    last_result: LastResult | None = Field(None, alias=REPORT_KEY)
    faults: tuple[_Time, ...] = Field((), alias=FAULTS_KEY)


class _PreviousResults(_Lenient):
    extra_data: _ExtraData = _ExtraData()


class _Previous(_Lenient):
    submission_time: _Time | None = None
    score: FiniteFloat | None = None
    autograder_error: bool = False
    results: _PreviousResults = _PreviousResults()


class _File(_Lenient):
    created_at: _Time | None = None
    assignment: _Assignment = _Assignment()
    users: tuple[_User, ...] = ()
    previous_submissions: tuple[_Previous, ...] = ()


def read_metadata(path: Path) -> SubmissionMetadata:
    """Return what is known of a submission, as far as the file can be understood.

    The due date is the student's own if the file has one (for a group the latest), otherwise the assignment's.
    """
    odd: list[str] = []
    try:
        file = _File.model_validate_json(path.read_bytes(), context=odd)
    except OSError as error:
        return SubmissionMetadata(problem=f"{path.name} could not be read: {error.strerror}.")
    except ValidationError as error:
        return SubmissionMetadata(problem=f"{path.name} could not be read: {error.errors()[0]['msg']}.")
    if file.created_at is None and "created_at" not in odd:
        odd.append("created_at")
    previous = sorted(file.previous_submissions, key=lambda one: one.submission_time or LONG_AGO)
    faults = [fault for one in previous for fault in one.results.extra_data.faults]
    own_due_dates = [user.assignment.due_date for user in file.users if user.assignment.due_date is not None]
    last_results = [one.results.extra_data.last_result for one in previous]
    unread = ", ".join(dict.fromkeys(odd))
    return SubmissionMetadata(
        people=tuple(Person(name=user.name, email=user.email, id=user.id) for user in file.users),
        created_at=file.created_at,
        due_at=max(own_due_dates, default=file.assignment.due_date),
        earlier=tuple(_earlier(one, faults) for one in previous),
        last=next((last for last in reversed(last_results) if last is not None), None),
        problem=f"{path.name} could not be read in all: {unread} missing or not understood." if unread else "",
    )


def _earlier(one: _Previous, faults: Sequence[datetime]) -> EarlierSubmission:
    time = one.submission_time
    through_us = time is not None and any(abs(time - fault) < _SAME_TIME for fault in faults)
    return EarlierSubmission(time, one.score, failed=one.autograder_error or through_us)
