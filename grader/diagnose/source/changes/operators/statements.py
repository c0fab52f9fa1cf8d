"""Operators on statements: one less, one more, one in another place, another way to leave a loop."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_library import ENDS
from grader.diagnose.source.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Declared, Type
from grader.diagnose.source.changes.jumps import ends_round, is_only, left_by_break, removable_jump
from grader.diagnose.source.changes.offers import Offer, inserted, replaced
from grader.diagnose.source.changes.reads import (
    WRITES,
    ByteRead,
    byte_read_in,
    is_read,
    is_write,
    reads_byte,
    written,
    written_by,
)
from grader.diagnose.source.constructs import BYTES, assigned_entries, holds, loops_around, reads_in
from grader.diagnose.source.edits import COMPARISON, IDLE, JUMP, LIKELIEST, LOGICAL, LOSS, REMOVAL, Edit, without

MAX_TABLES = 2

STATEMENTS = (
    *("expression_statement", "return_statement", "break_statement", "continue_statement", "goto_statement"),
    *("declaration", "if_statement", "switch_statement", *LOOPS),
)
_BLOCKS = ("compound_statement", "case_statement")
_SETTING = ("assignment_expression", "update_expression")
_SIMPLE = re.compile(r"[\w\[\] +-]{1,60}")
_TAB = 8


def removed(source: CSource, node: Node) -> Iterator[Offer]:
    """Remove a statement."""
    kind, around = node.type.removesuffix("_statement"), source.parents[node.id]
    if kind in ("break", "continue", "return") and not source.is_in_loop(node):
        return
    if kind == "expression" and not node.named_children:
        return
    rank = LOSS if _may_check(source, node) else IDLE if is_only(source, node) else REMOVAL
    if rank == REMOVAL and node.named_children and _is_text(source, node.named_children[0], "string_literal"):
        # A prompt, or a heading.
        rank = COMPARISON
    is_early_free = _frees_too_early(source, node)
    stored = node.named_children[0].child_by_field_name("right") if node.named_children else None
    is_constant = stored is not None and source.value(stored) is not None
    is_call = bool(node.named_children) and node.named_children[0].type == "call_expression"
    if around.type in _BLOCKS or is_constant or is_call:
        # Elsewhere an `if` or a loop has nothing else to do.
        edits = [Edit(node.start_byte, node.end_byte, ";")]
        yield Offer("early-free" if is_early_free else "statement", edits, LIKELIEST if is_early_free else rank)
    elif around.type == "else_clause" and kind != "expression":
        yield Offer("else", without(source.data, around.start_byte, around.end_byte), rank, (node,))


def jump(source: CSource, node: Node) -> Iterator[Offer]:
    """Write `continue` for `break`, or the opposite, or leave the program from within a `switch`."""
    kind, word = node.type.removesuffix("_statement"), node.children[0]
    if kind == "break" and left_by_break(source, node) == "switch_statement" and _is_in_main(source, node):
        # Such a `break` leaves only the `switch`, and the loop around it goes on.
        yield replaced("return-from-switch", word, "return 0", LIKELIEST if _is_end_of_input(source, node) else JUMP)
    if source.is_in_loop(node):
        other = {"break": "continue", "continue": "break"}[kind]
        yield replaced("jump", word, other, IDLE if other == "continue" and ends_round(source, node) else JUMP)


def moved(source: CSource, node: Node) -> Iterator[Offer]:
    """Move a statement out of a loop, after it or before it, or to the end of the loop that reads."""
    loops = loops_around(source, node)
    block = source.parents[node.id]
    if not loops or block.type != "compound_statement" or not node.named_children:
        return
    text, call = source.text(node), node.named_children[0]
    names = [name for name in source.nodes("identifier") if holds(node, name)]
    outer = source.parents[loops[0].id]
    is_in_body = block == loops[0].child_by_field_name("body") and outer.type == "compound_statement"
    if is_in_body and not any(_is_inside(source, name, loops[0]) for name in names):
        end = loops[0].end_byte
        edits = [Edit(node.start_byte, node.end_byte, ";"), Edit(end, end, f" {text}")]
        yield Offer("moved-after-loop", edits, JUMP, (node, loops[0].children[0]))
    reading = next((loop for loop in loops[:2] if byte_read_in(source, loop) is not None), None)
    body = None if reading is None else reading.child_by_field_name("body")
    if not is_write(source, call) or body is None or body.type != "compound_statement" or not holds(body, node):
        return
    statements = [one for one in body.named_children if one.type != "comment"]
    is_known = block == body or not any(_is_inside(source, name, loops[0]) for name in names)
    if block in (body, loops[0].child_by_field_name("body")) and statements[-1] != node and is_known:
        end = body.end_byte - 1
        edits = [Edit(node.start_byte, node.end_byte, ";"), Edit(end, end, f" {text} ")]
        yield Offer("moved-to-end", edits, JUMP, (node,))


def moved_elsewhere(source: CSource, node: Node) -> Iterator[Offer]:
    """Move what sets a variable to a constant or writes a text: into what comes before it, or before its loop."""
    block, before, text = source.parents[node.id], node.prev_named_sibling, source.text(node)
    if block.type != "compound_statement" or not _is_independent(source, node):
        return
    removal = Edit(node.start_byte, node.end_byte, ";")
    for target in source.nodes("compound_statement"):
        if before is not None and before.type in (*LOOPS, "if_statement") and holds(before, target):
            end, owner = target.end_byte - 1, source.parents[target.id].children[0]
            yield Offer("moved-into", [Edit(end, end, f" {text} "), removal], JUMP, (node, owner))
    loop = source.parents[block.id]
    if loop.type in LOOPS and source.parents[loop.id].type == "compound_statement":
        edits = [Edit(loop.start_byte, loop.start_byte, f"{text} "), removal]
        yield Offer("moved-before-loop", edits, JUMP, (node, loop.children[0]))


def _is_independent(source: CSource, node: Node) -> bool:
    """Return whether a statement sets a variable to a constant, or writes a text without values."""
    does = node.named_children[0] if node.named_children else node
    value = does.child_by_field_name("right") if does.type == "assignment_expression" else None
    if value is not None:
        return source.value(value) is not None
    return _is_text(source, does, "string_literal", "char_literal")


def _is_text(source: CSource, call: Node, *kinds: str) -> bool:
    """Return whether an expression writes a text of these kinds, without values, to standard output."""
    given = source.arguments(call) if source.library_call(call) in ("printf", "puts", "putchar") else []
    return len(given) == 1 and given[0].type in kinds


def _is_inside(source: CSource, name: Node, loop: Node) -> bool:
    """Return whether a name is declared in a loop."""
    known = source.declared(name)
    return known is not None and holds(loop, known.name)


def end_after_read(source: CSource, node: Node) -> Iterator[Offer]:
    """End a loop right after a read has met the end of the input, before anything is done with the byte."""
    is_block = source.parents[node.id].type == "compound_statement"
    if not node.named_children or left_by_break(source, node) not in LOOPS or not is_block:
        return
    if node.type == "declaration":
        declarators = node.children_by_field_name("declarator")
        name = source.child(declarators[0], "declarator", "identifier") if len(declarators) == 1 else None
        call = None if name is None else source.child(declarators[0], "value")
    else:
        name, call = (node.named_children[0].child_by_field_name(side) for side in ("left", "right"))
        if call is None and is_read(source, node.named_children[0]) and not _is_counting(source, node):
            read = source.text(node.named_children[0])
            yield replaced("end-at-read", node, f"if ({read} <= 0) break;", LIKELIEST, node)
    if name is None or call is None or name.type != "identifier":
        return
    op, test = ("end-after-getchar", "== EOF") if reads_byte(source, call) else ("end-after-read", "<= 0")
    if reads_byte(source, call) or is_read(source, call):
        yield inserted(op, node.end_byte, f" if ({source.text(name)} {test}) break;", LOGICAL)


def _is_counting(source: CSource, node: Node) -> bool:
    """Return whether a loop around a statement is left after a fixed number of rounds, whatever is read."""
    condition = next((loop.child_by_field_name("condition") for loop in loops_around(source, node)), None)
    limit = None if condition is None else source.child(source.bare(condition), "right")
    return limit is not None and source.value(limit) is not None


def while_for_if(source: CSource, node: Node) -> Iterator[Offer]:
    """Repeat what an `if` does whose condition reads, where no loop does."""
    condition = source.child(node, "condition")
    is_alone = node.child_by_field_name("alternative") is None and not source.is_in_loop(node)
    if condition is not None and is_alone and reads_in(source, condition):
        yield replaced("while-for-if", node.children[0], "while", LIKELIEST)


def else_branch(source: CSource, node: Node) -> Iterator[Offer]:
    """Write the byte itself in the `else` that an `if` around a write does not have."""
    body, loops = node.child_by_field_name("consequence"), loops_around(source, node)
    if not loops or body is None or node.child_by_field_name("alternative") is not None:
        return
    call = next((one for one in source.calls(*WRITES, "write") if holds(body, one)), None)
    byte = byte_read_in(source, loops[0])
    if call is None or byte is None or loops_around(source, call)[0] != loops[0]:
        return
    statement = written(source, call, byte)
    if statement:
        yield inserted("else-branch", node.end_byte, f" else {statement}", LOGICAL, node.children[0])


def without_if(source: CSource, node: Node) -> Iterator[Offer]:
    """Remove an `if` that only decides whether a loop goes on, or do always what is in an `if`."""
    if removable_jump(source, node):
        yield Offer("if-and-jump", without(source.data, node.start_byte, node.end_byte), REMOVAL)
    condition, alternative = node.child_by_field_name("condition"), node.child_by_field_name("alternative")
    if condition is None or alternative is not None:
        return
    if not any(holds(condition, one) for one in source.nodes(*_SETTING, "call_expression")):
        yield Offer("if-around", without(source.data, node.start_byte, condition.end_byte), REMOVAL)


def assigned_instead(source: CSource, node: Node) -> Iterator[Offer]:
    """Set the byte in a search and leave it, instead of a write there: the write after the search is enough."""
    call = node.named_children[0] if node.named_children else node
    loops = loops_around(source, call)
    is_block = source.parents[node.id].type in ("compound_statement", "if_statement")
    if not is_write(source, call) or len(loops) <= 1 or not is_block or left_by_break(source, node) not in LOOPS:
        return
    byte = byte_read_in(source, loops[1])
    if byte is None or byte_read_in(source, loops[0]) is not None:
        return
    text = written_by(source, call)
    if not _SIMPLE.fullmatch(text) or not byte.is_variable or text == byte.variable:
        return
    is_alone = source.parents[node.id].type == "compound_statement"
    new = f"{byte.variable} = {text}; break;"
    edits = [Edit(node.start_byte, node.end_byte, new if is_alone else f"{{ {new} }}")]
    after = node.next_named_sibling if is_alone else None
    op = "assigned-instead"
    if after is not None and after.type == "return_statement":
        # It would never be reached.
        op = "assigned-instead-of-return"
        edits += without(source.data, after.start_byte, after.end_byte)
    yield Offer(op, edits, REMOVAL, (node,), copied=new)


def write_after_loop(source: CSource, node: Node) -> Iterator[Offer]:
    """Write once more after a loop that reads: what it has collected, or the byte before the one that it reads."""
    body, byte = node.child_by_field_name("body"), byte_read_in(source, node)
    if byte is None or body is None or source.parents[node.id].type != "compound_statement":
        return
    for statement in (*_last_statements(source, node, body, byte), *_flushes(source, node)):
        yield inserted("write-after-loop", node.end_byte, f" {statement}", JUMP, node.children[0])


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
    if not any(source.text(name) == byte.variable or _is_inside(source, name, loop) for name in names):
        yield source.text(writes[0])


def _flushes(source: CSource, loop: Node) -> Iterator[str]:
    """Yield the calls of functions without parameters that write, and that a loop calls, perhaps indirectly."""
    for name, function in source.functions.items():
        is_writer = any(holds(function, call) for call in source.calls(*WRITES, "write", "fwrite"))
        is_called = any(source.parents[call.id].type == "expression_statement" for call in source.calls(name))
        if is_writer and is_called and not source.parameters[name] and function.end_byte < loop.start_byte:
            yield f"{name}();"


def break_in_block(source: CSource, node: Node) -> Iterator[Offer]:
    """Leave a loop at the end of the block of an `if`."""
    around = source.parents[node.id]
    last = node.named_children[-1].type if node.named_children else ""
    goes_on = last not in ("break_statement", "return_statement")
    if around.type == "if_statement" and source.is_in_loop(around) and goes_on:
        yield inserted("break-in-block", node.end_byte - 1, " break; ", JUMP, around.children[0])


def reset_in_loop(source: CSource, node: Node) -> Iterator[Offer]:
    """Give variables their first value again in each round of a loop."""
    around = source.parents[node.id]
    if around.type not in LOOPS:
        return
    for name, value in _set_in(source, node).items():
        rank = IDLE if _is_set_outside(source, around, name) else JUMP
        yield inserted("reset-in-loop", node.start_byte + 1, f" {name} = {value};", rank, around.children[0])


def _variables_set(source: CSource) -> Iterator[tuple[Node, Declared]]:
    """Yield each node that sets a variable, and the variable."""
    for node in source.nodes(*_SETTING):
        name = source.child(node, "left", "identifier") or source.child(node, "argument", "identifier")
        variable = None if name is None else source.declared(name)
        if variable is not None:
            yield node, variable


def _may_set(source: CSource, body: Node, name: Node) -> bool:
    """Return whether the body of a loop sets a variable, or a function that it may call does."""
    known, function = source.declared(name), source.function_of(body)
    return any(
        variable == known and (holds(body, node) or source.function_of(node) != function)
        for node, variable in _variables_set(source)
    )


def _set_in(source: CSource, body: Node) -> dict[str, str]:
    """Return the variables that are set in the body of a loop and declared before it, each with its first value.

    The value may also be assigned right before the loop, and a function of the program may set the variable.
    """
    declared = {
        source.text(variable.name): value
        for node, variable in _variables_set(source)
        if holds(body, node) and variable.name.start_byte < body.start_byte
        if (value := _number_at_declaration(source, variable))
    }
    return dict(_set_before(source, body)) | declared


def _set_before(source: CSource, body: Node) -> Iterator[tuple[str, str]]:
    """Yield the names of variables that get a number right before a loop and may be set in its body, with it."""
    before = source.parents[body.id].prev_named_sibling
    while before is not None and before.type == "expression_statement" and before.named_children:
        name, value = (before.named_children[0].child_by_field_name(side) for side in ("left", "right"))
        if name is not None and value is not None and name.type == "identifier" and _may_set(source, body, name):
            text = _number_text(source, value)
            if text:
                yield source.text(name), text
        before = before.prev_named_sibling


def _number_at_declaration(source: CSource, variable: Declared) -> str:
    """Return the number with which a variable is declared as the source has it, "" if there is none."""
    declarator = source.parents[variable.name.id]
    value = source.child(declarator, "value") if declarator.type == "init_declarator" else None
    is_single = variable.type is not None and not variable.type.depth
    return _number_text(source, value) if value is not None and is_single else ""


def _number_text(source: CSource, value: Node) -> str:
    text = source.text(value)
    return text if source.value(value) is not None and text.isalnum() else ""


def _is_set_outside(source: CSource, loop: Node, name: str) -> bool:
    """Return whether the body of a loop around this one is the likelier place to set a variable again."""
    bodies = [one.child_by_field_name("body") for one in source.ancestors(loop) if one.type in LOOPS]
    return any(body is not None and name in _set_in(source, body) for body in bodies)


def filled_table(source: CSource, node: Node) -> Iterator[Offer]:
    """Set each entry of a table of all bytes to its own index, before the statement that sets the first entries."""
    block = source.parents[node.id]
    if block.type != "compound_statement" or source.parents[block.id].type != "function_definition":
        return
    for name in itertools.islice(_unfilled(source, node), MAX_TABLES):
        loop = f"for (int i = 0; i < {BYTES}; i++) {name}[i] = i;"
        yield inserted("filled-table", node.start_byte, f"{loop} ", LIKELIEST)


def _unfilled(source: CSource, node: Node) -> Iterator[str]:
    """Yield the tables of which a statement is the first that sets entries, none of them to its own index."""
    known = {one.name.id: one for name in source.nodes("identifier") if (one := source.declared(name)) is not None}
    for array in known.values():
        is_table = array.type in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1), Type(INT, 1)) and array.array == BYTES
        entries = [
            (assigned, index, value)
            for assigned, index in (assigned_entries(source, array) if is_table else ())
            if (value := source.child(assigned, "right")) is not None
        ]
        if any(source.text(index) == source.text(source.uncast(value)) for _, index, value in entries):
            continue
        first = next((assigned for assigned, _, value in entries if source.value(value) is None), None)
        if first is not None and holds(node, first):
            yield source.text(array.name)


def bodies(source: CSource) -> Iterator[Offer]:
    """Make the body of an `if` or a loop what its indentation shows.

    Either a semicolon makes the body empty, or only the first of several statements is the body.
    """
    for node in source.nodes("if_statement", "for_statement", "while_statement", "else_clause"):
        outer = source.parents[node.id] if node.type == "else_clause" else node
        while source.parents[outer.id].type == "else_clause":
            outer = source.parents[source.parents[outer.id].id]
        body, below = _body(node), _statements_after(outer)
        if body is None or not below:
            continue
        if source.text(body) != ";":
            yield from _with_braces(source, node, outer, [body, *below])
        elif node.type != "else_clause":
            yield from _without_semicolon(source, node, body, below[0])


def _body(node: Node) -> Node | None:
    """Return the body of an `if` or `else` or a loop, None if it has braces, or is followed by an `else`."""
    field = "consequence" if node.type == "if_statement" else "body"
    body = node.named_children[-1] if node.type == "else_clause" else node.child_by_field_name(field)
    is_last = node.child_by_field_name("alternative") is None
    return body if is_last and body is not None and body.type != "compound_statement" else None


def _without_semicolon(source: CSource, node: Node, body: Node, after: Node) -> Iterator[Offer]:
    """Remove a semicolon that comes right after the condition, and before the real body."""
    bracket = source.data.rfind(b")", node.start_byte, body.start_byte)
    is_near = bracket >= 0 and not source.data[bracket + 1 : body.start_byte].strip(b" ")
    is_meant = after.type == "compound_statement" or _column(source, after) > _column(source, node)
    if is_near and is_meant:
        yield Offer("semicolon", [Edit(body.start_byte, body.end_byte, "")], LIKELIEST)


def _with_braces(source: CSource, node: Node, outer: Node, statements: list[Node]) -> Iterator[Offer]:
    """Make all of these statements the body that begin in the column of the first.

    `outer` is the statement whose indentation counts: that of an `else` is its `if`.
    """
    first = statements[0]
    column = _column(source, first)
    same = [*itertools.takewhile(lambda one: _column(source, one) == column, statements)]
    if len(same) > 1 and column > _column(source, outer) and first.start_point.row != node.start_point.row:
        edits = [Edit(first.start_byte, first.start_byte, "{ "), Edit(same[-1].end_byte, same[-1].end_byte, " }")]
        yield Offer("braces", edits, LIKELIEST, (node.children[0],))


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


def _may_check(source: CSource, statement: Node) -> bool:
    """Return whether a statement ends the program or a function, or calls one of the program's own."""
    if statement.type != "expression_statement":
        return statement.type == "return_statement"
    expression = statement.named_children[0]
    is_call = expression.type == "call_expression"
    return is_call and source.library_call(expression) in ("", *ENDS)


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


def _is_end_of_input(source: CSource, node: Node) -> bool:
    """Return whether a statement is the only one of a `case` for the end of the input."""
    case = source.parents[node.id]
    switch = next((one for one in source.ancestors(node) if one.type == "switch_statement"), None)
    condition, value = switch and switch.child_by_field_name("condition"), case.child_by_field_name("value")
    if condition is None or value is None or case.type != "case_statement":
        return False
    is_alone = [one.id for one in case.named_children if one.type != "comment"] == [value.id, node.id]
    return is_alone and source.value(value) in (0, -1) and reads_in(source, condition)


def _is_in_main(source: CSource, node: Node) -> bool:
    function = source.function_of(node)
    return function is not None and source.name_of(function) == "main"
