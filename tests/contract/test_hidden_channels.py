"""A submission whose hidden runs leave their operands and input wherever they can, for the runs that students see."""

from __future__ import annotations

import subprocess
import uuid
from pathlib import Path

import pytest

from grader.grading.pipeline import GradingContext, grade
from grader.lab.load import read_spec
from grader.model.evidence import RunDone, program_and_case
from grader.model.lab import Lab
from grader.model.spec.lab import Spec, all_inputs
from grader.model.submission import Source, Submission
from grader.options import GradeOptions, Observer
from grader.sandbox.base import ProgressEvent, Sandbox
from grader.selfcheck.quick_lab import quick_form
from tests.conftest import Measure
from tests.hidden_lab import SECRETS, hidden_spec
from tests.waits import ENDS_S

from .harness import GCC, PROGRAMS, source

pytestmark = pytest.mark.slow

HIDDEN_CASES = {"secret-operands", "secret-letters", "secret-noise", "secret-helper"}


@pytest.fixture(scope="module")
def lab_that_hides(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    """The lab with hidden cases, and with small inputs instead of those of 5,000,000 bytes."""
    spec = read_spec(hidden_spec(tmp_path_factory.mktemp("course")))
    return spec.model_copy(update={"inputs": quick_form(spec).inputs})


class Runs(Observer):
    """Remembers all runs, in the order in which they were made."""

    def __init__(self) -> None:
        self.all: list[RunDone] = []

    def event_received(self, event: ProgressEvent) -> None:
        if isinstance(event, RunDone):
            self.all.append(event)


def test_the_next_run_tells_where_nothing_stops_it(tmp_path: Path) -> None:
    """Without this the test below would pass for a program that says nothing."""
    program, key, said = tmp_path / "teller", f"test-{uuid.uuid4().hex}", []
    number = int(key[-7:], 16)
    names = (f'-DKEY="{key}"', f"-DNUMBER={number}")
    subprocess.run([*GCC, *names, "-o", program, PROGRAMS / "teller.c"], check=True, timeout=ENDS_S)
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    for word in ("secret", "again"):
        ran = subprocess.run([program, word], cwd=run_dir, input=b"", check=True, capture_output=True, timeout=ENDS_S)
        said.append(ran.stderr.decode())
    subprocess.run(["/usr/bin/ipcrm", "-M", str(number)], check=True, timeout=ENDS_S)
    left = [Path(folder, key) for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue")]  # noqa: S108 - removed
    for path in left:
        path.unlink(missing_ok=True)
    assert not said[0]
    assert {line.partition(":")[0] for line in said[1].splitlines()} >= {"memory", "/tmp", "/dev/shm", ".."}  # noqa: S108
    assert said[1].count("<secret>") == len(said[1].splitlines())


@pytest.mark.parametrize("guests", [1, 2])
def test_no_run_that_students_see_tells_of_a_hidden_one(
    lab_that_hides: Spec, sandbox: Sandbox, measure: Measure, guests: int
) -> None:
    if guests == 2 and sandbox.isolation == "none":
        pytest.skip("an ordinary user has one guest")
    spec, inputs = lab_that_hides, all_inputs(lab_that_hides)
    submission = Submission("teller", {name: Source(source("teller")) for name in spec.programs})
    lab, runs = Lab(spec, inputs, measure(spec, sandbox, inputs)), Runs()
    options = GradeOptions(runs, slots=(0,) if guests == 1 else (1, 2))
    report = grade(GradingContext(lab, sandbox), submission, options)
    assert report.status == "graded", report.reason
    is_hidden = [program_and_case(run.step)[1] in HIDDEN_CASES for run in runs.all]
    assert True in is_hidden
    assert is_hidden == sorted(is_hidden), "hidden runs come last"
    for run in runs.all:
        # Not only of no hidden run: of no other run at all.
        assert run.stderr.data == b"", run.step
    shown = "".join(check.model_dump_json() for check in report.checks if check.visibility == "visible")
    assert not [secret for secret in SECRETS if secret in shown]
