"""The container as it runs: its settings, and what a program finds from inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from docker.models.containers import Container, ContainerCollection

from grader.model.evidence import BuildDone, Exited, LimitReached
from grader.sandbox.container import GUEST_PROCESSES, STUDENT
from grader.sandbox.docker import DockerSandbox
from tests.contract.harness import SUCCESS, Exercise, Outcome, limits, source, step

pytestmark = pytest.mark.docker

MEMORY_BYTES = 768 << 20
SETGID, SETUID, KILL = 6, 7, 5
"""Numbers of capabilities, capability.h."""

GUEST_CAPABILITIES = 1 << SETGID | 1 << SETUID | 1 << KILL


@pytest.fixture(scope="module")
def running(docker_sandbox: DockerSandbox) -> Iterator[Container]:
    """A container in which a student's program sleeps."""
    made: list[Container] = []
    create = ContainerCollection.create

    def noting(self: ContainerCollection, *arguments: Any, **options: Any) -> Container:  # noqa: ANN401 - as wrapped
        made.append(create(self, *arguments, **options))
        return made[-1]

    asleep = Exercise((step("asleep", "rogue", "sleep", limits=limits(wall_s=50)),), {"rogue": source("rogue")})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ContainerCollection, "create", noting)
        with docker_sandbox.open(asleep.job()) as session:
            events = session.events()
            while not isinstance(next(events), BuildDone):
                continue
            (container,) = made
            container.reload()
            yield container


@pytest.fixture(scope="module")
def host(running: Container) -> dict[str, Any]:
    settings: dict[str, Any] = running.attrs["HostConfig"]
    return settings


def test_no_capability_but_those_that_split_off_a_uid(host: dict[str, Any]) -> None:
    assert host["CapDrop"] == ["ALL"]
    assert {name.removeprefix("CAP_") for name in host["CapAdd"]} == {"SETUID", "SETGID", "KILL"}
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["Privileged"] is False


def test_nothing_of_the_host_is_in_it(host: dict[str, Any], running: Container) -> None:
    assert host["NetworkMode"] == "none"
    assert host["IpcMode"] == "none"
    assert host["PidMode"] == host["UTSMode"] == host["UsernsMode"] == ""
    assert not host["Binds"]
    assert not host["Devices"]
    assert not host["VolumesFrom"]
    assert running.attrs["Mounts"] == []
    assert host["LogConfig"]["Type"] == "none"


def test_what_it_may_use_is_limited(host: dict[str, Any], running: Container) -> None:
    assert host["Memory"] == host["MemorySwap"] == MEMORY_BYTES
    assert host["PidsLimit"] == 64 + GUEST_PROCESSES
    assert 0 < host["NanoCpus"] <= 2_000_000_000
    assert host["ReadonlyRootfs"] is True
    assert host["Init"] is True
    assert host["AutoRemove"] is True
    assert {one["Name"]: one["Hard"] for one in host["Ulimits"]} == {"core": 0, "nofile": 256}
    for options in host["Tmpfs"].values():
        assert {"nosuid", "nodev"} < set(options.split(","))
        assert "size=" in options
    assert not [one for one in running.attrs["Config"]["Env"] or [] if not one.startswith("PATH=")]


def statuses(running: Container) -> list[dict[str, str]]:
    """Return /proc/PID/status of every process in the container but that of the question."""
    output = running.exec_run(["sh", "-c", "for p in /proc/[0-9]*; do cat $p/status; echo; done"]).output
    assert isinstance(output, bytes)
    text = output.decode()
    found = [dict(line.split(":", 1) for line in one.splitlines() if ":" in line) for one in text.split("\n\n")]
    return [one for one in found if one and one["Name"].strip() not in ("sh", "cat")]


