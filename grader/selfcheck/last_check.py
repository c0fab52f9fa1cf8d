"""What has changed since the last check of the same folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from grader.cache.entries import Cache, load_cached, store_cached
from grader.messages import ignore_message
from grader.model.counted import listed_up_to
from grader.model.report import Report
from grader.render.text.phrases import points_words

FILE = "last-check.json"
MAX_NAMED = 6


@dataclass(frozen=True)
class LastCheck:
    """The score of a report, and the checks that failed and that passed."""

    score: float
    failed: tuple[str, ...]
    passed: tuple[str, ...] = ()


_LAST_CHECK = TypeAdapter(LastCheck)


def of_report(report: Report) -> LastCheck | None:
    """Return what to remember of a report; None if it was not graded, or only some checks were selected."""
    if report.score is None:
        return None
    failed, passed = (
        tuple(check.id for check in report.checks if check.status == status) for status in ("failed", "passed")
    )
    return LastCheck(report.score, failed, passed)


def change_words(before: LastCheck, after: LastCheck) -> str:
    """Say what has changed: `90 to 97 points: copy.text passes now`; "" if nothing has."""
    fixed = [check for check in before.failed if check in after.passed]
    broken = [check for check in after.failed if check not in before.failed]
    if before.score == after.score and not fixed and not broken:
        return ""
    parts = [
        f"{listed_up_to(MAX_NAMED, checks)} {verb if len(checks) == 1 else verbs} now"
        for checks, verb, verbs in ((fixed, "passes", "pass"), (broken, "fails", "fail"))
        if checks
    ]
    points = f"{points_words(before.score)} to {points_words(after.score)} points"
    return f"{points}: {'; '.join(parts)}" if parts else points


def replace_last_check(folder: Path, spec_digest: str, after: LastCheck) -> LastCheck | None:
    """Return the last check of a folder, None if there was none, and store this one in the user's cache instead.

    If the cache cannot be written, there is nothing to compare with next time, which is not worth a message. Nor is a
    folder that has been removed meanwhile.
    """
    try:
        # Scores of two versions of a lab, or of the quick form and the full one, must not be compared.
        key = f"last check\n{folder.resolve()}\n{spec_digest}"
    except OSError:
        return None
    cache, what = Cache(), "the last check"
    before = load_cached(cache, key, what, lambda files: _LAST_CHECK.validate_json(files[FILE]), ignore_message)
    store_cached(cache, key, what, {FILE: _LAST_CHECK.dump_json(after)}, ignore_message)
    return before
