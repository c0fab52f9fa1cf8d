"""Leave out what tests or converts a byte: isalpha, tolower, an `if` around the write, a blank in a format."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.additions import WRITES, ByteRead, byte_read_in, is_write, written_by
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder, change_of_lines
from grader.diagnose.constructs import holds, loops_around
from grader.diagnose.edits import LIKELIEST, LOGICAL, QUOTED_STATEMENT, Change, Edit

_CONVERSIONS = ("tolower", "toupper")
_SETTING = ("assignment_expression", "update_expression")
_CLASSES = frozenset(
    f"is{name}"
    for name in (
        *("alpha", "alnum", "ascii", "blank", "cntrl", "digit", "graph"),
        *("lower", "print", "punct", "space", "upper", "xdigit"),
    )
)


def without_test(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Leave out a test such as isalpha: every byte passes it."""
    source = record.source
    if source.library_call(node) not in _CLASSES:
        return whole
    if any(_unconditional(source, one) is not None for one in source.ancestors(node)):
        return whole
    text = source.text(node)
    which = "" if record.line(node).count(text) == 1 else UNCLEAR
    made = record.add(node, [Edit(node.start_byte, node.end_byte, "1")], f"without {which}the test `{text}`", LOGICAL)
    return b"(%s?1:(%s))" % (made, whole)


def without_condition(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write every byte as soon as it was read, whatever an `if` around the write asks of it, or collects."""
    source, condition = record.source, node.child_by_field_name("condition")
    body = _unconditional(source, node) or _collecting(source, node)
    if body is None or condition is None:
        return whole
    statement = f"{source.text(next(one for one in source.calls(*WRITES, 'write') if holds(body, one)))};"
    which = "" if len(record.in_row(node, "if")) == 1 else UNCLEAR
    edits = record.without(node.start_byte, condition.end_byte)
    says = f"without the {which}`if` around `{statement}`"
    made = record.add(node, edits, says, LIKELIEST, condition.end_point.row + 1)
    return b"{ if (%s) { %s } else { %s } }" % (made, record.raw(body), whole)


def _unconditional(source: CSource, node: Node) -> Node | None:
    """Return the body of an `if` that only writes the byte read, and whose condition asks for nothing else."""
    condition, body, byte = _only_asking(source, node) or (node, node, None)
    if byte is None or not byte.is_variable:
        return None
    statements = body.named_children if body.type == "compound_statement" else [body]
    call = statements[0].named_children[0] if len(statements) == 1 and statements[0].named_children else condition
    names = {source.text(name) for name in source.nodes("identifier") if holds(condition, name)}
    is_quotable = QUOTED_STATEMENT.fullmatch(f"{source.text(call)};") is not None
    is_written = is_quotable and is_write(source, call) and written_by(source, call) == byte.variable
    asks_only = byte.variable in names and names <= {byte.variable, *_CLASSES}
    return body if is_written and asks_only else None


def _only_asking(source: CSource, node: Node) -> tuple[Node, Node, ByteRead] | None:
    """Return the condition and the body of an `if` in a loop that reads, and what it reads into.

    None if the `if` has an `else`, or its condition sets something.
    """
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    loops = loops_around(source, node)
    byte = byte_read_in(source, loops[0]) if loops else None
    is_alone = node.type == "if_statement" and node.child_by_field_name("alternative") is None
    if not is_alone or condition is None or body is None or byte is None:
        return None
    return None if any(holds(condition, one) for one in source.nodes(*_SETTING)) else (condition, body, byte)


def _collecting(source: CSource, node: Node) -> Node | None:
    """Return the body of an `if` that writes what was collected, and begins again: write(1, line, n); n = 0;."""
    _, body, byte = _only_asking(source, node) or (node, node, None)
    writes = [call for call in source.calls("write") if holds(body, call)]
    if byte is None or len(writes) != 1:
        return None
    count = source.arguments(writes[0])[-1:]
    resets = [
        source.text(left)
        for one in source.nodes(*_SETTING)
        if source.parents[source.parents[one.id].id] == body
        for left, value in [(one.child_by_field_name("left"), one.child_by_field_name("right"))]
        if left is not None and value is not None and source.value(value) == 0
    ]
    return body if any(one.type == "identifier" and source.text(one) in resets for one in count) else None


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
