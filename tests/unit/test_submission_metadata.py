from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.gradescope import submission_metadata
from grader.gradescope.hand_in import Earlier, Remembered, SubmissionMetadata
from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY
from grader.gradescope.submission_metadata import read_hand_in
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
KEPT = Remembered(score=87.0, report=factory.diagnosed())


def read(tmp_path: Path, content: object) -> SubmissionMetadata:
    path = tmp_path / "submission_metadata.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_hand_in(path)


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


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf" + json.dumps(DOCUMENT).encode()).created_at == CREATED


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2018-07-01T14:22:32Z", datetime(2018, 7, 1, 14, 22, 32, tzinfo=timezone.utc)),
        ("2018-07-01 14:22:32.5z", datetime(2018, 7, 1, 14, 22, 32, 500_000, tzinfo=timezone.utc)),
        ("2018-07-01T14:22:32.365935123-0700", CREATED),
        ("2018-07-01 14:22:32.365935 -07:00", CREATED),
    ],
)
def test_times_are_read_in_every_form(tmp_path: Path, text: str, time: datetime) -> None:
    hand_in = read(tmp_path, DOCUMENT | {"created_at": text})
    assert (hand_in.created_at, hand_in.problem) == (time, "")


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
        "\ud800",
        "2" * 1_000_000,
        1530480152,
        True,
        [],
        {},
    ],
    ids=range(13),
)
def test_what_is_no_time_is_told_and_the_rest_is_used(tmp_path: Path, value: object) -> None:
    hand_in = read(tmp_path, DOCUMENT | {"created_at": value})
    assert hand_in.created_at is None
    assert hand_in.problem == (
        "submission_metadata.json could not be read in all: created_at is no time with a zone."
    )
    assert hand_in.people
    assert hand_in.due_at


def test_a_missing_time_is_told_and_no_due_date_is_none(tmp_path: Path) -> None:
    hand_in = read(tmp_path, {"assignment": {"due_date": None}})
    assert hand_in == SubmissionMetadata(
        problem="submission_metadata.json could not be read in all: created_at is missing."
    )


DEEP = b"[" * 200_000 + b"]" * 200_000


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "Expecting value"),
        (b"{", "Expecting property name"),
        (b"\xff\xfe", "can't decode"),
        (DEEP, "nested too deeply"),
        (b'{"users": ' + DEEP + b"}", "nested too deeply"),
        (b"[]", "no JSON object"),
        (b"null", "no JSON object"),
        (b'"text"', "no JSON object"),
        (b"NaN", "no JSON object"),
    ],
    ids=["empty", "cut", "not-utf-8", "deep", "deep-inside", "list", "null", "text", "nan"],
)
def test_what_is_no_json_object_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    hand_in = read(tmp_path, content)
    assert why in hand_in.problem
    assert hand_in == SubmissionMetadata(problem=hand_in.problem)
    assert hand_in.problem.startswith("submission_metadata.json could not be read: ")


def test_no_file_or_one_that_is_none_is_told(tmp_path: Path) -> None:
    assert read_hand_in(tmp_path / "none").problem == "none could not be read: No such file or directory."
    assert "Is a directory" in read_hand_in(tmp_path).problem


def test_more_than_the_bound_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(json.dumps(DOCUMENT))
    monkeypatch.setattr(submission_metadata, "METADATA_BYTES", size)
    assert read(tmp_path, DOCUMENT).problem == ""
    monkeypatch.setattr(submission_metadata, "METADATA_BYTES", size - 1)
    assert f"larger than {size - 1:,} bytes" in read(tmp_path, DOCUMENT).problem


WRONG: list[object] = [
    None,
    True,
    0,
    -1.5,
    10**400,
    "text",
    "\ud800\x00",
    [],
    [[]],
    [None],
    {},
    {"a": []},
    [{"name": {}}],
]


@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("key", list(DOCUMENT))
def test_wrong_types_anywhere_break_nothing(tmp_path: Path, key: str, value: object) -> None:
    hand_in = read(tmp_path, DOCUMENT | {key: value})
    assert (hand_in.created_at == CREATED) == (key != "created_at")
    assert bool(hand_in.due_at) == (key != "assignment")
    assert hand_in.last is None


