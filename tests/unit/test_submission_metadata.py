from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY
from grader.gradescope.submission_metadata import EarlierSubmission, LastResult, SubmissionMetadata, read_metadata
from grader.model.gradebook import Person
from tests.unit.render import factory

PACIFIC = timezone(-timedelta(hours=7))
CREATED = datetime(2018, 7, 1, 14, 22, 32, 365935, tzinfo=PACIFIC)
DOCUMENT: dict[str, Any] = {
    "id": 123456,
    "created_at": "2018-07-01T14:22:32.365935-07:00",
    "assignment": {
        "due_date": "2018-07-31T23:00:00.000000-07:00",
        "group_size": 4,
        "group_submission": True,
        "late_due_date": None,
        "total_points": "20.0",
    },
    "submission_method": "upload",
    "users": [{"email": "ada@example.org", "id": 1234, "name": "Ada"}],
    "previous_submissions": [],
}
LAST = LastResult(score=87.0, report=factory.diagnosed())
DEEP = b"[" * 200_000 + b"]" * 200_000


def read(tmp_path: Path, content: object) -> SubmissionMetadata:
    path = tmp_path / "submission_metadata.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_metadata(path)


def previous(time: str | None, kept: object = None, **more: object) -> dict[str, object]:
    extra = {} if kept is None else {REPORT_KEY: kept}
    return {
        "submission_time": time,
        "score": 10.0,
        "autograder_error": False,
        "results": {"extra_data": extra},
        **more,
    }


def test_what_the_platform_documents_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, DOCUMENT) == SubmissionMetadata(
        people=(Person(name="Ada", email="ada@example.org", id="1234"),),
        created_at=CREATED,
        due_at=datetime(2018, 7, 31, 23, tzinfo=PACIFIC),
    )


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2018-07-01T14:22:32Z", datetime(2018, 7, 1, 14, 22, 32, tzinfo=timezone.utc)),
        ("2018-07-01 14:22:32.5z", datetime(2018, 7, 1, 14, 22, 32, 500_000, tzinfo=timezone.utc)),
        ("2018-07-01T14:22:32.365935123-0700", CREATED),
    ],
)
def test_times_are_read_in_every_form(tmp_path: Path, text: str, time: datetime) -> None:
    metadata = read(tmp_path, DOCUMENT | {"created_at": text})
    assert (metadata.created_at, metadata.problem) == (time, "")
    assert metadata.created_at is not None
    assert metadata.created_at.tzname() == time.tzname(), "students read it"


@pytest.mark.parametrize(
    "value",
    [
        "2018-07-01T14:22:32",
        "yesterday",
        "",
        "2018-13-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        "2018-07-01T14:22:32+99:00",
        "2" * 1_000_000,
        True,
        [],
        {},
    ],
    ids=range(11),
)
def test_what_is_no_time_is_told_and_the_rest_is_used(tmp_path: Path, value: object) -> None:
    metadata = read(tmp_path, DOCUMENT | {"created_at": value})
    assert metadata.created_at is None
    assert "created_at" in metadata.problem
    assert metadata.people
    assert metadata.due_at


def test_a_missing_time_is_told_and_no_due_date_is_none(tmp_path: Path) -> None:
    metadata = read(tmp_path, {"assignment": {"due_date": None}})
    assert "created_at" in metadata.problem
    assert metadata == SubmissionMetadata(problem=metadata.problem)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", DEEP, b'{"users": ' + DEEP + b"}", b"[]", b"null", b'"text"', b"NaN"],
    ids=["empty", "cut", "not-utf-8", "deep", "deep-inside", "list", "null", "text", "nan"],
)
def test_what_is_no_json_object_is_told(tmp_path: Path, content: bytes) -> None:
    metadata = read(tmp_path, content)
    assert metadata == SubmissionMetadata(problem=metadata.problem)
    assert metadata.problem.startswith("submission_metadata.json could not be read: ")


def test_no_file_or_one_that_is_none_is_told(tmp_path: Path) -> None:
    assert read_metadata(tmp_path / "none").problem == "none could not be read: No such file or directory."
    assert "Is a directory" in read_metadata(tmp_path).problem


@pytest.mark.parametrize("value", [None, True, -1.5, "text", [[]], {"a": []}, [{"name": {}}]], ids=range(7))
@pytest.mark.parametrize("key", list(DOCUMENT))
def test_a_wrong_type_breaks_nothing_else(tmp_path: Path, key: str, value: object) -> None:
    metadata = read(tmp_path, DOCUMENT | {key: value})
    assert bool(metadata.due_at) == (key != "assignment")
    assert key == "created_at" or metadata.created_at == CREATED
    assert metadata.last is None


