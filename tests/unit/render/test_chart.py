"""The chart of calls against time: what is on it, where, and what is said about it."""

from __future__ import annotations

import itertools

import pytest

from grader.model.report import CasesEvidence, Report, Timing
from grader.render.html.chart import BOTTOM, LEFT, MARK_RADIUS, RIGHT, TOP, Box, Chart, chart_of
from grader.render.html.pages import report_html
from grader.render.views.calls_and_time import calls_and_time

from . import factory
from .pages import Page

OWN_S, REFERENCE_S = (0.25, 5.5), (0.2, 5.6)


def chart(report: Report) -> Chart:
    drawn = chart_of(report)
    assert drawn is not None
    return drawn


def with_times(*real_s: float) -> Report:
    """A report whose programs, and then those of the reference, take these seconds."""
    report = factory.report(timing=factory.times(*real_s[:2]))
    assert report.reference is not None
    reference = report.reference.model_copy(update={"timing": factory.times(*real_s[2:])})
    return report.model_copy(update={"reference": reference})


def wrong(program: str) -> Report:
    """A report in which a program does not copy correctly."""
    checks = tuple(
        factory.check(f"{name}.text", evidence=CasesEvidence(cases=(factory.copied(passed=name != program),)))
        for name in ("tr2b", "tr2u")
    )
    return factory.report(checks=checks)


def test_the_sentence_has_the_numbers_of_the_tables() -> None:
    shown = chart(factory.report()).shown
    most, fewest = (sum(table.calls[verb].calls for verb in ("read", "write")) for table in tables())
    assert shown.sentence == (
        f"To copy 5,000,000 bytes, tr2u makes {most:,} reads and writes and takes 5.500 seconds;"
        f" tr2b {fewest:,} and 0.250 seconds."
    )
    assert (most, fewest, shown.left_out) == (10_000_002, 2_444, ())


def tables() -> tuple[factory.SyscallTable, factory.SyscallTable]:
    return factory.unbuffered(), factory.buffered()


def test_more_calls_are_further_right_and_more_time_further_up() -> None:
    by_label = {mark.measured.label: mark for mark in chart(factory.report()).marks}
    assert list(by_label) == ["your tr2b", "your tr2u", "reference tr2b", "reference tr2u"]
    assert by_label["your tr2b"].x == by_label["reference tr2b"].x < by_label["your tr2u"].x
    assert by_label["your tr2b"].y > by_label["your tr2u"].y
    assert by_label["your tr2b"].y < by_label["reference tr2b"].y, "0.25 s is more than 0.2 s"
    assert by_label["your tr2u"].y > by_label["reference tr2u"].y, "5.5 s is less than 5.6 s"


def test_ten_times_as_much_is_one_line_further() -> None:
    drawn = chart(factory.report())
    for axis in (drawn.calls_axis, drawn.time_axis):
        steps = {round(abs(after.at - before.at)) for before, after in itertools.pairwise(axis.ticks)}
        assert len(steps) <= 2, "rounded"
    assert [tick.text for tick in drawn.calls_axis.ticks] == ["1,000", "10k", "100k", "1M", "10M"]
    assert [tick.text for tick in drawn.time_axis.ticks] == ["0.1", "1", "10"]


CLOSE = [
    OWN_S + REFERENCE_S,
    (0.25, 0.25, 0.25, 0.25),
    (0.25, 5.5, 0.25, 5.5),
    (0.25, 0.26, 0.27, 0.28),
    (5.5, 0.25, 0.2, 5.5),
    (0.001, 100.0, 0.001, 0.002),
    (0.001, 0.001, 0.001, 150.0),
]


