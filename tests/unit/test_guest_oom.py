"""Who was killed for lack of memory, and what runs again because others had used it up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.guest import oom
from grader.guest.launch import ENDED_WELL, KILLED
from grader.guest.oom import MOST_REPEATS, SMALL_BYTES, OomCounter

FAILED = {"kind": "exited", "code": 1}
SMALL: dict[str, Any] = {"ending": KILLED, "peak_memory_bytes": SMALL_BYTES - 1}
GOOD: dict[str, Any] = {"ending": ENDED_WELL, "peak_memory_bytes": 1}


@pytest.fixture
def kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Count the machine's kills in a file of the test, and do not wait for others to end."""
    counter = tmp_path / "vmstat"
    counter.write_text("pgfault 7\noom_kill 5\n")
    monkeypatch.setattr(oom, "_OF_MACHINE", str(counter))
    monkeypatch.setattr(oom, "PAUSE_S", 0)
    return counter


class Runs:
    """Returns reports one after another; before each of the first ones the kernel kills a process."""

    def __init__(self, counter: Path, *reports: dict[str, Any], kills: int) -> None:
        self._counter = counter
        self._reports = reports
        self._kills = kills
        self.made = 0

    def __call__(self) -> dict[str, Any]:
        self.made += 1
        if self.made <= self._kills:
            self._counter.write_text(f"pgfault 7\noom_kill {5 + self.made}\n")
        return self._reports[min(self.made, len(self._reports)) - 1]


@pytest.mark.parametrize(
    ("content", "number"),
    [
        ("low 0\noom 3\noom_kill 2\noom_group_kill 1\n", 2),
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", 1),
        ("", 0),
    ],
)
def test_kills_are_read_from_the_cgroup_or_from_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: Path, content: str, number: int
) -> None:
    events = tmp_path / "events"
    events.write_text(content)
    monkeypatch.setattr(oom, "_COUNTERS", ("/nonexistent/events", str(events)))
    assert OomCounter(in_container=True).read() == number
    assert OomCounter(in_container=False).read() == 5
    kills.unlink()
    assert OomCounter(in_container=False).read() == 0


def test_without_a_counter_there_are_no_kills_to_tell(monkeypatch: pytest.MonkeyPatch, kills: Path) -> None:
    monkeypatch.setattr(oom, "_COUNTERS", ("/nonexistent/events",))
    assert kills.exists()
    assert OomCounter(in_container=True).read() == 0


def test_a_victim_runs_again_until_the_others_are_gone(kills: Path) -> None:
    runs = Runs(kills, SMALL, SMALL, GOOD, kills=2)
    assert OomCounter(in_container=False).repeating(runs) == (GOOD, False)
    assert runs.made == 3


def test_a_compiler_tells_that_a_part_of_it_was_killed(kills: Path) -> None:
    told: dict[str, Any] = {
        **SMALL,
        "ending": FAILED,
        "messages": "gcc: fatal error: Killed signal terminated program cc1",
    }
    runs = Runs(kills, told, GOOD, kills=1)
    assert OomCounter(in_container=False).repeating(runs) == (GOOD, False)
    runs = Runs(kills, {**told, "messages": "copy.c:1:1: error"}, GOOD, kills=1)
    assert OomCounter(in_container=False).repeating(runs)[0]["ending"] == FAILED
    assert runs.made == 1


def test_repeats_are_limited_for_a_submission(kills: Path) -> None:
    counter = OomCounter(in_container=False)
    runs = Runs(kills, SMALL, kills=99)
    assert counter.repeating(runs) == (SMALL, True)
    assert runs.made == 1 + MOST_REPEATS
    runs = Runs(kills, SMALL, kills=99)
    kills.write_text("oom_kill 0\n")
    assert counter.repeating(runs) == (SMALL, True)
    assert runs.made == 1


@pytest.mark.parametrize(
    "report",
    [
        {**SMALL, "peak_memory_bytes": SMALL_BYTES},
        {**SMALL, "ending": FAILED},
        {**SMALL, "ending": {"kind": "limit", "limit": "wall"}},
        GOOD,
    ],
    ids=["large", "failed", "endless", "good"],
)
def test_nothing_else_runs_again(kills: Path, report: dict[str, Any]) -> None:
    runs = Runs(kills, report, kills=99)
    assert OomCounter(in_container=False).repeating(runs) == (report, False)
    assert runs.made == 1


def test_a_program_that_was_killed_without_the_kernels_doing_does_not_run_again(kills: Path) -> None:
    runs = Runs(kills, SMALL, kills=0)
    assert OomCounter(in_container=False).repeating(runs) == (SMALL, False)
    assert runs.made == 1
