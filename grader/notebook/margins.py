"""Take off what editors and tools print around each line: line numbers, times of day, marks of comments, frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.notebook.text import Line

LEAST_LINES = 3
"""Lines in a row with the same margin, blank ones not counted, without which it may be text of the student."""

_NUMBER = re.compile(r"\s*(?P<number>[0-9]{1,5})(?:\s*[:|│]\s?|[.)]\s|\t|\s{1,2})")
_NUMBER_ALONE = re.compile(r"\s*(?P<number>[0-9]{1,5})\s*[:|│.)]?\s*$")
_TIME_OF_DAY = re.compile(
    r"\s*[\[(]?(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[ T])?[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?[\])]?[ \t]"
)
_MARK = re.compile(r"\s*(?P<mark>:|--|%|;;?|!|//|>|\*|#+|\|)(?:[ \t]|$)")
_SIDE_CHARS = "|│"
_SIDES = tuple(_SIDE_CHARS)
_OUTPUT = re.compile(
    r"\s*(?:% time\s+seconds|(?:real|user|sys)\s+[0-9]+[m.,][0-9]|-{5,} -{5,}|[0-9]+\.[0-9]{2}\s+[0-9]+\.[0-9]{6}\s)"
)
"""Lines that strace and `time` print, which prove that what comes before them is a margin."""


def without_margins(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines without margins, as far as what follows them is the output of strace or `time`."""
    found = _without_right_sides(lines)
    for margin_end in (_numbered, _timed, _marked):
        at = 0
        while at < len(found):
            ends = _run(found, at, margin_end())
            run = found[at : at + len(ends)]
            texts = [line.text[end:] for line, end in zip(run, ends, strict=True)]
            if sum(map(bool, map(str.strip, texts))) >= LEAST_LINES and any(map(_OUTPUT.match, texts)):
                found[at : at + len(ends)] = [replace(line, text=text) for line, text in zip(run, texts, strict=True)]
            at += max(len(ends), 1)
    return tuple(found)


def _without_right_sides(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without the right side of a frame, which would look like a pipe at the end of a command."""
    found = list(lines)
    framed: list[int] = []
    for at in range(len(lines) + 1):
        if at < len(lines) and lines[at].text.rstrip().endswith(_SIDES):
            framed.append(at)
            continue
        texts = {place: lines[place].text.rstrip().rstrip(_SIDE_CHARS).rstrip() for place in framed}
        if len(texts) >= LEAST_LINES and any(_OUTPUT.match(text.lstrip(_SIDE_CHARS)) for text in texts.values()):
            for place, text in texts.items():
                found[place] = replace(lines[place], text=text)
        framed.clear()
    return found


MarginEnd = Callable[[str], int | None]
"""Returns where the margin of the next line ends; None if it has none, or another than the lines before."""


def _run(lines: Sequence[Line], start: int, margin_end: MarginEnd) -> list[int]:
    """Return where the margin ends in each line from `start` on that has the same kind of margin, or is blank."""
    ends: list[int] = []
    blank = 0
    for place in range(start, len(lines)):
        text = lines[place].text
        if not text.strip():
            if not ends:
                break
            blank += 1
            ends.append(0)
            continue
        end = margin_end(text)
        if end is None:
            break
        blank = 0
        ends.append(end)
    return ends[: len(ends) - blank]


def _numbered() -> MarginEnd:
    last: int | None = None

    def margin_end(text: str) -> int | None:
        nonlocal last
        found = _NUMBER.match(text) or _NUMBER_ALONE.match(text)
        if found is None or (last is not None and int(found["number"]) != last + 1):
            return None
        last = int(found["number"])
        return found.end()

    return margin_end


def _timed() -> MarginEnd:
    def margin_end(text: str) -> int | None:
        found = _TIME_OF_DAY.match(text)
        return None if found is None else found.end()

    return margin_end


def _marked() -> MarginEnd:
    mark: str | None = None

    def margin_end(text: str) -> int | None:
        nonlocal mark
        found = _MARK.match(text)
        if found is None or mark not in (None, found["mark"]):
            return None
        mark = found["mark"]
        return found.end()

    return margin_end
