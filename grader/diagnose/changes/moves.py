"""Move what a program does to where it belongs: a write behind a search, a `goto` to another label, `if` to `while`.

A label may not be twice in a copy, and no name may be used outside of the block that declares it.
"""

from __future__ import annotations

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.additions import byte_read_in, is_inside, is_write, simple, written, written_by
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder
from grader.diagnose.constructs import holds, loops_around, reads_in
from grader.diagnose.edits import JUMP, LIKELIEST, Change, Edit

MAX_LABELS = 3


def other_label(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Go to another label of the function."""
    source, label = record.source, node.child_by_field_name("label")
    function = source.function_of(node)
    if label is None or function is None:
        return whole
    labels = [
        source.text(name)
        for one in source.nodes("labeled_statement")
        if holds(function, one)
        for name in [source.child(one, "label")]
        if name is not None
    ]
    others = [name for name in labels if name != source.text(label)]
    choices = [
        b"if (%s) goto %s;" % (record.replace(label, other, JUMP), other.encode("utf-8", "replace"))
        for other in others[:MAX_LABELS]
    ]
    return b"{ %s %s }" % (b" ".join(choices), whole)


def while_instead(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Repeat what an `if` does whose condition reads a byte, where no loop does."""
    source, condition = record.source, node.child_by_field_name("condition")
    is_alone = node.child_by_field_name("alternative") is None and not source.is_in_loop(node)
    has_label = any(holds(node, one) for one in source.nodes("labeled_statement"))
    if condition is None or not is_alone or has_label or not reads_in(source, condition):
        return whole
    made = record.replace(node.children[0], "while", LIKELIEST)
    return b"{ if (%s) { while%s } else { %s } }" % (made, record.raw(node).removeprefix(b"if"), whole)


def later_write(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write at the end of the loop that reads, and not before, or in each round of a loop in it."""
    source, loops = record.source, loops_around(record.source, node)
    call = node.named_children[0] if node.named_children else node
    reading = next((loop for loop in loops[:2] if byte_read_in(source, loop) is not None), None)
    body = None if reading is None else reading.child_by_field_name("body")
    if not is_write(source, call) or body is None or body.type != "compound_statement" or not holds(body, node):
        return whole
    block = source.parents[node.id]
    inner = loops[0].child_by_field_name("body")
    if block.type != "compound_statement" or block not in (body, inner):
        return whole
    statements = [one for one in body.named_children if one.type != "comment"]
    names = [name for name in source.nodes("identifier") if holds(node, name)]
    is_known = block == body or not any(is_inside(source, name, loops[0]) for name in names)
    if statements[-1] == node or not is_known:
        return whole
    text, end = source.text(node), body.end_byte - 1
    which = "" if record.line(node).count(text) == 1 else UNCLEAR
    edits = [Edit(node.start_byte, node.end_byte, ";"), Edit(end, end, f" {text} ")]
    outer = "" if block == body else "outer "
    says = f"with {which}`{text}` moved to the end of the {outer}loop"
    lines = sorted({node.start_point.row + 1, body.end_point.row + 1})
    made = record.add_at(lines, edits, says, JUMP)
    record.later.setdefault(body.id, []).append(b" if (%s) { %s }" % (made, record.raw(node)))
    return b"{ if (!(%s)) { %s } }" % (made, whole)


def write_after_search(source: CSource) -> list[Change]:
    """Return the changes of an `if` in a search that writes the partner, or else the byte itself, in each round.

    The search then only sets the byte and ends, and the byte is written after it.
    """
    return [
        change
        for node in source.nodes("if_statement")
        for change in [_after_search(source, node)]
        if change is not None
    ]


def _after_search(source: CSource, node: Node) -> Change | None:
    loops = loops_around(source, node)
    searching, reading = (loops[0], loops[1]) if len(loops) > 1 else (None, None)
    byte = None if reading is None else byte_read_in(source, reading)
    found, otherwise = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if byte is None or searching is None or found is None or otherwise is None or not byte.is_variable:
        return None
    partner = _only_write(source, found)
    itself = _only_write(source, otherwise.named_children[-1])
    if partner is None or itself is None:
        return None
    value, own = (written_by(source, one.named_children[0]) for one in (partner, itself))
    statement = written(source, itself.named_children[0], byte)
    if own != byte.variable or not simple(value) or not statement:
        return None
    new = f"{byte.variable} = {value}; break;"
    shown = new if found.type == "compound_statement" else f"{{ {new} }}"
    edits = [
        Edit(partner.start_byte, partner.end_byte, shown),
        *ChangeRecorder(source).without(found.end_byte, otherwise.end_byte),
        Edit(searching.end_byte, searching.end_byte, f" {statement}"),
    ]
    instead = f"`{new}` instead of `{source.text(partner)}`"
    says = f"with {instead} and without the `else` and with `{statement}` after the loop"
    lines = sorted({one.start_point.row + 1 for one in (partner, otherwise)} | {searching.end_point.row + 1})
    return Change(lines[0], edits, says, LIKELIEST, None, tuple(lines[1:]))


def _only_write(source: CSource, branch: Node) -> Node | None:
    """Return the statement of a branch that writes, if there is nothing else in it."""
    statements = (
        [one for one in branch.named_children if one.type != "comment"]
        if branch.type == "compound_statement"
        else [branch]
    )
    only = statements[0] if len(statements) == 1 else branch
    is_expression = only.type == "expression_statement" and bool(only.named_children)
    return only if is_expression and is_write(source, only.named_children[0]) else None
