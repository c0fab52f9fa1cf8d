from __future__ import annotations

import itertools
import re

import pytest

from grader.model.evidence import Ending
from grader.model.report import CasesEvidence, Check, Report, SubmissionId
from grader.render.html import index_html, report_html
from grader.render.words import ending_words
from grader.resources import resource

from . import factory
from .pages import Page

HOSTILE = "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \x1b[31m\x00\u202e\u2066\u200b\r\x85"
REPORTS = {
    "good": factory.report(),
    "broken": factory.broken(),
    "not-graded": factory.not_graded(),
    "empty": factory.empty(),
    "no-reference": factory.report(reference=None),
}
PAGES = {
    **{name: report_html(report) for name, report in REPORTS.items()},
    "index": index_html(list(REPORTS.items())),
    "empty-index": index_html([]),
    "hostile": report_html(factory.hostile(factory.broken(), HOSTILE)),
}
everywhere = pytest.mark.parametrize("data", PAGES.values(), ids=PAGES.keys())


@everywhere
def test_a_page_is_well_formed_and_accessible(data: bytes) -> None:
    page = Page(data)
    assert page.source.startswith("<!DOCTYPE html>")
    assert page.elements("html")[0]["lang"] == "en"
    assert len(page.elements("main")) == len(page.elements("h1")) == 1
    assert len(page.elements("caption")) == len(page.elements("table"))
    assert all("scope" in attrs for attrs in page.elements("th"))
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert set(page.values("aria-labelledby")) <= set(ids)
    assert all(href[1:] in ids for href in page.values("href") if href.startswith("#"))


@everywhere
def test_headings_do_not_skip_a_level(data: bytes) -> None:
    levels = [int(tag[1]) for tag, _ in Page(data).tags if tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


@everywhere
def test_a_page_needs_nothing_from_outside_and_runs_nothing(data: bytes) -> None:
    page = Page(data)
    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not page.values("src")
    assert not [name for _, names in page.tags for name in names if name.startswith("on")]
    assert not [href for href in page.values("href") if ":" in href or href.startswith("/")]
    assert "url(" not in page.source
    assert "@import" not in page.source
    policy = [attrs["content"] for attrs in page.elements("meta") if "http-equiv" in attrs]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_hostile_text_stays_text(report: Report) -> None:
    benign, hostile = Page(report_html(report)), Page(report_html(factory.hostile(report, HOSTILE)))
    # An empty text has no element, the same text made hostile has one, so that only the kinds are compared.
    assert {tag for tag, _ in hostile.tags} - {tag for tag, _ in benign.tags} <= {
        "p",
        "pre",
        "br",
        "span",
        "dt",
        "dd",
    }
    assert "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \\x1b[31m\\x00\\u202e" in hostile.text
    assert not [char for char in hostile.source if char not in "\n\t" and not char.isprintable() and char != "\xa0"]


def test_a_hostile_name_stays_text_in_the_index() -> None:
    report = factory.report(submission=SubmissionId(name=HOSTILE, digest=""))
    page = Page(index_html([("a/../javascript:x?<b>#\udcff", report)]))
    assert "<script>alert(1)</script>" in page.text
    href = page.values("href")[-1]
    assert href == "a%2F..%2Fjavascript%3Ax%3F%3Cb%3E%23%FF/report.html"


def test_templates_trust_no_data() -> None:
    templates = [path.read_text("utf-8") for path in resource("reports").rglob("*.j2")]
    assert templates
    assert not [text for text in templates if re.search(r"\|\s*safe\b|autoescape|Markup", text)]


def test_a_page_is_a_pure_function_of_its_report() -> None:
    assert report_html(factory.broken()) == report_html(factory.broken())


def test_the_score_and_the_failed_checks_come_first_and_open() -> None:
    page = Page(report_html(factory.broken()))
    assert "52.5 of 100 points 5 checks failed, 1 passed, 1 skipped; graded in a container." in page.words
    folds = page.elements("details")
    checks = [attrs for attrs in folds if "more" not in (attrs.get("class") or "")]
    assert ["open" in attrs for attrs in checks] == [True] * 5 + [False]
    assert next(name for name in page.values("id") if name.startswith("check-")) == "check-tr2b.kind-build"


def test_every_failed_check_shows_its_evidence() -> None:
    words = Page(report_html(factory.broken())).words
    for check in factory.broken().checks:
        assert f"{check.id} {check.title}" in words
        assert check.message in words
    assert "error: expected ';' before '}' token" in words
    assert "./tr2b ab ba the output ends too early Case ff-inside Input letters, 53 bytes" in words
    assert r"Standard error warning: \x1b[31mred\x1b[0m" in words
    assert "At byte 658: input 0xff, expected 0xff, yours nothing (the end)." in words
    assert "0000656 00 01[ff]7e" in words
    assert "1,222 5,000,000 5,000,001 ✗ failed: reads more than one byte a call" in words
    assert "Not to be called here fread None of these is called read readv" in words


@pytest.mark.parametrize("ending", [*factory.ENDINGS, None], ids=lambda ending: getattr(ending, "kind", "none"))
def test_every_ending_is_in_words(ending: Ending | None) -> None:
    evidence = CasesEvidence(cases=(factory.failed_case(ending=ending),))
    failed = factory.check("tr2b.text", "failed", evidence=evidence)
    assert f"It ended with {ending_words(ending)}" in Page(report_html(factory.report(checks=(failed,)))).words


def test_bytes_of_all_values_are_shown() -> None:
    data = bytes(range(256))
    case = factory.failed_case(operands=(data[1:],), stderr=data, difference=factory.difference(data, data[:99], 99))
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(case,)))
    page = Page(report_html(factory.report(checks=(failed,))))
    assert "0000248 f8 f9 fa fb fc fd fe ff ........" in page.words
    assert r"\xfc\xfd\xfe\xff" in page.words


