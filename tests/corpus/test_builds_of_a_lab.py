"""Programs of several files, with shared files, other compilers and a course's own Makefile."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from grader.cli.exit_status import FAILED, OK, USAGE
from grader.cli.main import status_of

SPEC = """\
spec_version: 1
lab: counts
title: Counting
template_score: 5
programs:
  lines: {sources: [main.c, count.c], headers: [count.h], title: counts lines, symbols: {one_of_each: [[read]]}}
  small: {source: copy.c, build: {compiler: gcc, options: [-DSIZE=1]}, title: copies}
  large: {source: copy.c, build: {compiler: gcc, options: [-DSIZE=512]}, title: copies in blocks}
  made: {sources: [main.c, count.c], headers: [count.h], build: {make: counter}, title: counts lines with make}
  plus: {source: plus.cpp, build: {compiler: g++, standard: c++17, options: [-Wall]}, title: counts lines in C++}
build: {compiler: gcc, standard: gnu11, options: [-O2, -Wall], object_options: [-O0]}
inputs:
  short: {kind: literal, data: "one\\ntwo\\n"}
cases:
  count: {operands: [], input: short, expect: either}
  again: {operands: [], input: short}
rubric:
  - {name: build, kind: build, title: Compiles, points: {lines: 1, small: 1, large: 1, made: 1, plus: 1}}
  - {name: counts, kind: cases, title: Counts, points: {lines: 2, made: 2, plus: 2}, cases: [again]}
  - {name: copies, kind: cases, title: Copies, points: {small: 2, large: 2}, cases: [count, copy]}
  - {name: symbols, kind: symbols, title: Calls, points: {lines: 1}}
