from __future__ import annotations

import pytest

from grader.judge.cases import NAMED_CASES, UNWANTED_BYTES, case_result, judge_cases, output_problem
from grader.judge.endings import exit_and_stderr_words
from grader.judge.repeat import repeat_case
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
    assert result.problem.startswith("nothing was written to standard output; ")
    assert result.problem.endswith(f"; {exit_and_stderr_words(refusal)}")
    assert exit_and_stderr_words(refusal) == "exit status 1, a message on standard error"


@pytest.mark.parametrize(
    ("case", "hit", "words"),
    [
        ("copy", "cpu", f"stopped after {SMALL.cpu_s} s of computing (limits.small.cpu_s)"),
        ("copy", "wall", f"stopped after {SMALL.wall_s:g} s"),
        ("random", "wall", f"stopped after {FULL.wall_s:g} s (limits.full.wall_s)"),
        ("copy", "memory", "more memory than allowed"),
    ],
)
def test_a_limit_is_told_with_the_figure_of_that_case(case: str, hit: LimitHit, words: str) -> None:
    data = INPUTS[SPEC.cases[case].input]
    result = case_result(facts(run(f"many.{case}", data, ending=limit(hit))), "many", case)
    assert not result.passed
    assert words in result.problem


@pytest.mark.parametrize(
    ("wrote", "said"),
    [
        (SMALL.output_bytes, SMALL.output_bytes),
        (SMALL.output_bytes - 6, SMALL.output_bytes),
        (0, SMALL.output_bytes),
        (20_000, 20_000),
    ],
)
def test_how_much_was_written_until_the_stop_is_told(wrote: int, said: int) -> None:
    result = case_result(facts(run("many.copy", b"x" * wrote, ending=limit("output"))), "many", "copy")
    assert f"wrote more than allowed: stopped after {said:,} bytes" in result.problem


@pytest.mark.parametrize(
    ("stdout", "stderr", "end"),
    [
        (b"x" * 2_345_678, b"", " | head -c 1000000 | wc -c"),
        (b"x" * 234_567, b"a message", " | head -c 230000 | wc -c"),
        (TEXT, b"x" * 345_678, " 2>&1 >/dev/null | head -c 340000 | wc -c"),
        # It wrote elsewhere.
        (TEXT, b"", ' >/dev/null; echo "exit status $?"'),
        (TEXT[:3], b"", ' >/dev/null; echo "exit status $?"'),
        (b"", b"", ' >/dev/null; echo "exit status $?"'),
    ],
)
def test_a_flood_is_shown_by_as_many_bytes_as_were_seen(stdout: bytes, stderr: bytes, end: str) -> None:
    flood = run("many.copy", stdout, ending=limit("output"), stderr=captured(stderr))
    result = case_result(facts(flood), "many", "copy")
    assert result.repeat.endswith(end)
    assert (" to standard error: stopped after " in result.problem) == (len(stderr) > len(stdout))


def test_a_program_that_could_not_be_started() -> None:
    ending = NotStarted(kind="not_started", errno=8, message="Exec format error")
    result = case_result(facts(run("many.copy", ending=ending)), "many", "copy")
    assert "could not be started: Exec format error" in result.problem


def test_a_case_for_which_there_was_no_time_fails_and_says_so() -> None:
    result = case_result(facts(left_out={"many.copy": "submission-time"}), "many", "copy")
    assert not result.passed
    assert result.problem.startswith(f"not run: the program had used up its {SPEC.program_wall_s:g} s")
    assert "limits.submission_wall_s" in result.problem
    assert (result.ending, result.stderr, result.stdout) == (None, b"", b"")


def test_a_case_that_was_left_out_after_a_limit_does_not_say_that_the_program_hung() -> None:
    result = case_result(facts(left_out={"many.copy": "no-end"}), "many", "copy")
    assert "the program had to be stopped" in result.problem
    assert "did not end" not in result.problem


@pytest.mark.parametrize("why", WITHOUT_END)
def test_a_case_that_was_not_waited_for_fails_and_says_so(why: str) -> None:
    outcome = judge_cases(facts(left_out={"many.copy": why, "many.piped": why}), "many", item("copy", "piped"))
    assert outcome.status == "failed"
    assert outcome.message.startswith("2 of 2 cases were not run: ")
    assert (
        str(facts(left_out={"many.copy": why}).left_out_by_own_fault("many.copy"))
        == f"not run: {outcome.message[27:]}"
    )


def test_what_was_not_run_did_not_go_wrong() -> None:
    hung = facts(run("many.copy", ending=limit("wall")), left_out={"many.piped": "given-up"})
    outcome = judge_cases(hung, "many", item("copy", "piped", "open"))
    first = f"it did not end: stopped after {SMALL.wall_s:g} s (limits.small.wall_s); "
    assert outcome.message.startswith(f"1 of 3 cases went wrong (copy), 1 was not run; the first: {first}")


