"""What is wrong with a text that a program computes, in words that are true of every lab."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.diagnose.behaviour.outputs import CopyRun
from grader.diagnose.behaviour.text_outputs import added_text, kind_of_text

from .facts import LAB
from .lab import SPEC

SUM = b"sum: 16\nmax: 7\n"


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        (SUM, SUM[:-1], "text-lacks-last-newline"),
        (SUM, b"", "text-is-missing"),
        (b"1 2 3\n", b"1 2 3 \n", "text-has-blanks-at-end"),
        (b"1 2\n3 4\n", b"1 2\t\n3 4\n", "text-has-blanks-at-end"),
        (b"1 2 3\n", b"1  2 3\n", "text-has-other-white-space"),
        (b"1 2 3\n", b"123\n", "text-has-other-white-space"),
        (SUM, SUM.replace(b"\n", b" "), "text-has-other-white-space"),
        (SUM, SUM.replace(b"sum", b"Sum"), "text-has-other-case"),
        (SUM, b"Numbers: " + SUM, "text-has-more"),
        (b"a\nb\n", b"line a\nline b\n", "text-has-more"),
        (SUM, SUM[:8], "text-ends-early"),
        (SUM, SUM.replace(b"7", b"9"), "text-wrong"),
        (b"7\n", b"17\n", "text-wrong"),
        (b"", b"none\n", "text-wrong"),
    ],
)
def test_the_most_special_kind_that_is_true(expected: bytes, actual: bytes, kind: str) -> None:
    assert kind_of_text(CopyRun((), b"5\n", expected, actual)).id == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [(b"", "text-is-missing"), (b"usage: sum\n", "text-has-message-instead"), (SUM, "text-on-standard-error")],
)
def test_what_writes_nothing_may_write_it_elsewhere(message: bytes, kind: str) -> None:
    assert kind_of_text(CopyRun((), b"5\n", SUM, b""), message).id == kind


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        (b"5\n", b"Enter a number: 5\n", b"Enter a number: "),
        (b"5\n6\n", b"number 5\nnumber 6\n", b"number "),
        (b"5\n", b"55\n", None),
        (b"5\n", b"a5b\n", None),
    ],
)
def test_a_text_that_is_written_besides(expected: bytes, actual: bytes, text: bytes | None) -> None:
    assert added_text(expected, actual) == text


def test_a_lab_without_input_computes_a_text() -> None:
    assert LAB.translates
    cases = {name: case.model_copy(update={"input": "nothing"}) for name, case in SPEC.cases.items()}
    lab = replace(LAB, spec=SPEC.model_copy(update={"cases": cases}), inputs={**LAB.inputs, "nothing": b""})
    assert not lab.translates
