"""The report on one's own work: made with a line a check, then shown whole, and written where it is wanted."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.atomic_write import write_atomic
from grader.cli.broken_pipe import discard_output
from grader.cli.check_lines import CheckLines
from grader.cli.common import BrokenPipeConsole, print_message
from grader.cli.main import BROKEN, OK
from grader.grading.pipeline import GradeOptions
from grader.intake.found import DiscoveredSubmission, read_submission
from grader.messages import Notify
from grader.model.evidence import Toolchain
from grader.model.gradebook import Entry
from grader.model.report import Report, without_evidence
from grader.render.exports.report_json import report_json
from grader.render.text.escape import one_line
from grader.render.text.phrases import counted, points_counted
from grader.sandbox.base import Progress
from grader.selfcheck.own_work import Outcome, OwnGrader, outcome, unjudged

FAILED = 1

STATUS: Mapping[Outcome, int] = {"passed": OK, "failed": FAILED, "unjudged": BROKEN, "not-graded": BROKEN}
"""What was not judged is neither right nor wrong: 0 would let unlooked-at work through, 1 would blame the student."""

SUMMARY = "grader.render.terminal.report"
PAGES = "grader.render.html.pages"


@dataclass(frozen=True)
class Targets:
    """Where a report goes, beside the terminal."""

    html: Path | None
    junit: Path | None
    as_json: bool


class OwnReports:
    """Makes and shows reports on one's own work; `only` are the checks that are asked for, None: all."""

    def __init__(
        self,
        grader: OwnGrader,
        only: frozenset[str] | None,
        console: BrokenPipeConsole,
        notify: Notify,
        targets: Targets,
    ) -> None:
        """Print on `console`; `notify` gets what is not of the report."""
        self.spec = grader.spec
        self.console = console
        self._grader = grader
        self._only = only
        self._notify = notify
        self._targets = targets

    def make(self, found: DiscoveredSubmission) -> Report:
        """Return the report of a submission, having printed a line for each check as it was decided."""
        submission = read_submission(found, self.spec)
        with CheckLines(self.console, self._expected()) as lines:

            def watch(event: Progress) -> None:
                lines.watch(event)
                if isinstance(event, Toolchain):
                    # It takes its time, and just now the guest compiles: at the end somebody would wait for it.
                    importlib.import_module(SUMMARY)
                    if self._targets.html is not None:
                        importlib.import_module(PAGES).prepare()

            report = self._grader.grade(
                submission, GradeOptions(watch=watch, decided=lines.decided, asked=self._only)
            )
            lines.rest(report)
        return report

    def _expected(self) -> list[str]:
        return [check for check in self.spec.checks() if self._only is None or check in self._only]

    def show(self, found: DiscoveredSubmission, report: Report) -> int:
        """Print what came of it and write the files that are wanted; return the exit status."""
        # Imported here, see above.
        from rich.text import Text  # noqa: PLC0415

        from grader.render.terminal.report import summary  # noqa: PLC0415
        from grader.render.views.failures import next_step  # noqa: PLC0415

        print_message(self.console, "")
        self.console.print(summary(report), crop=False)
        if step := next_step(report):
            self.console.print(Text(f"\n{step}", style="bold"))
        if self._targets.as_json:
            _print_json(report)
        for path, render in ((self._targets.html, _page), (self._targets.junit, _junit)):
            if path is not None:
                write_atomic(path, render(report, found))
                self._notify(one_line(f"written: {path}"))
        came = outcome(report)
        if came == "unjudged":
            print_message(self.console, _unjudged_words(report))
        return STATUS[came]


def _print_json(report: Report) -> None:
    try:
        sys.stdout.buffer.write(report_json(report))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The verdict, and so the exit status, is the same.
        discard_output(sys.stdout)


def _page(report: Report, _found: DiscoveredSubmission) -> bytes:
    # Imported here: it takes its time, and most runs want no page.
    from grader.render.html.pages import report_html  # noqa: PLC0415

    return report_html(report)


def _junit(report: Report, found: DiscoveredSubmission) -> bytes:
    # Imported here, too.
    from grader.render.exports.junit import junit_xml  # noqa: PLC0415

    return junit_xml([Entry(name=found.name, origin=found.origin, report=without_evidence(report))])


def _unjudged_words(report: Report) -> str:
    checks = unjudged(report)
    worth = points_counted(sum(check.max_points for check in checks))
    return (
        f"\nNOT ALL WAS JUDGED: {counted(len(checks), 'check')} worth {worth} could not be, for want of"
        " something on this machine and not through your work. `grader doctor` says what is missing."
    )
