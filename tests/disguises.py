"""Changes that students make to a copied program, so that it looks different and does the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tree_sitter_c
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_c.language())
_DECLARING = (
    *("declaration", "init_declarator", "parameter_declaration"),
    *("pointer_declarator", "array_declarator", "function_declarator"),
)


def renamed(source: bytes) -> bytes:
    """Give other names to all variables and functions that the program defines, except main and its parameters."""
    root = _root(source)
    defined = set()
    for node in _all(root):
        if node.type == "identifier" and node.parent is not None:
            declares = node.parent.child_by_field_name("declarator") == node
            if declares and node.parent.type in _DECLARING:
                defined.add(_text(node))
    names = {name: b"zq_%d" % number for number, name in enumerate(sorted(defined - {b"main"}))}
    edits = [
        (node.start_byte, node.end_byte, names[_text(node)])
        for node in _all(root)
        if node.type == "identifier" and _text(node) in names
    ]
    return _edited(source, edits)


def reordered(source: bytes) -> bytes:
    """Put the functions in the opposite order, after a declaration of each."""
    functions = [node for node in _root(source).children if node.type == "function_definition"]
    if not functions:
        return source
    heads = [source[one.start_byte : _field(one, "body").start_byte].strip() + b";" for one in functions]
    texts = [source[one.start_byte : one.end_byte] for one in reversed(functions)]
    rest = _edited(source, [(one.start_byte, one.end_byte, b"") for one in functions])
    return b"\n".join([rest, *heads, *texts, b""])


def reformatted(source: bytes) -> bytes:
    """Write every token of a function on a line of its own, with comments between some of them."""
    edits = []
    for node in _all(_root(source)):
        if node.type == "comment":
            edits.append((node.start_byte, node.end_byte, b" "))
        elif not node.child_count and node.type in (";", "{", "}", "="):
            edits.append((node.start_byte, node.end_byte, b"\n" + _text(node) + b" /* step */\n"))
    return _edited(source, edits)


def with_while_loops(source: bytes) -> bytes:
    """Write every `for` as a `while`."""
    while (found := next((n for n in _all(_root(source)) if n.type == "for_statement"), None)) is not None:
        parts = [found.child_by_field_name(name) for name in ("initializer", "condition", "update", "body")]
        texts = [b"" if one is None else source[one.start_byte : one.end_byte] for one in parts]
        first, condition, update, body = texts
        first = first if first.endswith(b";") else first + b";"
        text = b"{ %s while (%s) { %s %s; } }" % (first, condition or b"1", body, update)
        source = _edited(source, [(found.start_byte, found.end_byte, text)])
    return source


def all_of_them(source: bytes) -> bytes:
    """Apply all of these changes."""
    return renamed(reordered(reformatted(with_while_loops(source))))


DISGUISES: dict[str, Callable[[bytes], bytes]] = {
    "renamed": renamed,
    "reordered": reordered,
    "reformatted": reformatted,
    "with while loops": with_while_loops,
    "all of them": all_of_them,
}


def _text(node: Node) -> bytes:
    assert node.text is not None
    return node.text


def _field(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    assert found is not None
    return found


def _root(source: bytes) -> Node:
    return Parser(_LANGUAGE).parse(source).root_node


def _all(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children)


def _edited(source: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source
