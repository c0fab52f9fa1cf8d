"""Operators on numbers, names and arguments: another value, another variable, two words exchanged, a cast."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_library import DESCRIPTORS, EXITS, STREAMS
from grader.diagnose.source.c_source import CHAR, INT, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.source.changes.offers import Offer, inserted, replaced
from grader.diagnose.source.changes.operators.conditions import are_numbers, is_string_size, sides
from grader.diagnose.source.changes.reads import WRITES
from grader.diagnose.source.constructs import BYTES, ends_before_last_entry, holds, joins
from grader.diagnose.source.edits import ARGUMENT, IDLE, LIKELIEST, LOGICAL, NUMBER, Edit

MAX_NAMES = 2
LARGEST = 1_000_000
SMALL = 3
"""Exit statuses, descriptors and the numbers of operands are smaller."""

_FORMATTED = ("printf", "fprintf", "perror", "puts", "fputs")
_STORED = {"init_declarator": "value", "assignment_expression": "right"}
"""Where the value is in what gives a variable one."""


def number(source: CSource, node: Node) -> Iterator[Offer]:
    """Write another number that makes sense in its place."""
    value = source.value(node)
    if value is None or not 0 <= value <= LARGEST or _is_divisor(source, node):
        return
    around = source.parents[node.id]
    least = 1 if around.type == "subscript_expression" and _is_argv(source, around) else 0
    if around.type == "argument_list":
        others, rank = _values_of(source, node), ARGUMENT
    elif around.type in ("return_statement", "subscript_expression"):
        others, rank = tuple(range(least, SMALL)) if value < SMALL else (), ARGUMENT
    elif around.type in _STORED:
        others, rank = ((0, 1) if value in (0, 1) else ()), NUMBER
    else:
        others, rank = (value + 1, value - 1), NUMBER
    comparison = sides(around)
    is_limit = comparison is not None and comparison[2] == node and ends_before_last_entry(source, around)
    if comparison is not None and is_limit and comparison[1].type in ("<", "<="):
        # A table for all bytes is filled only in part.
        yield replaced("whole-table", node, str(BYTES - (comparison[1].type == "<=")), LIKELIEST)
    for other in others:
        if other >= 0 and other != value and not _is_checked(source, node, str(other)):
            yield replaced("number", node, str(other), _rank_of(source, node, str(other), rank))


def fractions(source: CSource) -> Iterator[Offer]:
    """Divide by a number with a fraction; in the copy with all changes, each quotient would have one."""
    for node in source.nodes("number_literal"):
        is_in_index = any(outer.type == "subscript_expression" for outer in source.ancestors(node))
        if _is_divisor(source, node) and source.value(node) is not None and not is_in_index:
            yield replaced("number", node, f"{source.text(node)}.0", NUMBER)


def _is_divisor(source: CSource, node: Node) -> bool:
    found = sides(source.parents[node.id])
    return found is not None and found[1].type == "/" and found[2] == node


def begin_after_outer(source: CSource, node: Node) -> Iterator[Offer]:
    """Begin an inner loop after the place of the outer one: then a byte is not compared with itself."""
    around = source.parents[node.id]
    field = _STORED.get(around.type)
    is_value = field is not None and around.child_by_field_name(field) == node
    outer = _outer_counter(source, node) if is_value and source.value(node) in (None, 0, 1) else ""
    if outer and source.text(node) in (outer, "0", "1"):
        # The two may differ in `const`.
        copied = f"(__typeof__({outer}))({source.text(node)}+1)" if source.text(node) == outer else f"{outer} + 1"
        yield replaced("begin-after-outer", node, f"{outer} + 1", LOGICAL, copied=copied)


def _outer_counter(source: CSource, value: Node) -> str:
    """Return the variable of the loop around one that begins with a value, "" if there is none of its type."""
    loops = [one for one in source.ancestors(value) if one.type == "for_statement"][:2]
    begins = [loop.child_by_field_name("initializer") for loop in loops]
    if len(loops) != 2 or begins[0] is None or begins[1] is None or not holds(begins[0], value):  # noqa: PLR2004
        return ""
    around = source.parents[value.id]
    own = _declared_name(source, source.child(around, "left") or source.child(around, "declarator"))
    names = [
        _declared_name(source, source.child(node, field))
        for kind, field in (("assignment_expression", "left"), ("init_declarator", "declarator"))
        for node in source.nodes(kind)
        if holds(begins[1], node)
    ]
    outer = names[0] if len(names) == 1 else None
    if own is None or outer is None:
        return ""
    known = [source.declared(name) for name in (own, outer)]
    depths = [None if one is None or one.type is None else one.type.depth for one in known]
    return source.text(outer) if depths[0] is not None and depths[0] == depths[1] else ""


def _declared_name(source: CSource, declarator: Node | None) -> Node | None:
    found = None if declarator is None else source.declared_name(declarator)
    return None if found is None else found[0]


def name(source: CSource, node: Node) -> Iterator[Offer]:
    """Use another variable of the same type, or another descriptor, or the entry of a table."""
    text, around = source.text(node), source.parents[node.id]
    if text in STREAMS and around.type == "argument_list":
        meant = _values_of(source, node)
        others = [(other, str(value)) for other, value in STREAMS.items() if other != text and value in meant]
    elif descriptors := _descriptors(source, node):
        others = [(other, other) for other in descriptors[:MAX_NAMES]]
    elif (is_output := _is_written(source, around)) or around.type == "return_statement":
        others = [(other, other) for other in _meant(source, node, INT, UNSIGNED_CHAR, CHAR)]
        others += [(other, other) for other in source.others_like(node)[:MAX_NAMES] if not is_output]
    elif _is_value(source, node):
        # The two may differ in `const`, and then the type of `condition ? one : other` is `void *`; or only one
        # may be unsigned, and then a negative number would become a large one. In an expression, arrays are pointers.
        cast = f"(__typeof__(1?{text}:{text}))"
        others = [(other, f"{cast}{other}") for other in source.others_like(node)[:MAX_NAMES]]
    else:
        return
    # In a condition, another name often makes it always true or never.
    rank = IDLE if around.type in ("binary_expression", "parenthesized_expression") else ARGUMENT
    for other, copied in dict(others).items():
        if not _is_checked(source, node, other):
            yield replaced("name", node, other, _rank_of(source, node, other, rank), copied=copied)


def _is_value(source: CSource, node: Node) -> bool:
    """Return whether the value of a name is used: where it is set, or its address is taken, it is not."""
    around = source.parents[node.id]
    kind = around.type
    if kind in ("binary_expression", "parenthesized_expression", "conditional_expression"):
        return True
    if kind == "argument_list":
        known = source.declared(node)
        return known is not None and known.array is None
    if kind == "subscript_expression":
        outer = source.parents[around.id]
        return not (outer.type == "assignment_expression" and outer.child_by_field_name("left") == around)
    return kind in _STORED and around.child_by_field_name(_STORED[kind]) == node


def address(source: CSource, node: Node) -> Iterator[Offer]:
    """Write the byte at another address."""
    variable = source.child(node, "argument", "identifier")
    call = source.parents[source.parents[node.id].id]
    if variable is None or source.text(node.children[0]) != "&" or source.library_call(call) != "write":
        return
    for other in _meant(source, variable, UNSIGNED_CHAR, CHAR):
        yield replaced("name", variable, other, ARGUMENT)


def only_one_byte(source: CSource, node: Node) -> Iterator[Offer]:
    """Read or write 1 byte, or exit with 1, where the argument is not a number."""
    call, arguments = source.library_call(node), source.arguments(node)
    at = {**dict.fromkeys(EXITS, 0), "read": 2, "write": 2}.get(call)
    if at is None or len(arguments) <= at or arguments[at].type == "number_literal":
        return
    rank = LIKELIEST if at and _is_one_byte(source, arguments[1]) else ARGUMENT
    yield replaced("one-byte" if at else "exit-status", arguments[at], "1", rank)


def unsigned_index(source: CSource, node: Node) -> Iterator[Offer]:
    """Cast a char that is the index of an array, where it may be negative."""
    element = source.parents[node.id]
    is_index = element.type == "subscript_expression" and element.child_by_field_name("index") == node
    if is_index and source.type_of(node) == Type(CHAR):
        yield inserted("cast-to-unsigned", node.start_byte, "(unsigned char)", LIKELIEST, node)


def length_for_size(source: CSource, node: Node) -> Iterator[Offer]:
    """Take the length of a string instead of the size of a pointer to it."""
    word = node.children[0]
    if is_string_size(source, node) and word.type == "sizeof":
        copied = f"__builtin_{source.text(node).replace('sizeof', 'strlen', 1)}"
        yield replaced("length-for-size", word, "strlen", LIKELIEST, copied=copied)


def exchange(source: CSource, node: Node) -> Iterator[Offer]:
    """Exchange two words of an assignment, or two arguments of a call.

    `table[to[i]] = from[i]` may set the entry of the wrong byte, and `copy(argv[2], argv[1])` may get the operands in
    the wrong order.
    """
    pairs: list[tuple[Node | None, Node | None]] = []
    if node.type == "assignment_expression":
        element = source.child(node, "left", "subscript_expression")
        pairs = [(source.child(element, "index"), source.child(node, "right"))] if element is not None else []
    else:
        function = source.child(node, "function", "identifier")
        alike = [pair for pair in itertools.pairwise(source.arguments(node)) if _are_alike(source, *pair)]
        if function is not None and source.text(function) in source.functions:
            pairs = [*alike]
        elif function is not None:
            # The parameters of functions of the C library mean different things.
            words = [pair for pair in alike if "string_literal" not in {argument.type for argument in pair}]
            yield from (_exchanged(source, *pair, ARGUMENT) for pair in words if len({*map(source.text, pair)}) > 1)
    found = [_difference(source, one, other) for one, other in pairs if one is not None and other is not None]
    if len(found) == 1 and found[0] is not None:
        yield _exchanged(source, *found[0], ARGUMENT)


def exchanged_sides(source: CSource, node: Node) -> Iterator[Offer]:
    """Exchange the numbers that are subtracted or divided."""
    found = sides(node)
    if found is None or found[1].type not in ("-", "/", "%") or found[2].type == "number_literal":
        return
    left, _, right = found
    if source.text(left) != source.text(right) and are_numbers(source, left, right):
        yield _exchanged(source, left, right, ARGUMENT)


def _exchanged(source: CSource, one: Node, other: Node, rank: int) -> Offer:
    edits = [Edit(to.start_byte, to.end_byte, source.text(word)) for to, word in ((one, other), (other, one))]
    return Offer("exchanged", edits, rank, (_entry_of(source, one), _entry_of(source, other)))


def exchanged_operands(source: CSource) -> Iterator[Offer]:
    """Exchange the only two operands that become values of variables."""
    found = [index for index in _indexes(source) if _is_stored(source, source.parents[index.id])]
    if len(found) > 1 and sorted(filter(None, map(source.value, found))) == [1, 2]:
        yield _exchanged(source, found[0], found[1], LOGICAL)


def _indexes(source: CSource) -> list[Node]:
    """Return the numbers with which argv is indexed, without those in messages."""
    found = []
    for element in source.nodes("subscript_expression"):
        index = source.child(element, "index", "number_literal")
        if index is None or not _is_argv(source, element):
            continue
        if not any(source.library_call(one) in _FORMATTED for one in source.ancestors(element)):
            found.append(index)
    return sorted(found, key=lambda one: one.start_byte)


def _is_stored(source: CSource, element: Node) -> bool:
    """Return whether an element is the value that a variable gets in a declaration or an assignment."""
    around, inner = source.parents[element.id], element
    while around.type == "cast_expression":
        around, inner = source.parents[around.id], around
    field = _STORED.get(around.type)
    return field is not None and around.child_by_field_name(field) == inner


def _entry_of(source: CSource, word: Node) -> Node:
    """Return the element of an array of which a number is the index, and any other word itself."""
    around = source.parents[word.id]
    is_index = word.type == "number_literal" and source.child(around, "argument", "identifier") is not None
    return around if is_index else word


def _are_alike(source: CSource, one: Node, other: Node) -> bool:
    types = [source.type_of(argument) for argument in (one, other)]
    return types[0] is not None and types[0] == types[1]


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
    found, pending = [], [source.uncast(node)]
    while pending:
        one = pending.pop()
        if not one.children:
            found.append(one)
        pending += reversed(one.children)
    return found


def _is_one_byte(source: CSource, place: Node) -> bool:
    """Return whether a place is the address of one character, where a call with a larger number of bytes is wrong."""
    variable = source.child(place, "argument", "identifier") if source.text(place).startswith("&") else None
    known = None if variable is None else source.declared(variable)
    return known is not None and known.type in (Type(CHAR), Type(UNSIGNED_CHAR))


def _is_argv(source: CSource, element: Node) -> bool:
    """Return whether an array is that of the operands, whose first element is the program's name."""
    array, operands = source.child(element, "argument"), source.operands
    return array is not None and operands is not None and source.text(array) == source.text(operands.name)


