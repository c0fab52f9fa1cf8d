"""Start a stopwatch, on this machine or in a container, and send it commands."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker import DockerClient
from docker.errors import APIError
from docker.models.containers import Container
from docker.types import Mount

from bench.figures import Cost
from grader.errors import GraderError
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.building import tar_of
from grader.sandbox.container import LABEL, container_settings
from grader.sandbox.engine_watch import EngineWatch
from grader.sandbox.guest_files import PYTHON_OPTIONS
from grader.sandbox.process import ProcessTransport
from grader.sandbox.session import Transport

JOB = "/job"
"""Folder of a stopwatch's files in a container."""

STOPWATCH = Path(__file__).with_name("stopwatch.py")
RUN_TIMEOUT_S = 3600.0


@dataclass(frozen=True)
class TimedCommand:
    """A command to measure, as the stopwatch reads it. None means the stopwatch's own value."""

    command: Sequence[str]
    stdin: str = os.devnull
    stdout: str = os.devnull
    stderr: str = os.devnull
    report: str = os.devnull
    environment: Mapping[str, str] | None = None
    cwd: str | None = None
    uid: int | None = None
    gid: int | None = None
    cpu: int | None = None


@dataclass(frozen=True)
class TimedRun:
    """The measured result of a command."""

    cost: Cost
    status: int
    stdout_bytes: int
    stderr: str
    report: str


class Stopwatch:
    """A running stopwatch."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._received = b""
        self._answer()  # the stopwatch is ready

    def run(self, timing: TimedCommand) -> TimedRun:
        """Run a command and wait for it.

        Raises:
            GraderError: the command or the stopwatch failed.
        """
        self._transport.send(json.dumps(dataclasses.asdict(timing)).encode("ascii") + b"\n")
        answer = self._answer()
        cost = Cost(answer.pop("cpu_s"), answer.pop("wall_s"), answer.pop("peak_memory_bytes"))
        run = TimedRun(cost=cost, **answer)
        if run.status:
            raise GraderError(f"{' '.join(timing.command)} ended with status {run.status}: {run.stderr}{run.report}")
        return run

    def _answer(self) -> dict[str, Any]:
        while b"\n" not in self._received:
            data = self._transport.receive(RUN_TIMEOUT_S)
            if not data:
                raise GraderError(f"the stopwatch has ended: {self._transport.stderr_text()}")
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def stopwatch_here() -> Iterator[Stopwatch]:
    """Start a stopwatch on this machine."""
    transport = ProcessTransport([sys.executable, *PYTHON_OPTIONS, str(STOPWATCH)], cpu=None)
    try:
        yield Stopwatch(transport)
    finally:
        transport.close()


@contextmanager
def stopwatch_inside(
    client: DockerClient, image: str, files: Mapping[str, bytes], processes: int
) -> Iterator[Stopwatch]:
    """Start a stopwatch in a container like a submission's, with files in JOB."""
    settings = container_settings(processes, None, int(client.info()["NCPU"]))
    settings |= {
        "command": ["python3", *PYTHON_OPTIONS, f"{JOB}/stopwatch.py"],
        "labels": {LABEL: "bench"},
        # The root is read only; the API can put files into a volume.
        "mounts": [Mount(target=JOB, source=None, type="volume")],
    }
    container = client.containers.create(image, **settings)
    try:
        container.put_archive(JOB, tar_of({"stopwatch.py": STOPWATCH.read_bytes(), **files}))
        transport = AttachedTransport(container, EngineWatch(client))
        try:
            container.start()
            yield Stopwatch(transport)
        finally:
            transport.close()
    finally:
        _remove(container)


def _remove(container: Container) -> None:
    try:
        container.remove(force=True, v=True)
    except APIError as error:
        # The engine may be removing it already, as its settings ask when the stopwatch ends.
        if error.response is None or error.response.status_code not in {404, 409}:
            raise
