"""Constructs of a source that are suspicious by themselves, whatever the program did.

Each function says what the syntax tree shows. Where that is not enough to be sure, nothing is suspicious.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from grader.diagnose.c_library import ENDS, EXITS, READS
from grader.diagnose.source.c_source import CHAR, INT, LEAST_TABLE, LOOPS, UNSIGNED_CHAR, CSource, Declared, Type

BYTES = 256
"""Number of different bytes."""

_LEAVES = ("return_statement", "break_statement")
_BELOW = {"<": 0, "!=": 0, "<=": 1}


def holds(outer: Node, inner: Node) -> bool:
    """Return whether a node is in another one, or is the same."""
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def loops_around(source: CSource, node: Node) -> list[Node]:
    """Return the loops of a function that repeat a node, the innermost first."""
    return [one for one in source.ancestors(node) if one.type in LOOPS]


def reads_in(source: CSource, node: Node) -> bool:
    """Return whether a part of the source reads input, perhaps by a function of its own."""
    names = {*READS, *_own_readers(source)}
    return any(holds(node, call) for call in source.calls(*names))


def _own_readers(source: CSource) -> Iterator[str]:
    for name, function in source.functions.items():
        if any(holds(function, call) for call in source.calls(*READS)):
            yield name


def filled(source: CSource, functions: Mapping[str, int]) -> Iterator[int]:
    """Yield the variables that functions fill, by the argument that says where, as the ids of their names."""
    for name, index in functions.items():
        for call in source.calls(name):
            for given in source.arguments(call)[index : index + 1]:
                target = source.bare(given)
                if target.type == "pointer_expression" and source.text(target).startswith("&"):
                    target = source.child(target, "argument") or target
                known = source.declared(target) if target.type == "identifier" else None
                if known is not None:
                    yield known.name.id


def is_read_into(source: CSource, identifier: Node) -> bool:
    """Return whether read stores what it reads in this variable."""
    known = source.declared(identifier)
    return known is not None and known.name.id in {*filled(source, {"read": 1})}


def is_counted(source: CSource, identifier: Node, within: Node | None = None) -> bool:
    """Return whether a variable is increased or decreased by `++`, `--`, `+=` or `-=`."""
    known = source.declared(identifier)
    changed = [(node, "argument") for node in source.nodes("update_expression")]
    changed += [
        (node, "left")
        for node in source.nodes("assignment_expression")
        if source.text(node.child_by_field_name("operator") or node) in ("+=", "-=")
    ]
    return known is not None and any(
        target is not None and target.type == "identifier" and source.declared(target) == known
        for node, field in changed
        if within is None or holds(within, node)
        for target in [node.child_by_field_name(field)]
    )


def assigned_entries(source: CSource, array: Declared) -> Iterator[tuple[Node, Node]]:
    """Yield the assignments to entries of an array, each with the index."""
    for node in source.nodes("assignment_expression"):
        left = source.child(node, "left", "subscript_expression")
        name = source.child(left, "argument", "identifier") if left is not None else None
        index = source.child(left, "index") if left is not None else None
        if name is not None and index is not None and source.declared(name) == array:
            yield node, source.bare(index)


def _bound(source: CSource, loop: Node) -> tuple[Node, int] | None:
    """Return the variable of a loop that counts up to a constant, and the first number that it does not reach."""
    condition = loop.child_by_field_name("condition")
    bare = source.bare(condition) if condition is not None else None
    if bare is None or bare.type != "binary_expression":
        return None
    left, right = bare.child_by_field_name("left"), bare.child_by_field_name("right")
    operator = bare.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type not in _BELOW:
        return None
    left, end = source.bare(left), source.value(right)
    return (left, end + _BELOW[operator.type]) if left.type == "identifier" and end is not None else None


def ends_before_last_entry(source: CSource, condition: Node) -> bool:
    """Return whether a loop that fills an array ends before its last entry, and no other loop sets the rest."""
    loop = source.parents[condition.id]
    bound = _bound(source, loop) if loop.type in LOOPS else None
    if bound is None:
        return False
    variable, end = bound
    for node, index in assigned_entries_in(source, loop):
        field = _field_array(source, node)
        if field is not None and index.type == "identifier" and source.declared(index) == source.declared(variable):
            is_set = any(source.calls("memset", "memcpy")) or len([*_filled_in_loops(source, node)]) > 1
            if end < field and not is_set:
                return True
            continue
        known = source.declared(_array_name(source, node) or node)
        if known is None or known.array is None or index.type != "identifier":
            continue
        if source.declared(index) == source.declared(variable) and _filled_up_to(source, known) < known.array:
            return True
    return False


def _field_array(source: CSource, assignment: Node) -> int | None:
    """Return the number of elements of the array that an assignment sets an entry of if it is part of a structure."""
    left = source.child(assignment, "left", "subscript_expression")
    name = source.child(source.child(left, "argument", "field_expression") or assignment, "field") if left else None
    sizes = [
        source.value(size)
        for node in source.nodes("field_declaration")
        for array in node.children_by_field_name("declarator")
        if array.type == "array_declarator" and name is not None
        for own, size in [(array.child_by_field_name("declarator"), array.child_by_field_name("size"))]
        if own is not None and size is not None and source.text(own) == source.text(name)
    ]
    return sizes[0] if len(sizes) == 1 else None


def _filled_in_loops(source: CSource, assignment: Node) -> Iterator[Node]:
    """Yield the assignments to entries of the same name whose index is a variable that is counted."""
    left = source.child(assignment, "left", "subscript_expression")
    name = source.child(left, "argument") if left is not None else None
    for node in source.nodes("assignment_expression"):
        other = source.child(node, "left", "subscript_expression")
        array, index = (source.child(other, part) for part in ("argument", "index")) if other else (None, None)
        if name is None or array is None or index is None or _last_name(source, array) != _last_name(source, name):
            continue
        if index.type == "update_expression" or (index.type == "identifier" and is_counted(source, index)):
            yield node


def _last_name(source: CSource, array: Node) -> str:
    return source.text(source.child(array, "field") or array)


def assigned_entries_in(source: CSource, loop: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the assignments to entries of arrays in a loop, each with the index."""
    for node in source.nodes("assignment_expression"):
        left = source.child(node, "left", "subscript_expression") if holds(loop, node) else None
        index = source.child(left, "index") if left is not None else None
        if index is not None:
            yield node, source.bare(index)


