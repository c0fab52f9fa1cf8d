"""The callback for progress messages: long work calls it with one line of text at a time."""

from __future__ import annotations

from collections.abc import Callable

Notify = Callable[[str], None]
"""Shows the user a message. It may be called from any thread, and never during another message."""


def ignore_message(_message: str) -> None:
    """Show nothing, for work that takes less than a second."""
