"""Let a copy of a C source show which values its conditions have: it writes a mark when it sees a new one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from grader.diagnose.source.edits import Edit

MOST_CHANGED = 4
"""Most changed conditions. They have the first numbers, and the others the next ones, in the order of the source."""

MOST_CONDITIONS = 100
"""Most conditions that are recorded: their numbers have two digits in the marks."""

# The assembler's name leaves all names of C to the source.
_PRELUDE = (
    rb"""extern long grader_put(int, const void *, unsigned long) __asm__("write");
static int grader_saw(int place, int value)
{
    static unsigned char seen[%d][2];
    char mark[] = "\1grader 00 0\1";
    mark[8] += place / 10, mark[9] += place %% 10, mark[11] += value;
    if (!seen[place][value])
        grader_put(2, mark, sizeof mark - 1);
    seen[place][value] = 1;
    return value;
}
#line 1
"""
    % MOST_CONDITIONS
)

_MARK = re.compile(rb"\x01grader (\d\d) ([01])\x01")
_TOKEN = re.compile(
    rb"""
    /\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:\\\n|[^\n])*
    | \w+ | && | \|\| | [=!<>]= | \S
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_MAY_FAIL = re.compile(
    rb"\b(?:p?read|p?write|[mc]alloc|realloc|f?open|f?close|fflush|f?put(?:s|c|char)|fwrite|f?printf"
    rb"|setv?buf|[fl]seek|f?stat|fork|pipe|dup2?|wait(?:pid)?|signal|sigaction)\s*\("
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


def with_recorder(source: bytes, edits: Iterable[Edit] = ()) -> bytes | None:
    """Return the source after these edits, in which its conditions are recorded; None if there are none.

    A condition that is not changed has the same number whatever the edits are. If it is that of a loop, it counts as
    false, too: a loop may be left in another way.
    """
    data = source
    changed: list[tuple[int, int]] = []
    moved: list[tuple[int, int, int]] = []
    shift = 0
    for edit in sorted({*edits}):
        text = edit.text.encode("utf-8", "surrogateescape")
        start = edit.start + shift
        data = data[:start] + text + data[edit.end + shift :]
        moved.append((edit.start, edit.end, shift))
        shift += len(text) - (edit.end - edit.start)
        # What is left when an operand is removed is not changed itself.
        if text.strip() or not re.search(rb"&&|\|\|", source[edit.start : edit.end]):
            changed.append((start, start + len(text)))
    moved.append((len(source) + 1, len(source) + 1, shift))
    groups = _groups(data)
    found = [
        *_conditions(groups, changed),
        *(part for group in groups for part in _before_question_marks(group, changed)),
    ]
    parts = _apart(_recordable(data, found))[:MOST_CHANGED]
    changed_places = [(start, end, b"grader_saw(%d, !!(" % place) for place, (start, end) in enumerate(parts)]
    places = sorted([*changed_places, *_unchanged_conditions(source, moved)], reverse=True)
    if not places:
        return None
    for start, end, recorder in places:
        data = data[:start] + recorder + data[start:end] + b"))" + data[end:]
    return _PRELUDE + data


def _recordable(data: bytes, parts: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return those of these parts of a source that are conditions which may have two values."""
    # Where a test is removed, `1` is in its place.
    texts = {part: data[slice(*part)].strip() for part in parts}
    return sorted(part for part, text in texts.items() if text and not (text.isdigit() or _MAY_FAIL.search(text)))


def _apart(parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [part for number, part in enumerate(parts) if not number or part[0] >= parts[number - 1][1]]


def _unchanged_conditions(source: bytes, moved: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, bytes]]:
    """Yield where each condition that no edit changes is after the edits, and what records it.

    Of each edit, `moved` has where it begins and ends in the source, and how far it has been moved by those before.
    """
    groups, everywhere = _groups(source), [(0, len(source))]
    loops = {*_conditions([group for group in groups if group.word != b"if"], everywhere)}
    parts = _apart(_recordable(source, _conditions(groups, everywhere)))
    for number, (start, end) in enumerate(parts[: MOST_CONDITIONS - MOST_CHANGED], start=MOST_CHANGED):
        _, _, shift = next(one for one in moved if one[1] > start or one[0] >= end)
        if not any(one[0] <= end and start <= one[1] for one in moved):
            recorder = b"grader_saw(%d, !!(" % number
            if (start, end) in loops:
                recorder = b"grader_saw(%d, 0), " % number + recorder
            yield start + shift, end + shift, recorder


def recorded_places(data: bytes) -> frozenset[int]:
    """Return the numbers of the conditions that a source records."""
    return frozenset(map(int, re.findall(rb"\bgrader_saw\((\d+), !!\(", data)))


def values_seen(written: bytes) -> frozenset[tuple[int, bool]]:
    """Return the values of each condition, by its number, that a run marked on standard error."""
    return frozenset((int(place), value == b"1") for place, value in _MARK.findall(written))


def without_marks(written: bytes) -> bytes:
    """Return what a run wrote on standard error by itself."""
    return _MARK.sub(b"", written)


def _groups(data: bytes) -> list[_Group]:
    """Return what is between parentheses, after the words that begin a condition and elsewhere, and then all."""
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
        elif token in {b"&&", b"||", b";", b"?", b":", b",", b"=", b"{", b"}", b"return"}:
            opened[-1].breaks.append((match.start(), token))
        word = token
    return [*closed, opened[0]]


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


def _before_question_marks(group: _Group, changed: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the changed operands of what decides between two values: `condition ? one : other`."""
    start = group.start
    for place, token in group.breaks:
        for first, last in changed if token == b"?" else ():
            if first <= start and place <= last:
                yield start, place
            elif start <= first and last <= place:
                yield _operand(group, (start, place), (first, last))
        if token not in {b"&&", b"||"}:
            start = place + len(token)


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