def _array_name(source: CSource, assignment: Node) -> Node | None:
    left = source.child(assignment, "left", "subscript_expression")
    return source.child(left, "argument", "identifier") if left is not None else None


def _filled_up_to(source: CSource, array: Declared) -> int:
    """Return the number of the first entry that neither a loop nor a constant index reaches."""
    last = 0
    for node, index in assigned_entries(source, array):
        value = source.value(index)
        if value is not None:
            last = max(last, value + 1)
            continue
        bounds = [bound for loop in loops_around(source, node) if (bound := _bound(source, loop)) is not None]
        own = [
            end
            for variable, end in bounds
            if index.type == "identifier" and source.declared(index) == source.declared(variable)
        ]
        last = max([last, *own])
        # A loop that is not understood may set all the others.
        if not own and index.type == "update_expression":
            last = max(last, array.array or 0)
    return last


def is_asked(source: CSource, node: Node) -> bool:
    """Return whether an expression, or a part of it, decides something."""
    inner = node
    for parent in source.ancestors(node):
        if parent.type in ("if_statement", "while_statement", "for_statement", "conditional_expression"):
            condition = parent.child_by_field_name("condition")
            return condition is not None and holds(condition, inner)
        if parent.type.endswith("_statement") or parent.type == "declaration":
            return False
        inner = parent
    return False


def conditions_around(source: CSource, node: Node) -> list[Node]:
    """Return the conditions of each `if` around a node."""
    ifs = [one for one in source.ancestors(node) if one.type == "if_statement"]
    return [condition for one in ifs if (condition := one.child_by_field_name("condition")) is not None]


