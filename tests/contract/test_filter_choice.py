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
CHEAP = 10_000
"""More calls than this are not stopped one by one, and getppid is not stopped if it would be one of them."""

CPU_S = 60  # on a busy machine a stop costs many times what it costs otherwise
LIMITS = limits(cpu_s=CPU_S, wall_s=120.0)


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


@pytest.mark.parametrize("name", ["blind", "chatty"])
def test_calls_that_move_nothing_are_not_stopped_if_they_are_many(outcome: Outcome, name: str) -> None:
    run = outcome.run(name, "copy")
    assert (run.engine, run.ending) == ("filter", SUCCESS)
    assert run.trace is not None
    assert run.trace.complete
    assert run.trace.transfers_only is (name == "chatty")
    assert run.trace.stdin is not None
    assert (run.trace.stdin.calls, run.trace.stdin.nbyte_max) == (len(INPUTS["block"]) + 1, 1)


def test_one_whose_transfers_would_stop_too_often_is_counted_by_the_kernel(outcome: Outcome) -> None:
    run = outcome.run("unlike", "copy")
    assert (run.engine, run.ending) == ("account", SUCCESS)
    assert run.accounting is not None
    assert run.accounting.writes == len(INPUTS["block"])
    # What was seen until then shows the wrong nbyte, but it is not everything.
    assert run.trace is not None
    assert not run.trace.complete


def test_one_whose_calls_become_many_runs_again(outcome: Outcome) -> None:
    assert ZEROS * 20_000 > CHEAP
    run = outcome.run("full", "late")
    assert (run.engine, run.ending) == ("filter", SUCCESS)
    assert run.stdout.size_bytes == len(INPUTS["block"])
    assert run.trace is not None
    assert (run.trace.complete, run.trace.transfers_only) == (True, True)
