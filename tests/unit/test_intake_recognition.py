"""Which course system a listing is from, whatever names students have chosen for their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.errors import NothingToGradeError, UsageError
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


@pytest.mark.parametrize(
    ("system", "chosen"),
    [
        (system, chosen)
        for system in FLAT
        for chosen in CHOSEN
        # A second mark of Moodle's is doubtful.
        if not (system == "Moodle" and "_assignsubmission_" in chosen)
    ],
)
def test_no_name_that_a_student_chooses_says_whose_the_file_is(tmp_path: Path, system: str, chosen: str) -> None:
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


@pytest.mark.parametrize("system", FLAT)
def test_an_export_may_have_nothing_but_archives(tmp_path: Path, system: str) -> None:
    names = (FLAT[system][0].format(at=101, file="lab.zip"), OTHER[system].format(at=102, file="lab.zip"))
    told: list[str] = []
    found = find(lay(tmp_path, {name: zipped(BOTH) for name in names}), told)
    assert [one.origin.system for one in found] == [system.partition("'")[0].partition(",")[0].lower()] * 2
    assert told == []


EXPORTS: Mapping[str, dict[str, bytes]] = {
    "Canvas": {"doe_11_101_many.c": MANY, "doe_11_102_single.c": SINGLE, "roe_12_103_lab.zip": zipped(BOTH)},
    "Moodle": {f"{who}_assignsubmission_file_many.c": MANY for who in ("Jane_11", "Rick_12")},
    "Moodle's archives": {f"{who}_assignsubmission_file_/x.zip": zipped(BOTH) for who in ("Jane_11", "Rick_12")},
    "Blackboard": {f"Lab_{who}_attempt_2026-05-04-23-11-02_many.c": MANY for who in ("jdoe", "roe")},
}


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_a_stray_program_next_to_an_export_does_not_hide_it(tmp_path: Path, export: str, suffix: str) -> None:
    files = {**EXPORTS[export], "many.c": MANY}
    path = tmp_path / f"class{suffix}"
    if suffix:
        path.write_bytes(zipped(files))
    else:
        lay(path, files)
    system = export.partition("'")[0]
    with pytest.raises(UsageError, match=rf"many\.c is next to what looks like an export of {system}"):
        find(path)
    # Among several paths, it may be one student's, who must not stop the others.
    other = lay(tmp_path / "ada", BOTH)
    first, ada = find_submissions([path, other], SPEC)
    assert ("many.c is next to" in first.doubt, ada.doubt) == (True, "")


@pytest.mark.parametrize("export", [*EXPORTS, "folders"])
@pytest.mark.parametrize("stray", ["many.c/", "1_task/x.pdf", "1_submissions/many.c", "3_corrections/many.c"])
def test_no_name_of_one_folder_decides_for_all(tmp_path: Path, export: str, stray: str) -> None:
    files = EXPORTS.get(export, {"ada/many.c": MANY, "bob/many.c": MANY})
    expected = {one.name for one in find(lay(tmp_path / "1", files))}
    path = lay(tmp_path / "2", files)
    if stray.endswith("/"):
        (path / stray).mkdir()
    else:
        lay(path, {stray: MANY})
    assert {one.name for one in find(path)} == {*expected, stray.partition("/")[0]}


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("wrap", ["", "export/"])
def test_an_export_where_a_submission_should_be_is_not_one_student_s(
    tmp_path: Path, export: str, wrap: str, *, packed: bool
) -> None:
    files = {f"{wrap}{name}": data for name, data in EXPORTS[export].items()}
    place = {"sec1.zip": zipped(files)} if packed else {f"sec1/{name}": data for name, data in files.items()}
    words = f"this looks like an export of {export.partition(chr(39))[0]} with several students"
    _, section = find(lay(tmp_path / "class", {**place, "ada/many.c": MANY, "zoe/many.c": MANY}))[:2]
    assert section.name == "sec1"
    assert section.problem.startswith(words)
    # If all are exports, nothing can be graded.
    sections = {**place, **{each.replace("sec1", "sec2"): data for each, data in place.items()}}
    with pytest.raises(UsageError, match=words):
        find(lay(tmp_path / "sections", sections))
    with pytest.raises(UsageError, match=words):
        find(lay(tmp_path / "downloads", {"submissions.zip": zipped(EXPORTS[export])}))


def test_an_export_with_folders_of_programs_where_a_submission_should_be_is_doubtful(tmp_path: Path) -> None:
    files = {f"sec1/{who}_assignsubmission_file_/many.c": MANY for who in ("Jane_11", "Rick_12")}
    _, section = find(lay(tmp_path, {**files, "ada/many.c": MANY, "zoe/many.c": MANY}))[:2]
    assert not section.problem
    words = "this looks like an export of Moodle with several students"
    assert section.doubt.startswith(words)
    with pytest.raises(UsageError, match=words):
        find(lay(tmp_path / "sections", {**files, **{f"x{name}": data for name, data in files.items()}}))


def test_archives_that_are_in_themselves_are_not_opened_for_ever(tmp_path: Path) -> None:
    data = zipped(BOTH)
    for _ in range(50):
        data = zipped({"x.zip": data})
    assert [one.name for one in find(lay(tmp_path, {"ada/lab.zip": data, "bob.zip": data}))] == ["ada", "bob"]


MARKED: Mapping[str, dict[str, bytes]] = {
    "Submitty": {
        **{f"jdoe/1/{name}": data for name, data in BOTH.items()},
        "jdoe/user_assignment_settings.json": b'{"active_version": 1}',
        "roe/user_assignment_settings.json": b'{"active_version": 0}',
    },
    "Sakai": {
        "grades.csv": b"",
        **{f"Doe, Jane(jdoe)/Submission attachment(s)/{name}": data for name, data in BOTH.items()},
        "Roe, Rick(roe)/timestamp.txt": b"2026",
    },
    "OpenOLAT": {
        **{f"jdoe/2_submissions/{name}": data for name, data in BOTH.items()},
        "roe/1_task/task.pdf": b"",
    },
}


@pytest.mark.parametrize("system", MARKED)
@pytest.mark.parametrize("wrap", ["", "hw/", "a/b/"])
@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_what_a_course_system_keeps_for_students_makes_a_class_even_if_one_has_handed_in(
    tmp_path: Path, system: str, wrap: str, suffix: str
) -> None:
    files = {f"{wrap}{name}": data for name, data in MARKED[system].items()}
    path = tmp_path / f"class{suffix}"
    if suffix:
        path.write_bytes(zipped(files))
    else:
        lay(path, files)
    first, second = find(path)
    assert read_submission(first, SPEC).sources == {"many": Source(MANY), "single": Source(SINGLE)}
    assert second.name.startswith(("roe", "Roe"))


def test_folders_of_the_course_are_its_own_in_a_class_of_its_course_system(tmp_path: Path) -> None:
    kept = {f"{who}/1_task/many.c": b"given" for who in ("ada", "bob", "roe")}
    _, *others = find(lay(tmp_path / "OpenOLAT", {**kept, "ada/2_submissions/many.c": MANY}))
    for one in others:
        with pytest.raises(NothingToGradeError, match="nothing was handed in"):
            read_submission(one, SPEC)
    *_, roe = find(lay(tmp_path / "other", {"ada/many.c": MANY, "bob/many.c": MANY, "roe/1_task/many.c": MANY}))
    assert read_submission(roe, SPEC).sources["many"] == Source(MANY)
    assert len(read_submission(roe, SPEC).doubts) == 1
    moodle = {f"{who}_assignsubmission_file_/1_task/many.c": MANY for who in ("Jane_11", "Rick_12")}
    for one in find(lay(tmp_path / "Moodle", moodle)):
        submission = read_submission(one, SPEC)
        assert (submission.sources["many"], submission.doubts) == (Source(MANY), ())


@pytest.mark.parametrize("between", [" - ", "/"])
@pytest.mark.parametrize(
    ("earlier", "last", "is_doubtful"),
    [
        (BOTH, {"README.txt": b""}, True),
        ({"lab.zip": zipped(BOTH)}, {"README.txt": b""}, True),
        ({"README.txt": b""}, {"notes.txt": b""}, False),
        (BOTH, {"lab.zip": zipped(BOTH)}, False),
        (BOTH, BOTH, False),
    ],
)
def test_a_last_attempt_without_any_work_is_a_doubt(
    tmp_path: Path, earlier: Mapping[str, bytes], last: Mapping[str, bytes], between: str, *, is_doubtful: bool
) -> None:
    attempts = (("May 4, 2026 1010 PM", earlier), ("May 5, 2026 1010 PM", last))
    files = {
        f"1-2 - Jane Doe - {date}{between}{name}": data for date, files in attempts for name, data in files.items()
    }
    [jane, _] = find(lay(tmp_path, {**files, f"3-4 - Rick - May 4, 2026 1010 PM{between}many.c": MANY}))
    assert ("neither a program nor an archive" in jane.doubt) == is_doubtful


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
