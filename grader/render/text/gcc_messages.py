"""What gcc said, message by message, so that the first can be shown with its line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from grader.model.report import BuildResult

READ_CHARS = 100_000
_MESSAGE = re.compile(r"(?P<place>[^\s:][^:]*:\d+:(?:\d+:)?) (?P<kind>fatal error|error|warning|note): (?P<words>.*)")

Kind = Literal["error", "warning"]


@dataclass(frozen=True)
class Diagnostic:
    """One error or warning: where (`tr2b.c:3:5`), what, and the lines of source below it with their markers."""

    place: str
    kind: Kind
    words: str
    source: str


@dataclass(frozen=True)
class Warned:
    """The most important thing that gcc said of a program, and how many messages there are beside it."""

    program: str
    first: Diagnostic
    more: int


def diagnostics(messages: str) -> tuple[Diagnostic, ...]:
    """Return gcc's errors and warnings in their order; notes and what is above a message are left out."""
    found: list[Diagnostic] = []
    source: list[str] = []
    current: re.Match[str] | None = None
    for line in [*messages[:READ_CHARS].splitlines(), "end"]:
        match = _MESSAGE.match(line)
        if match is None and line.startswith(" "):
            source.append(line)
            continue
        if current is not None and current["kind"] != "note":
            found.append(_diagnostic(current, source))
        current, source = match, []
    return tuple(found)


def first_of(messages: str) -> Diagnostic | None:
    """Return the first error, else the first warning, else None."""
    found = diagnostics(messages)
    return next((one for one in found if one.kind == "error"), found[0] if found else None)


def warned(builds: Iterable[BuildResult]) -> tuple[Warned, ...]:
    """Return, for each program that compiled with warnings, the first of them."""
    found = []
    for build in builds:
        messages = diagnostics(build.messages) if build.ok else ()
        if messages:
            found.append(Warned(build.program, messages[0], len(messages) - 1))
    return tuple(found)


def _diagnostic(match: re.Match[str], source: Iterable[str]) -> Diagnostic:
    kind: Kind = "warning" if match["kind"] == "warning" else "error"
    return Diagnostic(match["place"].rstrip(":"), kind, match["words"], "\n".join(source))