@pytest.mark.parametrize("value", [None, True, -1.5, "text", [[]], {"a": []}, [{"name": {}}]], ids=range(7))
@pytest.mark.parametrize("key", ["submission_time", "score", "autograder_error", "results"])
def test_a_wrong_type_in_an_earlier_submission_breaks_nothing_else(tmp_path: Path, key: str, value: object) -> None:
    good = previous("2018-06-30T00:00:00Z", LAST.model_dump(mode="json"))
    metadata = read(tmp_path, DOCUMENT | {"previous_submissions": [good | {key: value}]})
    (one,) = metadata.earlier
    assert key == "submission_time" or one.submitted_at is not None
    assert one.failed == (key == "autograder_error" and value is True)
    assert (metadata.last is None) == (key == "results")


def test_a_student_s_own_due_date_goes_before_the_assignment_s(tmp_path: Path) -> None:
    users = [
        {"name": "Ada", "assignment": {"due_date": "2018-08-02T00:00:00Z"}},
        {"name": "Ken", "assignment": {"due_date": "2018-08-01T00:00:00Z"}},
        {"name": "Joan"},
    ]
    assert read(tmp_path, DOCUMENT | {"users": users}).due_at == datetime(2018, 8, 2, tzinfo=timezone.utc)


def test_earlier_submissions_are_in_order_and_the_newest_is_remembered(tmp_path: Path) -> None:
    old = LAST.model_copy(update={"score": 1.0}).model_dump(mode="json")
    entries = [
        previous("2018-06-30T00:00:00Z", LAST.model_dump(mode="json"), score="85.5"),
        previous("2018-06-29T00:00:00Z", old, autograder_error=True),
        previous(None, old, score=None),
        previous("2018-06-30T10:00:00Z", {"schema_version": 99}),
    ]
    metadata = read(tmp_path, DOCUMENT | {"previous_submissions": entries})
    assert metadata.earlier == (
        EarlierSubmission(None, None, failed=False),
        EarlierSubmission(datetime(2018, 6, 29, tzinfo=timezone.utc), 10.0, failed=True),
        EarlierSubmission(datetime(2018, 6, 30, tzinfo=timezone.utc), 85.5, failed=False),
        EarlierSubmission(datetime(2018, 6, 30, 10, tzinfo=timezone.utc), 10.0, failed=False),
    )
    assert metadata.last == LAST
    assert "last_result" in metadata.problem


def test_runs_that_failed_through_us_are_known_by_what_later_ones_left(tmp_path: Path) -> None:
    newest = {"extra_data": {FAULTS_KEY: ["2018-06-29T08:00:00.4+08:00"]}}
    entries = [
        previous("2018-06-29T00:00:00Z", results=None),
        previous("2018-06-29T00:01:00Z", results=None),
        previous("2018-06-30T00:00:00Z", results=newest),
    ]
    metadata = read(tmp_path, DOCUMENT | {"previous_submissions": entries})
    assert [one.failed for one in metadata.earlier] == [True, False, False]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '"nan"', '"inf"', '"ten"'])
def test_what_is_no_number_is_no_score(tmp_path: Path, number: str) -> None:
    kept = LAST.model_dump(mode="json") | {"score": "SCORE"}
    entry = previous("2018-06-30T00:00:00Z", kept, score="SCORE")
    content = json.dumps(DOCUMENT | {"previous_submissions": [entry]}).replace('"SCORE"', number)
    metadata = read(tmp_path, content.encode())
    assert metadata.earlier[0].score is None
    assert metadata.last is None
    assert metadata.created_at == CREATED
    assert "score" in metadata.problem


def test_many_problems_are_told_in_one_sentence(tmp_path: Path) -> None:
    bad = previous("now", {"x": 1}, score="x")
    content = {"created_at": 1e99, "users": 1, "assignment": {"due_date": {}}, "previous_submissions": [bad] * 1000}
    problem = read(tmp_path, content).problem
    for name in ("created_at", "users", "due_date", "submission_time", "score", "last_result"):
        assert problem.count(name) == 1


def test_a_result_of_today_is_remembered_tomorrow(tmp_path: Path) -> None:
    extra = json.loads(LAST.model_dump_json())
    metadata = read(tmp_path, DOCUMENT | {"previous_submissions": [previous("2018-06-30T00:00:00Z", extra)]})
    assert metadata.last == LAST
    assert metadata.problem == ""
