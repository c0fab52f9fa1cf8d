"""`grader check` for people whose account, home and temporary folder are like none of ours."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.model.report import Report

from .person import Person

OK, USAGE, INTERRUPTED = 0, 2, 130
KNOWN = pwd.getpwnam("games").pw_uid
"""Somebody with an entry in the table of users, for whom nothing runs."""

MANY_FILES = 5_000


def in_an_empty_home(person: Person) -> Person:
    return replace(person, variables={"LC_ALL": ""})


def with_an_entry(person: Person) -> Person:
    known = replace(person, uid=KNOWN)
    known.owns(person.home)
    known.owns(person.temporary)
    return known


def without_home(person: Person) -> Person:
    return replace(person, variables={"HOME": ""})


def home_that_is_not_there(person: Person) -> Person:
    person.home.rmdir()
    return person


def home_that_is_read_only(person: Person) -> Person:
    os.chown(person.home, 0, 0)
    person.home.chmod(0o755)
    for number in range(MANY_FILES):
        (person.temporary / f"iolab-grader-{number}").touch()
    return person


# Who they are, their umask, and whether what is costly can be kept.
ACCOUNTS: dict[str, tuple[Callable[[Person], Person], int, bool]] = {
    "an empty home, a closed umask, no locale": (in_an_empty_home, 0o077, True),
    "an entry in the table of users, an open umask": (with_an_entry, 0o000, True),
    "no HOME and no entry": (without_home, 0o022, False),
    "a home that is not there": (home_that_is_not_there, 0o077, False),
    "a home that is read-only, many temporary files": (home_that_is_read_only, 0o022, False),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ACCOUNTS)
def test_a_right_submission_is_right_anywhere(name: str, person: Person, mine: Path, tiny_file: Path) -> None:
    make, umask, use_cache = ACCOUNTS[name]
    somebody = make(person)
    before = set(person.temporary.iterdir())
    done = somebody.grader("check", mine, "--lab", tiny_file, "--json", umask=umask)
    assert done.returncode == OK, done.stderr
    report = Report.model_validate_json(done.stdout)
    assert (report.isolation, report.score) == ("none", report.max_score)
    assert "Traceback" not in done.stderr
    assert ("cannot be kept" in done.stderr) == (not use_cache)
    assert somebody.processes() == []
    assert set(person.temporary.iterdir()) == before
    if use_cache:
        kept = person.home / ".cache" / "iolab-grader"
        assert {path.name for path in person.home.iterdir()} == {".cache"}
        assert (kept / "compiled").stat().st_mode & 0o777 == 0o700
        # What is expected of submissions is nobody else's to read on a shared machine.
        assert all(path.stat().st_mode & 0o077 == 0 for path in kept.glob("*/*"))
        again = somebody.grader("check", mine, "--lab", tiny_file, umask=umask)
        assert again.returncode == OK
        assert "running the reference" in done.stderr
        assert "running the reference" not in again.stderr


@pytest.mark.slow
def test_without_tmpdir_the_machine_s_is_used_and_left_as_it_was(person: Person, mine: Path, tiny_file: Path) -> None:
    done = replace(person, variables={"TMPDIR": ""}).grader("check", mine, "--lab", tiny_file, cwd=mine)
    assert done.returncode == OK, done.stderr
    assert person.processes() == []
    assert not [path for path in Path("/tmp").glob("iolab-grader-*") if path.owner() == person.uid]  # noqa: S108


def test_sources_of_another_age_are_taken_as_they_are(person: Person, mine: Path, tiny_file: Path) -> None:
    for source in mine.glob("*.c"):
        latin = "/* Übung für Größe */\n".encode("latin-1")
        source.write_bytes((latin + source.read_bytes()).replace(b"\n", b"\r\n"))
    done = person.grader("check", mine, "--lab", tiny_file, "--json")
    assert done.returncode == OK, done.stderr
    report = Report.model_validate_json(done.stdout)
    assert report.score == report.max_score
    person.assert_nothing_is_left()


def test_a_read_only_folder_is_checked_and_not_written_to(person: Person, mine: Path, tiny_file: Path) -> None:
    os.chown(mine, 0, 0)
    done = person.grader("check", "--lab", tiny_file, cwd=mine)
    assert done.returncode == OK, done.stderr
    refused = person.grader("check", "--lab", tiny_file, "--html", "report.html", cwd=mine)
    assert refused.returncode == USAGE
    assert "--html report.html: nothing can be written in ." in refused.stderr
    person.assert_nothing_is_left()


def test_doctor_says_yes_and_leaves_nothing(person: Person) -> None:
    no_docker = replace(person, variables={"DOCKER_HOST": "unix:///nonexistent"})
    done = no_docker.grader("doctor")
    assert done.returncode == OK, done.stdout
    assert done.stdout.splitlines()[-1] == "Can I check my work here? Yes: `grader check` judges every check."
    assert "without isolation, as the user who ran the grader" in done.stdout
    person.assert_nothing_is_left()
