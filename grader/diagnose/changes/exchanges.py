"""Exchange two words of a statement that a program may have the wrong way round, such as its two operands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.recorder import ChangeRecorder, change_of_lines
from grader.diagnose.edits import ARGUMENT, LIKELIEST, LOGICAL, Change, Edit

_FIRST, _SECOND = 1, 2
_FORMATTED = ("printf", "fprintf", "perror", "puts", "fputs")


def exchanged_operands(record: ChangeRecorder, number: Node) -> bytes:
    """Return the condition under which a number is the index of the other operand, b"" if it is none of the pair."""
    pair = record.operands
    if pair is None or number not in pair:
        return b""
    if number.id not in record.shared:
        entries = [record.source.parents[one.id] for one in pair]
        said = " and ".join(f"`{record.source.text(entry)}`" for entry in entries)
        new = [record.source.text(one) for one in reversed(pair)]
        edits = [Edit(one.start_byte, one.end_byte, text) for one, text in zip(pair, new, strict=True)]
        lines = sorted({one.start_point.row + 1 for one in pair})
        made = record.add_at(lines, edits, f"with {said} exchanged", LOGICAL)
        record.shared |= {one.id: made for one in pair}
    return record.shared[number.id]


def pair_of_operands(source: CSource) -> tuple[Node, Node] | None:
    """Return the indexes of the only two operands that become values of variables, in the order of the source."""
    found = [index for index in _indexes(source) if _is_value(source, source.parents[index.id])]
    numbers = [source.value(index) for index in found]
    return (found[0], found[1]) if sorted(filter(None, numbers)) == [_FIRST, _SECOND] and len(found) > 1 else None


def _indexes(source: CSource) -> list[Node]:
    """Return the numbers with which argv is indexed, without those in messages."""
    names = [source.text(one.name) for one in source.parameters.get("main", [])[1:2]]
    found = []
    for element in source.nodes("subscript_expression"):
        array, index = source.child(element, "argument", "identifier"), source.child(element, "index")
        if array is None or index is None or index.type != "number_literal" or source.text(array) not in names:
            continue
        if not any(source.library_call(one) in _FORMATTED for one in source.ancestors(element)):
            found.append(index)
    return sorted(found, key=lambda one: one.start_byte)


def _is_value(source: CSource, element: Node) -> bool:
    around, inner = source.parents[element.id], element
    while around.type == "cast_expression":
        around, inner = source.parents[around.id], around
    return is_value_of(around, inner)


def is_value_of(around: Node, node: Node) -> bool:
    """Return whether a node is the value that a variable gets in a declaration or an assignment."""
    field = {"init_declarator": "value", "assignment_expression": "right"}.get(around.type)
    return field is not None and around.child_by_field_name(field) == node


def shifted_operands(source: CSource) -> Iterator[Change]:
    """Yield the change of a source that counts its operands from 0, or from 2: the first is argv[1]."""
    indexes = _indexes(source)
    used = {source.value(index) for index in indexes}
    for wrong, step in (({0, _FIRST}, 1), ({_SECOND, _SECOND + 1}, -1)):
        if used == wrong:
            edits = [
                Edit(one.start_byte, one.end_byte, str(int(source.text(one)) + step))
                for one in indexes
                if source.text(one).isdigit()
            ]
            name = source.text(source.parameters["main"][1].name)
            old, new = (f"`{name}[{first}]` and `{name}[{first + 1}]`" for first in (min(wrong), _FIRST))
            yield from change_of_lines(source, edits, f"with {new} instead of {old}", LIKELIEST)


def _exchanged(source: CSource, node: Node) -> tuple[Node, Node] | None:
    """Return the two words of an assignment or a call that may have to be exchanged.

    `table[to[i]] = from[i]` may set the entry of the wrong byte, and `copy(argv[2], argv[1])` may get the operands in
    the wrong order.
    """
    pairs: list[tuple[Node | None, Node | None]] = []
    if node.type == "assignment_expression":
        element = source.child(node, "left", "subscript_expression")
        pairs = [(source.child(element, "index"), source.child(node, "right"))] if element is not None else []
    else:
        name, given = source.child(node, "function", "identifier"), source.arguments(node)
        if name is not None and source.text(name) in source.functions:
            pairs = [
                pair for pair in itertools.pairwise(given) if all(_is_pointer(source, argument) for argument in pair)
            ]
    found = [_difference(source, one, other) for one, other in pairs if one is not None and other is not None]
    return found[0] if len(found) == 1 else None


def exchange(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Exchange two names of an assignment or a call."""
    pair = _exchanged(record.source, node)
    if pair is None or pair[0].start_point.row != pair[1].start_point.row:
        return whole
    one, other = (record.source.text(word) for word in pair)
    if record.which(pair[0]) or record.which(pair[1]):
        return whole
    edits = [Edit(word.start_byte, word.end_byte, new) for word, new in zip(pair, (other, one), strict=True)]
    entries = [_entry_of(record.source, word) for word in pair]
    if pair[0].type == "number_literal" and any(entry == word for entry, word in zip(entries, pair, strict=True)):
        return whole
    said = [record.source.text(entry) for entry in entries]
    made = record.add(pair[0], edits, f"with `{said[0]}` and `{said[1]}` exchanged", ARGUMENT)
    start, middle = pair[0].start_byte - node.start_byte, pair[1].start_byte - node.start_byte
    raw = record.raw(node)
    between, after = raw[start + len(one) : middle], raw[middle + len(other) :]
    new = raw[:start] + other.encode("ascii") + between + one.encode("ascii") + after
    return b"(%s?(%s):(%s))" % (made, new, whole)


def _entry_of(source: CSource, word: Node) -> Node:
    """Return the element of an array of which a number is the index, and any other word itself."""
    around = source.parents[word.id]
    is_index = word.type == "number_literal" and source.child(around, "argument", "identifier") is not None
    return around if is_index else word


def _is_pointer(source: CSource, node: Node) -> bool:
    known = source.type_of(node)
    return known is not None and known.depth > 0


def _difference(source: CSource, one: Node, other: Node) -> tuple[Node, Node] | None:
    """Return the word in which two expressions differ, as it is in each; None if more is different, or nothing."""
    before, after = _words(source, one), _words(source, other)
    if [word.type for word in before] != [word.type for word in after]:
        return None
    different = [pair for pair in zip(before, after, strict=True) if source.text(pair[0]) != source.text(pair[1])]
    is_name = len(different) == 1 and different[0][0].type in ("identifier", "number_literal")
    return different[0] if is_name else None


def _words(source: CSource, node: Node) -> list[Node]:
    """Return the tokens of an expression without casts and parentheses around it."""
    node = source.bare(node)
    while node.type == "cast_expression":
        node = source.bare(source.child(node, "value") or node.named_children[-1])
    found, pending = [], [node]
    while pending:
        one = pending.pop()
        if not one.children:
            found.append(one)
        pending += reversed(one.children)
    return found
