"""Programs that misbehave: each ends as its limit says, and the next program runs as if nothing had been."""

from __future__ import annotations

import signal

import pytest

from grader.model.evidence import Ending, LimitHit, LimitReached, Signalled
from grader.model.plan import RunStep
from grader.model.spec.cases import Sink
from grader.sandbox.base import Sandbox

from .harness import LIMITS, SUCCESS, Exercise, Outcome, limits, source, step

pytestmark = pytest.mark.slow

CPU = limits(cpu_s=1, wall_s=40.0)  # on a busy machine a second of computing takes long
WALL = limits(wall_s=0.7)
LONG_STDERR_BYTES = 8 * 65536
"""What `rogue long-stderr` writes: less than its limit, and more than an event holds."""

STDERR_HEAD_BYTES = 4096


def hit(limit: LimitHit) -> Ending:
    return LimitReached(kind="limit", limit=limit)


def killed(number: int) -> Ending:
    return Signalled(kind="signalled", signal=number)


SINKS: tuple[Sink, ...] = ("file", "pipe", "terminal")

ROGUES: dict[str, tuple[RunStep, Ending]] = {
    "spin": (step("spin", "rogue", "spin", limits=CPU), hit("cpu")),
    "ignore-and-spin": (step("ignore-and-spin", "rogue", "ignore-and-spin", limits=CPU), hit("cpu")),
    "sleep": (step("sleep", "rogue", "sleep", limits=WALL), hit("wall")),
    "ignore-and-sleep": (step("ignore-and-sleep", "rogue", "ignore-and-sleep", limits=WALL), hit("wall")),
    "stop": (step("stop", "rogue", "stop", limits=WALL), hit("wall")),
    **{
        f"flood-{sink}": (step(f"flood-{sink}", "rogue", "flood", sink=sink, limits=CPU), hit("output"))
        for sink in SINKS
    },
    **{
        f"flood-on-{sink}": (step(f"flood-on-{sink}", "rogue", "flood-on", sink=sink, limits=CPU), hit("output"))
        for sink in ("pipe", "terminal")
    },
    "flood-strace": (
        step("flood-strace", "rogue", "flood", engine="strace", limits=CPU, tracer_limits=limits()),
        hit("output"),
    ),
    "log-strace": (
        step("log-strace", "rogue", "flood", engine="strace", sink="pipe", tracer_limits=limits(output_bytes=4000)),
        hit("log"),
    ),
    "flood-stderr": (step("flood-stderr", "rogue", "flood-stderr", limits=CPU), hit("output")),
    "long-stderr": (step("long-stderr", "rogue", "long-stderr"), SUCCESS),
    "hog": (step("hog", "rogue", "hog"), SUCCESS.model_copy(update={"code": 3})),
    "kill": (step("kill", "rogue", "kill"), killed(signal.SIGKILL)),
    "kill-strace": (step("kill-strace", "rogue", "kill", engine="strace"), killed(signal.SIGKILL)),
    "segv": (step("segv", "rogue", "segv"), killed(signal.SIGSEGV)),
    "sleep-strace": (step("sleep-strace", "rogue", "sleep", engine="strace", limits=WALL), hit("wall")),
    "close-file": (step("close-file", "rogue", "close-stdout"), SUCCESS),
    "close-pipe": (step("close-pipe", "rogue", "close-stdout", sink="pipe"), SUCCESS),
    "close-terminal": (step("close-terminal", "rogue", "close-stdout", sink="terminal"), SUCCESS),
    "daemon-file": (step("daemon-file", "rogue", "daemon"), SUCCESS),
    "daemon-pipe": (step("daemon-pipe", "rogue", "daemon", sink="pipe"), SUCCESS),
    "daemon-terminal": (step("daemon-terminal", "rogue", "daemon", sink="terminal"), SUCCESS),
    # strace ends when the last process that it traces does.
    "daemon-strace": (step("daemon-strace", "rogue", "daemon", engine="strace", limits=WALL), hit("wall")),
    "no-such-behaviour": (step("no-such-behaviour", "rogue", "?"), SUCCESS.model_copy(update={"code": 99})),
}

SOURCES = {"rogue": source("rogue"), "actor": source("actor")}


def neighbour(name: str) -> RunStep:
    """Describe an honest run that follows a rogue's; it counts the processes that this one left."""
    return step(f"after-{name}", "actor", "others")


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    runs = [run for name, (rogue, _) in ROGUES.items() for run in (rogue, neighbour(name))]
    return Exercise(runs, SOURCES).done_in(sandbox)


@pytest.mark.parametrize("name", ROGUES)
def test_a_rogue_ends_as_its_limit_says(outcome: Outcome, name: str) -> None:
    assert outcome.run(name, "rogue").ending == ROGUES[name][1]


@pytest.mark.parametrize("name", ROGUES)
def test_nothing_of_a_rogue_is_left_for_the_next_run(sandbox: Sandbox, outcome: Outcome, name: str) -> None:
    after = outcome.run(f"after-{name}")
    assert after.ending == SUCCESS
    if sandbox.isolation != "none":
        assert outcome.stdout(f"after-{name}") == b"0"


@pytest.mark.parametrize("name", [name for name in ROGUES if name.startswith("flood")])
def test_no_more_is_kept_of_a_flood_than_its_limit(outcome: Outcome, name: str) -> None:
    run = outcome.run(name, "rogue")
    assert run.stdout.size_bytes <= LIMITS.output_bytes
    assert run.stderr.size_bytes <= LIMITS.output_bytes


def test_standard_error_is_measured_whole_and_shown_in_part(outcome: Outcome) -> None:
    stderr = outcome.run("long-stderr", "rogue").stderr
    assert stderr.size_bytes == LONG_STDERR_BYTES
    assert stderr.data == b"e" * STDERR_HEAD_BYTES


def test_a_hog_gets_no_more_memory_than_its_limit(outcome: Outcome) -> None:
    used_bytes = outcome.run("hog", "rogue").peak_memory_bytes
    assert 0.9 * LIMITS.memory_bytes < used_bytes < LIMITS.memory_bytes


def test_a_trace_that_a_limit_cut_is_not_complete(outcome: Outcome) -> None:
    trace = outcome.run("sleep-strace", "rogue").trace
    assert trace is not None
    assert not trace.complete


def test_a_fork_bomb_is_outlived(sandbox: Sandbox) -> None:
    bomb = step("bomb", "rogue", "bomb", limits=limits(cpu_s=1, wall_s=1.5))
    outcome = Exercise((bomb, neighbour("bomb")), SOURCES).done_in(sandbox)
    assert outcome.run("bomb", "rogue").ending in (hit("cpu"), hit("wall"))
    assert outcome.run("after-bomb").ending == SUCCESS
    # A person may have more than that running.
    if sandbox.isolation != "none":
        assert outcome.stdout("after-bomb") == b"0"


def test_killing_all_that_may_be_killed_ends_only_oneself(sandbox: Sandbox) -> None:
    if sandbox.isolation == "none":
        pytest.skip("the guest is of the same user, and nothing keeps it")
    runs = (
        step("kill-all", "rogue", "kill-all"),
        step("kill-all-strace", "rogue", "kill-all", engine="strace"),
        neighbour("kill-all"),
    )
    outcome = Exercise(runs, SOURCES).done_in(sandbox)
    # The guard refuses kill(-1); its parent is of another uid, also the one that traces it.
    assert outcome.run("kill-all", "rogue").ending == SUCCESS
    assert outcome.run("kill-all-strace", "rogue").ending == SUCCESS
    assert outcome.stdout("after-kill-all") == b"0"
