r"""Bytes and untrusted text as people see them: no character is invisible or controls the terminal."""

from __future__ import annotations

import json
import re
from functools import cache

from grader.model.counted import counted
from grader.model.spelled_bytes import ESCAPES, PRINTABLE, escaped_bytes
from grader.model.visible import is_visible

_PLAIN_WORD = re.compile(rb"[A-Za-z0-9_@%+:,./^-]+\Z")
_WHITE_SPACE = re.compile(r"\s+")
_NOT_ASCII = re.compile(r"[^\n -~]")


def visible_text(text: str, keep: str = "") -> str:
    r"""Return text with an escape (`\x1b`, `\u202e`) for each character that would not be visible, except `keep`.

    These include control characters, marks that change the direction of writing, zero-width characters, lone
    surrogates and letters without ink, but no others of any script.
    """
    if is_visible(text):
        return text
    return text.translate(_visible_characters(keep))


def visible_json(document: str) -> bytes:
    r"""Return JSON in UTF-8 with an escape (`\u009b`) for each character of a string that would not be visible.

    It means the same. JSON itself requires such escapes only below U+0020, but terminals obey U+009B as well.
    """
    return _NOT_ASCII.sub(_json_escaped, document).encode("utf-8")


def one_line(text: str) -> str:
    """Return visible_text on one line, with one space for each line end or tab, and the white space next to it.

    Several spaces stay: in what a program wrote they may be what matters.
    """
    # A pattern that looks for the line end itself would take minutes for a message of 64 KB of spaces.
    return visible_text(_WHITE_SPACE.sub(lambda run: " " if run[0].strip(" ") else run[0], text.strip()))


def shell_word(data: bytes) -> str:
    """Return an operand as bash reads it back: unchanged, in '…', or in $'…' if bytes need escapes.

    An operand cannot contain NUL. It is shown as an escape, at which bash would end the word.
    """
    if _PLAIN_WORD.match(data):
        return data.decode("ascii")
    if all(byte in PRINTABLE for byte in data) and b"'" not in data:
        return f"'{data.decode('ascii')}'"
    return "$'" + escaped_bytes(data).replace("'", r"\'") + "'"


def short_word(data: bytes, limit_bytes: int = 40) -> str:
    """Return an operand as shell_word, or its beginning and its length if it is too long to read."""
    if len(data) <= limit_bytes:
        return shell_word(data)
    return f"{shell_word(data[: limit_bytes // 2])}… ({counted(len(data), 'byte')})"


def clip(text: str, limit_chars: int) -> str:
    """Return text cut to a length, followed by how much is left out."""
    if len(text) <= limit_chars:
        return text
    return f"{text[:limit_chars]}\n[{len(text) - limit_chars:,} more characters are not shown here]"


def short(text: str, limit_chars: int) -> str:
    """Return text of one line cut to a length, with `…` instead of the rest."""
    return text if len(text) <= limit_chars else f"{text[: limit_chars - 1]}…"


def first_sentences(text: str, limit_chars: int) -> str:
    """Return text on one line: as many whole sentences as fit, at least one, which is cut if it is twice as long."""
    # A sentence about one case begins with its name.
    sentences = re.split(r"(?<=[.!?]) (?=[^a-z]|[a-z][a-z0-9-]*: )", one_line(text))
    shown = sentences[0]
    for sentence in sentences[1:]:
        if len(shown) + 1 + len(sentence) > limit_chars:
            break
        shown += f" {sentence}"
    return short(shown, 2 * limit_chars)


class _Visible(dict[int, str]):
    """What str.translate replaces each character by; it learns a character when it first occurs."""

    def __init__(self, keep: str) -> None:
        super().__init__()
        self._keep = keep

    def __missing__(self, code: int) -> str:
        char = chr(code)
        shown = char if char in self._keep or is_visible(char) else _escaped(char)
        if code <= 0xFFFF:  # noqa: PLR2004 - the last of the first plane: hostile text must not fill memory with the others
            self[code] = shown
        return shown


_visible_characters = cache(_Visible)


def _json_escaped(char: re.Match[str]) -> str:
    return char[0] if char[0].isprintable() else json.dumps(char[0])[1:-1]


def _escaped(char: str) -> str:
    code = ord(char)
    if code in ESCAPES:
        return ESCAPES[code]
    if code <= 0xFF:  # noqa: PLR2004 - the largest code of two hex digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the same, four digits
