"""Bytes around a difference as rows of hex digits and characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.model.report import Window
from grader.model.spelled_bytes import PRINTABLE


@dataclass(frozen=True)
class HexCell:
    """One byte of a hexdump: two hex digits and a character, or `  ` outside the window and `--` past the end."""

    digits: str
    char: str
    marked: bool = False


@dataclass(frozen=True)
class HexRow:
    """One line of a hexdump: the offset of its first cell, and its cells, the same number in each row."""

    offset: int
    cells: tuple[HexCell, ...]

    @property
    def marked(self) -> bool:
        """Whether the difference is in this row."""
        return any(cell.marked for cell in self.cells)


def hex_rows(window: Window, mark: int, *, per_row: int = 16) -> tuple[HexRow, ...]:
    """Return a window as rows at multiples of `per_row` bytes, like od(1) prints them, with offset `mark` marked.

    A mark just past the last byte of the window means that the output ends there, and is shown as `--`.
    """
    end = window.offset + len(window.data)
    shown_end = end + 1 if mark == end else end
    first = window.offset - window.offset % per_row
    return tuple(
        HexRow(start, tuple(_cell(window, offset, mark) for offset in range(start, start + per_row)))
        for start in range(first, shown_end, per_row)
    )


def rows_near(rows: tuple[HexRow, ...], around: int) -> tuple[HexRow, ...]:
    """Return the row with the mark and `around` rows before and after it."""
    marked = next((index for index, row in enumerate(rows) if row.marked), 0)
    return rows[max(0, marked - around) : marked + around + 1]


def hex_line(row: HexRow, offset_width: int = 1) -> Iterator[tuple[str, bool]]:
    """Yield a row as pieces of text, each with whether it is the mark: ` 640  61[ff]62  a.b`.

    Brackets show the mark without colour. All rows with the same `offset_width` have the same width: the offset, 1,
    3 per byte, 1, and 1 per byte.
    """
    yield f"{row.offset:>{offset_width}} ", False
    gap = " "
    for cell in row.cells:
        yield (f"[{cell.digits}]" if cell.marked else gap + cell.digits), cell.marked
        gap = "" if cell.marked else " "
    yield gap, False
    for cell in row.cells:
        yield cell.char, cell.marked


def aligned_lines(
    windows: Sequence[tuple[str, Window]], mark: int, *, per_row: int = 8, around: int = 1
) -> Iterator[tuple[tuple[str, bool], ...]]:
    """Yield windows as lines of pieces, like `hex_line`: the bytes at one offset are below each other.

    `windows` have labels. Each offset is a line of its own, and the row of each window follows.
    """
    # A blank after the longest label, because a mark begins with a bracket.
    label_width = max(len(label) for label, _ in windows) + 1
    by_offset: dict[int, list[tuple[tuple[str, bool], ...]]] = {}
    marked = mark - mark % per_row
    for label, window in windows:
        for row in hex_rows(window, mark, per_row=per_row):
            if abs(row.offset - marked) <= around * per_row:
                _, *cells = hex_line(row)
                by_offset.setdefault(row.offset, []).append(((f"{label:<{label_width}}", False), *cells))
    for offset, lines in sorted(by_offset.items()):
        yield ((f"from byte {offset:,}", False),)
        yield from lines


def offset_width(*windows: Window) -> int:
    """Return the number of digits for the offsets of hexdumps that are shown below each other."""
    return max(len(str(window.offset + len(window.data))) for window in windows)


def _cell(window: Window, offset: int, mark: int) -> HexCell:
    index = offset - window.offset
    if 0 <= index < len(window.data):
        byte = window.data[index]
        return HexCell(f"{byte:02x}", chr(byte) if byte in PRINTABLE else ".", marked=offset == mark)
    at_end = offset == mark == window.offset + len(window.data)
    return HexCell("--", " ", marked=True) if at_end else HexCell("  ", " ")
