"""Ctrl-C and other signals that end the process: the first one does, and later ones do not stop the cleaning up."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def orderly_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt for the first ending signal, and ignore all later ones for good.

    A second Ctrl-C would interrupt the cleaning up, or change the exit status. A signal that is ignored already, as
    under nohup, stays ignored. If no signal came, the handlers are restored when the context ends.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    handled = [number for number, handler in before.items() if handler != signal.SIG_IGN]

    def end(_number: int, _frame: FrameType | None) -> None:
        ignore_signals()
        raise KeyboardInterrupt

    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) == end:
                signal.signal(number, before[number])


def ignore_signals() -> None:
    """Ignore ending signals: the process is about to end."""
    for number in ENDING:
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
