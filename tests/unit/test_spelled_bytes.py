"""A byte is spelled the same way everywhere: one spelling in sentences, one in quotations, one next to a hexdump."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from grader.model.spelled_bytes import byte_name, byte_words, escaped_bytes

ALL_BYTES = bytes(range(256))


@pytest.mark.parametrize(
    ("byte", "words", "name"),
    [
        (0x41, "'A'", "0x41 'A'"),
        (0x20, "space", "0x20 ' '"),
        (0x0A, "newline", r"0x0A '\n'"),
        (0x00, "NUL", "0x00 NUL"),
        (0x7F, "0x7F", "0x7F"),
        (0xFF, "0xFF", "0xFF"),
    ],
)
def test_one_byte_has_a_name(byte: int, words: str, name: str) -> None:
    assert byte_words(byte) == words
    assert byte_name(byte) == name


def test_the_end_has_a_name() -> None:
    assert byte_name(None) == "nothing (the end)"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"abc\n\t\\", r"abc\n\t\\"),
        (b"\x80\xff", r"\200\377"),
        (b"\0a\0\0", r"\0a\0\0"),
        (b"\x001\x009", r"\0001\0009"),
    ],
)
def test_quoted_bytes_have_the_escapes_of_od(data: bytes, shown: str) -> None:
    assert escaped_bytes(data) == shown


def test_quoted_bytes_are_printable_ascii() -> None:
    shown = escaped_bytes(ALL_BYTES)
    assert shown.isascii()
    assert shown.isprintable()


def test_lines_are_kept_if_asked_for() -> None:
    assert escaped_bytes(b"a\n\tb\r\n", lines=True) == "a\n\tb\\r\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here to read the bytes back")
@pytest.mark.parametrize("data", [ALL_BYTES, b"".join(b"\0" + bytes([byte]) for byte in range(256))])
def test_printf_writes_quoted_bytes_again(data: bytes) -> None:
    text = escaped_bytes(data).replace("%", "%%")
    written = subprocess.run(["bash", "-c", 'printf "$1"', "bash", text], check=True, capture_output=True, timeout=20)  # noqa: S607 - any bash
    assert written.stdout == data
