"""Filter mode shows what strace shows: names, counts, errors, streams, call for call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from .engines import OPERANDS, SINKS, SIZES, WRONG_OPERANDS, Ends, make_input, of_strace, of_tally
from .harness import Bench

ROOT_FOLDER = Path(__file__).parents[2]
PROGRAMS = sorted(
    path
    for pattern in ["reference/*/solution/*.c", "examples/*/*.c"]
    for path in ROOT_FOLDER.glob(pattern)
    if path.parts[-2:] != ("does-not-compile", "tr2b.c")  # as its name says
)

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


def compare(bench: Bench, strace: str, program: Sequence[str | Path], source: Path, sink: str) -> None:
    ends = Ends(source, sink)
    expected = of_strace(bench, strace, program, ends)
    assert of_tally(bench, program, ends).trace == expected


@pytest.fixture
def source(natural: Bench) -> Path:
    return natural.folder() / "input"


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
    compare(natural, strace, [natural.workshop.compile_as_found(path), *WRONG_OPERANDS], source, "pipe")


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act[0])
def test_evaders(natural: Bench, strace: str, source: Path, act: list[object]) -> None:
    make_input(source, 4096)
    program = [str(natural.workshop.build("evader")), *map(str, act), natural.mark]
    compare(natural, strace, program, source, "file")
