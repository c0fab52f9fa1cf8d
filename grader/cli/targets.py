"""Check paths of output files before a command does any work."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import UsageError


def require_target(option: str, path: Path) -> None:
    """Make sure that a file can be written there, and that it replaces nothing but a file.

    Raises:
        UsageError: it cannot be written; the message names the option and the reason.
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
