"""A class on a machine without a free CPU gets the verdicts of an idle one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.grading.pipeline import grade
from grader.grading.setup import RunConfig, prepare
from grader.lab.find import load_lab
from grader.lab.load import read_spec
from grader.model.report import Report
from grader.model.spec.lab import GradescopeSettings
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.sandbox.base import Sandbox
from grader.selfcheck.quick_lab import quick_form
from tests.few_cases import LEFT_OUT, few_cases
from tests.verdicts import verdicts_only
from tests.waits import busy_cpu

from .test_examples import EXAMPLES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

PROCESSES = 20

CLASS = {
    "half": ("right", "block-reads"),
    "broken": ("does-not-compile",) * 2,
}
"""Which examples the two programs are from: counts of calls, and what a build says. Others would only take longer."""

CHECKS = ("build", "text", "byte-ff", "error-duplicate", "random-5m", "pattern-5m", "syscalls", "calls", "terminal")
"""What examples fail, and what goes by time: the others would only take longer."""


def verdicts(report: Report) -> dict[str, tuple[str, float, str]]:
    """Return what each check says, without the times that were measured."""
    return {
        check.id: (check.status, check.points, check.message if check.status == "failed" else "")
        for check in report.checks
    }


@pytest.fixture(scope="module")
def lab_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the lab with its own limits, but with fewer checks and cases, and inputs of 64 KiB."""
    whole = quick_form(read_spec(resource("specs", "tr2.yaml")))
    lab = few_cases(whole, {*LEFT_OUT, *(name for name in whole.cases if "drawn" in name)})
    rubric = tuple(item for item in lab.rubric if item.name in CHECKS)
    folder = tmp_path_factory.mktemp("few-checks")
    shutil.copytree(resource("reference", "tr2", "solution"), folder / "reference")
    path = folder / "lab.yaml"
    small = lab.model_copy(update={"rubric": rubric, "template_score": None, "gradescope": GradescopeSettings()})
    path.write_text(small.model_dump_json(by_alias=True), encoding="utf-8")
    return path


@contextmanager
def on_cpu(cpu: str) -> Iterator[None]:
    """Have this process, and the guests that it starts, share a CPU with others."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {int(cpu)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@pytest.fixture(scope="module")
def graded(lab_file: Path, local_sandbox: Sandbox) -> Callable[[str], Mapping[str, Report]]:
    """Grade the class on one CPU."""
    grading = prepare(RunConfig(*load_lab(str(lab_file)), use_cache=False), local_sandbox, print)

    def submission(name: str) -> Submission:
        examples = zip(CLASS[name], grading.lab.spec.programs.items(), strict=True)
        sources = {
            program: Source((EXAMPLES / example / declared.main_source).read_bytes())
            for example, (program, declared) in examples
        }
        return Submission(name, sources)

    def grade_class(cpu: str) -> Mapping[str, Report]:
        with on_cpu(cpu):
            return {name: grade(grading, submission(name), verdicts_only()) for name in CLASS}

    return grade_class


def test_verdicts_do_not_depend_on_the_load(graded: Callable[[str], Mapping[str, Report]]) -> None:
    with busy_cpu(0) as cpu:
        idle = graded(cpu)
    with busy_cpu(PROCESSES) as cpu:
        loaded = graded(cpu)
    for name in CLASS:
        assert loaded[name].status == "graded", loaded[name].reason
        assert verdicts(loaded[name]) == verdicts(idle[name]), name
