"""The guests that run copies: one for all plans of a program, and nothing is built twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing

import pytest

from grader.errors import SandboxError
from grader.explain.second_run import SecondGuests, run_of_copy
from grader.grading.plan_builder import build_plan
from grader.model.evidence import BuildDone
from grader.model.plan import BuildStep, Plan
from grader.sandbox.base import Job, ProgressEvent

from .facts import SUBMISSION, TOOLCHAIN, build, run
from .lab import INPUTS, SPEC
from .sandboxes import FakeSandbox

PLAN = build_plan(SPEC, SUBMISSION)
SOURCES = {"many_a.c": b"int a;", "single_a.c": b"int b;"}


def does_all(job: Job) -> list[ProgressEvent]:
    builds = [build("many").model_copy(update={"program": step.program}) for step in job.plan.builds]
    return [TOOLCHAIN, *builds, *(run(step.id) for step in job.plan.runs)]


def plan_of(*copies: str, options: Sequence[str] = ()) -> Plan:
    """A plan that builds copies and runs one case of each."""
    builds, runs = [], []
    for copy in copies:
        program = copy.partition("_")[0]
        step = next(one for one in PLAN.runs if one.id == f"{program}.copy")
        builds.append(
            BuildStep(program=copy, source=f"{copy}.c", compile=("gcc", *options, f"{copy}.c"), compile_object=())
        )
        runs.append(run_of_copy(step, copy, step.limits))
    return PLAN.model_copy(update={"builds": tuple(builds), "runs": tuple(runs)})


def built(sandbox: FakeSandbox) -> list[list[str]]:
    return [[step.program for step in job.plan.builds] for job in sandbox.jobs]


def test_a_guest_gets_one_plan_after_another_and_builds_nothing_twice() -> None:
    sandbox = FakeSandbox(does_all)
    with closing(SecondGuests(sandbox, (0,), ["many", "single"])) as guests:
        first = guests.run(plan_of("many_a"), SOURCES, INPUTS)
        second = guests.run(plan_of("many_a", "single_a"), SOURCES, INPUTS)
        assert sandbox.at_work == 1
    assert sandbox.at_work == 0
    assert sandbox.order == ["programs"]
    assert built(sandbox) == [["many_a"], ["single_a"]]
    assert {*first.builds} == {"many_a"}
    assert {*second.builds} == {"many_a", "single_a"}
    assert {*second.runs} == {"many_a.copy", "single_a.copy"}


def test_only_inputs_that_are_needed_are_sent_and_sources_only_to_build() -> None:
    sandbox = FakeSandbox(does_all)
    with closing(SecondGuests(sandbox, (0,), ["many", "single"])) as guests:
        for _ in range(2):
            guests.run(plan_of("many_a"), SOURCES, INPUTS)
    assert [{*job.inputs} for job in sandbox.jobs] == [{"text"}, {"text"}]
    assert [job.sources for job in sandbox.jobs] == [SOURCES, {}]


def test_with_a_slot_for_each_program_each_has_its_guest() -> None:
    sandbox = FakeSandbox(does_all)
    with closing(SecondGuests(sandbox, (3, 5), ["many", "single"])) as guests:
        seen = guests.run(plan_of("many_a", "single_a"), SOURCES, INPUTS)
        guests.run(plan_of("single_a"), SOURCES, INPUTS)
        assert sandbox.at_work == 2
    assert sorted(sandbox.slots) == [3, 5]
    assert sorted(built(sandbox)) == [[], ["many_a"], ["single_a"]]
    assert {*seen.runs} == {"many_a.copy", "single_a.copy"}


def test_a_new_guest_is_started_after_the_end_and_for_another_source_with_the_same_name() -> None:
    sandbox = FakeSandbox(does_all)
    with closing(SecondGuests(sandbox, (0,), ["many", "single"])) as guests:
        guests.run(plan_of("many_a"), SOURCES, INPUTS)
        guests.close()
        guests.run(plan_of("many_a"), SOURCES, INPUTS)
        guests.run(plan_of("many_a", options=["-g"]), SOURCES, INPUTS)
    assert built(sandbox) == [["many_a"]] * 3
    assert len(sandbox.order) == 3


def test_a_guest_that_failed_is_replaced() -> None:
    failures: list[Exception] = [SandboxError("no memory")]
    sandbox = FakeSandbox(lambda job: [failures.pop()] if failures else does_all(job))
    with closing(SecondGuests(sandbox, (0,), ["many", "single"])) as guests:
        with pytest.raises(SandboxError, match="no memory"):
            guests.run(plan_of("many_a"), SOURCES, INPUTS)
        assert sandbox.at_work == 0
        assert {*guests.run(plan_of("many_a"), SOURCES, INPUTS).runs} == {"many_a.copy"}


def test_what_was_cut_short_is_built_again_in_another_guest() -> None:
    def script(job: Job) -> Iterable[ProgressEvent | Exception]:
        is_first = len(sandbox.jobs) == 1
        return [
            one.model_copy(update={"cut_short": is_first}) if isinstance(one, BuildDone) else one
            for one in does_all(job)
        ]

    sandbox = FakeSandbox(script)
    with closing(SecondGuests(sandbox, (0,), ["many", "single"])) as guests:
        for _ in range(3):
            guests.run(plan_of("many_a"), SOURCES, INPUTS)
    assert built(sandbox) == [["many_a"], ["many_a"], []]
    assert len(sandbox.order) == 2
