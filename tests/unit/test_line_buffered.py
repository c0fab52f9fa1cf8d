from __future__ import annotations

import random

import pytest

from grader.judge.streams import line_buffered_writes

TERMINAL_BUFFER = 1024


def simulated(output: bytes, buffer_bytes: int) -> int:
    """What stdio does, a putchar at a time: a full buffer is written before the next byte, a newline at once."""
    writes = held = 0
    for byte in output:
        if held == buffer_bytes:
            writes, held = writes + 1, 0
        held += 1
        if byte == ord("\n"):
            writes, held = writes + 1, 0
    return writes + (held > 0)


@pytest.mark.parametrize("buffer_bytes", [1, 2, 3, 7, 64])
def test_as_many_writes_as_a_simulation_of_stdio_makes(buffer_bytes: int) -> None:
    source = random.Random(buffer_bytes)  # noqa: S311 - a test's bytes
    for _ in range(400):
        newlines = source.choice([0, 0.01, 0.1, 0.9])
        size = source.randrange(4 * buffer_bytes + 2)
        output = bytes(10 if source.random() < newlines else source.randrange(256) for _ in range(size))
        assert line_buffered_writes(output, buffer_bytes) == simulated(output, buffer_bytes), output


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_lines_around_the_size_of_the_buffer(extra: int) -> None:
    for end in (b"", b"\n", b"\nrest", b"\n\n"):
        output = b"x" * (TERMINAL_BUFFER + extra) + end
        assert line_buffered_writes(output, TERMINAL_BUFFER) == simulated(output, TERMINAL_BUFFER)


def test_the_lab_s_figure_for_five_million_bytes_without_a_newline() -> None:
    assert line_buffered_writes(b"x" * 5_000_000, TERMINAL_BUFFER) == -(-5_000_000 // TERMINAL_BUFFER) == 4883


def test_nothing_takes_no_write() -> None:
    assert line_buffered_writes(b"", TERMINAL_BUFFER) == 0
