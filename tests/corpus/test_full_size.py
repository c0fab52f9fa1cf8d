"""5,000,000 bytes: the figures that follow from the lab, and the examples as `grader grade` grades them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.judge.tables import syscall_tables
from grader.model.report import Report, SyscallTable
from grader.model.spec.cases import Sink
from grader.model.spec.lab import Spec
from grader.model.spec.programs import BatchedCalls, LineBufferedCalls
from grader.sandbox.base import Sandbox

from .test_examples import EXAMPLES, assert_is_as_the_table_says, signed_char

pytestmark = [pytest.mark.slow, pytest.mark.docker, pytest.mark.timeout(1800)]

N = 5_000_000
B = 4096
"""stdio's buffer for a file, in the container: st_blksize of tmpfs and of the volume's ext4."""

END_READS = 1
LOADER_READS = 1
"""The dynamic loader's own read of libc, which `strace -c` counts as well."""


@pytest.fixture(scope="module")
def tables(
    spec: Spec, docker_sandbox: Sandbox, inputs: Mapping[str, bytes], measure: Callable[..., Any]
) -> tuple[SyscallTable, ...]:
    return syscall_tables(spec, measure(spec, docker_sandbox, inputs).evidence)


def table(tables: tuple[SyscallTable, ...], program: str, name: str, sink: Sink = "file") -> SyscallTable:
    (found,) = (one for one in tables if (one.program, one.input, one.sink) == (program, name, sink))
    assert found.complete
    return found


def test_the_inputs_are_of_full_size(inputs: Mapping[str, bytes]) -> None:
    assert {len(inputs[name]) for name in ("random-5m", "pattern-5m")} == {N}


@pytest.mark.parametrize("name", ["random-5m", "pattern-5m"])
def test_unbuffered_calls_are_one_a_byte(tables: tuple[SyscallTable, ...], name: str) -> None:
    found = table(tables, "tr2u", name)
    assert found.calls["read"].calls == N + END_READS + LOADER_READS
    assert found.calls["write"].calls == N
    assert found.stdin is not None
    assert found.stdin.calls == N + END_READS


@pytest.mark.parametrize("name", ["random-5m", "pattern-5m"])
def test_buffered_calls_are_one_a_buffer(tables: tuple[SyscallTable, ...], name: str) -> None:
    found = table(tables, "tr2b", name)
    assert found.engine == "strace"
    assert found.calls["read"].calls == -(-N // B) + END_READS + LOADER_READS
    assert found.calls["write"].calls == -(-N // B)


def test_at_a_terminal_a_buffer_is_smaller(tables: tuple[SyscallTable, ...], spec: Spec) -> None:
    pattern = spec.programs["tr2b"].terminal
    assert isinstance(pattern, LineBufferedCalls)
    found = table(tables, "tr2b", "pattern-5m", "terminal")
    # The pattern holds no newline.
    assert found.calls["write"].calls == -(-N // pattern.buffer_bytes)
    assert found.calls["read"].calls == -(-N // B) + END_READS + LOADER_READS


def test_the_buffer_is_larger_than_the_spec_asks_for(spec: Spec) -> None:
    pattern = spec.programs["tr2b"].stdin
    assert isinstance(pattern, BatchedCalls)
    assert pattern.mean_bytes_min < B


AT_FULL_SIZE = ("right", "stops-at-0xff", "block-reads")
"""A right example, and one of which each program is wrong; test_examples.py grades all of them with little input."""


def test_the_examples_are_graded_as_their_table_says(
    grader: Callable[..., Any], tables: tuple[SyscallTable, ...], spec: Spec, tmp_path: Path
) -> None:
    assert tables  # the reference is in the cache by now
    work, out = tmp_path / "in", tmp_path / "out"
    for name in AT_FULL_SIZE:
        shutil.copytree(EXAMPLES / name, work / name)
    done = grader("grade", work, "--lab", "tr2", "--out", out, "--sandbox", "docker", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert (out / "index.html").is_file()
    assert len((out / "grades.csv").read_text().splitlines()) == 1 + len(AT_FULL_SIZE)
    for name in AT_FULL_SIZE:
        report = Report.model_validate_json((out / name / "report.json").read_bytes())
        assert report.isolation == "container"
        assert json.loads((out / name / "report.json").read_text())["image_digest"].startswith("sha256:")
        assert (out / name / "report.html").stat().st_size > 0
        assert sum(line.startswith(name) for line in done.stdout.splitlines()) == 1
        if name == "stops-at-0xff" and not signed_char():
            # Where char is unsigned it never sees the end of its input.
            continue
        assert_is_as_the_table_says(report, name, spec)
