from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from grader.cli import interruptible
from grader.cli.interruptible import Interruptible
from tests.waits import ENDS_S


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    # To the process, so that the main thread gets it, whatever it waits for.
    os.kill(os.getpid(), signal.SIGINT)


def test_work_that_is_not_interrupted_gives_its_result() -> None:
    assert Interruptible(lambda: 3, lambda: pytest.fail("it was ended")).result() == 3


def test_what_the_work_raises_is_raised() -> None:
    def work() -> None:
        raise KeyError(1)

    with pytest.raises(KeyError):
        Interruptible(work, lambda: pytest.fail("it was ended")).result()


def test_an_interruption_ends_the_work_whose_result_is_kept() -> None:
    ended = threading.Event()

    def work() -> str:
        interrupt()
        assert ended.wait(ENDS_S)
        return "verdicts"

    working = Interruptible(work, ended.set)
    with pytest.raises(KeyboardInterrupt):
        working.result()
    assert working.future.result(ENDS_S) == "verdicts"


def test_work_is_told_to_end_until_it_does() -> None:
    told = threading.Semaphore(0)

    def work() -> None:
        interrupt()
        for _ in range(3):
            assert told.acquire(timeout=ENDS_S)

    working = Interruptible(work, told.release)
    with pytest.raises(KeyboardInterrupt):
        working.result()
    working.future.result(ENDS_S)


def test_work_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruptible, "END_AGAIN_S", 0.01)
    monkeypatch.setattr(interruptible, "GIVE_UP_S", 0.05)
    released = threading.Event()
    ends: list[int] = []

    def work() -> None:
        interrupt()
        released.wait(ENDS_S)

    working = Interruptible(work, lambda: ends.append(1))
    with pytest.raises(KeyboardInterrupt):
        working.result()
    assert not working.future.done()
    assert len(ends) == 5
    released.set()
    working.future.result(ENDS_S)
