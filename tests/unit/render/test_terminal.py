from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from grader.model.report import CasesEvidence, Report, SubmissionId
from grader.render.terminal import line, summary

from . import factory

WIDTHS = [40, 80, 200]
HOSTILE = "[bold red]x[/] \x1b[2J\x1b]0;owned\x07\x00\u202e\u200b\r\b"
REPORTS = {
    "good": factory.report(),
    "broken": factory.broken(),
    "not-graded": factory.not_graded(),
    "empty": factory.empty(),
    "hostile": factory.hostile(factory.broken(), HOSTILE),
    "hostile-not-graded": factory.hostile(factory.not_graded(), HOSTILE),
}


def shown(renderable: RenderableType, width: int = 80, *, colour: bool = False) -> str:
    file = io.StringIO()
    Console(file=file, width=width, force_terminal=colour, color_system="256" if colour else None).print(renderable)
    return file.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_nothing_is_wider_than_the_terminal(report: Report, width: int) -> None:
    lines = (shown(summary(report), width) + shown(line(report), width)).splitlines()
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_no_control_character_but_our_colours(report: Report, *, colour: bool) -> None:
    text = shown(summary(report), colour=colour) + shown(line(report), colour=colour)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text) if colour else text
    assert not [char for char in plain if char != "\n" and not char.isprintable()]


def test_markup_in_a_name_is_text() -> None:
    report = factory.report(submission=SubmissionId(name="[bold]x[/] [link=x]", digest=""))
    assert shown(line(report)).startswith("[bold]x[/] [link=x]  ")


def test_a_line_says_score_and_failed_checks() -> None:
    checks = (factory.check("tr2b.text", "failed"), factory.check("tr2u.text"), factory.check("tr2u.calls", "failed"))
    report = factory.report(score=92.5, checks=checks)
    assert line(report).plain == "ada   92.5/100  tr2b.text, tr2u.calls"
    assert line(factory.report(), name_width=6).plain == "ada       100/100"


def test_a_line_says_why_it_is_not_graded() -> None:
    assert line(factory.not_graded("engine\ndied")).plain == "alan  NOT GRADED: engine died"


def test_a_summary_says_that_not_graded_is_not_zero() -> None:
    text = shown(summary(factory.not_graded()))
    assert "NOT GRADED" in text
    assert "The Docker engine went away" in text
    assert "not 0 points" in text


def test_a_summary_shows_the_failed_checks_and_why() -> None:
    text = shown(summary(factory.broken()), 200)
    for evidence in factory.evidence_of_each_kind():
        assert f"✗ failed  tr2b.kind-{evidence.kind}  0 of 8 points" in text
    assert "Case ff-inside: ./tr2b ab ba" in text
    assert "0000656 00 01[ff]7e 41" in text
    assert "0000656 00 01[--]" in text
    assert "Failed too: ff-last" in text
    assert "○ skipped  tr2u.syscalls  0 of 8 points: The kernel's accounting is missing here." in text


@pytest.mark.parametrize(
    ("isolation", "words"), [("container", "graded in a container"), ("none", "without isolation")]
)
def test_a_summary_says_how_it_was_isolated(isolation: str, words: str) -> None:
    assert words in shown(summary(factory.report(isolation=isolation)))


def test_tables_fit_forty_columns_uncut() -> None:
    text = shown(summary(factory.report()), 40)
    assert f"tr2u      {factory.SIZE + 2:,} {factory.SIZE:,} 10,000,026" in text
    assert "tr2b is 22 times faster than tr2u." in text


@pytest.mark.parametrize(("width", "columns"), [(40, 8), (80, 16), (39, 4)])
def test_hexdumps_take_the_room_there_is(width: int, columns: int) -> None:
    rows = re.findall(r"^0000656(( ..|\[..\]).*)$", shown(summary(factory.broken()), width), re.MULTILINE)
    digits = re.findall(r"[0-9a-f]{2}(?=[ \]\[])", rows[0][0])
    assert len(digits) == columns


def test_huge_messages_are_cut() -> None:
    failed = factory.check("tr2b.text", "failed", message="m" * 1_000_000)
    assert len(shown(summary(factory.report(checks=(failed,))))) < 10_000


def test_huge_stderr_is_cut() -> None:
    evidence = CasesEvidence(cases=(factory.failed_case(stderr=b"e" * 1_000_000),))
    failed = factory.check("tr2b.text", "failed", evidence=evidence)
    assert len(shown(summary(factory.report(checks=(failed,))))) < 10_000
