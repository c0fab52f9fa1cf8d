"""A lab with generated cases: several on one input, and not every case for every program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.cli.exit_status import OK
from grader.cli.main import status_of

SPEC = """\
spec_version: 1
lab: sizes
title: Copies in blocks of SIZE bytes
programs:
  blocks: {source: blocks.c, title: copies in blocks}
  single:
    source: single.c
    title: copies byte by byte
    stdin: {calls: exact, nbyte: 1}
    stdout: {calls: exact, nbyte: 1}
build: {compiler: gcc, standard: gnu11, options: [-O2, -Wall]}
inputs:
  odd: {kind: pattern, data: "not a multiple of the block; ", size_bytes: 9001}
  large: {kind: random, seed: sizes, size_bytes: 60001}
cases:
  slice-{SIZE}:
    for: {SIZE: [1, 512, 4096]}
    programs: [blocks]
    operands: ["{SIZE}"]
    input: odd
    strace: always
    calls: &calls {stdin: {calls: exact, nbyte: "{SIZE}"}, stdout: {calls: exact, nbyte: "{SIZE}"}}
  copy-{SIZE}:
    for: {SIZE: [1, 512, 4096]}
    programs: [blocks]
    operands: ["{SIZE}"]
    input: large
    engine: filter
    limits: full
    calls: *calls
  slice: {operands: [], input: odd, strace: always, programs: [single]}
  copy: {operands: [], input: large, engine: filter, limits: full, programs: [single]}
rubric:
  - {name: build, kind: build, title: Compiles, points: {blocks: 1, single: 1}}
  - {name: output, kind: cases, title: Copies, points: {blocks: 2}, cases: ["slice-{SIZE}", "copy-{SIZE}"]}
  - {name: bytes, kind: cases, title: Copies, points: {single: 2}, cases: [slice, copy]}
  - name: calls-{SIZE}
    for: {SIZE: [1, 512, 4096]}
    kind: call-pattern
    title: Calls of {SIZE} bytes
    points: {blocks: 1}
    slice: slice-{SIZE}
    full: ["copy-{SIZE}"]
  - {name: calls, kind: call-pattern, title: Calls of a byte, points: {single: 1}, slice: slice, full: [copy]}
  - {name: "time-{SIZE}", for: {SIZE: [1, 4096]}, kind: timing, title: Time, points: {blocks: 0}, case: "copy-{SIZE}"}
  - {name: time, kind: timing, title: Time, points: {single: 0}, case: copy}
"""

BLOCKS = """\
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char block[4096];
    ssize_t size, most = argc > 1 ? atoi(argv[1]) : 1;
    while ((size = read(0, block, (size_t)most)) > 0)
        if (write(1, block, (size_t)size) != size)
            return 1;
    return size < 0;
}
"""
SMALLER = BLOCKS.replace("    while", "    if (most > 512)\n        most = 512;\n    while")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "sizes"
    for name, text in {
        "lab.yaml": SPEC,
        "reference/blocks.c": BLOCKS,
        "reference/single.c": BLOCKS.replace("argc > 1 ? atoi(argv[1]) : 1", "argc - argc + !!argv"),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def graded(lab: Path, out: Path, blocks: str) -> dict[str, Any]:
    submission = out / "class" / "ann"
    submission.mkdir(parents=True)
    (submission / "blocks.c").write_text(blocks, encoding="utf-8")
    (submission / "single.c").write_bytes((lab / "reference" / "single.c").read_bytes())
    options = ["--lab", str(lab), "--sandbox", "local", "--out", str(out / "out")]
    assert status_of(["grade", str(out / "class"), *options]) == OK
    report: dict[str, Any] = json.loads((out / "out" / "ann" / "report.json").read_text(encoding="utf-8"))
    return report


def test_every_case_has_its_own_figures(lab: Path, tmp_path: Path) -> None:
    report = graded(lab, tmp_path, BLOCKS)
    assert report["score"] == report["max_score"] == 10
    assert [(row["program"], row["case"], row["input"]) for row in report["timing"]] == [
        ("blocks", "copy-1", "large"),
        ("blocks", "copy-4096", "large"),
        ("single", "copy", "large"),
    ]
    tables = {(row["program"], row["case"]): row["stdin"]["calls"] for row in report["syscalls"]}
    assert tables["blocks", "copy-1"] == tables["single", "copy"] == 60002
    assert tables["blocks", "copy-512"] == 119
    assert tables["blocks", "copy-4096"] == 16
    assert ("single", "copy-1") not in tables
    page = (tmp_path / "out" / "ann" / "report.html").read_text(encoding="utf-8")
    for case in ("copy-1", "copy-4096"):
        assert f'aria-label="Times, {case}"' in page
    # A program that a case does not run has no figures, and no program is compared with itself.
    assert "was not judged" not in page
    assert "was not timed" not in page
    assert "times faster than" not in page


def test_only_the_case_with_wrong_calls_fails(lab: Path, tmp_path: Path) -> None:
    report = graded(lab, tmp_path, SMALLER)
    failed = {check["id"]: check["message"] for check in report["checks"] if check["status"] == "failed"}
    assert list(failed) == ["blocks.calls-4096"]
    assert "(case slice-4096)" in failed["blocks.calls-4096"]
    (check,) = (check for check in report["checks"] if check["id"] == "blocks.calls-4096")
    assert "./blocks 4096 <odd" in check["evidence"]["repeat"]
