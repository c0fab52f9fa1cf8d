"""What ends the loops of a source: conditions, `break` and `continue`, and the `if` that is there for one of them."""

from __future__ import annotations

from tree_sitter import Node

from grader.diagnose.source.c_source import LOOPS, CSource
from grader.diagnose.source.constructs import holds

_DOES = ("call_expression", "assignment_expression", "update_expression")


def left_by_break(source: CSource, node: Node) -> str:
    """Return the type of the loop or `switch` that a `break` would leave, "" if there is none."""
    return next((one.type for one in source.ancestors(node) if one.type in (*LOOPS, "switch_statement")), "")


def is_only(source: CSource, statement: Node) -> bool:
    """Return whether an `if` decides only about one statement."""
    block = source.parents[statement.id]
    around = source.parents[block.id] if block.type == "compound_statement" else block
    return around.type == "if_statement" and (block == around or _statements(block) == [statement])


def ends_round(source: CSource, jump: Node) -> bool:
    """Return whether the round of a loop ends after a jump anyway: `continue` in its place would have no effect."""
    node = jump
    for around in source.ancestors(jump):
        if around.type in LOOPS:
            return True
        if around.type == "switch_statement":
            return False
        if around.type == "compound_statement" and _statements(around)[-1] != node:
            return False
        node = around
    return False


def bounds_loop(source: CSource, comparison: Node) -> bool:
    """Return whether a loop goes on only while a comparison without side effects holds, alone or among others.

    With `!=` instead of `<`, such a loop may have no end: what works then works by chance. What is read or assigned
    in the comparison is not a counter.
    """
    does_something = any(holds(comparison, one) for one in source.nodes("assignment_expression"))
    return is_in_condition_of_loop(source, comparison) and not does_something


def is_in_condition_of_loop(source: CSource, condition: Node) -> bool:
    """Return whether a condition is that of a loop, alone or among others."""
    node = condition
    for around in source.ancestors(condition):
        if around.type in LOOPS:
            return around.child_by_field_name("condition") == node
        if around.type not in ("binary_expression", "parenthesized_expression"):
            return False
        node = around
    return False


def removable_jump(source: CSource, node: Node) -> str:
    """Return `break` or `continue` if an `if` in a loop decides nothing else, and its condition does nothing."""
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    is_alone = source.parents[node.id].type == "compound_statement" and source.is_in_loop(node)
    if condition is None or body is None or not is_alone or node.child_by_field_name("alternative") is not None:
        return ""
    inner = _statements(body) if body.type == "compound_statement" else [body]
    kind = inner[0].type.removesuffix("_statement") if len(inner) == 1 else ""
    does_something = any(holds(condition, one) for one in source.nodes(*_DOES))
    return kind if kind in ("break", "continue") and not does_something else ""


def _statements(block: Node) -> list[Node]:
    return [one for one in block.named_children if one.type != "comment"]
