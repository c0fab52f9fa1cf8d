"""Filter mode against programs that try to move bytes unseen: each call is counted, whatever way it takes."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import IO, Any

import pytest

from tests.waits import join

from .harness import DEADLINE_S, Bench, Outcome, switches

BYTES = 100
OK = {"kind": "exited", "code": 0}
THREADS = 4


def evader(bench: Bench, *words: object) -> list[str]:
    return [str(bench.workshop.build("evader")), *map(str, words), bench.mark]


def run(bench: Bench, *words: object, stdin: int | IO[bytes] = subprocess.DEVNULL) -> Outcome:
    return bench.run(evader(bench, *words), "--wall-s", "30", stdin=stdin)


def conforming(calls: int, size_bytes: int) -> dict[str, Any]:
    """Return what a stream shows of calls of one byte each."""
    return {"calls": calls, "bytes": size_bytes, "nbyte_min": 1, "nbyte_max": 1}


NOTHING = {"calls": 0, "bytes": 0, "nbyte_min": None, "nbyte_max": None}


def test_a_copy(filter_bench: Bench) -> None:
    with (filter_bench.folder() / "input").open("w+b") as stdin:
        stdin.write(b"x" * BYTES)
        stdin.seek(0)
        outcome = filter_bench.run([filter_bench.workshop.build("copy", "-static")], stdin=stdin)
    assert outcome.trace["complete"]
    assert outcome.trace["stdin"] == conforming(BYTES + 1, BYTES)
    assert outcome.trace["stdout"] == conforming(BYTES, BYTES)
    assert outcome.trace["other_reads"] == outcome.trace["other_writes"] == NOTHING
    assert outcome.calls("read") == (BYTES + 1, 0)
    assert outcome.calls("write") == (BYTES, 0)
    assert outcome.calls("execve") == (1, 0)
    assert outcome.calls("exit_group") == (0, 0)


@pytest.mark.parametrize("nbyte", [1, 2, 3, 4096])
def test_other_numbers_of_bytes(filter_bench: Bench, nbyte: int) -> None:
    """The same calls, whether they pass or are stopped."""
    with (filter_bench.folder() / "input").open("w+b") as stdin:
        stdin.write(b"x" * BYTES)
        stdin.seek(0)
        command = [filter_bench.workshop.build("copy", "-static")]
        report_read, report_write = os.pipe()
        process = subprocess.run(
            [filter_bench.workshop.tally(), "--report-fd", str(report_write), "--mode", "filter", "--read-nbyte",
             str(nbyte), "--", *command],
            stdin=stdin, stdout=subprocess.PIPE, pass_fds=[report_write], timeout=DEADLINE_S, check=True,
        )  # fmt: skip
        os.close(report_write)
    with os.fdopen(report_read, "rb") as channel:
        assert b'"stdin":{"calls":%d,"bytes":%d,"nbyte_min":1,"nbyte_max":1}' % (BYTES + 1, BYTES) in channel.read()
    assert process.stdout == b"x" * BYTES


WAYS = {
    "sendfile": {"sendfile": 1},
    "copy_file_range": {"copy_file_range": 1},
    "splice": {"splice": 2, "tee": 1},
    "socket": {"sendto": 1, "recvfrom": 1, "socketpair": 1},
}


@pytest.mark.parametrize("act", WAYS)
def test_other_ways_of_bytes_are_counted_by_name(filter_bench: Bench, act: str) -> None:
    folder = filter_bench.folder()
    (folder / "input").write_bytes(b"x" * BYTES)
    with (folder / "input").open("rb") as stdin, (folder / "output").open("wb") as stdout:
        outcome = filter_bench.run(evader(filter_bench, act, BYTES), stdin=stdin, stdout=stdout)
    assert outcome.ending == OK, outcome.stderr
    assert {name: outcome.calls(name) for name in WAYS[act]} == {
        name: (calls, 0) for name, calls in WAYS[act].items()
    }
    assert (outcome.trace["stdin"], outcome.trace["stdout"]) == (NOTHING, NOTHING)
    assert outcome.trace["complete"]


def test_a_mapped_input_shows_as_no_read_at_all(filter_bench: Bench) -> None:
    path = filter_bench.folder() / "input"
    path.write_bytes(b"x" * BYTES)
    without = run(filter_bench, "write", BYTES)
    with path.open("rb") as stdin:
        outcome = run(filter_bench, "mmap", BYTES, stdin=stdin)
    assert outcome.stdout == b"x" * BYTES
    assert outcome.trace["stdin"] == NOTHING
    assert outcome.calls("mmap")[0] == without.calls("mmap")[0] + 1


def test_a_look_at_the_tracer_is_seen(filter_bench: Bench) -> None:
    """It finds one. What it does then is counted; in account mode, where it finds none, its other face is."""
    outcome = run(filter_bench, "look-for-tracer", BYTES)
    assert outcome.trace["stdout"] == conforming(BYTES, BYTES)
    assert outcome.trace["other_reads"]["nbyte_max"] == 4095
    accounted = Bench(filter_bench.workshop, filter_bench.identity, "account", filter_bench.mark)
    assert run(accounted, "look-for-tracer", BYTES).reported("accounting")["writes"] == 1


FAMILIES = {
    "vfork": BYTES,
    "spawn": BYTES,
    "shell": BYTES,
    "unwaited": BYTES,
    "orphan": BYTES,
    "threads": BYTES * THREADS,
    "memfd": 2 * BYTES,
    "exec-in-thread": BYTES + 1,
    "forge-events": BYTES * 4,
}


@pytest.mark.parametrize("act", FAMILIES)
def test_whoever_writes_is_counted(filter_bench: Bench, act: str) -> None:
    outcome = run(filter_bench, act, BYTES)
    assert outcome.ending == OK, outcome.stderr
    assert outcome.stdout == b"x" * FAMILIES[act]
    assert outcome.trace["stdout"] == conforming(FAMILIES[act], FAMILIES[act])
    assert outcome.trace["complete"]
    assert filter_bench.left() == []


def test_streams_that_are_closed(filter_bench: Bench) -> None:
    """The kernel's totals leave such calls out, so they are stopped from there on."""
    outcome = run(filter_bench, "close-streams", BYTES)
    assert outcome.ending == OK
    assert outcome.trace["stdin"] == conforming(BYTES, 0)
    assert outcome.trace["stdout"] == conforming(BYTES + 2, 2)
    assert outcome.calls("write") == (BYTES + 2, BYTES)
    assert outcome.calls("read")[1] == BYTES


