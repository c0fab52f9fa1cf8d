"""Classes as course systems export them, as folders and as archives."""

from __future__ import annotations

import gc
import os
import tarfile
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn
from unicodedata import normalize

import pytest

from grader.cache.secret import new_mark
from grader.errors import GraderError, NothingToGradeError, UsageError
from grader.intake.gradescope import BRACKETS, PEOPLE_BYTES, TEXT_CHARS
from grader.intake.names import NAME_BYTES, RESERVED_NAMES
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.intake.submissions import find_submissions
from grader.model.gradebook import GRADEBOOK, RESULTS_MARK, Origin, Person
from grader.model.submission import Source, UnusableSource

from .lab import SPEC
from .packing import BOTH, MANY, PACKERS, SINGLE, gzipped, lay, zipped

Files = Mapping[str, bytes]
RIGHT = {"many": Source(MANY), "single": Source(SINGLE)}


def find(*paths: Path) -> list[DiscoveredSubmission]:
    return find_submissions(paths, SPEC)


def told(path: Path) -> list[str]:
    lines: list[str] = []
    find_submissions([path], SPEC, notify=lines.append)
    return lines


def said(path: Path) -> list[str]:
    """Return what is reported, except that it is an export."""
    return [line for line in told(path) if "was read as an export of" not in line]


def names(found: Sequence[DiscoveredSubmission]) -> list[str]:
    return [one.name for one in found]


def in_folder(folder: Path, files: Files) -> Path:
    return lay(folder / "class", files)


def in_wrapped_folder(folder: Path, files: Files) -> Path:
    lay(folder / "class" / "assignment_1_export", files)
    return folder / "class"


def in_archive(folder: Path, files: Files, suffix: str = ".zip") -> Path:
    path = folder / f"class{suffix}"
    path.write_bytes(PACKERS[suffix](files))
    return path


def in_wrapped_archive(folder: Path, files: Files) -> Path:
    junk = {"__MACOSX/assignment_1_export/._x": b"", "assignment_1_export/.DS_Store": b""}
    return in_archive(
        folder, {**junk, **{f"assignment_1_export/{name}": data for name, data in files.items()}}, ".tgz"
    )


PLACED = pytest.mark.parametrize("placed", [in_folder, in_wrapped_folder, in_archive, in_wrapped_archive])

GRADESCOPE = b"""\
---
submission_409194023:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0123'
    :email: ada@example.edu
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :score: 2.0
  :results:
    score: 2.0
    output: |-
      ==== : not: yaml

        - {
submission_500000001:
  :submitters:
  - :name: "Zo\\xEB \\uD800"
    :sid: 222
  - :name: Bob B.
    :email: bob@example.edu
  :history:
  - :id: 1
    :created_at: 2026-04-25 00:00:00.000000000 Z
submission_700000003:
  :submitters: []
"""
SUBMISSIONS = {
    "submission_metadata.yml": GRADESCOPE,
    "submission_409194023/many.c": MANY,
    "submission_409194023/single.c": SINGLE,
    "submission_500000001/lab.zip": zipped({f"lab/{name}": data for name, data in BOTH.items()}),
    "submission_700000003/readme.txt": b"",
}


@PLACED
def test_gradescope_says_who_handed_in_which_folder(tmp_path: Path, placed: object) -> None:
    assert callable(placed)
    found = {one.name: one for one in find(placed(tmp_path, SUBMISSIONS))}
    assert list(found) == ["adalovelace-0123", "submission_700000003", "zoë-bobb-222"]
    ada, group = found["adalovelace-0123"], found["zoë-bobb-222"]
    assert ada.origin.path.endswith("/submission_409194023")
    assert ada.origin.model_copy(update={"path": ""}) == Origin(
        path="",
        system="gradescope",
        people=(Person(name="Ada Lovelace", email="ada@example.edu", id="0123"),),
        submitted_at="2026-04-26 17:34:00.861687000 Z",
    )
    assert group.origin.people == (Person(name="Zoë ?", id="222"), Person(name="Bob B.", email="bob@example.edu"))
    assert read_submission(ada, SPEC).sources == read_submission(group, SPEC).sources == RIGHT
    assert found["submission_700000003"].origin.people == ()


def test_a_second_hand_in_to_gradescope_is_the_same_student_s_and_two_at_once_are_two(tmp_path: Path) -> None:
    record = b"submission_%d:\n  :submitters:\n  - :name: Ada L\n    :sid: '7'\n"
    for folder, submissions in (("first", [1]), ("second", [2]), ("both", [1, 2])):
        metadata = b"".join(record % number for number in submissions)
        lay(
            tmp_path / folder,
            {"submission_metadata.yml": metadata, **{f"submission_{n}/many.c": MANY for n in submissions}},
        )
    assert names(find(tmp_path / "first")) == names(find(tmp_path / "second")) == ["adal-7"]
    assert names(find(tmp_path / "both")) == ["adal-2", "adal-7"]


def test_students_of_gradescope_s_list_without_a_folder_are_told(tmp_path: Path) -> None:
    files = {name: data for name, data in SUBMISSIONS.items() if "500000001" not in name}
    missing = [line for line in told(lay(tmp_path / "class", files)) if "whose folders are missing" in line]
    assert missing == [
        "submission_metadata.yml has submissions whose folders are missing: submission_500000001 (Zoë ? and Bob B.)"
    ]


def test_what_lies_next_to_an_export_of_gradescope_is_not_of_gradescope(tmp_path: Path) -> None:
    lay(tmp_path, {**SUBMISSIONS, "zelda/many.c": MANY, "submission_12": b"", "submission_13.zip": zipped(BOTH)})
    found = {one.name: one.origin.system for one in find(tmp_path)}
    assert {name for name, system in found.items() if system is None} == {"zelda", "submission_13"}
    assert said(tmp_path) == [f"left alone in {tmp_path}: 1 that is not a submission: submission_12"]


def test_folders_named_as_gradescope_does_are_just_folders_without_its_list(tmp_path: Path) -> None:
    lay(tmp_path, {"submission_1/many.c": MANY, "submission_2/many.c": MANY})
    assert [(one.name, one.origin.system) for one in find(tmp_path)] == [
        ("submission_1", None),
        ("submission_2", None),
    ]


def test_a_student_without_a_student_id_is_named_with_the_submission(tmp_path: Path) -> None:
    metadata = b"submission_31:\n  :submitters:\n  - :name: Ada L\n"
    lay(tmp_path, {"submission_metadata.yml": metadata, "submission_31/many.c": MANY})
    assert names(find(tmp_path)) == ["adal-31"]


ALIASES = b"submission_0: &a {':submitters': [%s]}\n" % (b"x," * 1001) + b"".join(
    b"submission_%d: *a\n" % number for number in range(1, 101)
)
"""A thousand people in each of a hundred folders, in a few thousand bytes."""

TWICE = b"submission_1: {}\nsubmission_1: {}\n"
LONG = b"submission_1: {}\n# " + b"x" * PEOPLE_BYTES


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        (b"submission_1: [", "submission_metadata.yml cannot be read ("),
        (b"just text", "submission_metadata.yml cannot be read (no folders in it)"),
        (b"submission_1: text", "submission_metadata.yml cannot be read ("),
        (b"submission_1:\n  :submitters: text", "submission_metadata.yml cannot be read ("),
        (b"\xff\xfe", "submission_metadata.yml cannot be read ("),
        (ALIASES, "submission_metadata.yml cannot be read (more than 100,000 people)"),
        (b"[" * 2_000, f"submission_metadata.yml cannot be read (found more than {BRACKETS} open brackets)"),
        (b"{a: " * 2_000, f"submission_metadata.yml cannot be read (found more than {BRACKETS} open brackets)"),
        (
            TWICE,
            "submission_metadata.yml cannot be read (found duplicate key); submissions are named by their folders",
        ),
        (LONG, "submission_metadata.yml cannot be read (more than 10,000,000 bytes about people); submissions"),
        (
            b"a:\n  - b: [",
            "submission_metadata.yml cannot be read (while parsing a flow node); submissions are",
        ),
        (b"- " * 2_000, "submission_metadata.yml cannot be read (maximum recursion depth exceeded"),
        (b"", "submission_metadata.yml is empty; submissions are named by their folders"),
    ],
)
def test_a_broken_list_of_students_is_told_and_all_are_graded(tmp_path: Path, metadata: bytes, says: str) -> None:
    lay(tmp_path, {"submission_metadata.yml": metadata, "submission_1/many.c": MANY, "submission_2/many.c": MANY})
    assert names(find(tmp_path)) == ["submission_1", "submission_2"]
    assert [line[: len(says)] for line in said(tmp_path)] == [says]


