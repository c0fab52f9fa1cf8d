"""Exit statuses if standard output or standard error cannot be written: 3 if it fails, unchanged if nobody reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli.exit_status import BROKEN, FAILED, OK, USAGE

SPEC = """\
spec_version: 1
lab: mini
title: Mini
programs: {copy: {source: copy.c, title: copies}}
build: {compiler: gcc, standard: gnu11, options: [-O2]}
inputs: {letters: {kind: literal, data: "abc"}}
cases: {one: {operands: [], input: letters}}
rubric:
  - {kind: build, name: build, title: Builds, points: {copy: 10}}
  - {kind: cases, name: text, title: Text, points: {copy: 40}, cases: [one]}
"""
NO_SPACE = "cannot be written: No space left on device"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    (tmp_path / "mini.yaml").write_text(SPEC)
    (tmp_path / "wrong.yaml").write_text("spec_version: 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command line of bash in which `grader` is this grader."""
    arguments = ["bash", "-c", f'grader() {{ {sys.executable} -m grader "$@"; }}; {command}']
    return subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False)


COMMANDS = (
    ("spec validate mini.yaml", OK),
    ("spec schema", OK),
    ("--help", OK),
    ("--version", OK),
    ("input --lab mini.yaml letters", OK),
    ("notebook mini.yaml --json", OK),
    ("notebook mini.yaml", OK),
    ("similar nowhere", USAGE),
    ("grade nowhere --lab mini.yaml --out out", USAGE),
    ("rescore nowhere --lab mini.yaml", USAGE),
    ("check nowhere --lab mini.yaml", USAGE),
    ("check --nonsense", USAGE),
    ("spec validate wrong.yaml", USAGE),
)


@pytest.mark.parametrize(("command", "status"), COMMANDS)
@pytest.mark.usefixtures("place")
@pytest.mark.long
def test_what_cannot_be_written_is_the_grader_s_fault(command: str, status: int) -> None:
    prints, complains = ("/dev/full", "errors") if status == OK else ("output", "/dev/full")
    done = shell(f"grader {command} >{prints} 2>{complains}")
    assert done.returncode == BROKEN
    if status == OK:
        assert Path("errors").read_text().splitlines()[-1].endswith(f"standard output {NO_SPACE}")


@pytest.mark.parametrize(("command", "status"), COMMANDS)
@pytest.mark.usefixtures("place")
@pytest.mark.long
def test_a_reader_that_leaves_changes_no_status(command: str, status: int) -> None:
    streams = "" if status == OK else "2>&1 >output"
    done = shell(f"grader {command} {streams} | true; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == status, done.stderr
    assert not done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.long
def test_no_file_gets_the_number_of_a_closed_stream(place: Path, closed: str) -> None:
    done = shell(f"grader spec validate mini.yaml {closed}")
    assert done.returncode == (BROKEN if " >&-" in f" {closed}" else OK)
    assert "Traceback" not in done.stderr
    assert place.joinpath("mini.yaml").read_text() == SPEC


@pytest.mark.usefixtures("place")
@pytest.mark.long
def test_other_faults_have_a_status_of_the_grader_too() -> None:
    # A module of the grader that cannot be loaded.
    done = shell("mkdir click; echo 'raise OSError' >click/__init__.py; PYTHONPATH=.:$PYTHONPATH grader spec schema")
    assert done.returncode == BROKEN
    assert "Traceback" in done.stderr


RIGHT = """\
#include <stdio.h>

int main(void)
{
    int c;

    while ((c = getchar()) != EOF)
        putchar(c);
}
"""


@pytest.mark.parametrize("source", [RIGHT, RIGHT.replace("putchar(c)", "putchar('x')")])
@pytest.mark.parametrize("options", ["", "--quick --json"])
@pytest.mark.slow
def test_no_verdict_of_a_check_has_the_status_of_a_full_disk(place: Path, source: str, options: str) -> None:
    lab = place / "lab"
    reference, mine = lab / "reference", place / "mine"
    for folder, text in ((reference, RIGHT), (mine, source)):
        folder.mkdir(parents=True)
        (folder / "copy.c").write_text(text)
    (place / "mini.yaml").rename(lab / "mini.yaml")
    command = f"grader check mine --lab lab/mini.yaml --sandbox local {options}"
    verdict = OK if source == RIGHT else FAILED
    assert shell(command).returncode == verdict
    assert shell(f"{command} >/dev/full").returncode == BROKEN
    done = shell(f"{command} 2>/dev/full")
    if "--json" in options:
        # Only messages are lost.
        assert json.loads(done.stdout)["status"] == "graded"
        assert done.returncode == BROKEN
    else:
        # Nothing is written to standard error, except that the reference runs for the first time.
        assert done.returncode in (verdict, BROKEN)
    graded = f"grader grade mine --lab lab/mini.yaml --sandbox local --out out{os.getpid()}"
    assert shell(f"{graded} >/dev/full").returncode == BROKEN
