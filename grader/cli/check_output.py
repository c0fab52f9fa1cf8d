"""What `grader check` shows and writes: what is running, then the report and its files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text
from typing_extensions import Self

from grader.atomic_write import write_atomic
from grader.cli.common import print_message
from grader.cli.exit_status import BROKEN, FAILED, OK
from grader.cli.own_command import with_own_command
from grader.cli.started_as import started_as
from grader.messages import Notify
from grader.model.counted import counted
from grader.model.evidence import BuildDone, RunDone, StepLeftOut, Toolchain
from grader.model.gradebook import Entry, Origin
from grader.model.plan import RunStep
from grader.model.report import Check, Report, without_evidence
from grader.options import Observer
from grader.render.terminal.styled_text import check_line, indented
from grader.render.text.escape import one_line
from grader.render.text.phrases import points_counted
from grader.sandbox.base import ProgressEvent
from grader.selfcheck.own_work import OwnResult, unjudged

STATUS: Mapping[OwnResult, int] = {"passed": OK, "failed": FAILED, "unjudged": BROKEN, "not-graded": BROKEN}
"""A check that was not judged is neither right nor wrong: 0 would accept it, 1 would blame the student."""


WAIT_SHOWN_S = 1
"""Seconds after which the status line says how long a run has been going on, and when it is stopped."""


class CheckLines(Observer):
    """Shows in a terminal what is running; with `verbose`, prints each check once, as soon as it is decided."""

    def __init__(
        self,
        console: Console,
        checks: Iterable[str],
        on_start: Callable[[], None] = lambda: None,
        *,
        verbose: bool = False,
    ) -> None:
        """Expect the checks with these ids; `on_start` is called when the guest begins its work."""
        self._verbose = verbose
        self._failed = 0
        self._on_start = on_start
        self._console = console
        self._open = dict.fromkeys(checks)
        self._total = len(self._open)
        self._id_width = max(map(len, self._open), default=0)
        self._doing = "getting ready"
        self.known: Report | None = None
        """The report with all verdicts, from the time when they are known."""
        self._runs: dict[str, RunStep] = {}
        self._running: RunStep | None = None
        self._since_s = time.monotonic()
        moves = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(get_renderable=self.picture, console=console, transient=True) if moves else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hide()

    def hide(self) -> None:
        """Remove what moves."""
        if self._live is not None:
            self._live.stop()

    def work_planned(self, runs: Sequence[RunStep]) -> None:
        """Remember the runs to wait for, also if two guests work at the same time."""
        self._runs.update({run.id: run for run in runs})

    def event_received(self, event: ProgressEvent) -> None:
        """Show what is done now."""
        match event:
            case Toolchain():
                self._on_start()
                self._doing = "compiling"
            case BuildDone():
                # If there are more builds, they come before the first run.
                self._doing = f"compiled {event.program}"
            case RunDone() | StepLeftOut():
                self._runs.pop(event.step, None)
                self._running = next(iter(self._runs.values()), None)
        self._since_s = time.monotonic()

    def judged(self, report: Report) -> None:
        """Show that every run has ended."""
        self.known = report
        self._running = None
        failed = any(check.status == "failed" for check in report.checks)
        self._doing = "looking for causes" if failed else "making the report"
        self._since_s = time.monotonic()

    def check_decided(self, check: Check) -> None:
        """Count a check, if it is expected and was not decided yet, and print its line if all are printed."""
        if check.id not in self._open:
            return
        del self._open[check.id]
        self._failed += check.status == "failed"
        if not self._verbose:
            return
        line = check_line(check, self._id_width)
        if self._console.is_terminal:
            # The report says what is cut off here, if the check did not pass.
            self._console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            self._console.print(line, soft_wrap=True, crop=False)

    def rest(self, report: Report) -> None:
        """Count the checks that were decided at the end only."""
        for check in report.checks:
            self.check_decided(check)

    def picture(self) -> RenderableType:
        """Return what moves below the lines."""
        done = f"{self._total - len(self._open)} of {self._total} checks"
        failed = f", {self._failed} failed" if self._failed else ""
        running, seconds = self._running, time.monotonic() - self._since_s
        if running is None:
            words = f"{done}{failed}; {self._doing}{f', {seconds:.0f} s' if seconds >= WAIT_SHOWN_S else ''}"
        elif seconds < WAIT_SHOWN_S:
            words = f"{done}{failed}; {_run_words(running)}"
        else:
            # The number of failures is left out, so that this fits 80 columns.
            words = f"{done}; {_waiting_words(running, seconds)}"
        return Text(one_line(words), "dim", no_wrap=True, overflow="ellipsis")


def _run_words(run: RunStep) -> str:
    return f"{run.program}, {run.case}{' with strace' if run.tracer_limits else ''}"


def _waiting_words(run: RunStep, seconds: float) -> str:
    """Say how long a run has been waited for, and when it is stopped at the latest."""
    # A right program takes seconds at full size only.
    doing = "running for" if run.predicted_by else "has not ended after"
    limits = run.tracer_limits or run.limits
    return f"{_run_words(run)}: {doing} {seconds:.0f} s (limit {limits.wall_s:g} s)"


def print_report(report: Report, console: Console, change: str = "", *, verbose: bool) -> None:
    """Print what went wrong, and what has changed since the last check.

    `verbose`: with the evidence of each failed check and all tables.
    """
    # Imported here, see preload_views.
    from grader.render.terminal.report import in_full  # noqa: PLC0415
    from grader.render.terminal.summary import summary  # noqa: PLC0415

    own = with_own_command(report)
    if change:
        console.print(indented(f"Since the last check: {change}.", columns=0))
    if verbose:
        print_message(console, "")
    console.print(in_full(own) if verbose else summary(own), crop=False)


def write_files(report: Report, origin: Origin, html: Path | None, junit: Path | None, notify: Notify) -> None:
    """Write the page and the JUnit XML of a report, as far as they have a path.

    Raises:
        GraderError: a file cannot be written.
    """
    # Imported here: they take a while to load, and most runs need neither.
    if html is not None:
        from grader.render.html.pages import report_html  # noqa: PLC0415

        # The student reads it, on this machine.
        write_atomic(html, report_html(with_own_command(report)))
        notify(one_line(f"written: {html}"))
    if junit is not None:
        from grader.render.exports.junit import junit_xml  # noqa: PLC0415

        entry = Entry(name=report.submission.name, origin=origin, report=without_evidence(report))
        write_atomic(junit, junit_xml([entry]))
        notify(one_line(f"written: {junit}"))


def print_unjudged(report: Report, console: Console) -> None:
    """Print how many checks were not judged, and that this machine is the reason."""
    checks = unjudged(report)
    worth = points_counted(sum(check.max_points for check in checks))
    print_message(console, "")
    words = (
        f"NOT EVERYTHING WAS JUDGED: {counted(len(checks), 'check')} worth {worth} could not be judged, because this"
        f" machine lacks something. Your work is not the reason. `{started_as()} doctor` shows what is missing."
    )
    console.print(indented(words, columns=0))
