"""Submissions whose verdict is known: the reference, the student template and the examples, in every sandbox."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.resources import resource
from grader.sandbox.base import Sandbox
from tests.conftest import Reporter

EXAMPLES = Path(__file__).parents[2] / "examples"

# examples/README.md says why.
FAILS = {
    "right": set(),
    "stops-at-0xff": {"tr2b.byte-ff", "tr2b.random-5m"},
    "unbuffered-tr2b": {"tr2b.syscalls", "tr2b.calls", "tr2b.terminal"},
    "block-reads": {"tr2u.syscalls"},
    "chained-mapping": {"tr2b.text", "tr2u.text", "tr2b.byte-high", "tr2u.byte-high"},
    "does-not-compile": {"tr2b.build"},
}
CAUSES = {
    "stops-at-0xff": "char-for-getchar",
    "unbuffered-tr2b": "unbuffered-with-setvbuf",
    "block-reads": "block-reads-in-tr2u",
    "chained-mapping": "chained-mapping",
}
SKIPS_ALL_OTHERS_OF = {"does-not-compile": "tr2b"}

# What depends on where and when it was measured, wherever it stands in a report.
OF_THE_PLACE = {
    "isolation", "image_digest", "toolchain", "timing", "reference", "real_s", "user_s", "sys_s", "reference_real_s",
    "excerpt",
}  # fmt: skip
MEASURED_CHECKS = {"tr2b.timing", "tr2u.timing"}


def signed_char() -> bool:
    """Whether the compiler's plain char is signed, as on x86-64 and not on arm64."""
    command = ["gcc", "-dM", "-E", "-x", "c", "/dev/null"]
    macros = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    return "__CHAR_UNSIGNED__" not in macros


@pytest.fixture(params=FAILS)
def example(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if name == "stops-at-0xff" and not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}: its tr2b never sees the end of its input and floods")
    return name


def with_status(report: Report, status: str) -> set[str]:
    return {check.id for check in report.checks if check.status == status}


def assert_is_as_the_table_says(report: Report, example: str, spec: Spec) -> None:
    """Hold a report against FAILS: these checks failed, all others passed, and the points are what is left."""
    assert report.status == "graded", report.reason
    assert with_status(report, "failed") == FAILS[example]
    program = SKIPS_ALL_OTHERS_OF.get(example)
    skipped = {f"{program}.{item.name}" for item in spec.rubric} - FAILS[example] if program else set()
    assert with_status(report, "skipped") == skipped
    points = {f"{program}.{item.name}": value for item in spec.rubric for program, value in item.points.items()}
    assert report.score == sum(value for check, value in points.items() if check not in FAILS[example] | skipped)


def comparable(node: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a report's JSON without what depends on where and when it was measured."""
    if isinstance(node, dict):
        if node.get("id") in MEASURED_CHECKS:
            return {"id": node["id"], "status": node["status"]}
        return {key: comparable(value) for key, value in node.items() if key not in OF_THE_PLACE}
    return [comparable(one) for one in node] if isinstance(node, list) else node


def test_the_table_names_every_example() -> None:
    assert {folder.name for folder in EXAMPLES.iterdir() if folder.is_dir()} == set(FAILS)


def test_the_table_names_checks_of_the_spec(spec: Spec) -> None:
    checks = {f"{program}.{item.name}" for item in spec.rubric for program in item.points}
    assert set.union(*FAILS.values()) <= checks


def test_an_example_fails_what_it_should(example: str, sandbox: Sandbox, small_report: Reporter, small: Spec) -> None:
    assert_is_as_the_table_says(small_report(EXAMPLES / example, sandbox), example, small)


def test_the_cause_of_each_broken_example_is_named(example: str, sandbox: Sandbox, small_report: Reporter) -> None:
    causes = small_report(EXAMPLES / example, sandbox).causes
    assert [(cause.name, cause.certainty) for cause in causes] == (
        [(CAUSES[example], "proven")] if example in CAUSES else []
    )
    assert all(set(cause.checks) == FAILS[example] for cause in causes)


def test_the_reference_has_full_marks(sandbox: Sandbox, small_report: Reporter, small: Spec) -> None:
    report = small_report(resource("reference", "tr2", "solution"), sandbox)
    assert report.score == report.max_score == small.max_score == 100
    assert with_status(report, "passed") == {check.id for check in report.checks}


def test_the_student_template_has_the_points_for_building(
    sandbox: Sandbox, small_report: Reporter, small: Spec
) -> None:
    report = small_report(resource("student_template", "tr2"), sandbox)
    building: Mapping[str, float] = next(item.points for item in small.rubric if item.kind == "build")
    assert report.score == sum(building.values()) == 8
    # It refuses everything, silently: that passes where copying and refusing are both right, which is worth nothing.
    free = {f"{program}.{name}" for program in small.programs for name in ("silent", "timing")}
    assert with_status(report, "passed") - free == {f"{program}.build" for program in small.programs}
    assert [(cause.name, cause.certainty) for cause in report.causes] == [("not-begun", "certain")]
    assert set(report.causes[0].checks) == with_status(report, "failed")


@pytest.mark.slow
@pytest.mark.docker
def test_a_container_and_a_uid_give_the_same_report(
    example: str, docker_sandbox: Sandbox, local_sandbox: Sandbox, small_report: Reporter
) -> None:
    container = small_report(EXAMPLES / example, docker_sandbox).model_dump(mode="json")
    local = small_report(EXAMPLES / example, local_sandbox).model_dump(mode="json")
    assert container["isolation"] != local["isolation"]
    assert comparable(container) == comparable(local)
