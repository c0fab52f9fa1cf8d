"""How many processors there are for processes of our own."""

from __future__ import annotations

import os


def cpu_count() -> int:
    """Return the number of processors that this process may use; macOS says only how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