@pytest.mark.parametrize("seconds", CLOSE)
@pytest.mark.parametrize("alike", [False, True], ids=["tr2b-buffered", "tr2b-like-tr2u"])
def test_labels_overlap_neither_each_other_nor_marks(seconds: tuple[float, ...], alike: bool) -> None:  # noqa: FBT001
    report = with_times(*seconds)
    if alike:
        same = factory.unbuffered().model_copy(update={"program": "tr2b"})
        report = report.model_copy(update={"syscalls": (same, factory.unbuffered())})
    marks = chart(report).marks
    assert len(marks) == 4
    labels = [mark.label for mark in marks]
    dots = [Box(mark.x - MARK_RADIUS, mark.y - MARK_RADIUS, 2 * MARK_RADIUS, 2 * MARK_RADIUS) for mark in marks]
    assert all(LEFT <= mark.x <= RIGHT and TOP <= mark.y <= BOTTOM for mark in marks)
    assert all(label.is_in_field() for label in labels)
    assert not [pair for pair in itertools.combinations(labels, 2) if pair[0].overlaps(pair[1])]
    assert not [(label, dot) for label in labels for dot in dots if label.overlaps(dot)]


def test_a_label_away_from_its_mark_has_a_line_to_it() -> None:
    marks = chart(with_times(5.5, 5.5, 5.5, 5.5)).marks
    assert [bool(mark.leader) for mark in marks] == [abs(mark.label.y + 8 - mark.y) >= 16 for mark in marks]
    assert any(mark.leader for mark in marks)


def test_a_program_that_copies_wrongly_is_not_drawn() -> None:
    shown = chart(wrong("tr2u")).shown
    assert [one.label for one in shown.measured] == ["your tr2b", "reference tr2b", "reference tr2u"]
    assert shown.left_out == ("tr2u is not drawn: it does not copy pattern-5m correctly.",)
    assert "tr2u" not in shown.sentence


def test_a_program_without_figures_is_not_drawn() -> None:
    report = factory.report(timing=factory.times(0.25, 0.0004))
    assert calls_and_time(report) is not None
    assert chart(report).shown.left_out == ("tr2u is not drawn: its calls or its time could not be measured.",)
    cut = factory.unbuffered().model_copy(update={"complete": False})
    assert chart(factory.report(syscalls=(factory.buffered(), cut))).shown.left_out
    assert chart(factory.report(timing=factory.times(0.25, 1.0)[:1])).shown.left_out


@pytest.mark.parametrize(
    "report",
    [
        factory.empty(),
        factory.not_graded(),
        factory.unbuilt(),
        factory.report(timing=()),
        factory.report(syscalls=(factory.buffered("terminal"), factory.unbuffered("terminal"))),
        factory.report(checks=(factory.check("tr2b.text"), factory.check("tr2u.text"))),
        factory.report(timing=(Timing(program="tr2b", input="other", real_s=1.0, user_s=1.0, sys_s=0.0),)),
    ],
)
def test_without_a_right_program_with_figures_there_is_no_chart(report: Report) -> None:
    assert chart_of(report) is None
    assert not [tag for tag, _ in Page(report_html(report)).tags if tag == "svg"]


def test_without_a_reference_there_are_two_marks() -> None:
    assert len(chart(factory.report(reference=None)).marks) == 2


def test_long_names_of_programs_stay_in_the_field() -> None:
    report = Report.model_validate_json(factory.report().model_dump_json().replace("tr2u", "u" * 100))
    assert all(mark.label.is_in_field() for mark in chart(report).marks)


def test_the_page_draws_it_and_says_what_is_drawn() -> None:
    page = Page(report_html(factory.report()))
    section = page.section("chart")
    drawn = chart(factory.report())
    assert drawn.shown.sentence in section.words
    picture = section.one("svg", "chart")
    ids = picture.attributes["aria-labelledby"].split()
    assert [page.by_id(name).words for name in ids] == ["Calls against time on pattern-5m", drawn.description]
    assert all(f"{one.label}: {one.calls:,} calls" in drawn.description for one in drawn.shown.measured)
    texts = [text.words for text in picture.all("text")]
    assert [mark.text for mark in drawn.marks] == texts[-4:]


def test_it_comes_after_what_went_wrong_and_before_the_checks_that_passed() -> None:
    assert Page(report_html(factory.report())).sections[:3] == ["passed", "chart", "all"]
    checks = wrong("tr2u").checks
    failed = checks[1].model_copy(update={"status": "failed"})
    assert Page(report_html(factory.report(checks=(checks[0], failed)))).sections[:3] == ["wrong", "all", "chart"]
