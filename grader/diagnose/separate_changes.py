"""Small changes of a source that one copy with all changes cannot have: each is compiled alone.

They change declarations, or which statements are the body of an `if` or a loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.edits import LIKELIEST, TYPE, Change, Edit
from grader.diagnose.patterns import retyped

MAX_TYPES = 6
DEEPEST = 2
MAX_BODIES = 4

STATEMENTS = (
    *("expression_statement", "return_statement", "break_statement", "continue_statement", "goto_statement"),
    *("declaration", "if_statement", "switch_statement", *LOOPS),
)

_COUNTED = {2: "two", 3: "three", 4: "four"}
_TAB = 8


def separate_changes(source: CSource) -> Iterator[Change]:
    """Yield these changes of a source."""
    yield from itertools.islice(_types(source), MAX_TYPES)
    yield from itertools.islice(_bodies(source), MAX_BODIES)


def _types(source: CSource) -> Iterator[Change]:
    """Yield the changes of a variable, parameter or function of the type of a character, or of a pointer to them.

    An `int` can also be EOF, and an `unsigned char` is never negative.
    """
    for node in source.nodes("identifier"):
        definition = source.function_named(node)
        if definition is not None:
            known = source.type_returned(source.text(node))
            is_own = source.parents[node.id].type == "function_declarator"
        else:
            declared = source.declared(node)
            known = None if declared is None or declared.array is not None else declared.type
            is_own = declared is not None and declared.name.id == node.id
        if known is None or not is_own:
            continue
        is_wide = known == Type(INT) and definition is None and _is_read_into(source, node)
        if known.name not in (CHAR, UNSIGNED_CHAR) and not is_wide:
            continue
        ranks = {} if known.depth or is_wide else {INT: TYPE}
        if is_wide:
            ranks[UNSIGNED_CHAR] = LIKELIEST
        elif known.name == CHAR and known.depth < DEEPEST and definition is None:
            ranks[UNSIGNED_CHAR] = LIKELIEST if _is_index(source, node) else TYPE
        for kind, rank in ranks.items():
            edits = [*retyped(source, node, kind)]
            if edits:
                says = f"with `{kind}{' *' * known.depth}` as the type of `{source.text(node)}`"
                yield Change(node.start_point.row + 1, edits, says, rank, None)


def _is_index(source: CSource, variable: Node) -> bool:
    """Return whether a char, or one that a pointer leads to, is the index of an array, where it may be negative."""
    declared = source.declared(variable)
    for element in source.nodes("subscript_expression"):
        index = element.child_by_field_name("index")
        while index is not None and index.type in ("cast_expression", "parenthesized_expression"):
            cast = index.child_by_field_name("type")
            if cast is not None and source.type_of_cast(cast) != Type(INT):
                break
            index = index.named_children[-1]
        base = index
        while base is not None and base.type in ("subscript_expression", "pointer_expression", "update_expression"):
            base = base.child_by_field_name("argument")
        is_char = declared is not None and index is not None and source.type_of(index) == Type(CHAR)
        if is_char and base is not None and base.type == "identifier" and source.declared(base) == declared:
            return True
    return False


def _is_read_into(source: CSource, variable: Node) -> bool:
    """Return whether `read` stores a byte in this variable."""
    declared = source.declared(variable)
    for call in source.calls("read"):
        arguments = source.arguments(call)
        name = source.child(arguments[1], "argument", "identifier") if len(arguments) > 1 else None
        if name is not None and declared is not None and source.declared(name) == declared:
            return True
    return False


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
