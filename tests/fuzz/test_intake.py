"""Archives, exports and lists of students of any content are submissions or a message; no content ends a class."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.intake.gradescope import METADATA
from grader.intake.names import safe_name
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.intake.submissions import find_submissions
from grader.model.submission import Source, UnusableSource
from tests.unit.lab import SOURCE_BYTES, SPEC
from tests.unit.packing import BOTH, gzipped, lay, tarred, zipped

from .damage import JSON, TEXTS, damaged, rearranged

CLASS = {f"{who}/{name}": data for who in ("ada", "bob") for name, data in BOTH.items()}
EXPORT = {f"assignment_1_export/submission_{number}/{name}": data for number in (1, 2) for name, data in BOTH.items()}
STUDENTS = {
    f"submission_{number}": {
        ":submitters": [{":name": name, ":sid": f"00{number}", ":email": f"{name}@example.org"}],
        ":created_at": "2026-01-31 10:00:00 Z",
        ":score": 1.5,
    }
    for number, name in ((1, "Ada"), (2, "Bob"))
}

# zipfile cannot write a name that is empty before its first NUL.
names = TEXTS.filter(lambda name: name.partition("\0")[0])
files = st.dictionaries(names, st.sampled_from([b"", b"int main;", b"\0" * 600]), max_size=5)


def graded_names(path: Path) -> list[str]:
    """Find and read all there is, as a class would be; return the names of the results."""
    notes: list[str] = []
    try:
        found = find_submissions([path], SPEC, notify=notes.append)
    except UsageError:
        return []
    for one in found:
        content = read_submission(one, SPEC)
        for source in content.sources.values():
            assert isinstance(source, UnusableSource) or len(source.data) <= SOURCE_BYTES
    names = [one.name for one in found]
    assert all(names)
    assert len({name.casefold() for name in names}) == len(names)
    assert [safe_name(name) for name in names] == names
    return names


def with_file(name: str, data: bytes, look: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        look(path)
        assert list(Path(folder).iterdir()) == [path], "nothing is unpacked"


@given(damaged([zipped(CLASS), zipped(BOTH), zipped(EXPORT)]))
def test_zip(data: bytes) -> None:
    with_file("class.zip", data, graded_names)


@given(damaged([tarred(CLASS), tarred(BOTH)]))
def test_tar(data: bytes) -> None:
    with_file("class.tar", data, graded_names)


@given(st.one_of(damaged([gzipped(CLASS)]), damaged([tarred(CLASS)]).map(gzip.compress)))
def test_gzip(data: bytes) -> None:
    with_file("class.tar.gz", data, graded_names)


@given(st.one_of(st.binary(max_size=600), damaged([zipped(BOTH), tarred(BOTH), gzipped(BOTH)])))
def test_a_student_s_archive(data: bytes) -> None:
    def look(path: Path) -> None:
        submission = read_submission(DiscoveredSubmission("ada", path), SPEC)
        assert all(isinstance(source, Source | UnusableSource) for source in submission.sources.values())

    with_file("lab.zip", data, look)


@given(files, st.sampled_from([zipped, tarred]))
def test_names_in_an_archive(contents: dict[str, bytes], pack: Callable[[dict[str, bytes]], bytes]) -> None:
    try:
        data = pack(contents)
    except (UnicodeEncodeError, ValueError):
        return  # the format cannot hold such a name
    with_file("class.zip", data, graded_names)


def names_with_students(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        export = lay(Path(folder), EXPORT) / "assignment_1_export"
        (export / METADATA).write_bytes(content)
        # Both are found whatever the list says, even if it makes them one student's.
        assert len(graded_names(export)) == 2


@given(damaged([yaml.safe_dump(STUDENTS).encode()]))
def test_a_damaged_list_of_students(content: bytes) -> None:
    names_with_students(content)


@given(st.one_of(rearranged(STUDENTS), JSON))
def test_any_list_of_students(content: object) -> None:
    try:
        text = yaml.safe_dump(content, allow_unicode=True).encode("utf-8", "surrogatepass")
    except yaml.YAMLError as error:
        raise AssertionError("a document that YAML cannot hold") from error
    names_with_students(text)


@given(st.dictionaries(st.sampled_from(["submission_1", "submission_2"]), st.tuples(TEXTS, TEXTS, TEXTS)))
def test_whatever_students_are_called(people: dict[str, tuple[str, str, str]]) -> None:
    students = {
        folder: {":submitters": [dict(zip((":name", ":sid", ":email"), person, strict=True))]}
        for folder, person in people.items()
    }
    names_with_students(yaml.safe_dump(students).encode("utf-8", "surrogatepass"))


def test_an_undamaged_class_is_found(tmp_path: Path) -> None:
    """What is above would hold too if nothing was ever found."""
    for name, data in (
        ("class.zip", zipped(CLASS)),
        ("class.tar.gz", gzipped(CLASS)),
        ("export.zip", zipped(EXPORT)),
    ):
        (tmp_path / name).write_bytes(data)
        assert len(graded_names(tmp_path / name)) == 2
