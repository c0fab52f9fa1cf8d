"""Programs that behave only where they think that somebody looks: each fails the check that its folder names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.cli.main import status_of
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

from .class_folder import IN_CONTAINERS, OF_PROGRAMS, assert_result, reports_in, write_canary, write_programs
from .programs import PROGRAMS

SOLUTION = resource("reference", "tr2", "solution")
COMMON = PROGRAMS / "translate.h"
SLEEPERS = sorted(PROGRAMS.glob("*/sleeps-*.c"))
ON_EVIDENCE = sorted(OF_PROGRAMS.keys() - IN_CONTAINERS)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]  # the first test grades the class


def source_of(path: Path) -> bytes:
    """Return a submission's source, which is a single file."""
    return path.read_bytes().replace(b'#include "translate.h"\n', COMMON.read_bytes())


@pytest.fixture(scope="module")
def in_class(lab_file: Path, cache_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Report]:
    folder = tmp_path_factory.mktemp("evidence")
    write_programs(folder / "in", write_canary(folder / "canary"), ON_EVIDENCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache_home))
        status = status_of(
            ["grade", str(folder / "in"), "--lab", str(lab_file), "--out", str(folder / "out"), "--sandbox", "local"]
        )
    assert status == OK
    return reports_in(folder / "out")


@pytest.mark.parametrize("name", ON_EVIDENCE)
def test_what_is_not_proven_gets_no_points(in_class: Mapping[str, Report], lab: Spec, name: str) -> None:
    assert_result(in_class[name], OF_PROGRAMS[name], lab)


DEADLINE_S = 5.0
"""More than an honest program needs for one check, many times over."""


@pytest.mark.parametrize("sandbox", ["local"], indirect=True)
@pytest.mark.parametrize("path", SLEEPERS, ids=[path.stem for path in SLEEPERS])
def test_who_sleeps_has_no_points_for_the_time_that_is_missing(
    path: Path, sandbox: Sandbox, spec: Spec, small_inputs: Mapping[str, bytes], measure: Callable[..., Reference]
) -> None:
    program, _, check = path.parent.name.split("-", 2)
    quick = quick_form(spec)
    grading = GradingContext(Lab(quick, small_inputs, measure(quick, sandbox, small_inputs)), sandbox)
    sources = {
        name: Source((SOLUTION / declared.main_source).read_bytes()) for name, declared in quick.programs.items()
    }
    sources[program] = Source(source_of(path))
    options = GradeOptions(selected_checks=frozenset([f"{program}.{check}"]), time_left=TimeLeft(DEADLINE_S))
    report = grade(grading, Submission("hostile", sources), options)
    assert report.status == "graded", report.reason
    assert {check.id for check in report.checks if check.status == "failed"} == {f"{program}.{check}"}
    assert not report.not_run
