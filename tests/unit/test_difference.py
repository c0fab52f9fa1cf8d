from __future__ import annotations

import random
from dataclasses import replace

import pytest

from grader.judge.difference import AFTER_BYTES, BEFORE_BYTES, difference, first_difference, output_difference
from grader.model.evidence import Captured, Evidence
from grader.model.reference import Reference
from grader.model.report import Difference, Window

from .facts import LAB, REFERENCE, run
from .lab import INPUTS

BLOCK = 65_536
DATA = bytes(range(256)) * 600  # more than two blocks
ENOUGH = 2 * BLOCK + 300


def changed(at: int, data: bytes = DATA) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def test_an_output_is_compared_only_if_the_case_asks_for_the_reference_s() -> None:
    wrong = run("many.copy", b"other")
    assert LAB.expected(wrong) == REFERENCE.run("many", "copy")
    assert LAB.expected(run("many.copy", INPUTS["text"])) is None
    assert LAB.expected(run("many.refuse", b"other")) is None
    assert LAB.expected(run("many.open", b"other")) is None
    without = Evidence(toolchain=None, builds={}, runs={}, left_out={})
    assert replace(LAB, reference=Reference(without, {})).expected(wrong) is None


def test_equal_outputs_do_not_differ() -> None:
    assert first_difference(DATA, bytes(DATA)) is None
    assert difference(b"", b"", b"") is None


@pytest.mark.parametrize("at", [0, 1, 15, 16, 17, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, ENOUGH, len(DATA) - 1])
def test_one_wrong_byte_is_found_wherever_it_is(at: int) -> None:
    found = difference(DATA, changed(at), DATA)
    assert found is not None
    assert found.offset == at
    assert found.input_byte == DATA[at]
    assert f"1 byte of {len(DATA):,} is wrong" in found.summary
    assert ("from the first byte" in found.summary) is (at == 0)


def test_the_input_is_shown_if_each_byte_of_the_output_comes_from_it() -> None:
    upper = DATA.upper()
    found = difference(upper, upper[:40] + b"?" + upper[41:], DATA)
    assert found is not None
    assert found.input == Window(offset=found.expected.offset, data=DATA[16:64])
    assert len(found.input.data) == len(found.expected.data)


@pytest.mark.parametrize("expected", [DATA[:-1] + b"?", DATA + b"\n", DATA[1:]])
def test_the_input_is_not_shown_if_the_output_does_not_follow_it_byte_by_byte(expected: bytes) -> None:
    found = difference(expected, b"", DATA)
    assert found is not None
    assert found.input is None


@pytest.mark.parametrize("size", [1, 16, BLOCK - 1, BLOCK, BLOCK + 1, len(DATA) - 1])
def test_an_output_that_ends_early(size: int) -> None:
    found = difference(DATA, DATA[:size], DATA)
    assert found is not None
    assert (found.offset, found.actual_size_bytes, found.expected_size_bytes) == (size, size, len(DATA))
    assert "then the output ends" in found.summary
    missing = len(DATA) - size
    assert (f"{missing:,} bytes" if missing > 1 else "1 byte of") in found.summary


@pytest.mark.parametrize("extra", [b"\xff", b"\n\n"])
def test_an_output_that_goes_on(extra: bytes) -> None:
    found = difference(DATA, DATA + extra, DATA)
    assert found is not None
    assert found.offset == len(DATA)
    assert found.input_byte is None
    assert f"{len(extra)} byte" in found.summary
    assert "too many" in found.summary


def test_nothing_written_and_nothing_expected() -> None:
    nothing = difference(DATA, b"", DATA)
    assert nothing is not None
    assert nothing.summary == f"nothing was written; {len(DATA):,} bytes were expected"
    assert nothing.actual.data == b""
    something = difference(b"", b"x", b"")
    assert something is not None
    assert something.offset == 0
    assert something.summary == "1 byte written, where nothing was expected"


def beginning(kept: bytes, size_bytes: int) -> Difference:
    """The difference of a wrong output of the small lab, of which only the beginning was kept."""
    wrong = run("many.random").model_copy(
        update={"stdout": Captured(size_bytes=size_bytes, sha256="0" * 64, data=None)}
    )
    expected = LAB.expected(wrong)
    assert expected is not None
    return output_difference(LAB, wrong, expected, kept)


def test_an_output_of_which_only_the_beginning_is_kept_has_its_whole_size() -> None:
    right = INPUTS["random"]
    found = beginning(right + b"x" * 10, 5_000_000)
    assert (found.offset, found.actual_size_bytes) == (len(right), 5_000_000)
    assert f"{5_000_000 - len(right):,} bytes" in found.summary


@pytest.mark.parametrize("extra_bytes", [-1, 0, 1])
def test_what_was_not_kept_is_never_taken_for_right(extra_bytes: int) -> None:
    right = INPUTS["random"]
    for kept in (0, 1, len(right) // 2, len(right)):
        found = beginning(right[:kept], len(right) + extra_bytes)
        assert found.offset == kept
        assert found.actual_size_bytes == len(right) + extra_bytes
        assert found.summary
    wrong = beginning(changed(100, right), len(right) + 5)
    assert wrong.offset == 100
    assert "the length is right" not in wrong.summary


def test_another_length_and_other_bytes() -> None:
    found = difference(b"abcdef", b"abXde", b"......")
    assert found is not None
    assert found.summary == "identical up to byte 2; 5 bytes were written, 6 were expected"


def test_the_windows_hold_the_place_and_stand_below_each_other() -> None:
    for at in (0, 1, 15, 16, 31, 32, 47, 48, 100, BLOCK, len(DATA) - 1):
        for actual in (changed(at), DATA[:at]):
            found = difference(DATA, actual, DATA)
            assert found is not None
            assert found.expected.offset == found.actual.offset
            assert found.expected.offset % 16 == 0
            for window, whole in ((found.expected, DATA), (found.actual, actual)):
                assert window.offset <= at <= window.offset + len(window.data)
                assert window.data == whole[window.offset : window.offset + BEFORE_BYTES + AFTER_BYTES]
            assert at < found.expected.offset + len(found.expected.data)
            assert at == 0 or found.expected.offset < at, "something before the place is shown"


def test_wrong_bytes_are_counted_as_a_loop_would() -> None:
    source = random.Random(7)  # noqa: S311 - a test's bytes
    for _ in range(100):
        expected = source.randbytes(source.randrange(1, 200))
        actual = bytes(byte if source.random() < 0.7 else source.randrange(256) for byte in expected)
        found = difference(expected, actual, expected)
        wrong = sum(one != other for one, other in zip(expected, actual, strict=True))
        if found is None:
            assert wrong == 0
        elif wrong == 1:
            assert f"1 byte of {len(expected)} is wrong" in found.summary
        else:
            assert f"{wrong} bytes of {len(expected)} are wrong" in found.summary