def _is_checked(source: CSource, node: Node, new: str) -> bool:
    """Return whether a function of the program is called for the same operand twice with another token.

    To check an operand twice is to remove a check, and that is another change.
    """
    around = [node, *source.ancestors(node)]
    at = next((at for at, one in enumerate(around) if one.type == "argument_list"), None)
    if at is None or at == 0 or at + 1 >= len(around):
        return False
    argument, call = around[at - 1], around[at + 1]
    function = source.child(call, "function", "identifier")
    called = "" if function is None else source.text(function)
    if called not in source.functions or argument.type != "subscript_expression":
        return False
    outer = next((one for one in around[at + 2 :] if not joins(one)), None)
    if outer is None or outer.type not in ("expression_statement", "if_statement"):
        # What it returns may be needed once more.
        return False
    place = [one.id for one in source.arguments(call)].index(argument.id)
    start, end = node.start_byte - argument.start_byte, node.end_byte - argument.start_byte
    text = source.text(argument)
    changed = f"{text[:start]}{new}{text[end:]}"
    others = [source.arguments(one) for one in source.calls(called) if one.id != call.id]
    return any(len(given) > place and source.text(given[place]) == changed for given in others)


def _rank_of(source: CSource, node: Node, new: str, rank: int) -> int:
    """Return the rank of a change.

    write returns 1 for a byte. Of a length that is measured twice, the second was meant to be another one.
    """
    comparison = source.parents[node.id]
    around = source.parents[comparison.id]
    given = source.arguments(around) if source.library_call(around) in DESCRIPTORS else []
    if len(given) > 2 and given[2].id == node.id and _is_one_byte(source, given[1]):  # noqa: PLR2004 - the third argument
        return LIKELIEST
    other = source.bare(source.child(comparison, "left") or node)
    if new == "1" and comparison.type == "binary_expression" and source.library_call(other) == "write":
        return min(rank, LOGICAL)
    call = next((one for one in source.ancestors(node) if source.library_call(one) == "strlen"), None)
    if call is None:
        return rank
    start, end = node.start_byte - call.start_byte, node.end_byte - call.start_byte
    measured = [(one.start_byte, source.text(one)) for one in source.calls("strlen")]
    text = source.text(call)
    is_again = any(other == text and place < call.start_byte for place, other in measured)
    is_missing = all(other != f"{text[:start]}{new}{text[end:]}" for _, other in measured)
    return min(rank, LOGICAL) if is_again and is_missing else rank


