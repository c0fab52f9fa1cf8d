from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.model.submission import Source, UnusableSource

from .lab import SOURCE_BYTES, SPEC

GIGABYTE = 1 << 30
HELD_UP_S = 20


def read(folder: Path) -> Source | UnusableSource:
    return read_submission(DiscoveredSubmission("ada", folder), SPEC).sources["many"]


def problem(folder: Path) -> str:
    source = read(folder)
    assert isinstance(source, UnusableSource)
    return source.problem


def test_a_source_is_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "many.c").write_bytes(b"\xff\r\n\x00")
    submission = read_submission(DiscoveredSubmission("ada", tmp_path), SPEC)
    assert submission.name == "ada"
    assert submission.sources == {
        "many": Source(b"\xff\r\n\x00"),
        "single": UnusableSource("single.c is missing"),
    }


def test_another_case_of_letters_is_told(tmp_path: Path) -> None:
    (tmp_path / "Many.C").write_bytes(b"x")
    assert problem(tmp_path) == (
        "many.c is missing. The folder has Many.C: rename it to many.c"
        " (capital and small letters are different names)"
    )


@pytest.mark.parametrize("target", ["other.c", "/etc/passwd", "nowhere", "many.c"])
def test_a_link_is_not_followed_wherever_it_leads(tmp_path: Path, target: str) -> None:
    (tmp_path / "other.c").write_bytes(b"x")
    (tmp_path / "many.c").symlink_to(target)
    assert problem(tmp_path) == "many.c is a symbolic link; hand in the file itself"


def test_a_link_that_comes_after_the_look_is_not_followed_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "many.c").symlink_to("/etc/passwd")
    monkeypatch.setattr("os.path.islink", lambda _path: False)
    assert problem(tmp_path) == "many.c is not a regular file"


@pytest.mark.timeout(HELD_UP_S)
def test_a_named_pipe_does_not_hold_the_grader_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "many.c")
    assert problem(tmp_path) == "many.c is a named pipe, not a regular file"


def test_a_folder_and_a_socket_are_no_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "many.c").mkdir()
    assert problem(tmp_path) == "many.c is a folder, not a regular file"
    (tmp_path / "many.c").rmdir()
    monkeypatch.chdir(tmp_path)  # a socket's path may have only 108 bytes
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("many.c")
        assert problem(tmp_path) == "many.c is not a regular file"


def test_a_device_is_no_source(tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "many.c", stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero
        (tmp_path / "many.c").open("rb").close()
    except PermissionError as error:
        pytest.skip(f"devices cannot be made here: {error}")
    assert problem(tmp_path) == "many.c is a device, not a regular file"


@pytest.mark.timeout(HELD_UP_S)
@pytest.mark.parametrize(
    ("size_bytes", "says"),
    [
        (0, "many.c is empty"),
        (SOURCE_BYTES + 1, f"many.c has {SOURCE_BYTES + 1:,} bytes; a source may have {SOURCE_BYTES:,}"),
        (GIGABYTE, f"many.c has {GIGABYTE:,} bytes"),
    ],
)
def test_sizes_that_no_source_has(tmp_path: Path, size_bytes: int, says: str) -> None:
    with (tmp_path / "many.c").open("wb") as file:
        file.truncate(size_bytes)  # a hole: takes no room
    assert says in problem(tmp_path)


def test_the_largest_source_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "many.c").write_bytes(b"x" * SOURCE_BYTES)
    assert read(tmp_path) == Source(b"x" * SOURCE_BYTES)


def test_a_file_that_grows_while_it_is_read_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "many.c").write_bytes(b"x" * 2 * SOURCE_BYTES)
    monkeypatch.setattr("grader.intake.files.size_problem", lambda *_: None)
    assert read(tmp_path) == Source(b"x" * SOURCE_BYTES)


@pytest.mark.parametrize("broken", ["os.open", "os.fdopen"])
def test_a_file_that_the_grader_may_not_read_is_our_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    (tmp_path / "many.c").write_bytes(b"x")

    def refuse(*_arguments: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(broken, refuse)
    with pytest.raises(GraderError, match=r"many\.c cannot be read: Permission denied"):
        read(tmp_path)


def test_the_digest_follows_the_sources_and_nothing_else(tmp_path: Path) -> None:
    digests = []
    for name, content in (("a", b"x"), ("b", b"x"), ("c", b"y")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "many.c").write_bytes(content)
        (folder / f"note-{name}").write_bytes(content)
        digests.append(read_submission(DiscoveredSubmission(name, folder), SPEC).digest())
    assert digests[0] == digests[1] != digests[2]
    (tmp_path / "empty").mkdir()
    assert read_submission(DiscoveredSubmission("d", tmp_path / "empty"), SPEC).digest() not in digests
