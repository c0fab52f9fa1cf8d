from __future__ import annotations

import io
import re
from typing import get_args

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from grader.model.report import BuildEvidence, BuildResult, CasesEvidence, Isolation, Report, SubmissionId
from grader.render.terminal.report import MAX_IN_FULL, in_full, line
from grader.render.terminal.summary import summary
from grader.render.text.phrases import case_words, certainty_words, isolation_words, last_words
from grader.render.views.timings import time_groups

from . import factory

WIDTHS = [40, 80, 200]
VIEWS = (in_full, summary, line)
HOSTILE = "[bold red]x[/] \x1b[2J\x1b]0;owned\x07\x00\u202e\u200b\r\b"
REPORTS = {
    "good": factory.report(),
    "broken": factory.broken(),
    "diagnosed": factory.diagnosed(),
    "unbuilt": factory.unbuilt(),
    "not-graded": factory.not_graded(),
    "empty": factory.empty(),
    "hostile": factory.hostile(factory.broken(), HOSTILE),
    "hostile-diagnosed": factory.hostile(factory.diagnosed(), HOSTILE),
    "worst": factory.worst(HOSTILE),
    "hostile-not-graded": factory.hostile(factory.not_graded(), HOSTILE),
}


def shown(renderable: RenderableType, width: int = 80, *, colour: bool = False) -> str:
    file = io.StringIO()
    Console(file=file, width=width, force_terminal=colour, color_system="256" if colour else None).print(renderable)
    return file.getvalue()


@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_nothing_is_wider_than_the_terminal(report: Report, width: int) -> None:
    lines = "".join(shown(view(report), width) for view in VIEWS).splitlines()
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_no_control_character_but_our_colours(report: Report, *, colour: bool) -> None:
    text = "".join(shown(view(report), colour=colour) for view in VIEWS)
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


def test_a_line_says_why_there_was_nothing_to_compile() -> None:
    missing = factory.check("tr2b.build", "failed", message="tr2b.c is missing: nothing was handed in", evidence=None)
    shown_line = line(factory.unbuilt().model_copy(update={"checks": (missing,)})).plain
    assert shown_line == "ada     50/100  tr2b.build: tr2b.c is missing: nothing was handed in"
    assert line(factory.unbuilt()).plain.endswith("  tr2b.build")


def test_a_line_says_why_it_is_not_graded() -> None:
    assert line(factory.not_graded("engine\ndied")).plain == "alan  NOT GRADED: engine died"


def test_a_summary_says_that_not_graded_is_not_zero() -> None:
    text = shown(in_full(factory.not_graded()))
    assert "NOT GRADED" in text
    assert "The Docker engine went away" in text
    assert "not 0 points" in text


def test_a_summary_shows_the_failed_checks_and_why() -> None:
    text = shown(in_full(factory.broken()), 200)
    for number, evidence in enumerate(factory.evidence_of_each_kind()):
        assert f"Costs 8 points: tr2b.kind-{evidence.kind}" in text
        assert (f"✗ failed  tr2b.kind-{evidence.kind}  0 of 8" in text) == (number < MAX_IN_FULL)
    assert "Case ff-inside: ./tr2b ab ba" in text
    assert "\n656  00 01[ff]7e 41" in text
    assert "\n656  00 01[--]" in text
    assert "Also failed: ff-last" in text
    assert "○ skipped  tr2u.syscalls: The kernel's accounting is missing here." in text


def test_a_case_without_a_message_says_so_beside_its_exit_status() -> None:
    case = factory.failed_case(stderr=b"", ending=factory.ENDINGS[0])
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(case,)))
    assert f"{case_words(case)}; {last_words(case)}" in shown(in_full(factory.report(checks=(failed,))), 200)


