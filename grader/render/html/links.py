"""Where links lead: to a report beside the class page, to a place in a page."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

_NOT_ANCHOR = re.compile(r"[^A-Za-z0-9.-]+")


def anchor(name: str, kind: str = "check") -> str:
    """Return the id of a place in the page, a check's by its id, safe as an attribute and as a URL's fragment."""
    return f"{kind}-" + _NOT_ANCHOR.sub("-", name)


def file_href(name: str) -> str:
    """Return the address of a file or folder beside the page.

    Percent-encoded as the bytes on disk, so that no name can become a scheme, a query or another folder.
    """
    return quote(os.fsencode(name), safe="")


def report_href(folder: str) -> str:
    """Return the address of the report in a folder beside the page."""
    return f"{file_href(folder)}/report.html"