@pytest.mark.long
def test_a_long_name_is_not_kept_once_for_each_alias(tmp_path: Path) -> None:
    person = "".join(
        f"    {key}: {letter * 100_000}\n" for key, letter in ((":name", "n"), (":sid", "7"), (":email", "e"))
    )
    text = f"submission_1:\n  :submitters:\n  - &p\n{person}" + "  - *p\n" * 1_500
    lay(tmp_path, {"submission_metadata.yml": text.encode(), "submission_1/many.c": MANY})
    tracemalloc.start()
    try:
        (found,) = find(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000, "450 MB more without a limit"
    finally:
        tracemalloc.stop()
    assert found.origin.people == (Person(name="n" * TEXT_CHARS, id="7" * TEXT_CHARS, email="e" * TEXT_CHARS),)


CANVAS = {
    "doejane_12345_678_many.c": MANY,
    "doejane_12345_679_single-1.c": SINGLE,
    "doejane_LATE_12346_680_many-2.c": b"a second try",
    "doejane_LATE_12346_681_many.c": b"the first",
    "roe_iii_99_700_lab.tgz": gzipped({f"lab/{name}": data for name, data in BOTH.items()}),
    "anon_XyZ12_800_many.c": MANY,
    "smith_77_text.html": b"",
}


@PLACED
def test_canvas_files_of_one_student_are_one_submission(tmp_path: Path, placed: object) -> None:
    assert callable(placed)
    found = {one.name: one for one in find(placed(tmp_path, CANVAS))}
    assert list(found) == ["anon_XyZ12", "doejane-12345", "doejane-12346", "roeiii-99", "smith-77"]
    assert {one.origin.system for one in found.values()} == {"canvas"}
    assert {name: one.origin.late for name, one in found.items()} == {
        "anon_XyZ12": False,
        "doejane-12345": False,
        "doejane-12346": True,
        "roeiii-99": False,
        "smith-77": False,
    }
    assert [name for name, one in found.items() if one.problem] == ["smith-77"]
    assert found["doejane-12345"].origin.people == (Person(name="doejane", id="12345"),)
    assert found["anon_XyZ12"].origin.people == (Person(name=""),), "Canvas's gradebook does not know such a code"
    assert read_submission(found["doejane-12345"], SPEC).sources == RIGHT
    assert read_submission(found["roeiii-99"], SPEC).sources == RIGHT
    assert read_submission(found["doejane-12346"], SPEC).sources["many"] == Source(b"a second try")


def test_the_later_attempt_at_canvas_counts_if_the_first_has_no_number(tmp_path: Path) -> None:
    files = {"doe_1_8_many.c": b"first", "doe_1_3_many-1.c": MANY, "doe_1_4_single-10.c": SINGLE}
    files["doe_1_5_single-9.c"] = b"earlier"
    [found] = find(in_folder(tmp_path, files))
    assert read_submission(found, SPEC).sources == RIGHT


def test_namesakes_of_two_course_systems_are_two(tmp_path: Path) -> None:
    files = {"doe_7_8_many.c": MANY, "doe_7_assignsubmission_file_single.c": SINGLE}
    found = find(in_folder(tmp_path, files))
    assert {(one.name, one.origin.system) for one in found} == {("doe-7", "canvas"), ("doe-7-2", "moodle")}


def test_what_of_an_export_is_no_program_is_told(tmp_path: Path) -> None:
    text = {**CANVAS, "roe_iii_99_text.html": b""}
    [line] = said(in_folder(tmp_path, text))
    assert line == f"left alone in {tmp_path / 'class'}: 1 that is not a submission: roe_iii_99_text.html"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Jane Doe_7_assignsubmission_onlinetext_/onlinetext.html", "just typed text"),
        ("Jane Doe_7_assignsubmission_onlinetext_onlinetext.html", "just typed text"),
        ("Jane Doe_7_assignsubmission_mahara_/x.html", "just mahara"),
        ("janedoe_7_text.html", "just typed text"),
        ("janedoe_LATE_7_8_text.html", "just typed text"),
        ("janedoe_7_link.html", "just a link"),
    ],
)
@PLACED
def test_a_student_without_files_is_listed_with_the_reason(
    tmp_path: Path, placed: object, name: str, problem: str
) -> None:
    assert callable(placed)
    system = "Bob_8_assignsubmission_file_/many.c" if "assign" in name else "bob_8_9_many.c"
    found = {one.name: one for one in find(placed(tmp_path, {name: b"<p>", system: MANY}))}
    assert list(found) == ["bob-8", "janedoe-7"]
    assert problem in found["janedoe-7"].problem
    with pytest.raises(GraderError, match="no file was handed in"):
        read_submission(found["janedoe-7"], SPEC)
    assert not found["bob-8"].problem


MOODLE_FOLDERS = {
    "Jane Doe_1234567_assignsubmission_file_/many.c": MANY,
    "Jane Doe_1234567_assignsubmission_file_/single.c": SINGLE,
    "Jane Doe_1234567_assignsubmission_onlinetext_/onlinetext.html": b"",
    "Jane Doe_1234568_assignsubmission_file/lab.zip": zipped(BOTH),
}
MOODLE_FILES = {
    "Jane Doe_1234567_assignsubmission_file_many.c": MANY,
    "Jane Doe_1234567_assignsubmission_file_single.c": SINGLE,
    "Jane Doe_1234567_assignsubmission_onlinetext_onlinetext.html": b"",
    "Jane Doe_1234568_assignsubmission_file_my_lab.zip": zipped(BOTH),
}


def test_a_student_s_folder_and_file_are_one_submission(tmp_path: Path) -> None:
    files = {"Eve_7_assignsubmission_file_/src/many.c": MANY, "Eve_7_assignsubmission_file_single.c": SINGLE}
    (eve,) = find(in_folder(tmp_path, files))
    assert read_submission(eve, SPEC).sources == RIGHT


def test_who_has_a_part_that_cannot_be_read_is_not_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str, _sources: object) -> NoReturn:
        raise GraderError(f"{folder} cannot be read")

    files = {"Eve_7_assignsubmission_file_/many.c": MANY, "Eve_7_assignsubmission_file_single.c": SINGLE}
    place = in_folder(tmp_path, files)
    monkeypatch.setattr("grader.intake.candidates.walk", refuse)
    (eve,) = find(place)
    with pytest.raises(NothingToGradeError, match="cannot be read"):
        read_submission(eve, SPEC)


@PLACED
@pytest.mark.parametrize("files", [MOODLE_FOLDERS, MOODLE_FILES], ids=["folders", "files"])
def test_moodle_names_participants(tmp_path: Path, placed: object, files: Files) -> None:
    assert callable(placed)
    found = {one.name: one for one in find(placed(tmp_path, files))}
    assert list(found) == ["janedoe-1234567", "janedoe-1234568"]
    jane = found["janedoe-1234567"]
    assert (jane.origin.system, jane.origin.late) == ("moodle", None)
    assert jane.origin.people == (Person(name="Jane Doe", id="1234567"),)
    assert read_submission(jane, SPEC).sources == RIGHT
    assert read_submission(found["janedoe-1234568"], SPEC).sources == RIGHT


@pytest.mark.parametrize("rest", ["/many.c", "_many.c"], ids=["folders", "files"])
def test_numbers_next_to_moodle_s_default_group_are_of_groups(tmp_path: Path, rest: str) -> None:
    names = ("Team A_17", "Team B_18", "Default group")
    files = {f"{name}_assignsubmission_file{rest}": MANY for name in names}
    found = find(in_folder(tmp_path, files))
    assert {one.name: one.origin.people for one in found} == {
        "Default group": (Person(name="Default group"),),
        "teama-17": (Person(name="Team A"),),
        "teamb-18": (Person(name="Team B"),),
    }


def test_a_moodle_name_with_somebody_else_s_number_in_it_does_not_get_that_number(tmp_path: Path) -> None:
    eve = "Jane Doe_1_assignsubmission_file_x"
    files = {"Jane Doe_1_assignsubmission_file_/many.c": MANY, f"{eve}_7_assignsubmission_file_/many.c": SINGLE}
    jane, other = find(in_folder(tmp_path, files))
    assert (jane.name, jane.origin.people) == ("janedoe-1", (Person(name="Jane Doe", id="1"),))
    assert other.origin.people == (Person(name=eve, id="7"),)
    assert read_submission(jane, SPEC).sources["many"] == Source(MANY)


@pytest.mark.parametrize(
    "hostile",
    [
        "Jane Doe_1_assignsubmission_file_x_7_assignsubmission_file_many.c",
        "Eve_7_assignsubmission_file_Jane Doe_1_assignsubmission_file_many.c",
    ],
    ids=["name", "file"],
)
def test_a_moodle_file_with_two_numbers_is_nobody_s_and_no_part_of_another_s(tmp_path: Path, hostile: str) -> None:
    found = find(in_folder(tmp_path, {"Jane Doe_1_assignsubmission_file_many.c": MANY, hostile: SINGLE}))
    assert len(found) == 2
    by_number = {person.id: one for one in found for person in one.origin.people}
    assert set(by_number) == {"1", ""}
    assert read_submission(by_number["1"], SPEC).sources["many"] == Source(MANY)


@pytest.mark.parametrize(
    "name",
    [
        b"caf\xe9_12_assignsubmission_file_/many.c",
        b"caf\xe9_12_assignsubmission_file_many.c",
        b"caf\xe9_12_34_many.c",
    ],
)
def test_a_course_system_s_names_in_broken_utf8_become_readable(tmp_path: Path, name: bytes) -> None:
    [found] = find(in_folder(tmp_path, {os.fsdecode(name): MANY}))
    assert found.name == "cafxe9-12"
    assert found.origin.people == (Person(name="caf\\xe9", id="12"),)
    found.origin.model_dump_json()
    assert read_submission(found, SPEC).sources["many"] == Source(MANY)


