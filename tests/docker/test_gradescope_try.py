"""`grader gradescope try`, and that nothing is left of it, whatever becomes of a run."""

from __future__ import annotations

import json
import signal
import subprocess
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import APIError
from docker.models.containers import Container

from grader.sandbox.attached import AttachedTransport
from grader.sandbox.container import LABEL
from tests.contract.containers import Traces, exists, wait_until
from tests.waits import ENDS_S, STARTS_S

from .autograders import ACTS, UPLOAD, Simulator, assert_gone, leaving, zip_of

pytestmark = pytest.mark.docker

SETUP_S = STARTS_S
"""Until setup.sh runs: lists of packages are fetched before that."""


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("a bug")])
def test_nothing_is_left_after_an_exception_in_the_middle(
    simulator: Simulator, tmp_path: Path, made: Traces, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(_self: AttachedTransport, _timeout_s: float) -> bytes:
        raise error

    monkeypatch.setattr(AttachedTransport, "receive", fail)
    with pytest.raises(type(error)):
        simulator.act(tmp_path / "in", "sleep 300\n")
    assert_gone(made)


def test_a_container_that_was_never_started_is_known_to_a_later_grader(
    simulator: Simulator, tmp_path: Path, made: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: Container) -> None:
        raise ValueError("start failed, says the test")

    monkeypatch.setattr(Container, "start", fail)
    with pytest.raises(ValueError, match="says the test"):
        simulator.act(tmp_path / "in", "true")
    assert made.containers[0].labels[LABEL] == "runner", "by which DockerSandbox finds what killed graders left"
    assert_gone(made)


@pytest.fixture
def trying(
    simulator: Simulator, tmp_path: Path, command_line: list[str], environment: Mapping[str, str]
) -> Callable[..., subprocess.Popen[str]]:
    """Start `grader gradescope try` on a script; the simulator's zip has its image already."""
    assert simulator.image.tag

    def start(script: str, *options: str, upload: bytes = UPLOAD) -> subprocess.Popen[str]:
        (tmp_path / "autograder.zip").write_bytes(upload)
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / "act.sh").write_text(script)
        command = [*command_line, "gradescope", "try", "autograder.zip", "in"]
        return subprocess.Popen(
            [*command, *options],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return start


def processes(container: Container) -> str:
    """What runs in a container; nothing where it has ended."""
    try:
        return str(container.top()["Processes"])
    except APIError:
        return ""


@pytest.mark.slow
def test_the_command_shows_a_grade(trying: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    process = trying(leaving(ACTS), "--results", "out.json", "--timeout", "40")
    written, _ = process.communicate(timeout=ENDS_S)
    assert process.returncode == 0, written
    assert "Score: 1 of 1" in written
    assert "passed: one (1/1)" in written
    assert "of 768 MiB" in written
    assert "Step " not in written, "the image is there"
    assert json.loads((tmp_path / "out.json").read_bytes()) == ACTS


@pytest.mark.slow
def test_the_command_says_why_there_is_none(trying: Callable[..., subprocess.Popen[str]]) -> None:
    process = trying("sleep 60\n", "--timeout", "1")
    written, _ = process.communicate(timeout=ENDS_S)
    assert process.returncode == 3, written
    assert "Your submission timed out" in written
    assert "NO GRADE: timed out" in written


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_nothing_is_left_after_the_grader_was_ended(
    trying: Callable[..., subprocess.Popen[str]],
    client: DockerClient,
    simulator: Simulator,
    number: signal.Signals,
    status: int,
) -> None:
    process = trying("sleep 300\n")
    running = wait_until(lambda: client.containers.list(filters={"ancestor": simulator.image.digest}), STARTS_S)
    try:
        (container,) = running
        assert wait_until(lambda: "sleep 300" in processes(container), STARTS_S)
        process.send_signal(number)
        process.communicate(timeout=ENDS_S)
    finally:
        process.kill()
        process.communicate(timeout=ENDS_S)
    assert process.returncode == status
    assert wait_until(lambda: not exists(container), ENDS_S)


@pytest.mark.slow
def test_nothing_is_left_of_a_setup_that_was_interrupted(
    trying: Callable[..., subprocess.Popen[str]], client: DockerClient
) -> None:
    mark = f"slow-{uuid.uuid4().hex}"
    slow = f"bash -c 'sleep 300; true' {mark}\n".encode()
    process = trying("true", upload=zip_of({"setup.sh": slow, "run_autograder": b""}))

    def at_work() -> list[Container]:
        running = client.containers.list(ignore_removed=True)
        return [one for one in running if mark in processes(one)]

    try:
        (container,) = wait_until(at_work, SETUP_S)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=ENDS_S)
    finally:
        process.kill()
        process.communicate(timeout=ENDS_S)
    assert process.returncode == 130
    assert wait_until(lambda: not exists(container), ENDS_S)
