"""Change the memory that a source gives to its bytes: larger arrays, arrays for pointers, addresses for values."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, UNSIGNED_CHAR, CSource, Declared, Type
from grader.diagnose.changes.recorder import change_of_lines
from grader.diagnose.constructs import BYTES, is_counted
from grader.diagnose.edits import LIKELIEST, SAYS_OF_CHANGES, Change, Edit

MAX_SIZES = 2
SMALLEST = 10
"""An array with fewer elements is not meant for the bytes of an operand, or for all bytes."""

_COPIES = ("strcpy", "strncpy", "strcat", "strncat", "memcpy", "memmove", "sprintf", "snprintf")
_CALLS = ("read", "write")
_VALUES = (Type(CHAR), Type(UNSIGNED_CHAR), Type(INT))


def memory_changes(source: CSource) -> Iterator[Change]:
    """Yield these changes of a source, each of which is made in all of its lines."""
    yield from _allocated_tables(source)
    copied = [*_copied_operands(source)]
    pointers = [*_pointers_for_arrays(source, copied)]
    yield from pointers
    # What is a pointer to the operand needs no size, if that can be said.
    are_said = any(SAYS_OF_CHANGES.fullmatch(one.says) for one in pointers)
    apart = {known.name.id for known, _ in copied} if are_said else set()
    yield from itertools.islice(_sizes(source, apart), MAX_SIZES)
    yield from _arrays_for_pointers(source)
    yield from _assigned_pointers(source)
    yield from _addresses(source)
    yield from _one_byte_each(source)
    yield from _types_of_all(source)


def _sizes(source: CSource, apart: Collection[int]) -> Iterator[Change]:
    """Yield the change of the size of arrays that get an operand, or have an entry for each byte, to all bytes.

    Other numbers that depend on the size are changed with it. The arrays whose names are `apart` stay.
    """
    literals: dict[int, list[Node]] = {}
    for node in source.nodes("number_literal"):
        value = source.value(node)
        if value is not None and source.text(node).isdigit():
            literals.setdefault(value, []).append(node)
    sizes = {one.array: one for one in _arrays(source) if one.name.id not in apart and _needs_all(source, one)}
    for size in sizes:
        if size is None or not SMALLEST <= size < BYTES:
            continue
        macros = [one for one in source.nodes("preproc_def") if _value_of(source, one) == str(size)]
        if macros:
            name, text = macros[0].child_by_field_name("name"), macros[0].child_by_field_name("value")
            if len(macros) == 1 and name is not None and text is not None:
                start = source.data.index(str(size).encode("ascii"), text.start_byte)
                edits = [Edit(start, start + len(str(size)), str(BYTES))]
                yield from change_of_lines(source, edits, f"with `{BYTES}` as `{source.text(name)}`", LIKELIEST)
            continue
        same, last = literals.get(size, []), literals.get(size - 1, [])
        edits = [
            Edit(node.start_byte, node.end_byte, str(new))
            for nodes, new in ((same, BYTES), (last, BYTES - 1))
            for node in nodes
        ]
        says = f"with `{BYTES}` instead of `{size}`"
        if last:
            says = f"{says} and with `{BYTES - 1}` instead of `{size - 1}`"
        yield from change_of_lines(source, edits, says, LIKELIEST)


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
        return source.library_call(source.parents[around.id]) in (
            *_COPIES,
            *_CALLS,
            "memset",
            "qsort",
            "fgets",
            "strtok",
        )
    if around.type == "subscript_expression":
        outer = source.parents[around.id]
        is_left = outer.type == "assignment_expression" and outer.child_by_field_name("left") == around
        return is_left or outer.type == "update_expression"
    return any(one.type == "sizeof_expression" for one in source.ancestors(name))


def _pointers_for_arrays(source: CSource, copied: list[tuple[Declared, Node]]) -> Iterator[Change]:
    """Yield the change of all arrays that get a string by strcpy: they are pointers to the string then."""
    arrays = {known.name.id: (known, source.parents[known.name.id]) for known, _ in copied}
    edits = [
        Edit(declarator.start_byte, declarator.end_byte, f"*{source.text(known.name)}")
        for known, declarator in arrays.values()
    ]
    for _, call in copied:
        target, string = source.arguments(call)
        edits.append(Edit(call.start_byte, call.end_byte, f"{source.text(target)} = {source.text(string)}"))
    said = [
        f"`*{source.text(known.name)}` instead of `{source.text(declarator)}`"
        for known, declarator in arrays.values()
    ]
    says = f"with {' and with '.join(said)} and with `=` instead of `strcpy`"
    yield from change_of_lines(source, edits, says, LIKELIEST)


def _allocated_tables(source: CSource) -> Iterator[Change]:
    """Yield the change of memory that has an entry for each byte, and is not known to be large enough."""
    for call in source.calls("malloc"):
        around = source.parents[call.id]
        around = source.parents[around.id] if around.type == "cast_expression" else around
        name = source.child(around, "left", "identifier")
        declarator = source.child(around, "declarator")
        while declarator is not None and declarator.type == "pointer_declarator":
            declarator = source.child(declarator, "declarator")
        name = declarator if name is None and around.type == "init_declarator" else name
        given = source.arguments(call)
        known = source.declared(name) if name is not None and name.type == "identifier" else None
        is_bytes = known is not None and known.type in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1))
        size = source.value(given[0]) if len(given) == 1 else BYTES
        if known is None or not is_bytes or (size is not None and size >= BYTES):
            continue
        if _is_indexed_by_byte(source, known):
            # The other entries must be 0: malloc leaves what was there.
            new = f"calloc({BYTES}, 1)"
            edits = [Edit(call.start_byte, call.end_byte, new)]
            says = f"with `{new}` as the memory of `{source.text(known.name)}`"
            yield from change_of_lines(source, edits, says, LIKELIEST)


def _value_of(source: CSource, macro: Node) -> str:
    value = macro.child_by_field_name("value")
    return "" if value is None else source.text(value).strip("() \t\r\n")


def _arrays(source: CSource) -> Iterator[Declared]:
    """Yield the arrays of a source, each once."""
    seen = set()
    for name in source.nodes("identifier"):
        known = source.declared(name)
        if known is not None and known.array is not None and known.name.id not in seen:
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


def _arrays_for_pointers(source: CSource) -> Iterator[Change]:
    """Yield the change of a pointer that never gets an address, or that of a string, where read stores a byte."""
    for call in source.calls("read"):
        place = source.bare(source.arguments(call)[1]) if len(source.arguments(call)) > 1 else call
        known = source.declared(place) if place.type == "identifier" else None
        if known is None or known.type not in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1)) or known.array is not None:
            continue
        declarator = source.parents[known.name.id]
        around = source.parents[declarator.id]
        name = source.text(place)
        if declarator.type != "pointer_declarator" or _is_assigned(source, known):
            continue
        if around.type == "declaration":
            edits, new = [Edit(declarator.start_byte, declarator.end_byte, f"{name}[1]")], f"{name}[1]"
        elif around.type == "init_declarator" and source.child(around, "value", "string_literal") is not None:
            edits, new = [Edit(declarator.start_byte, declarator.end_byte, f"{name}[]")], f"{name}[]"
        else:
            continue
        yield from change_of_lines(source, edits, f"with `{new}` instead of `*{name}`", LIKELIEST)
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


def _assigned_pointers(source: CSource) -> Iterator[Change]:
    """Yield the change of all copies into pointers that never get an address: they get that of the string."""
    edits = []
    for call in source.calls("strcpy"):
        given = source.arguments(call)
        if len(given) != 2 or given[0].type != "identifier" or not source.library_call(call):  # noqa: PLR2004
            continue
        known = source.declared(given[0])
        is_pointer = known is not None and known.type == Type(CHAR, 1) and known.array is None
        declarator = None if known is None else source.parents[source.parents[known.name.id].id]
        is_unset = declarator is not None and declarator.type == "declaration"
        is_statement = source.parents[call.id].type == "expression_statement"
        if known is None or not is_pointer or not is_unset or not is_statement or _is_assigned(source, known):
            continue
        edits.append(Edit(call.start_byte, call.end_byte, f"{source.text(given[0])} = {source.text(given[1])}"))
    yield from change_of_lines(source, edits, "with `=` instead of `strcpy`", LIKELIEST)


def _addresses(source: CSource) -> Iterator[Change]:
    """Yield the change of a character that read or write gets where an address belongs."""
    edits: dict[str, list[Edit]] = {}
    for call in source.calls(*_CALLS):
        given = source.arguments(call)[1:2] if source.library_call(call) else []
        if given and given[0].type == "identifier" and source.type_of(given[0]) in _VALUES:
            start, name = given[0].start_byte, source.text(given[0])
            edits.setdefault(name, []).append(Edit(start, start, "&"))
    if len(edits) == 1:
        for name, found in edits.items():
            yield from change_of_lines(source, found, f"with `&{name}` instead of `{name}`", LIKELIEST)


def _one_byte_each(source: CSource) -> Iterator[Change]:
    """Yield the change of the nbyte of all calls, if reads and writes have the same one, and it is not 1."""
    numbers = {
        name: [source.arguments(call)[2] for call in source.calls(name) if len(source.arguments(call)) > 2]  # noqa: PLR2004
        for name in _CALLS
    }
    texts = {source.text(node) for nodes in numbers.values() for node in nodes}
    if all(numbers.values()) and len(texts) == 1 and texts != {"1"}:
        edits = [Edit(node.start_byte, node.end_byte, "1") for nodes in numbers.values() for node in nodes]
        yield from change_of_lines(
            source, edits, f"with `1` instead of `{texts.pop()}` as nbyte of both calls", LIKELIEST
        )


def _types_of_all(source: CSource) -> Iterator[Change]:
    """Yield the change of the type of several characters that are counted and declared together."""
    together: dict[int, list[Declared]] = {}
    for name in source.nodes("identifier"):
        known = source.declared(name)
        if known is not None and known.name.id == name.id:
            together.setdefault(known.declaration.id, []).append(known)
    for variables in together.values():
        declaration = variables[0].declaration
        named, declarators = declaration.child_by_field_name("type"), declaration.children_by_field_name("declarator")
        are_chars = all(one.type in (Type(CHAR), Type(UNSIGNED_CHAR)) for one in variables)
        if named is None or not are_chars or not 1 < len(variables) == len(declarators):
            continue
        if any(is_counted(source, one.name) for one in variables):
            names = " and ".join(f"`{source.text(one.name)}`" for one in variables)
            edits = [Edit(named.start_byte, named.end_byte, INT)]
            yield from change_of_lines(source, edits, f"with `int` as the type of the counters {names}", LIKELIEST)
