"""Find calls by name in a C source that `gcc -E` preprocessed: without comments, macros and disabled parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
        line, place = first_line, 0
        while (token := _TOKEN.search(text, place)) is not None:
            line += text.count("\n", place, token.start())
            yield token[0], line
            end = token.end()
            if token["mark"] is not None:
                closing = f'){token["mark"]}"'
                end = text.find(closing, end) + len(closing)
                if end < len(closing):
                    return
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
