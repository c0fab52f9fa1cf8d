from __future__ import annotations

import shutil
import subprocess
import time
import unicodedata

import pytest

from grader.render.text.escape import (
    clip,
    one_line,
    shell_word,
    short,
    short_word,
    visible_text,
)

NO_INK = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def test_no_character_without_ink_survives() -> None:
    everything = "".join(map(chr, [*range(0x3000), *range(0xD7F0, 0xE010), *range(0xFE00, 0x10000), 0xE0001]))
    shown = visible_text(everything)
    assert not {unicodedata.category(char) for char in shown} & NO_INK
    shown.encode("utf-8")


def test_visible_text_names_what_it_hides() -> None:
    assert visible_text("a\x1b[31m\u202e\0\ud800\U000e0001\n") == r"a\x1b[31m\u202e\x00\ud800\U000e0001" + r"\n"


def test_letters_without_ink_do_not_survive() -> None:
    fillers = "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\ufe00\uffa0\U000e0100\U000e01ef"
    assert fillers.isprintable()
    assert visible_text(f"a{fillers}b") == f"a{fillers}b".encode("ascii", "backslashreplace").decode("ascii")


def test_letters_of_any_script_stay() -> None:
    assert visible_text("Ada Łovelace עדה 愛達") == "Ada Łovelace עדה 愛達"


def test_kept_characters_stay() -> None:
    assert visible_text("a\n\tb\r", keep="\n\t") == "a\n\tb\\r"


def test_one_line_is_one_line() -> None:
    assert one_line("a\r\n  b\u2028c\x85d") == "a b c d"


@pytest.mark.parametrize(
    ("text", "line"),
    [("a   b", "a   b"), ("a \t b", "a b"), (" \ta\n", "a"), ("a\t\tb\n \nc  d", "a b c  d"), ("\x0ba\x1fb", "a b")],
)
def test_spaces_stay_unless_a_line_end_or_a_tab_is_next_to_them(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_message_of_spaces_takes_no_time() -> None:
    """A source with `#pragma message` or `_Static_assert` makes gcc write one of 64 KB, for each line of it."""
    text = f"a{' ' * 60_000}b"
    begun_s = time.process_time()
    assert one_line(text) == text
    assert time.process_time() - begun_s < 5, "it took half a minute"


@pytest.mark.parametrize(
    ("operand", "word"),
    [
        (b"abc", "abc"),
        (b"a-c", "a-c"),
        (b"-d", "-d"),
        (b"", "''"),
        (b"[a-z]", "'[a-z]'"),
        (b"\\n", r"'\n'"),
        (b"\n", r"$'\n'"),
        (b"it's", r"$'it\'s'"),
        (b"\x80\xff", r"$'\200\377'"),
    ],
)
def test_shell_word(operand: bytes, word: str) -> None:
    assert shell_word(operand) == word


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here to read the words back")
def test_bash_reads_every_operand_back() -> None:
    # Alone and all together; NUL cannot be in an operand.
    operands = [*(bytes([byte]) for byte in range(1, 256)), bytes(range(1, 256)), b"", b"\\'", b"\xe90", b"~", b"!!"]
    script = "printf '%s\\0' " + " ".join(map(shell_word, operands))
    seen = subprocess.run(["bash", "-c", script], check=True, capture_output=True, timeout=20).stdout  # noqa: S607 - any bash
    assert seen.split(b"\0")[:-1] == operands


def test_long_operands_are_cut_for_reading() -> None:
    assert short_word(b"a" * 255) == "a" * 20 + "… (255 bytes)"
    assert short_word(b"a" * 40) == "a" * 40


def test_short_stays_on_its_line() -> None:
    assert short("abcdef", 6) == "abcdef"
    assert short("abcdefg", 6) == "abcde…"


def test_clip_says_how_much_is_left_out() -> None:
    assert clip("a" * 1010, 10) == "a" * 10 + "\n[1,000 more characters are not shown here]"
    assert clip("a" * 10, 10) == "a" * 10
