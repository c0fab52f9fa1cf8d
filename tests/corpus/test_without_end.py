"""Programs that do not end are not waited for in every run, and keep the points of what they do right."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from grader.grading.options import GradeOptions, Observer
from grader.grading.pipeline import GradingContext, grade
from grader.grading.plan_builder import build_plan
from grader.guest.timeout_budget import MAX_TIMEOUTS
from grader.model.evidence import LimitReached, RunDone, StepLeftOut
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem
from grader.model.submission import Source, Submission, UnusableSource
from grader.resources import resource
from grader.sandbox.base import ProgressEvent, Sandbox

from .test_examples import with_status

SOLUTION = resource("reference", "tr2", "solution")
TR2B = (SOLUTION / "tr2b.c").read_text(encoding="ascii")
WAIT_S = 1.0
NO_TR2U = UnusableSource("left out")
END_OF_INPUT = "    /* getchar returns EOF for an error, too. */\n"
FINDING_A_DUPLICATE = "        if (mapped[byte]) {\n"
FOR_EVER = "for (;;) pause();\n"
REFUSALS = {"tr2b.error-length", "tr2b.error-duplicate", "tr2b.error-missing"}

Seen = tuple[Report, list[str], list[str]]
"""The report, the steps that did not end, and those that were not waited for."""


class Steps(Observer):
    """Remembers what was done."""

    def __init__(self) -> None:
        self.events: list[ProgressEvent] = []

    def event_received(self, event: ProgressEvent) -> None:
        self.events.append(event)


def changed(before: str, after: str) -> bytes:
    """Return the reference's tr2b with a change."""
    assert TR2B.count(before) == 1
    return f"#include <unistd.h>\n{TR2B.replace(before, after)}".encode("ascii")


@pytest.fixture(scope="module")
def graded(
    brisk: Spec,
    local_sandbox: Sandbox,
    small_inputs: Mapping[str, bytes],
    measure: Callable[[Spec, Sandbox, Mapping[str, bytes]], Reference],
) -> Callable[[bytes], Seen]:
    """Grade a tr2b; there is no tr2u."""
    reference = measure(brisk, local_sandbox, small_inputs)
    limits = {name: getattr(brisk.limits, name) for name in ("small", "strace_small")}
    shorter = {name: limit.model_copy(update={"wall_s": WAIT_S}) for name, limit in limits.items()}
    spec = brisk.model_copy(update={"limits": brisk.limits.model_copy(update=shorter)})
    grading = GradingContext(Lab(spec, small_inputs, reference), local_sandbox)

    def grade_source(source: bytes) -> Seen:
        submission = Submission("endless", {"tr2b": Source(source), "tr2u": NO_TR2U})
        steps = Steps()
        report = grade(grading, submission, GradeOptions(steps))
        in_vain = [
            one.step for one in steps.events if isinstance(one, RunDone) and isinstance(one.ending, LimitReached)
        ]
        given_up = [one.step for one in steps.events if isinstance(one, StepLeftOut) and one.why == "given-up"]
        return report, in_vain, given_up

    return grade_source


@pytest.mark.parametrize("body", ["for (;;) continue;", FOR_EVER], ids=["spins", "sleeps"])
def test_a_program_that_never_ends_is_soon_given_up(body: str, graded: Callable[[bytes], Seen], brisk: Spec) -> None:
    report, in_vain, given_up = graded(f"#include <unistd.h>\nint main(void) {{ {body} }}\n".encode())
    planned = build_plan(brisk, Submission("endless", {"tr2b": Source(b""), "tr2u": NO_TR2U})).runs
    hang_groups = {step.hang_group for step in planned}
    # Enough copies, and one of each kind of other case.
    assert len(in_vain) == MAX_TIMEOUTS + len(hang_groups) - 1 < len(planned) / 3
    assert sorted(in_vain + given_up) == sorted(step.id for step in planned)
    cases = {f"tr2b.{item.name}" for item in brisk.rubric if isinstance(item, CasesItem)}
    assert with_status(report, "failed") == {*cases, "tr2b.syscalls", "tr2b.calls", "tr2b.terminal", "tr2u.build"}
    assert "tr2b.timing" in with_status(report, "skipped")
    messages = {check.id: check.message for check in report.checks}
    assert messages["tr2b.binary"].startswith("2 of 2 cases were not run: the program had not ended in three runs")
    assert messages["tr2b.text"].startswith("2 of 10 cases went wrong (one-pair, several-pairs), 8 were not run; ")


def test_who_never_ends_a_copy_keeps_the_points_for_what_is_refused(graded: Callable[[bytes], Seen]) -> None:
    report, in_vain, _ = graded(changed(END_OF_INPUT, f"    {FOR_EVER}"))
    assert with_status(report, "passed") == {"tr2b.build", "tr2b.calls", *REFUSALS}
    # Empty operands may be copied with.
    assert in_vain[MAX_TIMEOUTS:] == ["tr2b.both-empty"]


def test_who_hangs_on_some_refusals_loses_the_points_of_these_alone(graded: Callable[[bytes], Seen]) -> None:
    hangs = FINDING_A_DUPLICATE + f"            {FOR_EVER}"
    report, in_vain, given_up = graded(changed(FINDING_A_DUPLICATE, hangs))
    assert with_status(report, "failed") == {"tr2b.error-duplicate", "tr2u.build"}
    assert len(in_vain) == MAX_TIMEOUTS
    assert {step.partition("-")[0] for step in in_vain + given_up} == {"tr2b.duplicate"}
