"""Find a loop that reads a fixed number of bytes, whatever the size of the input."""

from __future__ import annotations

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.constructs import holds, is_counted
from grader.diagnose.edits import COUNTING_LOOP


def counted_reads(source: CSource, statement: Node) -> tuple[Node, int] | None:
    """Return the loop whose body begins with a bare call of read, and where its header ends; None if there is none.

    Its counter is compared with a constant, and used for nothing else.
    """
    body, loop = [*source.ancestors(statement)][:2] if source.is_in_loop(statement) else (statement, statement)
    call = statement.named_children[0] if statement.named_children else statement
    condition = loop.child_by_field_name("condition") if loop.type == "for_statement" else None
    bare = source.bare(condition) if condition is not None else None
    name, limit = (source.child(bare, side) if bare is not None else None for side in ("left", "right"))
    first = next((one for one in body.named_children if one.type not in ("comment", "declaration")), None)
    if source.library_call(call) != "read" or first != statement or name is None or limit is None:
        return None
    if name.type != "identifier" or source.value(limit) is None or not is_counted(source, name, loop):
        return None
    counter = source.declared(name)
    uses = [node for node in source.nodes("identifier") if holds(body, node) and source.declared(node) == counter]
    end = source.data.rindex(b")", loop.start_byte, body.start_byte) + 1
    header = source.data[loop.start_byte : end].decode("utf-8", "replace")
    return None if uses or not COUNTING_LOOP.fullmatch(header) else (loop, end)
