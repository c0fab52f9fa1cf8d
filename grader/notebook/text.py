"""The bytes of a notebook as lines of text, whatever the encoding, and what breaks the rules for the file."""

from __future__ import annotations

import codecs
import html
import re
import unicodedata
from dataclasses import dataclass

from grader.model.counted import counted
from grader.model.notebook import NotebookFinding

MAX_BYTES = 2_000_000
"""Bytes of a file that are read."""

MAX_LINES = 50_000
MAX_LINE_CHARS = 4_000
"""Characters of a line that are read."""

BINARY_SHARE = 0.05
"""Control characters among all bytes, above which a file is not text."""

SHORT_BYTES = 64
UTF16_SHARE = 0.2
"""Share of NULs at every second byte, above which text without a mark is UTF-16; 1.0 if all is English."""

_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\r\f\b\a\x1b"})
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_KINDS = (
    (b"PK\x03\x04", "a zip archive, or a document of a word processor"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ", "compressed with xz"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a compiled program"),
    (b"\xd0\xcf\x11\xe0", "a document of a word processor"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"SQLite format 3", "a database"),
)
_TAR_MARK, _TAR_OFFSET = b"ustar", 257

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>]|[\x07\x0e\x0f]"
)
"""Control sequences for a terminal, as in the output of `script`."""

_PLAIN = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", "")
)
"""What word processors make of quotes and dashes."""

_ENTITIES = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#39);")
"""What HTML makes of the signs of redirections and quotes."""

_LATIN = {0xDC00 + byte: byte for byte in range(128, 256)}


@dataclass(frozen=True)
class Line:
    """A line for reading: without control sequences, with ASCII quotes and dashes. Numbers count from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class NotebookText:
    """The lines of a notebook; `shown` has them as they were written. There are none if it is not text.

    `is_whole`: everything in the file was read.
    """

    encoding: str
    lines: tuple[Line, ...]
    shown: tuple[str, ...]
    findings: tuple[NotebookFinding, ...]
    return_lines: tuple[int, ...] = ()
    is_whole: bool = True


def text_of(data: bytes, size_bytes: int | None = None) -> NotebookText:
    """Return the lines of a file, of which `data` is the beginning if it has more than MAX_BYTES."""
    size_bytes = len(data) if size_bytes is None else size_bytes
    data = data[:MAX_BYTES]
    if not data.strip():
        return _nothing("empty", "The file is empty.")
    encoding = _encoding(data)
    if encoding is None:
        return _nothing("not-text", f"The file is {_kind(data)}, not text, so nothing in it was read.")
    findings = []
    if size_bytes > len(data):
        findings.append(
            _finding("too-large", f"The file has {counted(size_bytes, 'byte')}; the first {len(data):,} were read.")
        )
    is_whole = size_bytes == len(data)
    text = _decoded(data, encoding)
    if encoding.startswith("utf-16") or encoding == "utf-32":
        findings.append(_finding("encoding", f"The file is {encoding.upper()}. Most tools show it as binary data."))
    return_lines, returns_only = _carriage_returns(text)
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if returns_only else text.split("\n")
    if rows[-1] == "":
        rows.pop()
    if len(rows) > MAX_LINES:
        findings.append(
            _finding("too-many-lines", f"Of {counted(len(rows), 'line')} the first {MAX_LINES:,} were read.")
        )
        rows = rows[:MAX_LINES]
        is_whole = False
    long_lines = [number for number, row in enumerate(rows, 1) if len(row) > MAX_LINE_CHARS]
    if long_lines:
        findings.append(
            _finding(
                "line-too-long",
                f"{counted(len(long_lines), 'line')} longer than {MAX_LINE_CHARS:,} characters: the rest of each was "
                "not read.",
                *long_lines[:10],
            )
        )
        rows = [row[:MAX_LINE_CHARS] for row in rows]
        is_whole = False
    shown = tuple(row.rstrip("\r") for row in rows)
    lines = [line for number, row in enumerate(shown, 1) for line in _lines(number, row)]
    return NotebookText(encoding, tuple(lines), shown, tuple(findings), return_lines, is_whole)


def _decoded(data: bytes, encoding: str) -> str:
    """Return the text. Bytes that are not UTF-8 are taken for Latin-1, one by one: notebooks mix both."""
    if encoding != "latin-1":
        return data.decode(encoding, "replace")
    return data.decode("utf-8", "surrogateescape").translate(_LATIN)


def _finding(kind: str, message: str, *lines: int) -> NotebookFinding:
    return NotebookFinding(
        kind=kind, weight="notice", lines=tuple((number, number) for number in lines), message=message
    )


def _nothing(kind: str, message: str) -> NotebookText:
    finding = NotebookFinding(kind=kind, weight="problem", lines=(), message=message)
    return NotebookText("none", (), (), (finding,))


def _lines(number: int, text: str) -> list[Line]:
    """Return what a line shows; a carriage return inside it begins another one with the same number."""
    if "\x1b" in text or "\b" in text or "\a" in text:
        text = _without_erased(_ESCAPES.sub("", text))
    if "&" in text:
        text = _ENTITIES.sub(lambda found: html.unescape(found.group()), text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    if "\r" not in text:
        return [Line(number, text)]
    return [Line(number, part) for part in text.split("\r") if part] or [Line(number, "")]


def _without_erased(text: str) -> str:
    """Return a line without its backspaces, and without the characters before them that they erase."""
    if "\b" not in text:
        return text
    left: list[str] = []
    for char in text:
        if char != "\b":
            left.append(char)
        elif left:
            left.pop()
    return "".join(left)


def _carriage_returns(text: str) -> tuple[tuple[int, ...], bool]:
    """Return the first lines with a carriage return, and whether carriage returns alone separate the lines."""
    if "\r" not in text:
        return (), False
    lone = text.count("\r") - text.count("\r\n") - text.count("\r\r")
    returns_only = lone > text.count("\n")
    if returns_only:
        return (1,), True
    return tuple(number for number, row in enumerate(text.split("\n"), 1) if "\r" in row), False


def _encoding(data: bytes) -> str | None:
    """Return the name of an encoding in which the data is text, None if it is not text."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    if data[_TAR_OFFSET:].startswith(_TAR_MARK) or any(data.startswith(mark) for mark, _ in _KINDS):
        return None
    wide = _utf16_without_mark(data)
    if wide is not None:
        return wide
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > max(BINARY_SHARE * len(data), 1 if len(data) > SHORT_BYTES else 0):
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return "latin-1"
    return "ascii" if data.isascii() else "utf-8"


def _utf16_without_mark(data: bytes) -> str | None:
    if b"\0" not in data:
        return None
    half = len(data) // 2 or 1
    even, odd = data[::2].count(0) / half, data[1::2].count(0) / half
    if min(even, odd) > UTF16_SHARE / 10 or max(even, odd) < UTF16_SHARE or max(even, odd) + min(even, odd) > 1:
        return None
    name = "utf-16-le" if odd > even else "utf-16-be"
    controls = sum(char < " " and char not in "\t\n\r\f\b\a\x1b" for char in data.decode(name, "replace"))
    return name if controls <= BINARY_SHARE * half else None


def _kind(data: bytes) -> str:
    if data[_TAR_OFFSET:].startswith(_TAR_MARK):
        return "a tar archive"
    return next((words for mark, words in _KINDS if data.startswith(mark)), "binary data")
