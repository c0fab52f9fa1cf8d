"""What attacks no sandbox, in a class on this machine: each program gets the result that its folder names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.grading.pipeline import GradingContext, grade
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.options import GradeOptions, TimeLeft
from grader.sandbox.base import Sandbox
from grader.selfcheck.quick_lab import quick_form

from .class_folder import CLASSES, GradedClass, assert_inert, assert_result, grade_class, write_canary, write_class
from .programs import ALONE, HostileSubmission, Place, read_program

SLEEPERS = sorted(path for path in ALONE if path.stem.startswith("sleeps-"))
ON_EVIDENCE = CLASSES[Place.MACHINE]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]  # the first test grades the class


@pytest.fixture(scope="module")
def in_class(open_lab_file: Path, cache_home: Path, tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    folder = tmp_path_factory.mktemp("evidence")
    canary = write_canary(folder / "canary")
    write_class(folder / "in", canary, Place.MACHINE)
    return grade_class(folder, canary, open_lab_file, cache_home, "local")


@pytest.mark.parametrize("name", ON_EVIDENCE)
def test_what_is_not_proven_gets_no_points(in_class: GradedClass, open_lab: Spec, name: str) -> None:
    assert_result(in_class.reports[name], ON_EVIDENCE[name].expected, open_lab)


def test_nothing_else_changes(in_class: GradedClass) -> None:
    assert in_class.status == OK
    assert in_class.wrong == []
    assert_inert(in_class.out)


Graded = Callable[[Path, Iterable[str], "float | None"], Report]


@pytest.fixture(scope="module")
def graded(
    spec: Spec, local_sandbox: Sandbox, small_inputs: Mapping[str, bytes], measure: Callable[..., Reference]
) -> Graded:
    """Grade checks of a program next to a right one, perhaps with a deadline."""
    quick = quick_form(spec)
    grading = GradingContext(Lab(quick, small_inputs, measure(quick, local_sandbox, small_inputs)), local_sandbox)

    def graded(path: Path, checks: Iterable[str], deadline_s: float | None) -> Report:
        hostile = read_program(path)
        options = GradeOptions(
            selected_checks=frozenset(f"{hostile.program}.{check}" for check in checks),
            time_left=TimeLeft(deadline_s),
        )
        sources = {
            name: Source(HostileSubmission([hostile]).sources(path)[declared.main_source])
            for name, declared in quick.programs.items()
        }
        report = grade(grading, Submission("hostile", sources), options)
        assert report.status == "graded", report.reason
        return report

    return graded


def failed(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.status == "failed"}


UNSET = sorted(ALONE.difference(SLEEPERS))


@pytest.mark.parametrize("path", UNSET, ids=[f"{path.parent.name}-{path.stem}" for path in UNSET])
def test_who_writes_unset_memory_makes_the_calls_that_it_should(path: Path, graded: Graded) -> None:
    assert failed(graded(path, ("syscalls", "calls"), None)) == set()


DEADLINE_S = 5.0
"""More than an honest program needs for one check, many times over."""


@pytest.mark.parametrize("path", SLEEPERS, ids=[path.stem for path in SLEEPERS])
def test_who_sleeps_has_no_points_for_the_time_that_is_missing(path: Path, graded: Graded) -> None:
    program, _, check = path.parent.name.split("-", 2)
    report = graded(path, [check], DEADLINE_S)
    assert failed(report) == {f"{program}.{check}"}
    assert not report.not_run
