"""Which course system a listing is from, whatever names students have chosen for their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.intake.names import person_name
from grader.intake.order import series
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.intake.submissions import find_submissions
from grader.model.gradebook import Person
from grader.model.submission import Source

from .lab import SPEC
from .packing import BOTH, MANY, SINGLE, lay, zipped

FLAT: Mapping[str, tuple[str, Person]] = {
    "Canvas": ("doejane_11_{at}_{file}", Person(name="doejane", id="11")),
    "Canvas, late": ("doejane_LATE_11_{at}_{file}", Person(name="doejane", id="11")),
    "Canvas, anonymous": ("anon_aB3_{at}_{file}", Person(name="")),
    "Canvas's quiz": ("doe_jane11_question_7_{at}_{file}", Person(name="doe_jane", id="11")),
    "Moodle": ("Jane Doe_11_assignsubmission_file_{file}", Person(name="Jane Doe", id="11")),
    "Blackboard": ("lab_2_17_jdoe_attempt_2026-05-04-23-11-02_{file}", Person(id="jdoe")),
    "D2L": ("105-77 - Jane Doe - May 4, 2026 1010 PM - {file}", Person(name="Jane Doe")),
}
"""The names of files in flat exports, which begin with the course system's part, and whose they are."""

ANONYMOUS = {"": "anon_aB3", "Jane Doe": "janedoe-105-77"}
"""Names of results of people whose numbers are not known."""

OTHER: Mapping[str, str] = {
    "Canvas": "roe_12_{at}_{file}",
    "Canvas, late": "roe_12_{at}_{file}",
    "Canvas, anonymous": "anon_Xy9_{at}_{file}",
    "Canvas's quiz": "roe_rick12_question_7_{at}_{file}",
    "Moodle": "Rick Roe_12_assignsubmission_file_{file}",
    "Blackboard": "lab_2_17_roe_attempt_2026-05-04-23-11-02_{file}",
    "D2L": "106-77 - Rick Roe - May 4, 2026 1010 PM - {file}",
}

CHOSEN = [
    *(pattern.format(at=34, file="lab.zip").replace("11", "12") for pattern, _ in FLAT.values()),
    "12_34_lab.zip",
    "LATE_1_2_lab.zip",
    "x4711_question_5_6_lab.zip",
    "1_question_5_6_lab.zip",
    "submission_1.zip",
    "text.html.zip",
    "1_submissions.zip",
    "2026_05_lab.zip",
]
"""What students may call a file."""


def find(path: Path, told: list[str] | None = None) -> list[DiscoveredSubmission]:
    return find_submissions([path], SPEC, notify=lambda line: told.append(line) if told is not None else None)


def owners(path: Path) -> dict[str, str | None]:
    return {one.name: one.origin.system for one in find(path)}


def name_of(person: Person) -> str:
    return person_name([person.name], person.id) if person.id else ANONYMOUS.get(person.name, "")


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("system", FLAT)
def test_no_name_that_a_student_chooses_says_whose_the_file_is(tmp_path: Path, system: str, chosen: str) -> None:
    if system == "Moodle" and "_assignsubmission_" in chosen:
        pytest.skip("a second mark is doubtful, and tested with Moodle")
    pattern, person = FLAT[system]
    files = {OTHER[system].format(at=101 + at, file=name): data for at, (name, data) in enumerate(BOTH.items())}
    for everybody in (False, True):
        # Also if the lab asks for such a name.
        file = chosen if everybody else "lab.zip"
        files[OTHER[system].format(at=110, file=file)] = zipped(BOTH)
        path = lay(tmp_path / str(everybody), {**files, pattern.format(at=109, file=chosen): zipped(BOTH)})
        found = find(path)
        [own] = (one for one in found if one.name == name_of(person))
        assert own.origin.people == (person,)
        assert len(found) == 2
        assert {one.origin.system for one in found} == {system.partition("'")[0].partition(",")[0].lower()}
        assert read_submission(own, SPEC).sources == {"many": Source(MANY), "single": Source(SINGLE)}


