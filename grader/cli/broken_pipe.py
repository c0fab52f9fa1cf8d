"""Output to a reader that may end early, like `head`."""

from __future__ import annotations

import os
from typing import IO, Any


def discard_output(stream: IO[Any]) -> None:
    """Discard everything that is written to a stream from now on; the work goes on.

    It is not closed, because Python would fail to flush it at the end.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