def test_github_classroom_s_folders_are_repositories(tmp_path: Path) -> None:
    repository = {
        ".git/HEAD": b"",
        ".git/many.c": b"no",
        ".github/x.yml": b"",
        "src/many.c": MANY,
        "src/single.c": SINGLE,
    }
    lay(tmp_path, {f"lab-{who}/{name}": data for who in ("ada", "bob") for name, data in repository.items()})
    found = find(tmp_path)
    assert names(found) == ["lab-ada", "lab-bob"]
    assert [one.origin.system for one in found] == [None, None]
    assert all(read_submission(one, SPEC).sources == RIGHT for one in found)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("wrap", ["", "submissions/"])
def test_an_archive_of_folders_and_archives_is_a_class(tmp_path: Path, suffix: str, wrap: str) -> None:
    files = {
        **{f"{wrap}ada/{name}": data for name, data in BOTH.items()},
        f"{wrap}bob.tgz": gzipped(BOTH),
        **{f"{wrap}cyd/lab2/{name}": data for name, data in BOTH.items()},
        f"{wrap}dan/lab.zip": zipped(BOTH),
        f"{wrap}readme.txt": b"",
    }
    found = find(in_archive(tmp_path, files, suffix))
    assert names(found) == ["ada", "bob", "cyd", "dan"]
    for one in (*found, *reversed(found)):
        assert read_submission(one, SPEC).sources == RIGHT


@pytest.mark.parametrize(
    "files",
    [
        BOTH,
        {f"lab2/{name}": data for name, data in BOTH.items()},
        {"src/many.c": MANY, "src/single.c": SINGLE, "doc/notes.txt": b""},
        {**BOTH, "old/many.c": b"", "older/many.c": b"", "lab.zip": b""},
    ],
)
@pytest.mark.parametrize("suffix", PACKERS)
def test_an_archive_with_sources_is_a_submission(tmp_path: Path, files: Files, suffix: str) -> None:
    [found] = find(in_archive(tmp_path, files, suffix))
    assert (found.name, found.origin.path) == ("class", str(tmp_path / f"class{suffix}"))
    assert read_submission(found, SPEC).sources == RIGHT


@pytest.mark.parametrize("wrap", ["", "lab2/"])
@pytest.mark.parametrize("suffix", [".zip", ".tgz"])
def test_students_whose_folder_in_an_archive_is_empty_are_listed_as_on_disk(
    tmp_path: Path, suffix: str, wrap: str
) -> None:
    files = {f"{wrap}{student}/{name}": data for student in ("ada", "bob") for name, data in BOTH.items()}
    files |= {f"{wrap}finder/.DS_Store": b"", f"{wrap}__MACOSX/ada/._many.c": b""}
    empty = tarfile.TarInfo(f"{wrap}empty")
    empty.type = tarfile.DIRTYPE
    path = tmp_path / f"class{suffix}"
    as_zip = suffix == ".zip"
    path.write_bytes(zipped({**files, f"{wrap}empty/": b""}) if as_zip else gzipped({**files, "empty": empty}))
    found = find(path)
    assert names(found) == ["ada", "bob", "empty", "finder"]
    assert [isinstance(read_submission(one, SPEC).sources["many"], Source) for one in found] == [1, 1, 0, 0]


def test_an_empty_folder_does_not_make_one_submission_a_class(tmp_path: Path) -> None:
    path = tmp_path / "ada.zip"
    path.write_bytes(zipped({**{f"src/{name}": data for name, data in BOTH.items()}, "bin/": b""}))
    assert names(find(path)) == ["ada"]
    assert said(path) == []


def test_accents_are_part_of_a_name_however_they_are_stored(tmp_path: Path) -> None:
    for form in ("NFC", "NFD"):
        name = normalize(form, "müllerjürgen_12_34_many.c")
        assert names(find(in_archive(tmp_path, {name: MANY}))) == ["müllerjürgen-12"]


def test_that_an_archive_of_folders_is_one_submission_is_told(tmp_path: Path) -> None:
    path = in_archive(tmp_path, {"src/many.c": MANY, "doc/notes.txt": b""})
    assert said(path) == [f"{path} was taken for one submission, as one folder in it holds sources; unpack a class"]
    path = in_archive(tmp_path, {"ada/many.c": MANY, "bob/Many.C": MANY})
    assert names(find(path)) == ["ada", "bob"]


def test_one_folder_in_an_archive_needs_no_message(tmp_path: Path) -> None:
    path = in_archive(tmp_path, {"src/many.c": MANY, "notes.txt": b""})
    assert (names(find(path)), said(path)) == (["class"], [])


@pytest.mark.parametrize("wrap", ["", "export/", "a/b/"])
def test_what_is_left_alone_in_an_archive_is_told_with_its_place(tmp_path: Path, wrap: str) -> None:
    link = tarfile.TarInfo(f"{wrap}dan")
    link.type, link.linkname = tarfile.SYMTYPE, "ada"
    path = tmp_path / "class.tgz"
    files = {f"{wrap}ada/many.c": MANY, f"{wrap}bob/many.c": MANY, f"{wrap}b.txt": b""}
    path.write_bytes(gzipped({**files, link.name: link}))
    place = str(path / wrap)
    assert said(path) == [f"left alone in {place}: 2 that are not submissions: b.txt, dan"]
    assert [one.origin.path for one in find(path)] == [f"{place}/ada", f"{place}/bob"]


def test_a_misspelt_source_in_an_archive_is_told_to_its_student(tmp_path: Path) -> None:
    assert names(find(in_archive(tmp_path, {"src/Many.C": MANY, "doc/notes.txt": b""}))) == ["class"]
    [found] = find(in_archive(tmp_path, {"Many.C": MANY}))
    source = read_submission(found, SPEC).sources["many"]
    assert isinstance(source, UnusableSource)
    assert source.problem.startswith("many.c is missing. The top of class.zip has Many.C: rename it to many.c")


def test_archives_among_folders_are_submissions_and_other_files_are_told(tmp_path: Path) -> None:
    lay(tmp_path, {"ada/many.c": MANY, "bob.zip": zipped(BOTH), "cyd.rar": b"Rar!", "b.txt": b"", "a.csv": b""})
    (tmp_path / "dan").symlink_to("ada")
    found = find(tmp_path)
    assert names(found) == ["ada", "bob", "cyd"]
    assert read_submission(found[1], SPEC).sources == RIGHT
    refused = read_submission(found[2], SPEC).sources["many"]
    assert isinstance(refused, UnusableSource)
    assert refused.problem.startswith("cyd.rar is a rar archive")
    assert said(tmp_path) == [f"left alone in {tmp_path}: 3 that are not submissions: a.csv, b.txt, dan"]


def test_of_several_paths_each_may_be_one_submission_or_many(tmp_path: Path) -> None:
    lay(tmp_path, {"ada/src/many.c": MANY, "bob/lab.zip": zipped(BOTH), "c/cyd/many.c": MANY, "c/dan/many.c": MANY})
    lay(tmp_path, {"empty/readme": b"", "eve.zip": zipped(BOTH), "fay/v1/many.c": MANY, "fay/v2/many.c": MANY})
    lay(tmp_path, {"gus/many/many.c": MANY, "gus/single/single.c": SINGLE})
    lay(tmp_path, {"hal.zip": zipped({"lab v1/many.c": MANY, "lab v2/many.c": MANY})})
    paths = [tmp_path / name for name in ("ada", "bob", "empty", "c", "eve.zip", "eve.zip", "fay", "gus", "hal.zip")]
    assert names(find(*paths)) == ["ada", "bob", "empty", "cyd", "dan", "eve", "fay", "gus", "hal"]
    assert names(find(tmp_path / "bob")) == ["lab"]


def test_of_several_paths_what_may_be_of_several_students_is_a_class_or_told(tmp_path: Path) -> None:
    lay(tmp_path / "week1", {"hw (1).zip": zipped(BOTH), "hw (2).zip": zipped(BOTH)})
    lay(tmp_path / "lab2-submissions", {"lab2-ada/many.c": MANY, "lab2-bob/single.c": SINGLE})
    lay(tmp_path / "gus", {"many/many.c": MANY, "single/single.c": SINGLE})
    paths = [tmp_path / name for name in ("week1", "lab2-submissions", "gus")]
    lines: list[str] = []
    found = find_submissions(paths, SPEC, notify=lines.append)
    assert names(found) == ["hw (1)", "hw (2)", "lab2-ada", "lab2-bob", "gus"]
    [line] = lines
    assert line.endswith(
        "was taken for one submission with many, single; if these are of several students, give its path alone"
    )


@pytest.mark.parametrize("around", ["", "term/"])
def test_a_cloned_class_is_a_class_even_if_one_student_has_handed_in(tmp_path: Path, around: str) -> None:
    files = {"lab2-submissions/lab2-ada/many.c": MANY, "lab2-submissions/lab2-bob/.git/HEAD": b""}
    files = {f"{around}{name}": data for name, data in files.items()}
    folder = lay(tmp_path / "here", files)
    for path in (folder, folder / around / "lab2-submissions", in_archive(tmp_path, files)):
        assert names(find(path)) == ["lab2-ada", "lab2-bob"]


