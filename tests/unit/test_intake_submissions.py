from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.intake.names import RESERVED_NAMES, Names
from grader.intake.submissions import find_submissions

from .lab import SPEC
from .packing import BOTH, MANY, zipped


def names(*paths: Path) -> list[str]:
    return [found.name for found in find_submissions(paths, SPEC)]


def hand_in(folder: Path, source: str = "many.c") -> Path:
    folder.mkdir(parents=True)
    (folder / source).write_bytes(b"int main;")
    return folder


@pytest.mark.parametrize("source", ["many.c", "single.c"])
def test_a_folder_with_one_of_the_sources_is_a_submission(tmp_path: Path, source: str) -> None:
    folder = hand_in(tmp_path / "ada", source)
    (folder / "inside").mkdir()
    assert [found.content for found in find_submissions([folder], SPEC)] == [folder]


@pytest.mark.parametrize(
    ("ada", "expected"),
    [
        ({"many.c": MANY, "old.zip": zipped(BOTH)}, ["lab"]),  # of one student, with the task next to it
        ({"lab.zip": zipped(BOTH)}, ["ada", "task"]),  # of a class in which one student handed in
        ({"lab.zip": zipped(BOTH), "notes.txt": b""}, ["ada", "task"]),
        ({"notes.txt": b""}, None),
    ],
)
def test_an_archive_with_one_folder_that_may_hold_sources(
    tmp_path: Path, ada: dict[str, bytes], expected: list[str] | None
) -> None:
    files = {"task/task.pdf": b"", **{f"ada/{name}": data for name, data in ada.items()}}
    (tmp_path / "lab.zip").write_bytes(zipped(files))
    if expected is None:
        with pytest.raises(UsageError, match="nothing to grade"):
            names(tmp_path / "lab.zip")
    else:
        assert names(tmp_path / "lab.zip") == expected


def test_a_source_that_is_a_dangling_link_makes_a_submission_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "many.c").symlink_to("nowhere")
    assert names(tmp_path) == [tmp_path.name]


def test_each_folder_in_a_folder_is_one_sorted_by_name_even_if_it_holds_nothing(tmp_path: Path) -> None:
    for name in ("zoe", "Bob", "ada"):
        hand_in(tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert names(tmp_path) == ["Bob", "ada", "empty", "zoe"]


def test_a_folder_is_a_submission_whatever_it_begins_with(tmp_path: Path) -> None:
    for name in ("__ada", "_bob", "-cyd"):
        hand_in(tmp_path / name)
    assert names(tmp_path) == ["-cyd", "__ada", "_bob"]


def test_a_folder_in_a_submission_among_several_paths(tmp_path: Path) -> None:
    hand_in(tmp_path / "c" / "ada" / "src")
    hand_in(tmp_path / "c" / "bob" / "src")
    assert names(tmp_path / "c", hand_in(tmp_path / "dan")) == ["ada", "bob", "dan"]


def test_an_archive_behind_a_link_has_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(zipped(BOTH))
    (tmp_path / "lab.zip").symlink_to("blob")
    [found] = find_submissions([tmp_path / "lab.zip"], SPEC)
    assert (found.name, found.origin.path) == ("blob", str(tmp_path / "lab.zip"))
    [found] = find_submissions([hand_in(tmp_path / "ada")], SPEC)
    assert found.origin.path == str(tmp_path / "ada")


def test_files_links_and_hidden_folders_are_none(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada")
    (tmp_path / "grades.txt").write_bytes(b"")
    (tmp_path / "link").symlink_to("ada")
    (tmp_path / "bob.zip").write_bytes(zipped(BOTH))
    (tmp_path / "link.zip").symlink_to("bob.zip")
    (tmp_path / ".git").mkdir()
    (tmp_path / "__MACOSX").mkdir()
    told: list[str] = []
    assert [found.name for found in find_submissions([tmp_path], SPEC, notify=told.append)] == ["ada", "bob"]
    assert len(told) == 1
    assert {name for name in ("grades.txt", "link", "link.zip") if name in told[0]} == {
        "grades.txt",
        "link",
        "link.zip",
    }


def test_several_paths_come_in_their_order_and_namesakes_are_told_apart(tmp_path: Path) -> None:
    one, two = hand_in(tmp_path / "1" / "ada"), hand_in(tmp_path / "2" / "Ada")
    three = hand_in(tmp_path / "3" / "ada-2")
    found = find_submissions([one, two, three], SPEC)
    assert [submission.name for submission in found] == ["ada", "Ada-2", "ada-2-2"]
    assert [submission.content for submission in found] == [one, two, three]


def test_names_that_macos_takes_for_one_are_two() -> None:
    letters = [unicodedata.normalize(form, f"r{accent}") for accent in ("é", "É") for form in ("NFC", "NFD")]
    names = Names()
    assert [names.take(name) for name in letters] == [
        letters[0],
        *(f"{name}-{number}" for number, name in enumerate(letters[1:], start=2)),
    ]


def test_results_never_lie_where_the_overview_does(tmp_path: Path) -> None:
    for name in RESERVED_NAMES:
        hand_in(tmp_path / name.upper())
    found = names(tmp_path)
    assert len(found) == len(RESERVED_NAMES)
    assert not {name.casefold() for name in found} & set(RESERVED_NAMES)


@pytest.mark.parametrize("name", ["two words", "-rf", "--lab", "é", "a'b\"c", "100%", "[bold]", "a.b-c_d"])
def test_a_name_is_kept_as_it_is(tmp_path: Path, name: str) -> None:
    hand_in(tmp_path / name)
    assert names(tmp_path) == [name]


def test_bytes_that_are_no_text_become_readable(tmp_path: Path) -> None:
    hand_in(tmp_path / os.fsdecode(b"caf\xe9"))
    [name] = names(tmp_path)
    assert name.startswith("caf_xe9-")
    assert names(tmp_path)[0].encode("utf-8")


def test_a_submission_is_named_by_its_folder_however_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hand_in(tmp_path / "ada"))
    assert names(Path()) == names(Path("../ada")) == ["ada"]


def test_sources_in_the_root_folder_have_a_name_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.lexists", lambda _path: True)
    assert names(Path("/")) == ["root"]


def test_nothing_to_grade_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    with pytest.raises(UsageError) as told:
        names(tmp_path)
    words = "neither many.c nor single.c, nor folders or archives that may hold them"
    assert str(told.value) == f"nothing to grade in {tmp_path}: {words}"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere", "nowhere does not exist"),
        (
            "file",
            r"neither a folder nor an archive \(\.zip.*\.tar\.gz\); give a submission, or a folder or an arch",
        ),
        ("file/inside", "inside cannot be read: Not a directory"),
        ("dangling", "dangling does not exist"),
        ("loop", "loop cannot be read: Too many levels of symbolic links"),
        ("x" * 300, "x cannot be read: File name too long"),
    ],
)
def test_a_path_that_cannot_be_graded_is_told(tmp_path: Path, path: str, says: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=says):
        names(tmp_path / path)
