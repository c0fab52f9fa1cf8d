"""`grader feedback RESULTS --format canvas|moodle --out FILE.zip`."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from grader.atomic_write import write_atomic
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_results
from grader.cli.common import message_printer, print_message
from grader.cli.exit_status import BROKEN, OK
from grader.cli.student_reports import spec_of_results
from grader.course.grades import FinalGrades, final_grades
from grader.errors import UsageError
from grader.messages import Notify
from grader.model.counted import counted, listed_up_to
from grader.model.gradebook import COURSE_SYSTEMS, Entry
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import Visibility
from grader.render.exports.feedback import FeedbackFormat, feedback_paths, feedback_zip
from grader.render.html.pages import report_html
from grader.render.text.escape import one_line
from grader.render.views.roster import handed_in
from grader.render.views.visible_checks import for_students

MAX_NAMED = 8


@click.command("feedback")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--format", "system", required=True, type=click.Choice(["canvas", "moodle"]))
@click.option("--out", required=True, metavar="FILE.zip", type=click.Path(path_type=Path), help="The file to write.")
@click.option("--lab", help="Name of a lab, path of its folder, or path of a spec.  [default: that of the results]")
@click.option(
    "--also",
    multiple=True,
    type=click.Choice(["after_due_date", "after_published"]),
    help="Show checks of this visibility too. Can be repeated.",
)
def command(
    *,
    results: Path,
    system: FeedbackFormat,
    out: Path,
    lab: str | None,
    also: tuple[Visibility, ...],
) -> int:
    """Write a zip with each student's report, to upload to Canvas or Moodle.

    RESULTS is a folder that `grader grade --out RESULTS` wrote to. The reports leave out what students must not see.
    An attempt that does not count has none.

    Exit status: 0, or 3 if a submission of this course system is not in the zip.
    """
    console, notify = Console(), message_printer()
    # Of a device, its end would be looked for.
    if out.exists() and not (out.is_file() and zipfile.is_zipfile(out)):
        raise UsageError(f"{out} is not a zip; choose another file")
    with open_results(results) as book:
        book.notify_damage(notify)
        final = final_grades(book.entries(), book.rules())
        entries = handed_in(map(final.entry, book.entries()), system)
        if not entries:
            raise UsageError(f"{results} has no submission from an export of {COURSE_SYSTEMS[system]}")
        spec = spec_of_results(book, entries, lab)
        entries, others = _counted(entries, final)
        reports, missing = _reports(book, entries, system, spec, ("visible", *also), final, notify)
    if others:
        names = listed_up_to(MAX_NAMED, others)
        notify(one_line(f"without a report ({len(others):,}): {names}: another attempt of theirs counts"))
    write_atomic(out, feedback_zip(reports.items()))
    print_message(
        console, one_line(f"{counted(len(entries) - missing, 'report')} of {len(entries):,} written: {out}")
    )
    return BROKEN if missing else OK


def _counted(entries: Sequence[Entry], final: FinalGrades) -> tuple[list[Entry], list[str]]:
    """Return the entries that count, and the names of the others."""
    grades = final.grades
    others = [entry.name for entry in entries if entry.name in grades and not grades[entry.name].counts]
    return [entry for entry in entries if entry.name not in others], others


def _reports(  # noqa: PLR0913, PLR0917 - everything that decides what a student sees
    book: Gradebook,
    entries: Sequence[Entry],
    system: FeedbackFormat,
    spec: Spec,
    seen: Sequence[Visibility],
    final: FinalGrades,
    notify: Notify,
) -> tuple[dict[str, bytes], int]:
    """Return the pages by path, and the number of submissions without one, which are reported."""
    pages: dict[str, bytes] = {}
    left_out: dict[str, list[str]] = {}
    for entry in entries:
        paths, report = feedback_paths(entry, system), book.report(entry.name)
        if report is None or report.status != "graded" or entry.last_error:
            left_out.setdefault("not graded, or only an earlier hand-in was", []).append(entry.name)
        elif not paths or pages.keys() & {*paths}:
            left_out.setdefault(f"{COURSE_SYSTEMS[system]} cannot tell whose report it would be", []).append(
                entry.name
            )
        else:
            pages |= dict.fromkeys(paths, report_html(for_students(final.report(report), spec, seen)))
    for reason, names in left_out.items():
        notify(one_line(f"without a report ({len(names):,}): {listed_up_to(MAX_NAMED, names)}: {reason}"))
    return pages, sum(map(len, left_out.values()))