def test_a_folder_that_the_grader_may_not_read_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"c/ada/many.c": MANY, "c/bob/many.c": MANY, "c/cyd/many.c": MANY, "dan/many.c": MANY})
    real = os.scandir

    def refuse_bob(path: str | Path) -> object:
        if str(path).endswith("bob"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", refuse_bob)
    ada, bob, *_ = found = find(tmp_path / "c", tmp_path / "dan")
    assert names(found) == ["ada", "bob", "cyd", "dan"]
    assert read_submission(ada, SPEC).sources["many"] == Source(MANY)
    with pytest.raises(GraderError, match="bob cannot be read: Permission denied"):
        read_submission(bob, SPEC)


def test_names_do_not_depend_on_the_order_in_which_a_file_system_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"ada.zip": zipped(BOTH), "ada/many.c": MANY, "Ada/many.c": MANY, "ADA.tgz": gzipped(BOTH)})
    before = [(one.name, one.origin.path) for one in find(tmp_path)]
    assert [name for name, _ in before] == ["ADA", "Ada-2", "ada-3", "ada-4"]
    real = os.scandir

    class Shuffled:
        def __init__(self, path: Path) -> None:
            with real(path) as entries:
                self.entries = list(entries)

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries[::-1]

        def __exit__(self, *_: object) -> None:
            return

    monkeypatch.setattr("os.scandir", Shuffled)
    assert [(one.name, one.origin.path) for one in find(tmp_path)] == before


def test_a_name_is_always_fit_for_a_folder(tmp_path: Path) -> None:
    odd = [*RESERVED_NAMES, "x" * 250, "x" * 249 + "y", "é" * 125, "a\nb", os.fsdecode(b"caf\xe9"), "-rf", "caf\\xe9"]
    lay(tmp_path, {f"{name}/many.c": MANY for name in odd})
    found = names(find(tmp_path))
    assert len({name.casefold() for name in found}) == len(odd)
    assert not {name.casefold() for name in found} & set(RESERVED_NAMES)
    assert all(0 < len(name.encode("utf-8")) <= NAME_BYTES and "/" not in name for name in found)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "class.zip: neither many.c nor single.c, nor folders or archives that may hold them"),
        ({"readme.txt": b""}, "class.zip: neither many.c nor single.c, nor folders or archives that may hold them"),
        ({"a/b/c/d/many.c": b"", "a/x": b""}, "that may hold them; a/b/c/d/many.c lies deeper than anybody looks"),
    ],
)
def test_an_archive_with_nothing_to_grade_is_told(tmp_path: Path, files: Files, says: str) -> None:
    with pytest.raises(UsageError) as told:
        find(in_archive(tmp_path, files))
    assert str(told.value).endswith(says)


def test_a_class_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(b"PK\3\4 and no more")
    with pytest.raises(UsageError, match=r"class\.zip is damaged \(File is not a zip file\); pack it again"):
        find(tmp_path / "class.zip")


def test_an_archive_that_a_disk_cannot_give_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> NoReturn:
        raise OSError(5, "Input/output error")

    path = in_archive(tmp_path, BOTH)
    monkeypatch.setattr("grader.intake.archive.files_of", fail)
    with pytest.raises(UsageError) as told:
        find(path)
    assert str(told.value) == f"{path} cannot be read: Input/output error"


def test_a_folder_that_the_grader_may_not_list_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(UsageError) as told:
        find(tmp_path)
    assert str(told.value) == f"{tmp_path} cannot be read: Permission denied"


def test_a_path_may_be_a_link(tmp_path: Path) -> None:
    in_archive(tmp_path, BOTH).rename(tmp_path / "ada.zip")
    lay(tmp_path, {"real/many.c": MANY})
    (tmp_path / "one.zip").symlink_to("ada.zip")
    (tmp_path / "two").symlink_to("real")
    found = find(tmp_path / "one.zip", tmp_path / "two")
    assert names(found) == ["ada", "real"]
    assert [read_submission(one, SPEC).sources["many"] for one in found] == [Source(MANY)] * 2


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
@pytest.mark.parametrize("suffix", PACKERS)
def test_an_archive_closes_with_the_last_of_its_submissions(tmp_path: Path, suffix: str) -> None:
    files = {"ada/many.c": MANY, "bob/lab.tgz": gzipped(BOTH), "noise/random": os.urandom(9_000_000)}
    path = in_archive(tmp_path, files, suffix)
    gc.collect()
    before = open_files()
    found = find(path)
    last = found.pop()
    assert read_submission(last, SPEC).sources
    del found
    assert open_files() > before
    del last
    gc.collect()
    assert open_files() == before


def test_what_cannot_be_read_before_anything_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = in_archive(tmp_path, BOTH)
    lay(tmp_path / "export", SUBMISSIONS)

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(UsageError, match=r"class\.zip cannot be read: Permission denied"):
        find(archive)
    [line] = said(tmp_path / "export")
    assert line.endswith(
        "submission_metadata.yml cannot be read: Permission denied; submissions are named by their folders"
    )
    assert len(find(tmp_path / "export")) == 3


@pytest.fixture
def mark(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The mark of our own results, of a user of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("home")))
    found = new_mark()
    assert found is not None
    return found


def results(folder: str, mark: bytes) -> Files:
    return {f"{folder}/ada/report.html": b"", f"{folder}/{GRADEBOOK}": b"", f"{folder}/{RESULTS_MARK}": mark}


def test_results_may_lie_among_the_submissions(tmp_path: Path, mark: bytes) -> None:
    lay(tmp_path, {"ada/many.c": MANY, "bob.zip": zipped(BOTH), **results("out", mark)})
    assert names(find_submissions([tmp_path], SPEC, leave_out=tmp_path / "out")) == ["ada", "bob"]
    lay(tmp_path, {"one/bob.zip": zipped(BOTH)})
    assert names(find_submissions([tmp_path / "one" / "bob.zip"], SPEC, leave_out=tmp_path / "one")) == ["bob"]


def test_a_folder_of_results_is_no_submission(tmp_path: Path, mark: bytes) -> None:
    lay(tmp_path, {"ada/many.c": MANY, **results("first", mark)})
    (tmp_path / "out").mkdir()
    told: list[str] = []
    for _ in range(2):
        found = find_submissions([tmp_path], SPEC, leave_out=tmp_path / "out", notify=told.append)
        assert names(found) == ["ada"]
        lay(tmp_path, results("out", mark))
    assert told == [f"left alone in {tmp_path}: 1 that is not a submission: first"] * 2
    assert names(find_submissions([tmp_path], SPEC)) == ["ada"]
    assert names(find_submissions([tmp_path / "ada"], SPEC, leave_out=tmp_path / "elsewhere")) == ["ada"]


@pytest.mark.parametrize(
    ("paths", "results", "says"),
    [
        (["."], ".", "PATH/. is where the submissions are"),
        (["ada"], "ada", "PATH/ada is where the submissions are"),
        (["."], "ada", "PATH/ada is among the submissions"),
        (["ada"], ".", "results would be written into PATH/ada"),
        (["out"], "out", "PATH/out is where the submissions are"),
    ],
)
def test_results_are_never_written_into_a_submission(
    tmp_path: Path, paths: list[str], results: str, says: str
) -> None:
    lay(tmp_path, {"ada/many.c": MANY, "bob/many.c": MANY, "out/notes.txt": b""})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError) as told:
        find_submissions([tmp_path / path for path in paths], SPEC, leave_out=tmp_path / results)
    place = says.replace("PATH/.", str(tmp_path)).replace("PATH", str(tmp_path))
    assert str(told.value) == f"{place}; choose another folder for results"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["class", "class/inner"])
def test_results_of_a_student_with_the_name_of_the_class_are_not_written_into_it(tmp_path: Path, place: str) -> None:
    lay(tmp_path / place, {"class/many.c": MANY, "bob/many.c": MANY})
    with pytest.raises(UsageError, match=r"results of .*/class would be written into .*/class; choose another"):
        find_submissions([tmp_path / place], SPEC, leave_out=tmp_path)


FORGED = (GRADEBOOK, "GradeBook.SQLite", f"{GRADEBOOK}-journal", f"{GRADEBOOK}-wal", "index.html", "similar.html")


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("more", [{}, {"lab.zip": zipped(BOTH)}, {"many.c": MANY}, {RESULTS_MARK: b"0 0\n"}])
@pytest.mark.parametrize(
    ("paths", "out"),
    [
        (["class"], "class/eve"),
        (["class"], "class/eve/deep/er"),
        (["class"], "class/link"),
        (["class"], "class/../class/eve"),
        (["class"], "link"),
        (["link to class"], "class/eve"),
        (["class"], "link to class/eve"),
        # Next to submissions there may be others.
        (["class/ada", "class/bob.zip"], "class/eve"),
        (["class/eve/lab.tgz"], "class/eve"),
        (["class/eve/lab.tgz"], "class/eve/deep"),
        (["class/eve/lab"], "class/eve/deep"),
    ],
)
@pytest.mark.usefixtures("mark")
def test_what_may_be_a_student_s_is_never_read_as_results(
    tmp_path: Path, forged: str, more: Files, paths: list[str], out: str
) -> None:
    lay(tmp_path, {"class/ada/many.c": MANY, "class/bob.zip": zipped(BOTH), "class/eve/lab.tgz": gzipped(BOTH)})
    lay(tmp_path, {"class/eve/lab/v1/many.c": MANY})
    place = tmp_path / ("class/eve" if "link" in out else out)
    place.mkdir(parents=True, exist_ok=True)
    (tmp_path / "class" / "link").symlink_to(place)
    (tmp_path / "link").symlink_to(place)
    (tmp_path / "link to class").symlink_to("class")
    lay(place, {**more, forged: b"forged"})
    with pytest.raises(UsageError, match=r"may be a student's, .* choose another folder for results"):
        find_submissions([tmp_path / path for path in paths], SPEC, leave_out=tmp_path / out)