def test_what_was_left_out_for_another_reason_does_not_blame_the_time() -> None:
    result = case_result(facts(left_out={"many.copy": "no-tracer"}), "many", "copy")
    assert not result.passed
    assert f"{SPEC.program_wall_s:g} s" not in result.problem


def test_a_case_that_failed_has_the_line_that_repeats_it() -> None:
    found = facts(run("many.copy", b""), run("many.refuse", ending=limit("wall")))
    outcome = judge_cases(found, "many", item("copy", "piped", "refuse"))
    assert isinstance(outcome.evidence, CasesEvidence)
    wrong, right, hung = outcome.evidence.cases
    assert (wrong.repeat, right.repeat) == (repeat_case(SPEC, "many", wrong), "")
    assert hung.repeat == repeat_case(SPEC, "many", hung, found.evidence.run("many", "refuse"))
    assert f"stopped after {SMALL.wall_s:g} s" in hung.problem


def test_an_output_where_nothing_may_be_is_shown_from_its_beginning() -> None:
    refusals = {size: run("many.refuse", b"x" * size, ending=FAILURE) for size in (3, UNWANTED_BYTES + 1)}
    shown = {size: case_result(facts(done), "many", "refuse").stdout for size, done in refusals.items()}
    assert shown == {3: b"xxx", UNWANTED_BYTES + 1: b"x" * UNWANTED_BYTES}
    assert case_result(facts(run("many.copy", b"xxx")), "many", "copy").stdout == b"", "there is its difference"
    dropped = run("many.refuse", stdout=captured(b"xxx", kept=False), stderr=captured(b"no", kept=False))
    result = case_result(facts(dropped), "many", "refuse")
    assert (result.stdout, result.stderr) == (b"", b"")


@pytest.mark.parametrize("ending", [CRASH, limit("wall")])
def test_where_both_readings_are_right_only_an_abnormal_end_fails(ending: Ending) -> None:
    assert case_result(facts(run("many.open", ending=FAILURE)), "many", "open").passed
    assert case_result(facts(run("many.open", TEXT)), "many", "open").passed
    assert not case_result(facts(run("many.open", ending=ending)), "many", "open").passed


def test_what_a_program_did_with_open_operands_is_said() -> None:
    outcome = judge_cases(facts(run("many.open", ending=FAILURE)), "many", item("open"))
    assert (outcome.status, outcome.message) == ("passed", "open: wrote nothing to standard output, exit status 1")
    outcome = judge_cases(facts(run("many.open", TEXT)), "many", item("open"))
    assert outcome.message == f"open: wrote {len(TEXT)} bytes to standard output, exit status 0"


PAIRS = [("copy", "piped"), ("piped", "copy")]


def test_many_failures_are_counted_and_only_some_are_named() -> None:
    cases = ("copy", "piped", "refuse", "open", "random")
    broken = facts(*(run(f"many.{case}", ending=CRASH) for case in cases))
    outcome = judge_cases(broken, "many", item(*cases))
    assert outcome.status == "failed"
    assert outcome.message.startswith(f"{len(cases)} of {len(cases)} cases went wrong")
    assert f"{', '.join(cases[:NAMED_CASES])} and {len(cases) - NAMED_CASES} more" in outcome.message
    assert "not run" not in outcome.message
    fewer = judge_cases(broken, "many", item(*cases[:NAMED_CASES]))
    assert f"({', '.join(cases[:NAMED_CASES])});" in fewer.message


def test_of_cases_that_were_not_run_the_first_says_why() -> None:
    left_out = {"many.copy": "deadline", "many.piped": "submission-time"}
    first, other = (judge_cases(facts(left_out=left_out), "many", item(*two)).message for two in PAIRS)
    assert f"{SPEC.program_wall_s:g} s" not in first
    assert f"{SPEC.program_wall_s:g} s" in other


def test_what_was_said_on_standard_error_is_kept() -> None:
    result = case_result(facts(run("many.copy", TEXT, stderr=captured(b"\xff!"))), "many", "copy")
    assert result.stderr == b"\xff!"
    assert result.passed


@pytest.mark.parametrize(
    ("case", "engine", "limits"),
    [
        ("random", "account", FULL),
        ("random", "filter", FULL),
        ("random", "strace", STRACE),
        ("random", "strace-count", SPEC.limits.strace_full),
        ("slice", "strace", SPEC.limits.strace_small),
    ],
)
def test_a_limit_is_told_by_what_held_where_the_program_ran(case: str, engine: str, limits: RunLimits) -> None:
    cut = run(f"many.{case}", engine=engine, ending=limit("wall"), trace=trace(NONE, NONE, complete=False))
    problem, _ = output_problem(facts(cut), case, cut)
    assert problem is not None
    assert f"stopped after {limits.wall_s:g} s" in problem