def test_the_guest_has_three_capabilities_and_the_student_none(running: Container) -> None:
    seen: dict[str, set[int]] = {}
    for one in statuses(running):
        assert one["NoNewPrivs"].strip() == "1"
        uid = one["Uid"].split()[0]
        for key in ("CapEff", "CapPrm"):
            seen.setdefault(f"{key} {uid}", set()).add(int(one[key], 16))
    for key in ("CapEff", "CapPrm"):
        assert seen[f"{key} 0"] == {GUEST_CAPABILITIES}
        assert seen[f"{key} {STUDENT.uid}"] == {0}


@pytest.fixture(scope="module")
def intruder(docker_sandbox: DockerSandbox) -> Outcome:
    ways = ("processes", "writable", "network", "status")
    runs = [step(way, "intruder", way) for way in ways]
    hogs = step("hogs", "rogue", "hogs")
    after = step("after", "actor", "others")
    programs = ("intruder", "rogue", "actor")
    return Exercise((*runs, hogs, after), {name: source(name) for name in programs}).done_in(docker_sandbox)


def written(outcome: Outcome, way: str) -> list[str]:
    assert outcome.run(way, "intruder").ending == SUCCESS
    return outcome.stdout(way, "intruder").decode().splitlines()


@pytest.mark.slow
def test_a_student_can_neither_signal_nor_look_into_the_guest(intruder: Outcome) -> None:
    assert written(intruder, "processes") == []
    # It did look: at init, the guest, tally, and the helper of tally.
    assert int(intruder.run("processes", "intruder").stderr.data or b"0") >= 4


def test_a_student_can_write_only_to_what_ends_with_its_container(intruder: Outcome) -> None:
    writable = set(written(intruder, "writable"))
    # Message queues are the IPC namespace's, which is the container's own and ends with it.
    # Its own folder is where it is, in one that it cannot list.
    assert writable - {"/dev/mqueue"} == set()


def test_there_is_no_network(intruder: Outcome) -> None:
    assert written(intruder, "network") == ["lo"]


def test_a_student_has_no_capability_even_inherited(intruder: Outcome) -> None:
    lines = dict(line.split(":", 1) for line in written(intruder, "status"))
    assert {int(lines[key], 16) for key in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    assert lines["NoNewPrivs"].strip() == "1"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["crowd", "memory-file"])
def test_a_program_cannot_make_the_kernel_end_the_guest_instead(docker_sandbox: DockerSandbox, way: str) -> None:
    """It asks to be spared, and then uses up the memory in processes that are all smaller than the guest."""
    large = limits(output_bytes=MEMORY_BYTES)
    runs = (step(way, "crowd", way, limits=large), step("after", "actor", "exit", "7"))
    outcome = Exercise(runs, {name: source(name) for name in ("crowd", "actor")}).done_in(docker_sandbox)
    run = outcome.run(way, "crowd")
    assert (run.ending, run.stderr.data) == (LimitReached(kind="limit", limit="memory"), b"")
    assert outcome.run("after").ending == Exited(kind="exited", code=7)


def test_children_that_exhaust_the_container_are_seen_though_the_parent_ends_well(intruder: Outcome) -> None:
    run = intruder.run("hogs", "rogue")
    assert run.ending == LimitReached(kind="limit", limit="memory")
    assert intruder.run("after").ending == SUCCESS
    assert intruder.stdout("after") == b"0"


def test_an_engine_that_has_not_all_cpus_to_give_is_not_asked_for_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = DockerSandbox()
    asked: list[str | None] = []
    create = ContainerCollection.create

    def noting(self: ContainerCollection, *arguments: Any, **options: Any) -> Container:  # noqa: ANN401 - as wrapped
        asked.append(options["cpuset_cpus"])
        return create(self, *arguments, **options)

    monkeypatch.setattr(ContainerCollection, "create", noting)
    monkeypatch.setattr(sandbox, "cpus", 1000)
    with closing(sandbox):
        for _ in range(2):
            ended = Exercise((step("exit", "actor", "exit", "0"),)).done_in(sandbox, slot=999).run("exit").ending
            assert ended == SUCCESS
    assert asked == ["999", None, None]
