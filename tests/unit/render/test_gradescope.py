from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import timedelta

import pytest

from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY
from grader.gradescope.submission_metadata import LastResult
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import Exited
from grader.model.gradebook import Person
from grader.model.report import BuildEvidence, CasesEvidence, Report
from tests.unit import facts as made
from tests.unit.lab import SPEC

from . import factory
from .gradescope import (
    ADA,
    NOON,
    handed_in,
    out_of_time,
    remembered,
    results,
    shown,
    spec_with,
)

BROKEN_BUILD = made.build("many", ending=made.FAILURE, messages=factory.ERROR)
JUDGED = {
    "right": made.facts(),
    "wrong": made.facts(made.run("many.copy", b"other")),
    "crash": made.facts(made.run("single.copy", b"", ending=made.CRASH)),
    "unbuilt": made.facts(builds={"many": BROKEN_BUILD}),
    "missing": made.facts(unusable={"many": "many.c is missing", "single": "single.c is missing"}),
    "time-is-up": made.facts(left_out={"many.pattern": "submission-time"}),
}


def judged(name: str) -> Report:
    return judge(JUDGED[name], GradingEnvironment("uid", None))


@pytest.mark.parametrize("name", JUDGED)
def test_the_tests_add_up_to_the_score_of_the_report(name: str) -> None:
    report = judged(name)
    made_of = results(report, spec=SPEC)
    assert made_of.score == report.score == math.fsum(test.score or 0 for test in made_of.tests)
    assert math.fsum(test.max_score or 0 for test in made_of.tests) == report.max_score
    assert [test.name.split(":")[0] for test in made_of.tests] == [check.program for check in report.checks]


@pytest.mark.parametrize(("rule", "kept"), [("keeps-points", 16.0), ("costs-points", 0.0)])
def test_what_was_not_run_keeps_its_points_where_the_spec_says_so(rule: str, kept: float) -> None:
    report = out_of_time(judged("wrong"), "many.syscalls")
    made_of = results(report, spec=spec_with(not_run=rule))
    assert report.score is not None
    assert made_of.score == report.score + kept == math.fsum(test.score or 0 for test in made_of.tests)
    (left_out,) = [test for test in made_of.tests if "syscalls" in test.tags and "many" in test.tags]
    assert (left_out.score, left_out.max_score, left_out.status) == (kept, 16.0, None)
    words = "No points are taken off for it" if kept else "So it earns no points"
    assert left_out.output.startswith("**Not run**, because the time was up.")
    assert words in left_out.output
    assert ("No points are taken off" in made_of.output) == bool(kept)
    assert "1 check not run" in made_of.output


def test_a_partial_report_says_so_first_and_says_nothing_of_what_is_to_come() -> None:
    report = out_of_time(judged("right"), "single.errors", "single.large")
    last = remembered(judged("wrong"))
    made_of = results(report, handed_in(last=last), spec=SPEC, running=True)
    assert made_of.output.startswith("**This was written during grading.**")
    assert "the run was interrupted" in made_of.output
    to_come = [test for test in made_of.tests if test.number in ("2.3", "2.5")]
    assert [(test.score, test.max_score, test.status, test.output) for test in to_come] == [
        (None, None, None, "Not run yet.")
    ] * 2
    assert made_of.score == report.score
    assert made_of.leaderboard == ()
    assert made_of.extra_data[REPORT_KEY] == last.model_dump(mode="json"), "what is not whole is not remembered"
    assert made_of.extra_data[FAULTS_KEY] == [NOON.isoformat()]


def test_a_partial_report_does_not_take_the_place_of_a_better_score() -> None:
    report = out_of_time(judged("right"), "single.errors", "single.large")
    assert report.score is not None
    better = handed_in(last=remembered(judged("right"), report.score + 1))
    made_of = results(report, better, spec=SPEC, running=True)
    assert made_of.score == report.score + 1
    assert "If your last graded submission had more points than this one so far, its score stands" in made_of.output
    assert results(report, better, spec=SPEC).score == report.score + 2 + 4, "when all is said, it is the new one"


def test_numbers_are_the_places_in_the_spec_whatever_failed() -> None:
    by_name = [{test.name: test.number for test in results(judged(name), spec=SPEC).tests} for name in JUDGED]
    assert all(numbers == by_name[0] for numbers in by_name)
    assert by_name[0]["many: build"] == "1.1"
    assert by_name[0]["single: syscalls"] == "2.6"
    assert len(set(by_name[0].values())) == len(by_name[0])


def test_what_could_not_be_judged_is_neither_right_nor_wrong() -> None:
    made_of = results(judged("unbuilt"), spec=SPEC)
    build, output = made_of.tests[:2]
    assert (build.status, build.score) == ("failed", 0)
    assert (output.status, output.score, output.max_score) == (None, 0, 8)
    assert output.output.startswith("**Could not be judged**: there is no many to run")


