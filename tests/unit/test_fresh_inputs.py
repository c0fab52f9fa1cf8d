"""Variants of cases: which ones look like the cases, and that they are always the same."""

from __future__ import annotations

import pytest

from grader.explain.fresh_inputs import MOST_VARIANTS, Shape, fresh_steps, operand_variants
from grader.grading.plan_builder import build_plan
from grader.model.lab import Lab

from .facts import LAB, REFERENCE, SUBMISSION
from .lab import SPEC

PLAN = build_plan(SPEC, SUBMISSION)


def in_shape(inputs: list[bytes], data: bytes) -> set[bytes]:
    return {text for _, text, is_in_shape in Shape(inputs).variants(data) if is_in_shape}


def outside(inputs: list[bytes], data: bytes) -> set[bytes]:
    return {text for _, text, is_in_shape in Shape(inputs).variants(data) if not is_in_shape}


def test_numbers_between_those_of_the_cases_are_in_shape_and_others_are_not() -> None:
    inputs = [b"10\n", b"100\n", b"2\n"]
    assert {b"9\n", b"11\n", b"20\n", b"55\n", b"6\n"} <= in_shape(inputs, b"10\n")
    assert {b"0\n", b"-10\n", b"101\n", b"1\n", b"", b"10"} <= outside(inputs, b"10\n")


def test_numbers_stay_in_order_if_they_are_in_every_case() -> None:
    inputs = [b"1995 2005\n", b"2012 2024\n"]
    assert b"1996 2005\n" in in_shape(inputs, b"1995 2005\n")
    assert b"2006 2005\n" not in in_shape(inputs, b"1995 2005\n")
    assert b"2005 1995\n" in outside(inputs, b"1995 2005\n")


def test_a_count_at_the_beginning_stays_true() -> None:
    inputs = [b"2 3\n1 2 3\n4 5 6\n", b"1 1\n7\n", b"3 2\n1 -2\n3 4\n5 6\n"]
    found = in_shape(inputs, inputs[0])
    assert b"2 3\n3 2 3\n4 5 6\n" in found
    assert {text[:4] for text in found} == {b"2 3\n"}
    assert {text.count(b"\n") for text in found} == {3}
    assert {len(text.split()) for text in found} == {8}


def test_lines_are_repeated_and_reversed_if_cases_differ_in_their_number() -> None:
    inputs = [b"3 + 4\n", b"5 - 2\n7 / 2\n"]
    assert {b"7 / 2\n5 - 2\n", b"5 - 2\n7 / 2\n3 + 4\n", b"7 / 2\n"} <= in_shape(inputs, inputs[1])
    assert b"7 / 2\n5 - 2\n" not in in_shape(inputs[1:], inputs[1])
    # Each line has three words.
    assert b"3 + 4 4\n" not in in_shape(inputs, inputs[0])
    assert {len(line.split()) for text in in_shape(inputs, inputs[1]) for line in text.splitlines()} == {3}


@pytest.mark.parametrize(
    "operands",
    [
        (b"aba", b"xyz"),
        (b"cbc", b"xyz"),
        (b"abcQ", b"xyz"),
        (b"abcabc", b"xyz"),
        (b"xyz", b"abc"),
        (b"abc",),
        (b"ab", b"xy"),
    ],
)
def test_operands_are_repeated_shortened_exchanged_and_left_out(operands: tuple[bytes, ...]) -> None:
    found = {changed for _, changed, _ in operand_variants((b"abc", b"xyz"), [0, 1], b"text")}
    assert operands in found


def test_of_a_numeric_operand_only_positive_numbers_are_in_shape() -> None:
    found = {changed: is_number for _, changed, is_number in operand_variants((b"src", b"7"), [1], b"")}
    assert found[b"src", b"8"]
    assert not found[b"src", b"0"]
    assert not found[b"src", b"-7"]
    assert {changed[0] for changed in found} == {b"src"}


def test_runs_are_the_same_each_time_and_no_case_has_them() -> None:
    found = fresh_steps(LAB, PLAN, "many")
    assert [step.model_dump() for step, _ in found] == [
        step.model_dump() for step, _ in fresh_steps(LAB, PLAN, "many")
    ]
    assert 10 < len(found) <= MOST_VARIANTS
    cases = {(step.operands, LAB.inputs[step.input]) for step in PLAN.runs}
    assert cases.isdisjoint((variant.operands, variant.data) for _, variant in found)
    assert all(step.engine == "plain" and step.id == f"many.{step.input}" for step, _ in found)
    assert not any(b"\0" in operand for _, variant in found for operand in variant.operands)


def test_hidden_cases_are_not_varied() -> None:
    cases = {name: case.model_copy(update={"hidden": True}) for name, case in SPEC.cases.items()}
    hidden = Lab(SPEC.model_copy(update={"cases": cases}), LAB.inputs, REFERENCE)
    assert fresh_steps(hidden, PLAN, "many") == ()
