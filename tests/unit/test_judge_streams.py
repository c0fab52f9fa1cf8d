from __future__ import annotations

import pytest

from grader.judge.streams import END_READS, SPARE_END_READS, Observation, from_trace, judge_stream
from grader.model.evidence import StreamCalls, Transfer
from grader.model.report import Stream, StreamJudgement
from grader.model.spec.programs import AnyCalls, BatchedCalls, CallPattern, ExactCalls, LineBufferedCalls

from .facts import NONE, run, stream, trace

SIZE = 5_000_000
MEAN = 512
EXACT = ExactCalls(calls="exact", nbyte=1)
BATCHED = BatchedCalls(calls="batched", mean_bytes_min=MEAN)


def judged(pattern: CallPattern, seen: StreamCalls, which: Stream, output: bytes | None = None) -> StreamJudgement:
    return judge_stream(pattern, Observation("input", "file", which, "strace", seen, seen.bytes, SIZE, output))


@pytest.mark.parametrize(
    ("calls", "passes"),
    [
        (SIZE - 1, False),
        (SIZE, True),  # it knew where the input ends
        (SIZE + END_READS, True),
        (SIZE + END_READS + SPARE_END_READS, True),
        (SIZE + END_READS + SPARE_END_READS + 1, False),
    ],
)
def test_a_read_for_each_byte_and_one_or_two_that_find_the_end(calls: int, passes: bool) -> None:  # noqa: FBT001
    found = judged(EXACT, stream(calls, SIZE, 1), "stdin")
    assert found.passed is passes
    assert found.expected_calls == SIZE + END_READS
    assert bool(found.problem) is not passes


@pytest.mark.parametrize(("calls", "passes"), [(SIZE - 1, False), (SIZE, True), (SIZE + 1, False)])
def test_a_write_for_each_byte_and_not_one_more(calls: int, passes: bool) -> None:  # noqa: FBT001
    found = judged(EXACT, stream(calls, SIZE, 1), "stdout")
    assert found.passed is passes
    assert found.expected_calls == SIZE


@pytest.mark.parametrize("nbyte", [0, 2, 4096])
def test_one_call_with_another_nbyte_is_enough_to_fail(nbyte: int) -> None:
    low, high = sorted((1, nbyte))
    seen = StreamCalls(calls=SIZE + END_READS, bytes=SIZE, nbyte_min=low, nbyte_max=high)
    found = judged(EXACT, seen, "stdin")
    assert not found.passed
    assert f"asks for {nbyte:,} bytes" in found.problem


