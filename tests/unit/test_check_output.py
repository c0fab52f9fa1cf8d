"""The lines of checks as they are decided."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence

import pytest
from rich.console import Console
from rich.text import Text

from grader.cli.check_output import CheckLines
from grader.grading.plan_builder import build_plan
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import StepLeftOut
from grader.model.report import Check, Report

from .facts import SUBMISSION, facts, run
from .lab import SPEC

REPORT: Report = judge(
    facts(run("many.copy", b"wrong"), left_out={"single.slice.strace": "no-tracer"}), GradingEnvironment("none", None)
)
IDS = [check.id for check in REPORT.checks]
BY_ID = {check.id: check for check in REPORT.checks}
assert {check.status for check in REPORT.checks} == {"passed", "failed", "skipped"}


def printed(decided: Sequence[Check], *, width: int = 200, terminal: bool = False, ids: Sequence[str] = ()) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, _environ={"TERM": "xterm"})
    with CheckLines(console, ids or IDS, verbose=True) as lines:
        for check in decided:
            lines.check_decided(check)
        lines.rest(REPORT)
    return file.getvalue()


def ids_of(text: str) -> list[str]:
    return [line.split()[2] for line in text.splitlines()]


def test_each_check_is_there_once_in_the_order_of_being_decided() -> None:
    first = [BY_ID["single.output"], BY_ID["many.build"]]
    shown = ids_of(printed(first))
    assert shown[:2] == ["single.output", "many.build"]
    assert sorted(shown) == sorted(IDS)


def test_a_status_is_a_sign_and_a_word() -> None:
    lines = dict(zip(ids_of(printed([])), printed([]).splitlines(), strict=True))
    assert lines["many.output"].startswith("✗ failed ")
    assert lines["many.build"].startswith("✓ passed ")
    assert lines["many.build"].endswith(BY_ID["many.build"].title)
    assert lines["single.syscalls"].startswith("○ skipped ")
    assert lines["single.syscalls"].endswith(BY_ID["single.syscalls"].message), "why, not what"


def test_what_is_no_terminal_gets_whole_lines_and_no_colour() -> None:
    text = printed([], width=40)
    assert "\x1b" not in text
    assert text.splitlines() == printed([]).splitlines()


@pytest.mark.parametrize("width", [40, 80])
def test_a_terminal_gets_colours_and_lines_that_fit(width: int) -> None:
    text = printed([BY_ID["many.output"]], width=width, terminal=True)
    assert "\x1b[1;31m✗ failed" in text
    plain = io.StringIO()
    lines = CheckLines(
        Console(file=plain, width=width, force_terminal=True, no_color=True, _environ={"TERM": "xterm"}),
        IDS,
        verbose=True,
    )
    lines.rest(REPORT)
    assert max(len(Text.from_ansi(line).plain) for line in plain.getvalue().splitlines()) <= width
    assert all(check.id in plain.getvalue() for check in REPORT.checks)


def test_what_was_not_asked_for_has_no_line() -> None:
    assert ids_of(printed([BY_ID["many.build"]], ids=["many.output"])) == ["many.output"]


def test_what_is_at_work_is_shown_until_the_end() -> None:
    lines = CheckLines(Console(file=io.StringIO()), IDS)
    lines.check_decided(BY_ID["many.build"])
    planned = build_plan(SPEC, SUBMISSION).runs
    lines.work_planned(planned)
    assert str(lines.picture()) == f"1 of {len(IDS)} checks; getting ready"
    lines.event_received(run(planned[0].id))
    assert str(lines.picture()) == f"1 of {len(IDS)} checks; {planned[1].program}, {planned[1].case}"
    for step in planned[1:]:
        lines.event_received(StepLeftOut(step=step.id, why="given-up"))
    lines.judged(REPORT)
    assert str(lines.picture()) == f"1 of {len(IDS)} checks; looking for causes"


@pytest.mark.parametrize(
    ("case", "words"), [("copy", "has not ended after 2 s (limit 10 s)"), ("random", "running for 2 s (limit 20 s)")]
)
def test_a_run_that_is_waited_for_says_for_how_long(monkeypatch: pytest.MonkeyPatch, case: str, words: str) -> None:
    lines = CheckLines(Console(file=io.StringIO()), IDS)
    before, step = (one for one in build_plan(SPEC, SUBMISSION).runs if one.id in ("many.slice", f"many.{case}"))
    lines.work_planned([before, step])
    lines.event_received(run(before.id))
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 2)
    text = str(lines.picture())
    assert text == f"0 of {len(IDS)} checks; many, {case}: {words}"
    assert len(text) < 80


def test_only_what_is_running_is_shown_unless_every_check_is_asked_for() -> None:
    file = io.StringIO()
    with CheckLines(Console(file=file), IDS) as lines:
        lines.rest(REPORT)
        failed = sum(check.status == "failed" for check in REPORT.checks)
        assert str(lines.picture()).startswith(f"{len(IDS)} of {len(IDS)} checks, {failed} failed; ")
    assert file.getvalue() == ""
