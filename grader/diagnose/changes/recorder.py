"""Record the small changes of a source, and name the tokens that they change in words that mean one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.edits import Change, Edit

MAX_CHANGES = 208
"""Most changes of a source, of which at most MOST_CHANGES (texts.py) are of texts."""

UNCLEAR = "?"
"""Stands for words that would not mean one place: a change described with it is not offered (small_changes())."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_LITERALS = ("string_content", "character", "escape_sequence", "comment", "preproc_arg")


def change_of_lines(source: CSource, edits: list[Edit], says: str, rank: int) -> Iterator[Change]:
    """Yield the change that makes these edits in a copy of its own; nothing if there are none."""
    if edits:
        lines = sorted({source.data.count(b"\n", 0, edit.start) + 1 for edit in edits})
        yield Change(lines[0], edits, says, rank, None, tuple(lines[1:]))


class TooManyChangesError(Exception):
    """The source has too many changes, or the copy with all of them is too large."""


@dataclass
class ChangeRecorder:
    """Collects the changes of a source, and gives each the condition under which the copy makes it."""

    source: CSource
    found: list[Change] = field(default_factory=list)
    operands: tuple[Node, Node] | None = None
    """The indexes of the two operands that may be the wrong way round; both are exchanged together."""

    later: dict[int, list[bytes]] = field(default_factory=dict)
    """What changes do at the end of a block of the copy, by the block's id."""

    shared: dict[int, bytes] = field(default_factory=dict)
    """The conditions of changes of several tokens, by the id of each token."""

    def raw(self, node: Node) -> bytes:
        """Return a node as it is in the source."""
        return self.source.data[node.start_byte : node.end_byte]

    def add(self, node: Node, edits: list[Edit], says: str, rank: int, last: int = 0) -> bytes:
        """Add a change of the line of a node, or of all lines up to `last`; return its condition in the copy."""
        first = node.start_point.row + 1
        return self.add_at(range(first, max(first, last) + 1), edits, says, rank)

    def add_at(self, lines: Sequence[int], edits: list[Edit], says: str, rank: int) -> bytes:
        """Add a change of these lines; raises TooManyChangesError."""
        number = len(self.found) + 1
        if number > MAX_CHANGES:
            raise TooManyChangesError
        self.found.append(Change(lines[0], edits, says, rank, number, tuple(lines[1:])))
        return b"IOLAB_MADE(%d)" % number

    def replace(self, node: Node, new: str, rank: int) -> bytes:
        """Add the change of a token, and return its condition in the copy."""
        return self.add(node, [Edit(node.start_byte, node.end_byte, new)], self.instead(node, new), rank)

    def without(self, start: int, end: int) -> list[Edit]:
        """Return the edits that remove what is between two places and keep all lines: each is shown as it is then."""
        data = self.source.data
        newlines = [at for at in range(start, end) if data[at] == ord("\n")]
        starts = [start, *(at + 1 for at in newlines)]
        ends = [*(at - (data[at - 1] == ord("\r")) for at in newlines), end]
        return [Edit(begin, stop, "") for begin, stop in zip(starts, ends, strict=True) if begin < stop]

    def instead(self, node: Node, new: str) -> str:
        """Say that a token is replaced."""
        return f"with `{new}` instead of {self.which(node)}`{self.source.text(node)}`"

    def which(self, node: Node) -> str:
        """Say which of the equal tokens of its line a token is; nothing if it is the only one.

        What cannot be told apart in these words is not said at all, see small_changes().
        """
        old = self.source.text(node)
        same = self.in_row(node, old)
        if len(same) == 1 and same[0].id == node.id:
            return ""
        at = next((at for at, one in enumerate(same) if one.id == node.id), len(_ORDINALS))
        if at >= len(_ORDINALS) or any(one.type in _LITERALS for one in same):
            return UNCLEAR
        return f"the {_ORDINALS[at]} "

    def line(self, node: Node) -> str:
        """Return the line in which a node begins."""
        return self.source.data.split(b"\n")[node.start_point.row].decode("utf-8", "replace")

    def in_row(self, node: Node, *texts: str) -> list[Node]:
        """Return the tokens with these texts in the line of a node."""
        return [one for one in self._rows.get(node.start_point.row, ()) if self.source.text(one) in texts]

    @cached_property
    def _rows(self) -> dict[int, list[Node]]:
        """The tokens of each line, from left to right."""
        rows: dict[int, list[Node]] = {}
        pending = [self.source.root]
        while pending:
            one = pending.pop()
            if not one.children:
                rows.setdefault(one.start_point.row, []).append(one)
            pending += reversed(one.children)
        return rows
