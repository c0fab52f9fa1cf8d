"""Filter mode shows of each mutant what strace shows, at each size and sink.

strace takes seconds for the many calls of a large input, and most mutants make the same calls as another. So each has
logs of its own at one size, one to each sink; at other sizes those whose logs were equal there share one. Where
filter mode shows something else than the shared log, the mutant's own decides.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sample import marks

from .engines import OPERANDS, SINKS, SIZES, WRONG_OPERANDS, Ends, make_input, of_strace, of_tally
from .harness import Bench

MUTANTS = sorted((Path(__file__).parents[2] / "reference").glob("*/mutants/*/*.c"))

GROUPING_BYTES = 1025
"""Where each mutant has a log of its own: a buffer and more to a terminal, and all byte values."""

ALL_SIZES = (GROUPING_BYTES, *SIZES)

MOST_BYTES = {False: 1 << 18, True: 1 << 12}
"""What a program may write before it is stopped, by whether it is endless: that need not be watched for long."""

Logs = dict[tuple[str, int], dict[str, Any]]


@pytest.fixture(scope="module")
def shared_logs() -> Logs:
    """Logs by what was called at GROUPING_BYTES, and by size."""
    return {}


@pytest.fixture(
    params=[pytest.param(path, marks=marks(path.parent.name)) for path in MUTANTS],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def program(request: pytest.FixtureRequest, natural: Bench) -> Path:
    return natural.workshop.compile_as_found(request.param)


@pytest.fixture
def folder(natural: Bench) -> Path:
    return natural.folder()


def comparable(trace: dict[str, Any], sink: str, *, endless: bool) -> dict[str, Any]:
    """Return what two runs of a program have in common; all, where it ends by itself."""
    if not endless:
        return trace
    # That a limit cut the run short is known to the engine that set the limit.
    trace = {key: value for key, value in trace.items() if key != "complete"}
    return trace if sink == "file" else without_counts(trace)


def without_counts(trace: dict[str, Any]) -> dict[str, Any]:
    """Return it for a run that was stopped by a reader who went away, at whatever call that was."""
    # If the program got as far as its exit, stdio seeks back over the input that it has not used.
    names = {name: count["errors"] for name, count in trace["calls"].items() if name != "lseek"}
    # What was written at once may depend on how far it came.
    streams = ("stdin", "other_reads", "other_writes")
    return {"names": names, **{name: (trace[name]["nbyte_min"], trace[name]["nbyte_max"]) for name in streams}}


def is_endless(bench: Bench, command: list[str | Path], source: Path) -> bool:
    ending = of_tally(bench, command, Ends(source, "file", MOST_BYTES[True])).ending
    return bool(ending["kind"] == "limit")


def test_there_are_mutants() -> None:
    assert MUTANTS


def test_each_size_and_sink(natural: Bench, strace: str, program: Path, folder: Path, shared_logs: Logs) -> None:
    command: list[str | Path] = [program, *OPERANDS]
    sources = {size_bytes: folder / f"input-{size_bytes}" for size_bytes in ALL_SIZES}
    for size_bytes, source in sources.items():
        make_input(source, size_bytes)
    endless = is_endless(natural, command, sources[1])
    most_bytes = MOST_BYTES[endless]
    for sink in SINKS:
        ends = {size_bytes: Ends(source, sink, most_bytes) for size_bytes, source in sources.items()}
        group = comparable(of_strace(natural, strace, command, ends[GROUPING_BYTES]), sink, endless=endless)
        shared_logs[repr(group), GROUPING_BYTES] = group
        for size_bytes in ALL_SIZES:
            seen = comparable(of_tally(natural, command, ends[size_bytes]).trace, sink, endless=endless)
            expected = shared_logs.get((repr(group), size_bytes))
            if expected != seen:
                expected = comparable(of_strace(natural, strace, command, ends[size_bytes]), sink, endless=endless)
                shared_logs.setdefault((repr(group), size_bytes), expected)
            assert seen == expected, (size_bytes, sink)


def test_wrong_operands(natural: Bench, strace: str, program: Path, folder: Path) -> None:
    source = folder / "input"
    make_input(source, 100)
    command: list[str | Path] = [program, *WRONG_OPERANDS]
    ends = Ends(source, "pipe")
    assert of_tally(natural, command, ends).trace == of_strace(natural, strace, command, ends)
