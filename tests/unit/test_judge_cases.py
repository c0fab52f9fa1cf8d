from __future__ import annotations

import pytest

from grader.judge.cases import NAMED_CASES, case_result, judge_cases, output_problem
from grader.judge.endings import last_words
from grader.judge.hints import ENDLESS
from grader.model.evidence import WITHOUT_END, Ending, LimitHit, NotStarted
from grader.model.report import CasesEvidence
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import CasesItem

from .facts import CRASH, FAILURE, NONE, captured, facts, limit, run, trace
from .lab import INPUTS, SPEC

TEXT = INPUTS["text"]
SMALL, FULL, STRACE = SPEC.limits.small, SPEC.limits.full, SPEC.limits.strace


def item(*cases: str) -> CasesItem:
    return CasesItem(kind="cases", name="some", title="", points={"many": 1}, cases=cases)


def test_the_reference_s_output_passes_and_says_nothing() -> None:
    outcome = judge_cases(facts(), "many", item("copy", "piped"))
    assert (outcome.status, outcome.message) == ("passed", "")
    assert isinstance(outcome.evidence, CasesEvidence)
    assert [case.case for case in outcome.evidence.cases] == ["copy", "piped"]


def test_the_exit_status_of_a_run_that_copied_does_not_count() -> None:
    assert case_result(facts(run("many.copy", TEXT, ending=FAILURE)), "many", "copy").passed


def test_another_program_s_failure_is_not_this_one_s() -> None:
    changed = facts(run("single.copy", b""))
    assert case_result(changed, "many", "copy").passed
    assert not case_result(changed, "single", "copy").passed


def test_a_wrong_output_is_shown_where_it_parts() -> None:
    wrong = TEXT.replace(b"two", b"tWo")
    result = case_result(facts(run("many.copy", wrong)), "many", "copy")
    assert not result.passed
    assert result.difference is not None
    assert result.difference.offset == TEXT.index(b"two") + 1
    assert result.difference.input_byte == ord("w")
    assert result.problem == result.difference.summary
    assert result.input_size_bytes == len(TEXT)


def test_a_crash_after_the_right_output_fails_without_a_difference() -> None:
    result = case_result(facts(run("many.copy", TEXT, ending=CRASH)), "many", "copy")
    assert not result.passed
    assert result.difference is None
    assert result.problem.startswith("it crashed: killed by SIGSEGV (segmentation fault")


def test_a_crash_with_a_wrong_output_tells_both() -> None:
    result = case_result(facts(run("many.copy", TEXT[:4], ending=CRASH)), "many", "copy")
    assert result.problem.startswith("it crashed: ")
    assert f"identical up to byte {len(TEXT[:4])}" in result.problem


def test_who_wrote_nothing_may_have_refused_what_is_right_and_that_is_told() -> None:
    refusal = run("many.copy", ending=FAILURE, stderr=captured(b"usage\n"))
    result = case_result(facts(refusal), "many", "copy")
    assert result.problem.startswith("nothing was written; ")
    assert result.problem.endswith(f"; {last_words(refusal)}")
    assert last_words(refusal) == "exit status 1, a message on standard error"


@pytest.mark.parametrize(
    ("case", "hit", "words"),
    [
        ("copy", "cpu", f"stopped after {SMALL.cpu_s} s of computing"),
        ("copy", "wall", f"stopped after {SMALL.wall_s:g} s"),
        ("random", "wall", f"stopped after {FULL.wall_s:g} s"),
        ("copy", "output", f"stopped after {SMALL.output_bytes:,} bytes"),
        ("copy", "memory", "more memory than it may"),
    ],
)
def test_a_limit_is_told_with_the_figure_of_that_case(case: str, hit: LimitHit, words: str) -> None:
    data = INPUTS[SPEC.cases[case].input]
    result = case_result(facts(run(f"many.{case}", data, ending=limit(hit))), "many", case)
    assert not result.passed
    assert words in result.problem


