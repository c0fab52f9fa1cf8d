from __future__ import annotations

import pytest

from grader.model.report import Window
from grader.render.text.hexdump import aligned_lines, hex_line, hex_rows, offset_width, rows_near

ALL_BYTES = bytes(range(256))


def lines(window: Window, mark: int, per_row: int = 16) -> list[str]:
    rows = hex_rows(window, mark, per_row=per_row)
    return ["".join(piece for piece, _ in hex_line(row, offset_width(window))) for row in rows]


def test_hexdump_marks_the_difference() -> None:
    window = Window(offset=16, data=b"0123456789abcdef\xff\n")
    assert lines(window, 19) == [
        "16  30 31 32[33]34 35 36 37 38 39 61 62 63 64 65 66 0123456789abcdef",
        "32  ff 0a                                           ..              ",
    ]


def test_hexdump_starts_at_a_multiple_of_the_row() -> None:
    assert lines(Window(offset=10, data=b"ab"), 11, per_row=8) == [" 8        61[62]" + 4 * "   " + "  ab    "]


def test_hexdump_marks_the_end_of_an_output() -> None:
    assert lines(Window(offset=0, data=b"12345678"), 8, per_row=8)[1] == "8 [--]                             "
    assert lines(Window(offset=0, data=b""), 0, per_row=8) == ["0 [--]                             "]


@pytest.mark.parametrize("per_row", [4, 8, 16])
def test_hexdump_rows_are_equally_wide_and_hold_all_bytes(per_row: int) -> None:
    rows = hex_rows(Window(offset=3, data=ALL_BYTES), 130, per_row=per_row)
    assert {len("".join(piece for piece, _ in hex_line(row, 3))) for row in rows} == {3 + 2 + 4 * per_row}
    digits = [cell.digits for row in rows for cell in row.cells if cell.digits.strip()]
    assert bytes.fromhex("".join(digits)) == ALL_BYTES
    assert sum(cell.marked for row in rows for cell in row.cells) == 1


def test_a_mark_is_not_glued_to_the_offset() -> None:
    assert lines(Window(offset=96, data=b"abcdefgh"), 96, per_row=8)[0].startswith(" 96 [61]62 63")


def test_windows_are_below_each_other() -> None:
    lines = aligned_lines(
        [("input", Window(offset=0, data=b"abcdefghijkl")), ("yours", Window(offset=0, data=b"ABC"))], 3, per_row=4
    )
    assert ["".join(piece for piece, _ in line) for line in lines] == [
        "from byte 0",
        "input  61 62 63[64]abcd",
        "yours  41 42 43[--]ABC ",
        "from byte 4",
        "input  65 66 67 68 efgh",
    ]


def test_rows_near_the_mark() -> None:
    rows = hex_rows(Window(offset=0, data=ALL_BYTES), 100, per_row=8)
    assert [row.offset for row in rows_near(rows, 1)] == [88, 96, 104]
    assert [row.offset for row in rows_near(hex_rows(Window(offset=0, data=ALL_BYTES), 1, per_row=8), 1)] == [0, 8]
