"""Files of the lab that programs are built with, and libraries: a driver calls what students write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.cli.exit_status import OK, USAGE
from grader.cli.main import status_of
from grader.lab.find import load_lab

from .test_builds_of_a_lab import PAGE, write

SPEC = """\
spec_version: 1
lab: roots
title: Roots
template_score: 1
programs:
  roots:
    source: roots.c
    provided: [driver.c, roots.h]
    title: computes roots
build: {compiler: gcc, options: [-O2, -Wall, -static, -lm]}
cases:
  nine: {operands: ["9"], expect: {status: 0, stdout: reference-output, stderr: empty}}
  ten: {operands: ["10"], expect: {status: 0, stdout: reference-output, stderr: empty}}
  many: {operands: ["1", "2", "3", "4"], expect: {status: 0, stdout: reference-output, stderr: empty}}
rubric:
  - {name: build, kind: build, title: Compiles, points: {roots: 1}}
  - {name: squares, kind: cases, title: Roots of squares, points: {roots: 2}, cases: [nine]}
  - {name: others, kind: cases, title: Other roots, points: {roots: 2}, cases: [ten, many]}
"""
DRIVER = """\
#include "roots.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    for (int at = 1; at < argc; at++)
        printf("%d\\n", root(atof(argv[at])));
    return 0;
}
"""
ROOTS = """\
#include "roots.h"
#include <math.h>
int root(double square)
{
    return (int)floor(sqrt(square));
}
"""
ONE_MORE = ROOTS.replace("floor(sqrt(square))", "floor(sqrt(square)) + 1")
FORGES = '#include <stdio.h>\nint main(void) { puts("3"); return 0; }\n'
FREED_TWICE = ROOTS.replace(
    "return (int)floor(sqrt(square));",
    "int *volatile kept = malloc(4);\n    free(kept);\n    free(kept);\n    return (int)floor(sqrt(square));",
).replace("#include <math.h>", "#include <math.h>\n#include <stdlib.h>")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "course" / "roots"
    write(folder, {"lab.yaml": SPEC})
    write(folder / "provided", {"driver.c": DRIVER, "roots.h": "int root(double square);\n"})
    write(folder / "reference", {"roots.c": ROOTS})
    write(folder / "template", {"roots.c": '#include "roots.h"\nint root(double square) { return square < 0; }\n'})
    write(
        folder / "mutants" / "rounds-up",
        {
            "mutant.yaml": "title: Rounds up\nprograms: {roots: {fails: [others]}}\n",
            "page.md": PAGE,
            "roots.c": ROOTS.replace("floor", "ceil"),
        },
    )
    return folder


def report_of(lab: Path, work: Path, files: dict[str, str], *options: str) -> dict[str, Any]:
    write(work / "in" / "ann", files)
    where = ["--out", str(work / "out"), "--lab", str(lab), *options]
    assert status_of(["grade", str(work / "in"), *where]) == OK
    report: dict[str, Any] = json.loads((work / "out" / "ann" / "report.json").read_text())
    return report


@pytest.mark.slow
def test_the_lab_is_as_it_states(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["lab", "test", str(lab)]) == OK
    said = capsys.readouterr().out
    assert "ok 5/5 reference" in said
    assert "ok 1/5 template" in said
    assert "ok 3/5 mutant rounds-up" in said


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["local", pytest.param("docker", marks=pytest.mark.docker)])
def test_what_is_handed_in_under_these_names_is_replaced(lab: Path, tmp_path: Path, sandbox: str) -> None:
    files = {"roots.c": ROOTS, "driver.c": FORGES, "roots.h": "#error mine\n"}
    report = report_of(lab, tmp_path, files, "--sandbox", sandbox)
    assert (report["score"], report["builds"][0]["command"]) == (
        5,
        "gcc -O2 -Wall -static -o roots roots.c driver.c -lm",
    )


@pytest.mark.slow
def test_a_mistake_is_repaired_in_what_was_handed_in(lab: Path, tmp_path: Path) -> None:
    report = report_of(lab, tmp_path, {"roots.c": ONE_MORE}, "--sandbox", "local")
    assert report["score"] == 1
    (symptom,) = report["symptoms"]
    assert symptom["proof"]["checks"] == ["roots.squares", "roots.others"]
    assert [(line["file"], line["number"]) for line in symptom["proof"]["fixed"]] == [("roots.c", 5)]


@pytest.mark.slow
def test_a_memory_error_is_found_in_what_was_handed_in(lab: Path, tmp_path: Path) -> None:
    (lab / "lab.yaml").write_text(SPEC.replace(" -static,", ""), encoding="utf-8")
    report = report_of(lab, tmp_path, {"roots.c": FREED_TWICE}, "--sandbox", "local")
    assert [(found["file"], found["line"]) for found in report["findings"]] == [("roots.c", 8)]
    assert report["findings"][0]["repeat"].splitlines()[0].endswith("-o roots roots.c driver.c -lm")


def test_students_get_these_files_with_the_published_lab(lab: Path, tmp_path: Path) -> None:
    assert status_of(["lab", "publish", str(lab), "--out", str(tmp_path / "copy")]) == OK
    spec, files = load_lab(str(tmp_path / "copy"))
    assert spec.programs["roots"].provided == ("driver.c", "roots.h")
    assert (files.provided / "driver.c").read_text() == DRIVER


def test_a_file_that_is_missing_is_named_with_its_line(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lab / "provided" / "driver.c").unlink()
    assert status_of(["spec", "validate", str(lab)]) == USAGE
    said = capsys.readouterr().err
    assert f"{lab}/lab.yaml:8: programs.roots.provided.0: there is no {lab}/provided/driver.c" in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("provided: [roots.c]", "'roots.c' is named twice"),
        ("provided: [driver.c, ../roots.h]", "a name of letters, digits"),
        ("provided: [driver.c]\n    symbols: {none_of: [malloc]}", "sources of the lab are part of it"),
        ("provided: [driver.cpp, roots.h]", "gcc does not link the C++ library"),
    ],
)
def test_what_cannot_be_provided(lab: Path, changed: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = SPEC.replace("provided: [driver.c, roots.h]", changed)
    if "symbols" in changed:
        text += "  - {name: calls, kind: symbols, title: Calls, points: {roots: 1}}\n"
    (lab / "lab.yaml").write_text(text, encoding="utf-8")
    assert status_of(["spec", "validate", str(lab)]) == USAGE
    assert words in capsys.readouterr().err
