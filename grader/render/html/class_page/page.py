"""The values that the class page shows, computed from the entries of a gradebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grader.course.grades import FinalGrades
from grader.model.gradebook import Entry
from grader.render.html.class_page import answers, frequency, notices, plots
from grader.render.html.class_page.notebooks import notebook_table
from grader.render.html.class_page.scores import scores_of
from grader.render.html.class_page.sections import sections_of
from grader.render.html.class_page.submission_row import MARKS, SubmissionRow
from grader.render.views.commands import Commands
from grader.render.views.faults import fault_notes
from grader.render.views.lab_versions import LabVersion, is_of, version_name

FILES = {
    "grades.csv": "for a spreadsheet",
    "canvas.csv": "to import in Canvas",
    "moodle.csv": "a grading worksheet for Moodle",
    "junit.xml": "test results",
    "similar.html": "submissions that are alike",
}
"""What the files next to the page are for."""


def index_values(  # noqa: PLR0913, PLR0917 - everything on the page
    entries: Sequence[Entry],
    files: Sequence[str],
    versions: Sequence[LabVersion],
    withheld: Sequence[str],
    commands: Commands,
    final: FinalGrades,
) -> dict[str, Any]:
    """Return the values of index.html.j2 except its script; rows are in the order of the entries.

    All statistics are of one version of the lab: scores and checks of several must not be counted together.
    """
    known = final.known
    rows = [
        replace(
            _row(entry, versions),
            sections=known.sections(entry.name),
            on_roster=tuple(student.label for student in known.students.get(entry.name, ())),
        )
        for entry in entries
    ]
    by_name = {row.entry.name: row for row in rows}
    graded = [row for row in rows if row.graded]
    counted = [row for row in graded if row.is_counted]
    marks = Counter(mark for row in rows for mark in row.marks)
    attempts = notices.attempts(rows, files, known)
    return {
        "command": commands.grade,
        "rescore_command": commands.rescore,
        "versions": versions,
        "mixed": len(versions) > 1,
        "earlier": len(versions) == 1 and not versions[0].is_current,
        "withheld": withheld,
        "counted": len(counted),
        "rows": rows,
        "graded": len(graded),
        "notebooks": notebook_table(rows),
        "files": [(name, FILES.get(name, "")) for name in files],
        "unfinished": notices.unfinished(rows),
        "not_graded": notices.not_graded(rows),
        "troubled": notices.troubled(rows),
        "unjudged": notices.unjudged(graded),
        "left_out": notices.left_out(rows, files, known),
        "attempts": attempts,
        "several": notices.several(rows, known, attempts),
        "doubtful": notices.doubtful(graded),
        "unbuilt": notices.unbuilt(graded),
        "unexplained": notices.unexplained(graded),
        "scores": scores_of((row.entry.final_score, row.report.max_score) for row in counted if row.counts),
        "causes": frequency.cause_counts(counted),
        "symptoms": frequency.symptom_counts(counted),
        "programs": frequency.programs(counted),
        "checks": frequency.check_lines(counted),
        "time_plots": plots.time_plots(counted),
        "call_plot": plots.call_plot(counted),
        "answers": answers,
        "max_rows": frequency.MAX_ROWS,
        "marks": [(mark, label, marks[mark]) for mark, label in MARKS.items() if marks[mark]],
        "faults": [*fault_notes(entries)],
        "course_notes": final.notes,
        "has_grades": any(row.grade is not None for row in rows),
        "missing": known.missing,
        "absent": known.absent,
        "unknown": notices.of_names(by_name, known.unknown),
        "ambiguous": notices.of_names(by_name, known.ambiguous),
        "sections": sections_of(rows, known),
        "full_marks": {row.report.max_score for row in graded or rows},
    }


def _row(entry: Entry, versions: Sequence[LabVersion]) -> SubmissionRow:
    if entry.report.status != "graded" or len(versions) <= 1:
        return SubmissionRow(entry)
    return SubmissionRow(entry, version_name(entry.report.lab_version), is_of(entry.report, versions[0]))
