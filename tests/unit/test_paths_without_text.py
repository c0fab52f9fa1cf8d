"""Paths whose bytes are no text: they are hashed, kept, shown and put into commands like others."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from grader.batch import workers
from grader.batch.gradebook_file import open_gradebook
from grader.cache.entries import files_digest
from grader.cli.exit_status import OK
from grader.cli.main import status_of
from grader.course.rules import Rules
from grader.grading import setup
from grader.judge.repeat import shell_word
from grader.model.gradebook import Origin
from grader.render.exports.csv_cells import csv_table
from grader.render.views.commands import Commands
from grader.selfcheck.last_check import LastCheck, replace_last_check
from tests.waits import ENDS_S

from .facts import REFERENCE, evidence
from .lab import DOCUMENT, PROGRAMS
from .sandboxes import FakeSandbox, events_of

NAMES = [os.fsdecode(name) for name in (b"plain", "\u00e9".encode(), b"nu-\xff", b"\xe9t\xe9 2'$x")]
ANY_NAME = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(params=NAMES)
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of this name, next to a cache of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder: Path = tmp_path / request.param
    folder.mkdir()
    return folder


@ANY_NAME
def test_a_model_is_json_in_which_they_can_be_read(name: str) -> None:
    shown = json.loads(Origin(path=name).model_dump_json())["path"]
    assert Origin.model_validate_json(Origin(path=name).model_dump_json()).path == shown
    assert shown == os.fsencode(name).decode("utf-8", "backslashreplace")


@ANY_NAME
def test_a_path_that_is_read_again_stays_as_it_is(name: str) -> None:
    rules = Rules(course_file=f"{name}/course.yaml", roster_file=name, folder=f"/{name}")
    assert Rules.model_validate_json(rules.model_dump_json(by_alias=True)) == rules


@ANY_NAME
def test_a_command_names_them_as_bash_takes_them(name: str) -> None:
    done = subprocess.run(
        ["/bin/bash", "-c", f"printf %s {shell_word(name)}"], capture_output=True, check=True, timeout=ENDS_S
    )
    assert done.stdout == os.fsencode(name)
    assert name not in NAMES[:2] or shell_word(name) == shlex.quote(name)


@ANY_NAME
def test_hashes_and_tables_have_them(name: str) -> None:
    assert len({files_digest({other: b""}) for other in (name, f"{name}2")}) == 2
    assert csv_table([[name]]).decode("utf-8").startswith('"')


def test_the_last_check_of_a_folder_is_found_again(folder: Path) -> None:
    last = LastCheck(5.0, ("copy.text",))
    assert replace_last_check(folder, "v1", last) is None
    assert replace_last_check(folder, "v1", last) == last


def test_a_folder_that_is_gone_has_no_last_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert replace_last_check(Path(), "v1", LastCheck(5.0, ())) is None


def test_a_gradebook_keeps_what_names_the_folder(folder: Path) -> None:
    with open_gradebook(folder, "lab", pytest.fail) as book:
        commands = Commands(f"grader grade {shell_word(str(folder))}", f"grader rescore {shell_word(str(folder))}")
        book.keep_commands(commands)
        book.keep_rules(Rules(folder=str(folder)))
        book.record_paths([str(folder)])
        assert book.commands() == commands
        assert book.rules().folder == str(folder)
        assert book.paths() == [[str(folder)]]


@pytest.mark.long
def test_a_class_in_such_a_folder_is_graded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = events_of(evidence())
    monkeypatch.setattr(workers, "choose_sandbox", lambda *_arguments: FakeSandbox(lambda _job: right))
    monkeypatch.setattr(setup, "obtain_reference", lambda *_arguments: REFERENCE)
    monkeypatch.chdir(folder)
    Path("lab.yaml").write_text(json.dumps(DOCUMENT))  # JSON is YAML
    Path("course.yaml").write_text("{}")
    for student in ("ann", folder.name):
        (Path("in") / student).mkdir(parents=True)
        for program in PROGRAMS:
            (Path("in") / student / f"{program}.c").write_text(f"int of_{len(student)};")
    for _ in range(2):
        assert status_of(["grade", "in", "--lab", str(folder / "lab.yaml"), "--out", str(folder / "out")]) == OK
    assert len([*Path("out").glob("*/report.json")]) == 2
    assert Path("out/index.html").read_text(encoding="utf-8")
