from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from grader.errors import SandboxError
from grader.gradescope.simulator.accepted_results import NO_RESULTS
from grader.gradescope.simulator.outcome import KILLED, SimulatedRun, outcome


def said(results: object, **changes: object) -> bytes:
    raw = None if results is None else base64.b64encode(json.dumps(results).encode()).decode()
    usual: dict[str, Any] = {
        "raw": raw,
        "stdout": base64.b64encode(b"out\0\xff").decode(),
        "fault": "",
        "wall_s": 1.5,
        "timed_out": False,
        "exit_status": 0,
        "oom_kills": 0,
        "peak_memory_bytes": 10,
    }
    return json.dumps({**usual, **changes}).encode()


def test_a_run_that_went_well() -> None:
    assert outcome(said({"score": 1}), "", 9) == SimulatedRun(
        results={"score": 1},
        raw=b'{"score": 1}',
        stdout="out\ufffd\ufffd",
        problem="",
        wall_s=1.5,
        exit_status=0,
        oom_kills=0,
        peak_memory_bytes=10,
    )


def test_the_exit_status_decides_nothing() -> None:
    found = outcome(said({"score": 1}, exit_status=-9), "", 9)
    assert (found.problem, found.exit_status) == ("", -9)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (said(None, fault="run_autograder could not be started: no"), "run_autograder could not be started: no"),
        (said({"score": 0}, timed_out=True), "timed out, and whatever results there were are lost"),
        (said(None), "there is no results.json"),
        (
            said(None, oom_kills=2),
            "there is no results.json; and the kernel ended 2 of its processes for lack of memory",
        ),
    ],
)
def test_a_run_without_a_grade_says_why(document: bytes, problem: str) -> None:
    assert outcome(document, "", 9).problem == problem


def test_memory_that_ran_out_for_a_part_is_no_problem_where_there_is_a_grade() -> None:
    assert outcome(said({"score": 1}, oom_kills=2), "", 9).problem == ""


def test_results_that_cannot_be_read_are_kept_as_they_are() -> None:
    found = outcome(said([1, 2]), "", 9)
    assert found.results == NO_RESULTS
    assert found.raw == b"[1, 2]"
    assert "not an object" in found.problem


def test_a_container_that_ended_as_a_whole_was_killed() -> None:
    assert outcome(b"", "", 9) == SimulatedRun(None, None, "", KILLED, 9)


@pytest.mark.parametrize(("document", "words"), [(b"", "Traceback"), (b'{"raw": nu', ""), (said(None) + b"x", "")])
def test_a_harness_that_broke_is_our_fault(document: bytes, words: str) -> None:
    with pytest.raises(SandboxError, match="harness"):
        outcome(document, words, 9)