PLAIN = [
    ("CS_101_02_{}", "CS_101_02_x{}"),
    ("CS_101_2_{}", "CS_101_2_x{}"),
    ("lab_2_1_{}", "lab_2_1_x{}"),
    ("lab_2_1_{}", "lab_2_2_{}"),
    ("doe_2026_05_{}", "roe_2026_05_{}"),
    ("doe_2026_5_{}", "roe_2026_6_{}"),
    ("doe_20_5_{}", "roe_21_5_{}"),
]


@pytest.mark.parametrize(("first", "second"), PLAIN)
@pytest.mark.parametrize("last", ["roe", "doe"])
def test_archives_with_numbers_that_no_course_system_gives_are_of_as_many_students(
    tmp_path: Path, first: str, second: str, last: str
) -> None:
    stems = {first.format("doe"), second.format(last)}
    path = lay(tmp_path, {f"{stem}.zip": zipped(BOTH) for stem in stems})
    assert owners(path) == dict.fromkeys(stems)


@pytest.mark.parametrize(
    "name",
    [
        "mallory_11_203_lab.zip",
        "Jane Doe_501_assignsubmission_file_/many.c",
        "105-77 - Jane Doe - May 4, 2026 1010 PM/many.c",
    ],
)
def test_one_name_like_a_course_system_s_makes_no_export_of_a_class(tmp_path: Path, name: str) -> None:
    data = zipped(BOTH) if name.endswith(".zip") else MANY
    path = lay(tmp_path, {"ada/many.c": MANY, "bob.zip": zipped(BOTH), name: data})
    told: list[str] = []
    assert {one.origin.system for one in find(path, told)} == {None}
    assert len(find(path)) == 3
    [line] = told
    assert "was not read as an export of" in line
    assert "most of the others are different" in line


@pytest.mark.parametrize("month", ["\u017fep", "d\u0131c", "g\u0130u", "ju\u0131n", "JU\u0130N", "\u017fet"])
@pytest.mark.parametrize("name", ["{} 4 2026", "4 {} 2026", "4. {}t. 2026 10:10"])
def test_letters_that_are_others_without_case_stop_nobody(tmp_path: Path, month: str, name: str) -> None:
    assert series(name.format(month))
    path = lay(tmp_path, {"ada/many.c": MANY, f"bob/{name.format(month)}.zip": zipped(BOTH)})
    assert read_submission(find(path)[1], SPEC).sources["many"] == Source(MANY)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("mayo 4, 2026 11.10 a. m.", "mayo 4, 2026 10.10 p. m."),
        ("May 4, 2026 11:10 a.m.", "May 4, 2026 10:10 p.m."),
        ("May 4, 2026 1110\u202fAM", "May 4, 2026 1010\u202fPM"),
        ("Monday, May 4, 2026 1010 PM", "Tuesday, May 5, 2026 910 AM"),
        ("lunes, 4 de mayo de 2026 10:10 p.\u00a0m.", "martes, 5 de mayo de 2026 9:10 a.\u00a0m."),
        ("Mo., 4. Mai 2026 2210", "Di., 5. Mai 2026 910"),
    ],
)
def test_times_of_attempts_may_have_dots_and_days_of_the_week(tmp_path: Path, earlier: str, later: str) -> None:
    files = {f"1-2 - Jane Doe - {date} - {name}": b"old" for date in (earlier,) for name in BOTH}
    path = lay(tmp_path, {**files, **{f"1-2 - Jane Doe - {later} - {name}": data for name, data in BOTH.items()}})
    [jane] = find(path)
    submission = read_submission(jane, SPEC)
    assert submission.sources["many"] == Source(MANY)
    assert not any("dates of attempts" in doubt for doubt in submission.doubts)