def test_checks_without_points_have_a_status() -> None:
    timing = results(judged("right"), spec=SPEC).tests[8]
    assert (timing.number, timing.score, timing.max_score, timing.status) == ("1.9", 0, 0, "passed")


def test_tags_say_program_check_and_cause() -> None:
    tags = {test.number: test.tags for test in results(factory.diagnosed()).tests}
    assert tags == {
        "1.1": ("tr2b", "text"),
        "1.2": ("tr2b", "byte-ff", "char-for-getchar"),
        "1.3": ("tr2b", "random-5m", "char-for-getchar"),
        "2.1": ("tr2u", "syscalls"),
    }


def test_the_top_tells_score_causes_and_the_rest_in_this_order() -> None:
    metadata = handed_in(people=(Person(name="Ken T"), Person(email="d@x.y")), last=remembered(factory.report()))
    report = factory.diagnosed(notes=("Tr2b.c was taken for tr2b.c",), remarks=(factory.REMARK,))
    text = shown(results(report, metadata).output)
    order = [
        "Ken T and d@x.y; handed in on 2026-03-02 at 12:00 (UTC-08:00).",
        "8 of 100 points. 1 check passed, 3 failed.",
        "Certain (tr2b): A char holds what getchar returns",
        "Costs 7 points: 1.2 tr2b.byte-ff and 1.3 tr2b.random-5m",
        "tr2b.c:7:23: warning: comparison is always true",
        "getchar can return 257 different values, and a char has room for 256.",
        "Test 1.2 shows how to see it.",
        "tr2u: 2 of 3 cases are wrong.",
        "Costs 6 points: 2.1 tr2u.syscalls",
        "Next: Look at the third argument.",
        "Since your last submission: 80 → 8 points",
        f"Remark: {factory.REMARK.sentence}",
        "Note: Tr2b.c was taken for tr2b.c",
        "Graded by iolab-grader 0.1.0.",
    ]
    places = [text.find(words) for words in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


def test_full_marks_are_told_with_their_figures() -> None:
    text = results(factory.report()).output
    assert "Nothing went wrong: all 2 checks passed." in text
    assert "To copy 5,000,000 bytes, tr2u makes 4,092 times as many reads and writes as tr2b." in shown(text)


def test_a_page_is_shown_once_and_the_other_checks_refer_to_it() -> None:
    tests = results(factory.diagnosed()).tests
    shown_in = [test.number for test in tests if "How to see it" in test.output]
    assert shown_in == ["1.2"]
    assert "Test 1.2 says more about it" in tests[2].output
    assert "```" not in tests[1].output
    assert "    printf 'ab\\377cd\\n' | ./tr2b a x | od -c" in tests[1].output


def test_a_hint_stands_where_no_cause_is_known() -> None:
    tests = results(factory.diagnosed()).tests
    assert "**Hint**: Look at the third argument" in tests[3].output
    caused = factory.diagnosed().checks[1].model_copy(update={"hint": "a guess"})
    report = factory.diagnosed(checks=(caused,))
    assert "guess" not in results(report).tests[0].output


def test_a_failing_case_shows_call_difference_and_how_to_repeat_it() -> None:
    text = results(factory.diagnosed()).tests[1].output
    assert "**Case** `ff-inside`: `./tr2b ab ba`" in text
    assert "The first difference is at byte 658: input `0xFF`, expected `0xFF`, yours `nothing (the end)`." in text
    assert "    from byte 656\n    input     00 01[ff]7e 41" in text
    assert "    yours     00 01[--]" in text
    assert "    grader input --lab tr2 ff-inside >in\n    ./tr2b ab ba <in | od -A d -c" in text
    assert "    warning: \\033[31mred\\033[0m" in text


def test_many_failing_cases_are_named_after_the_first() -> None:
    cases = tuple(factory.failed_case(f"case-{index}", problem=f"problem {index}") for index in range(12))
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=cases))
    text = shown(results(factory.report(checks=(failed,))).tests[0].output)
    assert "case-2: problem 2\n" in text
    assert text.count("The first difference") == 2
    assert "and 2 more" in text


def test_the_first_error_of_the_compiler_is_whole() -> None:
    build = results(factory.unbuilt()).tests[0].output
    assert "    tr2b.c:42:15: error: 'i' undeclared (first use in this function)\n" in build
    assert "       42 |       putchar(i);\n          |               ^" in build
    top = shown(results(factory.unbuilt()).output)
    assert "tr2b could not be compiled (1.1): it does not compile" in top
    assert "1 check, worth 8 points, could not be judged: there is no tr2b to run" in top


def test_a_limit_of_the_build_is_shown_above_a_warning() -> None:
    problem = "the compiler did not finish: it was stopped after limits.build.cpu_s (10 s)"
    evidence = BuildEvidence(messages="tr2b.c:2:5: warning: unused variable 'i'\n    2 | int i;\n")
    failed = factory.check("tr2b.build", "failed", message=problem, evidence=evidence)
    assert problem in shown(results(factory.report(checks=(failed,))).tests[0].output)


