"""What reads and writes bytes in a source, and what a loop reads into."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.c_library import BYTE_READS
from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.constructs import loops_around

WRITES = {"putchar": "", "putchar_unlocked": "", "putc": ", stdout", "fputc": ", stdout"}
"""The functions that write a byte, and their other arguments."""


class ByteRead(NamedTuple):
    """What a loop reads into: the second argument of read (`is_place`), or the variable for what getchar returns."""

    text: str
    is_place: bool

    @property
    def variable(self) -> str:
        """Its name, or that of an array."""
        return self.text.removeprefix("&")

    @property
    def is_variable(self) -> bool:
        """Whether it is a variable for one byte."""
        return not self.is_place or self.text.startswith("&")


def reads_byte(source: CSource, value: Node) -> bool:
    """Return whether an expression is a call such as getchar."""
    return source.library_call(source.bare(value)) in BYTE_READS


def is_read(source: CSource, value: Node) -> bool:
    """Return whether an expression is a call of read."""
    return source.library_call(source.bare(value)) == "read"


def is_write(source: CSource, call: Node) -> bool:
    """Return whether a node is a call that writes a byte, or several."""
    return source.library_call(call) in (*WRITES, "write")


def byte_read_in(source: CSource, loop: Node) -> ByteRead | None:
    """Return what a loop reads into, None if it reads nothing, or into something else."""
    for call in source.calls(*BYTE_READS, "read"):
        if loops_around(source, call)[:1] != [loop]:
            continue
        name = source.library_call(call)
        if name == "read":
            places = source.arguments(call)[1:2]
            return ByteRead(source.text(source.bare(places[0])), is_place=True) if places else None
        around = source.parents[call.id]
        left = source.child(around, "left", "identifier") if around.type == "assignment_expression" else None
        return None if left is None or not name else ByteRead(source.text(left), is_place=False)
    return None


def written(source: CSource, call: Node, byte: ByteRead) -> str:
    """Return the statement that writes the byte that was read in the way of another call, "" if there is none."""
    name, given = source.library_call(call), source.arguments(call)
    if name == "write" and given and byte.is_place:
        return f"write({source.text(given[0])}, {byte.text}, 1);"
    return f"{name}({byte.variable}{WRITES[name]});" if name in WRITES and byte.is_variable else ""


def written_by(source: CSource, call: Node) -> str:
    """Return what a call writes: its first argument, or what the second one of write is the address of, or ""."""
    given = source.arguments(call)
    if source.library_call(call) != "write":
        return source.text(given[0]) if given else ""
    text = source.text(given[1]) if len(given) > 1 else ""
    return text.removeprefix("&") if text.startswith("&") else ""
