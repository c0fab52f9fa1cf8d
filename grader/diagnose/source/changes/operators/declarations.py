"""Operators on declarations and macros, or on several places at once: types, sizes, descriptors, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_library import DESCRIPTORS, STREAMS
from grader.diagnose.source.c_source import CHAR, INT, UNSIGNED_CHAR, CSource, Declared, Type
from grader.diagnose.source.changes.offers import Offer, replaced
from grader.diagnose.source.changes.operators.conditions import is_string_size
from grader.diagnose.source.constructs import BYTES, is_counted, is_read_into
from grader.diagnose.source.edits import ARGUMENT, LIKELIEST, TYPE, Edit
from grader.diagnose.source.patterns import included, retyped

SMALLEST = 10
"""An array with fewer elements is not meant for the bytes of an operand, or for all bytes."""

DEEPEST = 2

_COPIES = ("strcpy", "strncpy", "strcat", "strncat", "memcpy", "memmove", "sprintf", "snprintf")
_CALLS = ("read", "write")
_CHANGING = (*_COPIES, *_CALLS, "memset", "qsort", "fgets", "strtok")
_VALUES = (Type(CHAR), Type(UNSIGNED_CHAR), Type(INT))
_BYTES = (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1))
_CONVERSIONS = ("tolower", "toupper")

_FRACTION = re.compile(rb"%[\d.]*l?f|\b(?:double|float)\b")
"""What a program has that writes or calculates fractions."""

_DESCRIPTOR = re.compile(r"\s*\(?\s*(\d|STD(?:IN|OUT|ERR)_FILENO)\b")


def descriptors(source: CSource) -> Iterator[Offer]:
    """Define the descriptors that make no sense for their calls as those that do."""
    uses: dict[tuple[int, int], tuple[Node, int, list[str]]] = {}
    for call in source.calls(*DESCRIPTORS):
        given, name = source.arguments(call)[:1], source.library_call(call)
        defined = _descriptor(source, source.bare(given[0])) if given and name else None
        if defined is not None:
            edit, value, node = defined
            uses.setdefault(edit, (node, value, []))[2].append(name)
    edits, names = [], []
    for (start, end), (node, value, calls) in sorted(uses.items()):
        if all(value in DESCRIPTORS[name] for name in calls):
            continue
        if len({*calls}) > 1:
            # What is right for one of the calls is wrong for the other.
            return
        edits.append(Edit(start, end, str(DESCRIPTORS[calls[0]][0])))
        names.append(node)
    if 0 < len(edits) <= len(_DESCRIBED):
        yield Offer(_DESCRIBED[len(edits)], edits, LIKELIEST, tuple(names))


_DESCRIBED = {1: "descriptor", 2: "descriptors"}


def _descriptor(source: CSource, name: Node) -> tuple[tuple[int, int], int, Node] | None:
    """Return where the value of a name is written, the value if it may be a descriptor, and the defined name."""
    if name.type != "identifier":
        return None
    text = source.text(name)
    macros = [one for one in source.nodes("preproc_def") if source.text(source.child(one, "name") or one) == text]
    constants = [one for one in source.nodes("enumerator") if source.text(source.child(one, "name") or one) == text]
    declared = source.declared(name)
    if len(macros) == 1:
        definition, own = macros[0], source.child(macros[0], "name")
    elif len(constants) == 1 and declared is None:
        definition, own = constants[0], source.child(constants[0], "name")
    elif declared is not None and not macros and declared.type == Type(INT):
        definition, own = source.parents[declared.name.id], declared.name
    else:
        return None
    value = definition.child_by_field_name("value")
    found = None if value is None else _DESCRIPTOR.fullmatch(source.text(value).rstrip(") \t\r\n"))
    if value is None or own is None or found is None:
        return None
    start, end = (value.start_byte + at for at in found.span(1))
    return (start, end), STREAMS[found[1]] if found[1] in STREAMS else int(found[1]), own


def sizes(source: CSource) -> Iterator[Offer]:
    """Give arrays that get an operand, or have an entry for each byte, room for all bytes.

    Other numbers that depend on the size are changed with it.
    """
    literals: dict[int, list[Node]] = {}
    for node in source.nodes("number_literal"):
        value = source.value(node)
        if value is not None and source.text(node).isdigit():
            literals.setdefault(value, []).append(node)
    copied = {known.name.id for known, _ in _copied_operands(source)}
    arrays = [one for one in _variables(source) if one.array is not None and one.name.id not in copied]
    for size in dict.fromkeys(one.array for one in arrays if _needs_all(source, one)):
        if size is None or not SMALLEST <= size < BYTES:
            continue
        macros = [one for one in source.nodes("preproc_def") if _value_of(source, one) == str(size)]
        name, text = (macros[0].child_by_field_name(field) if macros else None for field in ("name", "value"))
        if name is not None and text is not None and len(macros) == 1:
            start = source.data.index(str(size).encode("ascii"), text.start_byte)
            yield Offer("size-of-macro", [Edit(start, start + len(str(size)), str(BYTES))], LIKELIEST, (name,))
        elif not macros:
            edits = [
                Edit(node.start_byte, node.end_byte, str(new))
                for value, new in ((size, BYTES), (size - 1, BYTES - 1))
                for node in literals.get(value, ())
            ]
            yield Offer("size", edits, LIKELIEST)


def _value_of(source: CSource, macro: Node) -> str:
    value = macro.child_by_field_name("value")
    return "" if value is None else source.text(value).strip("() \t\r\n")


def _variables(source: CSource) -> Iterator[Declared]:
    """Yield the variables of a source, each once."""
    seen = set()
    for name in source.nodes("identifier"):
        known = source.declared(name)
        if known is not None and known.name.id not in seen:
            seen.add(known.name.id)
            yield known


def _needs_all(source: CSource, array: Declared) -> bool:
    """Return whether an array gets a string from elsewhere, or is indexed by a byte and not by a counter."""
    for call in source.calls(*_COPIES):
        target = source.arguments(call)[:1]
        if target and target[0].type == "identifier" and source.declared(target[0]) == array:
            return True
    return _is_indexed_by_byte(source, array)


def _is_indexed_by_byte(source: CSource, array: Declared) -> bool:
    for element in source.nodes("subscript_expression"):
        name, index = source.child(element, "argument", "identifier"), source.child(element, "index")
        if name is None or index is None or source.declared(name) != array:
            continue
        inner = source.bare(index)
        is_counter = inner.type == "number_literal" or (inner.type == "identifier" and is_counted(source, inner))
        if not is_counter:
            return True
    return False


def _copied_operands(source: CSource) -> Iterator[tuple[Declared, Node]]:
    """Yield the arrays into which strcpy copies a string of any length, and that are only read otherwise.

    Each comes with the call.
    """
    for call in source.calls("strcpy"):
        given = source.arguments(call)
        known = source.declared(given[0]) if len(given) == 2 and given[0].type == "identifier" else None  # noqa: PLR2004
        is_plain = known is not None and known.type == Type(CHAR, 1) and known.array is not None
        is_statement = source.parents[call.id].type == "expression_statement" and bool(source.library_call(call))
        if known is None or not is_plain or not is_statement or source.type_of(given[1]) != Type(CHAR, 1):
            continue
        others = [
            name
            for name in source.nodes("identifier")
            if source.declared(name) == known and name.id not in (known.name.id, given[0].id)
        ]
        if source.parents[known.name.id].type == "array_declarator" and not any(_sets(source, one) for one in others):
            yield known, call


def _sets(source: CSource, name: Node) -> bool:
    """Return whether the name of an array is used to change it, or for its size."""
    around = source.parents[name.id]
    if around.type == "argument_list":
        return source.library_call(source.parents[around.id]) in _CHANGING
    if around.type == "subscript_expression":
        outer = source.parents[around.id]
        is_left = outer.type == "assignment_expression" and outer.child_by_field_name("left") == around
        return is_left or outer.type == "update_expression"
    return any(one.type == "sizeof_expression" for one in source.ancestors(name))


def pointers_for_arrays(source: CSource) -> Iterator[Offer]:
    """Let arrays that get a string by strcpy be pointers to the string."""
    copied = [*_copied_operands(source)]
    arrays = {known.name.id: (known, source.parents[known.name.id]) for known, _ in copied}
    edits = [
        Edit(declarator.start_byte, declarator.end_byte, f"*{source.text(known.name)}")
        for known, declarator in arrays.values()
    ]
    for _, call in copied:
        target, string = source.arguments(call)
        edits.append(Edit(call.start_byte, call.end_byte, f"{source.text(target)} = {source.text(string)}"))
    op = {1: "pointer-for-array", 2: "pointers-for-arrays"}.get(len(arrays))
    if op is not None:
        yield Offer(op, edits, LIKELIEST)


def allocated_tables(source: CSource) -> Iterator[Offer]:
    """Allocate an entry for each byte, where less may be allocated."""
    for call in source.calls("malloc"):
        around = source.parents[call.id]
        around = source.parents[around.id] if around.type == "cast_expression" else around
        name = source.child(around, "left", "identifier")
        declarator = source.child(around, "declarator") if around.type == "init_declarator" else None
        declared = None if declarator is None else source.declared_name(declarator)
        name = name if declared is None else declared[0]
        given = source.arguments(call)
        known = source.declared(name) if name is not None and name.type == "identifier" else None
        size = source.value(given[0]) if len(given) == 1 else BYTES
        is_small = size is None or size < BYTES
        if known is not None and known.type in _BYTES and is_small and _is_indexed_by_byte(source, known):
            # The other entries must be 0: malloc leaves what was there.
            yield replaced("allocated-table", call, f"calloc({BYTES}, 1)", LIKELIEST, known.name)


def arrays_for_pointers(source: CSource) -> Iterator[Offer]:
    """Give a pointer, where read stores a byte, memory of its own: it never gets an address, or that of a string."""
    for call in source.calls("read"):
        place = source.bare(source.arguments(call)[1]) if len(source.arguments(call)) > 1 else call
        known = source.declared(place) if place.type == "identifier" else None
        if known is None or known.type not in _BYTES or known.array is not None:
            continue
        declarator = source.parents[known.name.id]
        around = source.parents[declarator.id]
        if declarator.type != "pointer_declarator" or _is_assigned(source, known):
            continue
        if around.type == "declaration":
            yield replaced("array-for-pointer", declarator, f"{source.text(place)}[1]", LIKELIEST)
        elif around.type == "init_declarator" and source.child(around, "value", "string_literal") is not None:
            yield replaced("array-for-string", declarator, f"{source.text(place)}[]", LIKELIEST)
        return


def _is_assigned(source: CSource, variable: Declared) -> bool:
    """Return whether a variable gets a value after its declaration, or its address is taken."""
    names = [
        *(source.child(node, "left", "identifier") for node in source.nodes("assignment_expression")),
        *(
            source.child(node, "argument", "identifier")
            for node in source.nodes("pointer_expression")
            if source.text(node).startswith("&")
        ),
    ]
    return any(name is not None and source.declared(name) == variable for name in names)


def addresses(source: CSource) -> Iterator[Offer]:
    """Give read, write and scanf the address of a variable, where they get its value."""
    edits: dict[str, list[Edit]] = {}
    for call in source.calls(*_CALLS, "scanf"):
        given = source.arguments(call)
        for place in given[1:] if source.library_call(call) == "scanf" else given[1:2]:
            if place.type == "identifier" and source.type_of(place) in _VALUES:
                edits.setdefault(source.text(place), []).append(Edit(place.start_byte, place.start_byte, "&"))
    for name, found in edits.items():
        node = next(one for one in source.nodes("identifier") if source.text(one) == name)
        yield Offer("address", found, LIKELIEST, (node,))


def one_byte_each(source: CSource) -> Iterator[Offer]:
    """Let all calls read and write 1 byte, if they have the same number, and it is not 1."""
    numbers = {
        name: [source.arguments(call)[2] for call in source.calls(name) if len(source.arguments(call)) > 2]  # noqa: PLR2004
        for name in _CALLS
    }
    texts = {source.text(node) for nodes in numbers.values() for node in nodes}
    if all(numbers.values()) and len(texts) == 1 and texts != {"1"}:
        edits = [Edit(node.start_byte, node.end_byte, "1") for nodes in numbers.values() for node in nodes]
        yield Offer("one-byte-each", edits, LIKELIEST)


def lengths(source: CSource) -> Iterator[Offer]:
    """Take the length of a string instead of the size of a pointer to it, wherever that is measured."""
    found = [node for node in source.nodes("sizeof_expression") if is_string_size(source, node)]
    if found:
        edits = [Edit(node.start_byte, node.start_byte + len("sizeof"), "strlen") for node in found]
        edits += included(source, ["string.h"], found[0].start_byte)
        yield Offer("length-for-size", edits, LIKELIEST)


def without_conversions(source: CSource) -> Iterator[Offer]:
    """Take bytes as they are, and not as capital or small letters."""
    for name in _CONVERSIONS:
        edits = [
            Edit(call.start_byte, call.start_byte + len(name), "")
            for call in source.calls(name)
            if source.library_call(call)
        ]
        if edits:
            yield Offer("conversion", edits, LIKELIEST)


def types(source: CSource) -> Iterator[Offer]:
    """Declare a variable, parameter or function with another type.

    An `int` can also be EOF, an `unsigned char` is never negative, and a `double` has a fraction.
    """
    for node in source.nodes("identifier"):
        definition = source.function_named(node)
        if definition is not None:
            known = source.type_returned(source.text(node))
            is_own = source.parents[node.id].type == "function_declarator"
        else:
            declared = source.declared(node)
            known = None if declared is None or declared.array is not None else declared.type
            is_own = declared is not None and declared.name.id == node.id
        if known is None or not is_own:
            continue
        for op, kind, rank in _other_types(source, node, known, is_variable=definition is None):
            edits = [*retyped(source, node, kind)]
            if edits:
                yield Offer(op, edits, rank, (node,))


def _other_types(source: CSource, node: Node, known: Type, *, is_variable: bool) -> Iterator[tuple[str, str, int]]:
    """Yield other types of a variable, or of a function, with the operator's id and the rank."""
    if known == Type(INT):
        if is_variable and is_read_into(source, node):
            yield "byte-for-int", UNSIGNED_CHAR, LIKELIEST
        if is_variable and source.function_of(node) is not None and _FRACTION.search(source.data):
            yield "double-for-int", "double", TYPE
        return
    if known.name not in (CHAR, UNSIGNED_CHAR):
        return
    if is_variable and not known.depth and is_counted(source, node):
        # What counts may need more than a character can hold.
        yield "int-for-counter", INT, LIKELIEST
        return
    if not known.depth:
        yield "int-for-char", INT, TYPE
    if known.name == CHAR and known.depth < DEEPEST and is_variable:
        op = "unsigned-pointer" if known.depth else "unsigned"
        yield op, UNSIGNED_CHAR, LIKELIEST if _is_index(source, node) else TYPE