def test_reads_that_do_not_wait(filter_bench: Bench) -> None:
    outcome = run(filter_bench, "nonblocking", BYTES)
    assert outcome.ending == OK
    assert outcome.trace["stdin"] == conforming(BYTES, 0)
    assert outcome.calls("read")[1] == BYTES


def test_writes_that_fail(filter_bench: Bench) -> None:
    with Path("/dev/full").open("wb") as full, Path("/dev/zero").open("rb") as zeros:
        copy = filter_bench.workshop.build("copy", "-static")
        outcome = filter_bench.run([copy], stdin=zeros, stdout=full)
    assert outcome.ending == {"kind": "exited", "code": 1}
    assert outcome.trace["stdout"] == conforming(1, 0)
    assert outcome.calls("write") == (1, 1)


# --- calls that signals interrupt: they do not return, so they do not count


@pytest.mark.parametrize(("act", "calls"), [("read-again", 1), ("read-interrupted", 0)])
def test_reads_that_signals_interrupt(filter_bench: Bench, act: str, calls: int) -> None:
    reading, writing = os.pipe()
    feed = threading.Timer(0.5, os.write, (writing, b"x"))
    feed.start()
    outcome = run(filter_bench, act, stdin=reading)
    join(feed)
    os.close(reading)
    os.close(writing)
    assert outcome.ending == OK
    assert (outcome.trace["stdin"]["calls"], outcome.trace["stdin"]["bytes"]) == (calls, calls)
    assert outcome.trace["complete"]


