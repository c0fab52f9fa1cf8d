"""Programs that do not end are not waited for in every run, and keep the points of what they do right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from grader.grading.pipeline import GradingContext, grade
from grader.grading.plan_builder import build_plan
from grader.guest.timeout_budget import MAX_TIMEOUTS
from grader.model.evidence import WITHOUT_END, LimitReached, RunDone, StepLeftOut
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem
from grader.model.submission import Source, Submission, UnusableSource
from grader.options import GradeOptions, Observer
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

    def in_vain(self) -> list[RunDone]:
        """Return the runs that a limit stopped."""
        return [one for one in self.events if isinstance(one, RunDone) and isinstance(one.ending, LimitReached)]


def changed(before: str, after: str) -> bytes:
    """Return the reference's tr2b with a change."""
    assert TR2B.count(before) == 1
    return f"#include <unistd.h>\n{TR2B.replace(before, after)}".encode("ascii")


@pytest.fixture(scope="module")
def reference(
    whole_brisk: Spec,
    local_sandbox: Sandbox,
    small_inputs: Mapping[str, bytes],
    measure: Callable[[Spec, Sandbox, Mapping[str, bytes]], Reference],
) -> Reference:
    return measure(whole_brisk, local_sandbox, small_inputs)


def grade_tr2b(grading: GradingContext, source: bytes, *, stops_early: bool = False) -> tuple[Report, Steps]:
    """Grade a tr2b; there is no tr2u."""
    steps = Steps()
    submission = Submission("endless", {"tr2b": Source(source), "tr2u": NO_TR2U})
    return grade(grading, submission, GradeOptions(steps, stops_early=stops_early)), steps


@pytest.fixture(scope="module")
def graded(
    whole_brisk: Spec, local_sandbox: Sandbox, small_inputs: Mapping[str, bytes], reference: Reference
) -> Callable[[bytes], Seen]:
    limits = {name: getattr(whole_brisk.limits, name) for name in ("small", "strace_small")}
    shorter = {name: limit.model_copy(update={"wall_s": WAIT_S}) for name, limit in limits.items()}
    spec = whole_brisk.model_copy(update={"limits": whole_brisk.limits.model_copy(update=shorter)})
    grading = GradingContext(Lab(spec, small_inputs, reference), local_sandbox)

    def grade_source(source: bytes) -> Seen:
        report, steps = grade_tr2b(grading, source)
        given_up = [one.step for one in steps.events if isinstance(one, StepLeftOut) and one.why in WITHOUT_END]
        return report, [run.step for run in steps.in_vain()], given_up

    return grade_source


@pytest.fixture
def stopped_early(
    whole_brisk: Spec, local_sandbox: Sandbox, small_inputs: Mapping[str, bytes], reference: Reference
) -> Callable[[bytes], tuple[Report, Steps]]:
    """Grade a tr2b with the limits of the lab, as `--quick` does."""
    grading = GradingContext(Lab(whole_brisk, small_inputs, reference), local_sandbox)
    return partial(grade_tr2b, grading, stops_early=True)


@pytest.mark.slow
@pytest.mark.parametrize("body", ["for (;;) continue;", FOR_EVER], ids=["spins", "sleeps"])
def test_a_program_that_never_ends_is_soon_given_up(
    body: str, graded: Callable[[bytes], Seen], whole_brisk: Spec
) -> None:
    report, in_vain, given_up = graded(f"#include <unistd.h>\nint main(void) {{ {body} }}\n".encode())
    planned = build_plan(whole_brisk, Submission("endless", {"tr2b": Source(b""), "tr2u": NO_TR2U})).runs
    hang_groups = {step.hang_group for step in planned}
    # Enough copies, the log of the first one, and one of each kind of other case.
    assert len(in_vain) == MAX_TIMEOUTS + 1 + len(hang_groups) - 1 < len(planned) / 3
    assert sorted(in_vain + given_up) == sorted(step.id for step in planned)
    cases = {f"tr2b.{item.name}" for item in whole_brisk.rubric if isinstance(item, CasesItem)}
    assert with_status(report, "failed") == {*cases, "tr2b.syscalls", "tr2b.calls", "tr2b.terminal", "tr2u.build"}
    assert "tr2b.timing" in with_status(report, "skipped")
    messages = {check.id: check.message for check in report.checks}
    assert messages["tr2b.binary"].startswith(
        "2 of 2 cases were not run: the program had not ended in three earlier runs"
    )
    assert messages["tr2b.text"].startswith("2 of 15 cases went wrong (one-pair, several-pairs), 13 were not run; ")


@pytest.mark.slow
def test_who_never_ends_a_copy_keeps_the_points_for_what_is_refused(graded: Callable[[bytes], Seen]) -> None:
    report, in_vain, _ = graded(changed(END_OF_INPUT, f"    {FOR_EVER}"))
    assert with_status(report, "passed") == {"tr2b.build", "tr2b.calls", *REFUSALS}
    # Empty operands may be copied with.
    assert in_vain[MAX_TIMEOUTS + 1 :] == ["tr2b.both-empty"]


@pytest.mark.slow
def test_who_hangs_on_some_refusals_loses_the_points_of_these_alone(graded: Callable[[bytes], Seen]) -> None:
    hangs = FINDING_A_DUPLICATE + f"            {FOR_EVER}"
    report, in_vain, given_up = graded(changed(FINDING_A_DUPLICATE, hangs))
    assert with_status(report, "failed") == {"tr2b.error-duplicate", "tr2u.build"}
    assert len(in_vain) == MAX_TIMEOUTS
    assert {step.partition("-")[0] for step in in_vain + given_up} == {"tr2b.duplicate", "tr2b.drawn"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        f"#include <unistd.h>\nint main(void) {{ {FOR_EVER} }}\n".encode(),
        changed(END_OF_INPUT, f"    {FOR_EVER}"),
        changed(FINDING_A_DUPLICATE, FINDING_A_DUPLICATE + f"            {FOR_EVER}"),
    ],
    ids=["always", "at the end", "in some refusals"],
)
def test_who_sleeps_is_stopped_early_with_the_same_verdicts(
    source: bytes,
    graded: Callable[[bytes], Seen],
    stopped_early: Callable[[bytes], tuple[Report, Steps]],
    whole_brisk: Spec,
) -> None:
    """What sleeps waits for no CPU, however busy the machine is: it is never run again with more time."""
    report, steps = stopped_early(source)
    as_usual, in_vain, _ = graded(source)
    assert {check.id: check.status for check in report.checks} == {
        check.id: check.status for check in as_usual.checks
    }
    assert [run.step for run in steps.in_vain()] == in_vain
    assert {run.ending for run in steps.in_vain()} == {LimitReached(kind="limit", limit="wall")}
    first, *others = [run.times.real_s for run in steps.in_vain()]
    assert first < whole_brisk.limits.small.wall_s, "not as long as the lab allows"
    assert max(others) < whole_brisk.limits.small.wall_s


@pytest.mark.slow
def test_who_computes_without_end_has_the_same_verdicts_if_stopped_early(
    graded: Callable[[bytes], Seen], stopped_early: Callable[[bytes], tuple[Report, Steps]]
) -> None:
    source = b"int main(void) { for (;;) continue; }\n"
    report, steps = stopped_early(source)
    as_usual, in_vain, _ = graded(source)
    assert with_status(report, "failed") == with_status(as_usual, "failed")
    assert [run.step for run in steps.in_vain()] == in_vain
