"""The commands that a class page suggests, to be pasted into a shell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Commands:
    """Commands that grade the class again, and that rescore it; "" if one is not known."""

    grade: str = ""
    rescore: str = ""


NO_COMMANDS = Commands()
