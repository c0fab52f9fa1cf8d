"""What `grader check` shows and writes: a line for each check when it is decided, then the report and its files."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text
from typing_extensions import Self

from grader.atomic_write import write_atomic
from grader.cli.common import print_message
from grader.cli.main import BROKEN, OK
from grader.cli.progress import event_words
from grader.grading.options import Observer
from grader.messages import Notify
from grader.model.evidence import Toolchain
from grader.model.gradebook import Entry, Origin
from grader.model.report import Check, Report, without_evidence
from grader.render.terminal.styled_text import check_line
from grader.render.text.escape import one_line
from grader.render.text.phrases import counted, points_counted
from grader.sandbox.base import Progress
from grader.selfcheck.own_work import Outcome, unjudged

FAILED = 1

STATUS: Mapping[Outcome, int] = {"passed": OK, "failed": FAILED, "unjudged": BROKEN, "not-graded": BROKEN}
"""A check that was not judged is neither right nor wrong: 0 would accept it, 1 would blame the student."""


class CheckLines(Observer):
    """Prints each check once, in the order in which they are decided; in a terminal also what is running."""

    def __init__(self, console: Console, checks: Iterable[str], on_start: Callable[[], None] = lambda: None) -> None:
        """Expect the checks with these ids; `on_start` is called when the guest begins its work."""
        self._on_start = on_start
        self._console = console
        self._open = dict.fromkeys(checks)
        self._total = len(self._open)
        self._id_width = max(map(len, self._open), default=0)
        self._doing = "getting ready"
        moves = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(get_renderable=self.picture, console=console, transient=True) if moves else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def step_done(self, event: Progress) -> None:
        """Show what was just done."""
        self._doing = event_words(event)
        if isinstance(event, Toolchain):
            self._on_start()

    def check_decided(self, check: Check) -> None:
        """Print the line of a check, if it is expected and was not printed yet."""
        if check.id not in self._open:
            return
        del self._open[check.id]
        line = check_line(check, self._id_width)
        if self._console.is_terminal:
            # The report says what is cut off here, if the check did not pass.
            self._console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            self._console.print(line, soft_wrap=True, crop=False)

    def rest(self, report: Report) -> None:
        """Print the lines of the checks that were decided at the end only."""
        for check in report.checks:
            self.check_decided(check)

    def picture(self) -> RenderableType:
        """Return what moves below the lines."""
        done = self._total - len(self._open)
        return Text(
            one_line(f"{done} of {self._total} checks; {self._doing}"), "dim", no_wrap=True, overflow="ellipsis"
        )


def load_views(*, html: bool) -> None:
    """Load what shows the report. It takes a while, so call it while the guest works."""
    importlib.import_module("grader.render.terminal.report")
    if html:
        importlib.import_module("grader.render.html.pages").prepare(class_page=False)


def print_summary(report: Report, console: Console) -> None:
    """Print what went wrong, and what to begin with."""
    # Imported here, see load_views.
    from grader.render.terminal.report import summary  # noqa: PLC0415
    from grader.render.views.failures import next_step  # noqa: PLC0415

    print_message(console, "")
    console.print(summary(report), crop=False)
    if step := next_step(report):
        console.print(Text(f"\n{step}", style="bold"))


def write_files(report: Report, origin: Origin, html: Path | None, junit: Path | None, notify: Notify) -> None:
    """Write the page and the JUnit XML of a report, as far as they have a path.

    Raises:
        GraderError: a file cannot be written.
    """
    # Imported here: they take a while to load, and most runs need neither.
    if html is not None:
        from grader.render.html.pages import report_html  # noqa: PLC0415

        write_atomic(html, report_html(report))
        notify(one_line(f"written: {html}"))
    if junit is not None:
        from grader.render.exports.junit import junit_xml  # noqa: PLC0415

        entry = Entry(name=report.submission.name, origin=origin, report=without_evidence(report))
        write_atomic(junit, junit_xml([entry]))
        notify(one_line(f"written: {junit}"))


def unjudged_words(report: Report) -> str:
    """Return how many checks were not judged, and that this machine is the reason."""
    checks = unjudged(report)
    worth = points_counted(sum(check.max_points for check in checks))
    return (
        f"\nNOT ALL WAS JUDGED: {counted(len(checks), 'check')} worth {worth} could not be, for want of"
        " something on this machine and not through your work. `grader doctor` says what is missing."
    )
