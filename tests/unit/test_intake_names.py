"""Names of results: whatever a name was, its results lie in a folder of the output folder and nobody else's."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.names import NAME_BYTES, RESERVED_NAMES, Names, has_letters, person_name, safe_name, shortened
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.intake.submissions import find_submissions
from grader.model.submission import Source

from .lab import SPEC
from .packing import MANY, lay, tarred, zipped

HOSTILE = [
    "..",
    ".",
    "...",
    "../../x",
    "../x",
    "/etc/x",
    "//etc/x",
    "./zoe-7",
    "zoe-7/",
    "zoe-7/.",
    "x/../zoe-7",
    "12/34",
    "12\\34",
    "..\\..\\x",
    "C:\\x",
    "a\0b",
    "zoe-7\0",
    "./index.html",
    "index.html",
    "INDEX.HTML",
    "index.html/",
    "Grades.csv",
    "gradebook.sqlite",
    "gradebook.sqlite-journal",
    "gradebook.sqlite-wal",
    "GRADEBOOK.damaged-1.sqlite",
    "gradebook.damaged-1.sqlite-journal",
    ".grader-was-here",
    ".git",
    "con",
    "NUL.txt",
    "com1",
    "zoe-7.",
    "zoe-7 ",
    "zoe-7. .",
    "line\nbreak",
    "carriage\rreturn",
    "\x1b]0;evil\x07",
    "\x7f",
    "\x85",
    "line\u2028separator",
    "paragraph\u2029separator",
    "right\u202eto left",
    "no\u200bwidth",
    "\ufeffmark",
    "tag\U000e0041",
    "\u3164",
    "hangul\u115ffiller",
    "variant\U000e0100",
    "\u2800",
    "\xa0",
    "\u3000\u2003",
    "half\ud800",
    "\udfff\ud83d",
    os.fsdecode(b"caf\xe9"),
    os.fsdecode(b"\xff\xfe"),
    " ",
    "",
    "/",
    "\\",
]
"""None of these can stay as it is."""

GOOD = [
    "zoe-7",
    "Bob B.x",
    "two words",
    "é",
    "u\u0308",
    "日本語",
    "山田\u3000太郎",
    "\u2764\ufe0f",
    "100%",
    "a'b\"c",
    "[bold]",
    "x_y.z",
    "a..b",
    "gradebook",
    "-rf",
    "--out=x",
    "-",
]


def is_safe(name: str) -> bool:
    """Say it in other words than `safe_name` does."""
    return (
        0 < len(name.encode("utf-8")) <= NAME_BYTES
        and Path("/out", name).resolve() == Path("/out", name)
        and Path("/out", name).parent == Path("/out")
        and name[0] != "."
        and name[-1] not in ". "
        and "\\" not in name
        and len(name.splitlines()) == 1
        and not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in name)
        and name.casefold() not in RESERVED_NAMES
        and re.fullmatch(r"gradebook\.damaged-.*\.sqlite(-journal)?", name, re.IGNORECASE) is None
    )


def folded(names: Sequence[str]) -> set[str]:
    """What a file system that looks at neither case nor accents' form makes of names."""
    return {unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold()) for name in names}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("นิด", "นิด-11"),
        ("मीरा राय", "मीराराय-11"),
        ("רָחֵל", "רָחֵל-11"),
        ("E\u0301lodie", "élodie-11"),
        ("İrem", "irem-11"),
        ("x\u0302a", "x\u0302a-11"),
        ("\u0301 -", "11"),
    ],
)
def test_results_have_the_letters_of_a_name_with_their_marks(name: str, expected: str) -> None:
    assert person_name([name], "11") == expected
    assert has_letters(name) == (expected != "11")


@pytest.mark.parametrize("wanted", HOSTILE)
def test_a_hostile_name_becomes_a_safe_one_that_depends_on_nothing_else(wanted: str) -> None:
    name = safe_name(wanted)
    assert is_safe(name)
    assert name != wanted
    assert safe_name(name) == name
    names = Names()
    assert [names.take(other) for other in GOOD] == GOOD
    assert names.take(wanted) == name


def test_hostile_names_are_nobody_else_s() -> None:
    names = Names()
    taken = [names.take(name) for name in HOSTILE]
    assert taken == [safe_name(name) for name in HOSTILE], "no number was needed to tell them apart"
    assert len(folded(taken)) == len(HOSTILE)


@pytest.mark.parametrize("name", GOOD)
def test_a_name_that_is_safe_stays(name: str) -> None:
    assert safe_name(name) == name


