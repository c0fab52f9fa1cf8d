"""Statements of a source, for tests that look at all sources: `ast.walk` takes five times as long."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield each statement at any depth, and what has blocks of its own: handlers and cases."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        for block in _BLOCKS:
            inside = getattr(node, block, ())
            if isinstance(inside, list):  # a lambda's and a conditional expression's are no statements
                todo += inside
                yield from inside
