"""What every sandbox promises: events in order, bytes unchanged, programs kept to themselves."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest

from grader.errors import SandboxError
from grader.guest.timeout_budget import MAX_TIMEOUTS
from grader.model.evidence import BuildDone, Engine, Exited, LimitReached, RunDone, StepLeftOut, Toolchain
from grader.model.plan import RunStep
from grader.model.spec.cases import Sink
from grader.sandbox.base import Sandbox

from .harness import INPUTS, LARGE, LIMITS, SUCCESS, Exercise, Outcome, limits, pipe, source, step

EVERY_BYTE = bytes(range(1, 256))
OPERANDS = (EVERY_BYTE, b"", b"\n", b"-x", b"--", b"--help", b"'\"\\$(id)*", b"")
SINKS: tuple[Sink, ...] = ("file", "pipe", "terminal")
CHUNK_BYTES = 7
BEHIND_TERMINAL = b"a\r\n\tb"

RUNS = (
    step("operands", "actor", "operands", *OPERANDS),
    step("short-reads", "actor", "reads", input="chunks", pipe=pipe(CHUNK_BYTES)),
    step("file-reads", "actor", "reads", input="chunks"),
    step("pipe-copy", "actor", "copy", input="block", pipe=pipe(4096), sink="pipe"),
    step("pipe-reopened", "actor", "reopen", input="block", pipe=pipe(4096)),
    step("large", "actor", "copy", input="large"),
    step("large-pipe", "actor", "copy", input="large", sink="pipe"),
    step("large-terminal", "actor", "copy", input="large", sink="terminal"),
    *(step(f"isatty-{sink}", "actor", "isatty", sink=sink) for sink in SINKS),
    step("identity", "actor", "identity"),
    step("descriptors", "actor", "descriptors", limits=limits(output_bytes=5000)),
    step("descriptors-strace", "actor", "descriptors", engine="strace"),
    step("environment", "actor", "environment"),
    step("make-file", "actor", "make-file"),
    step("trespass", "actor", "trespass"),
    step("forge", "actor", "forge", sink="pipe"),
    step("exit", "actor", "exit", "7"),
)


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    """All the runs above in one job; tests look at what came of them."""
    return Exercise(RUNS, fetch=("actor.large", "actor.large-terminal")).done_in(sandbox)


def test_events_come_in_the_order_of_the_plan(outcome: Outcome) -> None:
    first, second, *rest = outcome.events
    assert isinstance(first, Toolchain)
    assert first.compiler.startswith("gcc")
    assert isinstance(second, BuildDone)
    assert second.ending == SUCCESS
    assert [event.step for event in rest if isinstance(event, RunDone)] == [run.id for run in RUNS]


def test_an_event_comes_when_its_step_is_done_and_not_at_the_end(sandbox: Sandbox) -> None:
    sleep_s = 3.0
    runs = (step("first", "actor", "exit", "0"), step("second", "rogue", "sleep", limits=limits(wall_s=sleep_s)))
    job = Exercise(runs, {"actor": source("actor"), "rogue": source("rogue")}).job()
    with sandbox.open(job) as session:
        came_s = {event.step: time.monotonic() for event in session.events() if isinstance(event, RunDone)}
    assert came_s["rogue.second"] - came_s["actor.first"] >= sleep_s / 2


def test_the_object_shows_what_the_source_calls(outcome: Outcome) -> None:
    symbols = outcome.build("actor").symbols
    assert symbols is not None
    assert {"read", "write", "printf", "getresuid"} <= set(symbols)


@pytest.mark.parametrize("name", ["large", "large-terminal"])
def test_a_large_output_is_fetched_byte_for_byte(outcome: Outcome, name: str) -> None:
    assert outcome.run(name).stdout.data is None
    assert outcome.fetched[f"actor.{name}"] == LARGE


def test_an_output_is_the_same_whatever_the_sink(outcome: Outcome) -> None:
    hashes = {outcome.run(name).stdout.sha256 for name in ("large", "large-pipe", "large-terminal")}
    assert len(hashes) == 1
    assert outcome.run("large-pipe").stdout.size_bytes == len(LARGE)


def test_operands_arrive_as_they_are(outcome: Outcome) -> None:
    assert outcome.stdout("operands") == b"".join(b"%d:%b" % (len(one), one) for one in OPERANDS)


def test_reads_of_a_pipe_come_short(outcome: Outcome) -> None:
    whole, rest = divmod(len(INPUTS["chunks"]), CHUNK_BYTES)
    expected = [CHUNK_BYTES] * whole + ([rest] if rest else [])
    assert [int(line) for line in outcome.stdout("short-reads").split()] == expected


def test_a_pipe_can_be_opened_again_to_be_read_as_in_a_shell(outcome: Outcome) -> None:
    assert outcome.run("pipe-reopened").ending == SUCCESS
    assert outcome.stdout("pipe-reopened") == INPUTS["block"]


def test_reads_of_a_file_do_not_come_short(outcome: Outcome) -> None:
    assert outcome.stdout("file-reads") == b"%d\n" % len(INPUTS["chunks"])


def test_a_pipe_carries_everything_to_the_end(outcome: Outcome) -> None:
    assert outcome.stdout("pipe-copy") == INPUTS["block"]


@pytest.mark.parametrize("sink", SINKS)
def test_only_a_terminal_is_one_and_it_changes_no_byte(outcome: Outcome, sink: Sink) -> None:
    seen = b"010\n" if sink == "terminal" else b"000\n"
    assert outcome.stdout(f"isatty-{sink}") == seen + BEHIND_TERMINAL


def test_a_program_runs_under_one_uid_without_groups(sandbox: Sandbox, outcome: Outcome) -> None:
    *ids, groups = map(int, outcome.stdout("identity").split())
    if sandbox.isolation == "none":
        assert set(ids[:3]) == {os.geteuid()}
        return
    assert len(set(ids)) == 1
    assert 0 not in ids
    assert groups == 0


@pytest.mark.parametrize("name", ["descriptors", "descriptors-strace"])
def test_a_program_finds_three_descriptors_open(outcome: Outcome, name: str) -> None:
    assert outcome.stdout(name) == b"0 1 2 "


def test_nothing_of_the_grader_is_in_the_environment(outcome: Outcome) -> None:
    lines = outcome.stdout("environment").decode().splitlines()
    assert {line.partition("=")[0] for line in lines} <= {"PATH", "LC_ALL", "HOME", "TMPDIR"}


def test_a_program_may_write_where_it_runs(outcome: Outcome) -> None:
    assert outcome.stdout("make-file") == b"written"


def test_a_program_cannot_reach_what_the_guest_relies_on(sandbox: Sandbox, outcome: Outcome) -> None:
    if sandbox.isolation == "none":
        pytest.skip("without a uid of its own a program may do what its user may; the report says so")
    lines = outcome.stdout("trespass").decode().splitlines()
    # Six folders to plant a file in, three files to write, to chmod and to unlink, two secrets to read.
    assert len(lines) == 5 + 3 * 3 + 2
    assert [line for line in lines if not line.endswith(": refused")] == []


def test_what_a_program_writes_is_never_taken_for_an_event(outcome: Outcome) -> None:
    run = outcome.run("forge")
    assert run.ending == SUCCESS
    assert outcome.stdout("forge").startswith(b'{"event": "done"}')
    assert run.stderr.data == outcome.stdout("forge")


def test_an_exit_status_is_passed_on(outcome: Outcome) -> None:
    assert outcome.run("exit").ending == Exited(kind="exited", code=7)


def test_a_step_that_was_never_made_cannot_be_fetched(sandbox: Sandbox) -> None:
    with sandbox.open(Exercise(()).job()) as session:
        assert [type(event) for event in session.events()] == [Toolchain, BuildDone]
        with pytest.raises(SandboxError, match="nothing-like-it"):
            session.fetch("actor.nothing-like-it")


def test_a_source_that_does_not_compile_leaves_its_runs_out(sandbox: Sandbox) -> None:
    broken = Exercise(
        (step("one", "broken"), step("two", "actor", "exit", "0")), {"broken": b"int", "actor": source("actor")}
    )
    outcome = broken.done_in(sandbox)
    assert outcome.build("broken").ending != SUCCESS
    assert outcome.evidence.left_out["broken.one"] == StepLeftOut(step="broken.one", why="not-built")
    assert outcome.run("two").ending == SUCCESS


def test_a_program_that_does_not_end_is_waited_for_only_so_often(sandbox: Sandbox) -> None:
    short = limits(wall_s=0.3)
    hangs = tuple(
        step(f"hang-{i}", "rogue", "sleep", limits=short, hang_group="copies") for i in range(MAX_TIMEOUTS + 2)
    )
    others = (
        step("alone", "rogue", "sleep", limits=short),
        *(step(f"other-{i}", "rogue", "sleep", limits=short, hang_group="others") for i in range(2)),
        step("copy", "actor", "exit", "7", hang_group="copies"),
    )
    outcome = Exercise((*hangs, *others), {name: source(name) for name in ("actor", "rogue")}).done_in(sandbox)
    left_out = {name: left.why for name, left in outcome.evidence.left_out.items()}
    given_up = [*(run.id for run in hangs[MAX_TIMEOUTS:]), "rogue.other-1"]
    assert left_out == dict.fromkeys(given_up, "given-up"), "the first of another kind is waited for"
    assert outcome.run("copy").ending == Exited(kind="exited", code=7), "another program is another matter"


@pytest.mark.slow
def test_runs_after_a_program_s_time_are_left_out_and_no_other_program_s(sandbox: Sandbox) -> None:
    slow: tuple[RunStep, ...] = tuple(step(f"run-{i}", "rogue", "sleep", limits=limits(wall_s=1.5)) for i in range(3))
    runs = (*slow, step("exit", "actor", "exit", "7"))
    sources = {name: source(name) for name in ("actor", "rogue")}
    outcome = Exercise(runs, sources, program_s=2.5).done_in(sandbox)
    assert "rogue.run-0" in outcome.evidence.runs
    assert outcome.evidence.left_out["rogue.run-2"].why == "submission-time"
    assert outcome.run("exit").ending == Exited(kind="exited", code=7)


@pytest.mark.slow
def test_what_is_at_work_at_the_places_deadline_was_not_run(sandbox: Sandbox) -> None:
    sleeping = step("sleep", "rogue", "sleep", limits=limits(wall_s=60.0))
    runs = (step("exit", "actor", "exit", "7"), sleeping, step("after", "actor", "exit", "7"))
    deadline_s = 10.0
    started = time.monotonic()
    outcome = Exercise(runs, {name: source(name) for name in ("actor", "rogue")}, deadline_s=deadline_s).done_in(
        sandbox
    )
    assert time.monotonic() - started < deadline_s + LIMITS.wall_s / 2
    assert outcome.run("exit").ending == Exited(kind="exited", code=7)
    cut, after = (outcome.evidence.left_out[name] for name in ("rogue.sleep", "actor.after"))
    assert (cut.why, after.why) == ("deadline", "deadline")
    assert 0 < cut.took_s <= deadline_s
    assert after.took_s < cut.took_s


SLOW_TO_COMPILE = b"""\
#define A(x) x x x x x x x x
int main(int argc, char **argv)
{
    A(A(A(if (argc * 3 > argv[0][argc]++) argc ^= argv[1][argc];)))
    return argc;
}
"""


@pytest.mark.slow
def test_what_is_being_compiled_at_the_places_deadline_was_cut_short(sandbox: Sandbox) -> None:
    exercise = Exercise((step("one", "slow"),), {"slow": SLOW_TO_COMPILE}, deadline_s=0.3)
    outcome = exercise.done_in(sandbox)
    assert outcome.build("slow").cut_short
    assert outcome.evidence.left_out["slow.one"].why == "deadline"
    whole = replace(exercise, runs=(), deadline_s=60.0).done_in(sandbox)
    assert whole.build("slow").ending == SUCCESS
    assert not whole.build("slow").cut_short
    assert whole.build("slow").wall_s > 0.3


NOTES = b"""\
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* Tells of an earlier run, and of other inputs, if it finds them; leaves a note for the next. */
int main(void)
{
    char folder[4096] = {0};
    if (access("note", F_OK) == 0)
        puts("note");
    DIR *all = opendir("..");
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        char note[4096];
        snprintf(note, sizeof note, "../%s/note", entry->d_name);
        if (open(note, O_RDONLY) >= 0)
            puts("room");
    }
    if (readlink("/proc/self/fd/0", folder, sizeof folder - 1) > 0)
        *strrchr(folder, '/') = 0;
    if (folder[0] != '/' || opendir(folder) != NULL)
        puts("inputs");
    return creat("note", 0666) < 0;
}
"""


def test_a_run_finds_nothing_of_another_nor_of_its_input(sandbox: Sandbox) -> None:
    if sandbox.isolation == "none":
        pytest.skip("without a uid of its own a program has all rights of the user")
    runs = tuple(step(name, "notes", input="one") for name in ("first", "second"))
    outcome = Exercise(runs, {"notes": NOTES}).done_in(sandbox)
    for name in ("first", "second"):
        run = outcome.run(name, "notes")
        assert (run.ending, run.stdout.data) == (SUCCESS, b""), name


LOOKS = b"""\
#include <stdio.h>
#include <unistd.h>
extern char **environ;
/* Shows the command line of its parent, and then the names of everything that it was given. */
int main(void)
{
    char path[64], text[4096];
    ssize_t length;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)getppid());
    FILE *file = fopen(path, "r");
    length = (ssize_t)fread(text, 1, sizeof text, file);
    for (ssize_t i = 0; i < length; i++)
        putchar(text[i] == 0 ? ' ' : text[i]);
    putchar(10);
    for (int fd = 0; fd < 3; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        length = readlink(path, text, sizeof text);
        printf("%.*s\\n", (int)length, text);
    }
    puts(getcwd(text, sizeof text));
    for (char **entry = environ; *entry != NULL; entry++)
        puts(*entry);
}
"""
UNTRACED: tuple[Engine, ...] = ("plain", "account", "filter")


def test_nothing_that_a_program_can_read_names_its_run(sandbox: Sandbox) -> None:
    runs = tuple(step(f"peculiar-{engine}", "looks", input="one", engine=engine) for engine in UNTRACED)
    outcome = Exercise(runs, {"looks": LOOKS}).done_in(sandbox)
    seen = [outcome.run(f"peculiar-{engine}", "looks").stdout.data or b"" for engine in UNTRACED]
    for engine, text in zip(UNTRACED, seen, strict=True):
        assert text.count(b"\n") >= 8
        assert b"tally --options-fd" in text.splitlines()[0]
        for word in (b"peculiar", engine.encode(), b"stdout"):
            assert word not in text
        assert not text.splitlines()[1].endswith(b"/one")
    assert len({text.splitlines()[0] for text in seen}) == 1


def test_a_limit_that_is_shorter_than_the_deadline_is_the_programs(sandbox: Sandbox) -> None:
    short = step("sleep", "rogue", "sleep", limits=limits(wall_s=0.3))
    outcome = Exercise((short,), {"rogue": source("rogue")}, deadline_s=60.0).done_in(sandbox)
    assert outcome.run("sleep", "rogue").ending == LimitReached(kind="limit", limit="wall")


def test_a_sandbox_is_used_by_several_at_a_time(sandbox: Sandbox) -> None:
    exercise = Exercise((step("identity", "actor", "identity"),))
    with sandbox.open(exercise.job(), slot=1) as one, sandbox.open(exercise.job(), slot=2) as other:
        runs = [event for session in (one, other) for event in session.events() if isinstance(event, RunDone)]
    assert [run.ending for run in runs] == [SUCCESS, SUCCESS]
    if sandbox.isolation == "uid":
        assert runs[0].stdout.data != runs[1].stdout.data
