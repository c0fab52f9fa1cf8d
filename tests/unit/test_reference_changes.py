from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from grader.errors import SandboxError
from grader.grading.pipeline import GradingContext
from grader.model.evidence import StepLeftOut
from grader.model.submission import Source
from grader.sandbox.base import Job, ProgressEvent
from grader.selfcheck.reference_changes import (
    ReferenceChange,
    changed_lines,
    changed_sources,
    reference_changes,
    tried_changes,
)

from .facts import FAILURE, LAB, SUBMISSION, build, evidence, run
from .lab import SPEC
from .sandboxes import FakeSandbox, events_of

SOURCE = b"""\
int sum(int a, int b)
{
    if (a < 3 && !b)
        return a + 1;
    return b;
}
int main(void) { return sum(1, 2); }
"""


def lines(source: bytes) -> set[tuple[int, str, str]]:
    return {changed_lines(source, changed) for changed in changed_sources(source)}


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        (3, "if (a < 3 && !b)", "if (a <= 3 && !b)"),
        (3, "if (a < 3 && !b)", "if (a < 3 || !b)"),
        (3, "if (a < 3 && !b)", "if (a < 4 && !b)"),
        (3, "if (a < 3 && !b)", "if (a < 3 && b)"),
        (3, "if (a < 3 && !b)", "if (0)"),
        (3, "if (a < 3 && !b)", "if (1)"),
        (4, "return a + 1;", "return a - 1;"),
        (4, "return a + 1;", ";"),
        (5, "return b;", ";"),
    ],
)
def test_a_source_gets_the_mistakes_that_people_make(line: int, before: str, after: str) -> None:
    assert (line, before, after) in lines(SOURCE)


def test_each_change_is_made_once_and_changes_something() -> None:
    changed = changed_sources(SOURCE)
    assert len(changed) == len({*changed})
    assert SOURCE not in changed


def test_what_is_not_c_has_no_changes() -> None:
    assert not changed_sources(b"def f(:\n")


def test_only_sources_in_c_are_changed() -> None:
    program = next(iter(SPEC.programs))
    sources = {
        **SUBMISSION.sources,
        program: Source(SOURCE, {"other.h": b"int a = 1;\n", "other.c": b"int b = 1;\n"}),
    }
    changed = [*reference_changes(SPEC, replace(SUBMISSION, sources=sources))]
    assert {one.file for one in changed if one.program == program} == {SPEC.programs[program].main_source, "other.c"}
    for one in changed:
        assert sum(one.reference.sources[name] != sources[name] for name in sources) == 1


def test_the_place_is_shown_with_both_lines() -> None:
    change = ReferenceChange("a", "a.c", 3, "x++;", "", SUBMISSION)
    assert change.shown(Path("lab")) == "lab/a.c:3: x++; -> nothing"


CHANGE = ReferenceChange("many", "many.c", 1, "", "", SUBMISSION)


def tried(sandbox: FakeSandbox) -> frozenset[str] | None:
    [one] = tried_changes(GradingContext(LAB, sandbox), [CHANGE])
    assert not one.problem
    return one.failed


def test_a_change_fails_the_checks_of_its_own_program() -> None:
    wrong = events_of(
        evidence({"many.copy": run("many.copy", b"wrong"), "single.copy": run("single.copy", b"wrong")})
    )
    failed = tried(FakeSandbox(lambda _job: wrong))
    assert failed
    assert all(check.startswith("many.") for check in failed)


def test_a_change_that_is_as_right_as_the_reference_fails_none() -> None:
    assert tried(FakeSandbox(lambda _job: events_of(evidence()))) == frozenset()


def test_a_change_that_does_not_compile_is_no_failure() -> None:
    broken = evidence().model_copy(update={"builds": {"many": build("many", FAILURE)}})
    assert tried(FakeSandbox(lambda _job: events_of(broken))) is None


def _always(script: Sequence[ProgressEvent | Exception], _job: Job) -> Sequence[ProgressEvent | Exception]:
    return script


def test_a_change_that_could_not_be_judged_survives_nothing() -> None:
    missed = evidence().model_copy(
        update={"runs": {}, "left_out": {step: StepLeftOut(step=step, why="deadline") for step in evidence().runs}}
    )
    scripts: list[Sequence[ProgressEvent | Exception]] = [
        [SandboxError("too busy")],
        events_of(missed),
        events_of(evidence()),
    ]
    problems = []
    for script in scripts:
        sandbox = FakeSandbox(partial(_always, script))
        [one] = tried_changes(GradingContext(LAB, sandbox), [CHANGE])
        problems.append(one.problem)
        assert (one.failed is None) == bool(one.problem)
    assert problems[0] == "too busy"
    assert problems[1].startswith("many.")
    assert not problems[2]
