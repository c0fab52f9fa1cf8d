"""Whatever becomes of a run or of the grader: no container and no volume is left, and what was finished is kept."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import time

import pytest
from docker import DockerClient
from docker.models.containers import Container

from grader.errors import SandboxError
from grader.model.evidence import BuildDone
from grader.sandbox.base import Sandbox
from grader.sandbox.container import LABEL
from grader.sandbox.docker import ABANDONED_S, OUT_OF_MEMORY, DockerSandbox, engine_time_s, remove
from tests.contract.containers import GRADED_S, Stage, Traces, exists, wait_until
from tests.contract.harness import SUCCESS, Exercise, source, step
from tests.waits import ENDS_S

pytestmark = pytest.mark.docker

QUICK = Exercise((step("exit", "actor", "exit", "0"),))
ASLEEP = Exercise((step("asleep", "rogue", "sleep"),), {"rogue": source("rogue")})


def break_off(sandbox: Sandbox, error: BaseException) -> None:
    """Leave a session in the middle of a run."""
    with sandbox.open(ASLEEP.job()) as session:
        for event in session.events():
            if isinstance(event, BuildDone):
                raise error


def kill_guest(sandbox: Sandbox, made: Traces) -> None:
    """End the container in the middle of a run."""
    with sandbox.open(ASLEEP.job()) as session:
        for event in session.events():
            if isinstance(event, BuildDone):
                made.containers[0].kill()


def test_after_success(docker_sandbox: DockerSandbox, made: Traces) -> None:
    assert QUICK.done_in(docker_sandbox).run("exit").ending == SUCCESS
    made.assert_gone()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), ValueError("a bug")])
def test_after_an_exception_in_the_middle(docker_sandbox: DockerSandbox, made: Traces, error: BaseException) -> None:
    with pytest.raises(type(error)):
        break_off(docker_sandbox, error)
    made.assert_gone()


def test_after_a_guest_was_killed(docker_sandbox: DockerSandbox, made: Traces) -> None:
    with pytest.raises(SandboxError, match=r"^the guest ended before its work was done"):
        kill_guest(docker_sandbox, made)
    made.assert_gone()


def test_a_guest_that_memory_has_ended_is_the_submissions_doing(docker_sandbox: DockerSandbox, made: Traces) -> None:
    """Where the kernel has no Landlock, a submission can make it pick the guest: then the engine knows why."""

    def run_out() -> None:
        with docker_sandbox.open(ASLEEP.job()) as session:
            for event in session.events():
                if isinstance(event, BuildDone):
                    made.containers[0].exec_run(["python3", "-c", "bytearray(b'x') * (1 << 30)"])
                    made.containers[0].kill()

    with pytest.raises(SandboxError, match=OUT_OF_MEMORY):
        run_out()
    made.assert_gone()


def test_a_container_that_cannot_be_removed_hides_no_exception(
    docker_sandbox: DockerSandbox, made: Traces, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def remove_and_complain(container: Container) -> str:
        assert remove(container) is None
        return "a container may be left behind, says the test"

    monkeypatch.setattr("grader.sandbox.docker.remove", remove_and_complain)
    with pytest.raises(ValueError, match="a bug"):
        break_off(docker_sandbox, ValueError("a bug"))
    assert "left behind, says the test" in caplog.text
    made.assert_gone()


def test_after_a_guest_that_could_not_start(
    docker_sandbox: DockerSandbox, made: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: Container) -> None:
        raise SandboxError("start failed, says the test")

    monkeypatch.setattr(Container, "start", fail)
    with pytest.raises(SandboxError, match="says the test"), docker_sandbox.open(QUICK.job()):
        pytest.fail("it started")
    made.assert_gone()


def test_what_a_killed_grader_made_and_never_started_is_removed_by_a_later_one(
    docker_sandbox: DockerSandbox, client: DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A label of its own, so that no container of another grader, which is about to start, is taken for abandoned.
    monkeypatch.setattr("grader.sandbox.docker.LABEL", f"{LABEL}-test")
    abandoned = client.containers.create(
        str(docker_sandbox.image_digest), "true", labels={f"{LABEL}-test": "runner"}, network_mode="none"
    )
    traces = Traces(client, [abandoned])
    try:
        DockerSandbox(client)
        assert traces.left() == [abandoned.id]
        monkeypatch.setattr("grader.sandbox.docker.ABANDONED_S", -ABANDONED_S)
        DockerSandbox(client)
        assert traces.left() == []
    finally:
        if traces.left():
            abandoned.remove(force=True)


def test_the_age_of_a_container_is_by_the_engines_clock(
    docker_sandbox: DockerSandbox, client: DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.sandbox.docker.LABEL", f"{LABEL}-test")
    fresh = client.containers.create(
        str(docker_sandbox.image_digest), "true", labels={f"{LABEL}-test": "runner"}, network_mode="none"
    )
    try:
        monkeypatch.setattr(time, "time", lambda: 4e9)  # our clock is decades ahead
        DockerSandbox(client)
        assert exists(fresh)
        info = {**client.info(), "SystemTime": "2096-11-22T09:27:06.425390852+01:00"}  # the engine's is
        monkeypatch.setattr(DockerClient, "info", lambda _self: info)
        DockerSandbox(client)
        assert not exists(fresh)
    finally:
        if exists(fresh):
            fresh.remove(force=True)


@pytest.mark.parametrize(
    "text", ["2026-11-22T09:27:06.425390852Z", "2026-11-22T10:27:06.5+01:00", "2026-11-22T09:27:06Z"]
)
def test_engines_write_their_time_in_several_ways(text: str) -> None:
    assert engine_time_s(text) == pytest.approx(1795339626, abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_after_ctrl_c(stage: Stage, jobs: str) -> None:
    stage.right("a-right")
    marked = stage.sleeper("b-sleeper")
    process = stage.grade(stage.submissions, "out", "--sandbox", "docker", "--jobs", jobs)
    assert wait_until(lambda: "a-right" in stage.said("out"), GRADED_S), stage.said("out")
    traces = stage.appears(marked)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(ENDS_S) == 130
    traces.assert_gone()
    assert stage.report("out", "a-right").score == stage.report("out", "a-right").max_score
    out = stage.folder / "out"
    assert stage.report("out", "b-sleeper").status == "not_graded"
    rows = [row[:2] for row in csv.reader((out / "grades.csv").read_text().splitlines()[1:])]
    assert rows == [["a-right", "graded"], ["b-sleeper", "not_graded"]]
    assert "a-right" in (out / "index.html").read_text()
    assert "1 of 2 graded" in stage.said("out")


@pytest.mark.slow
@pytest.mark.parametrize("pause_s", [0.0, 0.05, 0.3])
def test_after_ctrl_c_again_and_again(stage: Stage, pause_s: float) -> None:
    stage.right("a-right")
    marked = stage.sleeper("b-sleeper")
    process = stage.grade(stage.submissions, "out", "--sandbox", "docker", "--jobs", "1")
    assert wait_until(lambda: "a-right" in stage.said("out"), GRADED_S), stage.said("out")
    traces = stage.appears(marked)
    for _ in range(4):
        if process.poll() is None:
            os.kill(process.pid, signal.SIGINT)
            time.sleep(pause_s)
    assert process.wait(ENDS_S) == 130
    assert "Traceback" not in stage.said("out")
    traces.assert_gone()
    assert stage.report("out", "a-right").score == stage.report("out", "a-right").max_score
    shutil.copytree(stage.submissions / "a-right", marked.folder, dirs_exist_ok=True)
    assert stage.grade(stage.submissions, "out", "--sandbox", "docker").wait(GRADED_S) == 0
    assert "1 unchanged" in stage.said("out")
    assert stage.report("out", "b-sleeper").status == "graded"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 130)])
def test_after_the_grader_was_killed(stage: Stage, number: signal.Signals, status: int) -> None:
    marked = stage.sleeper("sleeper")
    process = stage.grade(marked.folder, "out", "--sandbox", "docker")
    traces = stage.appears(marked)
    os.kill(process.pid, number)
    assert process.wait(ENDS_S) == status
    # In the middle of a run that would take long: the guest must notice, not the program end.
    traces.assert_gone()


@pytest.mark.slow
def test_graders_at_the_same_time_do_not_disturb_each_other(stage: Stage) -> None:
    marked = stage.sleeper("sleeper")
    right = stage.right("right")
    killed = stage.grade(marked.folder, "killed", "--sandbox", "docker")
    traces = stage.appears(marked)
    # As root the local one splits off uids too, on the same kernel: others than the containers' one.
    others = [stage.grade(right, f"{where}-{i}", "--sandbox", where) for i, where in enumerate(("docker", "local"))]
    # Its guest ends while the others' are at work.
    killed.kill()
    for process, out in zip(others, ("docker-0", "local-1"), strict=True):
        assert process.wait(GRADED_S) == 0, stage.said(out)
        assert stage.report(out, "right").score == stage.report(out, "right").max_score
    traces.assert_gone()