def is_asked_before(source: CSource, assignment: Node) -> bool:
    """Return whether an `if` around an assignment asks for the entry of an array that it sets."""
    entry = source.child(assignment, "left", "subscript_expression")
    return entry is not None and any(
        holds(condition, node) and source.text(node) == source.text(entry)
        for condition in conditions_around(source, assignment)
        for node in source.nodes("subscript_expression")
    )


def is_small_table(source: CSource, name: Node) -> bool:
    """Return whether an array for bytes is declared here with fewer entries than there are bytes."""
    found = [one for one in source.declarations(name) if one.name.id == name.id]
    if not found or not LEAST_TABLE <= (found[0].array or 0) < BYTES:
        return False
    for node in source.nodes("subscript_expression"):
        argument, index = source.child(node, "argument", "identifier"), source.child(node, "index")
        if argument is not None and index is not None and source.declared(argument) == found[0]:
            known = source.type_of(index)
            if known == Type(UNSIGNED_CHAR):
                return True
    return False


def is_never_reset(source: CSource, variable: Node) -> bool:
    """Return whether a variable that a search sets remains set for all later bytes of the input.

    It is set to one constant in the loop that reads, tested there, and set to nothing else there.
    """
    assignment, known = source.parents[variable.id], source.declared(variable)
    reading = [loop for loop in loops_around(source, variable) if reads_in(source, loop)]
    right = assignment.child_by_field_name("right")
    value = source.value(right) if right is not None else None
    if known is None or not reading or value is None or holds(reading[-1], known.name):
        return False
    loop = reading[-1]
    condition = loop.child_by_field_name("condition")
    tested = False
    for node in source.nodes("identifier"):
        if not holds(loop, node) or source.declared(node) != known:
            continue
        parent = source.parents[node.id]
        right = parent.child_by_field_name("right")
        is_set = parent.type == "assignment_expression" and parent.child_by_field_name("left") == node
        if (is_set and (right is None or source.value(right) != value)) or parent.type in (
            "update_expression",
            "pointer_expression",
        ):
            return False
        if condition is not None and holds(condition, node):
            return False
        tested |= is_asked(source, node)
    return tested


def is_inner(source: CSource, node: Node) -> bool:
    """Return whether a loop that reads nothing repeats a node, inside of one that reads."""
    loops = loops_around(source, node)
    return bool(loops) and not reads_in(source, loops[0]) and any(reads_in(source, loop) for loop in loops[1:])


def is_repeated(source: CSource, call: Node) -> bool:
    """Return whether each round of a search writes, and goes on."""
    statement = next((one for one in source.ancestors(call) if one.type == "expression_statement"), None)
    if statement is None or not is_inner(source, call):
        return False
    block = source.parents[statement.id]
    after = block.named_children if block.type == "compound_statement" else []
    return not any(one.type in _LEAVES and one.start_byte > statement.start_byte for one in after)


def ends_first_round(source: CSource, leaving: Node) -> bool:
    """Return whether a `return` or `break` always ends a loop in its first round.

    It is the last statement of the loop's body, or the `else` of one whose `if` leaves the loop as well.
    """
    statement = leaving
    while source.parents[statement.id].type == "compound_statement" and not _is_body(source, statement):
        block = source.parents[statement.id]
        if statement != block.named_children[-1] or _is_body(source, block):
            return _is_body(source, block) and statement == block.named_children[-1] and not _continues(source, block)
        statement = block
    parent = source.parents[statement.id]
    if parent.type in LOOPS:
        return True
    if parent.type != "else_clause":
        return False
    branch = source.parents[parent.id]
    consequence = branch.child_by_field_name("consequence")
    return (
        consequence is not None
        and _leaves(consequence)
        and _leaves_loop(source, branch)
        and bool(loops_around(source, leaving))
    )


