"""Let a search that finds nothing give -1 where it gives 0, which is also the index of the first byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.c_source import INT, LOOPS, CSource, Declared, Type
from grader.diagnose.constructs import is_counted
from grader.diagnose.edits import LIKELIEST, Change, Edit

_TESTS = {">": ">= 0", "!=": ">= 0", "==": "< 0"}
"""What replaces a comparison of an index with 0."""


class _Result(NamedTuple):
    """A search that gives 0 if it finds nothing: this 0, words for its change, and the variables with the result."""

    zero: Node
    says: str
    variables: list[Declared]


def results_that_are_no_index(source: CSource) -> Iterator[Change]:
    """Yield the change of a search that gives 0, and of the one place that tests whether it found something."""
    for result in (*_of_functions(source), *_of_variables(source)):
        tests = [*_tests(source, result.variables)]
        if len(tests) != 1:
            continue
        edit, says, line = tests[0]
        edits = [Edit(result.zero.start_byte, result.zero.end_byte, "-1"), edit]
        lines = sorted({result.zero.start_point.row + 1, line})
        yield Change(lines[0], edits, f"with {result.says} and {says}", LIKELIEST, None, tuple(lines[1:]))


def _of_functions(source: CSource) -> Iterator[_Result]:
    """Yield the functions that return a counter from within a loop, and 0 at their end."""
    for name, function in source.functions.items():
        returns = [one for one in source.nodes("return_statement") if source.function_of(one) == function]
        values = [source.bare(one.named_children[0]) for one in returns if one.named_children]
        if len(values) != len(returns) or len(values) <= 1 or source.type_returned(name) != Type(INT):
            continue
        *found, last = values
        is_search = all(one.type == "identifier" and is_counted(source, one, function) for one in found)
        if is_search and not source.is_in_loop(returns[-1]) and source.text(last) == "0":
            variables = [
                known for call in source.calls(name) for known in [_set_by(source, call)] if known is not None
            ]
            yield _Result(last, "`return -1;` instead of `return 0;`", variables)


def _set_by(source: CSource, value: Node) -> Declared | None:
    """Return the variable that is declared with a value, or to which it is assigned."""
    around = source.parents[value.id]
    field = {"assignment_expression": "left", "init_declarator": "declarator"}.get(around.type, "")
    name = source.child(around, field, "identifier") if field else None
    return None if name is None else source.declared(name)


def _of_variables(source: CSource) -> Iterator[_Result]:
    """Yield the variables that are 0 before a search and get a counter in it."""
    for node in source.nodes("assignment_expression", "init_declarator"):
        value = source.child(node, "right") or source.child(node, "value")
        known = None if value is None else _set_by(source, value)
        if value is None or known is None or known.type != Type(INT) or source.text(value) != "0":
            continue
        if any(
            one.type == "for_statement" and source.child(one, "initializer") == node for one in source.ancestors(node)
        ):
            continue
        if any(_gets_counter(source, one, known) for one in source.nodes("assignment_expression")):
            name = source.text(known.name)
            yield _Result(value, f"`{name} = -1` instead of `{name} = 0`", [known])


def _gets_counter(source: CSource, assignment: Node, variable: Declared) -> bool:
    """Return whether an assignment in a loop gives a variable what the loop counts."""
    right = source.child(assignment, "right", "identifier")
    if right is None or _set_by(source, right) != variable:
        return False
    loop = next((one for one in source.ancestors(assignment) if one.type in LOOPS), None)
    return loop is not None and is_counted(source, right, loop) and source.declared(right) != variable


def _tests(source: CSource, variables: list[Declared]) -> Iterator[tuple[Edit, str, int]]:
    """Yield how to change each condition that takes 0 for "not found": the edit, words for it, and its line."""
    for node in source.nodes("identifier"):
        if source.declared(node) not in variables:
            continue
        name, around = source.text(node), source.parents[node.id]
        tested, new = node, f"{name} >= 0"
        if around.type == "binary_expression" and source.child(around, "left") == node:
            sign = source.child(around, "operator")
            test = "" if sign is None else _TESTS.get(sign.type, "")
            if not test or source.text(source.child(around, "right") or node) != "0":
                continue
            tested, new = around, f"{name} {test}"
        elif around.type == "unary_expression" and source.text(around).startswith("!"):
            tested, new = around, f"{name} < 0"
        elif not _is_condition(source, node):
            continue
        edit = Edit(tested.start_byte, tested.end_byte, new)
        yield edit, f"`{new}` instead of `{source.text(tested)}`", tested.start_point.row + 1


def _is_condition(source: CSource, node: Node) -> bool:
    """Return whether a variable alone is a condition."""
    inner = node
    for around in source.ancestors(node):
        if around.type != "parenthesized_expression":
            return (
                around.type in ("if_statement", "conditional_expression")
                and source.child(around, "condition") == inner
            )
        inner = around
    return False