@pytest.mark.parametrize("act", [["die-reading", 1], ["die-reading", 2], ["end-reading", 0]])
def test_reads_that_never_return(filter_bench: Bench, act: list[object]) -> None:
    reading, writing = os.pipe()
    outcome = run(filter_bench, *act, stdin=reading)
    os.close(reading)
    os.close(writing)
    assert outcome.ending == ({"kind": "signalled", "signal": signal.SIGALRM} if act[1] else OK)
    assert outcome.trace["stdin"] == NOTHING
    assert outcome.trace["complete"]


def test_a_read_that_the_wall_limit_cuts(filter_bench: Bench) -> None:
    reading, writing = os.pipe()
    outcome = filter_bench.run([filter_bench.workshop.build("copy", "-static")], "--wall-s", "0.5", stdin=reading)
    os.close(reading)
    os.close(writing)
    assert outcome.ending == {"kind": "limit", "limit": "wall"}
    assert outcome.trace["stdin"] == NOTHING
    assert not outcome.trace["complete"]


# --- incomplete results say so


def test_who_is_left_behind_was_not_counted_to_the_end(filter_bench: Bench) -> None:
    outcome = filter_bench.run(filter_bench.actor("daemons", 2), "--processes", "200")
    assert outcome.ending == OK
    assert not outcome.trace["complete"]
    assert filter_bench.left() == []


def test_a_program_whose_numbers_are_refused(filter_bench: Bench) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a file that another uid may run and not read")
    path = filter_bench.folder() / "program"
    path.write_bytes(filter_bench.workshop.build("copy").read_bytes())
    path.chmod(0o711)
    outcome = filter_bench.run([path])
    assert (outcome.ending, outcome.accounting) == (OK, None)
    assert not outcome.trace["complete"]


def test_a_limit_ends_it(filter_bench: Bench) -> None:
    path = filter_bench.folder() / "output"
    copy = filter_bench.workshop.build("copy")
    with path.open("wb") as output, Path("/dev/zero").open("rb") as zeros:
        outcome = filter_bench.run([copy], "--output-bytes", "100", "--wall-s", "30", stdin=zeros, stdout=output)
    assert outcome.ending == {"kind": "limit", "limit": "output"}
    assert outcome.trace["stdout"] == conforming(101, 100)
    assert not outcome.trace["complete"]


# --- tally itself


def test_tally_gets_no_signals_from_a_student(student: Bench) -> None:
    if student.identity.program_uid == 0 or not student.identity.options:
        pytest.skip("an ordinary tally has the program's uid")
    assert student.run(evader(student, "shoot-parent")).ending == OK


def test_conforming_calls_cost_no_stop(filter_bench: Bench) -> None:
    calls = 500_000
    before = switches()
    assert run(filter_bench, "write", calls).trace["stdout"]["calls"] == calls
    assert switches() - before < calls / 100


OPTIONS = ("--wall-s", "30")


def copied(bench: Bench, name: str, *options: str) -> Outcome:
    """Run a copying program on 4,096 bytes from a file to a file, one byte per call being what conforms."""
    folder = bench.workshop.folder / f"{bench.mark}-{name}{len(options)}"
    folder.mkdir(mode=0o755)
    (folder / "input").write_bytes(b"x" * 4096)
    with (folder / "input").open("rb") as stdin, (folder / "output").open("wb") as stdout:
        return bench.run([bench.workshop.build("copy_ways"), name], *OPTIONS, *options, stdin=stdin, stdout=stdout)


def test_calls_that_move_nothing_pass_if_only_transfers_are_stopped(filter_bench: Bench) -> None:
    outcome = copied(filter_bench, "chatty", "--transfers-only", "--max-stops", "200")
    assert outcome.ending == OK
    assert outcome.trace["complete"]
    assert outcome.trace["transfers_only"]
    assert outcome.trace["stdin"] == conforming(4097, 4096)
    assert outcome.trace["stdout"] == conforming(4096, 4096)
    assert outcome.calls("getppid") == (0, 0)


