"""The shell line that shows a failure again, in the folder with the program.

It is for bash and takes standard tools; `grader input` only for inputs that these cannot make.
"""

from __future__ import annotations

import shlex

from grader.model.evidence import LimitReached, Signalled
from grader.model.report import CaseResult, Difference
from grader.model.spec.cases import Case, PipeSource, input_bytes
from grader.model.spec.lab import Spec

TYPED_BYTES = 80
"""Longer bytes nobody types."""

SHOWN_BYTES = 200
"""Longer outputs are shown around the difference."""

BEFORE_BYTES, AROUND_BYTES = 8, 32
PATIENCE_S = 5
"""So long a line waits for a program that may never end; a right one needs a fraction of it for a short input."""

STATUS = '; echo "exit status $?"'
FLOOD_BYTES = 1_000_000
_PLAIN = {ord(char): char for char in map(chr, range(128)) if char.isprintable() and char not in "'\\%"} | {10: "\\n"}


def repeat_case(spec: Spec, program: str, result: CaseResult) -> str:
    """Return the line for a case that failed."""
    case = spec.cases[result.case]
    feed, call = _feed(spec, case), f"{_program(program, case)}{_stdin_of_nothing(spec, case)}"
    match result.ending:
        case LimitReached(limit="output"):
            return f"{feed}timeout {PATIENCE_S} {call} | head -c {FLOOD_BYTES} | wc -c"
        case None | LimitReached():
            return f"{feed}timeout {PATIENCE_S} {call} >/dev/null{STATUS}"
        case Signalled():
            return f"{feed}{call} >/dev/null{STATUS}"
        case _ if case.expect != "operand-error":
            return f"{feed}{call} | {_around(result.difference)}"
        case _:
            return f"{feed}{call} 2>/dev/null | od -c" if result.stdout else f"{feed}{call}{STATUS}"


def repeat_calls(spec: Spec, program: str, name: str) -> str:
    """Return the lines that show the system calls of a case: its input is made first, so that it is a file.

    Calls may be wrong because there is no end of them, so that these lines have a time limit whatever was wrong.
    """
    case = spec.cases[name]
    source = shlex.quote(case.input)
    sink = "" if case.sink == "terminal" else " >/dev/null"
    traced = "write" if case.sink == "terminal" else "read,write"
    return (
        f"{_long(spec, case)} >{source}\n"
        f"timeout {PATIENCE_S} strace -e trace={traced} {_program(program, case)} <{source}{sink}"
    )


def quoted(data: bytes) -> str:
    """Return bytes as a word that bash takes for just these bytes."""
    if data.isascii() and data.decode("ascii").isprintable():
        return shlex.quote(data.decode("ascii"))
    return f"$'{_escaped(data)}'"


def _escaped(data: bytes) -> str:
    """Escape what is not printable, and quotes and backslashes, in octal: `printf` and `$'…'` read it alike."""
    return "".join(_PLAIN.get(byte, f"\\{byte:03o}") for byte in data)


def _program(program: str, case: Case) -> str:
    return " ".join([f"./{program}", *map(quoted, case.operands)])


def _stdin_of_nothing(spec: Spec, case: Case) -> str:
    return "" if input_bytes(spec.inputs[case.input]) else " </dev/null"


def _feed(spec: Spec, case: Case) -> str:
    """Return the beginning of a pipeline that writes the input."""
    source = spec.inputs[case.input]
    if source.kind != "literal" or len(source.data) > TYPED_BYTES:
        return f"{_long(spec, case)} | "
    if not source.data:
        return ""
    if isinstance(case.source, PipeSource):
        # A pause, so that the first read finds no more than this.
        first, rest = source.data[: case.source.chunk_bytes], source.data[case.source.chunk_bytes :]
        return f"{{ printf '{_escaped(first)}'; sleep 0.2; printf '{_escaped(rest)}'; }} | "
    options_end = "-- " if source.data.startswith(b"-") else ""
    return f"printf {options_end}'{_escaped(source.data)}' | "


def _long(spec: Spec, case: Case) -> str:
    """Return the command that writes an input which is too long to be typed."""
    source = spec.inputs[case.input]
    if source.kind == "pattern" and len(source.data) <= TYPED_BYTES and 0 not in source.data:
        line, newlines, rest = source.data.partition(b"\n")
        repeated = f"yes -- {quoted(line)}"
        if newlines and not rest:
            return f"{repeated} | head -c {source.size_bytes}"
        if not newlines:
            return f"{repeated} | tr -d '\\n' | head -c {source.size_bytes}"
    return f"grader input --lab {spec.lab} {shlex.quote(case.input)}"


def _around(difference: Difference | None) -> str:
    if difference is None or max(difference.expected_size_bytes, difference.actual_size_bytes) <= SHOWN_BYTES:
        return "od -c"
    if difference.offset in (difference.expected_size_bytes, difference.actual_size_bytes):
        return "wc -c"
    return f"od -A d -c -j {max(difference.offset - BEFORE_BYTES, 0)} -N {AROUND_BYTES}"
