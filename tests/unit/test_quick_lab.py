"""The quick form of a lab."""

from __future__ import annotations

import pytest

from grader.lab.load import read_spec
from grader.model.spec.cases import LiteralInput, PatternInput
from grader.model.spec.lab import Spec, all_inputs
from grader.model.spec.programs import BatchedCalls
from grader.resources import resource
from grader.selfcheck.quick_lab import QUICK_BYTES, looks_the_same, quick_form

from .lab import FULL_BYTES
from .lab import SPEC as TINY

LAB = read_spec(resource("specs", "tr2.yaml"))
QUICK = quick_form(LAB)
FULL = max(len(data) for data in all_inputs(LAB).values())
assert FULL > QUICK_BYTES > FULL_BYTES


def with_input(spec: Spec, name: str, **changes: object) -> Spec:
    return spec.model_copy(update={"inputs": {**spec.inputs, name: spec.inputs[name].model_copy(update=changes)}})


@pytest.mark.parametrize("name", LAB.inputs)
def test_an_input_is_the_beginning_of_what_it_was_and_a_small_one_the_same(name: str) -> None:
    assert all_inputs(QUICK)[name] == all_inputs(LAB)[name][:QUICK_BYTES]


@pytest.mark.parametrize("secret", [f"secret {number}" for number in range(40)])
def test_no_drawn_input_is_longer(secret: str) -> None:
    assert max(len(data) for data in all_inputs(QUICK.drawn(secret).drawn_for("digest")).values()) <= QUICK_BYTES


def test_what_is_judged_and_how_stays() -> None:
    assert (QUICK.programs, QUICK.cases, QUICK.build) == (LAB.programs, LAB.cases, LAB.build)
    assert [(item.name, item.points, item.kind) for item in QUICK.rubric] == [
        (item.name, item.points, item.kind) for item in LAB.rubric
    ]
    assert QUICK.digest() != LAB.digest(), "results of the one are never taken for those of the other"


def test_there_is_enough_input_for_the_patterns_of_calls() -> None:
    """A program that does it right and one that does it wrong stay far apart."""
    for program in QUICK.programs.values():
        for pattern in (program.stdin, program.stdout):
            if isinstance(pattern, BatchedCalls):
                assert 100 * pattern.mean_bytes_min <= QUICK_BYTES


def test_no_text_names_a_size_that_is_not_so() -> None:
    said = [words for item in QUICK.rubric for words in (item.title, item.hint)]
    assert not [words for words in said if f"{FULL:,}" in words]
    assert f"Copies {QUICK_BYTES:,} patterned bytes" in said


def test_what_is_too_dear_to_be_logged_is_so_in_proportion() -> None:
    assert QUICK.limits.cheap_calls == LAB.limits.cheap_calls * QUICK_BYTES // FULL
    assert QUICK.limits.cheap_calls < 2 * QUICK_BYTES, "two calls a byte are too many"


def test_a_cut_input_has_less_time_but_no_less_than_little_input() -> None:
    quick, small, full = QUICK.limits.full, LAB.limits.small, LAB.limits.full
    assert small.cpu_s <= quick.cpu_s < full.cpu_s
    assert small.wall_s <= quick.wall_s < full.wall_s
    assert small.output_bytes <= quick.output_bytes < full.output_bytes
    assert quick.output_bytes > QUICK_BYTES


def test_short_runs_have_the_limits_of_full_size() -> None:
    quick, limits = QUICK.limits, LAB.limits
    assert (quick.small, quick.strace_small) == (limits.small, limits.strace_small)


def test_a_lab_without_large_inputs_is_its_own_quick_form() -> None:
    assert quick_form(TINY) is TINY
    assert quick_form(QUICK) is QUICK


def test_a_long_literal_is_cut_too() -> None:
    spec = with_input(TINY, "text", data=b"x" * (QUICK_BYTES + 1))
    cut = quick_form(spec).inputs["text"]
    assert isinstance(cut, LiteralInput)
    assert cut.data == b"x" * QUICK_BYTES


def test_known_bugs_look_the_same_unless_they_are_measured_on_what_is_cut() -> None:
    assert looks_the_same(LAB)
    assert isinstance(TINY.inputs["slice"], PatternInput)
    assert not looks_the_same(with_input(TINY, "slice", size_bytes=QUICK_BYTES + 1))
