"""Being told to end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from grader.cli import main
from grader.cli.exit_status import INTERRUPTED
from grader.cli.interrupts import ENDING, ignore_signals, interrupts_as_such, orderly_interrupts


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = {one: signal.getsignal(one) for one in ENDING}
    yield
    with orderly_interrupts():
        """What came is forgotten when it begins."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("number", ENDING)
def test_the_first_signal_ends_and_later_ones_leave_time_to_tidy_up(number: signal.Signals) -> None:
    tidied = []

    def work() -> None:
        try:
            os.kill(os.getpid(), number)
        finally:
            for one in ENDING:
                os.kill(os.getpid(), one)
                tidied.append(one)

    with pytest.raises(KeyboardInterrupt), orderly_interrupts():
        work()
    assert tidied == [*ENDING]
    os.kill(os.getpid(), number)  # what comes after the end, too


def test_signals_that_come_at_the_same_time_are_one_ending(capfd: pytest.CaptureFixture[str]) -> None:
    def receive_all_at_once() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        for number in ENDING:
            # To this thread: if another thread got it, which does not block it, the handler would run too early.
            signal.raise_signal(number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

    with pytest.raises(KeyboardInterrupt), orderly_interrupts():
        receive_all_at_once()
    ignore_signals()
    assert capfd.readouterr().err == ""


def test_without_a_signal_all_is_as_before() -> None:
    before = [signal.getsignal(one) for one in ENDING]
    with orderly_interrupts():
        assert [signal.getsignal(one) for one in ENDING] != before
    assert [signal.getsignal(one) for one in ENDING] == before


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with orderly_interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_that_a_library_turned_into_another_error_is_one_again() -> None:
    def wrapped() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as interrupt:
            raise ValueError("in a library") from interrupt

    with pytest.raises(KeyboardInterrupt), orderly_interrupts(), interrupts_as_such():
        wrapped()


def test_a_command_that_ends_with_another_error_after_an_interrupt_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_anything: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            raise ValueError("in a library")

    monkeypatch.setattr(main.cli, "main", fail)
    with orderly_interrupts():
        assert main.status_of(["grade"]) == INTERRUPTED
    assert "interrupted" in capsys.readouterr().err
    assert not caplog.records


def test_an_error_without_an_interrupt_stays_what_it_is() -> None:
    def wrong() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"), orderly_interrupts(), interrupts_as_such():
        wrong()
