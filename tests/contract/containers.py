"""Containers that this session's graders make, found among those of others that use the same engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest
from docker import DockerClient
from docker.errors import APIError, NotFound
from docker.models.containers import Container, ContainerCollection

from grader.model.report import Report
from grader.sandbox.container import LABEL
from tests.waits import ENDS_S, STARTS_S

EXAMPLES = Path(__file__).parents[2] / "examples"
GRADED_S = 600.0  # a class of twenty takes a minute; under load four times that
SOURCE = "/work/sources/tr2b.c"
PROGRAMS = "/work/bin"
SLEEPS = b"#include <unistd.h>\nint main(void) { sleep(300); return 0; }\n"


def unavailable(reason: str) -> NoReturn:
    """Skip if there is no engine, or fail where there has to be one."""
    if os.environ.get("GRADER_REQUIRE_DOCKER") == "1":
        pytest.fail(f"GRADER_REQUIRE_DOCKER=1, and {reason}")
    pytest.skip(reason)


T = TypeVar("T")


def wait_until(what: Callable[[], T], seconds: float) -> T:
    """Return the first true value, or the last one when time is over."""
    deadline = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def exists(container: Container) -> bool:
    """Whether the engine still knows it."""
    try:
        container.reload()
    except NotFound:
        return False
    return True


@dataclass
class Traces:
    """What a grader made in an engine: containers, which have no volumes."""

    client: DockerClient
    containers: list[Container] = field(default_factory=list)

    def note(self, container: Container) -> None:
        """Remember a container that is there now."""
        container.reload()
        assert container.attrs["Mounts"] == []
        self.containers.append(container)

    def left(self) -> list[str]:
        """Name what is still there."""
        return [str(one.id) for one in self.containers if exists(one)]

    def assert_gone(self) -> None:
        """Hold that there was something, and that nothing of it is left in a moment."""
        assert self.containers
        wait_until(lambda: not self.left(), ENDS_S)
        assert self.left() == []


def note_created(traces: Traces, patch: pytest.MonkeyPatch) -> None:
    """Note each container that this process creates from now on."""
    create = ContainerCollection.create

    def noting(self: ContainerCollection, *arguments: Any, **options: Any) -> Container:  # noqa: ANN401 - as wrapped
        container = create(self, *arguments, **options)
        traces.note(container)
        return container

    patch.setattr(ContainerCollection, "create", noting)


def said_in(container: Container, *command: str) -> bytes:
    """Return what a command in a container prints; nothing where it fails, or the container has ended."""
    try:
        # The engine's own call for files does not see folders in memory.
        status, output = container.exec_run(list(command))
    except APIError:
        return b""
    assert isinstance(output, bytes)
    return output if status == 0 else b""


def is_asleep(container: Container) -> bool:
    """Whether a student's program is running in it: not init, the guest, the compiler."""
    return any(line[-1].startswith("./") for line in container.top()["Processes"] or ())


@dataclass(frozen=True)
class Marked:
    """A submission that never ends, with a comment in its source by which its container is known."""

    folder: Path
    mark: str

    def containers(self, client: DockerClient) -> list[Container]:
        """Return the containers at work on the submission, or on its programs; none before all programs are built."""
        running = client.containers.list(filters={"label": LABEL}, ignore_removed=True)
        own = [one for one in running if self.mark.encode() in said_in(one, "cat", SOURCE)]
        built = {name for one in own for name in said_in(one, "ls", PROGRAMS).split()}
        return own if built == {b"tr2b", b"tr2u"} else []


@dataclass
class Stage:
    """A folder of submissions, and graders at work on it as processes of their own."""

    client: DockerClient
    folder: Path
    lab: Path
    command: list[str]
    environment: Mapping[str, str]
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def submissions(self) -> Path:
        """Where submissions are written."""
        return self.folder / "submissions"

    def sleeper(self, name: str) -> Marked:
        """Write a submission that never ends."""
        mark = f"mark-{uuid.uuid4().hex}"
        target = self.submissions / name
        target.mkdir(parents=True)
        for program in ("tr2b", "tr2u"):
            (target / f"{program}.c").write_bytes(f"/* {mark} */\n".encode() + SLEEPS)
        return Marked(target, mark)

    def right(self, name: str) -> Path:
        """Write a submission with full marks."""
        return self.example("right", name)

    def example(self, kind: str, name: str) -> Path:
        """Write one of the examples as a submission."""
        return Path(shutil.copytree(EXAMPLES / kind, self.submissions / name))

    def grade(self, path: Path, out: str, *options: str, **changes: str) -> subprocess.Popen[str]:
        """Start a grader and go on; what it says goes to the file OUT.log."""
        command = [*self.command, "grade", str(path), "--lab", str(self.lab)]
        with (self.folder / f"{out}.log").open("w") as log:
            process = subprocess.Popen(
                [*command, "--out", str(self.folder / out), *options],
                env={**self.environment, **changes},
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def said(self, out: str) -> str:
        """Return what a grader has said so far."""
        return (self.folder / f"{out}.log").read_text()

    def report(self, out: str, name: str) -> Report:
        """Read a submission's report."""
        return Report.model_validate_json((self.folder / out / name / "report.json").read_bytes())

    def appears(self, marked: Marked) -> Traces:
        """Wait until a submission's program runs in its container."""
        containers = wait_until(lambda: marked.containers(self.client), STARTS_S)
        assert containers
        traces = Traces(self.client)
        for container in containers:
            # From here on only a signal or a limit ends the run.
            assert wait_until(partial(is_asleep, container), STARTS_S)
            traces.note(container)
        return traces

    def end(self) -> None:
        """Kill what still runs, and print what it said: pytest shows that of tests that failed."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(ENDS_S)
        for log in sorted(self.folder.glob("*.log")):
            print(f"{log.name}:\n{log.read_text(errors='replace')[-4000:]}")  # noqa: T201 - for pytest
