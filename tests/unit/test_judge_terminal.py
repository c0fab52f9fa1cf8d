from __future__ import annotations

from grader.judge.repeat import repeat_calls
from grader.judge.streams import line_buffered_writes
from grader.judge.terminal import judge_terminal
from grader.model.report import CallsEvidence
from grader.model.spec.rubric import TerminalItem

from .facts import CRASH, captured, facts, limit, right_calls, run, stream, trace
from .lab import INPUTS, SLICE_BYTES, SPEC, STRACE_FULL_WALL_S, TERMINAL_BUFFER

ITEM = TerminalItem(
    kind="terminal", name="terminal", title="", points={"many": 1}, cases=("screen", "screen-full"), shown=()
)
SLICE, PATTERN = INPUTS["slice"], INPUTS["pattern"]
LINES = line_buffered_writes(SLICE, TERMINAL_BUFFER)
READS, WRITES = right_calls("many", SLICE, terminal=True)


def test_right_writes_pass_on_every_case_that_was_traced() -> None:
    outcome = judge_terminal(facts(), "many", ITEM)
    assert outcome.status == "passed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert [judged.calls for judged in outcome.evidence.streams] == [LINES, -(-len(PATTERN) // TERMINAL_BUFFER)]
    assert outcome.evidence.repeat == ""


def test_a_write_a_byte_passes_where_that_is_the_pattern() -> None:
    outcome = judge_terminal(facts(), "single", ITEM)
    assert outcome.message == f"{SLICE_BYTES:,} writes of {SLICE_BYTES:,} bytes"


def test_fully_buffered_writes_to_a_terminal_fail() -> None:
    changed = run("many.screen.strace", SLICE, trace=trace(READS, stream(1, SLICE_BYTES)))
    outcome = judge_terminal(facts(changed), "many", ITEM)
    assert outcome.status == "failed"
    assert f"1 write, fewer than the {LINES}" in outcome.message
    assert "(input slice, to a terminal)" in outcome.message
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.repeat == repeat_calls(SPEC, "many", "screen")


def test_a_wrong_output_fails_and_its_writes_are_not_judged() -> None:
    changed = run("many.screen.strace", SLICE[:-1], trace=trace(READS, WRITES))
    outcome = judge_terminal(facts(changed), "many", ITEM)
    assert outcome.status == "failed"
    assert "then the output ends" in outcome.message
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {judged.input for judged in outcome.evidence.streams} == {"pattern"}


def test_a_wrong_output_without_strace_fails() -> None:
    outcome = judge_terminal(facts(run("many.screen", b"")), "many", ITEM)
    assert outcome.status == "failed"
    assert "nothing was written" in outcome.message


def test_one_problem_in_two_runs_is_told_once() -> None:
    changed = (run("many.screen", SLICE, ending=CRASH), run("many.screen.strace", SLICE, ending=CRASH))
    assert judge_terminal(facts(*changed), "many", ITEM).message.count("it crashed") == 1


def test_an_output_that_is_not_at_hand_is_known_to_be_the_reference_s_by_its_hash() -> None:
    changed = run("many.screen.strace", stdout=captured(SLICE, kept=False), trace=trace(READS, WRITES))
    assert judge_terminal(facts(changed), "many", ITEM).status == "passed"


def test_without_a_complete_log_the_writes_cannot_be_seen() -> None:
    cut = [
        run(f"many.{case}.strace", data, trace=trace(READS, WRITES, complete=False))
        for case, data in (("screen", SLICE), ("screen-full", PATTERN))
    ]
    assert judge_terminal(facts(*cut), "many", ITEM).status == "skipped"
    left_out = dict.fromkeys(("many.screen.strace", "many.screen-full.strace"), "no-tracer")
    assert judge_terminal(facts(left_out=left_out), "many", ITEM).status == "skipped"


def test_a_submission_out_of_time_fails_and_says_so() -> None:
    steps = ("many.screen", "many.screen.strace", "many.screen-full.strace")
    outcome = judge_terminal(facts(left_out=dict.fromkeys(steps, "submission-time")), "many", ITEM)
    assert outcome.status == "failed"
    assert f"used up its {SPEC.program_wall_s:g} s" in outcome.message


def test_the_case_that_is_wrong_is_shown() -> None:
    outcome = judge_terminal(facts(run("many.screen-full.strace", PATTERN, ending=CRASH)), "many", ITEM)
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.repeat == repeat_calls(SPEC, "many", "screen-full")


def test_calls_counted_by_name_are_told_with_their_own_limit() -> None:
    cut = trace(None, None, complete=False)
    counted = run("many.screen-full.strace", PATTERN, engine="strace-count", ending=limit("wall"), trace=cut)
    outcome = judge_terminal(facts(counted), "many", ITEM)
    assert f"stopped after {STRACE_FULL_WALL_S:g} s" in outcome.message