def _is_body(source: CSource, block: Node) -> bool:
    parent = source.parents[block.id]
    return parent.type in LOOPS and parent.child_by_field_name("body") == block


def _leaves_loop(source: CSource, branch: Node) -> bool:
    """Return whether a statement is the first of a loop's body, or the body itself: it is reached in each round."""
    block = source.parents[branch.id]
    if block.type in LOOPS:
        return True
    return _is_body(source, block) and not _continues(source, block)


def _continues(source: CSource, block: Node) -> bool:
    """Return whether a round of a loop may end before the last statement of its body."""
    return any(holds(block, node) for node in source.nodes("continue_statement"))


def _leaves(node: Node) -> bool:
    """Return whether a branch ends with `return` or `break`."""
    last = node.named_children[-1] if node.type == "compound_statement" and node.named_children else node
    return last.type in _LEAVES


def is_partly_set(source: CSource, name: Node) -> bool:
    """Return whether an integer of several bytes is declared here, and a call stores a single byte in it."""
    found = [one for one in source.declarations(name) if one.name.id == name.id]
    if not found or found[0].type != Type(INT):
        return False
    for call in source.calls("read", "fread"):
        given = source.arguments(call)
        at = 1 if source.library_call(call) == "read" else 0
        if not source.library_call(call) or len(given) <= at + 1:
            continue
        sizes = [source.value(one) for one in given[at + 1 : at + (2 if at else 3)]]
        target = source.uncast(given[at])
        variable = source.child(target, "argument", "identifier") if target.type == "pointer_expression" else None
        if variable is not None and source.declared(variable) == found[0] and all(size == 1 for size in sizes):
            return True
    return False


def is_length(source: CSource, node: Node, depth: int = 0) -> bool:
    """Return whether an expression is the length of a string, counted by strlen or by the program itself."""
    node = source.uncast(node)
    if node.type == "call_expression":
        return source.library_call(node) in ("strlen", "strnlen") or _counts_string(source, node)
    known = source.declared(node) if node.type == "identifier" else None
    if known is None or known.type != Type(INT) or depth > 1:
        return False
    values = [value for value in source.values_of(known) if source.value(value) is None]
    return (bool(values) and all(is_length(source, value, depth + 1) for value in values)) or (
        not values and _counts_entries(source, known)
    )


def _counts_string(source: CSource, call: Node) -> bool:
    """Return whether a function of the source gets one string and returns what it counted."""
    function = source.child(call, "function", "identifier")
    name = source.text(function) if function is not None else ""
    definition, parameters = source.functions.get(name), source.parameters.get(name, [])
    if definition is None or len(parameters) != 1 or source.type_returned(name) != Type(INT):
        return False
    if parameters[0].type not in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1)):
        return False
    results = [
        source.bare(node.named_children[0])
        for node in source.nodes("return_statement")
        if holds(definition, node) and node.named_children
    ]
    loops = any(holds(definition, loop) for loop in source.nodes(*LOOPS))
    return bool(results) and loops and all(_is_count(source, result, definition) for result in results)


def _is_count(source: CSource, result: Node, definition: Node) -> bool:
    result = source.uncast(result)
    if result.type == "binary_expression":
        return source.text(result.child_by_field_name("operator") or result) == "-"
    return result.type == "identifier" and is_counted(source, result, definition)


def _counts_entries(source: CSource, variable: Declared) -> bool:
    """Return whether a variable counts the bytes of a string up to its end."""
    for loop in source.nodes(*LOOPS):
        condition = loop.child_by_field_name("condition")
        if condition is None:
            continue
        for node in source.nodes("subscript_expression"):
            index = source.child(node, "index", "identifier") if holds(condition, node) else None
            if index is not None and source.declared(index) == variable and is_counted(source, index, loop):
                return True
        # while (*s++) n++;
        if source.text(source.bare(condition)).startswith("*") and any(
            holds(loop, node)
            and target is not None
            and target.type == "identifier"
            and source.declared(target) == variable
            for node in source.nodes("update_expression")
            for target in [node.child_by_field_name("argument")]
        ):
            return True
    return False


