"""Describe where two outputs differ."""

from __future__ import annotations

from grader.model.counted import counted
from grader.model.evidence import RunDone, program_and_case
from grader.model.lab import Lab, WrongFile
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


def difference(expected: bytes, actual: bytes, input_data: bytes) -> Difference | None:
    """Describe where two outputs differ; None if they are equal. `input_data` is the input."""
    offset = first_difference(expected, actual)
    return None if offset is None else _described(expected, actual, input_data, offset, len(actual))


def _difference_from(expected: bytes, actual: bytes, input_data: bytes, size_bytes: int) -> Difference:
    """Describe where an output of this size, which is known to be wrong, differs; `actual` is what was kept of it."""
    offset = first_difference(expected, actual)
    return _described(expected, actual, input_data, len(actual) if offset is None else offset, size_bytes)


def _described(expected: bytes, actual: bytes, input_data: bytes, offset: int, size_bytes: int) -> Difference:
    return Difference(
        offset=offset,
        expected_size_bytes=len(expected),
        actual_size_bytes=size_bytes,
        input_byte=input_data[offset] if offset < len(input_data) else None,
        expected=_window(expected, offset),
        actual=_window(actual, offset),
        summary=_summary(expected, actual, offset, size_bytes),
        input=_window(input_data, offset) if _is_byte_by_byte(input_data, expected) else None,
    )


def output_difference(lab: Lab, run: RunDone, expected: RunDone, written: bytes) -> Difference:
    """Return where a run's output differs from what was expected: its digest does. `written` may be its beginning."""
    _, name = program_and_case(run.step)
    input_data = lab.inputs[lab.spec.cases[name].input]
    return _difference_from(lab.reference.output(expected), written, input_data, run.stdout.size_bytes)


def file_difference(lab: Lab, wrong: WrongFile, written: bytes) -> Difference:
    """Return where a file that a run left differs from the reference's; `written` may be its beginning."""
    _, name = program_and_case(wrong.step)
    content = lab.spec.cases[name].files[wrong.name].content
    input_data = lab.inputs[content] if content is not None else b""
    return _difference_from(lab.reference.outputs[wrong.expected.sha256], written, input_data, wrong.found.size_bytes)


def _is_byte_by_byte(input_data: bytes, expected: bytes) -> bool:
    """Return whether each byte of the expected output depends only on the byte of the input at the same offset."""
    if len(input_data) != len(expected):
        return False
    table = bytearray(256)
    for byte in range(len(table)):
        first = input_data.find(byte)
        if first >= 0:
            table[byte] = expected[first]
    return input_data.translate(bytes(table)) == expected


def _window(data: bytes, offset: int) -> Window:
    # Start at a multiple of 16, so that the rows of both sides line up.
    start = max(0, (offset - BEFORE_BYTES) // 16 * 16)
    return Window(offset=start, data=data[start : start + BEFORE_BYTES + AFTER_BYTES])


def nothing_written(expected_bytes: int, where: str = "") -> str:
    """Say that an output is empty; `where`: " to standard output"."""
    return f"nothing was written{where}; {counted(expected_bytes, 'byte')} {_were(expected_bytes)} expected"


def _summary(expected: bytes, actual: bytes, offset: int, size_bytes: int) -> str:
    if not actual:
        return nothing_written(len(expected))
    if not expected:
        return _nothing_expected(size_bytes)
    before = _identical_up_to(offset)
    if offset == len(actual):
        left = len(expected) - offset
        missing = f", then the output ends: {counted(left, 'byte')} of {len(expected):,} {_are(left)} missing"
        not_kept = f"; of the {counted(size_bytes, 'byte')} that were written, no more were kept"
        return before + (not_kept if size_bytes > len(actual) else missing)
    if offset == len(expected):
        extra = size_bytes - offset
        follow = "follows" if extra == 1 else "follow"
        return f"{before}, where it should end; {counted(extra, 'byte')} too many {follow}"
    if len(expected) == len(actual) == size_bytes:
        wrong = _count_different(expected, actual)
        return f"{before}; the length is right, {counted(wrong, 'byte')} of {len(expected):,} {_are(wrong)} wrong"
    written = f"{counted(size_bytes, 'byte')} {_were(size_bytes)} written"
    return f"{before}; {written}, {len(expected):,} {_were(len(expected))} expected"


def summary_of_beginnings(expected: bytes, expected_bytes: int, actual: bytes, actual_bytes: int) -> str:
    """Say where two outputs differ, or how far they are equal, if only their beginnings were kept."""
    if not actual_bytes:
        return nothing_written(expected_bytes)
    if not expected_bytes:
        return _nothing_expected(actual_bytes)
    kept_bytes = min(len(expected), len(actual))
    offset = first_difference(expected[:kept_bytes], actual[:kept_bytes])
    if offset is not None:
        where = _identical_up_to(offset)
    elif kept_bytes:
        where = f"it differs after the first {counted(kept_bytes, 'byte')}, which are equal"
    else:
        where = "it differs"
    return f"{where}; {counted(actual_bytes, 'byte')} written, {expected_bytes:,} expected"


def _nothing_expected(written_bytes: int) -> str:
    return f"{counted(written_bytes, 'byte')} written, where nothing was expected"


def _identical_up_to(offset: int) -> str:
    return "different from the first byte on" if offset == 0 else f"identical up to byte {offset:,}"


def _count_different(expected: bytes, actual: bytes) -> int:
    # XOR each side as one large number: bytes that agree become zero. Much faster than a loop over bytes.
    width = len(expected)
    xor = int.from_bytes(expected, "big") ^ int.from_bytes(actual, "big")
    return width - xor.to_bytes(width, "big").count(0)


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
