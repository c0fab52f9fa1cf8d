"""An ordinary user's report has the line of a mistake, like everybody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.report import Report
from tests.memory_bugs import line_of_mistake, source

from .person import Person

FAILED = 1


@pytest.mark.slow
def test_an_ordinary_user_gets_the_lines_of_mistakes(person: Person, mine: Path, tiny_file: Path) -> None:
    (mine / "tr2b.c").write_bytes(source("null-pointer"))
    (mine / "tr2u.c").write_bytes(source("uninitialised-table"))
    done = person.grader("check", mine, "--lab", tiny_file, "--sandbox", "local", "--json")
    assert done.returncode == FAILED, done.stderr
    report = Report.model_validate_json(done.stdout)
    assert report.isolation == "none"
    assert {(finding.program, finding.line) for finding in report.findings} == {
        ("tr2b", line_of_mistake("null-pointer")),
        ("tr2u", line_of_mistake("uninitialised-table")),
    }, report.notes
    person.assert_nothing_is_left()
