"""Change an operand of a source: a number, a name, the address of a variable, or an argument of a call."""

from __future__ import annotations

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.changes.exchanges import exchange, exchanged_operands, is_value_of
from grader.diagnose.changes.leftovers import written_at_once
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder
from grader.diagnose.changes.tests_of_bytes import with_white_space, without_test
from grader.diagnose.constructs import BYTES, ends_before_last_entry, holds, joins
from grader.diagnose.edits import ARGUMENT, LIKELIEST, LOGICAL, NUMBER, QUOTED_NAME, Edit

MAX_NAMES = 2

_NUMBERS = ('"%d"', '"%i"', '"%u"', '"%x"', '"%o"')

_STREAMS = {"STDIN_FILENO": "0", "STDOUT_FILENO": "1", "STDERR_FILENO": "2"}
_WRITES = ("putchar", "putc", "fputc", "putchar_unlocked", "putc_unlocked")
_DESCRIPTORS = {"read": (0,), "write": (1, 2)}
_LARGEST = 1_000_000


def number(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Change a number into one that makes sense in its place."""
    value = record.source.value(node)
    if value is None or not 0 <= value <= _LARGEST:
        return whole
    around = record.source.parents[node.id]
    if around.type == "argument_list":
        others, rank = [one for one in _values_of(record.source, node) if one != value], ARGUMENT
    elif around.type in ("return_statement", "subscript_expression"):
        # Exit statuses and the numbers of operands are small.
        least = 1 if around.type == "subscript_expression" and _is_argv(record.source, around) else 0
        others, rank = [one for one in range(least, 3) if one != value] if value < 3 else [], ARGUMENT  # noqa: PLR2004
    elif around.type in ("init_declarator", "assignment_expression"):
        others, rank = [0] if value == 1 else [], NUMBER
    else:
        others, rank = [one for one in (value + 1, value - 1) if one >= 0], NUMBER
    others = [one for one in others if not _is_checked(record.source, node, str(one))]
    if _is_divisor(record.source, node):
        return _undivided(record, node)
    if exchanged := exchanged_operands(record, node):
        whole = b"(%s?%d:%s)" % (exchanged, 3 - value, whole)
    whole = _whole_table(record, node, _after_outer(record, node, whole))
    choices = [
        b"%s?%d:" % (record.replace(node, str(one), _rank_of(record.source, node, str(one), rank)), one)
        for one in others
    ]
    return b"(%s%s)" % (b"".join(choices), whole)


def _is_divisor(source: CSource, node: Node) -> bool:
    around = source.parents[node.id]
    sign = around.child_by_field_name("operator")
    return sign is not None and sign.type == "/" and around.child_by_field_name("right") == node


def _undivided(record: ChangeRecorder, divisor: Node) -> bytes:
    """Take the whole of what is divided by a number: a loop over half of a string misses bytes."""
    left = record.source.parents[divisor.id].child_by_field_name("left") or divisor
    text = record.source.data[left.end_byte : divisor.end_byte].decode("utf-8", "replace").strip()
    which = "" if record.line(divisor).count(text) == 1 else UNCLEAR
    made = record.add(divisor, [Edit(left.end_byte, divisor.end_byte, "")], f"without {which}`{text}`", NUMBER)
    return b"(%s?1:%s)" % (made, record.raw(divisor))


def _after_outer(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Begin an inner loop behind the place of the outer one: a byte is not compared with itself then."""
    source = record.source
    outer = _outer_counter(source, node) if is_value_of(source.parents[node.id], node) else ""
    if not outer or source.value(node) not in (None, 0, 1):
        return whole
    made = record.replace(node, f"{outer} + 1", LOGICAL)
    # The two may differ in `const`.
    return b"(%s?(__typeof__(%s))(%s+1):%s)" % (made, outer.encode(), outer.encode(), whole)


def _outer_counter(source: CSource, value: Node) -> str:
    """Return the variable of the loop around one that begins with a value, "" if there is none of its type."""
    loops = [one for one in source.ancestors(value) if one.type == "for_statement"][:2]
    begins = [one.child_by_field_name("initializer") for one in loops]
    if len(loops) < 2 or begins[0] is None or begins[1] is None or not holds(begins[0], value):  # noqa: PLR2004
        return ""
    around = source.parents[value.id]
    own = source.child(around, "left", "identifier") or source.child(around, "declarator")
    while own is not None and own.type == "pointer_declarator":
        own = source.child(own, "declarator")
    names = [
        target
        for kind, field in (("assignment_expression", "left"), ("init_declarator", "declarator"))
        for node in source.nodes(kind)
        if holds(begins[1], node)
        for target in [source.child(node, field)]
    ]
    outer = names[0] if len(names) == 1 else None
    while outer is not None and outer.type == "pointer_declarator":
        outer = source.child(outer, "declarator")
    if own is None or outer is None or own.type != "identifier" or outer.type != "identifier":
        return ""
    known = [source.declared(name) for name in (own, outer)]
    depths = [None if one is None or one.type is None else one.type.depth for one in known]
    return source.text(outer) if depths[0] is not None and depths[0] == depths[1] else ""


def _whole_table(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Fill all entries of a table for all bytes where a loop ends before the last."""
    comparison = record.source.parents[node.id]
    sign = comparison.child_by_field_name("operator")
    is_limit = sign is not None and sign.type in ("<", "<=") and comparison.child_by_field_name("right") == node
    if sign is None or not is_limit or not ends_before_last_entry(record.source, comparison):
        return whole
    size = BYTES - 1 if sign.type == "<=" else BYTES
    return b"(%s?%d:%s)" % (record.replace(node, str(size), LIKELIEST), size, whole)


def identifier(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Change the name of a descriptor, an operand or an index into another one."""
    name, around = record.source.text(node), record.source.parents[node.id]
    if name in _STREAMS and around.type == "argument_list":
        meant = [str(value) for value in _values_of(record.source, node)]
        others = [other for other, value in _STREAMS.items() if other != name and value in meant]
        values = [_STREAMS[other].encode("ascii") for other in others]
    elif descriptors := _descriptors(record.source, node):
        others = descriptors[:MAX_NAMES]
        values = [other.encode("ascii") for other in others]
    elif _is_index(record.source, around) or _is_measured(record.source, around):
        others = record.source.others_like(node)[:MAX_NAMES]
        known = record.source.declared(node)
        # The two may differ in `const`, and then the type of `condition ? one : other` is `void *`.
        cast = f"(__typeof__(&*{name}))" if known is not None and known.type is not None and known.type.depth else ""
        values = [f"{cast}{other}".encode("ascii") for other in others]
    elif _is_written(record.source, around) or around.type == "return_statement":
        others = _meant(record.source, node, INT, UNSIGNED_CHAR, CHAR)
        values = [other.encode("ascii") for other in others]
    else:
        return _after_outer(record, node, whole)
    choices = [
        b"%s?%s:" % (record.replace(node, other, _rank_of(record.source, node, other, ARGUMENT)), value)
        for other, value in zip(others, values, strict=True)
        if not _is_checked(record.source, node, other)
    ]
    return b"(%s%s)" % (b"".join(choices), whole)


def address(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Change the variable whose address a write gets."""
    name = record.source.child(node, "argument", "identifier")
    call = record.source.parents[record.source.parents[node.id].id]
    is_address = record.source.text(node.children[0]) == "&"
    if name is None or not is_address or record.source.library_call(call) != "write":
        return whole
    choices = [
        b"%s?&%s:" % (record.replace(name, other, ARGUMENT), other.encode("ascii"))
        for other in _meant(record.source, name, UNSIGNED_CHAR, CHAR)
    ]
    return b"(%s(%s))" % (b"".join(choices), whole)


def call(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Change the exit status or nbyte of a call if it is not a number, or exchange two of its pointers."""
    whole = _format(record, node, exchange(record, node, whole))
    whole = written_at_once(record, node, _next_call(record, node, whole))
    whole = with_white_space(record, node, without_test(record, node, whole))
    name, arguments = record.source.library_call(node), record.source.arguments(node)
    at = {"exit": 0, "_exit": 0, "read": 2, "write": 2}.get(name)
    if at is None or len(arguments) <= at or arguments[at].type == "number_literal":
        return whole
    argument = arguments[at]
    edit = Edit(argument.start_byte, argument.end_byte, "1")
    calls = record.in_row(argument, "exit", "_exit") if at == 0 else record.in_row(argument, "read", "write")
    which = "" if len(calls) <= 1 else UNCLEAR
    what, text = "exit status" if at == 0 else "nbyte", record.source.text(argument)
    instead = f" instead of `{text}`" if QUOTED_NAME.fullmatch(text) else ""
    rank = LIKELIEST if at and _is_one_byte(record.source, arguments[1]) else ARGUMENT
    made = record.add(argument, [edit], f"with `1`{instead} as {which}{what}", rank)
    start, end = argument.start_byte - node.start_byte, argument.end_byte - node.start_byte
    raw = record.raw(node)
    return b"(%s?(%s):(%s))" % (made, raw[:start] + b"1" + raw[end:], whole)


def _next_call(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Go on by one where a function calls itself with what it was called with, and so never ends."""
    source = record.source
    called, function = source.child(node, "function", "identifier"), source.function_of(node)
    given = source.arguments(node)
    if called is None or function is None or source.name_of(function) != source.text(called):
        return whole
    own = source.parameters[source.text(called)]
    if [source.text(one) for one in given] != [source.text(one.name) for one in own]:
        return whole
    for argument, one in zip(given, own, strict=True):
        if one.type == Type(INT):
            end = argument.end_byte - node.start_byte
            made = record.replace(argument, f"{source.text(argument)} + 1", LIKELIEST)
            raw = record.raw(node)
            whole = b"(%s?(%s+1%s):(%s))" % (made, raw[:end], raw[end:], whole)
            break
    return whole


def _format(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write a byte, and not its number, with printf."""
    arguments = record.source.arguments(node)
    if record.source.library_call(node) != "printf" or len(arguments) != 2:  # noqa: PLR2004 - a format and a value
        return whole
    old = record.source.text(arguments[0])
    if old not in _NUMBERS or record.line(node).count(old) != 1:
        return whole
    edits = [Edit(arguments[0].start_byte, arguments[0].end_byte, '"%c"')]
    made = record.add(node, edits, f"with `%c` instead of `{old.strip(chr(34))}`", LIKELIEST)
    return b'(%s?printf("%%c",(int)(%s)):(%s))' % (made, record.raw(arguments[1]), whole)


def unsigned_index(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Cast a char that is the index of an array, where it may be negative."""
    source, element = record.source, record.source.parents[node.id]
    is_index = element.type == "subscript_expression" and element.child_by_field_name("index") == node
    text = source.text(node)
    if not is_index or source.type_of(node) != Type(CHAR) or not QUOTED_NAME.fullmatch(text):
        return whole
    line = record.line(node)
    which = "" if line.count(text) == 1 else UNCLEAR
    made = record.add(
        node,
        [Edit(node.start_byte, node.start_byte, "(unsigned char)")],
        f"with {which}`{text}` cast to `unsigned char`",
        LIKELIEST,
    )
    return b"(%s?(unsigned char)(%s):(%s))" % (made, record.raw(node), whole)


def _is_one_byte(source: CSource, place: Node) -> bool:
    """Return whether a place is the address of one character, where a call with a larger number of bytes is wrong."""
    name = source.child(place, "argument", "identifier") if source.text(place).startswith("&") else None
    known = None if name is None else source.declared(name)
    return known is not None and known.type in (Type(CHAR), Type(UNSIGNED_CHAR))


def _is_argv(source: CSource, element: Node) -> bool:
    """Return whether an array is that of the operands, whose first element is the program's name."""
    array, of_main = source.child(element, "argument"), source.parameters.get("main", [])
    return array is not None and source.text(array) in [source.text(one.name) for one in of_main[1:2]]


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
    name = "" if function is None else source.text(function)
    if name not in source.functions or argument.type != "subscript_expression":
        return False
    outer = next((one for one in around[at + 2 :] if not joins(one)), None)
    if outer is None or outer.type not in ("expression_statement", "if_statement"):
        # What it returns may be needed once more.
        return False
    place = [one.id for one in source.arguments(call)].index(argument.id)
    start, end = node.start_byte - argument.start_byte, node.end_byte - argument.start_byte
    text = source.text(argument)
    changed = f"{text[:start]}{new}{text[end:]}"
    others = [source.arguments(one) for one in source.calls(name) if one.id != call.id]
    return any(len(given) > place and source.text(given[place]) == changed for given in others)


def _rank_of(source: CSource, node: Node, new: str, rank: int) -> int:
    """Return the rank of a change.

    write returns 1 for a byte. Of a length that is measured twice, the second was meant to be another one.
    """
    comparison = source.parents[node.id]
    around = source.parents[comparison.id]
    given = source.arguments(around) if source.library_call(around) in _DESCRIPTORS else []
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
    name, given = source.library_call(call), [one.id for one in source.arguments(call)]
    at = given.index(argument.id) if argument.id in given else len(given)
    function = source.child(call, "function", "identifier")
    if function is not None and source.text(function) in source.functions:
        value = source.value(argument)
        return (0, 1, 2) if value in (0, 1, 2) else ()
    if name in _DESCRIPTORS:
        return _DESCRIPTORS[name] if at == 0 else (1,)
    if name in ("exit", "_exit"):
        return (0, 1)
    return (1,) if name in ("fread", "fwrite") else ()


def _descriptors(source: CSource, node: Node) -> list[str]:
    """Return the variables that a call which gets the wrong one as its descriptor may mean."""
    call = source.parents[source.parents[node.id].id]
    meant = _DESCRIPTORS.get(source.library_call(call), ())
    given = source.arguments(call) if meant else []
    if not given or given[0].id != node.id:
        return []
    is_wrong = source.first_value(source.declared(node)) not in (None, *meant)
    return source.others_with(node, *meant) if is_wrong else []


def _meant(source: CSource, written: Node, *types: str) -> list[str]:
    """Return what may be meant instead of a variable: its entry in a table, or another variable."""
    known = source.declared(written)
    if known is None or known.type is None or known.type.depth or known.type.name not in (INT, *types):
        return []
    names, tables = source.characters_at(written, *types)
    index = source.text(written)
    cast = "(unsigned char)" if known.type.name == CHAR else ""
    return [*(f"{table}[{cast}{index}]" for table in tables[:MAX_NAMES]), *names[:MAX_NAMES]]


def _is_written(source: CSource, arguments: Node) -> bool:
    call = source.parents[arguments.id]
    return arguments.type == "argument_list" and source.library_call(call) in _WRITES


def _is_index(source: CSource, element: Node) -> bool:
    """Return whether a node is an element of an array that is not being set."""
    around = source.parents[element.id]
    is_set = around.type == "assignment_expression" and around.child_by_field_name("left") == element
    return element.type == "subscript_expression" and not is_set


def _is_measured(source: CSource, arguments: Node) -> bool:
    return arguments.type == "argument_list" and source.library_call(source.parents[arguments.id]) == "strlen"
