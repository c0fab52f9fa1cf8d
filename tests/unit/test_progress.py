from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from grader.cli.progress import LiveProgress
from grader.model.evidence import BuildDone

from .batches import RIGHT
from .facts import run


def shown(width: int, *, terminal: bool = True) -> str:
    """What is on a terminal, escapes and all, when one of three submissions is done and one is at work."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None, legacy_windows=False)
    with LiveProgress(console, 3) as progress:
        progress.watch("ada", RIGHT[0])
        progress.watch("bob\x1b[31m", run("many.copy"))
        progress.finished("ada")
        progress.show("ada 100/100")
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_done_left_and_time_to_go_fit_every_terminal(width: int) -> None:
    text = shown(width)
    assert "1 done, 2 left" in text
    assert "to go" in text
    assert ("so far" in text) == (width >= 70)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n").split("\n")
    assert max(map(len, lines)) <= width


def test_what_is_at_work_is_told_by_name_and_step_and_what_is_done_is_not() -> None:
    text = shown(80)
    assert "  bob\\x1b[31m: many.copy" in text, "a name reaches no terminal as a control sequence"
    assert "ada: " not in text
    assert "ada 100/100" in text


def test_without_a_terminal_only_what_stays_is_shown() -> None:
    assert shown(80, terminal=False) == "ada 100/100\n"


def test_the_first_build_brings_an_estimate_and_the_first_result_a_better_one() -> None:
    now = [0.0]
    console = Console(file=io.StringIO(), width=200, force_terminal=False, color_system=None)

    def to_go(progress: LiveProgress) -> str:
        with console.capture() as shown:
            console.print(progress.picture())
        return shown.get().rpartition(", ")[2].strip()

    with LiveProgress(console, 4, clock=lambda: now[0]) as progress:
        progress.expect(30.0)
        progress.watch("ada", RIGHT[0])
        assert to_go(progress) == "-:--:-- to go"
        now[0] = 5.0
        build = next(event for event in RIGHT if isinstance(event, BuildDone))
        progress.watch("ada", build)
        assert to_go(progress) == "0:02:00 to go"
        now[0] = 15.0
        progress.watch("bob", build)
        assert to_go(progress) == "0:01:50 to go"
        now[0] = 20.0
        progress.finished("ada")
        assert to_go(progress) == "0:01:00 to go"
