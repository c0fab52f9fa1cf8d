"""A check as one line, to be read while others are still at work."""

from __future__ import annotations

from rich.text import Text

from grader.model.report import Check, CheckStatus
from grader.render.terminal.styled_text import text
from grader.render.text.escape import one_line
from grader.render.text.phrases import status_words

STYLES: dict[CheckStatus, str] = {"passed": "green", "failed": "bold red", "skipped": "yellow"}
_STATUS_WIDTH = max(len(status_words(status)) for status in STYLES)


def check_line(check: Check, id_width: int) -> Text:
    """Return status, id and what is asked; why, where the check was skipped. Status and id are columns."""
    status = status_words(check.status).ljust(_STATUS_WIDTH)
    words = check.message if check.status == "skipped" else check.title
    return text((status, STYLES[check.status]), f"  {one_line(check.id).ljust(id_width)}  {one_line(words)}")
