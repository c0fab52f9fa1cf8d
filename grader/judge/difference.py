"""Describe where two outputs differ."""

from __future__ import annotations

from grader.model.report import Difference, Window

BEFORE_BYTES = 16
AFTER_BYTES = 32
_BLOCK_BYTES = 65536


def first_difference(expected: bytes, actual: bytes) -> int | None:
    """Return the offset of the first byte that differs or that only one side has; None if they are equal."""
    if expected == actual:
        return None
    shared = min(len(expected), len(actual))
    for start in range(0, shared, _BLOCK_BYTES):
        end = min(start + _BLOCK_BYTES, shared)
        if expected[start:end] != actual[start:end]:
            return next(at for at in range(start, end) if expected[at] != actual[at])
    return shared


def difference(
    expected: bytes, actual: bytes, source: bytes, actual_size_bytes: int | None = None
) -> Difference | None:
    """Describe where two outputs differ; None if they are equal. `source` is the input.

    `actual_size_bytes` is the whole size if `actual` is only the beginning of an output that is far too long.
    """
    offset = first_difference(expected, actual)
    if offset is None:
        return None
    size_bytes = len(actual) if actual_size_bytes is None else actual_size_bytes
    return Difference(
        offset=offset,
        expected_size_bytes=len(expected),
        actual_size_bytes=size_bytes,
        input_byte=source[offset] if offset < len(source) else None,
        expected=_window(expected, offset),
        actual=_window(actual, offset),
        summary=_summary(expected, actual, offset, size_bytes),
    )


def _window(data: bytes, offset: int) -> Window:
    # Start at a multiple of 16, so that the rows of both sides line up.
    start = max(0, (offset - BEFORE_BYTES) // 16 * 16)
    return Window(offset=start, data=data[start : start + BEFORE_BYTES + AFTER_BYTES])


def _summary(expected: bytes, actual: bytes, offset: int, size_bytes: int) -> str:
    if not actual:
        return f"nothing was written; {_bytes(len(expected))} were expected"
    if not expected:
        return f"{_bytes(size_bytes)} written, where nothing was expected"
    before = "different from the first byte on" if offset == 0 else f"identical up to byte {offset:,}"
    if offset == len(actual):
        missing = len(expected) - offset
        return f"{before}, then the output ends: {_bytes(missing)} of {len(expected):,} {_are(missing)} missing"
    if offset == len(expected):
        extra = size_bytes - offset
        return f"{before}, where it should end; {_bytes(extra)} too many {'follows' if extra == 1 else 'follow'}"
    if len(expected) == len(actual):
        wrong = _count_different(expected, actual)
        return f"{before}; the length is right, {_bytes(wrong)} of {len(expected):,} {_are(wrong)} wrong"
    return f"{before}; {size_bytes:,} bytes were written, {len(expected):,} were expected"


def _count_different(expected: bytes, actual: bytes) -> int:
    # XOR each side as one large number: bytes that agree become zero. Much faster than a loop over bytes.
    width = len(expected)
    xor = int.from_bytes(expected, "big") ^ int.from_bytes(actual, "big")
    return width - xor.to_bytes(width, "big").count(0)


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count:,} bytes"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
