from __future__ import annotations

import base64
import hashlib
import itertools
import math
import re
from collections.abc import Callable
from functools import cache, partial

import pytest

from grader.model.evidence import Ending, StreamCalls
from grader.model.report import CasesEvidence, Check, Report
from grader.render.html import pages
from grader.render.html.pages import index_html, report_html
from grader.render.html.script import CLASS, REPORT, script
from grader.render.text.links import anchor
from grader.render.text.phrases import certainty_words, ending_words, isolation_words
from grader.render.views.syscalls import call_groups
from grader.render.views.timings import time_groups
from grader.resources import resource

from . import factory
from .classes import hostile_class, made_up
from .factory import SIZE
from .pages import HOSTILE, Element, Page
from .test_problems import shared

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
PAGES: dict[str, Callable[[], bytes]] = {
    **{name: partial(report_html, report) for name, report in REPORTS.items()},
    "index": lambda: index_html([factory.entry(report, name) for name, report in REPORTS.items()]),
    "empty-index": lambda: index_html([]),
    "class": lambda: index_html(made_up(40), files=("grades.csv", "canvas.csv", "junit.xml")),
    "hostile-class": lambda: index_html(hostile_class(), files=("grades.csv", f"{HOSTILE}.csv")),
    "hostile": lambda: report_html(factory.hostile(factory.broken(), HOSTILE)),
    "hostile-diagnosed": lambda: report_html(factory.hostile(factory.diagnosed(), HOSTILE)),
    "worst": lambda: report_html(factory.worst(HOSTILE)),
}


@cache
def page_of(name: str) -> Page:
    """Return one of PAGES, rendered and read once."""
    return Page(PAGES[name]())


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> Page:
    return page_of(request.param)


@pytest.mark.long
def test_a_page_is_well_formed_and_accessible(page: Page) -> None:
    assert page.source.startswith("<!DOCTYPE html>")
    assert page.elements("html")[0]["lang"] == "en"
    assert len(page.elements("main")) == len(page.elements("h1")) == 1
    assert len(page.elements("caption")) == len(page.elements("table"))
    assert all("scope" in attrs for attrs in page.elements("th"))
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert {name for names in page.values("aria-labelledby") for name in names.split()} <= set(ids)
    assert all(href[1:] in ids for href in page.values("href") if href.startswith("#"))


def test_headings_do_not_skip_a_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


def test_a_page_needs_nothing_from_outside(page: Page) -> None:
    assert not {"link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not page.values("src")
    assert not [name for _, names in page.tags for name in names if name.startswith("on")]
    assert not [href for href in page.values("href") if ":" in href or href.startswith("/")]
    assert "url(" not in page.source
    assert "@import" not in page.source


def test_a_page_runs_nothing_but_our_own_script(page: Page) -> None:
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page.source, flags=re.DOTALL)
    assert len(scripts) == len(page.elements("script")) <= 1
    allowed = "".join(f"script-src {hash_of(script)}; " for script in scripts)
    policy = [attrs["content"] for attrs in page.elements("meta") if "http-equiv" in attrs]
    assert policy == [f"default-src 'none'; style-src 'unsafe-inline'; {allowed}base-uri 'none'; form-action 'none'"]
    assert [*map(hash_of, scripts)] in ([], [script(REPORT).allowed], [script(CLASS).allowed])


