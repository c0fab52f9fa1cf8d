"""Change what would suit something else: putchar for write, a size in bytes, a shift of an int, a static variable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.changes.additions import WRITES, simple
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder, change_of_lines
from grader.diagnose.constructs import BYTES, holds
from grader.diagnose.edits import LIKELIEST, Change, Edit

_ONE = re.compile(r"1\s*<<")
_WORD_BITS = 32


def written_at_once(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write a byte with write, as the rest of the program does, and not with putchar, which keeps it in a buffer."""
    source, name = record.source, record.source.library_call(node)
    descriptors = {source.text(source.arguments(call)[0]) for call in source.calls("write") if source.arguments(call)}
    given = source.arguments(node)[:1]
    is_alone = source.parents[node.id].type == "expression_statement"
    if name not in WRITES or not is_alone or not given or not descriptors or not any(source.calls("read")):
        return whole
    byte, text = given[0], source.text(given[0])
    is_char = source.type_of(byte) in (Type(CHAR), Type(UNSIGNED_CHAR))
    is_place = is_char and byte.type in ("identifier", "subscript_expression") and simple(text)
    out = next((one for one in sorted(descriptors) if one in ("1", "STDOUT_FILENO")), "")
    if not is_place or not out:
        return whole
    new, old = f"write({out}, &{text}, 1)", source.text(node)
    which = "" if record.line(node).count(old) == 1 else UNCLEAR
    edits = [Edit(node.start_byte, node.end_byte, new)]
    made = record.add(node, edits, f"with `{new};` instead of {which}`{old};`", LIKELIEST)
    return b"(%s?write(1,&%s,1):(%s))" % (made, text.encode("utf-8", "replace"), whole)


def whole_arrays(source: CSource) -> Iterator[Change]:
    """Yield the change of a memset that sets a part of an array of ints: its size counts bytes."""
    for call in source.calls("memset"):
        given = source.arguments(call)
        known = source.declared(given[0]) if len(given) == 3 and given[0].type == "identifier" else None  # noqa: PLR2004
        size = source.value(given[2]) if known is not None else None
        if known is None or known.type != Type(INT, 1) or known.array is None or size != known.array:
            continue
        new, old = f"sizeof({source.text(given[0])})", source.text(given[2])
        edits = [Edit(given[2].start_byte, given[2].end_byte, new)]
        yield from change_of_lines(source, edits, f"with `{new}` instead of `{old}`", LIKELIEST)


def wide_shifts(source: CSource) -> Iterator[Change]:
    """Yield the change of all shifts of the int 1 by what may be more than an int has bits."""
    found = []
    for node in source.nodes("binary_expression"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or source.text(left) != "1" or not _ONE.match(source.text(node)):
            continue
        values = [source.value(one) for one in source.nodes("number_literal") if holds(right, one)]
        if any(value is not None and _WORD_BITS < value <= BYTES for value in values):
            found.append(left)
    edits = [Edit(node.end_byte, node.end_byte, "UL") for node in found]
    rows = [node.start_point.row for node in found]
    if len({*rows}) == len(rows):
        yield from change_of_lines(source, edits, "with `1UL <<` instead of `1 <<`", LIKELIEST)


def without_static(source: CSource) -> Iterator[Change]:
    """Yield the change of a variable that keeps its value from one call of a function to the next."""
    for declaration in source.nodes("declaration"):
        function = source.function_of(declaration)
        storage = next((one for one in declaration.children if one.type == "storage_class_specifier"), None)
        declarators = declaration.children_by_field_name("declarator")
        name = source.child(declarators[0], "declarator", "identifier") if len(declarators) == 1 else None
        if function is None or source.name_of(function) == "main" or storage is None or name is None:
            continue
        if source.text(storage) == "static" and declarators[0].type == "init_declarator":
            edits = [Edit(storage.start_byte, storage.end_byte + 1, "")]
            yield from change_of_lines(source, edits, f"without the `static` of `{source.text(name)}`", LIKELIEST)
