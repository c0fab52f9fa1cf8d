"""`grader grade` by somebody who is not root: without isolation, and of what this person may read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from grader.model.report import Report
from grader.render.text.phrases import isolation_words

from .person import Person

OK, USAGE, BROKEN = 0, 2, 3


def grade(person: Person, path: Path, lab: Path) -> subprocess.CompletedProcess[str]:
    return person.grader("grade", path, "--lab", lab, "--out", person.home / "out", "--sandbox", "local")


def report_of(person: Person) -> Report:
    return Report.model_validate_json((person.home / "out" / "mine" / "report.json").read_bytes())


def test_an_ordinary_user_grades_without_isolation_and_is_told(person: Person, mine: Path, tiny_file: Path) -> None:
    done = grade(person, mine, tiny_file)
    assert done.returncode == OK, done.stderr
    report = report_of(person)
    assert report.isolation == "none"
    assert report.score == report.max_score
    assert {check.status for check in report.checks} == {"passed"}
    assert f"1 of 1 graded {isolation_words('none')}" in done.stdout


def test_a_folder_that_an_ordinary_user_may_not_read(person: Person, tiny_file: Path) -> None:
    closed = person.folder / "closed"
    (closed / "submission").mkdir(parents=True)
    closed.chmod(0o700)
    for path in (closed, closed / "submission"):
        done = grade(person, path, tiny_file)
        assert done.returncode == USAGE, done.stderr
        assert str(path) in done.stderr
        assert "not readable" in done.stderr or "cannot be read: Permission denied" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_source_that_an_ordinary_user_may_not_read_is_no_grade(person: Person, mine: Path, tiny_file: Path) -> None:
    os.chown(mine / "tr2u.c", 0, 0)
    (mine / "tr2u.c").chmod(0o600)
    done = grade(person, mine, tiny_file)
    assert done.returncode == BROKEN, done.stderr
    report = report_of(person)
    assert (report.status, report.score) == ("not_graded", None)
    assert "tr2u.c cannot be read: Permission denied" in report.reason
