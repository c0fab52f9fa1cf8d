"""Containers that lack what counting needs: the next engine that works takes over, and the report says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from docker import DockerClient

from grader.doctor.sandbox_probe import probe
from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import obtain_reference
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.lab.find import find_lab
from grader.model.lab import Lab
from grader.model.report import Check, Report
from grader.model.spec.lab import Spec
from grader.resources import resource
from grader.sandbox import docker as docker_module
from grader.sandbox.container import container_settings
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.requirements import RequirementCheck
from tests.waits import ENDS_S

pytestmark = pytest.mark.docker

CALLS = {"tr2b.syscalls", "tr2u.syscalls"}
TERMINAL = {"tr2b.terminal", "tr2u.terminal"}


@pytest.fixture
def without_ptrace(docker_sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerSandbox]:
    """What Docker's own profile does on kernels before 4.8."""
    assert docker_sandbox.image_digest, "the image is there"
    profile = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["ptrace"], "action": "SCMP_ACT_ERRNO"}]}
    settings = container_settings

    def stricter(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - as wrapped
        usual = settings(*arguments)
        return {**usual, "security_opt": [*usual["security_opt"], f"seccomp={json.dumps(profile)}"]}

    monkeypatch.setattr(docker_module, "container_settings", stricter)
    sandbox = DockerSandbox()
    yield sandbox
    sandbox.close()


@contextmanager
def image_without_strace(client: DockerClient, image: str) -> Iterator[str]:
    container = client.containers.run(image, ["rm", "/usr/bin/strace"], detach=True, user="0:0")
    try:
        assert container.wait(timeout=ENDS_S)["StatusCode"] == 0
        made = container.commit()
    finally:
        container.remove(force=True)
    try:
        yield str(made.id)
    finally:
        # The engine may still be at work on the removal of the last container.
        client.images.remove(str(made.id), force=True)


@pytest.fixture
def without_strace(
    client: DockerClient, docker_sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DockerSandbox]:
    assert docker_sandbox.image_digest
    with image_without_strace(client, docker_sandbox.image_digest) as image:
        monkeypatch.setattr(docker_module, "find_image", lambda _client: image)
        sandbox = DockerSandbox()
        yield sandbox
        sandbox.close()


@pytest.fixture
def report_of(small: Spec, small_inputs: Mapping[str, bytes]) -> Callable[[DockerSandbox], Report]:
    """Grade the reference itself."""

    def report(sandbox: DockerSandbox) -> Report:
        reference = obtain_reference(small, find_lab(small.lab), sandbox, small_inputs, None, print)
        found = DiscoveredSubmission("reference", resource("reference", "tr2", "solution"))
        return grade(GradingContext(Lab(small, small_inputs, reference), sandbox), read_submission(found, small))

    return report


def by_status(report: Report, status: str) -> dict[str, Check]:
    assert report.status == "graded", report.reason
    return {check.id: check for check in report.checks if check.status == status}


def requirement_checks(sandbox: DockerSandbox) -> dict[str, RequirementCheck]:
    return {check.what: check for check in probe(sandbox)}


@pytest.mark.slow
def test_without_ptrace_nothing_that_needs_it_is_decided(
    without_ptrace: DockerSandbox, report_of: Callable[[DockerSandbox], Report]
) -> None:
    report = report_of(without_ptrace)
    assert not by_status(report, "failed")
    assert set(by_status(report, "skipped")) == CALLS | TERMINAL
    assert report.syscalls == () or not any(table.complete for table in report.syscalls)
    notes = "\n".join(report.notes)
    assert "tally's filter" in notes
    assert "I/O accounting" in notes
    assert notes.count("ptrace") == 2


def test_without_ptrace_doctor_names_it(without_ptrace: DockerSandbox) -> None:
    found = requirement_checks(without_ptrace)
    assert found["compiles"].works
    for what in ("counts every system call at full speed", "counts reads and writes in all"):
        assert not found[what].works
        assert "ptrace" in found[what].detail
    assert not found["traces system calls"].works


def test_without_strace_tally_counts_in_its_place(
    without_strace: DockerSandbox, report_of: Callable[[DockerSandbox], Report]
) -> None:
    report = report_of(without_strace)
    assert report.score == report.max_score
    assert {table.engine for table in report.syscalls} == {"tally"}
    assert {(table.program, table.input) for table in report.syscalls if not table.totals_only} >= {
        (program, name) for program in ("tr2b", "tr2u") for name in ("slice-4k", "random-5m")
    }
    [note] = report.notes
    assert note.startswith("strace could not be used where this ran: strace is not installed")


def test_without_strace_doctor_names_it(without_strace: DockerSandbox) -> None:
    found = requirement_checks(without_strace)
    assert found["counts every system call at full speed"].works
    assert not found["traces system calls"].works
    assert "install" in found["traces system calls"].detail


def test_with_all_of_it_doctor_finds_nothing(docker_sandbox: DockerSandbox) -> None:
    assert [check for check in probe(docker_sandbox) if not check.works] == []
