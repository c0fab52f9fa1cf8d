"""What an operator offers: edits that might repair a program, without words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.edits import Edit


class Offer(NamedTuple):
    """A change that an operator offers. `op` is its id in words.yaml, `rank` one of edits.py.

    `names` are the nodes that the words mention besides what is replaced. `copied` is what the copy with all changes
    has instead of the node, if that differs from the node with the edits. A change of other places than the node has
    a copy of its own.
    """

    op: str
    edits: Sequence[Edit]
    rank: int
    names: tuple[Node, ...] = ()
    copied: str = ""


Operator = Callable[[CSource, Node], Iterator[Offer]]
"""Yields the changes of a node that it knows."""

WideOperator = Callable[[CSource], Iterator[Offer]]
"""Yields changes of declarations and macros, or of several places at once."""


def replaced(op: str, node: Node, new: str, rank: int, *names: Node, copied: str = "") -> Offer:
    """Offer another text instead of a node."""
    return Offer(op, [Edit(node.start_byte, node.end_byte, new)], rank, names, copied)


def inserted(op: str, at: int, new: str, rank: int, *names: Node) -> Offer:
    """Offer a text in addition."""
    return Offer(op, [Edit(at, at, new)], rank, names)
