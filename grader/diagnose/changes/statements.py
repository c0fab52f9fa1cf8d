"""Change a statement of a source: remove it, end a loop, or set a variable again in each round."""

from __future__ import annotations

import re

from tree_sitter import Node

from grader.diagnose.c_source import LOOPS, CSource
from grader.diagnose.changes.additions import (
    assigned_instead,
    else_branch,
    found_only,
    moved_back,
    without_constant,
)
from grader.diagnose.changes.counted_reads import counted_reads
from grader.diagnose.changes.jumps import ends_round, is_only, left_by_break, removable_jump
from grader.diagnose.changes.moves import later_write, while_instead
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder
from grader.diagnose.changes.separate_changes import STATEMENTS
from grader.diagnose.changes.tests_of_bytes import without_condition
from grader.diagnose.constructs import holds, reads_in
from grader.diagnose.edits import IDLE, JUMP, LIKELIEST, LOGICAL, LOSS, REMOVAL, Edit

_ENDS_INPUT = {"read": "<= 0", **dict.fromkeys(("getchar", "getc", "fgetc"), "== EOF")}
_UPDATE = re.compile(r"\w{1,40}(\+\+|--);")


def statement(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Remove a statement, exchange `break` and `continue`, or end a loop at the end of the input."""
    kind = node.type.removesuffix("_statement")
    if node.type == "expression_statement":
        if not node.named_children or node.named_children[0].type == "assignment_expression":
            return without_constant(record, node, found_only(record, node, _read(record, node, whole)))
        whole = _read_unasked(record, node, later_write(record, node, assigned_instead(record, node, whole)))
        what = _named(record, node)
    elif not record.source.is_in_loop(node):
        return whole
    else:
        what = f"{record.which(node.children[0])}`{kind}`"
    made, around = b"0", record.source.parents[node.id]
    rank = LOSS if _may_check(record.source, node) else IDLE if is_only(record.source, node) else REMOVAL
    if _frees_too_early(record.source, node):
        rank, what = LIKELIEST, what.replace("call of", "early call of")
    if around.type in ("compound_statement", "case_statement"):
        # Elsewhere an `if` or a loop has nothing else, and without it the next statement is.
        made = record.add(node, [Edit(node.start_byte, node.end_byte, ";")], f"without {what}", rank)
    elif around.type == "else_clause" and kind != "expression":
        which = "" if len(record.in_row(around, "else")) == 1 else UNCLEAR
        removed = record.without(around.start_byte, around.end_byte)
        says = f"without the {which}`else` and its {what}"
        made = record.add(around, removed, says, rank, around.end_point.row + 1)
    if kind == "break" and left_by_break(record.source, node) == "switch_statement" and _is_main(record.source, node):
        # Such a `break` leaves only the `switch`, and the loop around it goes on.
        rank = LIKELIEST if _is_end_of_input(record.source, node) else JUMP
        returned = record.replace(node.children[0], "return 0", rank)
        whole = b"{ if (%s) return 0; %s }" % (returned, whole)
    swapped = {"break": "continue", "continue": "break"}.get(kind)
    if swapped is None:
        return b"{ if (!(%s)) { %s } }" % (made, whole)
    other = record.replace(
        node.children[0], swapped, IDLE if swapped == "continue" and ends_round(record.source, node) else JUMP
    )
    return b"{ if (%s) %s; if (!(%s)) { %s } }" % (other, swapped.encode("ascii"), made, whole)


def _read(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """End a loop right after a read has met the end of the input, before anything is done with the byte."""
    if not node.named_children:
        return whole
    name, call = (node.named_children[0].child_by_field_name(side) for side in ("left", "right"))
    around = left_by_break(record.source, node)
    test = "" if call is None else _ENDS_INPUT.get(record.source.library_call(call), "")
    is_block = record.source.parents[node.id].type == "compound_statement"
    if name is None or name.type != "identifier" or not test or around not in LOOPS or not is_block:
        return whole
    return _with_end(record, node, f"{record.source.text(name)} {test}", whole)


def read_declared(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """End a loop right after the declaration of a variable that gets the result of a read."""
    source, declarators = record.source, node.children_by_field_name("declarator")
    name = source.child(declarators[0], "declarator", "identifier") if len(declarators) == 1 else None
    call = None if name is None else source.child(declarators[0], "value")
    test = "" if call is None else _ENDS_INPUT.get(source.library_call(call), "")
    is_block = source.parents[node.id].type == "compound_statement"
    if name is None or not test or left_by_break(source, node) not in LOOPS or not is_block:
        return whole
    return _with_end(record, node, f"{source.text(name)} {test}", whole)


def _with_end(record: ChangeRecorder, node: Node, condition: str, whole: bytes) -> bytes:
    """End the loop after a statement if a condition holds."""
    says = f"with `if ({condition}) break;` after the reading"
    edit = Edit(node.end_byte, node.end_byte, f" if ({condition}) break;")
    made = record.add(node, [edit], says, LOGICAL)
    # EOF may not be a name that the source includes.
    value = condition.replace("EOF", "-1").encode("ascii")
    return b"%s if ((%s) && %s) break;" % (whole, made, value)


def _read_unasked(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """End a loop where a read whose result nothing looks at has met the end of the input."""
    source, call = record.source, node.named_children[0]
    text = source.text(call)
    is_block = source.parents[node.id].type == "compound_statement"
    if source.library_call(call) != "read" or left_by_break(source, node) not in LOOPS or not is_block:
        return whole
    if counted_reads(source, node) is not None:
        return whole
    new = f"if ({text} <= 0) break;"
    which = "" if record.line(node).count(text) == 1 else UNCLEAR
    edits = [Edit(node.start_byte, node.end_byte, new)]
    made = record.add(node, edits, f"with `{new}` instead of {which}`{text};`", LIKELIEST)
    return b"if (%s) { if ((%s) <= 0) break; } else { %s }" % (made, record.raw(call), whole)


def if_statement(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Remove an `if` that only decides whether a loop goes on, and whose condition does nothing."""
    whole = without_condition(record, node, while_instead(record, node, else_branch(record, node, whole)))
    kind = removable_jump(record.source, node)
    if not kind:
        return whole
    which = "" if len(record.in_row(node, "if")) == 1 else UNCLEAR
    says = f"without the {which}`if` and its `{kind}`"
    made = record.add(node, record.without(node.start_byte, node.end_byte), says, REMOVAL, node.end_point.row + 1)
    return b"{ if (!(%s)) { %s } }" % (made, whole)


def block(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Add a `break` at the end of an `if` in a loop, and set variables again at the beginning of a loop.

    What changes move to the end of the block is added there.
    """
    whole = b"".join([whole[:-1], *record.later.get(node.id, ()), b"}"])
    whole = _failing(record, node, whole)
    around = record.source.parents[node.id]
    if around.type == "if_statement" and record.source.is_in_loop(around):
        end = node.end_byte - 1
        which = "" if len(record.in_row(around, "if")) == 1 else UNCLEAR
        says = f"with `break;` at the end of the block of the {which}`if`"
        made = record.add(around, [Edit(end, end, " break; ")], says, JUMP)
        return whole[:-1] + b" if (%s) break; }" % made
    if around.type in LOOPS:
        start = node.start_byte + 1
        which = "" if len(record.in_row(around, "for", "while", "do")) == 1 else UNCLEAR
        for name, value in _set_in(record.source, node).items():
            says = f"with `{name} = {value};` at the beginning of the body of the {which}loop"
            rank = IDLE if _is_set_outside(record.source, around, name) else JUMP
            made = record.add(around, [Edit(start, start, f" {name} = {value};")], says, rank)
            whole = whole[:1] + b" if (%s) %s = %s;" % (made, name.encode(), value.encode()) + whole[1:]
        whole = moved_back(record, node, whole)
    return whole


def _failing(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Set the exit status in the block of an `if` that jumps to the end of main without it."""
    source, around = record.source, record.source.parents[node.id]
    statements = [one for one in node.named_children if one.type != "comment"]
    leaves = bool(statements) and statements[-1].type in ("goto_statement", "break_statement")
    if around.type != "if_statement" or not leaves or not _is_main(source, node):
        return whole
    for name in _statuses(source, node):
        start = node.start_byte + 1
        which = "" if len(record.in_row(around, "if")) == 1 else UNCLEAR
        says = f"with `{name} = 1;` at the beginning of the block of the {which}`if`"
        made = record.add(around, [Edit(start, start, f" {name} = 1;")], says, JUMP)
        whole = b"{ if (%s) %s = 1; %s" % (made, name.encode("ascii"), whole[1:])
    return whole


def _statuses(source: CSource, block: Node) -> set[str]:
    """Return the variables that main returns, that are 0 at first, and that a block does not set."""
    names = [
        name
        for one in source.nodes("return_statement")
        if _is_main(source, one)
        for name in one.named_children
        if name.type == "identifier"
    ]
    assigned = [source.child(node, "left", "identifier") for node in source.nodes("assignment_expression")]
    set_in = {source.text(name) for name in assigned if name is not None and holds(block, name)}
    return {source.text(name) for name in names if source.first_value(source.declared(name)) == 0} - set_in


def _may_check(source: CSource, statement: Node) -> bool:
    """Return whether a statement ends the program or a function, or calls one of the program's own."""
    if statement.type != "expression_statement":
        return statement.type == "return_statement"
    expression = statement.named_children[0]
    is_call = expression.type == "call_expression"
    return is_call and source.library_call(expression) in ("", "exit", "_exit", "_Exit", "abort")


def _named(record: ChangeRecorder, statement: Node) -> str:
    """Name a statement that is an expression by what it calls or counts, or as the only one of its line."""
    name = record.source.child(statement.named_children[0], "function", "identifier")
    if name is not None:
        return f"{record.which(name) or 'the '}call of `{record.source.text(name)}`"
    text = record.source.text(statement)
    if _UPDATE.fullmatch(text):
        return f"`{text}`"
    row = statement.start_point.row
    others = [one for one in record.source.nodes(*STATEMENTS) if row in (one.start_point.row, one.end_point.row)]
    return "the statement" if [one.id for one in others] == [statement.id] else UNCLEAR


def _frees_too_early(source: CSource, statement: Node) -> bool:
    """Return whether a statement frees the memory of a variable that is used after it."""
    call = statement.named_children[0] if statement.type == "expression_statement" else statement
    given = source.arguments(call) if source.library_call(call) == "free" else []
    function = source.function_of(statement)
    if [one.type for one in given] != ["identifier"] or function is None:
        return False
    loop = next((one for one in source.ancestors(statement) if one.type in LOOPS), None)
    # In a loop, what is above the call comes after it as well.
    first = loop.start_byte if loop is not None else statement.end_byte
    variable = source.declared(given[0])
    mentions = [
        name
        for name in source.nodes("identifier")
        if first <= name.start_byte < function.end_byte and name.id != given[0].id
        if source.declared(name) == variable
    ]
    around = source.parents[mentions[0].id] if mentions else statement
    is_set = mentions and mentions[0] in (
        around.child_by_field_name("left"),
        around.child_by_field_name("declarator"),
    )
    return bool(mentions) and not is_set


def _may_set(source: CSource, body: Node, name: Node) -> bool:
    """Return whether the body of a loop sets a variable, or a function that it may call does."""
    known, around = source.declared(name), source.function_of(body)
    for node in source.nodes("assignment_expression"):
        other = source.child(node, "left", "identifier")
        if other is not None and known is not None and source.declared(other) == known:
            is_inside = body.start_byte <= node.start_byte < body.end_byte
            if is_inside or source.function_of(node) != around:
                return True
    return False


def _set_in(source: CSource, body: Node) -> dict[str, str]:
    """Return the variables that are set in the body of a loop and declared before it, each with its first value.

    The value may also be assigned right before the loop, and a function of the program may set the variable.
    """
    found = {}
    before = source.parents[body.id].prev_named_sibling
    while before is not None and before.type == "expression_statement" and before.named_children:
        name, value = (before.named_children[0].child_by_field_name(side) for side in ("left", "right"))
        if name is not None and value is not None and name.type == "identifier" and _may_set(source, body, name):
            text = source.text(value)
            if source.value(value) is not None and text.isalnum():
                found[source.text(name)] = text
        before = before.prev_named_sibling
    for node in source.nodes("assignment_expression"):
        name = source.child(node, "left", "identifier")
        if name is None or not body.start_byte <= node.start_byte < body.end_byte:
            continue
        declared = source.declared(name)
        if declared is None or declared.name.start_byte >= body.start_byte or declared.type is None:
            continue
        first = source.parents[declared.name.id]
        value = first.child_by_field_name("value") if first.type == "init_declarator" else None
        if value is not None and not declared.type.depth and source.value(value) is not None:
            text = source.text(value)
            if text.isalnum():
                found[source.text(name)] = text
    return found


def _is_set_outside(source: CSource, loop: Node, name: str) -> bool:
    """Return whether the body of a loop around this one is the likelier place to set a variable again."""
    bodies = [one.child_by_field_name("body") for one in source.ancestors(loop) if one.type in LOOPS]
    return any(body is not None and name in _set_in(source, body) for body in bodies)


def _is_end_of_input(source: CSource, node: Node) -> bool:
    """Return whether a statement is the only one of a `case` for the end of the input."""
    case = source.parents[node.id]
    switch = next((one for one in source.ancestors(node) if one.type == "switch_statement"), None)
    condition, value = switch and switch.child_by_field_name("condition"), case.child_by_field_name("value")
    if condition is None or value is None or case.type != "case_statement":
        return False
    is_alone = [one.id for one in case.named_children if one.type != "comment"] == [value.id, node.id]
    return is_alone and source.value(value) in (0, -1) and reads_in(source, condition)


def _is_main(source: CSource, node: Node) -> bool:
    function = source.function_of(node)
    return function is not None and source.name_of(function) == "main"


def returning(record: ChangeRecorder, function: Node, body: bytes) -> bytes:
    """Return the body of a function, at whose end each of its parameters may be returned if nothing is."""
    name, block = record.source.name_of(function), function.child_by_field_name("body")
    returned = record.source.type_returned(name)
    if block is None or returned is None or returned.depth or returned.name == "void" or name == "main":
        return body
    statements = [one for one in block.named_children if one.type != "comment"]
    if statements and statements[-1].type == "return_statement":
        return body
    end, end_line = block.end_byte - 1, block.end_point.row + 1
    for one in record.source.parameters[name]:
        if one.type is not None and not one.type.depth:
            variable = record.source.text(one.name)
            says = f"with `return {variable};` at the end of the function"
            edits = [Edit(end, end, f"    return {variable};\n")]
            made = record.add_at(range(end_line, end_line + 1), edits, says, LIKELIEST)
            body = body[:-1] + b" if (%s) return %s; }" % (made, variable.encode("ascii"))
    return body
