"""Edits that fix a bug in a source, and what words about them may quote of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_TYPE_WORD = "(?:const|volatile|signed|unsigned|short|long|char|int)"
_NAME = "[A-Za-z_][A-Za-z0-9_]{0,40}"
_INDEX = rf"(?:{_NAME}|[0-9]{{1,5}})(?:\+\+|--| ?[+-] ?(?:{_NAME}|[0-9]{{1,5}}))?"
_OPERAND = rf"\*{{0,2}}{_NAME}(?:\[{_INDEX}\]|->{_NAME}|\.{_NAME}){{0,3}}(?:\+\+|--)?|\*\({_NAME} ?\+ ?{_INDEX}\)"

QUOTED = rf"(?:{_OPERAND}|{_TYPE_WORD}(?: {_TYPE_WORD}){{1,3}}|[<>]=?|[!=]=)"
"""What a sentence may quote of a source: a short operand such as `*p` or `from[i]`, a type, or a comparison."""


CHANGE_VARIABLE = "IOLAB_CHANGE"
"""The environment variable with the numbers of the small changes to make, one or two (small_changes.py)."""

LIKELIEST, LOGICAL, TEXT, COMPARISON, ARGUMENT, NUMBER, TYPE, JUMP, REMOVAL, IDLE, LOSS = range(11)
"""The ranks of small changes: the smaller, the more likely is the change what a teacher would name.

