from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.call_pattern import judge_call_pattern
from grader.judge.facts import Outcome
from grader.judge.program_calls import ProgramCalls
from grader.judge.repeat import ShownCalls, repeat_calls
from grader.judge.streams import (
    MOST_ELSEWHERE_BYTES,
    MOST_ELSEWHERE_CALLS,
    MOST_OTHER_READS,
    MOST_OTHER_WRITES,
    from_accounting,
    from_trace,
)
from grader.judge.tables import syscall_tables
from grader.model.evidence import (
    Accounting,
    CallCount,
    Evidence,
    RunDone,
    StreamCalls,
    Trace,
    Transfer,
    program_and_case,
)
from grader.model.reference import Reference
from grader.model.report import CallsEvidence
from grader.model.spec.lab import Spec
from grader.model.spec.programs import limit_words
from grader.model.spec.rubric import CallPatternItem

from .facts import (
    CRASH,
    LOADER,
    NONE,
    TOOLCHAIN,
    accounting,
    captured,
    facts,
    limit,
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
    outcome = judge_call_pattern(facts(), program, ITEM)
    assert outcome.status == "passed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.repeat == ""
    assert (outcome.evidence.excerpt, outcome.hint) == (trace(NONE, NONE).excerpt, None)


def test_the_figures_of_a_pass_are_those_of_the_last_run_at_full_size() -> None:
    message = judge_call_pattern(facts(), "single", ITEM).message
    assert message == f"{FULL_BYTES + 1:,} reads of standard input; {FULL_BYTES:,} writes to standard output"


def test_the_totals_are_split_by_what_the_slice_shows_of_other_descriptors() -> None:
    short = run("single.slice.strace", SLICE, trace=trace(*right_calls("single", SLICE)))
    done = run("single.random", RANDOM, accounting=accounting(FULL_BYTES + 1, FULL_BYTES, FULL_BYTES))
    calls = from_accounting("random", done, short)
    assert calls is not None
    assert calls.engine == "tally"
    assert calls.stdin == stream(FULL_BYTES + 1, FULL_BYTES)
    assert calls.stdout == stream(FULL_BYTES, FULL_BYTES)


def test_totals_of_a_program_whose_calls_fail_may_lack_calls() -> None:
    """The kernel leaves out a call that fails before it does anything."""
    failing = Transfer(name="write", descriptor=1, on_stream=True, calls=SLICE_BYTES, bytes=0, errors={"EFAULT": 9})
    log = trace(stream(SLICE_BYTES + 1, SLICE_BYTES), stream(SLICE_BYTES, 0)).model_copy(
        update={"transfers": (failing,)}
    )
    changed = (
        run("single.slice.strace", trace=log),
        run("single.random", RANDOM, accounting=accounting(FULL_BYTES + 1, FULL_BYTES // 2, FULL_BYTES)),
    )
    seen = facts(*changed)
    message = judge_call_pattern(seen, "single", ITEM).message
    assert f"at least {FULL_BYTES // 2:,} writes for" in message
    assert f"at least {SLICE_BYTES:,} writes" not in message
    tables = [table.case for table in syscall_tables(SPEC, seen.evidence) if table.program == "single"]
    assert "random" not in tables
    assert "random" in [table.case for table in syscall_tables(SPEC, facts(changed[1]).evidence)]


def test_totals_without_a_log_of_single_calls_cannot_be_split() -> None:
    done = run("single.random", accounting=accounting(1, 1, 1))
    uncounted, counted = (run("single.slice.strace", trace=trace(one, one)) for one in (None, NONE))
    assert from_accounting("random", done, uncounted) is None
    assert from_accounting("random", done, None) is None
    assert from_accounting("random", run("single.random"), counted) is None
    for missing in ("other_reads", "other_writes"):
        partly = run("single.slice.strace", trace=trace(NONE, NONE).model_copy(update={missing: None}))
        assert from_accounting("random", done, partly) is None
    for streams in ((None, NONE), (NONE, None)):
        assert from_trace("slice", run("single.slice.strace", trace=trace(*streams))) is None


def filtered(reads: StreamCalls, writes: StreamCalls) -> RunDone:
    return run("single.random", RANDOM, engine="filter", trace=trace(reads, writes))


def test_tally_s_filter_shows_nbyte_at_full_size() -> None:
    calls = ProgramCalls(facts(), "single", ITEM).full_size_calls("random")
    assert calls is not None
    assert (calls.engine, calls.stdin) == ("tally", stream(FULL_BYTES + 1, FULL_BYTES, 1))
    # As many calls as there should be, and one of them for two bytes: totals would not tell.
    two = filtered(
        stream(FULL_BYTES + 1, FULL_BYTES, 1).model_copy(update={"nbyte_max": 2}), stream(FULL_BYTES, FULL_BYTES, 1)
    )
    outcome = judge_call_pattern(facts(two), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message == "a read asks for 2 bytes, but nbyte must be 1 (input random)"


def accounted(reads: int, size_bytes: int, *strays: str) -> RunDone:
    """Return a run at full size without a tracer, of which the kernel names the calls that do not conform."""
    totals = accounting(reads, FULL_BYTES, FULL_BYTES).model_copy(update={"read_bytes": size_bytes + LOADER.bytes})
    done = run("single.pattern", PATTERN, engine="account", accounting=totals)
    return done.model_copy(update={"strays": strays, "opened_again": False})


@pytest.mark.parametrize("more", [0, 1, MOST_ELSEWHERE_CALLS])
def test_without_other_calls_the_totals_show_nbyte(more: int) -> None:
    """What they have too much is the kernel's, for a program that another one starts, or of a file that has grown."""
    calls = ProgramCalls(facts(accounted(FULL_BYTES + 1 + more, FULL_BYTES + 2000)), "single", ITEM).full_size_calls(
        "pattern"
    )
    assert calls is not None
    assert calls.stdin == stream(FULL_BYTES + 1, FULL_BYTES, 1)
    assert calls.stdout == stream(FULL_BYTES, FULL_BYTES, 1)


@pytest.mark.parametrize("reads", [FULL_BYTES - 1, FULL_BYTES + 2 + MOST_ELSEWHERE_CALLS])
def test_pointless_and_missing_calls_are_not_made_up_for(reads: int) -> None:
    outcome = judge_call_pattern(facts(accounted(reads, FULL_BYTES)), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message.endswith("(input pattern)")


def test_right_totals_are_not_enough_if_other_calls_were_made() -> None:
    assert judge_call_pattern(facts(accounted(FULL_BYTES + 1, FULL_BYTES)), "single", ITEM).status == "passed"
    outcome = judge_call_pattern(facts(accounted(FULL_BYTES + 1, FULL_BYTES, "read")), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message == "when nothing traces it, it makes other calls (input pattern)"


def test_every_full_size_run_that_read_all_is_judged() -> None:
    outcome = judge_call_pattern(facts(), "single", ITEM)
    assert isinstance(outcome.evidence, CallsEvidence)
    assert [one.input for one in outcome.evidence.streams[::2]] == ["slice", "random", "pattern"]
    block = run("single.pattern", PATTERN, accounting=accounting(2, FULL_BYTES, FULL_BYTES))
    outcome = judge_call_pattern(facts(block), "single", ITEM)
    assert outcome.status == "failed"
    assert outcome.message.endswith("(input pattern)")
    assert isinstance(outcome.evidence, CallsEvidence)
    # The reads are wrong, and the writes are not.
    assert outcome.evidence.repeat == repeat_calls(SPEC, "single", "pattern", ShownCalls({"stdin"}, is_untraced=True))


TRACED = right_calls("single", RANDOM)
IN_BLOCKS = trace(stream(2, FULL_BYTES, BUFFER), TRACED[1])
SPLICES = trace(*TRACED).model_copy(update={"calls": {"splice": CallCount(calls=9, errors=0)}})
BY_BYTES = trace(stream(FULL_BYTES + 1, FULL_BYTES, 1), right_calls("many", RANDOM)[1])


@pytest.mark.parametrize(
    ("seen", "case", "shown"),
    [
        # The totals of a run that nothing traces.
        (accounted(2, FULL_BYTES), "pattern", ShownCalls({"stdin"}, is_untraced=True)),
        (accounted(FULL_BYTES + 1, FULL_BYTES, "read"), "pattern", ShownCalls(is_untraced=True)),
        (
            accounted(FULL_BYTES + 1, FULL_BYTES, "splice"),
            "pattern",
            ShownCalls(also=("splice",), is_untraced=True),
        ),
        (run("single.random.strace", RANDOM, trace=IN_BLOCKS), "random", ShownCalls({"stdin"}, right_nbyte=1)),
        (run("single.random", RANDOM, engine="filter", trace=SPLICES), "random", ShownCalls(also=("splice",))),
        (run("many.random.strace", RANDOM, trace=BY_BYTES), "random", ShownCalls({"stdin"})),
    ],
)
def test_what_only_a_full_size_run_does_is_shown_with_its_input(seen: RunDone, case: str, shown: ShownCalls) -> None:
    program, _ = program_and_case(seen.step)
    outcome = judge_call_pattern(facts(seen), program, ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CallsEvidence)
    repeat = outcome.evidence.repeat
    assert repeat == repeat_calls(SPEC, program, case, shown)
    assert "<slice" not in repeat
    assert ("strace" in repeat) == (bool(shown.also) or not shown.is_untraced)
    assert outcome.hint, "the rubric's hint is about short inputs"
    assert all(name in repeat.splitlines()[-1] and name in outcome.hint for name in shown.also)


def test_calls_of_a_hidden_input_have_no_command() -> None:
    hidden = {name: case.model_copy(update={"hidden": name in ITEM.full}) for name, case in SPEC.cases.items()}
    found = facts(accounted(2, FULL_BYTES))
    found = replace(found, lab=replace(found.lab, spec=SPEC.model_copy(update={"cases": hidden})))
    outcome = judge_call_pattern(found, "single", ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert not outcome.evidence.repeat


@pytest.mark.parametrize("exact", ["stdin", "stdout"])
def test_one_stream_of_exact_calls_is_enough_to_judge_the_slice_too(exact: str) -> None:
    other = {"stdin": "stdout", "stdout": "stdin"}[exact]
    batched = getattr(SPEC.programs["many"], other)
    mixed = SPEC.programs["single"].model_copy(update={other: batched})
    spec = SPEC.model_copy(update={"programs": {**SPEC.programs, "single": mixed}})
    found = facts()
    outcome = judge_call_pattern(replace(found, lab=replace(found.lab, spec=spec)), "single", ITEM)
    assert isinstance(outcome.evidence, CallsEvidence)
    assert [one.input for one in outcome.evidence.streams] == ["slice", "slice", *["random"] * 2, *["pattern"] * 2]


def test_where_all_stop_early_the_last_run_that_ended_is_judged() -> None:
    early = [
        run(f"many.{case}{how}", INPUTS[case][:9], trace=trace(stream(1, 9, BUFFER), stream(1, 9, 9)))
        for case in ITEM.full
        for how in ("", ".strace")
    ]
    outcome = judge_call_pattern(facts(*early), "many", ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {one.input for one in outcome.evidence.streams} == {"pattern"}
    crashed = [run(f"many.pattern{how}", ending=CRASH) for how in ("", ".strace")]
    outcome = judge_call_pattern(facts(*early, *crashed), "many", ITEM)
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {one.input for one in outcome.evidence.streams} == {"random"}


def test_who_stops_early_on_one_input_is_judged_on_the_other() -> None:
    early = run("single.random", RANDOM[:9], engine="filter", trace=trace(stream(10, 9, 1), stream(9, 9, 1)))
    outcome = judge_call_pattern(facts(early), "single", ITEM)
    assert outcome.status == "passed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {one.input for one in outcome.evidence.streams} == {"slice", "pattern"}


def test_who_stops_early_on_the_slice_does_not_fail_here_for_that() -> None:
    early = trace(stream(10, 9, 1), stream(9, 9, 1))
    runs = [run("single.slice", SLICE[:9]), run("single.slice.strace", SLICE[:9], trace=early)]
    outcome = judge_call_pattern(facts(*runs), "single", ITEM)
    assert outcome.status == "passed"
    more = run("single.slice", SLICE[:10])  # which no counted call read or wrote
    assert judge_call_pattern(facts(more, runs[1]), "single", ITEM).status == "failed"


def test_a_reference_without_a_run_of_the_case_asks_for_what_was_written() -> None:
    found = facts(
        *(run(f"many.{case}{how}", trace=trace(NONE, NONE)) for case in ITEM.full for how in ("", ".strace"))
    )
    without = replace(found.lab, reference=Reference(Evidence(toolchain=None, builds={}, runs={}, left_out={}), {}))
    outcome = judge_call_pattern(replace(found, lab=without), "many", ITEM)
    assert isinstance(outcome.evidence, CallsEvidence)
    assert [one.expected_calls for one in outcome.evidence.streams if one.stream == "stdout"] == [0]


def test_who_writes_all_and_reads_little_did_not_stop_early() -> None:
    # As a program can that copies by the call a byte only where it sees a tracer.
    other_way = run("single.pattern", PATTERN, accounting=accounting(0, 1, FULL_BYTES))
    other_way = other_way.model_copy(
        update={"accounting": accounting(0, 1, FULL_BYTES).model_copy(update={"read_bytes": LOADER.bytes})}
    )
    outcome = judge_call_pattern(facts(other_way), "single", ITEM)
    assert outcome.status == "failed"
    assert "(input pattern)" in outcome.message


def test_who_does_nothing_is_held_against_what_the_reference_moves() -> None:
    steps = ("many.slice.strace", "many.random.strace", "many.pattern.strace", "many.random", "many.pattern")
    idle = [run(step, trace=trace(NONE, NONE)) for step in steps]
    outcome = judge_call_pattern(facts(*idle), "many", ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CallsEvidence)
    full_size = [one for one in outcome.evidence.streams if one.case in ITEM.full]
    assert full_size
    assert all(f"{FULL_BYTES:,} bytes" in one.derivation for one in full_size)


def test_nothing_at_all_is_a_count() -> None:
    short = run("single.slice.strace", SLICE, trace=trace(*right_calls("single", SLICE)))
    calls = from_accounting("random", run("single.random", accounting=accounting(0, 0, 0)), short)
    assert calls is not None
    assert (calls.stdin, calls.stdout) == (stream(0, 0), stream(0, 0))


def test_less_than_nothing_is_not_a_count() -> None:
    short = run("single.slice.strace", SLICE, trace=trace(*right_calls("single", SLICE)))
    fewer = accounting(1, FULL_BYTES, FULL_BYTES).model_copy(update={"read_bytes": LOADER.bytes - 1})
    assert from_accounting("random", run("single.random", RANDOM, accounting=fewer), short) is None


def test_what_cannot_be_counted_though_all_engines_work_is_the_program_s_doing() -> None:
    outcome = judge_call_pattern(facts(run("single.random", RANDOM), run("single.pattern", PATTERN)), "single", ITEM)
    assert outcome.status == "failed"
    assert "cannot be counted" in outcome.message
    # One that can be counted does not stand for one that cannot.
    fewer = accounting(1, FULL_BYTES, FULL_BYTES).model_copy(update={"read_bytes": LOADER.bytes - 1})
    outcome = judge_call_pattern(facts(run("single.pattern", PATTERN, accounting=fewer)), "single", ITEM)
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
    outcome = judge_call_pattern(facts(*little.values()), program, ITEM)
    assert outcome.status == "failed"
    assert f"only 1 of {FULL_BYTES:,} bytes went through read" in outcome.message


def test_its_own_log_counts_before_the_kernel_s_totals() -> None:
    nonsense = Accounting(reads=1, writes=1, read_bytes=1, written_bytes=1)
    own = run("many.random.strace", RANDOM, trace=trace(*right_calls("many", RANDOM)))
    calls = ProgramCalls(facts(run("many.random", RANDOM, accounting=nonsense), own), "many", ITEM).full_size_calls(
        "random"
    )
    assert calls is not None
    assert (calls.engine, calls.stdin.calls) == ("strace", BLOCKS + 1)


def test_an_incomplete_log_decides_nothing() -> None:
    cut = run("single.slice.strace", SLICE, trace=trace(stream(1, SLICE_BYTES, SLICE_BYTES), NONE, complete=False))
    assert from_trace("slice", cut) is None
    assert ProgramCalls(facts(cut), "single", ITEM).full_size_calls("pattern") is None
    outcome = judge_call_pattern(facts(cut), "single", ITEM)
    assert outcome.status == "skipped"
    assert "could not trace" in outcome.message


def test_without_strace_the_check_is_skipped_and_says_so() -> None:
    outcome = judge_call_pattern(facts(left_out={"single.slice.strace": "no-tracer"}), "single", ITEM)
    assert outcome.status == "skipped"
    assert "neither strace nor tally" in outcome.message
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.excerpt == ""


def test_without_accounting_the_slice_alone_passes_nobody() -> None:
    blind = facts(run("single.random", RANDOM), run("single.pattern", PATTERN))
    found = TOOLCHAIN.model_copy(update={"missing": {"filter": "refused", "account": "refused"}})
    blind = replace(blind, evidence=blind.evidence.model_copy(update={"toolchain": found}))
    outcome = judge_call_pattern(blind, "single", ITEM)
    assert outcome.status == "skipped"
    assert "accounting" in outcome.message


def test_without_accounting_a_wrong_slice_fails_all_the_same() -> None:
    block = run("single.slice.strace", SLICE, trace=trace(stream(2, SLICE_BYTES, BUFFER), stream(1, SLICE_BYTES, 1)))
    blind = facts(block, run("single.random", RANDOM), run("single.pattern", PATTERN))
    assert judge_call_pattern(blind, "single", ITEM).status == "failed"


def test_a_program_whose_slice_crashed_fails() -> None:
    crashed = run("single.slice.strace", ending=CRASH, trace=trace(NONE, NONE, complete=False))
    outcome = judge_call_pattern(facts(crashed), "single", ITEM)
    assert outcome.status == "failed"
    assert "it crashed: killed by SIGSEGV" in outcome.message
    assert outcome.message.endswith("on a short input, so its calls cannot be counted")
    assert isinstance(outcome.evidence, CallsEvidence)


def test_a_limit_that_stopped_the_slice_is_named() -> None:
    stopped = run("single.slice.strace", ending=limit("cpu"), trace=trace(NONE, NONE, complete=False))
    outcome = judge_call_pattern(facts(stopped), "single", ITEM)
    key, value = limit_words(SPEC.limits.strace_small, "limits.strace_small", "cpu")
    assert f"stopped after {value} ({key})" in outcome.message


def test_a_submission_out_of_time_fails_and_says_so() -> None:
    steps = ("slice.strace", "random", "pattern", "random.strace", "pattern.strace")
    outcome = judge_call_pattern(
        facts(left_out=dict.fromkeys((f"many.{s}" for s in steps), "submission-time")), "many", ITEM
    )
    assert outcome.status == "failed"
    assert f"used up its {SPEC.program_wall_s:g} s" in outcome.message


def test_a_program_that_stops_early_on_random_bytes_is_judged_on_the_pattern() -> None:
    kept = RANDOM[:100]
    stopped = run("many.random", kept, accounting=accounting(2, 1, len(kept)))
    own = run("many.random.strace", kept, trace=trace(stream(2, BUFFER, BUFFER), stream(1, len(kept), len(kept))))
    outcome = judge_call_pattern(facts(stopped, own), "many", ITEM)
    assert outcome.status == "passed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {judged.input for judged in outcome.evidence.streams} == {"pattern"}


def test_a_batched_program_is_not_judged_on_the_slice_where_full_size_ended() -> None:
    # A line-by-line flush shows only there; the slice alone would fail it.
    small = run("many.slice.strace", SLICE, trace=trace(stream(SLICE_BYTES, SLICE_BYTES, 1), NONE))
    assert judge_call_pattern(facts(small), "many", ITEM).status == "passed"


def test_where_no_full_size_run_ended_the_slice_decides() -> None:
    crashed = [run(f"many.{case}{how}", ending=CRASH) for case in ITEM.full for how in ("", ".strace")]
    assert judge_call_pattern(facts(*crashed), "many", ITEM).status == "passed"
    small = run("many.slice.strace", SLICE, trace=trace(stream(SLICE_BYTES, SLICE_BYTES, 1), NONE))
    assert judge_call_pattern(facts(*crashed, small), "many", ITEM).status == "failed"


def test_an_unbuffered_program_fails_by_the_kernel_s_totals_at_full_size() -> None:
    runs = [
        run(f"many.{case}", INPUTS[case], accounting=accounting(BLOCKS + 1, FULL_BYTES, FULL_BYTES))
        for case in ITEM.full
    ]
    unbuffered = facts(*runs, left_out={f"many.{case}.strace": "not-cheap" for case in ITEM.full})
    outcome = judge_call_pattern(unbuffered, "many", ITEM)
    assert outcome.status == "failed"
    assert f"{FULL_BYTES:,} writes for {FULL_BYTES:,} bytes" in outcome.message
    assert isinstance(outcome.evidence, CallsEvidence)
    assert {judged.engine for judged in outcome.evidence.streams} == {"tally"}


SMALL = ITEM.model_copy(update={"small": ("copy", "piped")})
TEXT = INPUTS["text"]


def short(program: str, case: str, stdin: StreamCalls, stdout: StreamCalls, **changes: object) -> RunDone:
    """A short run that the filter counted."""
    counted = {"engine": "filter", "trace": trace(stdin, stdout), **changes}
    return run(f"{program}.{case}", TEXT, **counted)


def small_lab() -> Spec:
    return SPEC.model_copy(
        update={"rubric": tuple(SMALL if item.name == "syscalls" else item for item in SPEC.rubric)}
    )


def judged_small(*runs: RunDone, program: str) -> Outcome:
    found = facts(*runs)
    return judge_call_pattern(replace(found, lab=replace(found.lab, spec=small_lab())), program, SMALL)


def test_short_runs_count_too() -> None:
    size = len(TEXT)
    right = [short("single", case, stream(size + 1, size, 1), stream(size, size, 1)) for case in SMALL.small]
    assert judged_small(*right, program="single").status == "passed"
    block = short("single", "copy", stream(2, size, 4096), stream(1, size, size))
    outcome = judged_small(right[1], block, program="single")
    assert outcome.status == "failed"
    assert outcome.message.startswith("a read asks for 4,096 bytes")
    assert "(input text)" in outcome.message


def test_a_short_run_of_an_exact_pattern_that_nobody_saw_proves_nothing() -> None:
    size = len(TEXT)
    blind = run("single.copy", TEXT, engine="account", accounting=accounting(size + 1, size, size))
    outcome = judged_small(blind, program="single")
    assert outcome.status == "failed"
    assert "cannot be counted" in outcome.message


@pytest.mark.parametrize(
    ("case", "reads", "writes", "status"),
    [
        ("copy", 2, 1, "passed"),
        ("copy", 2, 1 + TEXT.count(b"\n"), "passed"),  # flushed at each newline
        ("copy", len(TEXT) + 1, 1, "failed"),
        ("copy", 2, len(TEXT), "failed"),
        ("piped", -(-len(TEXT) // 5) + 1, -(-len(TEXT) // 5), "passed"),  # the pipe gives five bytes at a time
        ("piped", len(TEXT) + 1, len(TEXT), "failed"),
    ],
)
def test_short_runs_of_a_batched_pattern(case: str, reads: int, writes: int, status: str) -> None:
    counted = run(f"many.{case}", TEXT, engine="account", accounting=accounting(reads, writes, len(TEXT)))
    assert judged_small(counted, program="many").status == status


def test_newlines_of_an_output_that_is_too_long_to_be_kept_may_be_anywhere() -> None:
    for data, status in ((TEXT, "failed"), (None, "passed")):
        output = captured(TEXT).model_copy(update={"data": data})
        totals = accounting(2, len(TEXT), len(TEXT))
        counted = run("many.copy", TEXT, engine="account", accounting=totals, stdout=output)
        assert judged_small(counted, program="many").status == status


def test_the_numbers_of_a_short_run_are_there_if_its_command_is_shown() -> None:
    size, lines = len(TEXT), TEXT.count(b"\n")
    many = run("many.random", RANDOM, accounting=accounting(FULL_BYTES + 1, FULL_BYTES, FULL_BYTES))
    one = run("many.copy", TEXT, engine="account", accounting=accounting(2, size, size))
    outcome = judged_small(many, one, program="many")
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.repeat == repeat_calls(
        small_lab(), "many", "copy", ShownCalls({"stdout"}, is_untraced=True)
    )
    (shown,) = [stream for stream in outcome.evidence.streams if stream.case == "copy"]
    assert (shown.calls, shown.stream, shown.passed) == (size, "stdout", False)
    assert f"{lines * 2} more" in shown.derivation


def test_totals_of_a_short_run_are_not_shown_for_bytes_that_went_elsewhere() -> None:
    log = trace(NONE, right_calls("many", RANDOM)[1]).model_copy(update={"other_reads": stream(9, FULL_BYTES)})
    many = run("many.random.strace", RANDOM, trace=log)
    one = run("many.copy", TEXT, engine="account", accounting=accounting(1, 1, 0))
    outcome = judged_small(many, one, program="many")
    assert outcome.message.startswith("it makes no read of standard input")
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.repeat == repeat_calls(small_lab(), "many", "random", ShownCalls({"stdin"}))
    assert "copy" not in {stream.case for stream in outcome.evidence.streams}


def test_messages_of_a_short_run_may_have_taken_a_write_for_each_byte() -> None:
    told, size = captured(b"copying..."), len(TEXT)
    for writes, status in ((1 + 10, "passed"), (size + 10, "failed")):
        totals = accounting(2, writes, size)
        counted = run("many.copy", TEXT, engine="account", accounting=totals, stderr=told)
        assert judged_small(counted, program="many").status == status


def test_counted_messages_hide_no_writes_of_a_short_run() -> None:
    told, size = captured(b"m" * len(TEXT)), len(TEXT)
    totals = accounting(2, size + 1, size)
    for message_writes, status in ((size, "passed"), (1, "failed"), (None, "passed")):
        counted = run("many.copy", TEXT, engine="account", accounting=totals, stderr=told)
        counted = counted.model_copy(update={"message_writes": message_writes})
        assert judged_small(counted, program="many").status == status


def test_reads_elsewhere_on_the_slice_hide_none_of_other_runs() -> None:
    size = len(TEXT)
    for others, status in (
        (LOADER.calls + MOST_OTHER_READS, "passed"),
        (LOADER.calls + MOST_OTHER_READS + 1, "failed"),
    ):
        log = trace(*right_calls("many", SLICE))
        log = log.model_copy(
            update={
                "other_reads": stream(others, LOADER.bytes),
                "calls": {**log.calls, "read": CallCount(calls=1 + others, errors=0)},
            }
        )
        own = run("many.slice.strace", SLICE, trace=log)
        counted = run("many.copy", TEXT, engine="account", accounting=accounting(2 + others, 1, size))
        assert judged_small(own, counted, program="many").status == status


def test_writes_elsewhere_on_the_slice_hide_none_of_other_runs() -> None:
    size = len(TEXT)
    for others, status in ((MOST_OTHER_READS, "passed"), (MOST_OTHER_READS + size, "failed")):
        log = trace(*right_calls("many", SLICE)).model_copy(update={"other_writes": stream(others, others)})
        own = run("many.slice.strace", SLICE, trace=log)
        totals = accounting(2, 1 + others, size).model_copy(update={"written_bytes": size + others})
        counted = run("many.copy", TEXT, engine="account", accounting=totals)
        assert judged_small(own, counted, program="many").status == status


def test_what_is_written_elsewhere_may_be_shorter_at_full_size() -> None:
    log = trace(*right_calls("many", SLICE)).model_copy(update={"other_writes": stream(1, 60)})
    own = run("many.slice.strace", SLICE, trace=log)
    for written_bytes, status in ((FULL_BYTES + 43, "passed"), (FULL_BYTES // 2, "failed")):
        totals = accounting(BLOCKS + 1, BLOCKS + 1, FULL_BYTES).model_copy(update={"written_bytes": written_bytes})
        counted = [run(f"many.{case}", INPUTS[case], accounting=totals) for case in ("random", "pattern")]
        unlogged = dict.fromkeys(("many.random.strace", "many.pattern.strace"), "not-cheap")
        outcome = judge_call_pattern(facts(own, *counted, left_out=unlogged), "many", ITEM)
        assert outcome.status == status, outcome.message


def test_writes_of_messages_on_the_slice_hide_few_of_full_size() -> None:
    others = stream(1000, 1000)
    log = trace(*right_calls("many", SLICE)).model_copy(update={"other_writes": others})
    own = run("many.slice.strace", SLICE, trace=log, stderr=captured(b"m" * 1000))
    done = run("many.random", RANDOM, accounting=accounting(2, 1001, FULL_BYTES), stderr=captured(b"m" * 1000))
    calls = from_accounting("random", done, own)
    assert calls is not None
    assert calls.stdout.calls == 1001 - MOST_OTHER_WRITES


@pytest.mark.parametrize("stream_name", ["other_reads", "other_writes"])
def test_bytes_that_move_on_other_descriptors_at_full_size_are_not_proven(stream_name: str) -> None:
    seen = trace(*right_calls("many", RANDOM))
    for size_bytes, status in ((MOST_ELSEWHERE_BYTES, "passed"), (MOST_ELSEWHERE_BYTES + 1, "failed")):
        log = run("many.random.strace", RANDOM, trace=seen.model_copy(update={stream_name: stream(1, size_bytes)}))
        outcome = judge_call_pattern(facts(log), "many", ITEM)
        assert outcome.status == status
        assert ("other descriptors" in outcome.message) == (status == "failed")
    # A message is not output.
    told = captured(b"m" * (MOST_ELSEWHERE_BYTES + 1))
    if stream_name == "other_writes":
        assert judge_call_pattern(facts(log.model_copy(update={"stderr": told})), "many", ITEM).status == "passed"


def test_a_short_run_with_another_output_has_no_calls_to_judge() -> None:
    totals = accounting(0, 1, 0).model_copy(update={"written_bytes": 9})
    usage = run("single.copy", b"use it so", engine="account", accounting=totals)
    piped = short("single", "piped", stream(len(TEXT) + 1, len(TEXT), 1), stream(len(TEXT), len(TEXT), 1))
    assert judged_small(piped, usage, program="single").status == "passed"


@pytest.mark.parametrize(("errors", "status"), [(0, "failed"), (1, "passed")])
def test_bytes_that_an_exact_pattern_moves_by_another_call_as_well(errors: int, status: str) -> None:
    size = len(TEXT)
    reads, writes = stream(size + 1, size, 1), stream(size, size, 1)
    seen = trace(reads, writes)
    calls = {**seen.calls, "sendfile": CallCount(calls=1, errors=errors)}
    copy = run("single.copy", TEXT, engine="filter", trace=seen.model_copy(update={"calls": calls}))
    outcome = judged_small(short("single", "piped", reads, writes), copy, program="single")
    assert outcome.status == status
    assert ("sendfile" in outcome.message) == (status == "failed")


def test_a_short_run_that_wrote_nothing_has_no_calls_to_judge() -> None:
    refused = run("many.copy", b"", engine="account", accounting=accounting(0, 0, 0))
    assert judged_small(refused, program="many").status == "passed"


def test_a_mapped_input_fails() -> None:
    whole = right_calls("single", RANDOM)
    mapped = trace(*whole).model_copy(update={"input_mappings": 1})
    outcome = judge_call_pattern(facts(run("single.random", RANDOM, engine="filter", trace=mapped)), "single", ITEM)
    assert outcome.status == "failed"
    assert "maps its input" in outcome.message


def test_an_exact_pattern_that_the_filter_gave_up_is_not_proven() -> None:
    totals = accounting(FULL_BYTES + 1, FULL_BYTES, FULL_BYTES)
    seen = trace(stream(9, 9, 1), stream(9, 9, 1), complete=False)
    given_up = run("single.random", RANDOM, engine="account", accounting=totals, trace=seen)
    outcome = judge_call_pattern(facts(given_up), "single", ITEM)
    assert outcome.status == "failed"
    assert "its calls cannot be counted" in outcome.message
    elsewhere = seen.model_copy(update={"other_reads": stream(99, 99)})
    outcome = judge_call_pattern(facts(given_up.model_copy(update={"trace": elsewhere})), "single", ITEM)
    assert "too many other reads and writes" in outcome.message
    unusual = seen.model_copy(update={"calls": {**seen.calls, "fcntl": CallCount(calls=2, errors=0)}})
    outcome = judge_call_pattern(facts(given_up.model_copy(update={"trace": unusual})), "single", ITEM)
    assert "it calls fcntl" in outcome.message
    positioned = {"read": CallCount(calls=1, errors=0), "pread64": CallCount(calls=9, errors=0)}
    others = seen.model_copy(update={"calls": {**seen.calls, **positioned}, "stdin": stream(9, 8, 0)})
    outcome = judge_call_pattern(facts(given_up.model_copy(update={"trace": others})), "single", ITEM)
    assert "it reads standard input with pread, not with read" in outcome.message
    blocks = seen.model_copy(update={"stdin": stream(1, 4096, 4096)})
    outcome = judge_call_pattern(facts(given_up.model_copy(update={"trace": blocks})), "single", ITEM)
    assert "a read asks for 4,096 bytes" in outcome.message
    # Where the filter does not work, the totals have to do.
    found = facts(given_up)
    toolchain = TOOLCHAIN.model_copy(update={"missing": {"filter": "no ptrace"}})
    blind = replace(found, evidence=found.evidence.model_copy(update={"toolchain": toolchain}))
    assert judge_call_pattern(blind, "single", ITEM).status == "passed"


def test_short_cases_that_only_hidden_checks_name_do_not_show() -> None:
    def seen(visibility: str) -> Spec:
        lab = small_lab()
        changed = (
            item.model_copy(update={"visibility": visibility}) if item.name == "output" else item
            for item in lab.rubric
        )
        return lab.model_copy(update={"rubric": tuple(changed)})

    assert seen("visible").small_cases(SMALL) == SMALL.small
    assert seen("hidden").small_cases(SMALL) == ()
    hidden = SMALL.model_copy(update={"visibility": "hidden"})
    assert seen("hidden").small_cases(hidden) == SMALL.small


@pytest.mark.parametrize("trace_of", [None, trace(stream(9, 9, 1), stream(9, 9, 1), complete=False)])
def test_messages_on_standard_error_are_named_as_what_keeps_calls_from_being_counted(trace_of: Trace | None) -> None:
    totals = accounting(FULL_BYTES + 1, FULL_BYTES, FULL_BYTES)
    spoken = run("single.random", RANDOM, engine="account", accounting=totals, trace=trace_of)
    chatty = spoken.model_copy(update={"stderr": captured(b"found a\n")})
    outcome = judge_call_pattern(facts(chatty), "single", ITEM)
    assert outcome.status == "failed"
    assert isinstance(outcome.evidence, CallsEvidence)
    assert outcome.evidence.also_to_errors


ONE_TOO_LARGE = stream(SLICE_BYTES + 1, SLICE_BYTES, 1).model_copy(update={"nbyte_max": 2})


@pytest.mark.parametrize(
    ("reads", "unknown", "status"),
    [
        (NONE, {}, "failed"),
        (NONE, {"unknown_reads": SLICE_BYTES}, "skipped"),
        (stream(1, 1, 1), {"unknown_reads": SLICE_BYTES - 1}, "skipped"),
        (NONE, {"unknown_writes": SLICE_BYTES}, "failed"),
        (ONE_TOO_LARGE, {"unknown_reads": 1}, "failed"),
        (stream(2 * SLICE_BYTES + 9, SLICE_BYTES, 1), {"unknown_reads": 1}, "failed"),
        (right_calls("single", SLICE)[0], {"unknown_reads": 1, "unknown_writes": 1}, "passed"),
    ],
)
def test_calls_on_files_that_are_not_known_prove_nothing(
    reads: StreamCalls, unknown: dict[str, int], status: str
) -> None:
    log = trace(reads, right_calls("single", SLICE)[1]).model_copy(update=unknown)
    outcome = judge_call_pattern(facts(run("single.slice.strace", trace=log)), "single", ITEM)
    assert outcome.status == status
    assert ("are on files whose names the log does not show" in outcome.message) == (status == "skipped")


def test_calls_on_files_that_are_not_known_excuse_no_other_way_of_bytes() -> None:
    log = trace(NONE, right_calls("single", SLICE)[1]).model_copy(update={"unknown_reads": SLICE_BYTES})
    copies = {**log.calls, "sendfile": CallCount(calls=1, errors=0)}
    log = log.model_copy(update={"calls": copies})
    outcome = judge_call_pattern(facts(run("single.slice.strace", trace=log)), "single", ITEM)
    assert outcome.status == "failed"
