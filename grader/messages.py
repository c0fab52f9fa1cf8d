"""How long work reports its progress: one line of text at a time, to whoever started it."""

from __future__ import annotations

from collections.abc import Callable

Notify = Callable[[str], None]
"""Gets a message for the user. Called from any thread, and never in the middle of another message."""


def ignore_message(_message: str) -> None:
    """Show nothing: nobody needs to hear of work that takes less than a second."""
