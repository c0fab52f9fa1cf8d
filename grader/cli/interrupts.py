"""Being told to end: once, and then there is time to tidy up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def orderly_interrupts() -> Iterator[None]:
    """Make the first signal to end a KeyboardInterrupt, and have those after it ignored while the context lasts.

    A second Ctrl-C would cut short the removal of what the first one left. What is ignored already, as under nohup,
    stays so.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    heard = [number for number, handler in before.items() if handler != signal.SIG_IGN]

    def end(_number: int, _frame: FrameType | None) -> None:
        for number in heard:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