@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("key", ["submission_time", "score", "autograder_error", "results"])
def test_wrong_types_in_an_earlier_submission_break_nothing(tmp_path: Path, key: str, value: object) -> None:
    good = previous("2018-06-30T00:00:00Z", KEPT.model_dump(mode="json"))
    hand_in = read(tmp_path, DOCUMENT | {"previous_submissions": [good | {key: value}]})
    (one,) = hand_in.earlier
    assert (one.submitted_at is None) == (key == "submission_time")
    assert one.failed == (key == "autograder_error" and value is True)
    assert (hand_in.last is None) == (key == "results")


def test_names_are_made_fit_to_be_written(tmp_path: Path) -> None:
    users = [{"name": "\ud800x", "email": 5, "id": "007"}, {"name": "n" * 10_000}, "nobody"]
    hand_in = read(tmp_path, DOCUMENT | {"users": users})
    assert hand_in.people[0] == Person(name="?x", email="5", id="007")
    assert len(hand_in.people[1].name) == submission_metadata.TEXT_CHARS
    assert "users has an entry that is no object" in hand_in.problem


def test_a_student_s_own_due_date_goes_before_the_assignment_s(tmp_path: Path) -> None:
    users = [
        {"name": "Ada", "assignment": {"due_date": "2018-08-02T00:00:00Z"}},
        {"name": "Ken", "assignment": {"due_date": "2018-08-01T00:00:00Z"}},
        {"name": "Joan"},
    ]
    assert read(tmp_path, DOCUMENT | {"users": users}).due_at == datetime(2018, 8, 2, tzinfo=timezone.utc)


def test_earlier_submissions_are_in_order_and_the_newest_is_remembered(tmp_path: Path) -> None:
    old = KEPT.model_copy(update={"score": 1.0}).model_dump(mode="json")
    entries = [
        previous("2018-06-30T00:00:00Z", KEPT.model_dump(mode="json"), score="85.5"),
        previous("2018-06-29T00:00:00Z", old, autograder_error=True),
        previous(None, old, score=None),
        previous("2018-06-30T10:00:00Z", {"schema_version": 99}),
    ]
    hand_in = read(tmp_path, DOCUMENT | {"previous_submissions": entries})
    assert hand_in.earlier == (
        Earlier(None, None, failed=False),
        Earlier(datetime(2018, 6, 29, tzinfo=timezone.utc), 10.0, failed=True),
        Earlier(datetime(2018, 6, 30, tzinfo=timezone.utc), 85.5, failed=False),
        Earlier(datetime(2018, 6, 30, 10, tzinfo=timezone.utc), 10.0, failed=False),
    )
    assert hand_in.last == KEPT
    assert "what an earlier run left is not understood" in hand_in.problem


def test_runs_that_failed_through_us_are_known_by_what_later_ones_left(tmp_path: Path) -> None:
    newest = {"extra_data": {FAULTS_KEY: ["2018-06-29T08:00:00.4+08:00", "never", 7]}}
    entries = [
        previous("2018-06-29T00:00:00Z", results=None),
        previous("2018-06-29T00:01:00Z", results=None),
        previous("2018-06-30T00:00:00Z", results=newest),
    ]
    hand_in = read(tmp_path, DOCUMENT | {"previous_submissions": entries})
    assert [one.failed for one in hand_in.earlier] == [True, False, False]


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000, '"nan"', '"inf"', '"ten"', "true"]
)
def test_what_is_no_number_is_no_score(tmp_path: Path, number: str) -> None:
    kept = KEPT.model_dump(mode="json") | {"score": "SCORE"}
    entry = previous("2018-06-30T00:00:00Z", kept, score="SCORE")
    content = json.dumps(DOCUMENT | {"previous_submissions": [entry]}).replace('"SCORE"', number)
    hand_in = read(tmp_path, content.encode())
    assert hand_in.earlier[0].score is None
    assert hand_in.last is None or number == "true"
    assert hand_in.created_at == CREATED


def test_many_problems_are_told_in_one_sentence(tmp_path: Path) -> None:
    bad = previous("now", {"x": 1}, score="x")
    content = {"created_at": 1, "users": 1, "assignment": {"due_date": 1}, "previous_submissions": [bad, 1] * 1000}
    problem = read(tmp_path, content).problem
    assert problem.count(".") == 2
    assert problem.endswith("; 3 more.")
    assert len(problem) < 300


def test_a_result_of_today_is_remembered_tomorrow(tmp_path: Path) -> None:
    extra = json.loads(KEPT.model_dump_json())
    hand_in = read(tmp_path, DOCUMENT | {"previous_submissions": [previous("2018-06-30T00:00:00Z", extra)]})
    assert hand_in.last == KEPT
    assert hand_in.problem == ""
