from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.calls import full_size_calls, judge_calls
from grader.judge.streams import from_accounting, from_trace
from grader.model.evidence import Accounting, RunDone, StreamCalls
from grader.model.report import CallsEvidence
from grader.model.spec.rubric import CallPatternItem

from .facts import (
    CRASH,
    LOADER,
    NONE,
    TOOLCHAIN,
    accounting,
    captured,
    evidence,
    facts,
    right_calls,
    run,
    stream,
    trace,
)
from .lab import BUFFER, FULL_BYTES, INPUTS, PROGRAMS, SLICE_BYTES, SPEC

ITEM = CallPatternItem(
    kind="call-pattern", name="calls", title="", points={"many": 1}, slice="slice", full=("random", "pattern")
)
RANDOM, PATTERN, SLICE = INPUTS["random"], INPUTS["pattern"], INPUTS["slice"]
BLOCKS = -(-FULL_BYTES // BUFFER)


@pytest.mark.parametrize("program", PROGRAMS)
def test_right_calls_pass(program: str) -> None:
    assert judge_calls(facts(), program, ITEM).status == "passed"


def test_the_totals_are_split_by_what_the_slice_shows_of_other_descriptors() -> None:
    short = run("single.slice.strace", SLICE, trace=trace(*right_calls("single", SLICE)))
    done = run("single.random", RANDOM, accounting=accounting(FULL_BYTES + 1, FULL_BYTES, FULL_BYTES))
    calls = from_accounting("random", done, short)
    assert calls is not None
    assert calls.engine == "tally"
    assert calls.stdin == stream(FULL_BYTES + 1, FULL_BYTES)
    assert calls.stdout == stream(FULL_BYTES, FULL_BYTES)


def test_totals_without_a_log_of_single_calls_cannot_be_split() -> None:
    done = run("single.random", accounting=accounting(1, 1, 1))
    uncounted, counted = (run("single.slice.strace", trace=trace(one, one)) for one in (None, NONE))
    assert from_accounting("random", done, uncounted) is None
    assert from_accounting("random", done, None) is None
    assert from_accounting("random", run("single.random"), counted) is None


def filtered(reads: StreamCalls, writes: StreamCalls) -> RunDone:
    return run("single.random", RANDOM, engine="filter", trace=trace(reads, writes))


def test_tally_s_filter_shows_nbyte_at_full_size() -> None:
    calls = full_size_calls(evidence(), "single", "random", "slice")
    assert calls is not None
    assert (calls.engine, calls.stdin) == ("tally", stream(FULL_BYTES + 1, FULL_BYTES, 1))
    # As many calls as there should be, and one of them for two bytes: totals would not tell.
    two = filtered(
        stream(FULL_BYTES + 1, FULL_BYTES, 1).model_copy(update={"nbyte_max": 2}), stream(FULL_BYTES, FULL_BYTES, 1)
    )
    outcome = judge_calls(facts(two), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message == "a read asks for 2 bytes, where nbyte has to be 1 (input random)"


def test_every_full_size_run_that_read_all_is_judged() -> None:
    outcome = judge_calls(facts(), "single", ITEM)
    assert isinstance(outcome.evidence, CallsEvidence)
    assert [one.input for one in outcome.evidence.streams[::2]] == ["slice", "random", "pattern"]
    block = run("single.pattern", PATTERN, accounting=accounting(2, FULL_BYTES, FULL_BYTES))
    outcome = judge_calls(facts(block), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message.endswith("(input pattern)")


def test_who_stops_early_on_one_input_is_judged_on_the_other() -> None:
    early = run("single.random", RANDOM[:9], engine="filter", trace=trace(stream(10, 9, 1), stream(9, 9, 1)))
    outcome = judge_calls(facts(early), "single", ITEM)
    assert outcome.status == "passed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {one.input for one in outcome.evidence.streams} == {"slice", "pattern"}


def test_who_writes_all_and_reads_little_did_not_stop_early() -> None:
    # As a program can that copies by the call a byte only where it sees a tracer.
    other_way = run("single.pattern", PATTERN, accounting=accounting(0, 1, FULL_BYTES))
    other_way = other_way.model_copy(
        update={"accounting": accounting(0, 1, FULL_BYTES).model_copy(update={"read_bytes": LOADER.bytes})}
    )
    outcome = judge_calls(facts(other_way), "single", ITEM)
    assert outcome.status == "failed"
    assert "(input pattern)" in outcome.message


def test_who_does_nothing_is_held_against_what_the_reference_moves() -> None:
    steps = ("many.slice.strace", "many.random.strace", "many.pattern.strace", "many.random", "many.pattern")
    idle = [run(step, trace=trace(NONE, NONE)) for step in steps]
    outcome = judge_calls(facts(*idle), "many", ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert all(f"{FULL_BYTES:,} bytes" in one.derivation for one in outcome.evidence.streams)


def test_less_than_nothing_is_not_a_count() -> None:
    short = run("single.slice.strace", SLICE, trace=trace(*right_calls("single", SLICE)))
    fewer = accounting(1, FULL_BYTES, FULL_BYTES).model_copy(update={"read_bytes": LOADER.bytes - 1})
    assert from_accounting("random", run("single.random", RANDOM, accounting=fewer), short) is None


def test_what_cannot_be_counted_though_all_engines_work_is_the_program_s_doing() -> None:
    outcome = judge_calls(facts(run("single.random", RANDOM), run("single.pattern", PATTERN)), "single", ITEM)
    assert outcome.status == "failed"
    assert "cannot be counted" in outcome.message
    # One that can be counted does not stand for one that cannot.
    fewer = accounting(1, FULL_BYTES, FULL_BYTES).model_copy(update={"read_bytes": LOADER.bytes - 1})
    outcome = judge_calls(facts(run("single.pattern", PATTERN, accounting=fewer)), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message.endswith("(input pattern)")


def test_messages_that_grow_with_the_input_are_not_taken_for_output() -> None:
    short = run("single.slice.strace", SLICE, trace=trace(*right_calls("single", SLICE)))
    told = captured(b"progress\n" * 7)
    totals = accounting(FULL_BYTES + 1, FULL_BYTES + 7, FULL_BYTES)
    calls = from_accounting("random", run("single.random", RANDOM, stderr=told, accounting=totals), short)
    assert calls is not None
    assert calls.stdout == stream(FULL_BYTES, FULL_BYTES)


@pytest.mark.parametrize("program", PROGRAMS)
def test_who_copies_nothing_makes_none_of_the_calls_that_count(program: str) -> None:
    little = {
        step: run(step, b"x", accounting=accounting(1, 1, 1), trace=trace(stream(1, 1, 1), stream(1, 1, 1)))
        for step in (f"{program}.{name}" for name in ("random", "pattern", "random.strace", "pattern.strace"))
    }
    outcome = judge_calls(facts(*little.values()), program, ITEM)
    assert outcome.status == "failed"
    assert f"only 1 of {FULL_BYTES:,} bytes went through read" in outcome.message


def test_its_own_log_counts_before_the_kernel_s_totals() -> None:
    nonsense = Accounting(reads=1, writes=1, read_bytes=1, written_bytes=1)
    own = run("many.random.strace", RANDOM, trace=trace(*right_calls("many", RANDOM)))
    seen = evidence({"many.random": run("many.random", RANDOM, accounting=nonsense), own.step: own})
    calls = full_size_calls(seen, "many", "random", "slice")
    assert calls is not None
    assert (calls.engine, calls.stdin.calls) == ("strace", BLOCKS + 1)


def test_an_incomplete_log_decides_nothing() -> None:
    cut = run("single.slice.strace", SLICE, trace=trace(stream(1, SLICE_BYTES, SLICE_BYTES), NONE, complete=False))
    assert from_trace("slice", cut) is None
    assert full_size_calls(evidence({cut.step: cut}), "single", "pattern", "slice") is None
    outcome = judge_calls(facts(cut), "single", ITEM)
    assert outcome.status == "skipped"
    assert "could not trace" in outcome.message


def test_without_strace_the_check_is_skipped_and_says_so() -> None:
    outcome = judge_calls(facts(left_out={"single.slice.strace": "no-tracer"}), "single", ITEM)
    assert outcome.status == "skipped"
    assert "neither strace nor tally" in outcome.message


def test_without_accounting_the_slice_alone_passes_nobody() -> None:
    blind = facts(run("single.random", RANDOM), run("single.pattern", PATTERN))
    found = TOOLCHAIN.model_copy(update={"missing": {"filter": "refused", "account": "refused"}})
    blind = replace(blind, evidence=blind.evidence.model_copy(update={"toolchain": found}))
    outcome = judge_calls(blind, "single", ITEM)
    assert outcome.status == "skipped"
    assert "accounting" in outcome.message


def test_without_accounting_a_wrong_slice_fails_all_the_same() -> None:
    block = run("single.slice.strace", SLICE, trace=trace(stream(2, SLICE_BYTES, BUFFER), stream(1, SLICE_BYTES, 1)))
    blind = facts(block, run("single.random", RANDOM), run("single.pattern", PATTERN))
    assert judge_calls(blind, "single", ITEM).status == "failed"


def test_a_program_whose_slice_crashed_fails() -> None:
    crashed = run("single.slice.strace", ending=CRASH, trace=trace(NONE, NONE, complete=False))
    outcome = judge_calls(facts(crashed), "single", ITEM)
    assert outcome.status == "failed"
    assert "did not end on a short input" in outcome.message


def test_a_submission_out_of_time_fails_and_says_so() -> None:
    steps = ("slice.strace", "random", "pattern", "random.strace", "pattern.strace")
    outcome = judge_calls(
        facts(left_out=dict.fromkeys((f"many.{s}" for s in steps), "submission-time")), "many", ITEM
    )
    assert outcome.status == "failed"
    assert f"used up its {SPEC.program_wall_s:g} s" in outcome.message


def test_a_program_that_stops_early_on_random_bytes_is_judged_on_the_pattern() -> None:
    kept = RANDOM[:100]
    stopped = run("many.random", kept, accounting=accounting(2, 1, len(kept)))
    own = run("many.random.strace", kept, trace=trace(stream(2, BUFFER, BUFFER), stream(1, len(kept), len(kept))))
    outcome = judge_calls(facts(stopped, own), "many", ITEM)
    assert outcome.status == "passed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {judged.input for judged in outcome.evidence.streams} == {"pattern"}


def test_a_batched_program_is_not_judged_on_the_slice_where_full_size_ended() -> None:
    # A line-by-line flush shows only there; the slice alone would fail it.
    small = run("many.slice.strace", SLICE, trace=trace(stream(SLICE_BYTES, SLICE_BYTES, 1), NONE))
    assert judge_calls(facts(small), "many", ITEM).status == "passed"


def test_where_no_full_size_run_ended_the_slice_decides() -> None:
    crashed = [run(f"many.{case}{how}", ending=CRASH) for case in ITEM.full for how in ("", ".strace")]
    assert judge_calls(facts(*crashed), "many", ITEM).status == "passed"
    small = run("many.slice.strace", SLICE, trace=trace(stream(SLICE_BYTES, SLICE_BYTES, 1), NONE))
    assert judge_calls(facts(*crashed, small), "many", ITEM).status == "failed"


def test_an_unbuffered_program_fails_by_the_kernel_s_totals_at_full_size() -> None:
    runs = [
        run(f"many.{case}", INPUTS[case], accounting=accounting(BLOCKS + 1, FULL_BYTES, FULL_BYTES))
        for case in ITEM.full
    ]
    unbuffered = facts(*runs, left_out={f"many.{case}.strace": "not-cheap" for case in ITEM.full})
    outcome = judge_calls(unbuffered, "many", ITEM)
    assert outcome.status == "failed"
    assert f"{FULL_BYTES:,} writes for {FULL_BYTES:,} bytes" in outcome.message
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {judged.engine for judged in outcome.evidence.streams} == {"tally"}
