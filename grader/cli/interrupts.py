"""Being told to end: once, and then there is time to tidy up."""

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
    """Make the first signal to end a KeyboardInterrupt, and have all after it ignored for good.

    A second Ctrl-C would cut short the removal of what the first one left, or take the exit status away. What is
    ignored already, as under nohup, stays so. Without a signal all is as before when the context ends.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    heard = [number for number, handler in before.items() if handler != signal.SIG_IGN]

    def end(_number: int, _frame: FrameType | None) -> None:
        ignore_signals()
        raise KeyboardInterrupt

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard:
            if signal.getsignal(number) == end:
                signal.signal(number, before[number])


def ignore_signals() -> None:
    """Ignore what tells to end: that is being done, or all is done and said."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def end_interrupted() -> NoReturn:
    """End the process with the status of an interruption, once all is tidied up.

    Not by `sys.exit`: where the interruption came in the middle of an `exec`, as of a dataclass, Python would end the
    process by the signal, and whoever waits for a status would get none.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)
