"""The progress display in the terminal while submissions are graded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID
from rich.progress_bar import ProgressBar
from rich.text import Text
from typing_extensions import Self

from grader.model.evidence import BuildDone, RunDone, StepLeftOut, Toolchain
from grader.render.text.escape import one_line
from grader.sandbox import base

WIDE = 72
"""With fewer columns the bar and the elapsed time are left out, so that the rest can be read."""


class _Bar(BarColumn):
    def __init__(self, console: Console) -> None:
        super().__init__(bar_width=20)
        self._console = console

    def render(self, task: Task) -> ProgressBar:
        bar = super().render(task)
        bar.width = 20 if self._console.width >= WIDE else 0
        return bar


class _Counts(ProgressColumn):
    """Numbers of submissions done and left, and the time to go.

    The pace is the average so far: submissions that are graded in parallel often end at the same moment, so the time
    between two of them says nothing. Until one has ended,
    it is what a submission is expected to take, from the first finished build on.
    """

    max_refresh = None

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def render(self, task: Task) -> Text:
        so_far = f"{_clock(task.elapsed)} so far, " if self._console.width >= WIDE else ""
        counts = f"{task.completed:.0f} done, {task.remaining:.0f} left"
        return Text(f"{counts}, {so_far}{_clock(_to_go_s(task))} to go", no_wrap=True, overflow="ellipsis")


def _to_go_s(task: Task) -> float | None:
    """Return the time to go: the average time of the submissions done so far, times the number left.

    None before the first build is finished.
    """
    at_last_s: float | None = task.fields.get("at_last_s")
    expected_s: float | None = task.fields.get("expected_s")
    if expected_s is not None and not task.completed and task.elapsed is not None:
        first_build_s: float = task.fields["first_build_s"]
        return max(0.0, expected_s - (task.elapsed - first_build_s))
    if not at_last_s or not task.completed or task.elapsed is None or task.remaining is None:
        return None
    return max(0.0, at_last_s / task.completed * task.remaining - (task.elapsed - at_last_s))


def _clock(seconds: float | None) -> str:
    return "-:--:--" if seconds is None else str(timedelta(seconds=int(seconds)))


class LiveProgress:
    """Shows how many of `total` submissions are done, how long the rest takes, and what each one has just done.

    Without a terminal it shows nothing. What is printed with `show` stays in any case.
    """

    def __init__(self, console: Console, total: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._overall = Progress(SpinnerColumn(), _Bar(console), _Counts(console), get_time=clock)
        self._task: TaskID = self._overall.add_task("", total=total)
        self._at_work: dict[str, str] = {}
        self._total = total
        self._each_s: float | None = None
        # Workers report from their own threads.
        self._lock = threading.Lock()
        self._console = console
        self._live = Live(
            get_renderable=self.picture, console=console, transient=True, auto_refresh=console.is_terminal
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def expect(self, each_s: float | None) -> None:
        """Expect that all submissions together take this time for each of them; None if nobody knows."""
        self._each_s = each_s

    def watch(self, name: str, event: base.ProgressEvent) -> None:
        """Show what was just done for a submission."""
        with self._lock:
            self._at_work[name] = event_words(event)
            each_s = self._each_s if isinstance(event, BuildDone) else None
            if each_s is not None:
                self._each_s = None
        if each_s is not None:
            started_s = self._overall.tasks[0].elapsed
            self._overall.update(self._task, expected_s=each_s * self._total, first_build_s=started_s)

    def finished(self, name: str) -> None:
        """Count a submission as done."""
        with self._lock:
            self._at_work.pop(name, None)
        self._overall.update(self._task, advance=1, at_last_s=self._overall.tasks[0].elapsed)

    def show(self, what: RenderableType) -> None:
        """Print something that stays."""
        # A line of text stays one line: a terminal folds it if it is too long, and a file has all of it.
        self._console.print(what, soft_wrap=isinstance(what, Text), crop=False)

    def picture(self) -> RenderableType:
        """Return what is shown now."""
        with self._lock:
            rows = [Text("  " + one_line(f"{name}: {step}"), no_wrap=True) for name, step in self._at_work.items()]
        for row in rows:
            row.overflow = "ellipsis"
        return Group(*rows, self._overall)


def event_words(event: base.ProgressEvent) -> str:
    """Return what was just done, in a word or two."""
    match event:
        case Toolchain():
            return "started"
        case BuildDone():
            return f"compiled {event.program}"
        case RunDone() | StepLeftOut():
            return event.step
