"""Find functions by name in a C source that `gcc -E` preprocessed: without comments, macros and disabled parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

SYSTEM_HEADER = "3"
"""gcc's flag for text from a header of the system, in the comment lines that say where text comes from."""

_FROM = re.compile(r'# (?P<line>\d{1,10}) "(?:[^"\\]|\\.)*"(?P<flags>[ \d]*)')
_TOKEN = re.compile(
    r"""
      (?:u8|[uUL])? R"(?P<mark>[^ ()\\\t\v\f\n]{0,16})\(  # the beginning of a raw string
    | (?:u8|[uUL])? "(?:[^"\\\n]|\\.)*"
    | [uUL]? '(?:[^'\\\n]|\\.)*'
    | ["'] [^\n]*  # never closed, in a pragma for instance
    | [A-Za-z_$] [\w$]*
    | \.? \d (?: [eEpP][+-] | [\w.] )*  # a number
    | -> | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_BEFORE_CALL = frozenset(("return", "else", "do", "sizeof", "case", "goto", "_Alignof", "__extension__", "typeof"))
"""Words that may precede a call. After another word, as in `int getchar(void)`, a name is declared."""

_DECORATED = re.compile(
    r"(?:__builtin_)?_*(?:IO_|libc_|isoc\d+_)?(?P<name>[a-z][a-z0-9_]*?)(?:_chk|_alias)?(?:64)?(?:_nocancel)?"
)
_MARK = re.compile(rb"\s*(?:#|%:|\?\?=)\s*(?:\d|line\b|/\*)")
_RENAMES = frozenset(("asm", "__asm", "__asm__", "weakref", "__weakref__"))
"""Words after which a function may be called by whatever name, which a text can put together."""


def uses_in(preprocessed: str, names: Iterable[str]) -> set[str]:
    """Return which of these functions a source may use: call, store in a pointer or give another name.

    Text from headers of the system does not count, nor does a member or a declaration of that name.
    """
    wanted, used = frozenset(names), set[str]()
    depth, before, last = 0, "", ""
    for word, _ in chain(_words(preprocessed), [("", 0)]):
        if last in _RENAMES:
            return set(wanted)
        is_member, is_declared = before in (".", "->"), depth == 0 and word == "("
        if not is_member and not is_declared:
            used |= wanted.intersection((last, plain_name(last)))
        depth += (word == "{") - (word == "}")
        before, last = last, word
    return used


def plain_name(word: str) -> str:
    """Return the documented name of a function: memcpy for `__builtin_memcpy` and `__memcpy_chk`.

    A judge of symbols has the same names (tests/unit/test_judge_symbols.py).
    """
    decorated = _DECORATED.fullmatch(word)
    return decorated["name"] if decorated else word


def hides_lines(source: bytes) -> bool:
    """Return whether a source may take its own text for that of a header of the system.

    `#line`, and `# 1 "x.h" 3` as the compiler writes it, say where a line is from; also in a string of several lines.
    """
    joined = source.replace(b"??/\n", b"").replace(b"\\\r\n", b"").replace(b"\\\n", b"")
    if b"system_header" in joined or b"_Pragma" in joined:
        return True
    lines = (*source.split(b"\n"), *joined.split(b"\n"))
    # A comment may end before the mark, or be within it.
    return any(_MARK.match(part) for line in lines for part in (line, line.rpartition(b"*/")[2]))


def calls_in(preprocessed: str, names: Iterable[str]) -> dict[str, int]:
    """Return which of these functions the bodies of functions call, and in which line first.

    Text from headers of the system does not count. A member or a declaration of that name is not a call.
    """
    wanted, found = frozenset(names), dict[str, int]()
    depth, before, last = 0, "", ("", 0)
    for word, line in _words(preprocessed):
        name = last[0]
        is_called = word == "(" and depth > 0 and name in wanted and before not in (".", "->")
        if is_called and (before in _BEFORE_CALL or not _is_name(before)):
            found.setdefault(name, last[1])
        depth += (word == "{") - (word == "}")
        before, last = name, (word, line)
    return found


def _is_name(word: str) -> bool:
    return word[:1].isalpha() or word[:1] in ("_", "$")


def _words(preprocessed: str) -> Iterator[tuple[str, int]]:
    """Yield each token of the student's own text, with its line."""
    for first_line, text in _own_text(preprocessed):
        line, place, has_raw = first_line, 0, True
        while (token := _TOKEN.search(text, place)) is not None:
            line += text.count("\n", place, token.start())
            yield token[0], line
            end = token.end()
            if token["mark"] is not None and has_raw:
                closing = f'){token["mark"]}"'
                closed = text.find(closing, end)
                # The standards before C++11 have no raw strings. One that is never closed must not hide what follows.
                has_raw = closed >= 0
                end = closed + len(closing) if has_raw else end
            line += text.count("\n", token.start(), end)
            place = end


def _own_text(preprocessed: str) -> Iterator[tuple[int, str]]:
    """Yield the pieces between gcc's comment lines that are not from headers of the system, with their first line."""
    first_line, is_own, piece = 1, True, list[str]()
    for line in preprocessed.split("\n"):
        origin = _FROM.match(line)
        if origin is None:
            piece.append(f"{line}\n")
            continue
        if is_own and piece:
            yield first_line, "".join(piece)
        first_line, is_own, piece = int(origin["line"]), SYSTEM_HEADER not in origin["flags"].split(), []
    if is_own and piece:
        yield first_line, "".join(piece)