@pytest.mark.parametrize("out", ["out", "class/ada/out", "class/out", "class/link"])
def test_our_own_results_may_be_anywhere(tmp_path: Path, mark: bytes, out: str) -> None:
    lay(tmp_path, {"class/ada/many.c": MANY, "class/bob/many.c": MANY, **results("elsewhere", mark)})
    (tmp_path / "class" / "link").symlink_to("../elsewhere")
    lay(tmp_path / out, results(".", mark))
    assert names(find_submissions([tmp_path / "class"], SPEC, leave_out=tmp_path / out)) == ["ada", "bob"]
    # What is in no student's reach needs no mark: another user, or an older grader, may have made it.
    lay(tmp_path, {"shared/gradebook.sqlite": b""})
    assert len(find_submissions([tmp_path / "class"], SPEC, leave_out=tmp_path / "shared")) >= 2


def test_the_mark_of_another_user_and_a_link_to_a_mark_prove_nothing(
    tmp_path: Path, mark: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"class/ada/many.c": MANY, **results("class/out", mark), **results("elsewhere", mark)})
    (tmp_path / "class" / "out" / RESULTS_MARK).unlink()
    (tmp_path / "class" / "out" / RESULTS_MARK).symlink_to(tmp_path / "elsewhere" / RESULTS_MARK)
    with pytest.raises(UsageError, match="may be a student's"):
        find_submissions([tmp_path / "class"], SPEC, leave_out=tmp_path / "class" / "out")
    (tmp_path / "class" / "out" / RESULTS_MARK).unlink()
    lay(tmp_path, results("class/out", mark))
    assert names(find_submissions([tmp_path / "class"], SPEC, leave_out=tmp_path / "class" / "out")) == ["ada"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another home"))
    with pytest.raises(UsageError, match="may be a student's"):
        find_submissions([tmp_path / "class"], SPEC, leave_out=tmp_path / "class" / "out")


@PLACED
@pytest.mark.parametrize(
    ("work", "is_graded"),
    [({"lab.zip": zipped(BOTH)}, True), ({"Many.c": MANY}, True), ({"many.c": MANY}, True), ({}, False)],
)
def test_nobody_vanishes_because_of_a_gradebook(
    tmp_path: Path, placed: object, work: Files, *, is_graded: bool
) -> None:
    assert callable(placed)
    files = {f"eve/{name}": data for name, data in {**work, GRADEBOOK: b"", "index.html": b""}.items()}
    path = placed(tmp_path, {"ada/many.c": MANY, "bob/many.c": MANY, **files})
    assert names(find(path)) == ["ada", "bob", "eve"]
    assert said(path) == []
    if is_graded:
        assert set(read_submission(find(path)[-1], SPEC).sources) == {"many", "single"}
    else:
        with pytest.raises(NothingToGradeError, match=r"holds a gradebook\.sqlite, and nothing"):
            read_submission(find(path)[-1], SPEC)


def test_a_class_of_nothing_but_results_is_nothing_to_grade(tmp_path: Path, mark: bytes) -> None:
    lay(tmp_path, results("out", mark))
    with pytest.raises(UsageError, match="nothing to grade"):
        find_submissions([tmp_path], SPEC, leave_out=tmp_path / "out")


@pytest.mark.timeout(60)
def test_a_thousand_folders_are_found_and_read_at_once(tmp_path: Path) -> None:
    lay(tmp_path, {f"s{number:04}/{name}": data for number in range(1000) for name, data in BOTH.items()})
    found = find(tmp_path)
    assert all(read_submission(one, SPEC).sources == RIGHT for one in found)
    assert len(found) == 1000


@pytest.mark.long
@pytest.mark.timeout(60)
@pytest.mark.parametrize("suffix", [".zip", ".tgz"])
def test_an_archive_of_a_thousand_is_opened_once(tmp_path: Path, suffix: str) -> None:
    inner = zipped(BOTH)
    path = in_archive(tmp_path, {f"s{number:04}.zip": inner for number in range(1000)}, suffix)
    found = find(path)
    assert all(read_submission(one, SPEC).sources == RIGHT for one in found)
    assert len(found) == 1000


def attempt(  # noqa: PLR0913 - the parts of a name
    user: str, date: str, files: Files, name: str = "", *, word: str = "attempt", lab: str = "Lab 2"
) -> Files:
    """Return the files of an attempt as Blackboard names them, with its text file if the student's name is given."""
    head = f"{lab}_{user}_{word}_{date}"
    text = {f"{head}.txt": f"Name: {name} ({user})\nAssignment: {lab}\n".encode()} if name else {}
    return {**text, **{f"{head}_{file}": data for file, data in files.items()}}


BLACKBOARD = {
    **attempt("jdoe1", "2026-05-04-23-11-02", BOTH, "Jane Doe"),
    **attempt("r_roe2", "2026-05-04-20-00-00", {"lab.zip": zipped(BOTH)}, "Rick Roe"),
}
D2L_FILES = {
    "index.html": b"",
    **{f"105241-77001 - Jane Doe - May 4, 2026 1010 PM - {name}": data for name, data in BOTH.items()},
    "105242-77001 - Rick Roe - May 4, 2026 900 PM - lab.zip": zipped(BOTH),
}


LAYOUTS: Mapping[str, Files] = {
    "folders": {f"lab2-{who}/{name}": data for who in ("jdoe1", "rroe2") for name, data in BOTH.items()},
    "deeper folders": {f"{who}/lab2/src/many.c": MANY for who in ("ada", "bob", "cyd")},
    "archives": {"ada.zip": zipped(BOTH), "bob.tgz": gzipped(BOTH)},
    "folders of archives": {"ada/lab.zip": zipped(BOTH), "bob/lab.zip": zipped({"x/many.c": MANY})},
    "numbered": {f"{number}/{name}": data for number in range(1, 12) for name, data in BOTH.items()},
    "one without sources": {"ada/many.c": MANY, "bob/many.c": MANY, "cyd/notes.txt": b""},
    "Sakai": {
        "grades.csv": b"",
        **{f"Doe, {who}({who})/timestamp.txt": b"2026" for who in ("jane", "joe")},
        **{f"Doe, {who}({who})/Submission attachment(s)/many.c": MANY for who in ("jane", "joe")},
    },
    "D2L": {
        "index.html": b"",
        "105241-77001 - Jane Doe - May 4, 2026 1010 PM/many.c": MANY,
        "105242-77001 - Rick Roe - May 4, 2026 900 PM/many.c": MANY,
    },
    "Submitty": {
        **{f"{who}/{version}/many.c": MANY for who in ("jdoe", "rroe") for version in (1, 2)},
        **{f"{who}/user_assignment_settings.json": b'{"active_version": 1}' for who in ("jdoe", "rroe")},
    },
    "OpenOLAT": {
        "solutions/many.c": SINGLE,
        **{f"{who}/2_submissions/many.c": MANY for who in ("doe_jane", "roe_rick")},
        **{f"{who}/3_corrections/{name}": SINGLE for who in ("doe_jane", "roe_rick") for name in BOTH},
    },
    "Blackboard": BLACKBOARD,
    "D2L files": D2L_FILES,
    "Gradescope": SUBMISSIONS,
    "Canvas": CANVAS,
    "Moodle folders": MOODLE_FOLDERS,
    "Moodle files": MOODLE_FILES,
}


@pytest.mark.parametrize("wrap", ["", "lab2-submissions/", "a/b/"])
@pytest.mark.parametrize("beside", [{}, {"lab.yaml": b"", "task.pdf": b""}], ids=["alone", "with files"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_class_is_the_same_as_a_folder_and_as_an_archive(
    tmp_path: Path, layout: str, wrap: str, beside: Files
) -> None:
    files = {**beside, **{f"{wrap}{name}": data for name, data in LAYOUTS[layout].items()}}
    plain = find(lay(tmp_path / "plain", LAYOUTS[layout]))
    folder = lay(tmp_path / "here" / "class", files)
    forms = [folder, in_archive(tmp_path, files), in_archive(tmp_path, files, ".tgz")]
    assert len(plain) > 1
    for path in forms:
        found = find(path)
        assert names(found) == names(plain)
        assert [one.origin.people for one in found] == [one.origin.people for one in plain]
        assert [one.problem or read_submission(one, SPEC).sources for one in found] == [
            one.problem or read_submission(one, SPEC).sources for one in plain
        ]
    assert names(find(folder, lay(tmp_path / "zoe", {"many.c": MANY}))) == [*names(plain), "zoe"]


@pytest.mark.parametrize("empty", ["tmp/", "tmp/a/b/", "tmp/.DS_Store", "tmp/.git/HEAD"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_without_files_next_to_a_class_does_not_hide_it_and_is_reported(
    tmp_path: Path, empty: str, *, packed: bool
) -> None:
    files = {f"exports/{who}/{name}": data for who in ("alice", "bob") for name, data in BOTH.items()}
    if packed:
        path = in_archive(tmp_path, {**files, empty: b""})
    else:
        path = in_folder(tmp_path, files if empty.endswith("/") else {**files, empty: b""})
        (path / empty).parent.mkdir(parents=True, exist_ok=True)
        (path / "tmp").mkdir(exist_ok=True)
    assert names(find(path)) == ["alice", "bob"]
    assert said(path) == [f"left alone in {path}: 1 that is not a submission: tmp"]


def test_an_archive_next_to_a_class_in_a_folder_of_its_own_is_reported(tmp_path: Path) -> None:
    files = {f"exports/{who}/many.c": MANY for who in ("alice", "bob")}
    path = in_folder(tmp_path, {**files, "exports.zip": zipped(files)})
    assert names(find(path)) == ["alice", "bob"]
    assert said(path) == [f"left alone in {path}: 1 that is not a submission: exports.zip"]


@pytest.mark.parametrize("huge", ["exports", "tmp"])
def test_a_folder_with_more_files_than_are_looked_at_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, huge: str
) -> None:
    monkeypatch.setattr("grader.intake.walk.FILES", 20)
    path = lay(tmp_path / "dl", {f"exports/{who}/many.c": MANY for who in ("alice", "bob")})
    (path / "tmp").mkdir()
    lay(path, {f"{huge}/bob/{number}.txt": b"" for number in range(30)})
    assert names(find(path)) == (["alice", "bob"] if huge == "exports" else ["exports", "tmp"])


def test_a_folder_that_cannot_be_read_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lay(tmp_path / "class", {"ada/v1/many.c": MANY, "ada/v2/many.c": MANY, "bob/many.c": MANY})
    real = os.scandir

    def refuse_bob(path: str | Path) -> object:
        if str(path).endswith("bob"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", refuse_bob)
    assert names(find(path)) == ["ada", "bob"]


IMITATED: Mapping[str, Files] = {
    "Gradescope": {
        "submission_metadata.yml": b"submission_1:\n  :submitters:\n  - :name: John Roe\n    :sid: 999\n",
        "submission_1/many.c": MANY,
    },
    "Canvas": {"roejohn_999_1_many.c": MANY, "roejohn_999_2_single.c": SINGLE},
    "Moodle": {"John Roe_999_assignsubmission_file_/many.c": MANY},
    "Blackboard": attempt("jroe", "2026-05-04-23-11-02", BOTH, "John Roe"),
    "D2L": {"1-999 - John Roe - May 4, 2026 100 PM - many.c": MANY},
}
"""What a student can put into a folder to be taken for another student."""


@pytest.mark.parametrize("place", ["class", "class/alice", "class.zip", "alice.zip"])
@pytest.mark.parametrize("system", IMITATED)
def test_that_names_in_a_submission_say_whose_it_is_is_doubtful(tmp_path: Path, place: str, system: str) -> None:
    lay(tmp_path / "class" / "alice", IMITATED[system])
    (tmp_path / "alice.zip").write_bytes(zipped(IMITATED[system]))
    (tmp_path / "class.zip").write_bytes(zipped({f"alice/{name}": data for name, data in IMITATED[system].items()}))
    [found] = find(tmp_path / place)
    assert found.origin.system == system.lower()
    submission = read_submission(found, SPEC)
    [doubt] = submission.doubts
    assert f"an export of {system}" in doubt
    assert doubt in submission.notes


@PLACED
@pytest.mark.parametrize("export", ["Gradescope", "Canvas", "Moodle files", "Blackboard", "D2L files"])
def test_an_export_in_a_folder_of_its_own_is_reported(tmp_path: Path, placed: object, export: str) -> None:
    assert callable(placed)
    path = placed(tmp_path, LAYOUTS[export])
    is_wrapped = placed in (in_wrapped_folder, in_wrapped_archive)
    assert sum("was read as an export of" in line for line in told(path)) == is_wrapped
    assert not any(read_submission(found, SPEC).doubts for found in find(path) if not found.problem)


@pytest.mark.parametrize("placed", [in_wrapped_folder, in_wrapped_archive])
@pytest.mark.parametrize("own", [{"many.c": b""}, {"1/many.c": b"", "user_assignment_settings.json": b"{}"}], ids=len)
@pytest.mark.parametrize("system", IMITATED)
def test_a_student_s_work_with_an_export_s_names_next_to_it_is_the_student_s(
    tmp_path: Path, placed: object, system: str, own: Files
) -> None:
    assert callable(placed)
    path = placed(tmp_path, {**IMITATED[system], **own})
    [found] = find(path)
    assert (found.origin.system, found.origin.people) == (None, ())
    assert any("assignment_1_export was taken for one submission" in line for line in said(path))


@pytest.mark.parametrize("layout", ["Submitty", "OpenOLAT"])
@pytest.mark.parametrize("suffix", ["", ".zip", ".tgz"])
def test_the_folders_of_one_student_are_one_submission(tmp_path: Path, layout: str, suffix: str) -> None:
    inside = [name.partition("/") for name in LAYOUTS[layout]]
    student = next(top for top, _, _ in inside if top != "solutions")
    own = {below: LAYOUTS[layout][f"{top}/{below}"] for top, _, below in inside if top == student}
    for wrap in ("", f"{student}/"):
        files = {f"{wrap}{name}": data for name, data in own.items()}
        path = in_archive(tmp_path, files, suffix) if suffix else lay(tmp_path / (wrap or "alone"), files)
        [found] = find(path)
        assert read_submission(found, SPEC).sources["many"] == Source(MANY)


# An archive in an archive is not read.
@pytest.mark.parametrize(("suffix", "wrap"), [("", ""), ("", "alice/"), (".zip", "alice/")])
@pytest.mark.parametrize(
    "own", [{"mine.zip": zipped(BOTH)}, {"many.c": MANY}, {"1_task/many.c": MANY, "2_task/single.c": SINGLE}]
)
def test_a_folder_of_the_course_next_to_a_student_s_work_makes_no_class(
    tmp_path: Path, suffix: str, wrap: str, own: Files
) -> None:
    files = {f"{wrap}{name}": data for name, data in {"1_task/task.pdf": b"", **own}.items()}
    [found] = find(in_archive(tmp_path, files) if suffix else in_folder(tmp_path, files))
    assert read_submission(found, SPEC).sources["many"] == Source(MANY)


def test_solutions_next_to_students_folders_are_left_alone_and_reported(tmp_path: Path) -> None:
    path = lay(tmp_path / "class", LAYOUTS["OpenOLAT"])
    assert said(path) == [f"left alone in {path}: 1 that is not a submission: solutions"]
    assert names(find(lay(tmp_path / "other", {"solutions/many.c": MANY, "ada/many.c": MANY}))) == [
        "ada",
        "solutions",
    ]


def test_files_around_a_class_are_reported(tmp_path: Path) -> None:
    files = {"lab.yaml": b"", "lab2/notes.txt": b"", "lab2/ada/many.c": MANY, "lab2/bob/many.c": MANY}
    path = lay(tmp_path / "class", files)
    assert said(path) == [
        f"left alone in {path}: 1 that is not a submission: lab.yaml",
        f"left alone in {path}/lab2: 1 that is not a submission: notes.txt",
    ]


def test_a_folder_that_may_be_a_class_of_one_is_reported(tmp_path: Path) -> None:
    path = lay(tmp_path / "class", {"lab2/ada/many.c": MANY, "lab2/bob/notes.txt": b""})
    assert names(find(path)) == ["lab2"]
    [line] = said(path)
    assert line.startswith(f"{path}/lab2 was taken for one submission")
    assert names(find(path / "lab2")) == ["ada", "bob"]


@PLACED
def test_blackboard_s_files_of_one_student_are_one_submission(tmp_path: Path, placed: object) -> None:
    assert callable(placed)
    found = find(placed(tmp_path, BLACKBOARD))
    assert names(found) == ["janedoe-jdoe1", "rickroe-r_roe2"]
    assert [one.origin.people for one in found] == [
        (Person(name="Jane Doe", id="jdoe1"),),
        (Person(name="Rick Roe", id="r_roe2"),),
    ]
    assert [one.origin.system for one in found] == ["blackboard"] * 2
    assert found[0].origin.submitted_at == "2026-05-04 23:11:02"
    assert all(read_submission(one, SPEC).sources == RIGHT for one in found)


@PLACED
@pytest.mark.parametrize("lab", ["Lab 2", "lab_2_17", "Übung_3_attempt", "x"])
@pytest.mark.parametrize("word", ["attempt", "poging", "Versuch"])
def test_blackboard_s_users_are_known_without_text_files(tmp_path: Path, placed: object, lab: str, word: str) -> None:
    assert callable(placed)
    users = ("jane_doe", "bob", "b.c@example.edu")
    files = {
        name: data
        for user in users
        for name, data in attempt(user, "2026-05-04-23-11-02", BOTH, word=word, lab=lab).items()
    }
    found = find(placed(tmp_path, files))
    assert {one.origin.people[0].id for one in found} == set(users)
    assert all(read_submission(one, SPEC).sources == RIGHT for one in found)


EARLIER, LATER = {"many.c": b"old", "single.c": b"old", "extra.c": b""}, {"many.c": MANY}
ATTEMPTS: Mapping[str, Files] = {
    "Blackboard": {**attempt("jd", "2026-05-04-09-00-00", EARLIER), **attempt("jd", "2026-05-04-10-00-00", LATER)},
    "Blackboard's archives": {
        **attempt("jd", "2026-05-04-09-00-00", {"tr2.zip": zipped(EARLIER)}, "Jane Doe"),
        **attempt("jd", "2026-05-04-10-00-00", {"tr2.zip": zipped(LATER)}, "Jane Doe"),
    },
    "D2L's files": {
        **{f"1-2 - Jane Doe - May 4, 2026 1010 AM - {name}": data for name, data in EARLIER.items()},
        **{f"1-2 - Jane Doe - May 4, 2026 900 PM - {name}": data for name, data in LATER.items()},
    },
    "D2L's folders": {
        **{f"1-2 - Jane Doe - Apr 30, 2026 1010 PM/{name}": data for name, data in EARLIER.items()},
        **{f"1-2 - Jane Doe - May 4, 2026 100 AM/{name}": data for name, data in LATER.items()},
    },
}


@PLACED
@pytest.mark.parametrize("system", ATTEMPTS)
def test_two_attempts_of_a_student_are_never_mixed_and_the_last_counts(
    tmp_path: Path, placed: object, system: str
) -> None:
    assert callable(placed)
    path = placed(tmp_path, ATTEMPTS[system])
    [found] = find(path)
    submission = read_submission(found, SPEC)
    assert submission.sources["many"] == Source(MANY)
    assert isinstance(submission.sources["single"], UnusableSource)
    [line] = said(path)
    assert "the last attempt of each student is graded" in line


@PLACED
@pytest.mark.parametrize(
    ("last", "counts", "doubt"),
    [
        ({}, "old", "the last attempt has no file, so an earlier one counts"),
        ({"many.c": MANY}, MANY.decode(), "the last attempt counts and lacks single.c, which an earlier one has"),
        ({"many.c": MANY, "single.c": MANY}, MANY.decode(), ""),
        ({"notes.txt": b"", "tr2.zip": zipped(BOTH)}, MANY.decode(), ""),
    ],
    ids=["text", "part", "whole", "archive"],
)
def test_an_earlier_attempt_that_may_be_meant_is_told(
    tmp_path: Path, placed: object, last: Files, counts: str, doubt: str
) -> None:
    assert callable(placed)
    files = {
        **attempt("jd", "2026-05-04-09-00-00", EARLIER, "Jane Doe"),
        **attempt("jd", "2026-05-04-10-00-00", last, "Jane Doe"),
        **attempt("bo", "2026-05-04-10-00-00", BOTH, "Bo"),
    }
    [jane] = (found for found in find(placed(tmp_path, files)) if found.name == "janedoe-jd")
    submission = read_submission(jane, SPEC)
    assert submission.sources["many"] == Source(counts.encode())
    assert [words.partition(";")[0] for words in submission.doubts] == ([doubt] if doubt else [])


@PLACED
@pytest.mark.parametrize("system", ["D2L's files", "D2L's folders"])
def test_a_program_that_only_an_earlier_attempt_has_is_told_in_files_and_in_folders(
    tmp_path: Path, placed: object, system: str
) -> None:
    assert callable(placed)
    [jane] = find(placed(tmp_path, ATTEMPTS[system]))
    assert "lacks single.c, which an earlier one has" in jane.doubt


def dated(*dates: str, between: str) -> dict[str, bytes]:
    """Return the attempts of a student at D2L, of which the last is right."""
    contents = [*[dict.fromkeys(BOTH, b"old")] * (len(dates) - 1), BOTH]
    return {
        f"1-2 - Jane Doe - {date}{between}{name}": data
        for date, files in zip(dates, contents, strict=True)
        for name, data in files.items()
    }


@pytest.mark.parametrize("between", [" - ", "/"])
@pytest.mark.parametrize(
    "dates",
    [
        ("4. Mai 2026 1010", "5. Mai 2026 0100"),
        ("30 avril 2026 22 10", "1 mai 2026 9 10"),
        ("31 de dezembro de 2025 22:10", "1 de janeiro de 2026 9:10"),
        ("4 août 2026 2210", "1 sept. 2026 0910"),
    ],
)
def test_dates_may_be_in_the_language_of_the_course(tmp_path: Path, dates: tuple[str, ...], between: str) -> None:
    [jane] = find(lay(tmp_path, dated(*dates, between=between)))
    submission = read_submission(jane, SPEC)
    assert submission.sources == RIGHT
    assert not any("cannot be read" in doubt for doubt in submission.doubts)
    assert jane.origin.submitted_at.startswith("2026-")


@pytest.mark.parametrize("between", [" - ", "/"])
@pytest.mark.parametrize(
    "dates", [("4 maja 2026 1010", "5 maja 2026 0910"), ("04-05-2026", "05-04-2026"), ("4 maja 2026", "May 5, 2026")]
)
def test_attempts_whose_dates_cannot_be_read_are_one_submission_and_a_doubt(
    tmp_path: Path, dates: tuple[str, ...], between: str
) -> None:
    [jane] = find(lay(tmp_path, dated(*dates, between=between)))
    submission = read_submission(jane, SPEC)
    assert submission.sources == RIGHT
    [doubt] = (doubt for doubt in submission.doubts if "dates of attempts cannot be read" in doubt)
    assert "overrides.yaml" in doubt
    [jane] = find(lay(tmp_path / "one", dated(dates[0], between=between)))
    assert "cannot be read" not in jane.doubt


def test_an_attempt_without_a_file_is_listed(tmp_path: Path) -> None:
    files = {
        **attempt("jd", "2026-05-04-09-00-00", {}, "Jane Doe"),
        **attempt("bo", "2026-05-04-09-00-00", BOTH, "Bo"),
    }
    bo, jane = find(lay(tmp_path, files))
    assert (bo.problem, jane.name) == ("", "janedoe-jd")
    assert jane.problem.startswith("no file was handed in, just the text of Blackboard")


@pytest.mark.parametrize("export", [CANVAS, MOODLE_FILES, MOODLE_FOLDERS], ids=["Canvas", "Moodle files", "Moodle"])
def test_a_student_s_name_for_a_file_makes_no_other_export(tmp_path: Path, export: Files) -> None:
    mark = "_x_attempt_2026-05-04-23-11-02_"
    forged = {
        "Canvas": f"evil_99_98_many{mark}single.c",
        "Moodle": f"Evil_99_assignsubmission_file_many{mark}single.c",
    }
    before = {(one.name, one.origin.system) for one in find(lay(tmp_path / "1", export))}
    system = "Canvas" if export is CANVAS else "Moodle"
    after = {(one.name, one.origin.system) for one in find(lay(tmp_path / "2", {**export, forged[system]: MANY}))}
    assert after - before == {("evil-99", system.lower())}


@pytest.mark.parametrize("text", [b"", b"Name: Eve (rroe2)\n", b"\xff" * 99, b"Name: " + b"(" * 100_000])
def test_a_text_file_that_names_somebody_else_names_nobody(tmp_path: Path, text: bytes) -> None:
    head = "Lab 2_jd_attempt_2026-05-04-09-00-00"
    [found] = find(lay(tmp_path, {f"{head}.txt": text, f"{head}_many.c": MANY}))
    assert found.origin.people == (Person(id="jd"),)


@pytest.mark.parametrize("file", ["many.c", "a - b - many.c", "2026 - May 4, 2099 100 PM - many.c"])
@pytest.mark.parametrize("name", ["Jane Doe", "Jane - Anne Doe", "Jané 2000"])
def test_a_name_at_d2l_may_have_what_is_between_its_parts(tmp_path: Path, name: str, file: str) -> None:
    [found] = find(lay(tmp_path, {f"1-2 - {name} - May 4, 2026 900 PM - {file}": MANY}))
    assert found.origin.people == (Person(name=name),)
    assert found.origin.submitted_at == "2026-05-04 21:00:00"
    assert isinstance(found.content, tuple)
    assert [one.path for one in found.content] == [file]


ODD_NAMES = [
    ".Jane Doe",
    "Joe~",
    "#Eve#",
    "~$Ann",
    "Bob.bak",
    ".git",
    "__MACOSX",
    "Thumbs.db",
    "._Ada",
    "Zoe.swp",
    "...",
]
"""Names that systems and editors give to files. A student may have one."""

NAMED: Mapping[str, str] = {
    "Moodle folder": "{name}_11_assignsubmission_file_/many.c",
    "Moodle file": "{name}_11_assignsubmission_file_many.c",
    "Canvas": "{name}_11_12_many.c",
    "D2L folder": "1-2 - {name} - May 4, 2026 100 PM/many.c",
    "D2L file": "1-2 - {name} - May 4, 2026 100 PM - many.c",
    "Blackboard": "Lab_{name}_attempt_2026-05-04-23-11-02_many.c",
}
OTHERS: Mapping[str, str] = {
    name: pattern.replace("11", "13").replace("1-2", "3-4") for name, pattern in NAMED.items()
}


@pytest.mark.parametrize("system", NAMED)
@PLACED
def test_nobody_vanishes_from_an_export_because_of_a_name(tmp_path: Path, placed: object, system: str) -> None:
    assert callable(placed)
    for number, odd in enumerate(ODD_NAMES):
        (own := tmp_path / str(number)).mkdir()
        path = placed(own, {NAMED[system].format(name=odd): MANY, OTHERS[system].format(name="zoe"): MANY})
        found = find(path)
        assert len(found) == 2, odd
        assert all(read_submission(one, SPEC).sources["many"] == Source(MANY) for one in found), odd
        assert said(path) == [], odd


@pytest.mark.parametrize("end", ["~", ".bak", "#", "_~", ".swp"])
@PLACED
def test_nobody_vanishes_from_moodle_because_of_the_end_of_a_name(tmp_path: Path, placed: object, end: str) -> None:
    assert callable(placed)
    moodle = "{}_assignsubmission_file_{}/many.c"
    path = placed(tmp_path, {moodle.format("Bob_15", end): MANY, moodle.format("Zoe_1", ""): MANY})
    assert names(find(path)) == ["bob-15", "zoe-1"]


def refusals(path: Path) -> list[str]:
    """Return why submissions of a class cannot be graded, as far as that is known before they are read."""
    return [one.problem for one in find(path) if one.problem]


@pytest.mark.parametrize("files", [{"many.c": MANY}, {"src/many.c": MANY}, {"x.zip": b""}])
@PLACED
def test_what_holds_sources_is_listed_whatever_its_name(tmp_path: Path, placed: object, files: Files) -> None:
    assert callable(placed)
    others = {f"{who}/many.c": MANY for who in ("ada", "bob")}
    for number, odd in enumerate(ODD_NAMES):
        (own := tmp_path / str(number)).mkdir()
        path = placed(own, {**others, **{f"{odd}/{name}": data for name, data in files.items()}})
        assert len(find(path)) == 3, odd
        [refusal] = refusals(path)
        assert "systems and editors give such names" in refusal, odd
        assert said(path) == [], odd


PACKED_BOTH = zipped(BOTH)
PACKED = {
    "hal.jar": PACKED_BOTH,
    "gil.gz": gzipped(BOTH),
    "mia": PACKED_BOTH,
    "noa.zip ": PACKED_BOTH,
    "lab.zip (1)": PACKED_BOTH,
    "eve.TGZ.part": gzipped(BOTH),
    "ben.tar.7zip": b"7z\xbc\xaf\x27\x1c",
    ".ida.zip": PACKED_BOTH,
    "kim.zip~": PACKED_BOTH,
}


@pytest.mark.parametrize("name", PACKED)
@PLACED
def test_an_archive_is_listed_whatever_its_name(tmp_path: Path, placed: object, name: str) -> None:
    assert callable(placed)
    path = placed(tmp_path, {"ada/many.c": MANY, "bob/many.c": MANY, name: PACKED[name]})
    assert len(find(path)) == 3
    assert len(refusals(path)) == 1
    assert said(path) == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("grades.xlsx", b"PK\3\4 [Content_Types].xml"),
        ("tasks.pdf", b"%PDF-1.7"),
        ("._bob.zip", b"\0\5\x16\7\0\2\0\0"),
        ("bob.zip~", PACKED_BOTH),
        ("notes.txt", b"mia"),
    ],
)
@PLACED
def test_other_files_next_to_submissions_are_nobody_s(tmp_path: Path, placed: object, name: str, data: bytes) -> None:
    assert callable(placed)
    path = placed(tmp_path, {"ada/many.c": MANY, "bob.zip": PACKED_BOTH, name: data})
    assert names(find(path)) == ["ada", "bob"]
    assert said(path)[0].endswith(f": 1 that is not a submission: {name}")


@pytest.mark.parametrize("name", ["run.gz", ".cache/x.zip"])
def test_next_to_a_single_folder_an_odd_name_is_no_other_student_s(tmp_path: Path, name: str) -> None:
    path = lay(tmp_path, {"src/many.c": MANY, name: PACKED_BOTH})
    assert names(find(path)) == ["src"]
    assert said(path)[0].endswith(f": 1 that is not a submission: {name.partition('/')[0]}")


@PLACED
def test_files_that_systems_and_editors_leave_need_no_word(tmp_path: Path, placed: object) -> None:
    assert callable(placed)
    student = "Jane Doe_11_assignsubmission_file_"
    left = [
        ".DS_Store",
        "Thumbs.db",
        "._doe_1_2_many.c",
        ".doe_1_2_many.c.swp",
        "doe_1_2_many.c~",
        "#doe_1_2_many.c#",
    ]
    files = {**dict.fromkeys(left, b"x"), "doe_1_2_many.c": MANY, f"{student}/many.c": MANY}
    files |= {".git/HEAD": b"x", f"__MACOSX/{student}/._many.c": b"x", f"{student}/.DS_Store": b"x"}
    path = placed(tmp_path, files)
    assert names(find(path)) == ["doe-1", "janedoe-11"]
    assert said(path) == []


@PLACED
@pytest.mark.parametrize("folder", ["vanish_14_assignsubmission_file_", "vanish"])
def test_a_gradebook_among_sources_makes_no_results(tmp_path: Path, placed: object, folder: str) -> None:
    assert callable(placed)
    files = {f"{folder}/many.c": MANY, f"{folder}/gradebook.sqlite": b"", f"ada{folder[6:]}/many.c": MANY}
    assert len(find(placed(tmp_path, files))) == 2


@pytest.mark.parametrize("out", ["out", "lab2-submissions/out"])
def test_results_next_to_a_class_in_a_folder_of_its_own_do_not_hide_it(tmp_path: Path, mark: bytes, out: str) -> None:
    lay(tmp_path, {f"lab2-submissions/{who}/many.c": MANY for who in ("ada", "bob")})
    lay(tmp_path, {"lab.yaml": b"", "earlier/gradebook.sqlite": b"", "earlier/ada/report.html": b""})
    (tmp_path / out).mkdir()
    for _ in ("empty", "with results"):
        assert names(find_submissions([tmp_path], SPEC, leave_out=tmp_path / out)) == ["ada", "bob"]
        lay(tmp_path, results(out, mark))
    # As `rescore` looks for them, which knows no folder for results.
    assert names(find(tmp_path)) == ["ada", "bob"]


def test_folders_in_folders_are_not_looked_into_for_ever(tmp_path: Path) -> None:
    deep = "a/" * 400
    path = in_archive(tmp_path, {f"{deep}{who}/many.c": MANY for who in ("ada", "bob")})
    with pytest.raises(UsageError, match="lies deeper than anybody looks"):
        find(path)
    path = in_archive(tmp_path, {f"a/b/c/d/{who}/many.c": MANY for who in ("ada", "bob")})
    assert names(find(path)) == ["ada", "bob"]


@PLACED
@pytest.mark.parametrize("more", [("ben.zip",), ("ben.zip", "max.zip")])
def test_a_folder_next_to_archives_is_one_submission_of_several(
    tmp_path: Path, placed: object, more: tuple[str, ...]
) -> None:
    assert callable(placed)
    files = {"noa/lab_v1.zip": zipped({"many.c": MANY}), "noa/lab_v2.zip": zipped({"many.c": MANY})}
    place = placed(tmp_path, {**files, **{name: zipped({"many.c": MANY}) for name in more}})
    assert names(find(place)) == sorted([*(name.removesuffix(".zip") for name in more), "noa"])


@PLACED
def test_canvas_names_users_in_files_of_a_quiz(tmp_path: Path, placed: object) -> None:
    assert callable(placed)
    files = {
        "doe_jane123_question_55_100123_many.c": MANY,
        "doe_jane123_question_56_200123_single.c": SINGLE,
        "roe_rick124_question_55_100124_lab.zip": zipped({"many.c": MANY}),
    }
    jane, rick = find(placed(tmp_path, files))
    assert (jane.origin.system, jane.origin.late) == ("canvas", None)
    assert jane.origin.people == (Person(name="doe_jane", id="123"),)
    assert rick.origin.people == (Person(name="roe_rick", id="124"),)
    assert read_submission(jane, SPEC).sources == RIGHT


@pytest.mark.parametrize("parts", [("mine", "bob"), ("final", "old")])
def test_folders_of_one_of_several_paths_are_a_class_with_a_doubt(tmp_path: Path, parts: tuple[str, str]) -> None:
    for folder in (*(f"ada/{part}" for part in parts), "bob"):
        lay(tmp_path / folder, {"many.c": b"", "single.c": b""})
    found = {each.path.relative_to(tmp_path): each.doubt for each in find(tmp_path / "ada", tmp_path / "bob")}
    assert [str(path) for path, doubt in found.items() if "give the folder around the paths" in doubt] == [
        f"ada/{part}" for part in sorted(parts)
    ]
    # The folder around them is a class, and a single path, or several of the same kind, nobody doubts.
    assert [each.doubt for each in find(tmp_path / "ada")] == ["", ""]
    assert names(find(tmp_path)) == ["ada", "bob"]


def test_folders_without_any_source_are_not_taken_for_one_submission_without_a_word(tmp_path: Path) -> None:
    files = {"lab2/Doe_Jane/20260504101112_many.c": MANY, "lab2/Roe_Rick/20260504101112_many.c": MANY}
    folder = lay(tmp_path / "class", files)
    assert names(find(folder)) == ["lab2"]
    [line] = said(folder)
    assert line.startswith(
        f"{folder}/lab2 was taken for one submission, as nothing in it is called many.c or single.c"
    )
