"""The class in the grader's own containers: every submission gets what it must, and nothing else happens."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.model.spec.lab import Spec
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect
from tests.contract.containers import Traces, note_created

from .class_folder import (
    OF_PROGRAMS,
    ON_THE_SANDBOX,
    SMOKE,
    GradedClass,
    assert_inert,
    assert_result,
    grade_class,
    write_canary,
    write_programs,
)

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(2400)]  # the first test grades the class


IN_DOCKER = ON_THE_SANDBOX.union(SMOKE)


def ipc_objects() -> list[str]:
    """What System V IPC there is on this machine."""
    return [Path("/proc/sysvipc", kind).read_text() for kind in ("shm", "sem", "msg")]


@pytest.fixture(scope="module")
def in_docker(
    lab_file: Path, docker_sandbox: DockerSandbox, cache_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> GradedClass:
    assert docker_sandbox.image_digest
    folder = tmp_path_factory.mktemp("docker")
    with tempfile.TemporaryDirectory(prefix="iolab-canary-") as name:
        Path(name).chmod(0o711)
        canary = write_canary(Path(name) / "canary")
        write_programs(folder / "in", canary, IN_DOCKER)
        ipc_before = ipc_objects()
        client = connect()
        traces = Traces(client)
        with pytest.MonkeyPatch.context() as patch:
            note_created(traces, patch)
            graded = grade_class(folder, canary, lab_file, cache_home, "docker")
        if ipc_objects() != ipc_before:
            graded.wrong.append("System V objects are left")
        try:
            traces.assert_gone()
        except AssertionError as error:
            graded.wrong.append(f"containers are left: {error}")
        client.close()
    return graded


@pytest.mark.parametrize("name", sorted(IN_DOCKER))
def test_in_docker(in_docker: GradedClass, lab: Spec, name: str) -> None:
    assert_result(in_docker.reports[name], OF_PROGRAMS[name], lab)


def test_docker_leaves_everything_as_it_was(in_docker: GradedClass) -> None:
    assert in_docker.status == OK
    assert in_docker.wrong == []
    assert set(in_docker.reports) == IN_DOCKER


def test_what_people_open_is_inert(in_docker: GradedClass) -> None:
    assert_inert(in_docker.out)
