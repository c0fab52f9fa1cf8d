"""What is seen of one's own work while it is checked: a line a check, and in a terminal what is at work."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text
from typing_extensions import Self

from grader.cli.progress import event_words
from grader.model.report import Check, Report
from grader.render.terminal.styled_text import check_line
from grader.render.text.escape import one_line
from grader.sandbox.base import Progress


class CheckLines:
    """Prints each check once, in the order in which they are decided."""

    def __init__(self, console: Console, checks: Iterable[str]) -> None:
        """Expect the checks of these ids."""
        self._console = console
        self._open = dict.fromkeys(checks)
        self._total = len(self._open)
        self._id_width = max(map(len, self._open), default=0)
        self._doing = "getting ready"
        moves = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(get_renderable=self.picture, console=console, transient=True) if moves else None

    def __enter__(self) -> Self:
        """Show what is at work, where that can be taken away again."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave only the lines."""
        if self._live is not None:
            self._live.stop()

    def watch(self, event: Progress) -> None:
        """Show what was just done."""
        self._doing = event_words(event)

    def decided(self, check: Check) -> None:
        """Print the line of a check that was expected and not printed yet."""
        if check.id in self._open:
            del self._open[check.id]
            self._print(check_line(check, self._id_width))

    def rest(self, report: Report) -> None:
        """Print the lines of those that were decided at the end only."""
        for check in report.checks:
            self.decided(check)

    def picture(self) -> RenderableType:
        """Return what is shown now below the lines."""
        done = self._total - len(self._open)
        return Text(
            one_line(f"{done} of {self._total} checks; {self._doing}"), "dim", no_wrap=True, overflow="ellipsis"
        )

    def _print(self, line: Text) -> None:
        if self._console.is_terminal:
            # What does not fit is said again at the end, if anything is wrong with it.
            self._console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            self._console.print(line, soft_wrap=True, crop=False)
