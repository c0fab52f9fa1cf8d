"""What a teaching assistant has to see to before the grades go out: it stands above everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.model.gradebook import CourseSystem
from grader.render.exports.roster import handed_in, without_number
from grader.render.html.class_page.rows import Row

SHOWN = 12
"""So many submissions are named at once; the others are in the table."""

REASONS = 8
"""So many reasons are told one by one."""

COURSE_FILES: dict[str, CourseSystem] = {"canvas.csv": "canvas", "moodle.csv": "moodle"}


@dataclass(frozen=True)
class Notice:
    """What happened to these submissions, in the same words."""

    words: str
    rows: tuple[Row, ...]

    @property
    def shown(self) -> tuple[Row, ...]:
        """Those that are named."""
        return self.rows[:SHOWN]

    @property
    def more(self) -> int:
        """How many there are beside them."""
        return max(0, len(self.rows) - SHOWN)


def not_graded(rows: Iterable[Row]) -> tuple[Notice, ...]:
    """Return the submissions without a score, by the newest reason; the most frequent first."""
    return _grouped((row for row in rows if not row.graded), lambda row: row.entry.trouble or row.report.reason)


def troubled(rows: Iterable[Row]) -> tuple[Notice, ...]:
    """Return those with a score whose newest hand-in gave no result, by the reason."""
    return _grouped((row for row in rows if "trouble" in row.marks), lambda row: row.entry.trouble)


def left_out(rows: Iterable[Row], files: Iterable[str]) -> tuple[Notice, ...]:
    """Return those whom a file for a course system lacks, by the file, where that file is made."""
    by_entry = {row.entry.name: row for row in rows}
    entries = [row.entry for row in by_entry.values()]
    found = (
        Notice(name, tuple(by_entry[entry.name] for entry in without_number(handed_in(entries, COURSE_FILES[name]))))
        for name in files
        if name in COURSE_FILES
    )
    return tuple(notice for notice in found if notice.rows)


def _grouped(rows: Iterable[Row], reason: Callable[[Row], str]) -> tuple[Notice, ...]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(reason(row), []).append(row)
    ordered = sorted(groups.items(), key=lambda one: -len(one[1]))
    told = [Notice(words, tuple(same)) for words, same in ordered[:REASONS]]
    # A reason may name the submission; a thousand of them are read in the table.
    others = tuple(row for _, same in ordered[REASONS:] for row in same)
    return (*told, Notice("Other reasons, which stand in the table", others)) if others else tuple(told)