def test_call_tables_and_times_stand_beside_the_reference() -> None:
    words = Page(report_html(factory.report(timing=factory.times(0.2, 5.6)))).words
    assert "5,000,002 5,000,002 read 5,000,000 5,000,000 write" in words
    assert "10,000,026 1 10,000,026 total" in words
    assert "pattern-5m, to a terminal" in words
    assert "By the clock, tr2b is 28 times faster than tr2u. In the reference, tr2b is 28 times faster" in words


def test_not_graded_is_the_graders_fault_and_not_zero() -> None:
    words = Page(report_html(factory.not_graded())).words
    assert "Not graded This is not 0 points." in words
    assert "The grader failed, not the submission" in words
    assert "The Docker engine went away in the middle." in words
    assert "0 of" not in words


def test_the_index_has_a_row_a_submission() -> None:
    page = Page(
        index_html([("ada-1", factory.report()), ("grace", factory.broken()), ("alan", factory.not_graded())])
    )
    assert "3 submissions, 2 graded, 1 not graded" in page.words
    assert "ada 100 of 100 graded none" in page.words
    assert "alan - not graded The Docker engine went away in the middle." in page.words
    assert "ada-1/report.html" in page.values("href")
    assert "grace/report.html#check-tr2b.kind-cases" in page.values("href")


def test_huge_texts_are_cut() -> None:
    huge = "h" * 1_000_000
    case = factory.failed_case(problem=huge, stderr=huge.encode())
    failed = factory.check("tr2b.text", "failed", message=huge, evidence=CasesEvidence(cases=(case,)))
    assert len(report_html(factory.report(checks=(failed,)))) < 100_000
    assert len(report_html(factory.not_graded(huge))) < 100_000


def test_a_page_where_everything_failed_stays_small() -> None:
    cases = CasesEvidence(cases=tuple(factory.failed_case(f"case-{index}") for index in range(6)))
    checks: tuple[Check, ...] = tuple(
        factory.check(f"tr2b.c{index}", "failed", evidence=cases) for index in range(28)
    )
    assert len(report_html(factory.report(checks=checks))) < 300_000
