"""Add what a program lacks: an `else`, the first values of a table or of a pointer, a test of what a search found."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Declared, Type
from grader.diagnose.changes.jumps import left_by_break
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder
from grader.diagnose.constructs import BYTES, assigned_entries, conditions_around, holds, loops_around
from grader.diagnose.edits import JUMP, LIKELIEST, LOGICAL, REMOVAL, Edit

MAX_TABLES = 2

_READS = ("getchar", "getc", "fgetc", "getchar_unlocked")
WRITES = {"putchar": "", "putchar_unlocked": "", "putc": ", stdout", "fputc": ", stdout"}
_SIMPLE = re.compile(r"\w{1,40}(?:\[\w{1,5}(?: ?- ?\w{1,40})?\]){0,2}")


class ByteRead(NamedTuple):
    """What a loop reads into: the second argument of read (`is_place`), or the variable for what getchar returns."""

    text: str
    is_place: bool

    @property
    def variable(self) -> str:
        """Its name, or that of an array."""
        return self.text.removeprefix("&")

    @property
    def is_variable(self) -> bool:
        """Whether it is a variable for one byte."""
        return not self.is_place or self.text.startswith("&")


def else_branch(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write the byte itself in the `else` that an `if` around a write does not have."""
    source = record.source
    body, loops = node.child_by_field_name("consequence"), loops_around(source, node)
    is_whole = body is not None and body.type in ("compound_statement", "expression_statement")
    if not loops or body is None or not is_whole or node.child_by_field_name("alternative") is not None:
        return whole
    call = next((one for one in source.calls(*WRITES, "write") if holds(body, one)), None)
    byte = byte_read_in(source, loops[0])
    if call is None or byte is None or loops_around(source, call)[0] != loops[0]:
        return whole
    statement = written(source, call, byte)
    if not statement:
        return whole
    which = "" if len(record.in_row(node, "if")) == 1 else UNCLEAR
    edits = [Edit(node.end_byte, node.end_byte, f" else {statement}")]
    made = record.add(node, edits, f"with `else {statement}` at the end of the {which}`if`", LOGICAL)
    return b"%s else if (%s) { %s }" % (whole, made, statement.encode("ascii"))


def byte_read_in(source: CSource, loop: Node) -> ByteRead | None:
    """Return what a loop reads into, None if it reads nothing, or into something else."""
    for call in source.calls(*_READS, "read"):
        if loops_around(source, call)[:1] != [loop]:
            continue
        name = source.library_call(call)
        if name == "read":
            places = source.arguments(call)[1:2]
            byte = ByteRead(source.text(source.bare(places[0])) if places else "", is_place=True)
            return byte if simple(byte.variable) else None
        around = source.parents[call.id]
        left = source.child(around, "left", "identifier") if around.type == "assignment_expression" else None
        return None if left is None or not name else ByteRead(source.text(left), is_place=False)
    return None


def written(source: CSource, call: Node, byte: ByteRead) -> str:
    """Return the statement that writes the byte that was read in the way of another call, "" if there is none."""
    name, given = source.library_call(call), source.arguments(call)
    if name == "write" and given and byte.is_place and simple(source.text(given[0])):
        return f"write({source.text(given[0])}, {byte.text}, 1);"
    return f"{name}({byte.variable}{WRITES[name]});" if name in WRITES and byte.is_variable else ""


def written_by(source: CSource, call: Node) -> str:
    """Return what a call writes: its first argument, or what the second one of write is the address of, or ""."""
    given = source.arguments(call)
    if source.library_call(call) != "write":
        return source.text(given[0]) if given else ""
    text = source.text(given[1]) if len(given) > 1 else ""
    return text.removeprefix("&") if text.startswith("&") else ""


def is_write(source: CSource, call: Node) -> bool:
    """Return whether a node is a call that writes a byte, or several."""
    return source.library_call(call) in (*WRITES, "write")


def simple(text: str) -> bool:
    """Return whether words may quote this: a name, or an entry of an array."""
    return _SIMPLE.fullmatch(text) is not None


