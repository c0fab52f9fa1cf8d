from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import APIError

from grader.gradescope.simulator.image import build
from grader.sandbox import building
from grader.sandbox.base import Sandbox
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import BASE_IMAGE, connect, image_tag
from tests.contract.containers import Stage, Traces, note_created

from .autograders import UPLOAD, Simulator


@pytest.fixture(scope="session")
def client(docker_sandbox: DockerSandbox) -> Iterator[DockerClient]:
    """A connection of our own to the engine that has the image."""
    assert docker_sandbox.image_digest
    own = connect()
    yield own
    own.close()


@pytest.fixture
def made(client: DockerClient, monkeypatch: pytest.MonkeyPatch) -> Traces:
    """What sandboxes of this very process make during the test."""
    traces = Traces(client)
    note_created(traces, monkeypatch)
    return traces


@pytest.fixture
def new_stage(  # noqa: PLR0913, PLR0917 - fixtures
    small_grading: Callable[[Sandbox], object],
    docker_sandbox: DockerSandbox,
    small_file: Path,
    tmp_path: Path,
    command_line: list[str],
    environment: Mapping[str, str],
) -> Iterator[Callable[[DockerClient], Stage]]:
    """Make a stage for an engine; with the reference in the cache, what graders run is submissions alone."""
    assert small_grading(docker_sandbox)
    stages: list[Stage] = []

    def make(client: DockerClient) -> Stage:
        stages.append(Stage(client, tmp_path, small_file, command_line, environment))
        return stages[-1]

    yield make
    for one in stages:
        one.end()


@pytest.fixture
def stage(new_stage: Callable[[DockerClient], Stage], client: DockerClient) -> Stage:
    return new_stage(client)


# The runner's image without what only the grader puts there.
TOOLS = f"""\
FROM {image_tag()}
RUN rm -r /usr/local/bin/tally /usr/local/lib/iolab-grader /usr/local/src/tally /usr/local/share/iolab-grader
"""


@pytest.fixture(scope="session")
def base_with_tools(client: DockerClient) -> Iterator[str]:
    """A base with the tools that setup.sh would install, which takes half a minute for each zip."""
    tag = f"iolab-grader-test-base:{uuid.uuid4().hex[:12]}"
    building.build(client, building.tar_of({"Dockerfile": TOOLS.encode()}), tag, print)
    yield tag
    client.images.remove(tag, force=True)


def _remove(client: DockerClient, tag: str) -> None:
    try:
        client.images.remove(tag, force=True)
    except APIError:
        # Another process of the tests may have removed it meanwhile, which the engine calls an internal error.
        if client.images.list(tag):
            raise


@pytest.fixture(scope="session")
def new_simulator(client: DockerClient) -> Iterator[Callable[..., Simulator]]:
    """Make a simulator of an autograder zip, whose image is there until the session ends."""
    simulators: list[Simulator] = []

    def make(upload: bytes, base: str = BASE_IMAGE) -> Simulator:
        simulators.append(Simulator(build(upload, base=base, client=client, notify=print)))
        return simulators[-1]

    yield make
    for tag in {simulator.image.tag for simulator in simulators}:
        _remove(client, tag)
    # The cache of builds that failed, as tests have some do.
    try:
        client.images.prune(filters={"dangling": True, "label": "iolab-grader.image=gradescope"})
    except APIError as error:
        # Another process of the tests is doing the same.
        if error.status_code != HTTPStatus.CONFLICT:
            raise


@pytest.fixture(scope="session")
def simulator(new_simulator: Callable[..., Simulator]) -> Simulator:
    """The simulator of an autograder that does what its submission says."""
    return new_simulator(UPLOAD)
