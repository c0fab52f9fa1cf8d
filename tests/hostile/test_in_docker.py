"""The class in the grader's own containers: every submission gets what it must, and nothing else happens."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.model.spec.lab import Spec
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect
from tests.contract.containers import Traces, note_created

from .class_folder import CLASSES, GradedClass, assert_inert, assert_result, grade_class, write_canary, write_class
from .programs import Place

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(2400)]  # the first test grades the class

WITH_HIDDEN_CHECKS = CLASSES[Place.HIDDEN]
WITHOUT = CLASSES[Place.CONTAINERS]


def ipc_objects() -> list[str]:
    """What System V IPC there is on this machine."""
    return [Path("/proc/sysvipc", kind).read_text() for kind in ("shm", "sem", "msg")]


GradeInDocker = Callable[[Path, Place], GradedClass]


@pytest.fixture(scope="module")
def grade_in_docker(
    docker_sandbox: DockerSandbox, cache_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> GradeInDocker:
    assert docker_sandbox.image_digest
    return lambda lab_file, place: _graded(lab_file, place, tmp_path_factory.mktemp("docker"), cache_home)


def _graded(lab_file: Path, place: Place, folder: Path, cache_home: Path) -> GradedClass:
    with tempfile.TemporaryDirectory(prefix="iolab-canary-") as name:
        Path(name).chmod(0o711)
        canary = write_canary(Path(name) / "canary")
        write_class(folder / "in", canary, place)
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


@pytest.fixture(scope="module")
def in_docker(lab_file: Path, grade_in_docker: GradeInDocker) -> GradedClass:
    return grade_in_docker(lab_file, Place.HIDDEN)


@pytest.fixture(scope="module")
def without_hidden_checks(open_lab_file: Path, grade_in_docker: GradeInDocker) -> GradedClass:
    return grade_in_docker(open_lab_file, Place.CONTAINERS)


@pytest.mark.parametrize("name", WITH_HIDDEN_CHECKS)
def test_in_docker(in_docker: GradedClass, lab: Spec, name: str) -> None:
    assert_result(in_docker.reports[name], WITH_HIDDEN_CHECKS[name].expected, lab)


@pytest.mark.parametrize("name", WITHOUT)
def test_in_docker_without_hidden_checks(without_hidden_checks: GradedClass, open_lab: Spec, name: str) -> None:
    assert_result(without_hidden_checks.reports[name], WITHOUT[name].expected, open_lab)


def test_docker_leaves_everything_as_it_was(in_docker: GradedClass, without_hidden_checks: GradedClass) -> None:
    for graded, names in ((in_docker, WITH_HIDDEN_CHECKS), (without_hidden_checks, WITHOUT)):
        assert graded.status == OK
        assert graded.wrong == []
        assert set(graded.reports) == set(names)


def test_what_people_open_is_inert(in_docker: GradedClass, without_hidden_checks: GradedClass) -> None:
    assert_inert(in_docker.out)
    assert_inert(without_hidden_checks.out)
