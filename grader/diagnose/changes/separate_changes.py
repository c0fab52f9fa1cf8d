"""Small changes of a source that one copy with all changes cannot have: each is compiled alone.

They change declarations and macros, several places at once, or which statements are the body of an `if` or a loop.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import INT, LOOPS, CSource, Type
from grader.diagnose.changes.counted_reads import counted_reads
from grader.diagnose.changes.exchanges import shifted_operands
from grader.diagnose.changes.leftovers import whole_arrays, wide_shifts, without_static
from grader.diagnose.changes.memory import memory_changes
from grader.diagnose.changes.moves import write_after_search
from grader.diagnose.changes.not_found import results_that_are_no_index
from grader.diagnose.changes.operators import is_string_size
from grader.diagnose.changes.recorder import change_of_lines
from grader.diagnose.changes.tests_of_bytes import without_conversions
from grader.diagnose.changes.types_of_variables import other_types
from grader.diagnose.constructs import holds
from grader.diagnose.edits import LIKELIEST, Change, Edit
from grader.diagnose.patterns import included

MAX_BODIES = 4
MAX_DESCRIPTORS = 2
MAX_SEARCHES = 2
MAX_MESSAGES = 6
MAX_STATIC = 2

STATEMENTS = (
    *("expression_statement", "return_statement", "break_statement", "continue_statement", "goto_statement"),
    *("declaration", "if_statement", "switch_statement", *LOOPS),
)

_MEANT = {"read": (0,), "write": (1, 2)}
"""The descriptors that make sense for a call, the likeliest first."""

_NAMED = {"STDIN_FILENO": 0, "STDOUT_FILENO": 1, "STDERR_FILENO": 2}
_DESCRIPTOR = re.compile(r"\s*\(?\s*(\d|STD(?:IN|OUT|ERR)_FILENO)\b")

_SUM = re.compile(r"\w+ ?[+-] ?\w+")
_COUNTED = {2: "two", 3: "three", 4: "four"}
_TAB = 8


def separate_changes(source: CSource) -> Iterator[Change]:
    """Yield these changes of a source."""
    yield from _descriptors(source)
    yield from memory_changes(source)
    yield from shifted_operands(source)
    yield from write_after_search(source)
    yield from without_conversions(source)
    yield from _without_messages(source)
    yield from _lengths(source)
    yield from _reads_to_the_end(source)
    yield from _lengths_of_strings(source)
    yield from whole_arrays(source)
    yield from wide_shifts(source)
    yield from itertools.islice(without_static(source), MAX_STATIC)
    yield from itertools.islice(results_that_are_no_index(source), MAX_SEARCHES)
    yield from _macros(source)
    yield from other_types(source)
    yield from itertools.islice(_bodies(source), MAX_BODIES)


def _descriptors(source: CSource) -> Iterator[Change]:
    """Yield the change of all variables and macros whose value makes no sense as the descriptor of their calls."""
    uses: dict[tuple[int, int], tuple[Node, int, list[str]]] = {}
    for call in source.calls(*_MEANT):
        given, name = source.arguments(call)[:1], source.library_call(call)
        defined = _descriptor(source, source.bare(given[0])) if given and name else None
        if defined is not None:
            edit, value, node = defined
            uses.setdefault(edit, (node, value, []))[2].append(name)
    edits, says, lines = [], [], []
    for (start, end), (node, value, names) in sorted(uses.items()):
        if all(value in _MEANT[name] for name in names):
            continue
        if len({*names}) > 1:
            # What is right for one of the calls is wrong for the other.
            return
        meant = _MEANT[names[0]][0]
        edits.append(Edit(start, end, str(meant)))
        says.append(f"`{meant}` as `{source.text(node)}`")
        lines.append(source.data.count(b"\n", 0, start) + 1)
    if 0 < len(edits) <= MAX_DESCRIPTORS:
        first, *more = sorted({*lines})
        yield Change(first, edits, f"with {' and '.join(says)}", LIKELIEST, None, tuple(more))


def _descriptor(source: CSource, name: Node) -> tuple[tuple[int, int], int, Node] | None:
    """Return where the value of a name is written, the value if it may be a descriptor, and the defined name."""
    if name.type != "identifier":
        return None
    text = source.text(name)
    macros = [one for one in source.nodes("preproc_def") if source.text(source.child(one, "name") or one) == text]
    constants = [one for one in source.nodes("enumerator") if source.text(source.child(one, "name") or one) == text]
    declared = source.declared(name)
    if len(macros) == 1:
        definition, own = macros[0], source.child(macros[0], "name")
    elif len(constants) == 1 and declared is None:
        definition, own = constants[0], source.child(constants[0], "name")
    elif declared is not None and not macros and declared.type == Type(INT):
        definition, own = source.parents[declared.name.id], declared.name
        if definition.type != "init_declarator":
            return None
    else:
        return None
    value = definition.child_by_field_name("value")
    found = None if value is None else _DESCRIPTOR.fullmatch(source.text(value).rstrip(") \t\r\n"))
    if value is None or own is None or found is None:
        return None
    start, end = (value.start_byte + at for at in found.span(1))
    return (start, end), _NAMED[found[1]] if found[1] in _NAMED else int(found[1]), own


def _without_messages(source: CSource) -> Iterator[Change]:
    """Yield the change that removes several calls of printf after which the program goes on."""
    found = []
    ends = (*source.nodes("return_statement"), *source.calls("exit", "_exit"))
    for call in source.calls("printf"):
        statement = source.parents[call.id]
        block = source.parents[statement.id]
        is_alone = statement.type == "expression_statement" and block.type == "compound_statement"
        around = source.parents[block.id] if is_alone else block
        is_error = around.type == "if_statement" and any(holds(block, one) for one in ends)
        if (
            is_alone
            and not is_error
            and source.library_call(call)
            and statement.start_point.row == call.end_point.row
        ):
            found.append(statement)
    if 1 < len(found) <= MAX_MESSAGES:
        edits = [Edit(one.start_byte, one.end_byte, ";") for one in found]
        yield from change_of_lines(source, edits, "without the calls of `printf`", LIKELIEST)


def _lengths(source: CSource) -> Iterator[Change]:
    """Yield the change of all sizes of pointers to characters into the lengths of their strings."""
    found = [node for node in source.nodes("sizeof_expression") if is_string_size(source, node)]
    rows = Counter(node.start_point.row for node in found)
    is_first = all(
        source.data.find(b"sizeof", source.data.rfind(b"\n", 0, node.start_byte) + 1) == node.start_byte
        for node in found
    )
    if not found or not is_first or max(rows.values()) > 1:
        return
    several = any(source.data.split(b"\n")[row].count(b"sizeof") > 1 for row in rows)
    edits = [Edit(node.start_byte, node.start_byte + len("sizeof"), "strlen") for node in found]
    lines = sorted(row + 1 for row in rows)
    edits += included(source, ["string.h"], found[0].start_byte)
    says = f"with `strlen` instead of {'the first ' if several else ''}`sizeof`"
    yield Change(lines[0], edits, says, LIKELIEST, None, tuple(lines[1:]))


def _lengths_of_strings(source: CSource) -> Iterator[Change]:
    """Yield the change of a comparison of two strings into one of their lengths."""
    for call in source.calls("strcmp"):
        given, whole, sign = source.arguments(call), call, "!="
        around = source.parents[call.id]
        operator, other = around.child_by_field_name("operator"), around.child_by_field_name("right")
        if operator is not None and operator.type in ("==", "!=") and other is not None and source.value(other) == 0:
            whole, sign = around, operator.type
        elif operator is not None and operator.type not in ("&&", "||"):
            continue
        lengths = [f"strlen({source.text(one)})" for one in given]
        new, old = f" {sign} ".join(lengths), source.text(whole)
        edits = [Edit(whole.start_byte, whole.end_byte, new)]
        yield from change_of_lines(source, edits, f"with `{new}` instead of `{old}`", LIKELIEST)


def _reads_to_the_end(source: CSource) -> Iterator[Change]:
    """Yield the change of a loop that reads a fixed number of times: it reads up to the end of the input."""
    for statement in source.nodes("expression_statement"):
        header = counted_reads(source, statement)
        if header is None:
            continue
        loop, end = header
        before = source.data[loop.start_byte : end].decode("utf-8", "replace")
        call = source.text(statement.named_children[0])
        edits = [
            Edit(loop.start_byte, end, f"while ({call} > 0)"),
            Edit(statement.start_byte, statement.end_byte, ";"),
        ]
        says = f"with `while ({call} > 0)` instead of `{before}` and without `{call};`"
        yield from change_of_lines(source, edits, says, LIKELIEST)


def _macros(source: CSource) -> Iterator[Change]:
    """Yield the change of a macro whose value is a sum without parentheses."""
    for macro in source.nodes("preproc_def"):
        name, value = macro.child_by_field_name("name"), macro.child_by_field_name("value")
        text = "" if value is None else source.text(value).strip()
        if name is None or value is None or not _SUM.fullmatch(text):
            continue
        start = source.data.index(text.encode("ascii"), value.start_byte)
        edits = [Edit(start, start, "("), Edit(start + len(text), start + len(text), ")")]
        says = f"with parentheses around the value of `{source.text(name)}`"
        yield from change_of_lines(source, edits, says, LIKELIEST)


def _bodies(source: CSource) -> Iterator[Change]:
    """Yield the changes of an `if` or a loop whose body is not what its indentation shows.

    Either a semicolon makes the body empty, or only the first of several statements is the body.
    """
    for node in source.nodes("if_statement", "for_statement", "while_statement", "else_clause"):
        outer = source.parents[node.id] if node.type == "else_clause" else node
        body, below = _body(node), _statements_after(outer)
        if body is None or not below or _is_repeated(source, node):
            continue
        if source.text(body) != ";":
            change = _with_braces(source, node, outer, [body, *below])
        elif node == outer:
            change = _without_semicolon(source, node, body, below[0])
        else:
            change = None
        if change is not None:
            yield change


def _body(node: Node) -> Node | None:
    """Return the body of an `if` or `else` or a loop, None if it has braces, or is followed by an `else`."""
    field = "consequence" if node.type == "if_statement" else "body"
    body = node.named_children[-1] if node.type == "else_clause" else node.child_by_field_name(field)
    is_last = node.child_by_field_name("alternative") is None
    return body if is_last and body is not None and body.type != "compound_statement" else None


def _is_repeated(source: CSource, node: Node) -> bool:
    """Return whether the line has another statement with the word that this one begins with."""
    row = node.start_point.row
    return any(one.id != node.id and one.start_point.row == row for one in source.nodes(node.type))


def _without_semicolon(source: CSource, node: Node, body: Node, after: Node) -> Change | None:
    """Return the change that removes a semicolon that comes right after the condition, and before the real body."""
    bracket = source.data.rfind(b")", node.start_byte, body.start_byte)
    is_near = bracket >= 0 and not source.data[bracket + 1 : body.start_byte].strip(b" ")
    is_meant = after.type == "compound_statement" or _column(source, after) > _column(source, node)
    if not is_near or not is_meant:
        return None
    edits = [Edit(body.start_byte, body.end_byte, "")]
    return Change(body.start_point.row + 1, edits, "without the `;` after the last `)`", LIKELIEST, None)


def _with_braces(source: CSource, node: Node, outer: Node, statements: list[Node]) -> Change | None:
    """Return the change that makes all of these statements the body that begin in the column of the first.

    `outer` is the statement whose indentation counts: that of an `else` is its `if`.
    """
    first = statements[0]
    column = _column(source, first)
    same = [*itertools.takewhile(lambda one: _column(source, one) == column, statements)]
    count = _COUNTED.get(len(same))
    if count is None or column <= _column(source, outer) or first.start_point.row == node.start_point.row:
        return None
    edits = [Edit(first.start_byte, first.start_byte, "{ "), Edit(same[-1].end_byte, same[-1].end_byte, " }")]
    says = f"with braces around the {count} statements below the `{source.text(node.children[0])}`"
    return Change(node.start_point.row + 1, edits, says, LIKELIEST, None)


def _statements_after(node: Node) -> list[Node]:
    """Return the statements that follow one in its block."""
    found = []
    after = node.next_named_sibling
    while after is not None and after.type in (*STATEMENTS, "compound_statement"):
        found.append(after)
        after = after.next_named_sibling
    return found


def _column(source: CSource, node: Node) -> int:
    """Return the column in which a statement begins its line, -1 if it does not begin one."""
    start = source.data.rfind(b"\n", 0, node.start_byte) + 1
    before = source.data[start : node.start_byte]
    return -1 if before.strip() else len(before.expandtabs(_TAB))