def test_the_name_of_a_device_stays_readable() -> None:
    assert safe_name("con").startswith("_con-")
    assert safe_name("NUL.txt").startswith("_NUL.txt-")


@pytest.mark.parametrize(
    ("wanted", "begins"), [(".X/y.X", "X_y.X-"), ("X.. ", "X-"), ("..", "submission-"), ("", "submission")]
)
def test_what_is_safe_of_a_name_is_kept(wanted: str, begins: str) -> None:
    assert safe_name(wanted).startswith(begins)


def test_a_long_name_is_cut_and_stays_safe() -> None:
    cut = safe_name("x" * 300)
    assert cut == "x" * NAME_BYTES
    assert is_safe(safe_name("é" * 300))
    assert is_safe(safe_name("x" * (NAME_BYTES - 1) + ". y"))
    assert is_safe(safe_name("../" * 300))
    names = Names()
    assert len(folded([names.take("x" * 300 + end) for end in "abcABC"])) == 6


@pytest.mark.parametrize("end", ["", "-2", "y" * NAME_BYTES, "y" * 2 * NAME_BYTES, "é" * NAME_BYTES])
def test_a_name_with_its_end_is_never_longer_than_a_name_may_be(end: str) -> None:
    cut = shortened("x" * 300, end)
    assert NAME_BYTES - 1 <= len(cut.encode("utf-8")) <= NAME_BYTES
    assert cut.endswith(end[: NAME_BYTES // 2])


NASTY = st.text(
    st.one_of(st.sampled_from("/\\.-\0 \nIi\u0130\u0131ßéE\u0301\u2028\u200d\ud800\udce9"), st.characters()),
    max_size=30,
)


@pytest.mark.long
@settings(derandomize=True, deadline=None, database=None)
@given(st.lists(st.one_of(st.sampled_from([*HOSTILE, *GOOD]), NASTY, NASTY.map(lambda text: text * 20)), max_size=8))
def test_whatever_names_are_wanted_those_that_are_taken_are_safe_and_differ(wanted: list[str]) -> None:
    names, again = Names(), Names()
    taken = [names.take(name) for name in wanted]
    assert all(map(is_safe, taken))
    assert len(folded(taken)) == len(wanted)
    assert [again.take(name) for name in wanted] == taken


# Each way in which somebody can choose a name, from one student's to what lies at the top of a class.

ZOE = "submission_1:\n  :submitters:\n  - :name: Zoe\n    :sid: '7'\n"


def gradescope(folder: Path, name: str) -> Path:
    # A student without letters in the name.
    sid, eve = json.dumps(name), "submission_2:\n  :submitters:\n  - :name: '-'\n    :sid: "
    files = {"submission_1/many.c": MANY, "submission_2/many.c": b"hostile"}
    return lay(folder / "in", {"submission_metadata.yml": f"{ZOE}{eve}{sid}\n".encode(), **files})


def gradescope_with_a_name(folder: Path, name: str) -> Path:
    sid, eve = json.dumps(name), "submission_2:\n  :submitters:\n  - :name: Eve/../Zoe\n    :sid: "
    files = {"submission_1/many.c": MANY, "submission_2/many.c": b"hostile"}
    return lay(folder / "in", {"submission_metadata.yml": f"{ZOE}{eve}{sid}\n".encode(), **files})


def packed_gradescope(folder: Path, name: str) -> Path:
    files = gradescope(folder, name)
    path = folder / "class.zip"
    path.write_bytes(
        zipped({str(one.relative_to(files)): one.read_bytes() for one in files.rglob("*") if one.is_file()})
    )
    return path


def can_be(name: str, errors: str) -> bool:
    """Whether a file system, or a packer, can write a name."""
    try:
        name.encode("utf-8", errors)
    except UnicodeEncodeError:
        return False
    return True


def in_archive(pack: Callable[..., bytes], top: str, zoe: str) -> Callable[[Path, str], Path]:
    def make(folder: Path, name: str) -> Path:
        path = folder / "class.zip"
        path.write_bytes(pack({zoe: MANY, "ada/many.c": b"another", top.format(name): b"hostile"}))
        return path

    return make


def on_disk(top: str, zoe: str) -> Callable[[Path, str], Path]:
    def make(folder: Path, name: str) -> Path:
        return lay(folder / "in", {zoe: MANY, top.format(name): b"hostile"})

    return make


ANYWHERE = {
    "gradescope": gradescope,
    "gradescope with a name": gradescope_with_a_name,
    "packed gradescope": packed_gradescope,
}
"""A name may be any text there."""

CANVAS = "{}_8_9_many.c", "zoe_7_1_many.c"
MOODLE = "{}_8_assignsubmission_file_/many.c", "Zoe_7_assignsubmission_file_/many.c"
MOODLE_GROUP = "{}_assignsubmission_file_/many.c", "Zoe_7_assignsubmission_file_/many.c"
MOODLE_FILES = "{}_assignsubmission_file_many.c", "Zoe_7_assignsubmission_file_many.c"
FOLDERS = "{}/many.c", "zoe-7/many.c"
IN_FILES = {
    "canvas": on_disk(*CANVAS),
    "moodle": on_disk(*MOODLE),
    "moodle group": on_disk(*MOODLE_GROUP),
    "moodle files": on_disk(*MOODLE_FILES),
    "folders": on_disk(*FOLDERS),
}
"""A name is a file's on disk there."""

IN_ARCHIVES = {
    f"{kind} in {suffix}": in_archive(pack, *top)
    for suffix, pack in (("zip", zipped), ("tar", tarred))
    for kind, top in (("canvas", CANVAS), ("moodle", MOODLE), ("group", MOODLE_GROUP), ("folders", FOLDERS))
}

ON_DISK = [
    name for name in HOSTILE if name.strip(".") and not {*name} & {"/", "\0"} and can_be(name, "surrogateescape")
]
IN_ARCHIVE = [
    name
    for name in HOSTILE
    # Some are her own folder in other words, or make the archive one submission.
    if name and can_be(name, "strict") and os.path.normpath(name.partition("\0")[0]) not in ("zoe-7", ".")
]


def check_names(found: Sequence[DiscoveredSubmission]) -> None:
    names = [one.name for one in found]
    assert all(map(is_safe, names)), names
    assert len(folded(names)) == len(names)


def check(found: Sequence[DiscoveredSubmission]) -> None:
    check_names(found)
    names = [one.name for one in found]
    zoe = [one for one in found if one.name == "zoe-7"]
    assert len(zoe) == 1, names
    assert read_submission(zoe[0], SPEC).sources["many"] == Source(MANY), "nobody else's file is hers"


Make = Callable[[Path, str], Path]


def each_found(folder: Path, make: Make, names: Sequence[str]) -> Iterator[list[DiscoveredSubmission]]:
    """Find what is in a class for each name; a test for each would take longer to set up than to run."""
    for number, name in enumerate(names):
        own = folder / str(number)
        own.mkdir()
        yield find_submissions([make(own, name)], SPEC)


@pytest.mark.parametrize("make", ANYWHERE.values(), ids=ANYWHERE)
def test_a_student_s_number_is_only_ever_a_name(tmp_path: Path, make: Make) -> None:
    for found in each_found(tmp_path, make, [*HOSTILE, "zoe-7", "ZOE-7", "x" * 300, "e\u0301", "é"]):
        assert len(found) == 2, found
        check(found)
        sources = [read_submission(one, SPEC).sources["many"] for one in found if one.name != "zoe-7"]
        assert sources == [Source(b"hostile")], found


@pytest.mark.parametrize("make", IN_FILES.values(), ids=IN_FILES)
def test_a_file_s_name_is_only_ever_a_name(tmp_path: Path, make: Make) -> None:
    for found in each_found(tmp_path, make, ON_DISK):
        check(found)


@pytest.mark.parametrize("make", IN_ARCHIVES.values(), ids=IN_ARCHIVES)
def test_a_name_in_an_archive_is_only_ever_a_name(tmp_path: Path, make: Make) -> None:
    for found in each_found(tmp_path, make, IN_ARCHIVE):
        check_names(found)
        sources = [read_submission(one, SPEC).sources["many"] for one in found if not one.problem]
        assert sources.count(Source(MANY)) == 1, found


def test_two_owners_of_one_name_are_two_submissions(tmp_path: Path) -> None:
    files = {
        "Jane Doe_1_assignsubmission_file_many.c": MANY,
        "janedoe-1_assignsubmission_file_many.c": b"a group that calls itself so",
        "roe_7_1_many.c": MANY,
        "Roe_7_2_many.c": b"another",
    }
    found = find_submissions([lay(tmp_path, files)], SPEC)
    assert sorted(one.name for one in found) == ["janedoe-1", "janedoe-1-2", "roe-7", "roe-7-2"]


@pytest.mark.long
def test_thousands_of_equal_names_take_time_in_proportion() -> None:
    names = Names()
    name = "2026-01-01 " * 20
    assert len({names.take(name) for _ in range(20_000)}) == 20_000
