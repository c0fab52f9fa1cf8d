"""Files that a course uses instead of others, the notebook, and guesses at what a missing source is called."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from grader.errors import GraderError, NothingToGradeError
from grader.intake.choice import Bundle
from grader.intake.files import DiskFile
from grader.intake.missing import missing
from grader.intake.names import base
from grader.intake.reading import (
    MAX_ARCHIVES,
    MAX_COMPARED,
    NOTEBOOK_BYTES,
    DiscoveredSubmission,
    read_files,
    read_submission,
    template_of,
)
from grader.intake.walk import walk
from grader.model.spec.lab import Spec
from grader.model.spec.notebook import NotebookRules
from grader.model.submission import NotebookFile, Source, Submission, UnusableSource

from .lab import DOCUMENT, SPEC
from .packing import BOTH, MANY, SINGLE, lay, zipped

Files = Mapping[str, bytes]
NOT_COMPARED = ". What is in it was neither graded nor compared"
USED = "was graded as many.c, as the course decided"

WITH_NOTEBOOK = SPEC.model_copy(update={"notebook": NotebookRules(files=("lab.txt", "notes.txt"), strace_sinks=())})


def placed(folder: Path, files: Files, *, packed: bool) -> Path:
    return lay(folder, {"lab.zip": zipped(files)} if packed else files)


VERSIONS_CPU_S = 10.0
"""Comparing each with each takes several times as long."""


def using(folder: Path, use: Mapping[str, str]) -> Submission:
    return read_submission(DiscoveredSubmission("ada", folder), SPEC, use)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("files", "use", "many", "shown"),
    [
        ({"many_v2.c": MANY, "many.c": b"old", "single.c": SINGLE}, "many_v2.c", MANY, "many_v2.c"),
        ({"old/try.c": MANY, "single.c": SINGLE}, "old/try.c", MANY, "old/try.c"),
        # A name without its folder is enough if there is one such file.
        ({"old/try.c": MANY, "single.c": SINGLE}, "try.c", MANY, "old/try.c"),
        # The path itself comes before the same name elsewhere.
        ({"try.c": MANY, "old/try.c": b"no", "single.c": SINGLE}, "try.c", MANY, "try.c"),
    ],
)
def test_a_file_that_a_course_uses_replaces_the_source(  # noqa: PLR0913 - a row of the table
    tmp_path: Path, files: Files, use: str, many: bytes, shown: str, *, packed: bool
) -> None:
    submission = using(placed(tmp_path, files, packed=packed), {"many.c": use})
    assert submission.sources == {"many": Source(many), "single": Source(SINGLE)}
    assert f"{shown} {USED}" in submission.notes


def test_several_files_are_used_and_all_are_told(tmp_path: Path) -> None:
    submission = using(lay(tmp_path, {"one.c": MANY, "two.c": SINGLE}), {"many.c": "one.c", "single.c": "two.c"})
    assert submission.sources == {"many": Source(MANY), "single": Source(SINGLE)}
    assert submission.notes == (f"one.c {USED}", "two.c was graded as single.c, as the course decided")


def test_a_file_to_use_is_found_next_to_an_archive_that_cannot_be_opened(tmp_path: Path) -> None:
    submission = using(lay(tmp_path, {"try.c": MANY, "lab.zip": b"broken"}), {"many.c": "try.c"})
    assert submission.sources["many"] == Source(MANY)
    used, unread = submission.notes
    assert used == f"try.c {USED}"
    assert unread.startswith("lab.zip is neither a zip nor a tar archive")
    assert unread.endswith(NOT_COMPARED)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("files", "says"),
    [
        (BOTH, "its files: many.c, single.c"),
        ({"a/try.c": b"", "b/try.c": b"", ".git/try.c": b"", "1/2/3/try.c": b""}, "its files: a/try.c, b/try.c"),
        ({".git/other.c": b""}, "it has no files"),
    ],
)
def test_a_file_to_use_that_is_not_there_is_told_with_those_that_are(
    tmp_path: Path, files: Files, says: str, *, packed: bool
) -> None:
    with pytest.raises(NothingToGradeError) as told:
        using(placed(tmp_path, files, packed=packed), {"many.c": "try.c"})
    assert str(told.value) == f"overrides.yaml: ada has no file 'try.c' to use as many.c; {says}"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"lab.txt": b"mine"}, "lab.txt"),
        # The nearest to the top, then the first name of the lab, then the first path.
        ({"a/lab.txt": b"", "notes.txt": b"mine"}, "notes.txt"),
        ({"notes.txt": b"", "lab.txt": b"mine"}, "lab.txt"),
        ({"b/lab.txt": b"", "a/lab.txt": b"mine", "a/notes.txt": b""}, "a/lab.txt"),
        ({"Lab.txt": b"", "lab.txt.bak": b"", "1/2/3/lab.txt": b""}, None),
    ],
)
def test_the_notebook_is_the_file_nearest_to_the_top(
    tmp_path: Path, files: Files, path: str | None, *, packed: bool
) -> None:
    folder = placed(tmp_path, {**BOTH, **files}, packed=packed)
    submission = read_submission(DiscoveredSubmission("ada", folder), WITH_NOTEBOOK)
    found = None if path is None else NotebookFile(path, Source(b"mine"))
    assert submission.notebook == found
    assert [note for note in submission.notes if "notebook" in note] == ([found.note] if found else [])
    assert read_submission(DiscoveredSubmission("ada", folder), SPEC).notebook is None


@pytest.mark.parametrize(("size_bytes", "says"), [(NOTEBOOK_BYTES + 1, "has 2,000,001 bytes"), (0, "is empty")])
def test_a_notebook_of_the_wrong_size_is_told_without_advice_on_sources(
    tmp_path: Path, size_bytes: int, says: str
) -> None:
    with (lay(tmp_path, BOTH) / "lab.txt").open("wb") as file:
        file.truncate(size_bytes)
    submission = read_submission(DiscoveredSubmission("ada", tmp_path), WITH_NOTEBOOK)
    assert submission.notes == (f"the notebook was not read: lab.txt {says}",)
    assert submission.sources["many"] == Source(MANY)


def test_the_largest_notebook_is_read(tmp_path: Path) -> None:
    lay(tmp_path, {**BOTH, "lab.txt": b"x" * NOTEBOOK_BYTES})
    notebook = read_submission(DiscoveredSubmission("ada", tmp_path), WITH_NOTEBOOK).notebook
    assert notebook == NotebookFile("lab.txt", Source(b"x" * NOTEBOOK_BYTES))


def test_all_that_is_wrong_with_the_files_of_a_program_is_told(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["programs"]["many"]["headers"] = ["many.h"]
    lay(tmp_path, {"many.c": b"", "single.c": SINGLE})
    submission = read_submission(DiscoveredSubmission("ada", tmp_path), Spec.model_validate(document))
    assert submission.sources["many"] == UnusableSource("many.c is empty. many.h is missing")


@pytest.mark.parametrize(
    ("source", "file", "is_meant"),
    [
        ("data.h", "data.cpp", False),  # those are other names for a .c
        ("data.c", "data.cpp", True),
        ("data.test.c", "data.c", False),
        ("data.test.c", "data.test (2).c", True),
        ("data.c", "data.o", False),
        ("data.c", "data.h", False),
        ("data.c", "data", False),
        ("data.c", "date.c", True),
        ("data.c", "dat.c", True),
        ("data.c", "datta.c", True),
        ("data.c", "dtaa.c", True),
        ("data.c", "data,c", True),
        ("data.c", "datac", True),
        ("data.c", "data..c", True),
        ("data.c", "dato.o", False),
        ("data.c", "other.c", False),
        ("a.c", "b.c", False),
        ("data.c", "иван.c", False),
    ],
)
def test_which_file_may_be_meant(source: str, file: str, *, is_meant: bool) -> None:
    said = missing(source, [Bundle([DiskFile(file, file)])])
    assert said.startswith(f"{source} is missing")
    assert (f"There is {file}: if that is it" in said) == is_meant


def test_a_folder_s_name_stays_as_it_is_at_the_beginning_of_a_sentence() -> None:
    said = missing("many.c", [Bundle([DiskFile("the top of it/Many.C", "")], "lab.zip")])
    assert said.startswith("many.c is missing. the top of it/ in lab.zip has Many.C: rename it")


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("data.c ", "“data.c ”, in which “ ” is SPACE: if that is it, rename it to data.c"),
        (" data.c", "“ data.c”, in which “ ” is SPACE"),
        ("data.c\t", r"“data.c\t”, in which “\t” is U+0009"),
        ("data.\u0441", "“data.\u0441”, in which “\u0441” is CYRILLIC SMALL LETTER ES"),
        ("d\u0430t\u0430.c", "“d\u0430t\u0430.c”, in which “\u0430” is CYRILLIC SMALL LETTER A"),
        ("data\uff0ec", "is FULLWIDTH FULL STOP"),
        ("data.c\u200b", r"“\u200b” is ZERO WIDTH SPACE"),
        ("dat\u0101.c", "is LATIN SMALL LETTER A WITH MACRON"),
        ("Data.c ", "“ ” is SPACE"),
        ("data.c.gz", "There is data.c.gz: if that is it, unpack it, and hand in data.c"),
        ("data.c.zip", "unpack it, and hand in data.c"),
        ("data.zip", "unpack it, and hand in data.c"),
        ("data.c.rtf", "save its text as data.c, which must be plain text"),
        ("data.docx", "save its text as data.c, which must be plain text"),
        ("data.c.txt", "rename it to data.c"),
        ("data.c.c", "rename it to data.c"),
    ],
)
def test_a_name_that_looks_like_a_source_s_is_described(file: str, says: str) -> None:
    assert says in missing("data.c", [Bundle([DiskFile(file, file)])])


@pytest.mark.parametrize(
    "file", ["many.c~", "many.c.bak", ".many.c", "many.c(1)", "many.c;", "many.c_", "many", "many.py"]
)
def test_the_only_copy_is_named_whatever_its_name_was_made_to(file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text("int main(void) { return 0; }", encoding="utf-8")
    files, _ = walk(str(tmp_path), ["many.c"])
    assert missing("many.c", [Bundle(files)]) == (
        f"many.c is missing. There is {file}: if that is it, rename it to many.c"
    )


@pytest.mark.parametrize("file", [".many.c.swp", "._many.c", "~$many.c", "many.o", "many.h"])
def test_what_programs_make_next_to_a_source_is_not_meant(file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text("int main(void) { return 0; }", encoding="utf-8")
    assert missing("many.c", [Bundle(walk(str(tmp_path), ["many.c"])[0])]).startswith("many.c is missing")
    assert "rename" not in missing("many.c", [Bundle(walk(str(tmp_path), ["many.c"])[0])])


def test_a_backup_next_to_its_source_is_left_out(tmp_path: Path) -> None:
    for name in ("many.c", "many.c~"):
        (tmp_path / name).write_bytes(b"int a;")
    assert [file.path for file in walk(str(tmp_path), ["many.c"])[0]] == ["many.c"]


@pytest.mark.parametrize(
    ("file", "data", "says"),
    [
        ("many", b"\x7fELF\2", "many is a compiled program: hand in the source; "),
        ("many.py", b"import sys\n", "many.py is a program in Python: hand in the program in C"),
        ("lab", b"PK\3\4", "lab is a zip archive: unpack it, and hand in the files that are in it"),
        ("lab.tgz (1)", b"\x1f\x8b\x08", "lab.tgz (1) is a compressed file: unpack it"),
        ("lab", b"PK\3\4 [Content_Types].xml", ""),
    ],
)
def test_the_first_bytes_say_what_may_hold_a_source(file: str, data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(data)
    found = [Bundle([DiskFile(file, str(tmp_path / file))])]
    said = missing("many.c", found, ["many.c", "single.c"])
    assert said.startswith(f"many.c is missing. {says}") if says else said == "many.c is missing"
    if not file.startswith("many"):
        beside = [*found, Bundle([DiskFile("single.c", "")])]
        assert missing("many.c", beside, ["many.c", "single.c"]) == "many.c is missing"


def test_a_link_that_is_not_followed_is_named(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "lab").symlink_to("../there")
    files, _ = walk(str(tmp_path / "here"), ["many.c"])
    said = missing("many.c", [Bundle(files)])
    assert said == "many.c is missing. lab is a symbolic link; hand in the file itself"


def test_another_source_of_the_lab_is_not_meant() -> None:
    files = [DiskFile(name, name) for name in ("tr2u.c", "Tr2u.c")]
    assert missing("tr2b.c", [Bundle(files[:1])], ("tr2b.c", "tr2u.c")) == "tr2b.c is missing"
    assert "There is tr2u.c" in missing("tr2b.c", [Bundle(files[:1])])
    near = [Bundle([DiskFile("tr2b.\u0441", ""), DiskFile("tr2b.c.gz", "")])]
    assert missing("tr2u.c", near, ("tr2b.c", "tr2u.c")) == "tr2u.c is missing"
    assert (
        missing("copy.c", [Bundle([DiskFile("copybuf (1).c", "")])], ("copy.c", "copybuf.c")) == "copy.c is missing"
    )


OLD, NEWER = b"int old;", b"int newer;"


def both(data: bytes) -> Files:
    return {"many.c": data, "single.c": data}


def copies(**folders: Files) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for folder, files in folders.items() for name, data in files.items()}


FORMS = pytest.mark.parametrize("packed", [False, True])


def graded(folder: Path, files: Files, *, packed: bool) -> Submission:
    return using(placed(folder, files, packed=packed), {})


@FORMS
@pytest.mark.parametrize(
    "names",
    [
        ("1", "2", "10"),
        ("tr2 v1", "tr2 v2", "tr2 v11"),
        ("lab2/try 9", "lab2/try 10"),
        ("2026-05-04", "2026-05-10", "2026-11-01"),
        ("2026-05-04-10:00:00/uploaded_files", "2026-05-04-10:00:01/uploaded_files"),
        ("20260504T2311", "20260505T0102"),
        ("04.12.2025", "03.01.2026"),
        ("May 4, 2026 1010 AM", "May 4, 2026 900 PM", "Jun 1, 2026 100 AM"),
        ("4 May 2026", "1 June 2026"),
        ("665f1f77bcf86cd799439011", "665f1f78bcf86cd799439000"),
        # What browsers and systems call copies.
        ("Lab2", "Lab2 (1)", "Lab2 (2)"),
        ("lab", "lab(2)", "lab (10)"),
        ("Lab 2", "Lab 2_(1)"),
        ("2026-05-04", "2026-05-04 (1)"),
        ("lab - Copy", "lab - Copy (2)", "lab - Copy (3)"),
        ("lab/src", "lab (1)/src"),
        ("lab/v2", "lab (1)/v1"),
        # Whether or not the first number is the month, and a number of a version is not.
        ("lab 1.2", "lab 1.10"),
        ("Abgabe 28.04", "Abgabe 29.05"),
        ("lab v1.9", "lab v2.0"),
        ("lab version 1.9", "lab version 2.0"),
        ("lab attempt 1", "lab attempt 2"),
    ],
)
def test_of_numbered_or_dated_copies_the_last_is_graded(
    tmp_path: Path, names: tuple[str, ...], *, packed: bool
) -> None:
    *earlier, last = names
    files = copies(**{name: both(OLD) for name in earlier}, **{last: both(NEWER)})
    submission = graded(tmp_path, dict(reversed(files.items())), packed=packed)
    assert submission.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert submission.doubts == ()


@pytest.mark.parametrize(
    "names", [("lab.zip", "lab (1).zip", "lab (2).zip", "lab (10).zip"), ("v8.zip", "v9.zip", "v10.zip")]
)
@pytest.mark.parametrize("more", [0, 5])
def test_of_numbered_archives_the_last_is_graded(tmp_path: Path, names: tuple[str, ...], more: int) -> None:
    files = {name: zipped(both(OLD)) for name in names} | {names[-1]: zipped(both(NEWER))}
    for number in range(more):
        files[names[0].replace("8", str(number)).replace("(1)", f"({number})")] = zipped(both(OLD))
    submission = using(lay(tmp_path, files), {})
    assert submission.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert len(submission.doubts) == (len(files) > MAX_ARCHIVES)


@FORMS
@pytest.mark.parametrize(
    "names",
    [
        ("final", "new"),
        ("lab2", "lab2 copy"),
        ("v1", "v2 final"),
        ("04-05-2026", "05-04-2026"),
        # These may be students.
        ("4711001", "4711002"),
        ("a/v2", "b/v1"),
        ("v01", "v1"),
        ("lab", "lab - Copy"),
        # Those without a number may be later, but are not more probable.
        ("lab-1", "lab"),
        ("lab_2", "lab"),
        ("lab 2", "lab"),
        ("lab copy 2", "lab copy"),
        ("lab-2-1", "lab-2"),
        ("lab (2)", "lab-1"),
        # Dates without a year, or versions.
        ("Abgabe 28.04", "Abgabe 02.05"),
        ("28-04", "02-05"),
        ("lab_28_4", "lab_2_5"),
        # These may be students, too.
        ("student2", "student1"),
        ("group 10", "group 9"),
    ],
)
def test_if_only_names_decide_between_different_copies_somebody_is_asked(
    tmp_path: Path, names: tuple[str, str], *, packed: bool
) -> None:
    first, second = names
    submission = graded(tmp_path / "1", copies(**{first: both(OLD), second: both(NEWER)}), packed=packed)
    assert submission.sources["many"] == Source(OLD)
    [doubt] = submission.doubts
    assert doubt in submission.notes
    # What it says can be pasted into overrides.yaml, and does what it says.
    use = yaml.safe_load(doubt.partition("overrides.yaml: ")[2])[0]
    assert use["student"] == "ada"
    chosen = {entry["as"]: entry["file"] for entry in use["use"]}
    assert set(chosen) == {"many.c", "single.c"}
    decided = using(tmp_path / "1", chosen)
    assert decided.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert decided.doubts == ()
    # The same copies twice need no decision.
    same = graded(tmp_path / "2", copies(**{first: both(OLD), second: both(OLD)}), packed=packed)
    assert (same.sources["many"], same.doubts) == (Source(OLD), ())


@FORMS
def test_a_later_copy_that_lacks_a_program_or_is_empty_is_not_passed_over_without_a_word(
    tmp_path: Path, *, packed: bool
) -> None:
    submission = graded(tmp_path / "1", copies(v1=both(OLD), v2={"many.c": NEWER}), packed=packed)
    assert submission.sources == {"many": Source(OLD), "single": Source(OLD)}
    assert "v2/" in submission.doubts[0]
    submission = graded(tmp_path / "2", copies(v1=both(OLD), v2=both(b"")), packed=packed)
    assert isinstance(submission.sources["many"], UnusableSource)
    assert "v1/" in submission.doubts[0]


@FORMS
def test_another_copy_next_to_a_folder_with_more_programs_is_not_passed_over_either(
    tmp_path: Path, *, packed: bool
) -> None:
    submission = graded(tmp_path, copies(many={"many.c": NEWER}, single=both(OLD)), packed=packed)
    assert submission.sources == {"many": Source(OLD), "single": Source(OLD)}
    [doubt] = submission.doubts
    assert "many/" in doubt


@FORMS
def test_a_copy_next_to_a_source_is_not_passed_over_without_a_word(tmp_path: Path, *, packed: bool) -> None:
    files = {**both(OLD), "many (1).c": b"int older;", "many (2).c": NEWER}
    files |= {"many_2.c": NEWER, "old/single (1).c": NEWER}
    submission = graded(tmp_path / "1", files, packed=packed)
    assert submission.sources == {"many": Source(OLD), "single": Source(OLD)}
    [doubt] = submission.doubts
    assert doubt.startswith(f"a different many.c is in the file {'lab.zip/' if packed else ''}many (2).c, but")
    use = yaml.safe_load(doubt.partition("overrides.yaml: ")[2])[0]["use"]
    assert len(use) == 1
    assert using(tmp_path / "1", {use[0]["as"]: use[0]["file"]}).sources["many"] == Source(NEWER)
    assert graded(tmp_path / "2", {**both(OLD), "many (1).c": OLD}, packed=packed).doubts == ()
    submission = graded(tmp_path / "3", {"many (1).c": OLD, "many (10).c": NEWER, "many (9).c": OLD}, packed=packed)
    assert "There is many (10).c" in submission.sources["many"].problem  # type: ignore[union-attr]


@FORMS
def test_the_notebook_is_that_of_the_last_copy(tmp_path: Path, *, packed: bool) -> None:
    folder = placed(tmp_path, {**BOTH, "a/lab.txt": b"", "a (1)/lab.txt": b"mine"}, packed=packed)
    found = read_submission(DiscoveredSubmission("ada", folder), WITH_NOTEBOOK).notebook
    assert found == NotebookFile("a (1)/lab.txt", Source(b"mine"))


def test_a_folder_for_old_files_needs_no_decision(tmp_path: Path) -> None:
    assert using(lay(tmp_path, {**both(NEWER), **copies(old=both(OLD))}), {}).doubts == ()


GIVEN = b"int given;"


@FORMS
def test_a_copy_of_an_untouched_template_may_be_the_work(tmp_path: Path, *, packed: bool) -> None:
    template = template_of(SPEC, lay(tmp_path / "template", {"many.c": GIVEN, "single.c": GIVEN}))
    assert set(template) == {"many.c", "single.c"}

    def doubts(files: Files) -> tuple[str, ...]:
        folder = placed(tmp_path / str(len([*tmp_path.iterdir()])), files, packed=packed)
        return read_submission(DiscoveredSubmission("ada", folder), SPEC, template=template).doubts

    [doubt] = doubts({"many.c": GIVEN, "single.c": OLD, **copies(work={"many.c": NEWER})})
    assert doubt.startswith("a different many.c is in work/")
    # The template itself, and old files, are not meant.
    assert doubts({**both(OLD), **copies(work=both(GIVEN))}) == ()
    assert doubts({**both(OLD), **copies(old=both(NEWER))}) == ()
    assert doubts(copies(a=both(GIVEN), b=both(GIVEN))) == ()
    assert doubts(copies(a=both(NEWER), b=both(GIVEN))) == ()
    assert template_of(SPEC, tmp_path / "none") == {}


@pytest.mark.parametrize("name", ["lab.zip", "sub/lab2-final.zip"])
def test_an_archive_next_to_other_sources_is_not_passed_over_without_a_word(tmp_path: Path, name: str) -> None:
    inside = {**copies(lab=both(NEWER)), "lab/old/many.c": b"older"}
    folder = lay(tmp_path / "1", {**both(OLD), name: zipped(inside)})
    submission = using(folder, {})
    assert submission.sources == {"many": Source(OLD), "single": Source(OLD)}
    [doubt] = submission.doubts
    use = yaml.safe_load(doubt.partition("overrides.yaml: ")[2])[0]["use"]
    decided = using(folder, {entry["as"]: entry["file"] for entry in use})
    assert (decided.sources, decided.doubts) == ({"many": Source(NEWER), "single": Source(NEWER)}, ())
    # The same, and other files, need no decision.
    for data in (zipped(copies(lab=both(OLD), old=both(NEWER))), zipped({"notes.txt": b""})):
        assert using(lay(folder, {name: data}), {}).doubts == ()


def test_an_archive_next_to_sources_that_the_grader_may_not_read_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: DiskFile) -> None:
        raise GraderError(f"{file.path} cannot be read")

    monkeypatch.setattr(DiskFile, "open", refused)
    submission = using(lay(tmp_path, {**both(OLD), "lab.zip": zipped(both(NEWER))}), {})
    assert submission.sources["many"] == Source(OLD)
    assert submission.doubts == (f"lab.zip cannot be read{NOT_COMPARED}",)


UNREADABLE = [
    ("new.zip", zipped(both(NEWER))[:-30]),
    ("new.zip", b""),
    ("new.7z", b"7z\xbc\xaf\x27\x1c"),
    ("new.tar.xz", b"\xfd7zXZ\0"),
    ("sub/new.rar", b"Rar!"),
]


@pytest.mark.parametrize(("name", "data"), UNREADABLE, ids=[name for name, _ in UNREADABLE])
@pytest.mark.parametrize(
    "around", [both(OLD), {"lab.zip": zipped(both(OLD))}, {"many/many.c": OLD, "single/single.c": OLD}], ids=len
)
@pytest.mark.parametrize("wrap", ["", "all.zip"])
def test_an_archive_that_cannot_be_read_is_not_passed_over_without_a_word(
    tmp_path: Path, name: str, data: bytes, around: Files, wrap: str
) -> None:
    files = {**around, name: data}
    if wrap and "lab.zip" not in around:
        files = {wrap: zipped(files)}
    submission = using(lay(tmp_path, files), {})
    assert submission.sources == {"many": Source(OLD), "single": Source(OLD)}
    assert not any("only compared" in note for note in submission.notes)
    [doubt] = submission.doubts
    assert base(name) in doubt
    assert doubt.endswith(NOT_COMPARED)
    # Nothing more is asked once the course has decided.
    found = (
        {"many.c": "many/many.c", "single.c": "single/single.c"}
        if "many/many.c" in around
        else {one: one for one in both(b"")}
    )
    assert using(tmp_path, found).doubts == ()


def test_more_archives_next_to_sources_than_are_looked_into_are_doubtful(tmp_path: Path) -> None:
    more = {f"{number}.zip": zipped(both(OLD)) for number in range(MAX_ARCHIVES + 1)}
    assert using(lay(tmp_path, {**both(OLD), **more}), {}).doubts == ("only 3 of 4 archives were searched",)


@pytest.mark.parametrize("given", [{"many.c": OLD}, {"lab.zip": zipped({"many.c": OLD})}, {"work/many.c": OLD}])
@pytest.mark.parametrize("inside", ["", "lab/"])
def test_a_source_that_is_only_in_an_archive_next_to_the_others_is_not_just_missing(
    tmp_path: Path, given: Files, inside: str
) -> None:
    near = zipped({f"{inside}{name}": data for name, data in both(NEWER).items()})
    name = "sub/more.zip"
    files = {**given, name: near}
    if "lab.zip" in given:
        name = f"lab.zip/{name}"
        files = {"lab.zip": zipped({"many.c": OLD, "sub/more.zip": near})}
    submission = using(lay(tmp_path, files), {})
    source = submission.sources["single"]
    assert isinstance(source, UnusableSource)
    assert "more.zip" in source.problem
    [doubt] = submission.doubts
    assert "single.c is only in" in doubt
    use = yaml.safe_load(doubt.partition("overrides.yaml: ")[2])[0]["use"]
    assert {entry["as"]: entry["file"] for entry in use}["single.c"] == f"{name}/{inside}single.c"
    decided = using(tmp_path, {entry["as"]: entry["file"] for entry in use})
    assert (decided.sources["single"], decided.doubts) == (Source(NEWER), ())


def test_of_numbered_archives_the_last_is_graded_whatever_is_in_them(tmp_path: Path) -> None:
    files = {f"lab v{number}.zip": zipped(copies(**{f"z{11 - number:02}": both(OLD)})) for number in (1, 2)}
    files["lab v2.zip"] = zipped(both(OLD))
    files["lab v10.zip"] = zipped(copies(**{"my lab/src": both(NEWER)}))
    submission = using(lay(tmp_path, files), {})
    assert submission.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert submission.doubts == ()


@FORMS
@pytest.mark.parametrize(
    "below", ["version 2", "v2", "2", "2026-05-04", "lab2 final", "attempt 2/src", "lab (1)", "New"]
)
def test_a_later_version_below_the_sources_is_not_passed_over_without_a_word(
    tmp_path: Path, below: str, *, packed: bool
) -> None:
    submission = graded(tmp_path / "1", {**both(OLD), **copies(**{below: both(NEWER)})}, packed=packed)
    assert submission.sources == {"many": Source(OLD), "single": Source(OLD)}
    [doubt] = submission.doubts
    use = yaml.safe_load(doubt.partition("overrides.yaml: ")[2])[0]["use"]
    decided = using(tmp_path / "1", {entry["as"]: entry["file"] for entry in use})
    assert decided.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    # If the last one is at the top, too, the others are earlier ones.
    files = {**both(NEWER), **copies(v1=both(OLD), v2=both(NEWER))}
    assert graded(tmp_path / "2", files, packed=packed).doubts == ()
    assert graded(tmp_path / "3", {**both(NEWER), **copies(tests=both(OLD))}, packed=packed).doubts == ()


def test_not_all_of_many_copies_are_compared(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvw"
    assert len(letters) > MAX_COMPARED + 1
    files = copies(**{letter: both(OLD) for letter in letters})
    assert f"{letters[MAX_COMPARED + 1]}/" in using(lay(tmp_path, files), {}).doubts[0]


def settings(version: object) -> bytes:
    return json.dumps({"active_version": version, "history": [{"version": 1}]}).encode()


VERSIONS = copies(**{"1": both(OLD), "2": both(NEWER), "10": both(MANY)})


@FORMS
@pytest.mark.parametrize(("version", "expected"), [(1, OLD), (2, NEWER), (10, MANY)])
def test_the_version_that_a_course_system_names_is_graded(
    tmp_path: Path, version: int, expected: bytes, *, packed: bool
) -> None:
    files = {**VERSIONS, "user_assignment_settings.json": settings(version), "3/many.c": b"x"}
    submission = graded(tmp_path, files, packed=packed)
    assert submission.sources == {"many": Source(expected), "single": Source(expected)}
    assert submission.doubts == ()


@FORMS
@pytest.mark.parametrize("content", [b"{", b"[]", b"[" * 100_000, settings(None), settings([1]), b"\xff"])
def test_without_a_word_of_the_course_system_the_last_version_is_graded(
    tmp_path: Path, content: bytes, *, packed: bool
) -> None:
    submission = graded(tmp_path, {**VERSIONS, "user_assignment_settings.json": content}, packed=packed)
    assert submission.sources["many"] == Source(MANY)


@FORMS
@pytest.mark.parametrize("version", [b"0", b"11", b"1" + b"0" * 6000], ids=len)
def test_a_version_that_is_not_there_is_no_failure(tmp_path: Path, version: bytes, *, packed: bool) -> None:
    files = {**VERSIONS, "user_assignment_settings.json": b'{"active_version": ' + version + b"}"}
    with pytest.raises(NothingToGradeError, match="names version"):
        graded(tmp_path, files, packed=packed)
    assert using(tmp_path, {"many.c": "2/many.c"}).sources["many"] == Source(NEWER)


OPENOLAT = ("2_submissions", ("1_task", "3_corrections", "5_assessment"))
SAKAI = ("Submission attachment(s)", ("Feedback Attachment(s)",))


@FORMS
@pytest.mark.parametrize("system", [OPENOLAT, SAKAI], ids=["OpenOLAT", "Sakai"])
def test_files_of_the_course_are_never_graded(
    tmp_path: Path, system: tuple[str, tuple[str, ...]], *, packed: bool
) -> None:
    own, others = system
    of_course = copies(**{other: both(OLD) for other in others})
    submission = graded(tmp_path / "1", {**of_course, f"{own}/many.c": NEWER, "timestamp.txt": b""}, packed=packed)
    assert submission.sources["many"] == Source(NEWER)
    assert submission.sources["single"] == UnusableSource("single.c is missing" + " in lab.zip" * packed)
    assert submission.doubts == ()
    folder = placed(tmp_path / "2", of_course, packed=packed)
    of_class = DiscoveredSubmission("ada", folder, keeps_parts=True)
    if packed and system == OPENOLAT:
        # In an archive, only the student can have made folders of such names.
        assert read_submission(of_class, SPEC).sources["many"] == Source(OLD)
    else:
        with pytest.raises(NothingToGradeError, match="nothing was handed in"):
            read_submission(of_class, SPEC)
    assert using(folder, {"many.c": f"{others[0]}/many.c"}).sources["many"] == Source(OLD)


@FORMS
@pytest.mark.parametrize("wrap", ["", "lab/"])
@pytest.mark.parametrize("folder", ["1_task", "2_corrections", "3_assessment"])
def test_a_folder_with_a_name_of_the_course_s_is_the_student_s_if_no_course_system_keeps_it(
    tmp_path: Path, folder: str, wrap: str, *, packed: bool
) -> None:
    submission = graded(tmp_path, copies(**{f"{wrap}{folder}": both(NEWER)}), packed=packed)
    assert submission.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert len(submission.doubts) == (not packed)
    assert all(f"if the course has made {folder}" in doubt for doubt in submission.doubts)
    check = read_files("ada", walk(str(tmp_path), SPEC.sources)[0], SPEC)
    assert (check.sources["many"], check.doubts) == (Source(NEWER), ())


def test_the_last_revision_is_graded(tmp_path: Path) -> None:
    files = copies(**{"2_submissions": both(OLD), "4_revisions_1": both(OLD), "6_revisions_2": both(NEWER)})
    submission = using(lay(tmp_path, {**files, "3_corrections/many.c": OLD, "10_revisions_3/notes.txt": b""}), {})
    assert submission.sources["many"] == Source(NEWER)
    searched = "2_submissions, 4_revisions_1, 6_revisions_2 and 10_revisions_3 were searched, and not 3_corrections"
    assert any(note.startswith(searched) for note in submission.notes)
    assert not any("several students" in doubt for doubt in submission.doubts)


@FORMS
def test_a_student_s_own_tasks_are_the_student_s(tmp_path: Path, *, packed: bool) -> None:
    files = {"1_task/many.c": MANY, "2_task/single.c": SINGLE}
    assert graded(tmp_path, files, packed=packed).sources == {"many": Source(MANY), "single": Source(SINGLE)}


TASKS = [
    {"1_task/task.pdf": b""},
    {"1_task/task.zip": zipped(both(OLD))},
    {"1_task/many.c": OLD, "1_task/single.c": OLD},
    {"1_task/many.c": OLD, "3_corrections/many.c": OLD, "Feedback attachment(s)/x.zip": zipped(both(OLD))},
]


@pytest.mark.parametrize("task", TASKS, ids=range(len(TASKS)))
@pytest.mark.parametrize("wrap", ["", "lab/"])
@pytest.mark.parametrize("own", [{"mine.zip": zipped(both(NEWER))}, both(NEWER)], ids=["archive", "sources"])
def test_a_folder_of_the_course_hides_nothing_of_the_student_s(
    tmp_path: Path, task: Files, own: Files, wrap: str
) -> None:
    path = lay(tmp_path, {f"{wrap}{name}": data for name, data in {**task, **own}.items()})
    submission = using(path, {})
    assert submission.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert any("1_task" in note for note in submission.notes)
    # Only the name says that these are not the student's.
    assert len(submission.doubts) == ("1_task/many.c" in task)
    if submission.doubts:
        [line] = yaml.safe_load(submission.doubts[0].partition("overrides.yaml: ")[2])
        decided = using(path, {entry["as"]: entry["file"] for entry in line["use"]})
        assert decided.sources["many"] == Source(OLD)
        assert not any("many.c" in doubt for doubt in decided.doubts)


@FORMS
@pytest.mark.parametrize("name", ["lab.rar", "Many.c", "many.c.txt", "many (1).c"])
def test_what_is_not_graded_was_handed_in_all_the_same(tmp_path: Path, name: str, *, packed: bool) -> None:
    source = graded(tmp_path, {"1_task/many.c": OLD, name: b""}, packed=packed).sources["many"]
    assert isinstance(source, UnusableSource)
    assert name in source.problem


@pytest.mark.parametrize("names", [("a.zip", "b.zip"), ("b.zip", "a.zip")])
def test_an_archive_of_the_course_hides_no_other(tmp_path: Path, names: tuple[str, str]) -> None:
    task, mine = names
    submission = using(lay(tmp_path, {task: zipped(copies(**{"1_task": both(OLD)})), mine: zipped(both(NEWER))}), {})
    assert submission.sources == {"many": Source(NEWER), "single": Source(NEWER)}
    (tmp_path / task).write_bytes(zipped({"1_task/task.pdf": b""}))
    assert any(note.startswith(f"{task}: nothing was handed in") for note in using(tmp_path, {}).notes)
    (tmp_path / mine).write_bytes(b"PK damaged")
    source = using(tmp_path, {}).sources["many"]
    assert isinstance(source, UnusableSource), "a damaged archive is what the student has handed in"
    (tmp_path / mine).write_bytes(zipped({"1_task/task.pdf": b""}))
    with pytest.raises(NothingToGradeError, match="nothing was handed in"):
        using(tmp_path, {})


@FORMS
def test_what_is_next_to_the_student_s_folders_is_reported(tmp_path: Path, *, packed: bool) -> None:
    files = {"2_submissions/many.c": NEWER, "many.c": OLD, "timestamp.txt": b""}
    submission = graded(tmp_path, files, packed=packed)
    assert submission.sources["many"] == Source(NEWER)
    assert any(note.startswith("2_submissions was graded, and not many.c") for note in submission.notes)


@FORMS
@pytest.mark.parametrize(
    ("folders", "is_doubtful"),
    [
        ({"alice": ["many.c"], "carol": ["single.c"]}, True),
        ({"alice": ["many.c"], "bob": ["single.c"], "carol": ["single.c"]}, True),
        ({"student1": ["many.c"], "student2": ["single.c"]}, True),
        ({"lab/alice": ["many.c"], "lab/carol": ["single.c"]}, True),
        ({"alice/src": ["many.c"], "carol": ["single.c"]}, True),
        ({"2_submissions/alice": ["many.c"], "2_submissions/carol": ["single.c"]}, True),
        ({"2_submissions": ["many.c"], "4_revisions_1": ["single.c"]}, False),
        ({"alice/src": ["many.c"], "carol/src": ["single.c"]}, True),
        # Parts of one work.
        ({"many": ["many.c"], "single": ["single.c"]}, False),
        ({"lab many": ["many.c"], "Single_2": ["single.c"]}, False),
        ({"v1": ["many.c"], "v2": ["single.c"]}, False),
        ({"src": ["many.c"], "src/more": ["single.c"]}, False),
        ({"alice": ["many.c"], "bob": ["many.c"]}, False),
    ],
    ids=str,
)
def test_programs_of_folders_next_to_each_other_are_not_one_work_without_a_word(
    tmp_path: Path, folders: dict[str, list[str]], *, is_doubtful: bool, packed: bool
) -> None:
    files = copies(**{folder: dict.fromkeys(names, OLD) for folder, names in folders.items()})
    submission = graded(tmp_path, files, packed=packed)
    assert any("of several students" in doubt for doubt in submission.doubts) == is_doubtful


@FORMS
def test_a_program_next_to_folders_of_several_students_is_not_all_without_a_word(
    tmp_path: Path, *, packed: bool
) -> None:
    files = {"many.c": NEWER, **copies(alice={"many.c": OLD}, carol={"single.c": OLD})}
    [doubt] = graded(tmp_path, files, packed=packed).doubts
    assert "of several students" in doubt


@FORMS
def test_folders_of_several_students_in_one_submission_are_told(tmp_path: Path, *, packed: bool) -> None:
    several = "are of several students, give the folder around them"
    [doubt] = graded(tmp_path / "1", copies(ada=both(OLD), bob=both(NEWER)), packed=packed).doubts
    assert several in doubt
    assert "ada/" in doubt
    assert "bob/" in doubt
    [doubt] = graded(tmp_path / "2", {**both(NEWER), **copies(ada=both(OLD), bob=both(OLD))}, packed=packed).doubts
    assert several in doubt
    [doubt] = graded(tmp_path / "5", copies(student1=both(OLD), student2=both(NEWER)), packed=packed).doubts
    assert several in doubt
    # Versions of one student's work, and one folder, are no class.
    [versions] = graded(tmp_path / "3", {**both(NEWER), **copies(v1=both(OLD), v2=both(OLD))}, packed=packed).doubts
    one = graded(tmp_path / "4", {**both(NEWER), **copies(ada=both(OLD))}, packed=packed)
    assert several not in versions
    assert "a different many.c and single.c is in ada/" in one.doubts[0]
    assert several not in one.doubts[0]


def test_many_folders_with_versions_are_compared_in_proportion_to_their_number(tmp_path: Path) -> None:
    names = (f"x{number:x}" for number in range(3_000))
    folders = {f"{name.translate(str.maketrans('0123456789', 'ghijklmnop'))} v1/many.c": OLD for name in names}
    handed_in = lay(tmp_path, {"lab.zip": zipped({**both(NEWER), **folders})})
    start = time.process_time()
    assert using(handed_in, {}).sources == {"many": Source(NEWER), "single": Source(NEWER)}
    assert time.process_time() - start < VERSIONS_CPU_S


OTHER = {"many.c": b"int other;", "single.c": SINGLE}


def below(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": data for name, data in files.items()}


@pytest.mark.parametrize(
    ("files", "place"),
    [
        # A copy nearer to the top, or a later version, under another name.
        ({"Many.c": MANY, **below("backup", OTHER)}, "Many.c"),
        ({"v2/Many.c": MANY, **below("v1", OTHER)}, "v2/Many.c"),
        ({"many.cpp": MANY, "single.c": SINGLE, "old/many.c": OTHER["many.c"]}, "many.cpp"),
        ({"many.c.txt": MANY, **below("old", OTHER)}, "many.c.txt"),
        ({"lab.zip": zipped({"Many.c": MANY}), "lab_old.zip": zipped(OTHER)}, "lab.zip/Many.c"),
        ({"many_final.c": MANY, **OTHER}, "many_final.c"),
        ({"Many.c": MANY, "lab.zip": zipped(OTHER)}, "Many.c"),
        ({"many_2.c": MANY, **OTHER}, "many_2.c"),
        # Deeper than anybody looks, in an archive that is not an earlier one.
        (
            {"lab.zip": zipped(OTHER), "lab (1).zip": zipped(below("home/ada/cs/lab", BOTH))},
            "lab (1).zip/home/ada/cs/lab/many.c",
        ),
        ({**OTHER, "lab.zip": zipped(below("home/ada/cs/lab", BOTH))}, "lab.zip/home/ada/cs/lab/many.c"),
    ],
)
def test_a_copy_that_is_misnamed_or_too_deep_is_a_doubt_and_can_be_used(
    tmp_path: Path, files: Files, place: str
) -> None:
    folder = lay(tmp_path / "ada", files)
    submission = using(folder, {})
    assert submission.sources["many"] == Source(OTHER["many.c"])
    [doubt] = submission.doubts
    assert f"{{file: {json.dumps(place)}, as: many.c}}" in doubt
    used = using(folder, {"many.c": place})
    assert used.sources == {"many": Source(MANY), "single": submission.sources["single"]}
    assert not used.doubts


@pytest.mark.parametrize(
    "files",
    [
        {"many_old.c": MANY, "many_test.c": MANY, "germany.c": MANY, "many.txt": MANY, "many.h": MANY},
        {
            "many_v1.c": MANY,
            "many-test2.c": MANY,
            "many.c.1": MANY,
            "many.c.234t.optimized": MANY,
            "many.c.bak2": MANY,
        },
        {"old/Many.c": MANY},
        {"deep/in/the/lab/many.c": MANY},
        {"single_2.c": SINGLE},
    ],
)
def test_other_names_and_deep_copies_next_to_the_work_are_no_doubt(tmp_path: Path, files: Files) -> None:
    submission = using(lay(tmp_path, {**OTHER, **files}), {})
    assert submission.sources["many"] == Source(OTHER["many.c"])
    assert not submission.doubts


@pytest.mark.parametrize("name", ["tests/many_test.c", "test_many.c", "many_old.c", "tests/test-single.c"])
def test_tests_and_old_files_above_the_work_are_no_doubt(tmp_path: Path, name: str) -> None:
    submission = using(lay(tmp_path, {**below("src", OTHER), name: MANY}), {})
    assert submission.sources["many"] == Source(OTHER["many.c"])
    assert not submission.doubts


@pytest.mark.parametrize(
    ("numbers", "is_doubtful"),
    [(("101", "102"), True), (("1", "2"), False), (("9", "10"), False), (("20260504", "20260511"), False)],
)
def test_a_number_of_three_digits_may_be_a_student_s(
    tmp_path: Path, numbers: tuple[str, str], *, is_doubtful: bool
) -> None:
    first, last = numbers
    submission = using(lay(tmp_path, {**below(first, OTHER), **below(last, BOTH)}), {})
    assert submission.sources["many"] == Source(MANY)
    assert bool(submission.doubts) == is_doubtful


@pytest.mark.parametrize(
    ("name", "is_doubtful"),
    [
        ("neu/many.c", True),
        ("abgabe korrigiert/many.c", True),
        ("many2.c", True),
        ("Many.c", True),
        ("try2/many.c", True),
        ("old/many.c", False),
        ("my backup/many.c", False),
        ("many_test.c", False),
        ("manyfold.c", False),
    ],
)
@FORMS
def test_another_copy_that_may_be_the_work_is_told_unless_its_name_says_that_it_is_not(
    tmp_path: Path, name: str, *, is_doubtful: bool, packed: bool
) -> None:
    submission = graded(tmp_path, {**both(OLD), name: NEWER}, packed=packed)
    assert submission.sources["many"] == Source(OLD)
    assert [doubt for doubt in submission.doubts if name.rpartition("/")[0] in doubt or name in doubt] == [
        *submission.doubts
    ]
    assert bool(submission.doubts) == is_doubtful
