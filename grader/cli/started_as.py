"""The command by which the grader was started, for messages that name another command of it."""

from __future__ import annotations

import os
from pathlib import Path

from grader.machine_folders import current_folder


def started_as() -> str:
    """Return `grader`, or for the single file `python3` and its path, as short as the current folder permits."""
    # PEX sets it to the file that it started from.
    single_file = os.environ.get("PEX")
    if not single_file:
        return "grader"
    # Imported here: most graders are no single file, and it takes a while to load.
    from grader.judge.repeat import shell_word  # noqa: PLC0415

    path = Path(single_file)
    shortest = path.name if path.parent == current_folder() else str(path)
    return f"python3 {shell_word(shortest)}"