def test_a_known_bug_is_told_before_its_checks_and_instead_of_their_evidence() -> None:
    text = shown(in_full(factory.diagnosed()))
    order = [
        "ken  87 of 100",
        "Certain (tr2b): A char holds what getchar returns",
        "The compiler warned: tr2b.c:7:23: comparison is always true",
        "Costs 7 points: tr2b.byte-ff, tr2b.random-5m",
        "getchar can return 257 different values, and a char has room for 256.",
        r"printf 'ab\377cd\n' | ./tr2b a x | od -c",
        "tr2u: 2 of 3 cases are wrong.",
        "Costs 6 points: tr2u.syscalls",
        "Next: Look at the third argument.",
        "✗ failed  tr2u.syscalls  0 of 6",
        "Repeat it yourself:",
        "strace -e trace=read ./tr2u a b <pattern-5m >/dev/null",
        "System calls, 5,000,000 bytes to a file",
        "Seconds, pattern-5m",
        "The compiler warned: tr2b.c:9:9: unused variable 'i'",
    ]
    places = [text.find(words) for words in order]
    assert -1 not in places
    assert places == sorted(places)
    assert "ff-inside" not in text
    assert "Likely" not in text


def test_remarks_come_after_the_figures() -> None:
    text = shown(in_full(factory.diagnosed(remarks=(factory.REMARK,))), 200)
    assert 0 < text.find("Seconds, pattern-5m") < text.find(f"Remark: {factory.REMARK.sentence}")


def test_a_likely_cause_says_so() -> None:
    likely = factory.cause("x", "tr2b.byte-ff", certainty="likely")
    text = shown(in_full(factory.diagnosed(causes=(likely,))), 200)
    assert certainty_words(likely) in text
    assert f"Perhaps (tr2b): {likely.title}" in text


def test_one_bug_fits_two_screens() -> None:
    report = factory.diagnosed(checks=factory.diagnosed().checks[:3])
    assert len(shown(in_full(report), 80).splitlines()) <= 2 * 24
    # Nothing that went wrong is hidden by there being much of it, but it is not all told.
    assert len(shown(in_full(factory.worst("x")), 80).splitlines()) < 550


def test_what_does_not_compile_shows_the_first_error_with_its_line() -> None:
    text = shown(in_full(factory.unbuilt()))
    assert "The compiler's first error: tr2b.c:42:15: 'i' undeclared" in text
    assert "42 |       putchar(i);" in text
    assert "No known bug" not in text


def test_of_many_skipped_checks_the_number_is_told() -> None:
    skipped = tuple(factory.check(f"tr2b.c{index}", "skipped", message="no tr2b") for index in range(15))
    assert "○ skipped  15 checks: no tr2b" in shown(in_full(factory.report(checks=skipped)))


def test_full_marks_are_told_in_a_sentence() -> None:
    assert "Nothing went wrong: all 2 checks passed." in shown(in_full(factory.report()))


@pytest.mark.parametrize("isolation", get_args(Isolation))
def test_a_summary_says_how_it_was_isolated(isolation: Isolation) -> None:
    assert isolation_words(isolation) in shown(in_full(factory.report(isolation=isolation)), 200)


def test_tables_fit_forty_columns_uncut() -> None:
    text = shown(in_full(factory.report()), 40)
    assert f"tr2u      {factory.SIZE + 2:,} {factory.SIZE:,}\n" in text
    assert time_groups(factory.report())[0].ratio in text


@pytest.mark.parametrize(("width", "columns"), [(40, 8), (80, 16), (36, 4)])
def test_hexdumps_take_the_room_there_is(width: int, columns: int) -> None:
    rows = re.findall(r"^65[26] (( ..|\[..\]).*)$", shown(in_full(factory.broken()), width), re.MULTILINE)
    digits = re.findall(r"[0-9a-f]{2}(?=[ \]\[])", rows[0][0])
    assert len(digits) == columns


def test_huge_messages_are_cut() -> None:
    failed = factory.check("tr2b.text", "failed", message="m" * 1_000_000)
    assert len(shown(in_full(factory.report(checks=(failed,))))) < 10_000


