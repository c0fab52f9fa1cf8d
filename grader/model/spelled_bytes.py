r"""How bytes are spelled in everything that people read.

- In a sentence, a byte has a name: 'a', newline, NUL, 0xFF (`byte_words`).
- Quoted bytes (outputs, operands, messages, and what a command for a shell writes) are ASCII with the escapes that C,
  printf and `$'…'` understand and od -c shows: `\n`, `\\`, `\377` (`escaped_bytes`). NUL is `\0`, and `\000` before a
  digit, which would belong to the number.
- Next to a hexdump, which has two hex digits for a byte, it is a number with its character: `0xFF`, `0x41 'A'`
  (`byte_name`).

Text that is not a program's output, such as a source or a compiler's message, consists of characters, not bytes:
`visible_text`.
"""

from __future__ import annotations

from collections.abc import Iterator

PRINTABLE = range(0x20, 0x7F)
ESCAPES = {0x07: r"\a", 0x08: r"\b", 0x09: r"\t", 0x0A: r"\n", 0x0B: r"\v", 0x0C: r"\f", 0x0D: r"\r"}
_NAMES = {
    0x00: "NUL",
    0x09: "tab",
    0x0A: "newline",
    0x0B: "vertical tab",
    0x0C: "form feed",
    0x0D: "carriage return",
    0x20: "space",
}


def byte_words(byte: int) -> str:
    """Name one byte in a sentence: 'a', newline, NUL, 0xFF."""
    return _NAMES.get(byte) or (f"'{chr(byte)}'" if byte in PRINTABLE else f"0x{byte:02X}")


def byte_name(byte: int | None) -> str:
    r"""Name one byte next to a hexdump: `0x41 'A'`, `0x0A '\n'`, `0x00 NUL`, `0xFF`; None is the end of the data."""
    if byte is None:
        return "nothing (the end)"
    shown = chr(byte) if byte in PRINTABLE else ESCAPES.get(byte)
    name = f" '{shown}'" if shown is not None else f" {_NAMES[byte]}" if byte in _NAMES else ""
    return f"0x{byte:02X}{name}"


def escaped_bytes(data: bytes, *, lines: bool = False) -> str:
    r"""Return quoted bytes: `abc\n\0\377`; `lines` keeps newlines and tabs."""
    return "".join(escapes_of(data, lines=lines))


def escapes_of(data: bytes, *, lines: bool = False) -> Iterator[str]:
    """Yield what each byte becomes in `escaped_bytes`."""
    table = _LINES_OF_BYTES if lines else _BYTES
    for place, byte in enumerate(data):
        yield table[byte] if byte or not data[place + 1 : place + 2].isdigit() else r"\000"


def _escape(byte: int) -> str:
    if byte == ord("\\"):
        return r"\\"
    if not byte:
        return r"\0"
    return chr(byte) if byte in PRINTABLE else ESCAPES.get(byte, f"\\{byte:03o}")


_BYTES = tuple(map(_escape, range(256)))
_LINES_OF_BYTES = tuple(chr(byte) if byte in b"\n\t" else shown for byte, shown in enumerate(_BYTES))
