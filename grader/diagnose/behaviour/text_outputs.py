"""Tell in what way the output of a program that computes a text, instead of copying its input, is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.behaviour.outputs import CopyRun, Kind, common_beginning
from grader.model.report import Difference

LEAST_ADDED_BYTES = 2
MOST_ADDED_BYTES = 40
"""Sizes of a text that is written besides the right output, such as a prompt."""

MISSING, REFUSED, MISPLACED = "text-is-missing", "text-has-message-instead", "text-on-standard-error"
"""The symptoms of a program that writes nothing to standard output."""


def kind_of_text(copy: CopyRun, message: bytes = b"") -> Kind:
    """Return what is wrong with an output that is not the right one, the most special kind that is true of it.

    `message` is what the program wrote to standard error.
    """
    if not copy.actual:
        return Kind(MISPLACED if message == copy.expected else REFUSED if message else MISSING)
    return next(
        (Kind(name) for name, holds in _KINDS.items() if holds(copy.expected, copy.actual)), Kind("text-wrong")
    )


def text_difference(difference: Difference) -> Kind:
    """Say the same of an output that is too large to be available in full."""
    if not difference.actual_size_bytes:
        return Kind(MISSING)
    return Kind("text-ends-early" if difference.offset == difference.actual_size_bytes else "text-wrong")


def _lacks_last_newline(expected: bytes, actual: bytes) -> bool:
    return actual + b"\n" == expected


def _has_blanks_at_end(expected: bytes, actual: bytes) -> bool:
    pairs = zip(expected.split(b"\n"), actual.split(b"\n"), strict=False)
    return expected.count(b"\n") == actual.count(b"\n") and all(
        right == wrong or wrong.rstrip(b" \t") == right for right, wrong in pairs
    )


def _has_other_white_space(expected: bytes, actual: bytes) -> bool:
    return b"".join(expected.split()) == b"".join(actual.split()) != b""


def _has_other_case(expected: bytes, actual: bytes) -> bool:
    return expected.lower() == actual.lower()


def _has_more_text(expected: bytes, actual: bytes) -> bool:
    return (
        len(actual) >= len(expected) + LEAST_ADDED_BYTES
        and bool(expected)
        and added_text(expected, actual) is not None
    )


def added_text(expected: bytes, actual: bytes) -> bytes | None:
    """Return the one text with letters that an output has besides the right one, perhaps several times, or None."""
    first = common_beginning(expected, actual)
    # The text may begin like what comes after it.
    for begin in range(first, max(first - MOST_ADDED_BYTES, -1), -1):
        for end in range(begin + LEAST_ADDED_BYTES, min(begin + MOST_ADDED_BYTES, len(actual)) + 1):
            text = actual[begin:end]
            if text.upper() != text.lower() and actual.replace(text, b"") == expected:
                return text
    return None


def _ends_early(expected: bytes, actual: bytes) -> bool:
    return bool(actual) and expected.startswith(actual)


_KINDS: Mapping[str, Callable[[bytes, bytes], bool]] = {
    "text-lacks-last-newline": _lacks_last_newline,
    "text-has-blanks-at-end": _has_blanks_at_end,
    "text-has-other-white-space": _has_other_white_space,
    "text-has-other-case": _has_other_case,
    "text-has-more": _has_more_text,
    "text-ends-early": _ends_early,
}
"""What may be wrong with a text, by the id of the symptom, the most special first."""

SYMPTOMS = frozenset([*_KINDS, "text-wrong", MISSING, REFUSED, MISPLACED])
