"""The pages: self-contained HTML that works offline, from the templates in reports/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from grader.course.grades import NO_GRADES, FinalGrades
from grader.model.gradebook import Entry
from grader.model.notebook import Notebook
from grader.model.report import Report
from grader.render.html import chart, environment, parameter_chart
from grader.render.html.class_page.page import index_values
from grader.render.html.script import CLASS, REPORT, script
from grader.render.views import failures, notebooks, notes, problems, syscalls, timings
from grader.render.views.commands import NO_COMMANDS, Commands
from grader.render.views.lab_versions import LabVersion, lab_versions

MAX_PAGE_BYTES = 150_000
"""Students open a page on a phone, and courses keep hundreds of them."""


@dataclass(frozen=True)
class PageLimits:
    """How much of what a program wrote a page shows.

    `max_cases` cases of each failed check are shown in full, `max_names` more by name. Without `short_inputs`, the
    calls for shorter inputs than the longest are left out.
    """

    text_chars: int
    output_bytes: int
    log_chars: int
    max_cases: int
    max_names: int
    short_inputs: bool = False


LIMITS = (
    PageLimits(text_chars=4000, output_bytes=2000, log_chars=16_000, max_cases=10, max_names=50, short_inputs=True),
    PageLimits(text_chars=2000, output_bytes=1000, log_chars=8000, max_cases=4, max_names=30, short_inputs=True),
    # A table is worth less than what went wrong, which is cut only then.
    PageLimits(text_chars=2000, output_bytes=1000, log_chars=4000, max_cases=2, max_names=20),
    PageLimits(text_chars=1000, output_bytes=400, log_chars=2000, max_cases=2, max_names=20),
    PageLimits(text_chars=300, output_bytes=80, log_chars=800, max_cases=1, max_names=5),
    PageLimits(text_chars=80, output_bytes=16, log_chars=200, max_cases=1, max_names=1),
)
"""From as much as people can read down to what fits if every program wrote as much as it could."""


def report_html(report: Report) -> bytes:
    """Return the page of one submission, in UTF-8; the student is its reader.

    What programs wrote is cut shorter, limit by limit, until the page is not larger than MAX_PAGE_BYTES.
    """
    found = problems.problems(report)
    values = {
        "report": report,
        "notes": notes.shown_notes(report),
        "failed": failures.with_status(report, "failed"),
        "skipped": failures.with_status(report, "skipped"),
        "passed": failures.with_status(report, "passed"),
        "problems": found,
        "following": problems.may_follow(found),
        "script": script(REPORT),
        "warnings": failures.remaining_warnings(report),
        "call_groups": syscalls.call_groups(report),
        "time_groups": timings.time_groups(report),
        "chart": chart.chart_of(report),
        "notebook": None if report.notebook is None else _notebook(report.notebook),
        "parameter_charts": parameter_chart.parameter_charts(report),
    }
    page = b""
    for limits in LIMITS:
        page = environment.fill("report.html.j2", {**values, "limits": limits})
        if len(page) <= MAX_PAGE_BYTES:
            break
    return page


def _notebook(notebook: Notebook) -> dict[str, object]:
    return {
        "in_short": notebooks.in_short(notebook),
        "findings": notebooks.by_weight(notebook),
        "missing": notebooks.missing(notebook),
        "annotated": partial(notebooks.annotated, notebook),
    }


def index_html(  # noqa: PLR0913 - everything on the page
    entries: Sequence[Entry],
    *,
    files: Sequence[str] = ("grades.csv",),
    versions: Sequence[LabVersion] | None = None,
    withheld: Sequence[str] = (),
    commands: Commands = NO_COMMANDS,
    final: FinalGrades = NO_GRADES,
) -> bytes:
    """Return the page of a class, in UTF-8; a teaching assistant is its reader.

    Its table has one row per entry, in their order, with a link to NAME/report.html next to the page. The page also
    links to `files`, the names of other files there, such as grades.csv. `versions` of the lab have the scores (by
    default those of the entries), and `withheld` files are not there because there are several. `final` has what is
    known of final scores and the roster, besides the grades in the entries.
    """
    if versions is None:
        versions = lab_versions(entries)
    values = index_values(entries, files, versions, withheld, commands, final)
    return environment.fill("index.html.j2", {**values, "script": script(CLASS)})


def compile_templates(*, class_page: bool) -> None:
    """Compile the templates, which takes 0.2 s: call it while programs run and nobody waits."""
    environment.compile_templates(class_page=class_page)
