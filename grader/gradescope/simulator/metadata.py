"""submission_metadata.json as the platform writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any


def previous_submission(results: Mapping[str, Any], submitted_at: datetime) -> dict[str, Any]:
    """Return an earlier submission whose run left these results."""
    return {
        "submission_time": submitted_at.isoformat(),
        "score": results.get("score"),
        "autograder_error": False,
        "results": dict(results),
    }


def metadata(
    created_at: datetime,
    *,
    names: Sequence[str] = ("Ada Lovelace",),
    due_at: datetime | None = None,
    previous: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the platform's metadata of a submission by these people; the default due date is in a week.

    `previous` goes from the oldest to the newest (see `previous_submission`). The platform keeps results for the
    newest only. Times have a time zone.
    """
    kept = [{**one, "results": {}} for one in previous[:-1]] + [dict(one) for one in previous[-1:]]
    return {
        "id": 314159265,
        "created_at": created_at.isoformat(),
        "assignment_id": 2718281,
        "assignment": {
            "due_date": (due_at or created_at + timedelta(days=7)).isoformat(),
            "late_due_date": None,
            "release_date": (created_at - timedelta(days=7)).isoformat(),
            "group_size": len(names) if len(names) > 1 else None,
            "group_submission": len(names) > 1,
            "id": 2718281,
            "course_id": 161803,
            "title": "Programming lab",
            "total_points": "100.0",
        },
        "submission_method": "upload",
        "users": [
            {"email": f"{name.split()[0].lower()}@example.edu", "id": 577215 + number, "name": name}
            for number, name in enumerate(names)
        ],
        "previous_submissions": kept,
    }