def test_totals_without_nbyte_are_judged_by_their_number() -> None:
    assert judged(EXACT, stream(SIZE, SIZE), "stdout").passed
    assert not judged(EXACT, stream(SIZE // 4096 + 1, SIZE), "stdout").passed


def test_exact_calls_of_more_than_a_byte_round_the_last_one_up() -> None:
    by_ten = ExactCalls(calls="exact", nbyte=10)
    assert judged(by_ten, stream(3, 21, 10), "stdout").passed
    assert not judged(by_ten, stream(2, 21, 10), "stdout").passed


@pytest.mark.parametrize(
    ("size_bytes", "calls", "nbyte_min", "nbyte_max", "passes"),
    [
        (21, 3, 1, 10, True),  # 10, 10 and the last
        (21, 3, 10, 10, True),  # it asks for 10 and gets 1
        (21, 3, 5, 10, False),
        (21, 3, 1, 20, False),
        (21, 30, 1, 10, False),
        (20, 2, 10, 10, True),
        (20, 2, 9, 10, False),  # nothing is left for a short call
        (7, 1, 7, 7, True),
        (7, 1, 8, 8, False),
    ],
)
@pytest.mark.parametrize("which", ["stdin", "stdout"])
def test_only_the_last_exact_call_may_be_short(  # noqa: PLR0913 - what was seen
    which: Stream, size_bytes: int, calls: int, nbyte_min: int, nbyte_max: int, *, passes: bool
) -> None:
    at_end = END_READS if which == "stdin" else 0
    seen = StreamCalls(calls=calls + at_end, bytes=size_bytes, nbyte_min=nbyte_min, nbyte_max=nbyte_max)
    assert judged(ExactCalls(calls="exact", nbyte=10), seen, which).passed is passes


@pytest.mark.parametrize(("which", "passes"), [("stdin", True), ("stdout", False)])
def test_a_read_may_ask_for_what_the_last_one_did_not_deliver(which: Stream, *, passes: bool) -> None:
    # What an unbuffered fread does: 10, 10, 10 of which 1 comes, 9, and 10 for the next item.
    seen = StreamCalls(calls=3 + 2 * (which == "stdin"), bytes=21, nbyte_min=9, nbyte_max=10)
    assert judged(ExactCalls(calls="exact", nbyte=10), seen, which).passed is passes


def test_a_stream_without_a_pattern_is_not_judged() -> None:
    found = judged(AnyCalls(), stream(SIZE // 3, SIZE, 3), "stdout")
    assert (found.passed, found.expected_calls, found.problem) == (True, None, "")


@pytest.mark.parametrize(
    ("size_bytes", "calls", "passes"),
    [
        (MEAN * 1000, 1000, True),  # a mean of exactly 512
        (MEAN * 1000 - 10, 1000, True),  # 511.99: the last block is short
        (MEAN * 1000, 1001, False),
        (MEAN * 999, 1000, False),  # short by a whole block
        (1, 1, True),
        (1, 2, False),
    ],
)
def test_a_mean_of_512_bytes_a_write_but_for_the_last(size_bytes: int, calls: int, passes: bool) -> None:  # noqa: FBT001
    assert judged(BATCHED, stream(calls, size_bytes), "stdout").passed is passes


@pytest.mark.parametrize(
    ("spare", "passes"), [(0, True), (END_READS + SPARE_END_READS - 1, True), (END_READS + SPARE_END_READS, False)]
)
def test_reads_that_find_the_end_do_not_lower_the_mean(spare: int, passes: bool) -> None:  # noqa: FBT001
    assert judged(BATCHED, stream(-(-SIZE // MEAN) + 1 + spare, SIZE), "stdin").passed is passes


@pytest.mark.parametrize(("mean", "says"), [(1, "1 byte"), (2, "2 bytes"), (2.5, "2.5 bytes")])
def test_what_is_not_buffered_is_told_with_its_mean(mean: float, says: str) -> None:
    calls = int(SIZE / mean)
    found = judged(BATCHED, stream(calls, SIZE), "stdout")
    assert not found.passed
    assert f"{calls:,} writes for {SIZE:,} bytes, {says} per write" in found.problem


@pytest.mark.parametrize("pattern", [EXACT, BATCHED])
def test_no_call_at_all_fails_in_words(pattern: CallPattern) -> None:
    assert "makes no read of standard input" in judged(pattern, NONE, "stdin").problem
    assert "makes no write to standard output" in judged(pattern, NONE, "stdout").problem


@pytest.mark.parametrize(
    ("pattern", "reads", "writes"),
    [
        (EXACT, SIZE + END_READS, SIZE),
        (BATCHED, -(-SIZE // MEAN) + END_READS + SPARE_END_READS, -(-SIZE // MEAN)),
    ],
)
def test_where_no_call_was_made_those_for_the_bytes_that_had_to_be_moved_are_expected(
    pattern: CallPattern, reads: int, writes: int
) -> None:
    stdin, stdout = judged(pattern, NONE, "stdin"), judged(pattern, NONE, "stdout")
    assert (stdin.expected_calls, stdout.expected_calls) == (reads, writes)
    assert all(f"{SIZE:,} bytes" in one.derivation for one in (stdin, stdout))


def test_a_largest_number_of_calls_is_derived_with_all_that_are_allowed() -> None:
    derivation = f"at most: {SIZE:,} bytes, one for each {MEAN:,}"
    assert judged(BATCHED, NONE, "stdout").derivation == derivation
    assert judged(BATCHED, NONE, "stdin").derivation == f"{derivation}, and {END_READS + SPARE_END_READS} more"


@pytest.mark.parametrize(("calls", "says"), [(1, "fewer"), (2, ""), (3, "more")])
def test_line_buffered_writes_are_as_many_as_lines(calls: int, says: str) -> None:
    pattern = LineBufferedCalls(calls="line-buffered", buffer_bytes=1024)
    found = judged(pattern, stream(calls, 4), "stdout", b"a\nb\n")
    assert found.expected_calls == 2
    assert found.passed is (not says)
    assert says in found.problem


def test_bytes_that_came_another_way_fail() -> None:
    observed = Observation("input", "file", "stdin", "strace", stream(2, 1, 1), SIZE, SIZE)
    found = judge_stream(EXACT, observed)
    assert not found.passed
    assert found.problem == f"only 1 of {SIZE:,} bytes went through read"


def test_line_buffering_cannot_be_judged_without_the_output() -> None:
    assert not judged(LineBufferedCalls(calls="line-buffered", buffer_bytes=64), stream(2, 4), "stdout").passed


def test_calls_that_failed_are_in_the_derivation() -> None:
    """A read that failed is not the one that returns 0 at the end."""
    failing = Transfer(name="read", descriptor=0, on_stream=True, calls=3, bytes=0, errors={"EFAULT": 2, "EAGAIN": 1})
    elsewhere = Transfer(name="read", descriptor=3, on_stream=False, calls=1, bytes=0, errors={"EIO": 1})
    seen = trace(stream(3, 0, 1), stream(0, 0)).model_copy(update={"transfers": (failing, elsewhere)})
    calls = from_trace("slice", run("single.slice.strace", trace=seen))
    assert calls is not None
    assert calls.stdin_failed == "; some calls failed: 2 with EFAULT, 1 with EAGAIN"
    assert calls.stdout_failed == ""
    observed = Observation("slice", "file", "stdin", "strace", calls.stdin, 0, 9, failed=calls.stdin_failed)
    judged = judge_stream(ExactCalls(calls="exact", nbyte=1), observed)
    assert judged.derivation.endswith(calls.stdin_failed)