def _is_index(source: CSource, variable: Node) -> bool:
    """Return whether a char, or one that a pointer leads to, is the index of an array, where it may be negative."""
    declared = source.declared(variable)
    for element in source.nodes("subscript_expression"):
        index = element.child_by_field_name("index")
        while index is not None and index.type in ("cast_expression", "parenthesized_expression"):
            cast = index.child_by_field_name("type")
            if cast is not None and source.type_of_cast(cast) != Type(INT):
                break
            index = index.named_children[-1]
        base = index
        while base is not None and base.type in ("subscript_expression", "pointer_expression", "update_expression"):
            base = base.child_by_field_name("argument")
        is_char = declared is not None and index is not None and source.type_of(index) == Type(CHAR)
        if is_char and base is not None and base.type == "identifier" and source.declared(base) == declared:
            return True
    return False


def initialised(source: CSource) -> Iterator[Offer]:
    """Give a number that has no first value the value 0."""
    for variable in _variables(source):
        around = source.parents[variable.name.id]
        is_local = source.function_of(variable.declaration) is not None
        is_plain = around.type == "declaration" and variable.type in (Type(INT), Type("double"), Type("float"))
        if is_local and is_plain:
            end = variable.name.end_byte
            yield Offer("initialised", [Edit(end, end, " = 0")], ARGUMENT, (variable.name,))
