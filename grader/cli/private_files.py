"""Keep the files of a run from student code that has another user on the same machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def closed_to_others() -> Iterator[None]:
    """Make all files and folders for their owner alone, because student code with another uid must not read them."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