def ends_before_last_byte(source: CSource, condition: Node) -> bool:
    """Return whether the condition of an inner loop leaves out the last byte of a string, and the loop does too."""
    loop, bare = source.parents[condition.id], source.bare(condition)
    if loop.type not in LOOPS or bare.type != "binary_expression" or not loops_around(source, loop):
        return False
    operator, right = bare.child_by_field_name("operator"), bare.child_by_field_name("right")
    left, limit = source.child(bare, "left", "identifier"), source.bare(right) if right is not None else None
    if left is None or limit is None or limit.type != "binary_expression":
        return False
    one = limit.child_by_field_name("right")
    is_less = source.text(limit.child_by_field_name("operator") or limit) == "-"
    if operator is None or operator.type not in ("<", "!=") or not is_less or one is None or source.value(one) != 1:
        return False
    # A loop that compares neighbours reaches the last byte so.
    indices = [
        node.child_by_field_name("index") for node in source.nodes("subscript_expression") if holds(loop, node)
    ]
    sums = [index for index in indices if index is not None and source.bare(index).type == "binary_expression"]
    return not any(source.text(left) in source.text(index) for index in sums)


def is_pointer(source: CSource, name: Node) -> bool:
    """Return whether a variable is a pointer, and not an array; a parameter with brackets is a pointer."""
    known = source.declared(source.bare(name)) if source.bare(name).type == "identifier" else None
    if known is None or known.type is None or not known.type.depth:
        return False
    is_array = source.parents[known.name.id].type == "array_declarator"
    return not is_array or known.declaration.type == "parameter_declaration"


def is_success(source: CSource, leaving: Node) -> bool:
    """Return whether a statement ends the program with status 0 before it has come to its end."""
    function = source.function_of(leaving)
    name = source.name_of(function) if function is not None else ""
    if any(one.type == "if_statement" for one in source.ancestors(leaving)):
        is_conditional = not reads_in(
            source, next(one for one in source.ancestors(leaving) if one.type == "if_statement")
        )
    else:
        is_conditional = False
    if leaving.type == "return_statement":
        value = leaving.named_children[0] if leaving.named_children else None
        return name == "main" and is_conditional and value is not None and source.value(value) == 0
    given = source.arguments(leaving)
    is_exit = source.library_call(leaving) in EXITS
    return is_exit and (is_conditional or name != "main") and bool(given) and source.value(given[0]) == 0


def joins(node: Node) -> bool:
    """Return whether an expression only joins conditions, or has parentheses around one."""
    operator = node.child_by_field_name("operator")
    return node.type == "parenthesized_expression" or (operator is not None and operator.type in ("&&", "||", "!"))


def decides_refusal(source: CSource, condition: Node) -> bool:
    """Return whether an `if` with this condition calls exit, or what does, or returns something else than 0."""
    body = source.parents[condition.id].child_by_field_name("consequence")
    if body is None:
        return False
    if any(holds(body, one) for one in source.nodes("goto_statement")):
        return True
    for node in source.nodes("return_statement"):
        value = next(iter(node.named_children), None)
        if value is not None and holds(body, node) and source.value(value) != 0:
            return True
    return any(holds(body, one) and _ends_program(source, one) for one in source.nodes("call_expression"))


def _ends_program(source: CSource, call: Node) -> bool:
    """Return whether a call is one of exit, or of a macro or function of the source that has one."""
    if source.library_call(call) in ENDS:
        return True
    name = source.text(source.child(call, "function", "identifier") or call)
    own = source.functions.get(name)
    macros = [
        one for one in source.nodes("preproc_function_def") if source.text(source.child(one, "name") or one) == name
    ]
    return any(
        (own is not None and holds(own, one)) and source.library_call(one) in ENDS
        for one in source.nodes("call_expression")
    ) or any(f"{ends}(" in source.text(macro) for macro in macros for ends in ENDS)
