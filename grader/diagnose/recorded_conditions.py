"""Let a copy of a C source show which values its changed conditions have: it writes a mark when it sees a new one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from grader.diagnose.edits import Edit

MOST_CONDITIONS = 4

# The assembler's name leaves all names of C to the source.
_PRELUDE = rb"""extern long grader_put(int, const void *, unsigned long) __asm__("write");
static int grader_saw(int place, int value)
{
    static unsigned char seen[9][2];
    char mark[] = "\1grader 0 0\1";
    mark[8] += place, mark[10] += value;
    if (!seen[place][value]++)
        grader_put(2, mark, sizeof mark - 1);
    return value;
}
#line 1
"""

_MARK = re.compile(rb"\x01grader (\d) ([01])\x01")
_TOKEN = re.compile(
    rb"""
    /\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:\\\n|[^\n])*
    | \w+ | && | \|\| | [=!<>]= | \S
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_MAY_FAIL = re.compile(
    rb"\b(?:p?read|p?write|[mc]alloc|realloc|f?open|f?close|fflush|f?put(?:s|c|char)|fwrite|f?printf)\s*\("
)
"""Calls that hardly ever fail: a right program asks whether they did, and gets one answer only."""

_CONDITIONAL = (b"if", b"while", b"for")


@dataclass
class _Group:
    """What is between parentheses: where it begins and ends, the word before it, and the operators in it."""

    word: bytes
    start: int
    end: int = 0
    breaks: list[tuple[int, bytes]] = field(default_factory=list)
    inner: list[_Group] = field(default_factory=list)


def with_recorder(source: bytes, edits: Iterable[Edit]) -> bytes | None:
    """Return the source after these edits, in which each changed condition is recorded; None if none is changed."""
    places = sorted({*edits})
    shifts = 0
    changed: list[tuple[int, int]] = []
    data = source
    for edit in places:
        text = edit.text.encode("utf-8", "surrogateescape")
        start = edit.start + shifts
        data = data[:start] + text + data[edit.end + shifts :]
        # What is left when an operand is removed is not changed itself.
        is_operand_removed = not text.strip() and re.search(rb"&&|\|\|", source[edit.start : edit.end])
        if not is_operand_removed:
            changed.append((start, start + len(text)))
        shifts += len(text) - (edit.end - edit.start)
    # Where a test is removed, `1` is in its place.
    found = {part: data[slice(*part)].strip() for part in _conditions(_groups(data), changed)}
    parts = sorted(part for part, text in found.items() if not (text.isdigit() or _MAY_FAIL.search(text)))
    apart = [part for number, part in enumerate(parts) if not number or part[0] >= parts[number - 1][1]]
    if not apart:
        return None
    for place, (start, end) in reversed([*enumerate(apart[:MOST_CONDITIONS])]):
        data = data[:start] + b"grader_saw(%d, !!(" % place + data[start:end] + b"))" + data[end:]
    return _PRELUDE + data


def values_seen(written: bytes) -> frozenset[tuple[int, bool]]:
    """Return the values of each condition, by its number, that a run marked on standard error."""
    return frozenset((int(place), value == b"1") for place, value in _MARK.findall(written))


def without_marks(written: bytes) -> bytes:
    """Return what a run wrote on standard error by itself."""
    return _MARK.sub(b"", written)


def _groups(data: bytes) -> list[_Group]:
    """Return what is between parentheses, after the words that begin a condition and elsewhere."""
    closed, opened, word = [], [_Group(b"", 0, len(data))], b""
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token.startswith((b"/*", b"//")):
            continue
        if token == b"(":
            opened.append(_Group(word, match.end()))
        elif token == b")" and len(opened) > 1:
            group = opened.pop()
            group.end = match.start()
            opened[-1].inner.append(group)
            closed.append(group)
        elif token in {b"&&", b"||", b";", b"?", b",", b"="}:
            opened[-1].breaks.append((match.start(), token))
        word = token
    return closed


def _conditions(groups: Iterable[_Group], changed: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for group in groups:
        start, end = group.start, group.end
        if group.word == b"for":
            ends = [place for place, token in group.breaks if token == b";"]
            if len(ends) != 2:  # noqa: PLR2004 - the three parts of a loop
                continue
            start, end = ends[0] + 1, ends[1]
        elif group.word not in _CONDITIONAL:
            continue
        for first, last in changed:
            if first <= start and end <= last:
                yield start, end
            elif start <= first and last <= end:
                yield _operand(group, (start, end), (first, last))


def _operand(group: _Group, within: tuple[int, int], changed: tuple[int, int]) -> tuple[int, int]:
    """Return the smallest operand of `&&` and `||` around a change, inside of what is between parentheses."""
    start, end = within
    for operator in (b"||", b"&&"):
        inside = [(place, token) for place, token in group.breaks if start <= place < end]
        if any(token not in {b"||", b"&&"} for _, token in inside):
            return start, end
        for place, token in inside:
            if token != operator:
                continue
            if place + 2 <= changed[0]:
                start = place + 2
            elif place >= changed[1]:
                end = place
                break
            else:
                # The operator itself is changed.
                return start, end
    for inner in group.inner:
        is_around = start <= inner.start <= changed[0] and changed[1] <= inner.end <= end
        if is_around and any(token in {b"||", b"&&"} for _, token in inner.breaks):
            return _operand(inner, (inner.start, inner.end), changed)
    return start, end
