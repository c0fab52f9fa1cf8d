"""Files that a course uses instead of others, the notebook, and guesses at what a missing source is called."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.errors import NothingToGradeError
from grader.intake.choice import Bundle
from grader.intake.files import DiskFile
from grader.intake.missing import missing
from grader.intake.reading import NOTEBOOK_BYTES, DiscoveredSubmission, read_submission
from grader.model.spec.lab import Spec
from grader.model.spec.notebook import NotebookRules
from grader.model.submission import NotebookFile, Source, Submission, UnusableSource

from .lab import DOCUMENT, SPEC
from .packing import BOTH, MANY, SINGLE, lay, zipped

Files = Mapping[str, bytes]
USED = "was graded as many.c, as the course decided"

WITH_NOTEBOOK = SPEC.model_copy(update={"notebook": NotebookRules(files=("lab.txt", "notes.txt"), strace_sinks=())})


def placed(folder: Path, files: Files, *, packed: bool) -> Path:
    return lay(folder, {"lab.zip": zipped(files)} if packed else files)


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


def test_a_file_to_use_next_to_an_archive_is_found_without_opening_the_archive(tmp_path: Path) -> None:
    submission = using(lay(tmp_path, {"try.c": MANY, "lab.zip": b"broken"}), {"many.c": "try.c"})
    assert submission.sources["many"] == Source(MANY)
    assert submission.notes == (
        f"try.c {USED}",
        "lab.zip was left alone, because sources were found next to it",
    )


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


def test_another_source_of_the_lab_is_not_meant() -> None:
    files = [DiskFile(name, name) for name in ("tr2u.c", "Tr2u.c")]
    assert missing("tr2b.c", [Bundle(files[:1])], ("tr2b.c", "tr2u.c")) == "tr2b.c is missing"
    assert "There is tr2u.c" in missing("tr2b.c", [Bundle(files[:1])])
    near = [Bundle([DiskFile("tr2b.\u0441", ""), DiskFile("tr2b.c.gz", "")])]
    assert missing("tr2u.c", near, ("tr2b.c", "tr2u.c")) == "tr2u.c is missing"
    assert (
        missing("copy.c", [Bundle([DiskFile("copybuf (1).c", "")])], ("copy.c", "copybuf.c")) == "copy.c is missing"
    )