def assigned_instead(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Set the byte in a search and leave it, instead of a write there: the write after the search is enough."""
    source, call = record.source, node.named_children[0] if node.named_children else node
    loops = loops_around(source, call)
    is_block = source.parents[node.id].type in ("compound_statement", "if_statement")
    may_leave = is_block and left_by_break(source, node) in LOOPS
    if not is_write(source, call) or len(loops) <= 1 or not may_leave:
        return whole
    byte = byte_read_in(source, loops[1])
    if byte is None or byte_read_in(source, loops[0]) is not None:
        return whole
    text = written_by(source, call)
    if not simple(text) or not byte.is_variable or text == byte.variable:
        return whole
    old, new = source.text(node), f"{byte.variable} = {text}; break;"
    is_alone = source.parents[node.id].type == "compound_statement"
    shown = new if is_alone else f"{{ {new} }}"
    which = "" if record.line(node).count(old) == 1 else UNCLEAR
    edits, says = [Edit(node.start_byte, node.end_byte, shown)], f"with `{new}` instead of {which}`{old}`"
    after, last = node.next_named_sibling if is_alone else None, 0
    if after is not None and after.type == "return_statement":
        # It would never be reached.
        edits += record.without(after.start_byte, after.end_byte)
        says, last = f"{says} and without the `return`", after.end_point.row + 1
    made = record.add(node, edits, says, REMOVAL, last)
    return b"{ if (%s) { %s } %s }" % (made, new.encode("ascii"), whole)


def moved_back(record: ChangeRecorder, body: Node, whole: bytes) -> bytes:
    """Give what a search moves its first value again at the beginning of the body of the loop around the search."""
    loop = record.source.parents[body.id]
    moved = [*_moved_by_search(record.source, loop, body)]
    if not moved:
        return whole
    start = body.start_byte + 1
    text = " ".join(f"{name} = {value};" for name, value in moved)
    said = " and ".join(f"`{name} = {value};`" for name, value in moved)
    which = "" if len(record.in_row(loop, "for", "while", "do")) == 1 else UNCLEAR
    says = f"with {said} at the beginning of the body of the {which}loop"
    made = record.add(loop, [Edit(start, start, f" {text}")], says, JUMP)
    return whole[:1] + b" if (%s) { %s }" % (made, text.encode("ascii")) + whole[1:]


def _moved_by_search(source: CSource, loop: Node, body: Node) -> Iterator[tuple[str, str]]:
    """Yield the variables that only loops in a loop move, and that nothing sets there, with their first values."""
    if byte_read_in(source, loop) is None:
        return
    seen = set()
    for node in source.nodes("update_expression"):
        name = source.child(node, "argument", "identifier")
        known = None if name is None else source.declared(name)
        if name is None or known is None or not holds(body, node) or known.name.id in seen:
            continue
        seen.add(known.name.id)
        first = source.parents[known.name.id]
        while first.type == "pointer_declarator":
            first = source.parents[first.id]
        value = first.child_by_field_name("value") if first.type == "init_declarator" else None
        if value is None or holds(loop, known.name) or not simple(source.text(value)):
            continue
        moves = [one for one in _changes_of(source, known) if holds(body, one)]
        if all(one.type == "update_expression" and loops_around(source, one)[0] != loop for one in moves):
            yield source.text(name), source.text(value)


def moved_back_in(record: ChangeRecorder, function: Node, body: bytes) -> bytes:
    """Give a variable that outlives a search its first value again at the beginning of the function that searches."""
    source, block = record.source, function.child_by_field_name("body")
    if (
        block is None
        or source.name_of(function) == "main"
        or any(holds(block, one) for one in source.calls(*_READS, "read"))
    ):
        return body
    for node in source.nodes("update_expression"):
        name = source.child(node, "argument", "identifier")
        known = None if name is None else source.declared(name)
        if name is None or known is None or not holds(block, node) or known.scope.id != source.root.id:
            continue
        moves = [one for one in _changes_of(source, known) if holds(block, one)]
        value = source.first_value(known) or 0  # without a value it is 0, too
        if known.type == Type(INT) and all(one.type == "update_expression" for one in moves) and moves[0] == node:
            text, start = f"{source.text(name)} = {value};", block.start_byte + 1
            says = f"with `{text}` at the beginning of the function"
            line = function.start_point.row + 1
            made = record.add_at(range(line, line + 1), [Edit(start, start, f" {text}")], says, JUMP)
            body = body[:1] + b" if (%s) { %s }" % (made, text.encode("ascii")) + body[1:]
    return body


def _changes_of(source: CSource, variable: Declared) -> Iterator[Node]:
    for kind, field in (("update_expression", "argument"), ("assignment_expression", "left")):
        for node in source.nodes(kind):
            target = source.child(node, field, "identifier")
            if target is not None and source.declared(target) == variable:
                yield node


def unfilled_tables(source: CSource) -> Mapping[int, str]:
    """Return the tables of all bytes whose entries are not set to their own index, by the id of a statement.

    Before that statement the first entries of a table are set.
    """
    found: dict[int, str] = {}
    arrays = {
        one.name.id: one
        for node in source.nodes("identifier")
        for one in [source.declared(node)]
        if one is not None
        and one.array == BYTES
        and one.type in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1), Type(INT, 1))
    }
    for array in itertools.islice(arrays.values(), MAX_TABLES):
        entries = [
            (node, index, source.bare(right))
            for node, index in assigned_entries(source, array)
            for right in [source.child(node, "right")]
            if right is not None
        ]
        if any(source.text(index) == source.text(_uncast(source, value)) for _, index, value in entries):
            continue
        places = [_statement_before(source, node) for node, _, value in entries if source.value(value) is None]
        if places and places[0] is not None:
            found[places[0].id] = source.text(array.name)
    return found


def _uncast(source: CSource, value: Node) -> Node:
    while value.type == "cast_expression":
        value = source.bare(source.child(value, "value") or value)
    return value


def _statement_before(source: CSource, node: Node) -> Node | None:
    """Return the statement of a function's body that a node is in."""
    inner = node
    for around in source.ancestors(node):
        if around.type == "compound_statement" and source.parents[around.id].type == "function_definition":
            return inner
        inner = around
    return None


def fill(record: ChangeRecorder, node: Node, whole: bytes, table: str) -> bytes:
    """Set each entry of a table to its own index before a statement."""
    loop = f"for (int i = 0; i < {BYTES}; i++) {table}[i] = i;"
    word = node.children[0].type if node.type in (*LOOPS, "if_statement") else ""
    is_clear = word and len(record.in_row(node, word)) == 1
    before = f"the `{word}`" if is_clear else "the statement" if not word else UNCLEAR
    edits = [Edit(node.start_byte, node.start_byte, f"{loop} ")]
    made = record.add(node, edits, f"with `{loop}` before {before}", LIKELIEST)
    name = table.encode("ascii")
    fills = b"for (int iolab_i = 0; iolab_i < %d; iolab_i++) %s[iolab_i] = iolab_i;" % (BYTES, name)
    return b"if (%s) %s %s" % (made, fills, whole)


def found_only(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Test what a search found before its index is used in the other string."""
    source = record.source
    assignment = node.named_children[0] if node.named_children else node
    element = source.child(assignment, "right", "subscript_expression")
    array, index = (
        (None, None) if element is None else (source.child(element, "argument"), source.child(element, "index"))
    )
    if array is None or index is None or index.type != "identifier" or array.type != "identifier":
        return whole
    known = source.declared(index)
    searched = next(_searched(source, index, known), "") if known is not None else ""
    if not searched or searched == source.text(array) or _is_asked(source, node, known):
        return whole
    row = [one for one in source.nodes("expression_statement") if one.start_point.row == node.start_point.row]
    which = "" if [one.id for one in row] == [node.id] else UNCLEAR
    test = f"if ({searched}[{source.text(index)}] != '\\0')"
    edits = [Edit(node.start_byte, node.start_byte, f"{test} ")]
    made = record.add(node, edits, f"with `{test}` before the {which}statement", LOGICAL)
    return b"{ if (!(%s) || %s[%s]) { %s } }" % (made, searched.encode(), source.text(index).encode(), whole)


def _searched(source: CSource, index: Node, known: Declared) -> Iterator[str]:
    """Yield the string in which an index was searched for: by strcspn, or in the condition of a loop."""
    for call in source.calls("strcspn"):
        around = source.parents[call.id]
        target = source.child(around, "left", "identifier") or source.child(around, "declarator", "identifier")
        if target is not None and source.declared(target) == known and source.arguments(call):
            yield from _name(source, source.arguments(call)[0])
    for element in source.nodes("subscript_expression"):
        at, array = source.child(element, "index", "identifier"), source.child(element, "argument")
        loop = next((one for one in source.ancestors(element) if one.type in LOOPS), None)
        condition = None if loop is None else loop.child_by_field_name("condition")
        is_searched = loop is not None and condition is not None and holds(condition, element)
        if at is None or array is None or not is_searched or source.declared(at) != known:
            continue
        if loop is not None and loop.end_byte <= index.start_byte:
            yield from _name(source, array)


def _name(source: CSource, node: Node) -> Iterator[str]:
    if node.type == "identifier" and source.type_of(node) in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1)):
        yield source.text(node)


def without_constant(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Remove a constant that replaces the byte that was read, or a byte of an operand after it was found."""
    source = record.source
    assignment = node.named_children[0] if node.named_children else node
    left, right = source.child(assignment, "left"), source.child(assignment, "right")
    if left is None or right is None or source.value(right) is None:
        return whole
    read = [byte.variable for loop in loops_around(source, node) if (byte := byte_read_in(source, loop)) is not None]
    if not read or (source.text(left) not in read and left.type != "subscript_expression"):
        return whole
    which = "" if record.line(node).count(source.text(node)) == 1 else UNCLEAR
    edits = [Edit(node.start_byte, node.end_byte, ";")]
    made = record.add(node, edits, f"without {which}`{source.text(node)}`", REMOVAL)
    return b"{ if (!(%s)) { %s } }" % (made, whole)


def last_write(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write once more after a loop that reads: what it has collected, or the byte before the one that it reads."""
    source, body = record.source, node.child_by_field_name("body")
    byte = byte_read_in(source, node)
    if byte is None or body is None or source.parents[node.id].type != "compound_statement":
        return whole
    which = "" if len(record.in_row(node, "for", "while")) == 1 else UNCLEAR
    for statement in (*_last_statements(source, node, body, byte), *_flushes(source, node)):
        edits = [Edit(node.end_byte, node.end_byte, f" {statement}")]
        made = record.add(node, edits, f"with `{statement}` after the {which}loop", JUMP)
        whole = b"%s if (%s) { %s }" % (whole, made, statement.encode("utf-8", "replace"))
    return whole


def _last_statements(source: CSource, loop: Node, body: Node, byte: ByteRead) -> Iterator[str]:
    """Yield the only write of a loop, if it writes something else than the byte that was read in the same round."""
    writes = [
        one
        for one in source.nodes("expression_statement")
        if holds(body, one) and any(is_write(source, inner) for inner in one.named_children)
    ]
    if len(writes) != 1 or loops_around(source, writes[0])[:1] != [loop]:
        return
    names = [name for name in source.nodes("identifier") if holds(writes[0], name)]
    if not any(source.text(name) == byte.variable or is_inside(source, name, loop) for name in names):
        yield source.text(writes[0])


def _flushes(source: CSource, loop: Node) -> Iterator[str]:
    """Yield the calls of functions without parameters that write, and that a loop calls, perhaps indirectly."""
    for name, function in source.functions.items():
        is_writer = any(holds(function, call) for call in source.calls(*WRITES, "write", "fwrite"))
        is_called = any(source.parents[call.id].type == "expression_statement" for call in source.calls(name))
        if is_writer and is_called and not source.parameters[name] and function.end_byte < loop.start_byte:
            yield f"{name}();"


def is_inside(source: CSource, name: Node, loop: Node) -> bool:
    """Return whether a name is declared in a loop."""
    known = source.declared(name)
    return known is not None and holds(loop, known.name)


def _is_asked(source: CSource, node: Node, known: Declared | None) -> bool:
    """Return whether an `if` around a statement tests a variable."""
    return any(
        holds(condition, name)
        for condition in conditions_around(source, node)
        for name in source.nodes("identifier")
        if source.declared(name) == known
    )
