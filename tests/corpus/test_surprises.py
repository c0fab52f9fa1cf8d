"""Submissions that do what the reference does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.explain.exchanged_files import ID
from grader.grading.pipeline import GradingContext, grade
from grader.model.report import Report
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.sandbox.base import Sandbox

SOLUTION = resource("reference", "tr2", "solution")
EMPTY_MAIN = b"int main(void) { return 0; }\n"
PROGRAMS = Path(__file__).parents[1] / "hostile" / "submissions"
PRINTS_VERDICT = PROGRAMS / "tr2b-earns-build-alone" / "harness-prints-verdicts-only.c"


GradeSources = Callable[[bytes, bytes], Report]


@pytest.fixture(scope="module")
def graded(sandbox: Sandbox, small_grading: Callable[[Sandbox], GradingContext]) -> Callable[[bytes, bytes], Report]:
    def graded_sources(tr2b: bytes, tr2u: bytes) -> Report:
        submission = Submission(name="surprise", sources={"tr2b": Source(tr2b), "tr2u": Source(tr2u)})
        report = grade(small_grading(sandbox), submission)
        assert report.status == "graded", report.reason
        return report

    return graded_sources


def failed(report: Report, program: str) -> set[str]:
    return {
        check.id.split(".")[1] for check in report.checks if check.status == "failed" and check.program == program
    }


def test_a_tr2u_so_cheap_that_it_is_traced_where_the_reference_is_not(
    graded: Callable[[bytes, bytes], Report],
) -> None:
    buffered = Path(SOLUTION / "tr2b.c").read_bytes()
    report = graded(buffered, buffered)
    assert failed(report, "tr2b") == set()
    assert failed(report, "tr2u") == {"syscalls", "calls", "terminal"}
    traced = {(one.input, one.sink) for one in report.syscalls if one.program == "tr2u" and one.engine == "strace"}
    assert ("pattern-5m", "terminal") in traced


def test_a_tr2b_so_dear_that_it_is_not_traced_where_the_reference_is(
    graded: Callable[[bytes, bytes], Report],
) -> None:
    unbuffered = Path(SOLUTION / "tr2u.c").read_bytes()
    report = graded(unbuffered, unbuffered)
    assert failed(report, "tr2u") == set()
    assert failed(report, "tr2b") == {"syscalls", "calls", "terminal"}


def test_programs_that_do_nothing_get_what_nothing_is_worth(graded: GradeSources) -> None:
    report = graded(EMPTY_MAIN, EMPTY_MAIN)
    for program in ("tr2b", "tr2u"):
        # They compile, and no output is right where there is no input; but no check is of that alone.
        assert {"build", "silent", "timing"}.isdisjoint(failed(report, program))
        assert {"text", "operands", "binary", "error-length", "syscalls", "terminal"} <= failed(report, program)


def test_a_right_copy_that_ends_with_1_has_all_points_and_one_remark(graded: GradeSources) -> None:
    ends_with_0, ends_with_1 = b"return EXIT_SUCCESS;", b"return EXIT_FAILURE;"
    sources = [Path(SOLUTION / f"{program}.c").read_bytes() for program in ("tr2b", "tr2u")]
    assert all(source.count(ends_with_0) == 1 for source in sources)
    tr2b, tr2u = (source.replace(ends_with_0, ends_with_1) for source in sources)
    report = graded(tr2b, tr2u)
    assert [check.id for check in report.checks if check.status != "passed"] == []
    assert report.score == report.max_score
    assert [(remark.kind, remark.program) for remark in report.remarks] == [
        ("exit-status", "tr2b"),
        ("exit-status", "tr2u"),
    ]
    assert all("ends with exit status 1 after a correct copy" in remark.sentence for remark in report.remarks)


def test_a_printed_verdict_is_no_verdict(graded: GradeSources) -> None:
    honest = Path(SOLUTION / "tr2u.c").read_bytes()
    report = graded(PRINTS_VERDICT.read_bytes(), honest)
    assert failed(report, "tr2u") == set()
    building = next(check.points for check in report.checks if check.id == "tr2b.build")
    assert sum(check.points for check in report.checks if check.program == "tr2b") == building


def test_exchanged_files_are_all_there_is_to_say(graded: GradeSources) -> None:
    buffered, unbuffered = (Path(SOLUTION / name).read_bytes() for name in ("tr2b.c", "tr2u.c"))
    report = graded(unbuffered, buffered)
    assert [symptom.id for symptom in report.symptoms] == [ID, ID]
    assert {check for one in report.symptoms for check in one.checks} == {
        f"{program}.{check}" for program in ("tr2b", "tr2u") for check in failed(report, program)
    }
    assert not report.causes
    assert not any(check.cause for check in report.checks)
    assert {check.hint for check in report.checks if check.status == "failed"} == {report.symptoms[0].advice}


@pytest.mark.parametrize("wrong", ["other", "stops", "same"])
def test_files_are_not_said_to_be_exchanged_if_one_fails_with_the_other_s_content(
    graded: GradeSources, wrong: str
) -> None:
    buffered, unbuffered = (Path(SOLUTION / name).read_bytes() for name in ("tr2b.c", "tr2u.c"))
    assert b"!= EOF)" in buffered
    other = {"other": EMPTY_MAIN, "stops": buffered.replace(b"!= EOF)", b"!= 'e')")}.get(wrong, EMPTY_MAIN)
    report = graded(EMPTY_MAIN if wrong == "same" else unbuffered, other)
    assert failed(report, "tr2b")
    assert failed(report, "tr2u")
    assert ID not in {symptom.id for symptom in report.symptoms}
