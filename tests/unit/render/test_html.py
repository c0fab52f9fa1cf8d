from __future__ import annotations

import base64
import hashlib
import itertools
import math
import re

import pytest

from grader.model.evidence import Ending
from grader.model.report import CasesEvidence, Check, Report
from grader.render.html.class_page.page import class_script
from grader.render.html.pages import index_html, report_html
from grader.render.text.links import anchor
from grader.render.text.phrases import ending_words
from grader.resources import resource

from . import factory
from .classes import hostile_class, made_up
from .factory import SIZE
from .pages import HOSTILE, Page

REPORTS = {
    "good": factory.report(),
    "broken": factory.broken(),
    "diagnosed": factory.diagnosed(),
    "likely": factory.diagnosed(causes=(factory.cause("x", "tr2b.byte-ff", certainty="likely"),)),
    "unbuilt": factory.unbuilt(),
    "not-graded": factory.not_graded(),
    "empty": factory.empty(),
    "no-reference": factory.report(reference=None),
}
PAGES = {
    **{name: report_html(report) for name, report in REPORTS.items()},
    "index": index_html([factory.entry(report, name) for name, report in REPORTS.items()]),
    "empty-index": index_html([]),
    "class": index_html(made_up(40), files=("grades.csv", "canvas.csv", "junit.xml")),
    "hostile-class": index_html(hostile_class(), files=("grades.csv", f"{HOSTILE}.csv")),
    "hostile": report_html(factory.hostile(factory.broken(), HOSTILE)),
    "hostile-diagnosed": report_html(factory.hostile(factory.diagnosed(), HOSTILE)),
    "worst": report_html(factory.worst(HOSTILE)),
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
    levels = [int(tag[1]) for tag, _ in Page(data).tags if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


@everywhere
def test_a_page_needs_nothing_from_outside(data: bytes) -> None:
    page = Page(data)
    assert not {"link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not page.values("src")
    assert not [name for _, names in page.tags for name in names if name.startswith("on")]
    assert not [href for href in page.values("href") if ":" in href or href.startswith("/")]
    assert "url(" not in page.source
    assert "@import" not in page.source


@everywhere
def test_a_page_runs_nothing_but_our_own_script(data: bytes) -> None:
    page = Page(data)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page.source, flags=re.DOTALL)
    assert len(scripts) == len(page.elements("script")) <= 1
    allowed = "".join(f"script-src {hash_of(script)}; " for script in scripts)
    policy = [attrs["content"] for attrs in page.elements("meta") if "http-equiv" in attrs]
    assert policy == [f"default-src 'none'; style-src 'unsafe-inline'; {allowed}base-uri 'none'; form-action 'none'"]
    assert [*map(hash_of, scripts)] in ([], [class_script().allowed])


def hash_of(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_only_the_page_of_a_class_has_a_script() -> None:
    assert [name for name, data in PAGES.items() if Page(data).elements("script")] == [
        "index",
        "class",
        "hostile-class",
    ]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_hostile_text_stays_text(report: Report) -> None:
    benign, hostile = Page(report_html(report)), Page(report_html(factory.hostile(report, HOSTILE)))
    # An empty text has no element, the same text made hostile has one, so that only the kinds are compared.
    assert {tag for tag, _ in hostile.tags} - {tag for tag, _ in benign.tags} <= {
        "p",
        "pre",
        "br",
        "div",
        "span",
        "dt",
        "dd",
    }
    assert "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \\x1b[31m\\x00\\u202e" in hostile.text
    assert not [char for char in hostile.source if char not in "\n\t" and not char.isprintable() and char != "\xa0"]


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
    assert "No known bug explains these" in words
    assert "first error, at tr2b.c:3:5: expected ';' before '}' token" in words
    assert "./tr2b ab ba the output ends too early At byte 658" in words
    assert "Case ff-inside Input letters, 53 bytes, output to a file" in words
    assert r"Standard error warning: \x1b[31mred\x1b[0m" in words
    assert "At byte 658: input 0xff, expected 0xff, yours nothing (the end)." in words
    assert "656 00 01[ff]7e" in words
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
    assert "248 f8 f9 fa fb fc fd fe ff ........" in page.words
    assert r"\xfc\xfd\xfe\xff" in page.words


def test_call_tables_and_times_stand_beside_the_reference() -> None:
    words = Page(report_html(factory.report(timing=factory.times(0.2, 5.6)))).words
    assert "5,000,002 read 5,000,002 5,000,000 write 5,000,000" in words
    assert "10,000,026 1 total 10,000,026" in words
    assert "5,000,000 bytes to a terminal" in words
    assert "By the clock, tr2b is 28 times faster than tr2u. In the reference solution, tr2b is 28 times" in words


def test_each_expected_count_is_taken_apart() -> None:
    words = Page(report_html(factory.report())).words
    end_and_loader = "+ 1 that returns 0 at the end + 1 by the dynamic loader"
    assert f"{SIZE + 2:,} = {SIZE:,} bytes one at a time {end_and_loader}." in words
    blocks = -(-SIZE // factory.BUFFER)
    assert f"{blocks + 2:,} = {blocks:,} blocks of 4,096 bytes, the last one short {end_and_loader}." in words


def test_bars_are_on_a_logarithmic_scale_and_hidden_from_screen_readers() -> None:
    page = Page(report_html(factory.report()))
    bars = [attrs for tag, attrs in page.attributes if tag == "td" and attrs.get("class") == "bars"]
    assert bars
    assert all(attrs["aria-hidden"] == "true" for attrs in bars)
    widths = [style for style in page.values("style") if style.startswith("width:")]
    assert f"width:{100 * math.log10(SIZE) / 7:.1f}%" in widths
    assert len(widths) > len(bars)


def test_a_cause_comes_first_with_its_page_and_its_checks_folded() -> None:
    page = Page(report_html(factory.diagnosed()))
    order = [
        "What went wrong",
        "gcc warned of tr2b.c:7:23",
        "A char holds what getchar returns",
        "Certain. In tr2b. In every case that this bug changes, your program does what a program with this bug does.",
        "It costs 7 points.",
        "What happens getchar can return 257 different values",
        "How to see it printf 'ab\\377cd\\n' | ./tr2b a x | od -c Six bytes",
        "What to read getchar(3)",
        "The checks that fail because of it: tr2b.byte-ff",
        "Not explained by a known bug",
        "tr2u.syscalls",
        "Repeat it yourself: strace -e trace=read",
        "Hint. Look at the third argument.",
        "All checks",
        "System calls How often",
        "Time By the clock",
        "Compiler tr2b compiled",
    ]
    words = page.words
    places = []
    for text in order:
        places.append(words.find(text, places[-1] if places else 0))
    assert -1 not in places
    checks = [attrs for attrs in page.elements("details") if "check" in attrs.get("class", "").split()]
    assert [("failed" in attrs["class"], "open" in attrs) for attrs in checks] == [
        (True, False),
        (True, False),
        (True, True),
        (False, False),
    ]
    assert ">h4" not in page.source
    assert {tag for tag, _ in page.tags} >= {"h4"}


def test_what_was_not_run_is_not_said_to_have_failed_too() -> None:
    for words, failed in factory.some_not_run().items():
        page = Page(report_html(factory.report(checks=(failed,))))
        assert words in page.words
        assert "Failed too" not in page.words


def test_every_check_has_one_row_and_one_place() -> None:
    for report in REPORTS.values():
        page = Page(report_html(report))
        assert sorted(name for name in page.values("id") if name.startswith("check-")) == sorted(
            anchor(check.id) for check in report.checks
        )


def test_a_check_of_two_causes_is_shown_once() -> None:
    both = (factory.cause("one", "tr2b.byte-ff"), factory.cause("two", "tr2b.byte-ff", "tr2b.random-5m"))
    page = Page(report_html(factory.diagnosed(causes=both)))
    assert "It explains as well, together with another bug: tr2b.byte-ff." in page.words
    assert page.values("id").count("check-tr2b.byte-ff") == 1


def test_a_likely_cause_says_so() -> None:
    words = Page(PAGES["likely"]).words
    assert "Likely. In tr2b. Likely, not certain" not in words
    assert (
        "Likely. In tr2b. Most of what this bug changes went wrong in just its way; another bug may be there too."
        in words
    )


def test_what_does_not_compile_shows_the_first_error_with_its_line() -> None:
    words = Page(PAGES["unbuilt"]).words
    assert "tr2b could not be compiled" in words
    assert "first error, at tr2b.c:42:15: 'i' undeclared" in words
    assert "42 | putchar(i); | ^ All that gcc said of tr2b" in words
    assert "So 1 check worth 8 points could not be judged: tr2b.text." in words


def test_full_marks_are_told_with_the_figures() -> None:
    words = Page(PAGES["good"]).words
    assert "Nothing went wrong All 2 checks passed." in words
    assert "To copy 5,000,000 bytes, tr2u makes 4,093 times as many reads and writes as tr2b." in words


def test_not_graded_is_the_graders_fault_and_not_zero() -> None:
    words = Page(report_html(factory.not_graded())).words
    assert "Not graded This is not 0 points." in words
    assert "The grader failed, not the submission" in words
    assert "The Docker engine went away in the middle." in words
    assert "0 of" not in words


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


@pytest.mark.parametrize("text", ["x", "<&>\"'", "\x1b\x00", "\u202e", "é", HOSTILE], ids=ascii)
def test_a_page_where_everything_fails_with_big_outputs_stays_small(text: str) -> None:
    page = Page(report_html(factory.worst(text)))
    assert len(page.source.encode()) < 300_000
    assert all(anchor(check.id) in page.values("id") for check in factory.worst(text).checks)
