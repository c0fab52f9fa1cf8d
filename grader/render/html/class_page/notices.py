"""What a teaching assistant must deal with before publishing grades; the page shows it above everything else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from grader.course.people import ClassList
from grader.model.gradebook import CourseSystem, Entry
from grader.model.report import Check
from grader.render.html.class_page.submission_row import SubmissionRow
from grader.render.views.roster import handed_in, undecided_attempts, without_number

MAX_NAMED = 12
"""Submissions that a notice names; the others are in the table."""

MAX_REASONS = 8
"""Reasons that have a notice each; the others share one."""

COURSE_FILES: dict[str, CourseSystem] = {"canvas.csv": "canvas", "moodle.csv": "moodle"}


@dataclass(frozen=True)
class Notice:
    """Submissions with the same reason, or that the same file lacks; `text` is the reason or the file's name."""

    text: str
    rows: tuple[SubmissionRow, ...]

    @property
    def shown(self) -> tuple[SubmissionRow, ...]:
        """The submissions that are named."""
        return self.rows[:MAX_NAMED]

    @property
    def more(self) -> int:
        """The number of submissions that are not named."""
        return max(0, len(self.rows) - MAX_NAMED)


def unfinished(rows: Iterable[SubmissionRow]) -> Notice | None:
    """Return the submissions that were not done when the grader ended; nothing failed."""
    found = tuple(row for row in rows if row.report.interrupted)
    return Notice("", found) if found else None


def not_graded(rows: Iterable[SubmissionRow]) -> tuple[Notice, ...]:
    """Return the other submissions without a score by their newest reason, the most frequent first."""
    failed = (row for row in rows if not (row.graded or row.report.interrupted or row.report.is_decided))
    return _grouped(failed, lambda row: row.entry.last_error or row.report.reason)


def troubled(rows: Iterable[SubmissionRow]) -> tuple[Notice, ...]:
    """Return the submissions with a score whose newest hand-in gave no result, by the reason."""
    return _grouped((row for row in rows if "trouble" in row.marks), lambda row: row.entry.last_error)


def unjudged(rows: Iterable[SubmissionRow]) -> tuple[Notice, ...]:
    """Return the submissions that lack points for checks that nobody could judge, by the reasons."""
    return _grouped((row for row in rows if row.unjudged), lambda row: _reasons(row.unjudged))


def unbuilt(rows: Iterable[SubmissionRow]) -> tuple[Notice, ...]:
    """Return the submissions with a program that is missing or does not compile, by the reason.

    A file that compilers cannot use explains what they say.
    """

    def reason(row: SubmissionRow) -> str:
        return ". ".join(row.report.oddities) or _reasons(row.unbuilt_checks)

    return _grouped((row for row in rows if row.unbuilt_checks), reason)


def doubtful(rows: Iterable[SubmissionRow]) -> tuple[Notice, ...]:
    """Return the submissions of which only names decided what was graded, or whose they are."""
    return _grouped((row for row in rows if row.report.doubts), lambda row: "; ".join(row.report.doubts))


def unexplained(rows: Iterable[SubmissionRow]) -> Notice | None:
    """Return the submissions with failures that no known bug explains."""
    found = tuple(row for row in rows if row.unexplained)
    return Notice("", found) if found else None


def left_out(rows: Iterable[SubmissionRow], files: Iterable[str], known: ClassList) -> tuple[Notice, ...]:
    """Return the submissions that a file for a course system lacks, by file; `files` are those that are written."""
    return _by_file(rows, files, known, without_number)


def attempts(rows: Iterable[SubmissionRow], files: Iterable[str], known: ClassList) -> tuple[Notice, ...]:
    """Return the submissions that such a file lacks because another of the same student counts as well, by file."""
    return _by_file(rows, files, known, undecided_attempts)


def several(rows: Sequence[SubmissionRow], known: ClassList, others: Iterable[Notice]) -> Notice | None:
    """Return the submissions of students of the roster of whom several count, without those of other notices."""
    counting = [row for row in rows if row.counts]
    named = {row.entry.name for notice in others for row in notice.rows}
    lines = {row.entry.name: {student.line for student in known.students.get(row.entry.name, ())} for row in counting}
    times = Counter(chain.from_iterable(lines.values()))
    found = [row for row in counting if any(times[line] > 1 for line in lines[row.entry.name])]
    left = tuple(row for row in found if row.entry.name not in named)
    return Notice("", left) if left else None


def _by_file(
    rows: Iterable[SubmissionRow],
    files: Iterable[str],
    known: ClassList,
    lacking: Callable[[Iterable[Entry]], Sequence[Entry]],
) -> tuple[Notice, ...]:
    by_entry = {row.entry.name: row for row in rows}
    entries = [row.entry for row in by_entry.values()]
    notices = (
        Notice(name, tuple(by_entry[one.name] for one in lacking(handed_in(entries, COURSE_FILES[name], known))))
        for name in files
        if name in COURSE_FILES
    )
    return tuple(notice for notice in notices if notice.rows)


def of_names(by_name: Mapping[str, SubmissionRow], names: Iterable[str]) -> Notice | None:
    """Return the submissions with these names."""
    found = tuple(by_name[name] for name in names)
    return Notice("", found) if found else None


def _reasons(checks: Iterable[Check]) -> str:
    return "; ".join(dict.fromkeys(check.message for check in checks))


def _grouped(rows: Iterable[SubmissionRow], reason: Callable[[SubmissionRow], str]) -> tuple[Notice, ...]:
    groups: dict[str, list[SubmissionRow]] = {}
    for row in rows:
        groups.setdefault(reason(row), []).append(row)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    notices = [Notice(text, tuple(same)) for text, same in ordered[:MAX_REASONS]]
    # A reason can name the submission, and then there may be a thousand of them.
    others = tuple(row for _, same in ordered[MAX_REASONS:] for row in same)
    return (*notices, Notice("Other reasons, listed in the table", others)) if others else tuple(notices)
