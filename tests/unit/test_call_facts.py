"""What a log of system calls shows about a program that does not copy."""

from __future__ import annotations

import pytest

from grader.diagnose.behaviour.calls import LEAST_SLEEPS, call_facts, sleeping
from grader.model.evidence import CallCount, FailedOpen, Trace, Transfer

from .facts import stream as calls_of
from .facts import trace

LOADER = Transfer(name="read", descriptor=3, on_stream=False, calls=1, bytes=832, errors={})


def log(*transfers: Transfer, complete: bool = True, opens: tuple[FailedOpen, ...] = (), nbyte: int = 1) -> Trace:
    plain = trace(calls_of(1, 1, nbyte), calls_of(1, 1, 1), complete=complete)
    return plain.model_copy(update={"transfers": (LOADER, *transfers), "failed_opens": opens})


def transfer(name: str, descriptor: int, calls: int, size_bytes: int, **errors: int) -> Transfer:
    return Transfer(
        name=name,
        descriptor=descriptor,
        on_stream=descriptor == int("write" in name),
        calls=calls,
        bytes=size_bytes,
        errors=errors,
    )


RIGHT = transfer("read", 0, 5, 4), transfer("write", 1, 4, 4)


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (
            [transfer("read", 0, 1, 0, EFAULT=1)],
            "its only read of descriptor 0, standard input, fails (EFAULT",
        ),
        ([transfer("read", 0, 9, 0, EFAULT=9)], "all 9 calls of read of descriptor 0, standard input, fail (EFAULT"),
        (
            [transfer("read", 0, 2, 1, EBADF=1), RIGHT[1]],
            "1 of 2 calls of read of descriptor 0, ",
        ),
        (
            [transfer("read", 0, 9, 1, EAGAIN=3), RIGHT[1]],
            "3 of 9 calls of read of descriptor 0, standard",
        ),
        (
            [RIGHT[0], transfer("write", 0, 4, 0, EBADF=4)],
            "all 4 calls of write of descriptor 0, ",
        ),
        ([transfer("read", 7, 1, 0, EPERM=1), *RIGHT], "its only read of descriptor 7 fails (EPERM)"),
        ([transfer("read", 2, 5, 4), RIGHT[1]], "reads descriptor 2, standard error, instead of standard input"),
        ([RIGHT[0], transfer("write", 0, 4, 4)], "writes to descriptor 0, which is standard input"),
        ([transfer("pread64", 0, 5, 4), RIGHT[1]], "reads standard input with pread, not with read"),
        ([RIGHT[0], transfer("writev", 1, 4, 4)], "writes standard output with writev, not with write"),
        ([RIGHT[0]], "reads 4 bytes and makes no write"),
        ([], "reads nothing from standard input"),
    ],
)
def test_what_is_unusual_is_said_with_its_number(seen: list[Transfer], said: str) -> None:
    first = call_facts(log(*seen), log(*RIGHT))[0]
    assert first.what.startswith(said)
    assert first.advice


@pytest.mark.parametrize(("written", "elsewhere"), [(4, True), (5, False), (0, False)])
def test_who_reads_nothing_but_writes_has_the_bytes_from_elsewhere(written: int, *, elsewhere: bool) -> None:
    loader = log(*RIGHT).other_reads
    assert loader is not None
    read = calls_of(1 + loader.calls, 4 + loader.bytes, 1)
    seen = log(RIGHT[1]).model_copy(update={"other_reads": read, "stdout": calls_of(written, written, 1)})
    [fact, *_] = call_facts(seen, log(*RIGHT))
    assert (fact.what == "reads from other descriptors instead") is elsewhere
    assert ("standard input is already open" in fact.advice) is elsewhere


def test_a_read_for_no_bytes_is_said() -> None:
    [fact, *_] = call_facts(log(transfer("read", 0, 1, 0), nbyte=0), log(*RIGHT))
    assert fact.what == "asks read for 0 bytes"


def test_a_file_that_is_missing_is_the_first_reason_unless_it_is_missing_for_everybody() -> None:
    own, usual = FailedOpen(path="input.txt", error="ENOENT"), FailedOpen(path="preload", error="ENOENT")
    library = FailedOpen(path="/usr/lib/locale/C.UTF-8", error="ENOENT")
    facts = call_facts(log(opens=(usual, library, own)), log(*RIGHT, opens=(usual,)))
    assert [fact.what for fact in facts][:1] == ["cannot open “input.txt” (ENOENT, there is no such file)"]
    assert sum("cannot open" in fact.what for fact in facts) == 1


def test_the_path_of_a_file_cannot_write_to_the_screen() -> None:
    hostile = FailedOpen(path="\x1b[2J" + "a" * 500 + "é", error="ENOENT")
    [fact, *_] = call_facts(log(opens=(hostile,)), None)
    assert fact.what.isprintable()
    assert len(fact.what) < 200


def test_right_calls_and_a_log_without_descriptors_show_nothing() -> None:
    assert call_facts(log(*RIGHT), log(*RIGHT)) == ()
    assert call_facts(None, None) == ()
    assert call_facts(trace(calls_of(0, 0), calls_of(0, 0)), None) == ()


def test_a_limit_of_the_grader_is_no_failure_of_the_program() -> None:
    stopped = transfer("write", 1, 50, 4, EFBIG=1)
    assert call_facts(log(RIGHT[0], stopped, complete=False), None) == ()


def test_a_program_that_was_stopped_before_it_read_is_told_from_one_that_never_reads() -> None:
    [fact] = call_facts(log(complete=False), None)
    assert fact.what == "was stopped before it had read anything"


def slept(times: int, *, complete: bool = True) -> Trace:
    plain = log(*RIGHT, complete=complete)
    return plain.model_copy(update={"calls": {**plain.calls, "clock_nanosleep": CallCount(calls=times, errors=0)}})


def test_a_program_that_sleeps_again_and_again_is_said_to_sleep() -> None:
    (fact,) = sleeping(slept(4096), log(*RIGHT), 4096)
    assert fact.what == "calls clock_nanosleep 4,096 times for an input of 4,096 bytes"


@pytest.mark.parametrize(
    ("seen", "usual"),
    [
        (None, log(*RIGHT)),
        (log(*RIGHT), log(*RIGHT)),
        (slept(LEAST_SLEEPS - 1), log(*RIGHT)),
        (slept(4096, complete=False), log(*RIGHT)),
        (slept(4096), slept(1)),
    ],
)
def test_other_programs_are_not_said_to_sleep(seen: Trace | None, usual: Trace) -> None:
    assert [*sleeping(seen, usual, 4096)] == []
