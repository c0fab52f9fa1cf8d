"""The addresses of links: of a file next to a page, of a report, of a place in a page."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

_NOT_ANCHOR = re.compile(r"[^A-Za-z0-9.-]+")


def anchor(name: str, kind: str = "check") -> str:
    """Return the id of a place in a page, for a check from its id; it is safe as an attribute and in a URL."""
    return f"{kind}-" + _NOT_ANCHOR.sub("-", name)


def file_href(name: str) -> str:
    """Return the address of a file or folder next to the page.

    Its bytes are percent-encoded, so that no name can become a scheme, a query or another folder.
    """
    return quote(os.fsencode(name), safe="")


def report_href(folder: str) -> str:
    """Return the address of the report in a folder next to the page."""
    return f"{file_href(folder)}/report.html"
