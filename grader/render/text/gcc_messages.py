"""The messages of gcc, separated, so that the first one can be shown with its line of source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from grader.judge.build import LINKER_FAILED, UNDEFINED

READ_CHARS = 100_000
_MESSAGE = re.compile(
    r"(?P<location>[^\s:][^:]*:\d+:(?:\d+:)?) (?P<kind>fatal error|error|warning|note): (?P<message>.*)"
)
MessageKind = Literal["error", "warning"]


@dataclass(frozen=True)
class Diagnostic:
    """One error or warning, with its location (`copy.c:3:5`) and gcc's excerpt of the source with its markers."""

    location: str
    kind: MessageKind
    message: str
    source: str


def diagnostics(messages: str) -> tuple[Diagnostic, ...]:
    """Return gcc's errors and warnings in their order, without notes and without the lines above a message."""
    found: list[Diagnostic] = []
    source: list[str] = []
    current: re.Match[str] | None = None
    for line in [*messages[:READ_CHARS].splitlines(), "end"]:
        match = _MESSAGE.match(line)
        if match is None and line.startswith(" "):
            source.append(line)
            continue
        if current is not None and current["kind"] != "note":
            kind: MessageKind = "warning" if current["kind"] == "warning" else "error"
            found.append(Diagnostic(current["location"].rstrip(":"), kind, current["message"], "\n".join(source)))
        current, source = match, []
    return tuple(found)


def first_of(messages: str) -> Diagnostic | None:
    """Return the first error, else the first warning, else None.

    If only the linker failed, a warning is returned only if it is about a name that the linker did not find.
    """
    found = diagnostics(messages)
    error = next((diagnostic for diagnostic in found if diagnostic.kind == "error"), None)
    if error is not None or not any(words in messages for words in LINKER_FAILED):
        return error or next(iter(found), None)
    names = {name.rpartition(":")[2] for name in UNDEFINED.findall(messages)}
    return next((warning for warning in found if names.intersection(re.findall(r"\w+", warning.message))), None)