def test_calls_are_shown_of_the_runs_that_the_check_is_about() -> None:
    passed = factory.check("tr2b.syscalls", message="1,222 reads; 1,221 writes")
    text = results(factory.report(checks=(passed,))).tests[0].output
    assert "5,000,000 bytes to a file" in text
    assert "to a terminal" not in text
    assert "    calls  reference\n    1,223      1,223  reads of pattern-5m\n" in text
    assert "1,221 blocks of 4,096 bytes" in text
    assert "    calls  errors  syscall\n    1,223          read\n" in text
    assert "        1       1  access\n" in text


def test_the_timing_check_compares_cpu_seconds() -> None:
    timing = factory.check("tr2b.timing", points=0.0, max_points=0.0, message="0.25 s")
    text = results(factory.report(checks=(timing,))).tests[0].output
    assert text == (
        "Seconds, pattern\\-5m:\n\n"
        "     real   user    sys  user + sys\n"
        "    0.250  0.062  0.125       0.188  yours\n"
        "    0.200  0.050  0.100       0.150  the reference\n\n"
        "Compare the CPU seconds (user + sys). Real time includes waiting, because the processor here is shared; and "
        "the reference was measured when this autograder was set up."
    )


def test_what_changed_since_the_last_submission_is_told() -> None:
    before = factory.diagnosed(submission=ADA)
    now = factory.diagnosed(
        checks=(
            factory.check("tr2b.text", "failed", message="worse"),
            factory.check("tr2b.byte-ff"),
            *factory.diagnosed().checks[2:],
        )
    )
    text = shown(results(now, handed_in(last=remembered(before, 80.5))).output)
    assert (
        "Since your last submission: 80.5 → 8 points\nPassed now: 1.2 tr2b.byte-ff\nFailed now: 1.1 tr2b.text" in text
    )


def test_what_is_not_judged_any_more_is_counted() -> None:
    text = results(factory.unbuilt(), handed_in(last=remembered(factory.report(submission=ADA)))).output
    assert "Passed before and not judged now: 1 check" in shown(text)


def test_the_same_sources_are_said_to_be_the_same_and_no_more() -> None:
    text = results(factory.diagnosed(), handed_in(last=remembered(factory.diagnosed()))).output
    assert "The sources are the same as in your last submission." in text
    assert "Since your" not in text


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (timedelta(0), "in time."),
        (timedelta(seconds=-1), "in time."),
        (timedelta(seconds=59), "less than a minute after the due date."),
        (timedelta(minutes=61), "1 hour and 1 minute after the due date."),
        (timedelta(days=2, hours=3, minutes=59), "2 days and 3 hours after the due date."),
    ],
)
def test_late_is_said_with_how_late(late: timedelta, words: str) -> None:
    text = results(factory.report(), handed_in(due_at=NOON - late)).output
    assert shown(text).startswith(f"Handed in on 2026-03-02 at 12:00 (UTC-08:00), {words}")


def test_the_next_run_is_told_of_this_one_in_a_few_thousand_bytes() -> None:
    extra = results(judged("wrong"), handed_in(), spec=SPEC).extra_data
    kept = LastResult.model_validate(json.loads(json.dumps(extra))[REPORT_KEY])
    assert (kept.score, kept.visibility) == (judged("wrong").score, "visible")
    assert [check.status for check in kept.report.checks] == [check.status for check in judged("wrong").checks]
    assert len(json.dumps(extra)) < 12_000
    assert FAULTS_KEY not in extra
    huge = factory.diagnosed(
        checks=tuple(check.model_copy(update={"message": "m" * 10**6}) for check in factory.diagnosed().checks)
    )
    assert len(json.dumps(results(huge).extra_data)) < 12_000


ISOLATION_WORDS: Mapping[str, str] = {"container": "in a container", "none": "without isolation"}


@pytest.mark.parametrize("isolation", ISOLATION_WORDS)
def test_isolation_is_told_where_there_is_none(isolation: str) -> None:
    shown = ISOLATION_WORDS[isolation] in results(factory.report(isolation=isolation)).output
    assert shown == (isolation == "none")


def test_an_exit_status_reads_like_on_the_other_pages() -> None:
    case = factory.failed_case(ending=Exited(kind="exited", code=3), stderr=b"")
    failed = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(case,)))
    text = shown(results(factory.report(checks=(failed,))).tests[0].output)
    assert "input letters (53 bytes), output to a file; exit status 3, nothing on standard error" in text


def test_a_finding_is_shown_with_its_check_and_a_hidden_one_is_not() -> None:
    made_of = results(factory.broken())
    found = [test.output for test in made_of.tests if "memory checker" in test.output]
    assert len(found) == 1
    assert found[0].count("memory checker") == 1
    assert "writes 1 byte past the end of" in shown(found[0])
    assert "    > 10  \t*kept++ = *operand++;" in found[0]
