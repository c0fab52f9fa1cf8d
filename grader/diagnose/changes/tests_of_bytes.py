"""Leave out what tests or converts a byte before it is looked up: isalpha, tolower, a blank in a format of scanf."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder, change_of_lines
from grader.diagnose.edits import LIKELIEST, LOGICAL, Change, Edit

_CONVERSIONS = ("tolower", "toupper")
_CLASSES = frozenset(
    f"is{name}"
    for name in (
        *("alpha", "alnum", "ascii", "blank", "cntrl", "digit", "graph"),
        *("lower", "print", "punct", "space", "upper", "xdigit"),
    )
)


def without_test(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Take every byte for one of the class that a call asks for."""
    source = record.source
    if source.library_call(node) not in _CLASSES:
        return whole
    text = source.text(node)
    which = "" if record.line(node).count(text) == 1 else UNCLEAR
    made = record.add(node, [Edit(node.start_byte, node.end_byte, "1")], f"without {which}the test `{text}`", LOGICAL)
    return b"(%s?1:(%s))" % (made, whole)


def with_white_space(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Read white space, too: a blank at the beginning of the format of scanf skips it."""
    source, given = record.source, record.source.arguments(node)
    if source.library_call(node) != "scanf" or len(given) != 2 or source.text(given[0]) != '" %c"':  # noqa: PLR2004
        return whole
    which = "" if record.line(node).count('" %c"') == 1 else UNCLEAR
    edits = [Edit(given[0].start_byte, given[0].end_byte, '"%c"')]
    made = record.add(node, edits, f"with `%c` instead of {which}` %c`", LIKELIEST)
    return b'(%s?scanf("%%c",%s):(%s))' % (made, record.raw(given[1]), whole)


def without_conversions(source: CSource) -> Iterator[Change]:
    """Yield the change of a source that converts bytes to capital or small letters: it takes them as they are."""
    for name in _CONVERSIONS:
        calls = [call for call in source.calls(name) if source.library_call(call)]
        edits = [Edit(call.start_byte, call.start_byte + len(name), "") for call in calls]
        says = f"without the call{'s' if len(calls) > 1 else ''} of `{name}`"
        yield from change_of_lines(source, edits, says, LIKELIEST)
