"""The scripts of pages: files of ours, which a page's content security policy names by their hash."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from grader.resources import resource

REPORT = (("report.js",),)
"""A few lines that make buttons for copying commands."""

CLASS = (("vendor", "sortable", "sortable.js"), ("index.js",), ("report.js",))
"""A library that sorts the table of a class, a few lines of ours that filter it, and the buttons for copying."""


@dataclass(frozen=True)
class Script:
    """The text between the script tags, and the source expression of a CSP that allows only this text."""

    text: Markup
    allowed: str


@cache
def script(files: tuple[tuple[str, ...], ...]) -> Script:
    """Return a script, which contains nothing from students or reports.

    The hash is of the text as the browser finds it in the page: CSP Level 3, "hash-source".
    """
    text = "\n" + "\n".join(resource("reports", *parts).read_text("utf-8") for parts in files)
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return Script(Markup(text), f"'sha256-{base64.b64encode(digest).decode('ascii')}'")  # noqa: S704 - our own file
