"""Ctrl-C and other signals that end the process: the first one does, and later ones do not stop the cleaning up."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from grader.cli.exit_status import INTERRUPTED

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


_came = threading.Event()
"""Whether an ending signal has come."""


@contextmanager
def orderly_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt for the first ending signal, and do nothing for later ones.

    A second Ctrl-C would interrupt the cleaning up, or change the exit status. A signal that is ignored already, as
    under nohup, stays ignored. If no signal came, the handlers are restored when the context ends.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    handled = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    _came.clear()

    def end(_number: int, _frame: FrameType | None) -> None:
        # Setting other handlers here would be too late for a signal that came at the same time.
        if not _came.is_set():
            _came.set()
            raise KeyboardInterrupt

    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        if not _came.is_set():
            for number in handled:
                signal.signal(number, before[number])


def interrupted() -> bool:
    """Return whether an ending signal has come since orderly_interrupts began."""
    return _came.is_set()


@contextmanager
def interrupts_as_such() -> Iterator[None]:
    """Raise KeyboardInterrupt again if a library has turned it into another error.

    pydantic does that if the signal comes while it builds a validator, with a Python function in between.
    """
    try:
        yield
    except Exception as error:
        if interrupted():
            raise KeyboardInterrupt from error
        raise


def ignore_signals() -> None:
    """Ignore ending signals: the process is about to end."""
    for number in ENDING:
        # Python prints a traceback for a signal that came before it was ignored. This handler gets those first.
        signal.signal(number, lambda _number, _frame: None)
        signal.signal(number, signal.SIG_IGN)


def end_interrupted() -> NoReturn:
    """End the process with the status of an interruption, after everything is cleaned up.

    Not with `sys.exit`: if the interruption came in the middle of an `exec`, as for a dataclass, Python would end the
    process by the signal, without an exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)
