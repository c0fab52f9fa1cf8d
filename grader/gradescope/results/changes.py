"""What changed since the last submission, and who submitted when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from grader.gradescope.results.markdown import code, paragraph, plain
from grader.gradescope.submission_metadata import LastResult, SubmissionMetadata
from grader.model.counted import counted, listed
from grader.model.report import Report
from grader.render.text.phrases import points_words

PEOPLE = 8
NAME_CHARS = 80


def submission_words(metadata: SubmissionMetadata) -> str:
    """Say who submitted and when, and whether that was late; empty if nothing is known."""
    names = [person.name or person.email for person in metadata.people]
    shown = [plain(name, NAME_CHARS) for name in names if name]
    more = [f"{len(shown) - PEOPLE} more"] if len(shown) > PEOPLE else []
    who = listed([*shown[:PEOPLE], *more]) if shown else ""
    when = ""
    if metadata.created_at is not None:
        when = f"handed in on {time_words(metadata.created_at)}{_late_words(metadata)}"
    words = "; ".join(filter(None, (who, when)))
    return f"{words[0].upper()}{words[1:]}." if words else ""


def time_words(time: datetime) -> str:
    """Say a time in its own zone: `2026-03-01 at 14:05 (UTC-08:00)`."""
    return f"{time:%Y-%m-%d at %H:%M (%Z)}"


def change_blocks(report: Report, numbers: Mapping[str, str], last: LastResult, score: float | None) -> Iterator[str]:
    """Yield what changed since the last submission among the checks of `report`.

    `numbers` are those of the checks by id; `score` is None if the student must not see it.
    """
    if report.submission.digest == last.report.submission.digest:
        yield "The sources are the same as in your last submission."
        return
    before = {check.id: check.status for check in last.report.checks}
    both = [(check.id, before[check.id], check.status) for check in report.checks if check.id in before]
    won = [check_id for check_id, was, now in both if was != "passed" and now == "passed"]
    lost = [check_id for check_id, was, now in both if was == "passed" and now == "failed"]
    unknown = [check_id for check_id, was, now in both if was == "passed" and now == "skipped"]
    points = f": {points_words(last.score)} → {points_words(score)} points" if score is not None else ""
    nothing = "" if won or lost or unknown or points else ": no check changed"
    yield paragraph(
        f"**Since your last submission**{points}{nothing}",
        f"Passed now: {_names(won, numbers)}" if won else "",
        f"Failed now: {_names(lost, numbers)}" if lost else "",
        f"Passed before and not judged now: {counted(len(unknown), 'check')}" if unknown else "",
    )


def _names(ids: list[str], numbers: Mapping[str, str]) -> str:
    return listed(f"{numbers[check_id]} {code(check_id)}" for check_id in ids)


def _late_words(metadata: SubmissionMetadata) -> str:
    if metadata.created_at is None or metadata.due_at is None:
        return ""
    late = metadata.created_at - metadata.due_at
    return f", {_duration(late)} after the due date" if late > timedelta() else ", in time"


def _duration(time: timedelta) -> str:
    minutes = time // timedelta(minutes=1)
    hours, days = minutes // 60, time.days
    if days:
        return f"{counted(days, 'day')} and {counted(hours - 24 * days, 'hour')}"
    if hours:
        return f"{counted(hours, 'hour')} and {counted(minutes - 60 * hours, 'minute')}"
    return counted(minutes, "minute") if minutes else "less than a minute"
