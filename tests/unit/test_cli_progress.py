"""What moves in a terminal while submissions are graded."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.cli import progress
from grader.cli.progress import LiveProgress


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def shown(console: Console, live: LiveProgress) -> str:
    with console.capture() as captured:
        console.print(live.picture())
    return captured.get().strip()


@pytest.mark.parametrize("width", [40, 80])
def test_the_time_to_go_is_by_the_pace_of_all_that_was_done(width: int) -> None:
    clock = Clock()
    console = Console(file=io.StringIO(), width=width)
    live = LiveProgress(console, 10, clock=clock)
    assert "0 done, 10 left, " in shown(console, live)
    assert shown(console, live).endswith("-:--:-- to go")
    clock.now_s = 8
    live.finished("ada")
    # Two were at work at once, and end nearly together.
    clock.now_s = 8.2
    live.finished("bob")
    assert shown(console, live).endswith("0:00:32 to go")
    clock.now_s = 13.2
    last = shown(console, live)
    assert last.endswith("0:00:27 to go")
    assert "2 done, 8 left, " in last
    assert ("0:00:13 so far" in last) == (width >= progress.WIDE)
    assert "…" not in last
    assert "\n" not in last
