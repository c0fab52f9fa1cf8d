from __future__ import annotations

import pytest

from grader.model.evidence import CallCount, StreamCalls
from grader.model.report import SyscallTable
from grader.render.views.call_derivation import calls_elsewhere, derivation, other_call, shown_calls

from . import factory
from .factory import BUFFER, SIZE


def run(calls: int, size_bytes: int, nbyte: int | None, *, shown: int | None = None) -> SyscallTable:
    stream = StreamCalls(calls=calls, bytes=size_bytes, nbyte_min=nbyte, nbyte_max=nbyte)
    count = {"read": CallCount(calls=calls if shown is None else shown, errors=0)}
    return factory.unbuffered().model_copy(update={"calls": count, "stdin": stream})


def said(table: SyscallTable, *sizes: int) -> str:
    return derivation(table, "read", sizes, None).words


BLOCKS = -(-SIZE // BUFFER)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (run(SIZE + 1, SIZE, 1), "5,000,000 bytes one at a time + 1 that returns 0 at the end"),
        (run(SIZE, SIZE, 1), "5,000,000 bytes one at a time"),
        (run(SIZE + 2, SIZE, 1), "5,000,000 bytes one at a time + 2 that return 0 at the end"),
        (run(2, 4096, 4096), "4,096 bytes at once + 1 that returns 0 at the end"),
        (run(3, 8192, 4096), "2 blocks of 4,096 bytes + 1 that returns 0 at the end"),
        (run(1, 0, 1), "1 that returns 0 at the end"),
        (run(BLOCKS, SIZE, BUFFER), f"{BLOCKS:,} blocks of 4,096 bytes, the last one short"),
        (
            run(2, 4096, 4096, shown=3),
            "4,096 bytes at once + 1 that returns 0 at the end + 1 by the dynamic loader before main",
        ),
        (
            run(1, 4096, 4096, shown=4),
            "4,096 bytes at once + 3 of other files, such as by the dynamic loader",
        ),
    ],
)
def test_a_number_is_taken_apart(table: SyscallTable, words: str) -> None:
    assert said(table) == words


def test_what_the_numbers_do_not_bear_out_is_not_said() -> None:
    assert said(run(1000, SIZE, 4096)) == ""
    assert said(run(SIZE + 100, SIZE, 1)) == ""
    assert said(run(0, 0, None)) == ""
    failed = {"calls": {"read": CallCount(calls=2, errors=1)}}
    assert said(run(2, 1, 1)) == "1 byte one at a time + 1 that returns 0 at the end"
    assert said(run(2, 1, 1).model_copy(update=failed)) == ""


def test_calls_that_move_no_byte_of_the_copy_are_told_apart() -> None:
    assert said(run(0, 0, None, shown=1)) == "0 of the input + 1 by the dynamic loader before main"
    nothing = StreamCalls(calls=0, bytes=0, nbyte_min=None, nbyte_max=None)
    message = {"calls": {"write": CallCount(calls=1, errors=0)}, "stdout": nothing}
    table = factory.unbuffered().model_copy(update=message)
    words = "0 of the output + 1 elsewhere, such as to standard error"
    assert derivation(table, "write", (), None).words == words
    assert calls_elsewhere(table, "write") == 1


def test_a_call_of_another_name_is_named() -> None:
    assert other_call(run(SIZE, SIZE, 1, shown=1), "read") == ""
    table = run(SIZE, SIZE, 1, shown=1)
    calls = {**table.calls, "pread64": CallCount(calls=SIZE + 2, errors=0)}
    assert other_call(table.model_copy(update={"calls": calls}), "read") == "pread"
    assert other_call(run(SIZE + 1, SIZE, 1).model_copy(update={"stdin": None}), "read") == ""


def test_a_block_size_that_was_not_seen_is_tried() -> None:
    assert said(run(BLOCKS + 1, SIZE, None)) == ""
    assert said(run(BLOCKS + 1, SIZE, None), BUFFER).startswith(f"{BLOCKS:,} blocks of 4,096 bytes")


def test_the_number_is_the_one_that_strace_shows() -> None:
    assert shown_calls(run(SIZE + 1, SIZE, 1, shown=SIZE + 2), "read") == SIZE + 2
    # readv on standard input is not a call of the name read.
    assert shown_calls(run(SIZE + 1, SIZE, 1, shown=1), "read") == SIZE + 1
