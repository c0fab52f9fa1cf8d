"""One of anything is named in the singular, in every sentence that a student reads."""

from __future__ import annotations

import itertools
import re

import pytest

from grader.judge.difference import difference
from grader.judge.streams import Observation, judge_stream
from grader.model.evidence import StreamCalls
from grader.model.report import Stream
from grader.model.spec.programs import BatchedCalls, CallPattern, ExactCalls, LineBufferedCalls

ONE_OF_MANY = re.compile(r"(?<![\d,.])1 [a-z]+s\b(?<!is)(?<!was)|(?<![\d,.])1 were\b")
SMALL = range(4)
PATTERNS: dict[str, CallPattern] = {
    "exact": ExactCalls(calls="exact", nbyte=1),
    "exact-2": ExactCalls(calls="exact", nbyte=2),
    "batched": BatchedCalls(calls="batched", mean_bytes_min=2),
    "line-buffered": LineBufferedCalls(calls="line-buffered", buffer_bytes=1),
}
STREAMS: tuple[Stream, ...] = ("stdin", "stdout")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("stream", STREAMS)
def test_sentences_about_calls(pattern: str, stream: Stream) -> None:
    sentences = set()
    for calls, size, nbyte, output in itertools.product(SMALL, SMALL, (None, *SMALL), (b"", b"a", b"a\nb\n")):
        seen = StreamCalls(calls=calls, bytes=size, nbyte_min=nbyte, nbyte_max=nbyte)
        observed = Observation("input", "file", stream, "tally", seen, size, size + 1, output)
        judged = judge_stream(PATTERNS[pattern], observed)
        sentences |= {judged.problem, judged.derivation}
    assert any("1 " in sentence for sentence in sentences)
    assert [sentence for sentence in sentences if ONE_OF_MANY.search(sentence)] == []


def test_sentences_about_differences() -> None:
    outputs = (b"", b"a", b"ab", b"b", b"bab", b"abc")
    found = [difference(one, other, one) for one, other in itertools.product(outputs, outputs)]
    sentences = [seen.summary for seen in found if seen is not None]
    assert len(sentences) == len(outputs) * (len(outputs) - 1)
    assert [sentence for sentence in sentences if ONE_OF_MANY.search(sentence)] == []


@pytest.mark.parametrize("wrong", ["1 writes for", "then 1 bytes", "2 bytes were written, 1 were expected"])
def test_the_pattern_finds_what_is_wrong(wrong: str) -> None:
    assert ONE_OF_MANY.search(wrong)


def test_what_a_program_did_write_is_compared_with_one_call_for_each_byte() -> None:
    seen = StreamCalls(calls=1, bytes=5_000_001, nbyte_min=None, nbyte_max=None)
    observed = Observation("input", "file", "stdout", "tally", seen, 5_000_001, 5_000_000)
    judged = judge_stream(PATTERNS["exact"], observed)
    assert judged.problem == "1 write for 5,000,001 bytes, instead of one for each byte"
