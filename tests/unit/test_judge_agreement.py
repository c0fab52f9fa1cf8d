"""Two engines that saw the same program and input show the same, or the check fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.agreement import (
    EXEC_READS,
    MOST_UNCERTAIN,
    OPENED_AGAIN,
    SIGSYS,
    disagreement,
    maps_its_input,
    uncounted,
    unlike_traced,
    unlike_untraced,
)
from grader.judge.call_pattern import judge_call_pattern
from grader.model.evidence import CallCount, Exited, LimitReached, RunDone, Signalled
from grader.model.spec.lab import Spec
from grader.model.spec.programs import AnyCalls, CallPattern

from .facts import CRASH, LOADER, accounting, captured, facts, limit, right_calls, run, trace
from .lab import BUFFER, FULL_BYTES, INPUTS, SPEC
from .test_judge_call_pattern import ITEM

RANDOM = INPUTS["random"]
FULL = SPEC.limits.full
BLOCKS = -(-FULL_BYTES // BUFFER)


def logged(**calls: CallCount) -> RunDone:
    log = trace(*right_calls("many", RANDOM))
    return run("many.random.strace", RANDOM, trace=log.model_copy(update={"calls": {**log.calls, **calls}}))


def counted(reads: int = BLOCKS + 1, writes: int = BLOCKS) -> RunDone:
    return run("many.random", RANDOM, engine="account", accounting=accounting(reads, writes, FULL_BYTES))


def test_the_same_calls_agree() -> None:
    assert disagreement(facts(), "random", logged(), counted()) is None


@pytest.mark.parametrize(("reads", "writes"), [(1, 0), (-1, 0), (0, 1), (0, -1), (FULL_BYTES, FULL_BYTES)])
def test_one_call_more_or_less_is_enough(reads: int, writes: int) -> None:
    why = disagreement(facts(), "random", logged(), counted(BLOCKS + 1 + reads, BLOCKS + writes))
    assert why is not None
    assert "under strace it makes" in why
    # Without strace, tally traces in its place.
    other = logged().model_copy(update={"engine": "filter"})
    assert "when it is traced it makes" in str(
        disagreement(facts(), "random", other, counted(BLOCKS + 1 + reads, BLOCKS + writes))
    )


def test_calls_that_failed_count_or_not() -> None:
    reads = CallCount(calls=BLOCKS + 1 + LOADER.calls + 3, errors=3)
    for failed in range(4):
        assert disagreement(facts(), "random", logged(read=reads), counted(BLOCKS + 1 + failed)) is None
    assert disagreement(facts(), "random", logged(read=reads), counted(BLOCKS + 1 + 4)) is not None


@pytest.mark.parametrize("name", ["sendfile", "copy_file_range"])
def test_calls_between_descriptors_are_both(name: str) -> None:
    log = logged(**{name: CallCount(calls=2, errors=0)})
    assert disagreement(facts(), "random", log, counted(BLOCKS + 3, BLOCKS + 2)) is None
    assert disagreement(facts(), "random", log, counted(BLOCKS + 4, BLOCKS + 2)) is not None


def test_another_program_is_read_by_the_kernel() -> None:
    once, twice = (CallCount(calls=calls, errors=0) for calls in (1, 2))
    most = counted(BLOCKS + 1 + EXEC_READS)
    assert disagreement(facts(), "random", logged(execve=twice), most) is None
    assert disagreement(facts(), "random", logged(execve=once), most) is not None


@pytest.mark.parametrize("uncertain", [MOST_UNCERTAIN, MOST_UNCERTAIN + 1])
@pytest.mark.parametrize("kind", ["read", "write", "sendfile", "execve"])
def test_many_calls_that_may_not_have_been_counted_hide_nothing(kind: str, uncertain: int) -> None:
    calls = trace(*right_calls("many", RANDOM)).calls
    log = {
        "read": {"read": CallCount(calls=calls["read"].calls + uncertain, errors=uncertain)},
        "write": {"write": CallCount(calls=calls["write"].calls + uncertain, errors=uncertain)},
        "sendfile": {"sendfile": CallCount(calls=uncertain, errors=uncertain)},
        "execve": {"execve": CallCount(calls=1 + -(-uncertain // EXEC_READS), errors=0)},
    }[kind]
    why = disagreement(facts(), "random", logged(**log), counted())
    assert (why is not None) == (uncertain > MOST_UNCERTAIN)


def test_a_signal_under_strace_alone_is_a_difference() -> None:
    cut = logged().model_copy(update={"ending": CRASH})
    assert disagreement(facts(), "random", cut, counted()) is not None
    crashed = counted().model_copy(update={"ending": CRASH})
    assert disagreement(facts(), "random", cut, crashed) is None


def test_only_what_both_saw_is_compared() -> None:
    other = counted(1, 1)
    cut = logged().model_copy(update={"ending": limit("wall")})
    stopped = other.model_copy(update={"ending": limit("cpu")})
    uncounted = other.model_copy(update={"accounting": None})
    incomplete = run("many.random.strace", RANDOM, trace=trace(*right_calls("many", RANDOM), complete=False))
    for traced, untraced in ((cut, other), (logged(), stopped), (logged(), uncounted), (incomplete, other)):
        assert disagreement(facts(), "random", traced, untraced) is None
    # A pipe may interrupt a call, and a terminal may be slower for a tracer.
    assert disagreement(facts(), "screen", logged(), other) is None
    assert disagreement(facts(), "piped", logged(), other) is None


def test_the_check_fails_and_says_so() -> None:
    outcome = judge_call_pattern(facts(counted(BLOCKS + 3, BLOCKS + 1)), "many", ITEM)
    assert outcome.status == "failed"
    reads, other = BLOCKS + 1 + LOADER.calls, BLOCKS + 3 + LOADER.calls
    assert f"under strace it makes {reads:,} reads, and {other:,} when nothing traces it" in outcome.message
    assert outcome.message.endswith("(input random)")


# --- outputs that differ from run to run


def log_of(program: str, output: bytes) -> RunDone:
    """A traced run that wrote this, with the calls that the pattern asks for."""
    reads, writes = right_calls(program, RANDOM)[0], right_calls(program, output)[1]
    return run(f"{program}.random.strace", output, trace=trace(reads, writes))


def totals_of(program: str, output: bytes, reads: int = 0, writes: int = 0) -> RunDone:
    """An untraced run that wrote this, with so many calls more than the pattern asks for."""
    calls = right_calls(program, RANDOM)[0].calls + reads, right_calls(program, output)[1].calls + writes
    totals = accounting(*calls, len(RANDOM)).model_copy(update={"written_bytes": len(output)})
    return run(f"{program}.random", output, engine="account", accounting=totals)


LONG, SHORT = RANDOM + b"garbage" * 3000, RANDOM[: len(RANDOM) // 2]


@pytest.mark.parametrize("program", ["many", "single"])
@pytest.mark.parametrize(("before", "now"), [(LONG, SHORT), (SHORT, LONG), (LONG, LONG[:-1]), (b"x", LONG)])
def test_each_run_is_judged_by_what_it_wrote_itself(program: str, before: bytes, now: bytes) -> None:
    traced, untraced = log_of(program, before), totals_of(program, now)
    assert disagreement(facts(), "random", traced, untraced) is None
    for reads, writes in ((1, 0), (-1, 0), (len(RANDOM), 0), (0, len(RANDOM))):
        other = totals_of(program, now, reads, writes)
        assert disagreement(facts(), "random", traced, other) is not None


@pytest.mark.parametrize(("now", "why"), [(LONG, "too few"), (SHORT, "too many")])
def test_calls_that_do_not_fit_the_bytes_of_their_run_say_so(now: bytes, why: str) -> None:
    """The numbers of calls alone may be the same."""
    writes = right_calls("single", RANDOM)[1]
    same = totals_of("single", now, writes=writes.calls - len(now))
    assert f"{why} for the bytes that it moves then" in str(
        disagreement(facts(), "random", log_of("single", RANDOM + b"x"), same)
    )


@pytest.mark.parametrize("program", ["many", "single"])
def test_an_output_that_is_right_must_be_so_under_strace_too(program: str) -> None:
    assert disagreement(facts(), "random", log_of(program, SHORT), totals_of(program, RANDOM)) is not None


@pytest.mark.parametrize("program", ["many", "single"])
def test_an_output_may_be_right_by_chance(program: str) -> None:
    traced, wrong, right = (
        log_of(program, LONG[:-1]),
        run(f"{program}.copy", b"wrong"),
        run(f"{program}.copy", INPUTS["text"]),
    )
    for now in (RANDOM, LONG):
        assert disagreement(facts(), "random", traced, totals_of(program, now), [wrong]) is None
        for reads, writes in ((1, 0), (0, len(RANDOM))):
            other = totals_of(program, now, reads, writes)
            assert disagreement(facts(), "random", traced, other, [wrong]) is not None
    assert disagreement(facts(), "random", traced, totals_of(program, RANDOM), [right]) is not None


@pytest.mark.parametrize("before", [LONG, SHORT])
def test_an_output_that_varies_does_not_fail_the_check_of_calls(before: bytes) -> None:
    now = LONG[:-100]
    outcome = judge_call_pattern(facts(log_of("many", before), totals_of("many", now)), "many", ITEM)
    assert outcome.status == "passed", outcome.message
    byte_by_byte = totals_of("many", now, writes=len(now))
    outcome = judge_call_pattern(facts(log_of("many", before), byte_by_byte), "many", ITEM)
    assert outcome.status == "failed"


# --- runs that are repeated


def filtered(again: RunDone | None, strays: tuple[str, ...] = ()) -> RunDone:
    """A run of an exact pattern that the filter counted, one call for each byte."""
    calls = trace(*right_calls("single", RANDOM)).model_copy(update={"strays": strays})
    return run("single.random", RANDOM, engine="filter", trace=calls, again=again)


def untraced(output: bytes = RANDOM, **changes: object) -> RunDone:
    return run("single.random.again", output, engine="account", **changes)


def repeated(done: RunDone) -> str | None:
    return unlike_untraced(facts(), done, ())


def test_the_untraced_run_may_write_messages_and_have_another_status() -> None:
    assert repeated(filtered(None)) is None
    assert repeated(filtered(untraced())) is None
    assert repeated(filtered(untraced(stderr=captured(b"m" * 900), opened_again=False))) is None
    assert repeated(filtered(untraced(ending=Exited(kind="exited", code=3)))) is None


@pytest.mark.parametrize(
    ("again", "why"),
    [
        (untraced(ending=Signalled(kind="signalled", signal=SIGSYS)), "makes other calls"),
        (untraced(ending=CRASH), "is killed by a signal"),
        (untraced(ending=limit("wall")), f"did not end: stopped after {FULL.wall_s:g} s (limits.full.wall_s)"),
        (untraced(output=RANDOM[1:]), "writes something else"),
    ],
)
def test_what_an_exact_pattern_does_only_untraced_is_a_difference(again: RunDone, why: str) -> None:
    assert repeated(filtered(again)) == f"when nothing traces it, it {why}"


WRONG = run("single.copy", b"wrong")


def moved(output: bytes, reads: int, writes: int, read_bytes: int) -> RunDone:
    totals = accounting(reads, writes, read_bytes).model_copy(update={"written_bytes": len(output)})
    return filtered(untraced(output, accounting=totals))


def test_the_output_of_a_program_that_is_wrong_elsewhere_may_vary() -> None:
    size = len(RANDOM)
    repeated_alike = moved(LONG, size + 1, len(LONG), size)
    assert unlike_untraced(facts(), repeated_alike, [WRONG]) is None
    assert unlike_untraced(facts(), repeated_alike, [run("single.copy", INPUTS["text"])]) is not None
    for fewer in (
        moved(LONG, size // 2, len(LONG), size),
        moved(LONG, size + 1, len(LONG) - 1, size),
        moved(LONG, size + 1, len(LONG), size // 2),
        moved(b"", size + 1, 0, size),
        filtered(untraced(LONG)),
    ):
        assert unlike_untraced(facts(), fewer, [WRONG]) is not None


def test_the_check_fails_for_an_untraced_run() -> None:
    other = untraced(ending=Signalled(kind="signalled", signal=SIGSYS))
    outcome = judge_call_pattern(facts(filtered(other)), "single", ITEM)
    assert outcome.status == "failed"
    assert "when nothing traces it, it makes other calls" in outcome.message
    assert judge_call_pattern(facts(filtered(untraced())), "single", ITEM).status == "passed"


def accounted(*strays: str, opened_again: bool = False) -> RunDone:
    done = run("single.random", RANDOM, engine="account")
    return done.model_copy(update={"strays": strays, "opened_again": opened_again})


@pytest.mark.parametrize(
    ("strays", "traced", "why"),
    [
        ((), (), None),
        (("read",), (), "when nothing traces it, it makes other calls"),
        (("dup", "read"), ("dup",), "when nothing traces it, it makes other calls"),
        (("dup",), ("dup",), None),
    ],
)
def test_calls_that_only_an_untraced_run_makes_are_a_difference(
    strays: tuple[str, ...], traced: tuple[str, ...], why: str | None
) -> None:
    assert unlike_traced([filtered(None, traced)], accounted(*strays)) == why


def test_an_untraced_run_must_not_open_its_streams_again() -> None:
    assert unlike_traced([filtered(None)], accounted(opened_again=True)) == OPENED_AGAIN
    assert unlike_traced([], accounted("read")) is None, "nothing to compare it with"


def test_a_repeated_run_whose_calls_are_named_makes_other_calls() -> None:
    assert repeated(filtered(untraced(strays=("readv",)))) == "when nothing traces it, it makes other calls"


def test_calls_that_the_kernel_does_not_count_are_named() -> None:
    assert uncounted(accounted("read", "splice")) == "splice"
    assert uncounted(accounted("read")) is None


@pytest.mark.parametrize(
    ("program", "stdin", "maps"),
    [
        ("many", None, True),
        # A program that may read as it likes may map its input.
        ("many", AnyCalls(), False),
        # Here the call is named by the number of its descriptor, and compared with the traced run's.
        ("single", None, False),
    ],
)
def test_a_mapping_of_the_input_is_no_proof(program: str, stdin: CallPattern | None, *, maps: bool) -> None:
    changed = SPEC.programs[program] if stdin is None else SPEC.programs[program].model_copy(update={"stdin": stdin})
    spec = SPEC.model_copy(update={"programs": {**SPEC.programs, program: changed}})
    found = facts()
    found = replace(found, lab=replace(found.lab, spec=spec))
    mapped = run(f"{program}.random", RANDOM, engine="account").model_copy(update={"strays": ("mmap",)})
    assert maps_its_input(found, mapped) is maps
    assert not maps_its_input(found, mapped.model_copy(update={"strays": ()}))
    without_input = replace(found, lab=replace(found.lab, inputs={**found.lab.inputs, "random": b""}))
    assert not maps_its_input(without_input, mapped), "a file that it was given"


@pytest.mark.parametrize("ending", [Exited(kind="exited", code=0), LimitReached(kind="limit", limit="wall")])
def test_the_check_fails_if_an_untraced_run_maps_its_input(ending: Exited | LimitReached) -> None:
    """So many calls take long, and are seen even if the run reaches its time limit."""
    right = facts().evidence.run("many", "random")
    assert right is not None
    mapped = right.model_copy(update={"engine": "account", "strays": ("mmap",), "ending": ending})
    outcome = judge_call_pattern(facts(mapped), "many", ITEM)
    assert outcome.status == "failed"
    assert "it maps its input into memory, where no call shows what it reads (input random)" in outcome.message
    assert outcome.hint is not None
    assert "trace=read,write,mmap" in outcome.hint


@pytest.mark.parametrize(("opened_again", "status"), [(False, "passed"), (None, "skipped"), (True, "failed")])
def test_what_nobody_saw_does_not_pass(*, opened_again: bool | None, status: str) -> None:
    again = untraced(opened_again=opened_again).model_copy(update={"engine": "account", "strays": ()})
    assert judge_call_pattern(facts(filtered(again)), "single", ITEM).status == status


def test_the_check_fails_if_the_streams_are_opened_again() -> None:
    outcome = judge_call_pattern(facts(filtered(untraced(opened_again=True))), "single", ITEM)
    assert outcome.status == "failed"
    assert (
        "its reads and writes cannot be counted reliably: it opens its input or its output again" in outcome.message
    )


@pytest.mark.parametrize("is_repeated", [True, False])
def test_calls_that_prevent_the_untraced_run_fail_the_check(
    *, is_repeated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Spec, "repeats_untraced", lambda *_: is_repeated)
    outcome = judge_call_pattern(facts(filtered(None, ("dup", "sendmsg"))), "single", ITEM)
    assert outcome.status == ("failed" if is_repeated else "passed")
    assert (
        "its reads and writes cannot be counted reliably: it also calls dup and sendmsg" in outcome.message
    ) is is_repeated
