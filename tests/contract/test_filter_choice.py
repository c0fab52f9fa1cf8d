"""When tally's filter counts, and when it would cost more than the run itself."""

from __future__ import annotations

import pytest

from grader.sandbox.base import Sandbox

from .harness import INPUTS, SUCCESS, Exercise, Outcome, limits, step

COPY = b"""\
#include <unistd.h>
int main(int argc, char **argv)
{
    char c;
    for (; read(0, &c, 1) == 1; write(1, &c, 1))
        if (argc > 1)
            getppid();
}
"""
LATE = b"""\
#include <unistd.h>
/* Where the input has a zero byte, one call after the other. */
int main(void)
{
    char c;
    for (; read(0, &c, 1) == 1; write(1, &c, 1))
        if (c == 0)
            for (int i = 0; i < 20000; i++)
                getppid();
}
"""
ZEROS = INPUTS["block"].count(0)
STOP_S = 0.000_000_5
"""CPU seconds that a stop costs the stopped program at the very least: it is switched away from and back to. Without
stops the same calls cost less than a quarter of it, so that the program ends far within its limit."""

CHEAP = 10_000
CPU_S = 2
LIMITS = limits(cpu_s=CPU_S, wall_s=30.0)


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    runs = []
    for program in ("copy", "late"):
        runs.append(step("short", program, input="slice", engine="strace"))
        full = step(
            "full", program, input="block", engine="filter", limits=LIMITS, predicted_by=f"{program}.short",
            read_nbyte=1, write_nbyte=1,
        )  # fmt: skip
        runs.append(full)
    runs.append(full.model_copy(update={"id": "copy.blind", "program": "copy", "predicted_by": "copy.nothing"}))
    unlike = {"id": "copy.unlike", "program": "copy", "predicted_by": "copy.short", "read_nbyte": None}
    runs.append(full.model_copy(update=unlike))
    runs.append(step("chatty-short", "copy", "chatty", input="slice", engine="strace"))
    chatty = {"id": "copy.chatty", "program": "copy", "predicted_by": "copy.chatty-short", "operands": (b"chatty",)}
    runs.append(full.model_copy(update=chatty))
    return Exercise(runs, {"copy": COPY, "late": LATE}, cheap_calls=CHEAP).done_in(sandbox)


def test_a_program_whose_calls_pass_freely_is_filtered(outcome: Outcome) -> None:
    run = outcome.run("full", "copy")
    assert (run.engine, run.ending) == ("filter", SUCCESS)
    assert run.trace is not None
    assert run.trace.stdin is not None
    assert run.trace.stdin.calls == len(INPUTS["block"]) + 1


@pytest.mark.parametrize("name", ["blind", "unlike", "chatty"])
def test_one_that_would_stop_too_often_or_is_not_known_is_not(outcome: Outcome, name: str) -> None:
    run = outcome.run(name, "copy")
    assert (run.engine, run.ending, run.trace) == ("account", SUCCESS, None)
    assert run.accounting is not None
    assert run.accounting.writes == len(INPUTS["block"])


def test_one_that_the_stops_brought_to_its_limit_runs_again_without(outcome: Outcome) -> None:
    assert ZEROS * 20_000 * STOP_S > CPU_S
    run = outcome.run("full", "late")
    assert (run.engine, run.ending) == ("account", SUCCESS)
    assert run.stdout.size_bytes == len(INPUTS["block"])