def hash_of(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_all_pages_have_a_script_for_copying_and_classes_one_for_sorting() -> None:
    sorts = {"index", "class", "hostile-class"}
    for name in PAGES:
        code = "".join(re.findall(r"<script>(.*?)</script>", page_of(name).source, flags=re.DOTALL))
        assert ("clipboard" in code, "sortable" in code) == (name != "empty-index", name in sorts), name


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
    assert page.root.one("p", "score").numbers == [52.5, 100]
    assert page.root.one("p", "tally").numbers == [5, 1, 1]
    assert isolation_words("container") in page.root.one("p", "tally").words
    checks = page.root.all("details", "check")
    assert ["open" in check.attributes for check in checks] == [True] + [False] * 5
    assert next(name for name in page.values("id") if name.startswith("check-")) == "check-tr2b.kind-build"
    assert page.sections[:2] == ["wrong", "skipped"]


def test_every_check_shows_its_title_and_why() -> None:
    page = Page(report_html(factory.broken()))
    rows = page.section("all").all(css="check")
    heads = [row.one("h4") for row in rows]
    assert [(head.one("code", "id").words, head.one("span", "title").words) for head in heads] == [
        (check.id, check.title) for check in factory.broken().checks
    ]
    for symptom in page.section("wrong").all("article", "symptom"):
        assert symptom.one("h3").words == "tr2b: 2 of 3 cases are wrong."
        assert not symptom.all("p", "message"), "the message is not repeated"
    assert page.section("skipped").one("p", "message").words == "The kernel's accounting is missing here."


def test_a_compiler_error_is_shown_with_its_location_and_source() -> None:
    check = Page(report_html(factory.broken())).by_id("check-tr2b.kind-build")
    assert check.one("code").words == "tr2b.c:3:5"
    assert "expected ';' before '}' token" in check.words
    assert check.one("pre", "source").text == "    3 |     }\n      |     ^"
    assert not check.all("p", "message"), "gcc says the same"


def test_a_failed_case_is_shown_with_its_first_difference() -> None:
    first, second = Page(report_html(factory.broken())).by_id("check-tr2b.kind-cases").all("div", "case")
    assert first.one("h5").words == "./tr2b ab ba"
    assert first.one("p", "problem").words == "the output ends too early"
    assert [entry.words for entry in first.one("dl").all("dd")] == [
        "ff-inside",
        "letters, 53 bytes, output to a file",
        "exit status 0",
        r"warning: \033[31mred\033[0m",
    ]
    assert "At byte 658: input 0xFF, expected 0xFF, yours nothing (the end)." in first.words
    dump = first.one("pre", "hex")
    assert [mark.text for mark in dump.all("mark")] == ["[ff]", ".", "[ff]", ".", "[--]", " "]
    assert [line[:21] for line in dump.text.split("\n") if "[" in line] == [
        "input     00 01[ff]7e",
        "expected  00 01[ff]7e",
        "yours     00 01[--]  ",
    ]
    assert second.one("dl").all("dd")[0].words == "ff-last"


def test_judged_calls_are_shown_by_stream() -> None:
    streams = Page(report_html(factory.broken())).by_id("check-tr2b.kind-calls").all("tbody")
    for body, judged in zip(streams, [factory.stream(), factory.stream(stream="stdout")], strict=True):
        assert body.one("th").one("code").words == judged.stream
        assert [cell.numbers for cell in body.all("td", "number")] == [[1222], [SIZE], [SIZE + 1]]
    assert [body.one("span", "status").classes for body in streams] == [["status", "failed"], ["status", "passed"]]
    assert streams[0].one("span", "problem").words == "reads more than one byte a call"


def test_functions_and_times_are_shown() -> None:
    page = Page(report_html(factory.broken()))
    names = page.by_id("check-tr2b.kind-symbols").one("dl").all("dd")
    assert [entry.words.split() for entry in names] == [["fread"], ["read", "readv"], ["fread", "write"]]
    assert page.by_id("check-tr2b.kind-timing").all("p")[0].numbers == [5.5, 5.625]


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
    assert "expected  60 61 62[63]64 65 66 67 `abcdefg" in page.root.one("pre", "hex").text
    assert r"\374\375\376\377" in page.words


def test_calls_and_times_are_shown_next_to_the_reference() -> None:
    report = factory.report(timing=factory.times(0.2, 5.6))
    page = Page(report_html(report))
    calls = page.section("calls")
    groups = call_groups(report)
    tables = [table for group in groups for table in group.tables]
    for shown, table in zip(calls.all("table", "strace"), tables, strict=True):
        rows = [row for part in ("tbody", "tfoot") for row in shown.one(part).all("tr")]
        for cells, row in zip(rows, (*table.rows, table.total), strict=True):
            assert cells.one("th").words == row.syscall
            numbers = [number for cell in cells.all("td", "number") for number in cell.numbers]
            assert numbers == [number for number in (row.calls, row.errors, row.reference_calls) if number]
    assert [heading.numbers for heading in calls.all("h3")] == [[SIZE], [SIZE]]
    assert [group.sink for group in groups] == ["file", "terminal"]
    times = page.section("times")
    assert [row.one("th").words for row in times.one("tbody").all("tr")] == [
        "tr2b",
        "tr2b reference",
        "tr2u",
        "tr2u reference",
    ]
    (group,) = time_groups(report)
    assert group.ratio in times.words
    assert group.reference_ratio in times.words


def test_each_expected_count_is_shown_as_a_sum() -> None:
    report = factory.report()
    sums = [cell.words for cell in Page(report_html(report)).section("calls").all("td", "why")]
    rows = [row for group in call_groups(report) for row in group.streams]
    assert sums == [f"{row.calls:,} = {row.derivation}." for row in rows if row.derivation]
    assert len(sums) == len(rows) - 1, "all but the writes to a terminal"


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
    assert page.sections == ["wrong", "all", "calls", "times", "builds"]
    ids = ["wrong", "cause-char-for-getchar", "check-tr2b.byte-ff", "check-tr2b.random-5m", "check-tr2u.syscalls"]
    assert [name for name in page.values("id") if name in ids] == ids
    wrong = page.section("wrong")
    parts = [child for child in wrong.children if isinstance(child, Element) and child.attributes.get("class")]
    assert [part.classes for part in parts] == [
        ["cause", "is-certain"],
        ["symptom"],
        ["others"],
    ]
    cause, symptom, others = parts
    assert cause.one("div", "warned").all("code")[0].words == "tr2b.c:7:23"
    assert others.all("code")[0].words == "tr2b.c:9:9"
    assert cause.all("h3")[0].words == f"Certain (tr2b): {factory.cause().title}"
    assert cause.all("span", "label")[0].classes == ["label", "certain"]
    assert certainty_words(factory.cause()) in cause.one("p", "certainty").words
    assert cause.one("p", "cost").numbers == [7]
    shown = cause.one("div", "demonstration")
    assert shown.one("pre", "shell").words.startswith("gcc -o tr2b tr2b.c grader input")
    assert [part.words for part in shown.all("dt")] == ["You get", "Expected"]
    explanation = cause.one("div", "page")
    assert [heading.words for heading in explanation.all("h4")] == ["How to see it", "What to read"]
    assert explanation.one("pre", "shell").words == r"printf 'ab\377cd\n' | ./tr2b a x | od -c"
    assert [check.one("code", "id").words for check in cause.one("div", "explains").all("details", "check")] == [
        "tr2b.byte-ff",
        "tr2b.random-5m",
    ]
    assert symptom.one("div", "demonstration").all("code")[0].words.startswith("strace -e trace=read")
    assert "Look at the third argument." in symptom.one("p", "hint").words
    assert not cause.all("p", "hint")
    assert [part.words.count("getchar can return 257 different values") for part in (cause, explanation)] == [1, 0]
    checks = [attrs for attrs in page.elements("details") if "check" in attrs.get("class", "").split()]
    assert [("failed" in attrs["class"], "open" in attrs) for attrs in checks] == [
        (True, False),
        (True, False),
        (True, False),
        (False, False),
    ]
    assert ">h4" not in page.source


def test_what_was_not_run_is_not_said_to_have_failed_too() -> None:
    for words, failed in factory.some_not_run().items():
        page = Page(report_html(factory.report(checks=(failed,))))
        assert words in page.words
        assert "Also failed" not in page.words


def test_every_check_has_one_row_and_one_place() -> None:
    for report in REPORTS.values():
        page = Page(report_html(report))
        assert sorted(name for name in page.values("id") if name.startswith("check-")) == sorted(
            anchor(check.id) for check in report.checks
        )


def test_the_page_says_once_what_a_shared_check_costs_and_what_to_fix_first() -> None:
    text = report_html(shared()).decode()
    assert "It costs 8 points." in text
    assert "It costs no further points. It also affects" in text
    assert "Fix this first: the next problem may come from the same mistake." in text
    assert "Fix this first" not in report_html(factory.diagnosed()).decode()


def test_findings_in_one_line_are_shown_once() -> None:
    one, again = factory.finding("tr2b.byte-ff"), factory.finding("tr2b.byte-ff", cases=("again",))
    other = factory.finding("tr2b.byte-ff", line=one.line + 1)
    for found, shown in (((one, again), 1), ((one, again, other), 2)):
        page = Page(report_html(factory.diagnosed(findings=found)))
        assert len(page.root.all("div", "finding")) == shown


def test_a_check_of_two_causes_is_shown_once() -> None:
    both = (factory.cause("one", "tr2b.byte-ff"), factory.cause("two", "tr2b.byte-ff", "tr2b.random-5m"))
    page = Page(report_html(factory.diagnosed(causes=both)))
    first, second = page.root.all("article", "cause")[:2]
    costs = [cause.one("p", "cost").links for cause in (first, second)]
    assert sorted(costs) == [[], ["#check-tr2b.byte-ff"]]
    assert page.values("id").count("check-tr2b.byte-ff") == 1


def test_a_likely_cause_says_so() -> None:
    certainty = page_of("likely").root.one("p", "certainty")
    assert page_of("likely").root.one("span", "label").classes == ["label", "likely"]
    assert (
        page_of("likely").root.one("article", "cause").one("h3").words == f"Perhaps (tr2b): {factory.cause().title}"
    )
    likely = certainty_words(factory.cause(certainty="likely"))
    assert likely in certainty.words
    assert likely != certainty_words(factory.cause())


def test_what_does_not_compile_shows_the_first_error_with_its_line() -> None:
    page = page_of("unbuilt")
    check = page.section("wrong").one("details", "check")
    assert check.one("div", "folded").attributes["id"] == "check-tr2b.build"
    location, everything = check.all("p")
    assert location.one("code").words == "tr2b.c:42:15"
    assert "'i' undeclared" in location.words
    assert check.one("pre", "source").words == "42 | putchar(i); | ^"
    assert everything.links == ["#build-tr2b"]
    assert page.section("skipped").links == ["#check-tr2b.text"]
    assert page.section("skipped").all("p")[1].numbers == [1, 8]


def test_full_marks_are_shown_with_the_figures() -> None:
    page = page_of("good")
    assert page.sections == ["passed", "chart", "all", "calls", "times", "builds"]
    passed = page.section("passed")
    assert passed.all("p")[0].numbers == [2]
    calls, times = passed.one("ul", "headlines").all("li")
    assert call_groups(REPORTS["good"])[0].ratio in calls.words
    assert time_groups(REPORTS["good"])[0].ratio in times.words


def test_remarks_are_among_the_notes() -> None:
    page = Page(report_html(factory.report(remarks=(factory.REMARK,), notes=("Tr2b.c was taken for tr2b.c",))))
    remark, note = page.section("notes").all("li")
    assert (remark.words, note.words) == (factory.REMARK.sentence, "Tr2b.c was taken for tr2b.c")


def test_not_graded_is_the_graders_fault_and_not_zero() -> None:
    page = Page(report_html(factory.not_graded()))
    assert page.sections == ["not-graded"]
    assert not page.root.one("p", "score").numbers
    assert page.section("not-graded").one("pre").words == "The Docker engine went away in the middle."
    assert "This is not 0 points." in page.words
    assert "0 of" not in page.words


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


@pytest.mark.long
@pytest.mark.parametrize("text", ["x", "<&>\"'", "\x1b\x00", "\u202e", "é", HOSTILE], ids=ascii)
def test_a_page_where_everything_fails_with_big_outputs_stays_small(text: str) -> None:
    page = Page(report_html(factory.worst(text)))
    assert len(page.source.encode()) < 300_000
    assert all(anchor(check.id) in page.values("id") for check in factory.worst(text).checks)


def test_a_finding_marks_its_line_in_the_source() -> None:
    page = report_html(factory.broken()).decode()
    assert "writes 1 byte past the end of <code>from</code> (2 bytes)." in page
    assert page.count("<mark>10  \t*kept++ = *operand++; /* &lt;b&gt; */</mark>") == 1
    assert page.count("(hidden from students)") == 1
    without = report_html(factory.broken(findings=())).decode()
    assert "memory checker" not in without


def test_points_are_called_points_next_to_numbers_of_cases() -> None:
    rows = Page(report_html(factory.broken())).section("all").all("span", "points")
    assert {row.words for row in rows} == {"0 of 8 points", "8 of 8 points"}


def test_calls_for_shorter_inputs_are_left_out_before_sentences_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    report = factory.diagnosed()
    moved = StreamCalls(calls=9, bytes=9, nbyte_min=1, nbyte_max=1)
    changes = {"input": "short", "case": "short", "stdin": moved, "stdout": moved}
    short = [table.model_copy(update=changes) for table in report.syscalls]
    report = report.model_copy(update={"syscalls": (*report.syscalls, *short)})
    assert len({group.size_bytes for group in call_groups(report)}) > 1
    whole = report_html(report).decode("utf-8")
    # As large as it was with less of the logs, and without those tables.
    monkeypatch.setattr(pages, "MAX_PAGE_BYTES", len(whole) - 1000)
    cut = report_html(report).decode("utf-8")
    assert "The calls for shorter inputs are in report.json" in cut
    assert "The calls for shorter inputs are in report.json" not in whole
    assert "more characters are not shown" not in cut


def test_pages_do_not_show_the_calls_of_another_page() -> None:
    one = factory.report()
    table = one.syscalls[0]
    more = {name: count.model_copy(update={"calls": count.calls + 7654}) for name, count in table.calls.items()}
    other = one.model_copy(update={"syscalls": (table.model_copy(update={"calls": more}), *one.syscalls[1:])})
    first, second, again = report_html(one), report_html(other), report_html(one)
    assert first == again
    numbers = [f"{count.calls:,}".encode() for count in more.values()]
    assert all(f">{number.decode()}<".encode() in second for number in numbers)
    assert not any(f">{number.decode()}<".encode() in first for number in numbers)
