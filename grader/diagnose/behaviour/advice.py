"""What sentences about several symptoms share: advice, and an example of a wrong output."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from grader.diagnose.behaviour.group import Group
from grader.diagnose.behaviour.operand_names import FIRST
from grader.diagnose.behaviour.outputs import common_beginning
from grader.diagnose.behaviour.words import quoted
from grader.model.counted import capital
from grader.model.report import AdviceKind, Fact
from grader.model.spelled_bytes import byte_words

EXAMPLE_BYTES = 24
"""Most bytes of an output that an example quotes."""

BEFORE_BYTES = 8
"""Bytes of an example before the first wrong one."""

COMMON_BYTES = 4
"""Least number of equal bytes at the beginning of several wrong outputs that is not taken for chance."""

SANITIZE = "Compile with -g -fsanitize=address,undefined and run one of these cases: it names the line."

_READ_ENDS = "read returns 0"
_ENDS_WITH_EOF = "{} returns EOF, which is -1 and not a byte"
_OTHER_READERS = re.compile(r"gets|fread|getline|getdelim|scanf|getw|mmap|preadv?|readv")

LOOKUP = (
    "Follow one such byte by hand, from where it is read to where it is written, or print it to standard error in "
    "between."
)

LOOPS = "Find the loop, or the recursion, in which it stays: print to standard error what should end it."
SLOW = "Or it would end later, because each byte takes long: look for a sleep, an fsync, or a search that grows."

LONG_OPERANDS = "Its operands have more than 127 bytes, where a char that counts them starts again at -128."

CALLS = "Run it under strace -e trace=read,write, and look at which calls it makes and what each of them returns."

OWN_MESSAGES = "If it prints messages for debugging, remove them: each one is a system call of its own."

PIPES = (
    "A pipe has no size and no position, and a read may return fewer bytes than it asks for. Only a read that "
    "returns 0 is its end."
)

INTO_INT = "If read fills an int, only one byte of it is set: read into an unsigned char."

EVERY_CASE = "Check this in every case, before the first byte is copied."
BEFORE_OUTPUT = "Check this in every case, before anything is written to standard output."
"""The same where programs do not copy."""

BUFFERS = "stdio writes the rest at fflush, at exit and when main returns, not at _exit."

ENDS = (
    "Find the condition that ends the loop, or the return, break or exit that leaves it, and print what it compares."
)

FF_IN_FIRST = f"There, {FIRST} has the byte 0xFF."

EOF_LOOKED_UP = f"Compare with EOF before you look the byte up in {FIRST}: in a char, the byte 0xFF equals EOF (-1)."

OPERANDS = (
    "Find the condition that decides this: run the program with these operands, and print to standard error what its "
    "conditions compare."
)


class SymptomText(NamedTuple):
    """A sentence about a symptom, and advice, with the `facts` that these say and what the advice is about."""

    sentence: str
    advice: str = ""
    facts: frozenset[Fact] = frozenset()
    about: AdviceKind = ""

    def advising(self, advice: str) -> SymptomText:
        """Return them with other advice."""
        return self._replace(advice=advice, about="")


def end_of_input(called: Collection[str]) -> str:
    """Say what the function that a program reads with returns at the end; if that is not clear, read and getchar.

    `called` are the functions that it calls.
    """
    by_byte = [name for name in ("getchar", "getc", "fgetc") if not {name, f"{name}_unlocked"}.isdisjoint(called)]
    both = [_READ_ENDS, _ENDS_WITH_EOF.format(by_byte[0] if by_byte else "getchar")]
    if any(map(_OTHER_READERS.search, called)) or bool(by_byte) is ("read" in called):
        ends = ", and ".join(both)
    else:
        ends = both[1] if by_byte else both[0]
    return f"At the end of the input, {ends}. Every loop over the input has to end then, even if nothing was read."


def example(group: Group) -> str:
    """Show a wrong byte, `With the operands “a” “b”, 'a' becomes 'c', not 'b'.`, or a piece of both outputs."""
    failure = group.example()
    copy = failure.copy if failure is not None else None
    if failure is None or copy is None or copy.actual == copy.expected:
        return ""
    same_size = len(copy.actual) == len(copy.input_data) == len(copy.expected)
    at = common_beginning(copy.expected, copy.actual)
    operands = capital(group.operands(failure))
    if same_size:
        read, right, became = (byte_words(data[at]) for data in (copy.input_data, copy.expected, copy.actual))
        if read == right:
            return f" {operands}, {read} should stay, but becomes {became}."
        does = "stays, but should become" if read == became else f"becomes {became}, not"
        return f" {operands}, {read} {does} {right}."
    start = max(at - BEFORE_BYTES, 0)
    came, right = (quoted(data[start:], EXAMPLE_BYTES) for data in (copy.actual, copy.expected))
    if start:
        return f" {operands}, from byte {start + 1:,} on {right} is right, and it writes {came}."
    read = quoted(copy.input_data, EXAMPLE_BYTES)
    return f" {operands} and the input {read}, {right} is right, and it writes {came}."


def wrong(group: Group, what: str, advice: str, *facts: Fact) -> SymptomText:
    """Say what a program does to bytes, in which cases, with an example."""
    about: AdviceKind = "lookup" if advice is LOOKUP else ""
    return SymptomText(f"{group.program} {what} {group.where()}.{example(group)}", advice, frozenset(facts), about)
