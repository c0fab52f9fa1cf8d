"""Filter mode shows what strace shows: names, counts, errors, streams, call for call."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.guest.strace_log import read_log

from .harness import ROOT, Bench

ROOT_FOLDER = Path(__file__).parents[2]
PROGRAMS = sorted(
    path
    for pattern in ["reference/*/solution/*.c", "reference/*/mutants/*/*.c", "examples/*/*.c"]
    for path in ROOT_FOLDER.glob(pattern)
    if path.parts[-2:] != ("does-not-compile", "tr2b.c")  # as its name says
)
SIZES = [0, 1, 4096, 65536]
SINKS = ["file", "pipe", "terminal"]
OPERANDS = ["abc", "xyz"]
LIMITS = ("--wall-s", "50", "--output-bytes", str(1 << 20))

ACTS: list[list[object]] = [
    ["try-all"],
    ["mmap", 100],
    ["sendfile", 100],
    ["copy_file_range", 100],
    ["splice", 100],
    ["socket", 100],
    ["all-kinds"],
    ["close-streams", 9],
    ["nonblocking", 9],
    ["memfd", 9],
    ["vfork", 9],
    ["spawn", 9],
    ["shell", 9],
    ["forge-events", 9],
]
"""Of programs/evader.c, those that make the same calls each time, and whose log read_log can follow."""


@contextmanager
def opened(sink: str, path: Path) -> Iterator[int]:
    """Give a descriptor to write to; what arrives is read and forgotten."""
    if sink == "file":
        with path.open("wb") as file:
            yield file.fileno()
        return
    ours, theirs = os.openpty() if sink == "terminal" else os.pipe()
    reader = threading.Thread(target=drain, args=(ours,))
    reader.start()
    try:
        yield theirs
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)


def drain(fd: int) -> None:
    try:
        while os.read(fd, 65536):
            pass
    except OSError:  # how a terminal ends
        pass


def of_strace(bench: Bench, strace: str, program: Sequence[str | Path], source: Path, sink: str) -> dict[str, Any]:
    """Run beneath strace as the guest does, all on one CPU."""
    log = source.with_name("log")
    cpu = str(max(os.sched_getaffinity(0)))
    inner = [bench.workshop.tally(), "--exec", *bench.identity.options, "--output-bytes", str(1 << 20), "--"]
    outer = replace(bench, identity=ROOT, mode="plain")
    with source.open("rb") as stdin, opened(sink, source.with_name("output")) as stdout:
        running = outer.start(
            [strace, "-f", "-o", log, "--", *inner, *program],
            *("--no-guard", "--pin-cpu", cpu, "--wall-s", "50"),
            stdin=stdin,
            stdout=stdout,
        )
        assert running.finish().ending["kind"] in ("exited", "signalled")
    with log.open(encoding="utf-8", errors="replace") as lines:
        return read_log(lines).as_trace()


def of_tally(bench: Bench, program: Sequence[str | Path], source: Path, sink: str) -> dict[str, Any]:
    with source.open("rb") as stdin, opened(sink, source.with_name("output")) as stdout:
        outcome = replace(bench, mode="filter").start(program, *LIMITS, stdin=stdin, stdout=stdout).finish()
    return outcome.trace


def compare(bench: Bench, strace: str, program: Sequence[str | Path], source: Path, sink: str) -> None:
    expected = of_strace(bench, strace, program, source, sink)
    expected.pop("excerpt")
    assert of_tally(bench, program, source, sink) == expected


@pytest.fixture
def source(natural: Bench) -> Path:
    return natural.folder() / "input"


def make_input(path: Path, size_bytes: int) -> None:
    """Write every byte value, newlines among them."""
    path.write_bytes(bytes(index * 7 % 256 for index in range(size_bytes)))


@pytest.fixture(params=SIZES)
def sized_source(request: pytest.FixtureRequest, source: Path) -> Path:
    make_input(source, request.param)
    return source


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("sink", SINKS)
def test_programs(natural: Bench, strace: str, sized_source: Path, path: Path, sink: str) -> None:
    compare(natural, strace, [natural.workshop.compile_as_found(path), *OPERANDS], sized_source, sink)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_programs_with_wrong_operands(natural: Bench, strace: str, source: Path, path: Path) -> None:
    make_input(source, 100)
    compare(natural, strace, [natural.workshop.compile_as_found(path), "aa", "b"], source, "pipe")


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act[0])
def test_evaders(natural: Bench, strace: str, source: Path, act: list[object]) -> None:
    make_input(source, 4096)
    program = [str(natural.workshop.build("evader")), *map(str, act), natural.mark]
    compare(natural, strace, program, source, "file")