`LIKELIEST` is for what is a mistake in itself. `TEXT` changes what is written to standard output. `IDLE` leaves an
`if` without effect. `LOSS` removes what may be a check that is needed.
"""

_COMPARES = "(?:[<>=!]=|[<>])"
_BYTE = r"EOF|-1|\w{1,20}|'(?:\\[nrt0\\]|[ -&(-\[\]-_a-~])'"
_NAME_OR_ENTRY = r"\w{1,40}(?:\[(?:\(unsigned char\))?\w{1,40}\]|\(\w{1,40}\)(?: [+*-] \d{1,5})?)?"
_ENTRY = r"\w{1,40}(?:\[\w{1,40}(?: ?- ?\w{1,40})?\]){0,2}"
_PUT = rf"\w{{1,20}} ?\((?:{_ENTRY}|\w{{1,40}}\(\w{{1,40}}\))(?:, stdout)?\);"
_READ_CALL = rf"read\({_ENTRY}, &?{_ENTRY}, \w{{1,20}}\)"
_COUNTS = r"for \((?:int )?\w{1,40} = 0; \w{1,40} <=? \w{1,40}; (?:\w{1,40}\+\+|\+\+\w{1,40})\)"
COUNTING_LOOP = re.compile(_COUNTS)
"""The header of a loop that counts, which a sentence may quote."""

_STATEMENT = (
    rf"if \(\w{{1,40}} (?:<= 0|== EOF)\) break;|(?:if \()?{_READ_CALL}(?:;| <= 0\) break;)|if \({_ENTRY} != '\\0'\)"
    rf"|while \({_READ_CALL} > 0\)|{_COUNTS}"
    rf"|{_ENTRY} = (?:{_ENTRY}|{_BYTE});(?: break;)?|\w{{1,40}} = -?\d|\w{{1,40}}(?:\+\+|--);"
    rf"|break;|return -?\w{{1,40}};|return 0|(?:else )?(?:{_PUT}|write\({_ENTRY}, &?{_ENTRY}, \w{{1,20}}\);)"
    r"|\w{1,40}\(\);|for \(int i = 0; i < 256; i\+\+\) \w{1,40}\[i\] = i;"
)
QUOTED_STATEMENT = re.compile(_STATEMENT)
"""A statement that a sentence may quote."""

_SIDE = rf"(?:{_OPERAND}|[0-9]{{1,5}}|{_BYTE})"
_COMPARED = rf"{_SIDE} ?{_COMPARES} ?{_SIDE}"
COMPARISON_OF_OPERANDS = re.compile(_COMPARED)
"""A comparison that a sentence may quote as a whole."""

_ASKED = rf"!?\w{{1,40}}\({_ENTRY}\)"
CALL_IN_CONDITION = re.compile(_ASKED)
"""A call as a condition that a sentence may quote as a whole."""

_TEXT = r'"(?:[ !#-\[\]-_a-~]|\\[nt]){0,40}"'
QUOTED_TEXT = re.compile(rf"{_TEXT}|\w{{1,40}} > \w{{1,40}} \? {_TEXT} : {_TEXT}")
"""A text, or a choice between two, that a sentence may quote."""

_CONDITION = rf"(?:&&|\|\|) (?:{_COMPARED}|{_ASKED})|(?:{_COMPARED}|{_ASKED}) (?:&&|\|\|)|> 0|{_COMPARES} ?(?:EOF|-1)"
_READ = r"\w{1,40} = \w{1,20}\((?:stdin)?\)"
_NUMBERS = r"/ ?\d{1,5}|1(?:UL)? <<|calloc\(256, 1\)"
_LENGTHS = rf"strlen\({_ENTRY}\) [!=]= strlen\({_ENTRY}\)|strcmp\({_ENTRY}, ?{_ENTRY}\)(?: ?[!=]= ?0)?"
_MASKED = r"0x7[fF]|127|128|0x80"
_FORMAT = "%[cdiuxo]"
_BITS = rf"\(unsigned char\)(?:{_OPERAND})|(?:{_OPERAND}) ?[&%] ?(?:{_MASKED})"
_DECLARED = r"(?:unsigned char|int) \w{1,40}|[&*]\w{1,40}|\w{1,40}\[\]"
_WORDS = rf" ?{_FORMAT}|{_BITS}|!?\w{{1,40}}|{_DECLARED}|{_COMPARED}|\w{{1,40}} =|{_NUMBERS}|{_LENGTHS}"
_TOKENS = rf"{_WORDS}|{_CONDITION}|{_READ}|{_BYTE}|\w{{1,40}} \+ 1|- 1|[<>=!&|]{{1,2}}|unsigned char(?: \*)?|[;)]"
_CHANGED = rf"`(?:{_TOKENS}|{QUOTED_TEXT.pattern}|printf\(\"\\n\"\);|{_NAME_OR_ENTRY}|{_STATEMENT})`"
QUOTED_NAME = re.compile(_NAME_OR_ENTRY)
"""A name, an entry of an array, or a call with one name, which a sentence may quote."""

_SAID = (
    *(
        "after",
        "and",
        "around",
        "as",
        "at",
        "before",
        "beginning",
        "below",
        "block",
        "body",
        "both",
        "braces",
        "call",
    ),
    *(
        "calls",
        "cast",
        "counter",
        "counters",
        "end",
        "early",
        "exchanged",
        "exit",
        "fifth",
        "first",
        "four",
        "fourth",
        "function",
        "if",
        "instead",
        "its",
    ),
    *(
        "last",
        "loop",
        "memory",
        "moved",
        "nbyte",
        "of",
        "outer",
        "parentheses",
        "reading",
        "second",
        "statement",
        "statements",
    ),
    *("status", "test", "the", "third", "three", "to", "two", "type", "value", "with", "without"),
)
SAYS_OF_CHANGES = re.compile(rf"with(?:out)?(?: {_CHANGED}| (?:{'|'.join(_SAID)}))+")
"""What a small change is in words."""

INCLUDE = "#include "
"""The beginning of an edit that includes a header, which changes no line of the student."""


class Edit(NamedTuple):
    """Replace the bytes of a source from `start` to `end`."""

    start: int
    end: int
    text: str


class Change(NamedTuple):
    """A change of a source: its line, its edits, what it is in words, and how likely it is among several that work.

    `number` chooses it in the copy with all changes; None if it needs a copy of its own. `more` are its other lines.
    """

    line: int
    edits: list[Edit]
    says: str
    rank: int
    number: int | None
    more: tuple[int, ...] = ()


def fixed(source: bytes, edits: Iterable[Edit]) -> bytes | None:
    """Return a source with edits, None if two of them overlap."""
    parts, end = [], 0
    for edit in sorted(set(edits)):
        if edit.start < end:
            return None
        parts += [source[end : edit.start], edit.text.encode("utf-8", "surrogateescape")]
        end = edit.end
    return b"".join([*parts, source[end:]])
