"""Change the type of variables, functions and fields: a char holds neither EOF and all bytes, nor large numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.changes.recorder import change_of_lines
from grader.diagnose.constructs import holds, is_counted, is_read_into, values_of
from grader.diagnose.edits import LIKELIEST, TYPE, Change, Edit
from grader.diagnose.patterns import retyped

MAX_TYPES = 6
MAX_FIELDS = 2
DEEPEST = 2


def other_types(source: CSource) -> Iterator[Change]:
    """Yield these changes of a source, each of which needs a copy of its own."""
    yield from _type_of_positions(source)
    yield from itertools.islice(_types(source), MAX_TYPES)
    yield from itertools.islice(_fields(source), MAX_FIELDS)


def _type_of_positions(source: CSource) -> Iterator[Change]:
    """Yield the change of a function that returns a position in a char, and of variables that get it."""
    for name, function in source.functions.items():
        if source.type_returned(name) not in (Type(CHAR), Type(UNSIGNED_CHAR)):
            continue
        returned = [
            node.named_children[0]
            for node in source.nodes("return_statement")
            if node.named_children and holds(function, node)
        ]
        positions = [one for one in returned if _is_position(source, one)]
        if not positions:
            continue
        getting = [
            source.child(around, field, "identifier")
            for call in source.calls(name)
            for around in [source.parents[call.id]]
            for field in ("declarator", "left")
        ]
        variables = [one for one in (*positions, *getting) if one is not None and one.type == "identifier"]
        declared = {known.name.id: known.name for one in variables if (known := source.declared(one)) is not None}
        chars = [one for one in declared.values() if source.type_of(one) in (Type(CHAR), Type(UNSIGNED_CHAR))]
        own = next(
            node
            for node in source.nodes("identifier")
            if source.text(node) == name and source.parents[node.id].type == "function_declarator"
        )
        edits = [edit for node in (own, *chars) for edit in retyped(source, node, INT)]
        names = [source.text(one) for one in chars]
        others = f" and of {' and '.join(f'`{one}`' for one in names)}" if names else ""
        yield from change_of_lines(
            source, edits, f"with `{INT}` as the type of the function `{name}`{others}", LIKELIEST
        )


def _is_position(source: CSource, value: Node) -> bool:
    """Return whether a value is a position: a variable that is counted, or the difference of two pointers."""
    value = source.bare(value)
    known = source.declared(value) if value.type == "identifier" else None
    if known is not None:
        return is_counted(source, value) or any(_is_distance(source, one) for one in values_of(source, known))
    return _is_distance(source, value)


def _is_distance(source: CSource, value: Node) -> bool:
    sides = [source.child(source.bare(value), side) for side in ("left", "right")]
    types = [source.type_of(side) for side in sides if side is not None]
    sign = source.bare(value).child_by_field_name("operator")
    is_difference = sign is not None and sign.type == "-"
    return is_difference and len(types) == len(sides) and all(one is not None and one.depth == 1 for one in types)


def _types(source: CSource) -> Iterator[Change]:
    """Yield the changes of a variable, parameter or function of the type of a character, or of a pointer to them.

    An `int` can also be EOF, and an `unsigned char` is never negative.
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
        is_wide = known == Type(INT) and definition is None and is_read_into(source, node)
        if known.name not in (CHAR, UNSIGNED_CHAR) and not is_wide:
            continue
        name, stars = source.text(node), " *" * known.depth
        for kind, rank in _ranks(source, node, known, is_variable=definition is None).items():
            edits = [*retyped(source, node, kind)]
            counter = "the counter " if rank == LIKELIEST and kind == INT else ""
            says = f"with `{kind}{stars}` as the type of {counter}`{name}`"
            if is_wide:
                says = f"with `{kind} {name}` instead of `{INT} {name}`"
            if edits:
                yield Change(node.start_point.row + 1, edits, says, rank, None)


def _ranks(source: CSource, node: Node, known: Type, *, is_variable: bool) -> dict[str, int]:
    """Return the ranks of other types of a variable, or of a function."""
    if known == Type(INT):
        return {UNSIGNED_CHAR: LIKELIEST}
    if is_variable and not known.depth and is_counted(source, node):
        # What counts may need more than a character can hold.
        return {INT: LIKELIEST}
    ranks = {} if known.depth else {INT: TYPE}
    if known.name == CHAR and known.depth < DEEPEST and is_variable:
        ranks[UNSIGNED_CHAR] = LIKELIEST if _is_index(source, node) else TYPE
    return ranks


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


def _fields(source: CSource) -> Iterator[Change]:
    """Yield the change of the type of characters in a structure: they may be compared as numbers."""
    for field in source.nodes("field_declaration"):
        named, declarators = field.child_by_field_name("type"), field.children_by_field_name("declarator")
        if named is not None and source.text(named) == CHAR and len(declarators) == 1:
            name = declarators[0]
            if name.type == "field_identifier":
                says = f"with `{UNSIGNED_CHAR}` as the type of `{source.text(name)}`"
                yield from change_of_lines(
                    source, [Edit(named.start_byte, named.end_byte, UNSIGNED_CHAR)], says, TYPE
                )