def _values_of(source: CSource, argument: Node) -> tuple[int, ...]:
    """Return what an argument may be instead: descriptors that make sense, 1 byte, or a small number."""
    call = source.parents[source.parents[argument.id].id]
    called, given = source.library_call(call), [one.id for one in source.arguments(call)]
    at = given.index(argument.id) if argument.id in given else len(given)
    function = source.child(call, "function", "identifier")
    if function is not None and source.text(function) in source.functions:
        value = source.value(argument)
        return (0, 1, 2) if value in (0, 1, 2) else ()
    if called in DESCRIPTORS:
        return DESCRIPTORS[called] if at == 0 else (1,)
    if called in EXITS:
        return (0, 1)
    return (1,) if called in ("fread", "fwrite") else ()


def _descriptors(source: CSource, node: Node) -> list[str]:
    """Return the variables that a call which gets the wrong one as its descriptor may mean."""
    call = source.parents[source.parents[node.id].id]
    meant = DESCRIPTORS.get(source.library_call(call), ())
    given = source.arguments(call) if meant else []
    if not given or given[0].id != node.id:
        return []
    is_wrong = source.first_value(source.declared(node)) not in (None, *meant)
    return source.others_with(node, *meant) if is_wrong else []


def _meant(source: CSource, variable: Node, *types: str) -> list[str]:
    """Return what may be meant instead of a variable: its entry in a table, or another variable."""
    known = source.declared(variable)
    if known is None or known.type is None or known.type.depth or known.type.name not in (INT, *types):
        return []
    names, tables = source.characters_at(variable, *types)
    cast = "(unsigned char)" if known.type.name == CHAR else ""
    entries = [f"{table}[{cast}{source.text(variable)}]" for table in tables[:MAX_NAMES]]
    return [*entries, *names[:MAX_NAMES]]


def _is_written(source: CSource, arguments: Node) -> bool:
    call = source.parents[arguments.id]
    return arguments.type == "argument_list" and source.library_call(call) in WRITES
