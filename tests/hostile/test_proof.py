"""Programs that behave only where they think that somebody looks: each fails the check that its folder names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from grader.grading.options import GradeOptions, TimeLeft
from grader.grading.pipeline import GradingContext, grade
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.sandbox.base import Sandbox
from grader.selfcheck.quick_lab import quick_form

PROGRAMS = Path(__file__).parent / "programs"
SOLUTION = resource("reference", "tr2", "solution")
COMMON = PROGRAMS / "translate.h"
SLEEPERS = sorted(PROGRAMS.glob("*/sleeps-*.c"))
HOSTILE = sorted(set(PROGRAMS.glob("*-fails-*/*.c")).difference(SLEEPERS))
IN_DOCKER = {
    "unbuffered-unless-traced",
    "pointless-calls-hide-a-block",
    "block-at-its-own-size",
    "blocks-if-optimised",
}
"""One of each class; what stops them is the same program in every sandbox."""

pytestmark = pytest.mark.slow

RUNS = [
    pytest.param(sandbox, path, marks=marks, id=f"{sandbox}-{path.parent.name}-{path.stem}")
    for sandbox, marks in (("local", ()), ("docker", pytest.mark.docker))
    for path in HOSTILE
    if sandbox == "local" or path.stem in IN_DOCKER
]

LOOKS = ("syscalls", "calls")
"""The checks that judge how a program copies."""


def source_of(path: Path) -> bytes:
    """Return a submission's source, which is a single file."""
    return path.read_bytes().replace(b'#include "translate.h"\n', COMMON.read_bytes())


Graded = Callable[..., Report]


@pytest.fixture(scope="module")
def quick(spec: Spec) -> Spec:
    """The lab with smaller inputs, and limits in proportion: what is expensive at full size is expensive here."""
    return quick_form(spec)


@pytest.fixture(scope="module")
def graded(
    quick: Spec, sandbox: Sandbox, small_inputs: Mapping[str, bytes], measure: Callable[..., Reference]
) -> Graded:
    grading = GradingContext(Lab(quick, small_inputs, measure(quick, sandbox, small_inputs)), sandbox)

    def graded(program: str, source: bytes, checks: Iterable[str] = LOOKS, deadline_s: float | None = None) -> Report:
        sources = {
            name: Source((SOLUTION / declared.main_source).read_bytes()) for name, declared in quick.programs.items()
        }
        selected = frozenset(f"{program}.{name}" for name in checks)
        options = GradeOptions(selected_checks=selected, time_left=TimeLeft(deadline_s))
        report = grade(grading, Submission("hostile", {**sources, program: Source(source)}), options)
        assert report.status == "graded", report.reason
        return report

    return graded


def failed(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.status == "failed"}


@pytest.mark.parametrize(("sandbox", "path"), RUNS, indirect=["sandbox"])
def test_what_is_not_proven_gets_no_points(path: Path, graded: Graded) -> None:
    program, _, checks = path.parent.name.split("-", 2)
    check = checks.partition("+")[0]
    found = failed(graded(program, source_of(path)))
    assert f"{program}.{check}" in found
    # Who copies by blocks where nobody looks at functions has both against it.
    assert found <= {f"{program}.{name}" for name in LOOKS}


@pytest.mark.parametrize("program", ["tr2b", "tr2u"])
def test_an_honest_neighbour_gets_them(program: str, graded: Graded) -> None:
    assert failed(graded(program, (SOLUTION / f"{program}.c").read_bytes())) == set()


HONEST = sorted(PROGRAMS.glob("*-passes/*.c"))


@pytest.mark.parametrize("path", HONEST, ids=[f"{path.parent.name}/{path.stem}" for path in HONEST])
def test_unusual_but_honest(path: Path, graded: Graded) -> None:
    assert failed(graded(path.parent.name.split("-")[0], source_of(path))) == set()


DEADLINE_S = 5.0
"""More than an honest program needs for two checks, many times over."""


@pytest.mark.parametrize("path", SLEEPERS, ids=[path.stem for path in SLEEPERS])
def test_who_sleeps_has_no_points_for_the_time_that_is_missing(path: Path, graded: Graded) -> None:
    program, _, check = path.parent.name.split("-", 2)
    report = graded(program, source_of(path), [check], DEADLINE_S)
    assert failed(report) == {f"{program}.{check}"}
    assert not report.not_run
