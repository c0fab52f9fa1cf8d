"""A lab in a folder of its own: it is tested, checked and graded like those that come with the grader."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.cache.secret import VARIABLE
from grader.cli.exit_status import FAILED, OK, USAGE
from grader.cli.main import status_of

SPEC = """\
spec_version: 1
lab: blocks
title: Copies in blocks
template_score: 1
programs:
  copy:
    source: copy.c
    title: copies with read and write, 512 bytes a call
    stdin: {calls: exact, nbyte: 512}
    stdout: {calls: exact, nbyte: 512}
build: {compiler: gcc, standard: gnu11, options: [-O2, -Wall]}
inputs:
  short: {kind: literal, data: "hello\\n"}
  odd: {kind: pattern, data: "not a multiple of the block; ", size_bytes: 4000}
  large: {kind: random, seed: blocks, size_bytes: 30001}
cases:
  short: {operands: [], input: short}
  slice: {operands: [], input: odd, strace: always}
  large: {operands: [], input: large, engine: filter, limits: full}
rubric:
  - {name: build, kind: build, title: Compiles, points: {copy: 1}}
  - {name: output, kind: cases, title: Copies, points: {copy: 4}, cases: [short, slice, large]}
  - {name: calls, kind: call-pattern, title: Calls, points: {copy: 5}, slice: slice, full: [large], small: [short]}
"""

COPY = """\
#include <unistd.h>
int main(void)
{
    static char block[512];
    ssize_t size;
    while ((size = read(0, block, sizeof block)) > 0)
        if (write(1, block, (size_t)size) != size)
            return 1;
    return size < 0;
}
"""

MUTANT = """\
title: The last block is written whole
programs:
  copy:
    fails: [output]
    variants:
      larger: [calls]
"""

PAGE = "## What happens\n\nThis.\n\n## How to see it\n\nSo.\n\n## What to read\n\nThat.\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "course" / "blocks"
    files = {
        "lab.yaml": SPEC,
        "reference/copy.c": COPY,
        "template/copy.c": "int main(void) { return 1; }\n",
        "mutants/whole-block/mutant.yaml": MUTANT,
        "mutants/whole-block/page.md": PAGE,
        "mutants/whole-block/copy.c": COPY.replace("(size_t)size) != size", "sizeof block) < 0"),
        "mutants/whole-block/copy.larger.c": COPY.replace("512", "513"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_lab_that_is_right(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["lab", "test", str(lab)]) == OK
    said = capsys.readouterr().out
    assert re.findall(r"^ok ([\d/]+) (.*)$", said, re.MULTILINE) == [
        ("10/10", "reference"),
        ("1/10", "template"),
        ("6/10", "mutant whole-block"),
        ("5/10", "mutant whole-block, variant larger"),
    ]


def test_what_is_not_as_stated_has_its_line(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lab / "lab.yaml").write_text(SPEC.replace("template_score: 1", "template_score: 2"), encoding="utf-8")
    (lab / "reference" / "copy.c").write_text(COPY.replace("512", "511"), encoding="utf-8")
    wrong = MUTANT.replace("fails: [output]", "fails: [output, calls, build]")
    (lab / "mutants" / "whole-block" / "mutant.yaml").write_text(wrong, encoding="utf-8")
    assert status_of(["lab", "test", str(lab)]) == FAILED
    said = capsys.readouterr().out
    assert f"{lab}/lab.yaml:4: template_score: the template has 1 points" in said
    assert f"{lab}/lab.yaml:23: rubric.2: the reference fails copy.calls: a read asks for 511 bytes" in said
    declared = f"{lab}/mutants/whole-block/mutant.yaml"
    assert (
        f"{declared}:4: programs.copy.fails: the mutant whole-block passes copy.build, which is in the list" in said
    )
    assert said.endswith("3 results not as the lab states\n")


def test_a_lab_that_cannot_be_read(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lab / "template" / "copy.c").unlink()
    assert status_of(["lab", "test", str(lab)]) == USAGE
    assert "template_score: there is no copy.c in" in capsys.readouterr().err


def test_submissions_are_checked_and_graded_with_the_folder(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for student, source in (("ann", COPY), ("bob", COPY.replace("(size_t)size) != size", "sizeof block) < 0"))):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "copy.c").write_text(source, encoding="utf-8")
    options = ["--lab", str(lab), "--sandbox", "local", "--out", str(tmp_path / "out")]
    assert status_of(["grade", str(tmp_path / "class"), *options]) == OK
    reports = {name: json.loads((tmp_path / "out" / name / "report.json").read_text()) for name in ("ann", "bob")}
    assert {name: report["score"] for name, report in reports.items()} == {"ann": 10, "bob": 6}
    assert [cause["name"] for cause in reports["bob"]["causes"]] == ["whole-block"]
    # By its name too; and without it, because no other lab has these sources.
    monkeypatch.setenv("GRADER_LABS", str(lab.parent))
    for arguments in (["--lab", "blocks"], []):
        capsys.readouterr()
        assert status_of(["check", str(tmp_path / "class" / "bob"), *arguments]) == FAILED
        assert "6 of 10" in capsys.readouterr().out


CASES = """\
spec_version: 1
lab: letters
title: Capitals and small letters
programs:
  up: &calls
    source: up.c
    title: capitals
    stdin: {calls: batched, mean_bytes_min: 512}
    stdout: {calls: batched, mean_bytes_min: 512}
    terminal: {calls: line-buffered, buffer_bytes: 1024}
  low: {<<: *calls, source: low.c, title: small letters}
build: {compiler: gcc, standard: gnu11}
inputs:
  drawn: {kind: random, content: text, seed: letters, size_bytes: 3000, drawn_percent: 90}
cases:
  shown: {input: drawn, sink: terminal, engine: filter}
rubric:
  - {name: build, kind: build, title: Compiles, points: {up: 1, low: 1}}
  - {name: terminal, kind: terminal, title: To a terminal, points: {up: 1, low: 1}, cases: [shown], hint: Look.}
"""
"""What is drawn is only in a case of another kind than `cases`, and each program writes something else."""


def test_a_reference_is_also_tested_with_what_a_class_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "lab.yaml").write_text(CASES, encoding="utf-8")
    for name, function in (("up", "toupper"), ("low", "tolower")):
        source = COPYING.replace("FUNCTION", function)
        (tmp_path / "reference" / f"{name}.c").write_text(source, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, "one")
    assert status_of(["lab", "test", str(tmp_path)]) == OK, "".join(capsys.readouterr())
    said = capsys.readouterr().out
    assert "ok 4/4 reference\nok 4/4 reference, drawn with GRADER_SECRET=one\n" in said


COPYING = """\
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    int c;

    while ((c = getchar()) != EOF)
        putchar(FUNCTION(c));
    return 0;
}
"""
