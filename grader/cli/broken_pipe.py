"""For whoever prints to a reader that may leave, as `head` does."""

from __future__ import annotations

import os
from typing import IO, Any


def discard_output(stream: IO[Any]) -> None:
    """Send all that is printed on a stream from now on nowhere: its reader has seen enough, and the work goes on.

    Not by closing it: Python flushes it once more at the end, and would complain.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
