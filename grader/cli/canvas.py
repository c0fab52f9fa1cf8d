"""`grader canvas RESULTS --url URL --course ID --assignment ID`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_results
from grader.cli.common import message_printer, print_message
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK
from grader.cli.student_reports import spec_of_results
from grader.course.grades import FinalGrades, final_grades
from grader.errors import GraderError, UsageError
from grader.messages import Notify
from grader.model.counted import counted, listed_up_to
from grader.model.gradebook import Entry
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import Visibility
from grader.render.html.pages import report_html
from grader.render.text.escape import one_line
from grader.render.text.phrases import final_words, points_words, signed_points
from grader.render.views.roster import decided, handed_in, is_number, undecided_attempts
from grader.render.views.visible_checks import for_students

if TYPE_CHECKING:
    from grader.batch.canvas import Change, StudentResult

MAX_NAMED = 200
SEEN: tuple[Visibility, ...] = ("visible",)
ATTACHED = "Your report is attached; download it and open it in a browser."


@click.command("canvas")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--url", required=True, metavar="URL", help="Address of Canvas.")
@click.option("--course", required=True, metavar="ID", type=click.IntRange(min=1), help="As in its address.")
@click.option("--assignment", required=True, metavar="ID", type=click.IntRange(min=1), help="As in its address.")
@click.option("--lab", help="Name of a lab, path of its folder, or path of a spec.  [default: that of the results]")
@click.option("--reports/--no-reports", default=True, show_default=True, help="Upload the reports too.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def command(  # noqa: PLR0913 - one parameter per option
    *, results: Path, url: str, course: int, assignment: int, lab: str | None, reports: bool, dry_run: bool
) -> int:
    """Upload final scores, comments and reports to an assignment in Canvas.

    RESULTS is a folder that `grader grade --out RESULTS` wrote to, of submissions that were downloaded from Canvas,
    or of others with Canvas's gradebook as --roster. Only what differs is uploaded, so the same command can be run
    again. Reports are without what students must not see. Students who handed in nothing get what overrides.yaml
    decides. The access token is read from the variable CANVAS_API_TOKEN.

    Exit status: 0, or 3 if a student of the results could not be brought up to date.
    """
    console, notify = Console(), message_printer()
    try:
        from grader.batch.canvas import TOKEN, CanvasAssignment, changes  # noqa: PLC0415 - an optional library
    except ModuleNotFoundError as error:
        raise UsageError(f"`grader canvas` needs {error.name}; install iolab-grader[canvas]") from error
    with open_results(results) as book:
        book.notify_damage(notify)
        final = final_grades(book.entries(), book.rules())
        entries = handed_in(map(final.entry, book.entries()), "canvas", final.known)
        if not entries:
            raise UsageError(
                f"{results} has no submission from an export of Canvas; "
                "grade with --roster and the export of Canvas's gradebook, which says who is who there"
            )
        spec = spec_of_results(book, entries, lab)
        given, left_out = _results(book, entries, final, spec, with_pages=reports)
    there = CanvasAssignment(url, os.environ.get(TOKEN, ""), course, assignment)
    max_score = spec.max_score
    if there.points_possible is not None and there.points_possible != max_score:
        raise UsageError(
            f"{one_line(there.title)} has {points_words(there.points_possible)} points in Canvas and "
            f"{points_words(max_score)} in the lab; make them the same"
        )
    to_do, unknown = changes(there, given)
    if unknown:
        left_out["the assignment in Canvas has no such student"] = unknown
    status = OK
    done = 0
    try:
        for change in to_do:
            if not dry_run:
                there.upload(change)
            done += 1
            print_message(console, one_line(_words(change)))
    except KeyboardInterrupt:
        status = INTERRUPTED
        notify("interrupted; the same command goes on from there")
    except GraderError as error:
        status = BROKEN
        notify(one_line(f"{to_do[done].result.name}: {error}; the same command goes on from there"))
    _report(left_out, notify)
    counts = f"{done:,} of {counted(len(given) + sum(map(len, left_out.values())) - len(unknown), 'student')}"
    same = len(given) - len(unknown) - len(to_do)
    print_message(
        console,
        f"{counts} {'would be ' if dry_run else ''}changed in {one_line(there.title)}; {same:,} already up to date"
        + ("; nothing was uploaded (--dry-run)" if dry_run else ""),
    )
    return BROKEN if status == OK and left_out else status


def _results(
    book: Gradebook, entries: Sequence[Entry], final: FinalGrades, spec: Spec, *, with_pages: bool
) -> tuple[list[StudentResult], dict[str, list[str]]]:
    """Return what students are to have in Canvas, and who is left out, by the reason."""
    from grader.batch.canvas import StudentResult  # noqa: PLC0415 - see command

    found: dict[str, StudentResult] = {}
    left_out: dict[str, list[str]] = {}
    several = {entry.name for entry in undecided_attempts(entries)}
    for entry in entries:
        grade = entry.report.grade
        if grade is not None and not grade.counts:
            continue
        if not entry.origin.people or not all(is_number(person.id) for person in entry.origin.people):
            left_out.setdefault("neither the export nor the roster has their numbers in Canvas", []).append(
                entry.name
            )
            continue
        if entry.name in several:
            words = "of the same student; say in course.yaml which one counts, for example with attempts: best"
            left_out.setdefault(words, []).append(entry.name)
            continue
        if (entry.final_score is None or entry.last_error) and not (grade is not None and grade.excused):
            left_out.setdefault("not graded, or only an earlier hand-in was", []).append(entry.name)
            continue
        page = _page(book, entry, final, spec) if with_pages else None
        for person in entry.origin.people:
            found[person.id] = StudentResult(
                person.id,
                entry.name if len(entry.origin.people) == 1 else f"{entry.name} ({person.id})",
                None if grade is not None and grade.excused else entry.final_score,
                " ".join(_comment(entry.report, has_page=page is not None)),
                page,
            )
    for row in decided(entries, final.known, "canvas"):
        found[row.person.id] = StudentResult(
            row.person.id, f"{row.person.name} ({row.person.id})", row.score, row.comment
        )
    return list(found.values()), left_out


def _page(book: Gradebook, entry: Entry, final: FinalGrades, spec: Spec) -> bytes | None:
    report = book.report(entry.name)
    if report is None or report.status != "graded":
        return None
    return report_html(for_students(final.report(report), spec, SEEN))


def _comment(report: Report, *, has_page: bool) -> Iterator[str]:
    """Yield sentences: how the final score came about, what the course says, and what is attached."""
    grade = report.grade
    if grade is not None and grade.adjustments:
        computed = points_words(grade.computed)
        steps = "; ".join(f"{_points(one.points)}{one.reason}" for one in grade.adjustments)
        yield f"Computed score {computed}. {steps}. Final score {final_words(grade)}."
    if grade is not None and grade.comment:
        yield grade.comment
    if has_page:
        yield ATTACHED


def _points(points: float) -> str:
    return f"{signed_points(points)}: " if points else ""


def _words(change: Change) -> str:
    """Say what changes for a student."""
    parts = [f"{change.before} to {change.after}"] if change.is_new_score else [f"stays at {change.after}"]
    parts += ["comment"] if change.is_new_comment else []
    parts += [change.result.file_name] if change.is_new_page else []
    return f"{change.result.name}: {', '.join(parts)}"


def _report(left_out: dict[str, list[str]], notify: Notify) -> None:
    for reason, names in left_out.items():
        notify(one_line(f"left out ({len(names):,}): {listed_up_to(MAX_NAMED, names)}: {reason}"))
