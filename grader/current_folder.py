"""The folder that the grader was started in: it may have been removed, and then nothing relative can be found."""

from __future__ import annotations

from pathlib import Path

from grader.errors import UsageError

PROBLEM = "the folder that you are in has been removed"
REMEDY = "enter `cd` and the path of another folder"


def current_folder() -> Path | None:
    """Return the current folder, None if it has been removed."""
    try:
        return Path.cwd()
    except OSError:
        return None


def require_current_folder() -> None:
    """Make sure that there is a current folder.

    Raises:
        UsageError: it has been removed.
    """
    if current_folder() is None:
        raise UsageError(f"{PROBLEM}; {REMEDY}")
