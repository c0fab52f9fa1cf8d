"""What moves in the terminal while submissions are graded."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text
from typing_extensions import Self

from grader.model.evidence import BuildDone, RunDone, StepLeftOut, Toolchain
from grader.render.bytes_text import one_line
from grader.sandbox import base


class LiveProgress:
    """A line that says what was done last and how many submissions are done; nothing where there is no terminal."""

    def __init__(self, console: Console, total: int) -> None:
        """Prepare for `total` submissions."""
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID = self._progress.add_task("starting", total=total)

    def __enter__(self) -> Self:
        """Show the line."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        self._progress.stop()

    def watch(self, name: str, event: base.Progress) -> None:
        """Show what was just done of a submission."""
        self._progress.update(self._task, description=one_line(f"{name}: {_words(event)}"))

    def finished(self, name: str) -> None:
        """Count a submission as done."""
        self._progress.update(self._task, advance=1, description=one_line(f"{name}: done"))

    def show(self, what: RenderableType) -> None:
        """Print something that stays."""
        # A line of text stays one line: where it is too long, the terminal folds it, and in a file it is whole.
        self._progress.console.print(what, soft_wrap=isinstance(what, Text), crop=False)


def _words(event: base.Progress) -> str:
    match event:
        case Toolchain():
            return "started"
        case BuildDone():
            return f"compiled {event.program}"
        case RunDone() | StepLeftOut():
            return event.step
