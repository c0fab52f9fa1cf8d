"""Files that a command is to write at its end: what is in the way is told before the work."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import UsageError


def expect_target(option: str, path: Path) -> None:
    """Make sure that a file can be written there, and that what it would replace is a file.

    Raises:
        UsageError: it cannot be; the message names the option, and says why.
    """
    problem = _problem(path)
    if problem is not None:
        raise UsageError(f"{option} {path}: {problem}")


def _problem(path: Path) -> str | None:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return f"nothing can be written in {path.parent}"
    if path.is_dir():
        return "it is a folder; name a file in it"
    if path.exists() and not path.is_file():
        # A rename onto /dev/null would take it away from everybody.
        return "something that is not a file is there"
    return None