def test_a_program_that_could_not_be_started() -> None:
    ending = NotStarted(kind="not_started", errno=8, message="Exec format error")
    result = case_result(facts(run("many.copy", ending=ending)), "many", "copy")
    assert "could not be started: Exec format error" in result.problem


def test_a_case_for_which_there_was_no_time_fails_and_says_so() -> None:
    result = case_result(facts(left_out={"many.copy": "submission-time"}), "many", "copy")
    assert not result.passed
    assert result.problem == f"not run: the program had used up its {SPEC.program_wall_s:g} s"
    assert result.ending is None


@pytest.mark.parametrize("why", WITHOUT_END)
def test_a_case_that_was_not_waited_for_fails_and_the_hint_is_about_ending(why: str) -> None:
    outcome = judge_cases(facts(left_out={"many.copy": why, "many.piped": why}), "many", item("copy", "piped"))
    assert outcome.status == "failed"
    assert outcome.message.startswith("2 of 2 cases were not run: ")
    assert str(facts(left_out={"many.copy": why}).not_run("many.copy")) in outcome.message
    assert outcome.hint == ENDLESS


def test_what_was_not_run_did_not_go_wrong() -> None:
    hung = facts(run("many.copy", ending=limit("wall")), left_out={"many.piped": "given-up"})
    outcome = judge_cases(hung, "many", item("copy", "piped", "open"))
    first = f"it did not end: stopped after {SMALL.wall_s:g} s; "
    assert outcome.message.startswith(f"1 of 3 cases went wrong (copy), 1 was not run; the first: {first}")


def test_what_was_left_out_for_another_reason_does_not_blame_the_time() -> None:
    result = case_result(facts(left_out={"many.copy": "no-tracer"}), "many", "copy")
    assert not result.passed
    assert f"{SPEC.program_wall_s:g} s" not in result.problem


@pytest.mark.parametrize("ending", [CRASH, limit("wall")])
def test_where_both_readings_are_right_only_an_abnormal_end_fails(ending: Ending) -> None:
    assert case_result(facts(run("many.open", ending=FAILURE)), "many", "open").passed
    assert case_result(facts(run("many.open", TEXT)), "many", "open").passed
    assert not case_result(facts(run("many.open", ending=ending)), "many", "open").passed


def test_what_a_program_did_with_open_operands_is_said() -> None:
    outcome = judge_cases(facts(run("many.open", ending=FAILURE)), "many", item("open"))
    assert (outcome.status, outcome.message) == ("passed", "open: wrote nothing, exit status 1")


def test_many_failures_are_counted_and_only_some_are_named() -> None:
    cases = ("copy", "piped", "refuse", "open", "random")
    broken = facts(*(run(f"many.{case}", ending=CRASH) for case in cases))
    outcome = judge_cases(broken, "many", item(*cases))
    assert outcome.status == "failed"
    assert outcome.message.startswith(f"{len(cases)} of {len(cases)} cases went wrong")
    assert f"{', '.join(cases[:NAMED_CASES])} and {len(cases) - NAMED_CASES} more" in outcome.message


def test_what_was_said_on_standard_error_is_kept() -> None:
    result = case_result(facts(run("many.copy", TEXT, stderr=captured(b"\xff!"))), "many", "copy")
    assert result.stderr == b"\xff!"
    assert result.passed


@pytest.mark.parametrize(
    ("engine", "limits"),
    [("account", FULL), ("filter", FULL), ("strace", STRACE), ("strace-count", SPEC.limits.strace_full)],
)
def test_a_limit_is_told_by_what_held_where_the_program_ran(engine: str, limits: RunLimits) -> None:
    cut = run("many.random", engine=engine, ending=limit("wall"), trace=trace(NONE, NONE, complete=False))
    problem, _ = output_problem(facts(cut), "random", cut)
    assert problem is not None
    assert f"stopped after {limits.wall_s:g} s" in problem