def test_a_run_with_too_many_stops_ends(filter_bench: Bench) -> None:
    outcome = copied(filter_bench, "chatty", "--max-stops", "1000")
    assert outcome.ending == {"kind": "limit", "limit": "stops"}
    assert not outcome.trace["complete"]
    assert outcome.calls("getppid")[0] <= 1000
    assert copied(filter_bench, "plain", "--max-stops", "1000").ending == OK


@pytest.mark.parametrize("only", [(), ("--transfers-only",)])
@pytest.mark.parametrize("way", ["read-dup", "read-reopened", "pread"])
def test_the_input_by_another_descriptor_is_the_input(filter_bench: Bench, way: str, only: tuple[str, ...]) -> None:
    outcome = copied(filter_bench, way, *only)
    assert outcome.ending == OK
    assert outcome.trace["complete"]
    assert outcome.trace["stdin"]["nbyte_max"] == 4096
    assert outcome.trace["stdin"]["bytes"] == 2 * 4096


@pytest.mark.parametrize("only", [(), ("--transfers-only",)])
def test_the_output_by_another_descriptor_is_the_output(filter_bench: Bench, only: tuple[str, ...]) -> None:
    outcome = copied(filter_bench, "write-dup", *only)
    assert outcome.ending == OK
    assert outcome.trace["complete"]
    assert outcome.trace["stdout"]["nbyte_max"] == 4096
    assert outcome.trace["stdout"]["bytes"] == 2 * 4096
    assert outcome.trace["other_writes"] == NOTHING


@pytest.mark.parametrize("only", [(), ("--transfers-only",)])
@pytest.mark.parametrize(("way", "mappings"), [("map", 1), ("map-dup", 1), ("map-other", 0), ("plain", 0)])
def test_mappings_of_the_input_are_counted(
    filter_bench: Bench, way: str, mappings: int, only: tuple[str, ...]
) -> None:
    outcome = copied(filter_bench, way, *only)
    assert outcome.ending == OK
    assert outcome.trace["input_mappings"] == mappings


@pytest.mark.parametrize("only", [(), ("--transfers-only",)])
def test_descriptors_of_other_files_are_not_the_standard_streams(filter_bench: Bench, only: tuple[str, ...]) -> None:
    """A child closes them; then the loader reads the C library by descriptor 0, and maps it."""
    outcome = copied(filter_bench, "child", *only)
    assert outcome.ending == OK
    assert outcome.trace["complete"]
    assert outcome.trace["stdin"] == conforming(4097, 4096)
    assert outcome.trace["stdout"] == conforming(4096, 4096)
    assert outcome.trace["input_mappings"] == 0
    assert outcome.trace["other_reads"]["nbyte_max"] == outcome.trace["other_writes"]["nbyte_max"] == 4096


CONFORMING_ONLY = ("--read-nbyte", "1", "--write-nbyte", "1")


PASSING = ("plain", "chatty", "map-other", "map-nothing", "read-other", "dup-other", "fcntl-other", "fcntl-flags",
           "fork")  # fmt: skip


@pytest.mark.parametrize("way", PASSING)
def test_without_a_tracer_conforming_calls_pass(student: Bench, way: str) -> None:
    bench = Bench(student.workshop, student.identity, "account", student.mark)
    outcome = copied(bench, way, *CONFORMING_ONLY)
    assert outcome.ending == OK
    assert outcome.accounting is not None
    assert outcome.accounting["writes"] == 4096
    assert outcome.reported("opened_again") is False
    assert outcome.reported("strays") == []


STRAYS = {
    "read-block": ["read"],
    "read-nothing": ["read"],
    "read-dup": ["dup"],
    "pread": ["pread64"],
    "map": ["mmap"],
    "map-dup": ["dup"],
    "write-nothing": ["write"],
    "write-dup": ["dup"],
    "fcntl": ["fcntl"],
    "send": ["sendmsg"],
}


IN_CHILD = ["mmap", "pread64", "read", "write"]


