"""Engines elsewhere: one that is reached over TCP, and one that dies in the middle of a run."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import docker
import pytest
from docker import DockerClient
from docker.errors import DockerException

from grader.model.report import Report
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import image_tag
from grader.sandbox.session import ALIVE_S, SILENCE_S
from tests.contract.containers import GRADED_S, Stage, unavailable, wait_until
from tests.waits import ENDS_S, STARTS_S, join

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(1800)]


def read(path: Path) -> bytes:
    """Return what a file in /proc says; nothing of a process that has just gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def processes_with(text: str) -> list[int]:
    """Return the ids of the processes whose command line holds a text that is ours alone."""
    folders = (folder for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [int(folder.name) for folder in folders if text.encode() in read(folder / "cmdline")]


def descendants(pid: int) -> list[int]:
    """Return the ids of all processes below one, children before theirs."""
    children = [int(one) for one in read(Path(f"/proc/{pid}/task/{pid}/children")).split()]
    return [below for child in children for below in (child, *descendants(child))]


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    return read(Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split()[:1] not in ([], [b"Z"])


def kill(pid: int) -> None:
    if alive(pid):
        os.kill(pid, signal.SIGKILL)


def copy_until_end(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


class TcpRelay:
    """Makes an engine's socket one that is reached over TCP on this machine, as a remote engine is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                outer, _ = self._listener.accept()
                threading.Thread(target=self._relay, args=(outer,), daemon=True).start()

    def _relay(self, outer: socket.socket) -> None:
        with outer, socket.socket(socket.AF_UNIX) as inner:
            inner.connect(str(self._path))
            back = threading.Thread(target=copy_until_end, args=(inner, outer), daemon=True)
            back.start()
            copy_until_end(outer, inner)
            join(back)

    def close(self) -> None:
        self._listener.close()


@dataclass
class Engine:
    """A second dockerd with a containerd of its own, everything of them in one folder."""

    folder: Path
    relay: TcpRelay
    containerd: subprocess.Popen[bytes]
    dockerd: subprocess.Popen[bytes]
    client: DockerClient

    @property
    def over_socket(self) -> str:
        return f"unix://{self.folder}/docker.sock"

    @property
    def over_tcp(self) -> str:
        return f"tcp://127.0.0.1:{self.relay.port}"

    def restart(self, number: signal.Signals) -> None:
        """End dockerd, and with it its containers, and start it again."""
        self.dockerd.send_signal(number)
        self.dockerd.wait(ENDS_S)
        (self.folder / "pid").unlink(missing_ok=True)
        self.dockerd = start_dockerd(self.folder)
        assert wait_until(lambda: answers(self), STARTS_S), (self.folder / "log").read_text()[-500:]

    def shims(self) -> list[int]:
        """Return the parents of its containers' first processes."""
        return [
            pid for pid in processes_with(f"{self.folder}/") if pid not in (self.containerd.pid, self.dockerd.pid)
        ]

    def in_containers(self) -> list[int]:
        """Return the processes in its containers."""
        return [pid for shim in self.shims() for pid in descendants(shim) if alive(pid)]

    def end(self) -> None:
        """Kill its processes and remove its folder."""
        self.client.close()
        self.relay.close()
        for pid in (self.dockerd.pid, *self.in_containers(), *self.shims(), self.containerd.pid):
            kill(pid)
        self.dockerd.wait(ENDS_S)
        self.containerd.wait(ENDS_S)
        wait_until(lambda: not processes_with(f"{self.folder}/"), ENDS_S)
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for mount in sorted((one for one in mounts if one.startswith(f"{self.folder}/")), reverse=True):
            subprocess.run(["umount", "--lazy", mount], timeout=ENDS_S, check=False)  # noqa: S607 - the system's
        shutil.rmtree(self.folder, ignore_errors=True)


def start(log: IO[bytes], *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def start_engine(folder: Path) -> Engine:
    with (folder / "log").open("ab") as log:
        containerd = start(
            log, "containerd", "--root", f"{folder}/croot", "--state", f"{folder}/crun", "--address",
            f"{folder}/c.sock",
        )  # fmt: skip
    wait_until((folder / "c.sock").is_socket, STARTS_S)
    client = docker.DockerClient(f"unix://{folder}/docker.sock", version="1.41")
    return Engine(folder, TcpRelay(folder / "docker.sock"), containerd, start_dockerd(folder), client)


def start_dockerd(folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        # In a network of its own: a dockerd without a bridge removes docker0, which is the other engine's.
        return start(
            log, "unshare", "--net", "dockerd", "--data-root", f"{folder}/root", "--exec-root", f"{folder}/run",
            "--pidfile", f"{folder}/pid", "--containerd", f"{folder}/c.sock",
            "--host", f"unix://{folder}/docker.sock", "--iptables=false", "--bridge=none",
        )  # fmt: skip


def answers(engine: Engine) -> bool:
    # The SDK leaves its socket open when nobody listens yet, so that is found out first.
    with socket.socket(socket.AF_UNIX) as one:
        if one.connect_ex(str(engine.folder / "docker.sock")) != 0:
            return False
    try:
        return bool(engine.client.ping())
    except (DockerException, OSError):
        return False


@pytest.fixture(scope="module")
def engine(docker_sandbox: DockerSandbox, client: DockerClient) -> Iterator[Engine]:
    """Start it and copy the runner's image into it."""
    assert docker_sandbox.image_digest
    if os.geteuid() != 0 or not shutil.which("dockerd") or not shutil.which("containerd"):
        unavailable("a second engine needs root, dockerd and containerd here")
    # A short path: that of a socket may have 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="engine-", dir="/tmp"))
    second = start_engine(folder)
    try:
        if not wait_until(lambda: answers(second), STARTS_S):
            unavailable(f"a second engine does not start here: {(folder / 'log').read_text()[-500:]}")
        second.client.images.load(b"".join(client.images.get(image_tag()).save(named=image_tag())))
        yield second
    finally:
        second.end()


def test_an_engine_over_tcp_grades_as_one_over_a_socket(
    engine: Engine, new_stage: Callable[[DockerClient], Stage]
) -> None:
    stage = new_stage(engine.client)
    process = stage.grade(stage.right("right"), "out", "--sandbox", "docker", DOCKER_HOST=engine.over_tcp)
    assert process.wait(GRADED_S) == 0, stage.said("out")
    report = stage.report("out", "right")
    assert report.score == report.max_score
    assert report.isolation == "container"


RESTARTS = (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM)
STUDENTS = 10


def graded(stage: Stage, out: str) -> list[str]:
    """Name the submissions that a grader says it graded; of a single one, its report is printed too."""
    lines = re.findall(r"^(student-\d+) +(\d+/\d+|NOT GRADED)", stage.said(out), re.MULTILINE)
    return [name for name, result in lines if result != "NOT GRADED"]


def has_graded(stage: Stage, process: subprocess.Popen[str]) -> bool:
    return bool(graded(stage, "out")) or process.poll() is not None


def test_a_class_survives_restarts_of_the_engine(engine: Engine, new_stage: Callable[[DockerClient], Stage]) -> None:
    stage = new_stage(engine.client)
    names = [f"student-{number:02}" for number in range(STUDENTS)]
    for number, name in enumerate(names):
        stage.example(("right", "stops-at-0xff")[number % 2], name)
    reports: dict[str, Report] = {}
    restarts: list[signal.Signals | None] = [*RESTARTS, None]
    for restart in restarts:
        process = stage.grade(stage.submissions, "out", "--sandbox", "docker", DOCKER_HOST=engine.over_socket)
        if restart is not None:
            wait_until(partial(has_graded, stage, process), GRADED_S)
            engine.restart(restart)
        status = process.wait(2 * GRADED_S)
        for name in graded(stage, "out"):
            assert name not in reports, "graded twice"
            reports[name] = stage.report("out", name)
        # Those that were at work are not graded, or were graded again when the engine was back; none has a low score.
        missed = [name for name in names if name not in reports]
        assert all(stage.report("out", name).status == "not_graded" for name in missed)
        assert status == (3 if missed else 0), stage.said("out")
    assert all(reports[name].score == reports[name].max_score for name in names[::2])
    assert len({reports[name].score for name in names[1::2]}) == 1
    assert reports[names[1]].score != reports[names[1]].max_score
    assert wait_until(lambda: engine.client.containers.list(all=True) == [], SILENCE_S + ALIVE_S + ENDS_S)
    assert engine.in_containers() == []


def test_an_engine_that_dies_makes_no_grade(engine: Engine, new_stage: Callable[[DockerClient], Stage]) -> None:
    stage = new_stage(engine.client)
    marked = stage.sleeper("a-sleeper")
    stage.right("b-right")
    process = stage.grade(stage.submissions, "out", "--sandbox", "docker", DOCKER_HOST=engine.over_socket)
    stage.appears(marked)
    assert engine.in_containers()
    engine.dockerd.kill()
    died_at = time.monotonic()
    assert process.wait(GRADED_S) == 3, stage.said("out")
    for name in ("a-sleeper", "b-right"):
        report = stage.report("out", name)
        assert (report.status, report.score, report.checks) == ("not_graded", None, ())
        assert "engine" in report.reason
        (line,) = (one for one in stage.said("out").splitlines() if one.startswith(name))
        assert "NOT GRADED" in line
    assert "0 of 2 graded" in stage.said("out")
    # Nobody tells the guest: it notices the silence.
    wait_until(lambda: not engine.in_containers(), SILENCE_S + ALIVE_S + ENDS_S)
    assert engine.in_containers() == [], f"after {time.monotonic() - died_at:.0f} s"