def test_huge_stderr_is_cut() -> None:
    evidence = CasesEvidence(cases=(factory.failed_case(stderr=b"e" * 1_000_000),))
    failed = factory.check("tr2b.text", "failed", evidence=evidence)
    assert len(shown(in_full(factory.report(checks=(failed,))))) < 10_000


def test_what_the_message_said_is_not_said_again_below_the_case() -> None:
    problem = "nothing was written; 8 bytes were expected; exit status 0, nothing on standard error"
    case = factory.failed_case(problem=problem, ending=factory.ENDINGS[0])
    message = f"1 of 2 cases went wrong (ff-inside); the first: {problem}"
    failed = factory.check("tr2b.text", "failed", message=message, evidence=CasesEvidence(cases=(case,)))
    text = shown(in_full(factory.report(checks=(failed,))), 200)
    assert text.count(problem) == text.count("exit status 0") == 1


def unbuilt(problem: str, messages: str, *, quotes_error: bool = False) -> Report:
    evidence = BuildEvidence(messages=messages, quotes_error=quotes_error)
    failed = factory.check("tr2b.build", "failed", message=problem, evidence=evidence)
    build = BuildResult(program="tr2b", ok=False, command="gcc -o tr2b tr2b.c", messages=messages)
    return factory.report(checks=(failed,), builds=(build,))


@pytest.mark.parametrize("warning", ["", "tr2b.c:2:5: warning: unused variable 'i'\n    2 | int i;\n"])
def test_a_limit_of_the_build_is_shown_above_the_compilers_messages(warning: str) -> None:
    problem = "the compiler did not finish: it needed more memory than limits.build.memory_bytes (1 byte)"
    report = unbuilt(problem, f"{warning}as: out of memory allocating 64 bytes\n")
    assert shown(in_full(report), 200).count(problem) == 1


@pytest.mark.parametrize(
    ("said", "messages"),
    [
        ("'i' undeclared", "tr2b.c:3:5: error: 'i' undeclared\n    3 | i;\n"),
        ("gcc: internal compiler error: Segmentation fault", "gcc: internal compiler error: Segmentation fault\n"),
    ],
)
def test_what_the_compiler_said_is_not_said_again_above_its_messages(said: str, messages: str) -> None:
    problem = f"it does not compile: an error; the first: {messages.splitlines()[0]}"
    report = unbuilt(problem, messages, quotes_error=True)
    assert shown(in_full(report), 200).count(said) == 1


def test_what_was_not_run_is_not_said_to_have_failed_too() -> None:
    for words, failed in factory.some_not_run().items():
        text = shown(in_full(factory.report(checks=(failed,))), 200)
        assert words in text
        assert "Also failed" not in text


def test_a_case_says_what_its_message_leaves_out() -> None:
    case = factory.failed_case(problem="identical up to byte 4", ending=factory.ENDINGS[0])
    failed = factory.check("tr2b.text", "failed", message="It is wrong.", evidence=CasesEvidence(cases=(case,)))
    text = shown(in_full(factory.report(checks=(failed,))), 200)
    assert "identical up to byte 4" in text
    assert "; exit status 0, " in text


def test_a_finding_shows_its_line_in_the_source() -> None:
    text = shown(in_full(factory.broken()), 200)
    assert "What a memory checker found: tr2b.c line 10 writes 1 byte past the end of `from` (2 bytes)." in text
    assert re.search(r"^    +9 +while \(\*operand\)$", text, re.MULTILINE)
    assert re.search(r"^  > 10 +\*kept\+\+ = \*operand\+\+; /\* <b> \*/$", text, re.MULTILINE)
    assert "Seen in: tr2b.kind-cases" in text
    assert "gcc -g -fsanitize=address,undefined -o tr2b tr2b.c" in text
    assert text.count("(hidden from students)") == 1
