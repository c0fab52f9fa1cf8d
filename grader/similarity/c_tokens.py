"""A C source as a sequence of tokens that renaming, reformatting and comments do not change.

batch/token_process.py calls this in a process of its own, because sources are not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter_c
from tree_sitter import Language, Node, Parser

MAX_TOKENS = 5000
"""A source with more is not compared. Those of students have a few hundred."""

_LANGUAGE = Language(tree_sitter_c.language())

_WHOLE = {
    "identifier": "name",
    "field_identifier": "name",
    "statement_identifier": "name",
    "primitive_type": "type",
    "type_identifier": "type",
    "sized_type_specifier": "type",
    "number_literal": "number",
    "char_literal": "number",
    "true": "number",
    "false": "number",
    "string_literal": "string",
    "concatenated_string": "string",
    "for": "loop",
    "while": "loop",
    "do": "loop",
}
"""Nodes that are one token each, and its name; other tokens are named as they are written."""

_LEFT_OUT = frozenset(
    (
        *("comment", "preproc_include", "preproc_def", "preproc_function_def", "preproc_call", "preproc_arg"),
        *("preproc_directive", "#if", "#ifdef", "#ifndef", "#else", "#elif", "#endif"),
        *("type_qualifier", "storage_class_specifier", ";", ",", "(", ")", "{", "}"),
    )
)
"""What people change first, or what is the same in every program."""


_FIELDS = {"call_expression": "function", "function_declarator": "declarator"}

MAX_NAME_BYTES = 40


class Token(NamedTuple):
    """A token, and its bytes in the source."""

    kind: str
    start: int
    end: int


def tokens(source: bytes) -> list[Token]:
    """Return the tokens of a source, at most MAX_TOKENS + 1.

    Names are replaced by their kind, except those of functions that are called and not defined here: nobody can
    rename those of the C library. A `for` is a `while`, with its parts in the order in which they are worked through.
    """
    found: list[Token] = []
    calls: dict[int, str] = {}
    defined: set[str] = set()
    for node, role in _nodes(Parser(_LANGUAGE).parse(source).root_node):
        if role == "declarator":
            defined.add(_text(node))
        elif role == "function":
            calls[len(found)] = _text(node)
        found.append(Token(_WHOLE.get(node.type, node.type), node.start_byte, node.end_byte))
        if len(found) > MAX_TOKENS:
            break
    for place, name in calls.items():
        if name not in defined:
            found[place] = found[place]._replace(kind=f"call {name}")
    return found


def _nodes(root: Node) -> Iterator[tuple[Node, str]]:
    """Yield the nodes that are tokens, without recursion: sources may nest deeply.

    With them is the role of the name of a function: `function` if it is called, `declarator` if it is defined.
    """
    pending = [(root, "")]
    while pending:
        node, role = pending.pop()
        if node.type in _LEFT_OUT:
            continue
        if node.type in _WHOLE or not node.child_count:
            if node.end_byte > node.start_byte:
                yield node, role if node.type == "identifier" else ""
        else:
            field = _FIELDS.get(node.type, "")
            named = node.child_by_field_name(field) if field else None
            pending += [(child, field if child == named else "") for child in reversed(_in_order_of_work(node))]


def _in_order_of_work(node: Node) -> list[Node]:
    """Return the children of a node; those of a `for` as if it were a `while`: first, loop, condition, body, next."""
    children = node.children
    if node.type != "for_statement":
        return children
    first, following = node.child_by_field_name("initializer"), node.child_by_field_name("update")
    keyword, *others = (child for child in children if child not in (first, following))
    return [one for one in (first, keyword, *others, following) if one is not None]


def _text(node: Node) -> str:
    return (node.text or b"")[:MAX_NAME_BYTES].decode("ascii", "replace")
