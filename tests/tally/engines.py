"""The same run by each of the two engines that see every call: strace, and tally's filter mode."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from grader.guest.strace_log import read_log
from tests.waits import join

from .harness import ROOT, Bench, Outcome

SIZES = [0, 1, 4096, 8193]
SINKS = ["file", "pipe", "terminal"]
OPERANDS = ["abc", "xyz"]
WRONG_OPERANDS = ["aa", "b"]

MOST_BYTES = 1 << 20
"""So much a program may write. To a file that is a limit, which both engines keep; elsewhere the reader goes away."""


@dataclass(frozen=True)
class Ends:
    """Where a program's bytes come from and go to."""

    source: Path
    sink: str
    most_bytes: int = MOST_BYTES


@contextmanager
def opened(ends: Ends) -> Iterator[tuple[IO[bytes], int]]:
    """Give the program's standard input and output; what arrives is read and forgotten, while it is not too much."""
    with ends.source.open("rb") as stdin:
        if ends.sink == "file":
            with ends.source.with_name("output").open("wb") as file:
                yield stdin, file.fileno()
            return
        ours, theirs = os.openpty() if ends.sink == "terminal" else os.pipe()
        reader = threading.Thread(target=drain, args=(ours, ends.most_bytes), daemon=True)
        reader.start()
        try:
            yield stdin, theirs
        finally:
            os.close(theirs)
            join(reader)


def drain(fd: int, most_bytes: int) -> None:
    """Read until nobody writes any more, or until it is enough; then close."""
    try:
        while most_bytes > 0 and (block := os.read(fd, 65536)):
            most_bytes -= len(block)
    except OSError:  # how a terminal ends
        pass
    finally:
        os.close(fd)


def of_strace(bench: Bench, strace: str, program: Sequence[str | Path], ends: Ends) -> dict[str, Any]:
    """Run under strace as the guest does, all on one CPU; return what tally's filter shows too."""
    log = ends.source.with_name("log")
    cpu = str(max(os.sched_getaffinity(0)))
    limit = ("--output-bytes", str(ends.most_bytes))
    inner: list[str | Path] = [bench.workshop.tally(), "--exec", *bench.identity.options, *limit, "--"]
    outer = replace(bench, identity=ROOT, mode="plain")
    with opened(ends) as (stdin, stdout):
        running = outer.start(
            [strace, "-f", "-o", log, "--", *inner, *program],
            *("--no-guard", "--pin-cpu", cpu, "--wall-s", "50"),
            stdin=stdin,
            stdout=stdout,
        )
        assert running.finish().ending["kind"] in ("exited", "signalled")
    with log.open(encoding="utf-8", errors="replace") as lines:
        trace = read_log(lines).as_trace()
    for only_in_the_log in ("excerpt", "transfers", "failed_opens", "unknown_reads", "unknown_writes"):
        trace.pop(only_in_the_log)
    return trace


def of_tally(bench: Bench, program: Sequence[str | Path], ends: Ends) -> Outcome:
    """Run in filter mode, and leave out of its trace what strace does not show."""
    limits = ("--wall-s", "50", "--output-bytes", str(ends.most_bytes))
    with opened(ends) as (stdin, stdout):
        outcome = replace(bench, mode="filter").start(program, *limits, stdin=stdin, stdout=stdout).finish()
    for only_in_the_trace in ("strays", "refused", "limits_reached"):
        outcome.trace.pop(only_in_the_trace)
    return outcome


def make_input(path: Path, size_bytes: int) -> None:
    """Write every byte value, newlines among them."""
    path.write_bytes(bytes(index * 7 % 256 for index in range(size_bytes)))