@pytest.mark.parametrize("way", [*STRAYS, "child"])
def test_without_a_tracer_other_calls_on_the_streams_are_named_and_pass(student: Bench, way: str) -> None:
    bench = Bench(student.workshop, student.identity, "account", student.mark)
    outcome = copied(bench, way, *CONFORMING_ONLY)
    assert outcome.ending == OK
    assert sorted(outcome.reported("strays")) == STRAYS.get(way, IN_CHILD)
    other = copied(bench, way)
    assert (other.ending, other.reported("strays")) == (OK, ["mmap"] if way in {"map", "map-dup"} else [])


def test_calls_that_a_timer_interrupts_are_noticed(student: Bench) -> None:
    """A program could find out by a timer that somebody looks at its calls."""
    bench = Bench(student.workshop, student.identity, "account", student.mark)
    outcome = copied(bench, "interrupted", *CONFORMING_ONLY)
    assert outcome.ending == OK
    assert outcome.reported("strays")


def test_a_run_with_too_many_of_these_calls_is_ended(student: Bench) -> None:
    bench = Bench(student.workshop, student.identity, "account", student.mark)
    assert copied(bench, "interrupted", *CONFORMING_ONLY, "--max-stops", "20").ending == {
        "kind": "limit",
        "limit": "stops",
    }


@pytest.mark.parametrize("only", [(), ("--transfers-only",)])
@pytest.mark.parametrize("way", [*PASSING, *STRAYS, "child"])
def test_the_filter_names_what_would_end_the_program(filter_bench: Bench, way: str, only: tuple[str, ...]) -> None:
    outcome = copied(filter_bench, way, *only)
    assert outcome.ending == OK
    strays = {**STRAYS, "child": IN_CHILD}.get(way, [])
    assert sorted(outcome.trace["strays"]) == strays


def test_without_a_tracer_it_is_noticed_that_the_input_is_opened_again(student: Bench) -> None:
    bench = Bench(student.workshop, student.identity, "account", student.mark)
    again = copied(bench, "read-reopened", *CONFORMING_ONLY)
    assert (again.ending, again.reported("opened_again")) == (OK, True)
    assert copied(bench, "read-reopened").reported("opened_again") is None


@pytest.mark.parametrize("way", ["splice", "tee"])
def test_what_gets_into_a_pipe_without_a_write_is_noticed(student: Bench, way: str) -> None:
    bench = Bench(student.workshop, student.identity, "account", student.mark)
    outcome = copied(bench, way)
    assert (outcome.ending, outcome.reported("strays")) == (OK, [way])


@pytest.mark.parametrize("way", ["map", "map-dup", "map-reopened", "map-unreadable"])
def test_a_mapping_of_the_input_is_noticed_by_whatever_descriptor(untraced_bench: Bench, way: str) -> None:
    """Each of a tally that has the program's uid, and of one that has not."""
    outcome = copied(untraced_bench, way)
    assert (outcome.ending, outcome.reported("strays")) == (OK, ["mmap"])


@pytest.mark.parametrize("way", [*PASSING, "child"])
def test_mappings_of_other_files_pass(untraced_bench: Bench, way: str) -> None:
    """So do those of the loader, of a child without standard input too: there the C library has its number."""
    outcome = copied(untraced_bench, way)
    assert (outcome.ending, outcome.reported("strays")) == (OK, [])


@pytest.mark.parametrize(("input_bytes", "strays"), [(b"", ["mmap"]), (b"x", [])])
def test_without_standard_input_the_given_files_are_the_input(
    untraced_bench: Bench, input_bytes: bytes, strays: list[str]
) -> None:
    bench = untraced_bench
    folder = bench.folder()
    (folder / "input").write_bytes(input_bytes)
    (folder / "given").write_bytes(b"x" * 4096)
    program = bench.workshop.build("copy_ways")
    with (folder / "input").open("rb") as stdin, (folder / "output").open("wb") as stdout:
        options = ("--cwd", str(folder), "--writable", str(folder))
        outcome = bench.run([program, "map-given"], *options, stdin=stdin, stdout=stdout)
    assert (outcome.ending, outcome.reported("strays")) == (OK, strays)