""".replace("cases: [count, copy]", "cases: [copy]").replace(
    "  count: {operands: [], input: short, expect: either}\n", "  copy: {operands: [], input: short}\n"
)

MAIN = '#include "count.h"\n#include <stdio.h>\nint main(void) { printf("%d\\n", count()); return 0; }\n'
COUNT = """\
#include "count.h"
#include <unistd.h>
int count(void)
{
    int lines = 0;
    for (char c; read(0, &c, 1) == 1;)
        lines += c == '\\n';
    return lines;
}
"""
COPY = """\
#include <unistd.h>
int main(void)
{
    char block[SIZE];
    ssize_t size;
    while ((size = read(0, block, SIZE)) > 0)
        if (write(1, block, (size_t)size) != size)
            return 1;
    return 0;
}
"""
PLUS = """\
#include <iostream>
#include <string>
int main() { int lines = 0; for (std::string s; std::getline(std::cin, s);) lines++; std::cout << lines << '\\n'; }
"""
MAKEFILE = "counter: main.o count.o\n\t$(CC) -o $@ $^\nmain.o count.o: count.h\n"
PAGE = "## What happens\n\nThis.\n\n## How to see it\n\nSo.\n\n## What to read\n\nThat.\n"
FILES = {"main.c": MAIN, "count.c": COUNT, "count.h": "int count(void);\n", "copy.c": COPY, "plus.cpp": PLUS}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "course" / "counts"
    write(folder, {"lab.yaml": SPEC, "Makefile": MAKEFILE})
    write(folder / "reference", FILES)
    write(
        folder / "template",
        dict.fromkeys(FILES, "int main(void) { return 1; }\n")
        | {"count.c": "int count(void);\n", "count.h": "int count(void);\n"},
    )
    write(
        folder / "mutants" / "one-line-more",
        {
            "mutant.yaml": "title: Counts a line more\n"
            "programs: {lines: {fails: [counts], variants: {none: [counts, symbols]}}, made: {fails: [counts]}}\n",
            "page.md": PAGE,
            "count.c": COUNT.replace("lines = 0", "lines = 1"),
            "count.none.c": "int count(void) { return 0; }\n",
        },
    )
    # Of two programs that share a source, one has the bug.
    write(
        folder / "mutants" / "first-bytes",
        {
            "mutant.yaml": "title: Copies one block\nprograms: {small: {fails: [copies]}}\n",
            "page.md": PAGE,
            "copy.c": COPY.replace("while", "if"),
        },
    )
    return folder


@pytest.mark.slow
def test_a_lab_whose_programs_are_built_in_all_these_ways(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["lab", "test", str(lab)]) == OK
    said = capsys.readouterr().out
    assert re.findall(r"^ok ([\d/]+) (.*)$", said, re.MULTILINE) == [
        ("16/16", "reference"),
        ("5/16", "template"),
        ("14/16", "mutant first-bytes"),
        ("12/16", "mutant one-line-more"),
        ("13/16", "mutant one-line-more, variant none"),
    ]


@pytest.mark.slow
def test_signatures_are_made_and_checked(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["lab", "test", str(lab), "--signatures"]) == OK
    traits = json.loads((lab / "signatures.json").read_text())["traits"]
    assert {program: set(forms) for program, forms in traits.items()} == {
        "lines": {"one-line-more", "one-line-more.none"},
        "made": {"one-line-more"},
        "small": {"first-bytes"},
    }
    page = lab / "mutants" / "one-line-more" / "count.c"
    page.write_text(COUNT.replace("lines = 0", "lines = 2"), encoding="utf-8")
    capsys.readouterr()
    assert status_of(["lab", "test", str(lab)]) == FAILED
    assert "signatures.json is older than the spec or the mutants" in capsys.readouterr().out


def test_a_reference_that_fails_a_case_is_told_with_its_line(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = FILES["count.c"].replace("return lines;", "_exit(3);")
    (lab / "reference" / "count.c").write_text(wrong, encoding="utf-8")
    assert status_of(["lab", "test", str(lab)]) == FAILED
    line = 1 + SPEC.splitlines().index("  again: {operands: [], input: short}")
    said = capsys.readouterr().out
    assert f"{lab}/lab.yaml:{line}: cases.again: the reference's lines fails the case again of the spec: its" in said


@pytest.mark.slow
def test_what_students_hand_in(lab: Path, tmp_path: Path) -> None:
    work = {
        "ann": FILES,
        "bob": {**FILES, "count.c": COUNT.replace("lines = 0", "lines = 1")},
        "cem": {name: text for name, text in FILES.items() if name != "count.h"},
        "dan": {**FILES, "count.c": COUNT.replace("return lines;", "return lines")},
        "eve": {**FILES, "main.c": "int other(void) { return 0; }\n"},
    }
    for student, files in work.items():
        write(tmp_path / "class" / student, files)
    options = ["--lab", str(lab), "--sandbox", "local", "--out", str(tmp_path / "out")]
    assert status_of(["grade", str(tmp_path / "class"), *options]) == OK
    reports = {name: json.loads((tmp_path / "out" / name / "report.json").read_text()) for name in work}
    assert {name: report["score"] for name, report in reports.items()} == {
        "ann": 16,
        "bob": 12,
        "cem": 9,
        "dan": 9,
        "eve": 9,
    }
    assert [cause["name"] for cause in reports["bob"]["causes"]] == ["one-line-more"]
    said = {(name, check["id"]): check["message"] for name, report in reports.items() for check in report["checks"]}
    assert said["cem", "lines.build"] == said["cem", "made.build"] == "count.h is missing"
    assert said["dan", "lines.build"].startswith("it does not compile: an error; the first: count.c:8:")
    assert said["dan", "made.build"].startswith("it does not compile: an error; the first: count.c:8:")
    assert said["eve", "lines.build"] == "it does not compile: none of main.c and count.c has a function main"
    commands = {build["program"]: build["command"] for build in reports["ann"]["builds"]}
    assert commands == {
        "lines": "gcc -std=gnu11 -O2 -Wall -o lines main.c count.c",
        "small": "gcc -DSIZE=1 -o small copy.c",
        "large": "gcc -DSIZE=512 -o large copy.c",
        "made": "make counter",
        "plus": "g++ -std=c++17 -Wall -o plus plus.cpp",
    }


def test_a_makefile_that_a_student_hands_in_is_not_used(lab: Path, tmp_path: Path) -> None:
    write(tmp_path / "class" / "ann", {**FILES, "Makefile": "counter:\n\tfalse\n"})
    assert status_of(["check", str(tmp_path / "class" / "ann"), "--lab", str(lab)]) == OK


def test_a_lab_without_its_makefile(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lab / "Makefile").unlink()
    assert status_of(["lab", "test", str(lab)]) == USAGE
    assert f"there is no {lab}/Makefile, and the lab builds programs with it" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("clang") is not None, reason="clang is here")
def test_a_compiler_that_is_not_installed_is_nobodys_failed_check(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = SPEC.replace("{compiler: gcc, options: [-DSIZE=1]}", "{compiler: clang, options: [-DSIZE=1]}")
    (lab / "lab.yaml").write_text(spec, encoding="utf-8")
    write(tmp_path / "work", FILES)
    assert status_of(["check", str(tmp_path / "work"), "--lab", str(lab)]) not in (OK, FAILED)
    assert "clang is not installed" in capsys.readouterr().out
