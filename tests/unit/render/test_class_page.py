"""What the page of a class says, and that it says nothing else."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

import pytest

from grader.model.gradebook import Entry, Origin, Person
from grader.model.report import SubmissionId
from grader.render.html.class_page.notices import MAX_NAMED, MAX_REASONS
from grader.render.html.pages import index_html

from . import factory
from .classes import hostile_class, made_up
from .pages import HOSTILE, Page


def page(*entries: Entry, files: Sequence[str] = ("grades.csv",)) -> Page:
    return Page(index_html(entries, files=files))


def hrefs(*entries: Entry) -> list[str]:
    return page(*entries).values("href")


def graded(name: str, score: float) -> Entry:
    report = factory.report(score=score, submission=SubmissionId(name=name, digest=""))
    return factory.entry(report, f"{name}-folder")


def not_graded(name: str, reason: str = "no engine") -> Entry:
    return factory.entry(factory.not_graded(reason, submission=SubmissionId(name=name, digest="")), name)


def test_a_row_a_submission_in_the_order_of_the_entries() -> None:
    entries = made_up(40)
    shown = page(*entries)
    names = [attrs["data-sort"] for tag, attrs in shown.attributes if tag == "th" and "data-sort" in attrs]
    assert [name.split("<")[0] for name in names] == [entry.report.submission.name.split("<")[0] for entry in entries]
    assert {f"{entry.name}/report.html" for entry in entries if entry.name.isascii()} <= set(shown.values("href"))


def test_the_score_and_what_went_wrong() -> None:
    words = page(factory.entry(factory.diagnosed()), graded("ada", 100)).words
    assert "ken 87 A char holds what getchar returns tr2b.byte-ff, tr2b.random-5m Also tr2u.syscalls" in words
    assert "ada 100 nothing" in words
    links = hrefs(factory.entry(factory.diagnosed(), "ken"), factory.entry(factory.broken(), "grace"))
    assert "ken/report.html#cause-char-for-getchar" in links
    assert "ken/report.html#check-tr2u.syscalls" in links
    assert "grace/report.html#check-tr2b.kind-cases" in links


def test_why_nothing_was_compiled_stands_in_the_table_and_can_be_shown_alone() -> None:
    shown = page(factory.entry(factory.unbuilt(), "ada"), graded("bob", 100))
    assert "ada 50 tr2b.build it does not compile 1 skipped" in shown.words
    assert "missing or not compiled (1)" in shown.words
    marks = [attrs["data-marks"].split() for _, attrs in shown.attributes if "data-marks" in attrs]
    assert ["unbuilt" in each for each in marks] == [True, False]


def test_what_is_not_graded_stands_first_in_words_and_is_not_zero() -> None:
    entries = (graded("ada", 100), not_graded("alan"), not_graded("grace"), not_graded("ken", "no room"))
    words = page(*entries).words
    assert (
        words.index("1 graded, 3 not graded")
        < words.index("3 submissions are not graded")
        < words.index("Scores 1 of")
    )
    assert "this is not 0 points" in words
    assert words.index("no engine alan grace") < words.index("no room ken")
    assert "alan not graded no engine" in words


def test_many_of_one_kind_are_counted() -> None:
    words = page(*(not_graded(f"s{index}") for index in range(MAX_NAMED + 5))).words
    assert f"s{MAX_NAMED - 1} and 5 more" in words


def test_many_reasons_are_left_to_the_table() -> None:
    entries = [not_graded(f"s{index}", f"reason of s{index}") for index in range(MAX_REASONS + 3)]
    words = page(*entries).words
    assert f"reason of s{MAX_REASONS - 1} s{MAX_REASONS - 1} Other reasons, which stand in the table" in words
    assert words.count(f"reason of s{MAX_REASONS + 2}") == 1
    assert words.count("reason of s0") == 2


def test_the_newest_reason_is_told_of_what_was_never_graded() -> None:
    shown = page(factory.entry(factory.not_graded("no engine"), "alan", trouble="no room"))
    assert "no room" in shown.words
    assert "no engine" not in shown.words
    assert "earlier hand-in" not in shown.words


def test_trouble_change_and_lateness_are_said() -> None:
    entry = factory.entry(
        factory.report(score=80.0),
        earlier_score=92.5,
        trouble="tr2b.c is a link",
        origin=Origin(
            path="", late=True, submitted_at="Tue 9:05", people=(Person(name="Ada L."), Person(email="g@lab"))
        ),
    )
    words = page(entry).words
    assert "1 score is of an earlier hand-in" in words
    assert "tr2b.c is a link" in words
    assert "ada Ada L., g@lab late, Tue 9:05 80 \N{MINUS SIGN}12.5, was 92.5 earlier hand-in" in words
    assert "1 late, 1 changed in score" in words


def test_nothing_is_said_of_what_is_not_there() -> None:
    words = page(graded("ada", 90)).words
    assert not [word for word in ("late", "changed", "earlier", "not graded", "Before grades") if word in words]


def test_files_beside_the_page_are_linked_and_nothing_else() -> None:
    shown = page(graded("ada", 90), files=("grades.csv", "canvas.csv", "my own.txt"))
    assert {"grades.csv", "canvas.csv", "my%20own.txt"} <= set(shown.values("href"))
    assert "moodle.csv" not in shown.source


def test_who_is_missing_in_a_file_for_a_course_system_is_named() -> None:
    nobody = factory.entry(factory.report(), "x", origin=Origin(path="", system="canvas"))
    assert "canvas.csv lacks 1 submission" in page(nobody, files=("canvas.csv",)).words
    assert "lacks" not in page(nobody).words


@pytest.mark.parametrize("number", [1, 2, 40])
def test_scores_are_spread_over_bins(number: int) -> None:
    entries = made_up(number)
    scores = [entry.report.score for entry in entries if entry.report.score is not None]
    shown = page(*entries)
    table = re.search(r"best first Points Submissions (.*?) (Known bugs|Checks)", shown.words)
    assert table is not None
    counts = [int(count) for count in re.findall(r"to (?:below )?\d+ (\d+)", table[1])]
    assert sum(counts) == len(scores)
    assert len(shown.elements("rect")) == len(counts)
    assert f"{statistics.median(scores):g} of 100 points is the median" in shown.words


def test_full_marks_and_nothing_have_a_place() -> None:
    words = page(graded("ada", 100), graded("ken", 0), graded("bo", -1)).words
    assert "95 to 100 1" in words
    assert "0 to below 5 2" in words
    assert "1 of 3 has all 100." in words


def test_checks_are_counted_by_program() -> None:
    words = page(factory.entry(factory.broken()), factory.entry(factory.unbuilt(), "x")).words
    assert "kind-cases text: several operands, swap, cycle, repeats 1 failed tr2b.kind-cases no such check" in words
    assert "text text: several operands, swap, cycle, repeats 0 1 skipped 0" in words


def test_causes_are_listed_the_most_common_first_with_their_submissions() -> None:
    rare = factory.diagnosed(causes=(factory.cause("rare", "tr2b.byte-ff", title="A rare one"),))
    entries = [factory.entry(factory.diagnosed(), f"k{index}") for index in range(3)] + [factory.entry(rare, "r")]
    shown = page(*entries)
    # Two checks of 3 and 4 points.
    assert "A char holds what getchar returns ken ken ken 3 7 A rare one ken 1 3" in shown.words
    assert "k2/report.html#cause-char-for-getchar" in shown.values("href")


def test_a_picture_has_words_and_every_submission_a_dot() -> None:
    entries = made_up(40)
    shown = page(*entries)
    pictures = shown.elements("svg")
    assert all("aria-label" in one for one in pictures if one.get("role") == "img")
    dots = [attrs["d"] for attrs in shown.elements("path") if attrs["class"] == "dot"]
    timed = [
        sum(timing.program == name for entry in entries for timing in entry.report.timing)
        for name in ("tr2b", "tr2u")
    ]
    assert [d.count("M") for d in dots] == [*timed, timed[0], timed[0], timed[1], timed[1]]
    assert f"tr2b: {timed[0]} submissions from" in pictures[2]["aria-label"]


def test_the_calls_that_are_shown_are_of_one_input_to_a_file() -> None:
    words = page(factory.entry(factory.report())).words
    assert "Calls on pattern-5m, to a file" in words
    assert "tr2b reads 1,222 1,222 1,222" in words
    assert "4,883" not in words


def test_a_hostile_class_adds_no_element_and_no_address() -> None:
    hostile = Page(index_html(hostile_class()))
    assert "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \\x1b[31m\\x00\\u202e" in hostile.text
    assert len(hostile.elements("script")) == 1
    assert not [char for char in hostile.source if char not in "\n\t" and not char.isprintable() and char != "\xa0"]
    reports = [href for href in hostile.values("href") if "report.html" in href]
    assert all(
        re.fullmatch(r"\d+%2F..%2Fjavascript%3Ax%3F%3Cb%3E%23/report\.html(#[\w.-]+)?", href) for href in reports
    )
    assert not [name for _, names in hostile.tags for name in names if name.startswith("on")]


def test_text_in_attributes_stays_text() -> None:
    shown = Page(index_html(hostile_class()))
    sorts = [value for value in shown.values("data-sort") if "alert" in value]
    assert len(sorts) == len(hostile_class())
    assert all("<script>alert(1)</script>\"' onload=x" in value for value in sorts)
    assert HOSTILE not in shown.source


def test_nothing_graded_has_no_figures() -> None:
    shown = page(not_graded("a"), not_graded("b"))
    assert not shown.elements("svg")
    assert "2 submissions are not graded" in shown.words


def test_a_lab_without_points_has_no_picture_of_scores() -> None:
    assert "Scores" not in page(factory.entry(factory.report(score=0.0, max_score=0.0))).words


def test_the_page_is_a_pure_function_of_the_entries() -> None:
    assert index_html(made_up(20)) == index_html(made_up(20))


def test_a_thousand_rows_are_not_too_much_for_a_page() -> None:
    assert len(index_html(made_up(1000))) < 2_000_000
