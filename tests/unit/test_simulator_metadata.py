from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

from grader.gradescope.simulator.metadata import metadata, previous_submission

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=-8)))


def test_it_has_the_fields_of_the_platform_and_times_with_a_zone() -> None:
    found = json.loads(json.dumps(metadata(NOW, names=("Ada Lovelace", "Bob"))))
    assert set(found) >= {"id", "created_at", "submission_method", "users", "assignment", "previous_submissions"}
    assert found["created_at"] == "2026-03-01T12:00:00-08:00"
    assert found["assignment"]["total_points"] == "100.0", "a string, as there"
    assert found["assignment"]["group_submission"] is True
    assert datetime.fromisoformat(found["assignment"]["release_date"]) < NOW
    assert datetime.fromisoformat(found["assignment"]["due_date"]) > NOW
    assert [(one["name"], one["email"]) for one in found["users"]] == [
        ("Ada Lovelace", "ada@example.edu"),
        ("Bob", "bob@example.edu"),
    ]
    assert len({one["id"] for one in found["users"]}) == 2


def test_a_due_date_of_ones_own() -> None:
    due = NOW - timedelta(hours=1)
    assert metadata(NOW, due_at=due)["assignment"]["due_date"] == due.isoformat()


def test_only_the_newest_submission_keeps_its_results() -> None:
    before = [
        previous_submission({"score": hours, "output": "x"}, NOW - timedelta(hours=hours)) for hours in (3, 2, 1)
    ]
    found = metadata(NOW, previous=before)["previous_submissions"]
    assert [one["score"] for one in found] == [3, 2, 1]
    assert [one["results"] for one in found] == [{}, {}, {"score": 1, "output": "x"}]
    assert before[0]["results"] == {"score": 3, "output": "x"}, "what was given stays as it was"


def test_results_without_a_score_of_their_own() -> None:
    assert previous_submission({"tests": []}, NOW)["score"] is None
