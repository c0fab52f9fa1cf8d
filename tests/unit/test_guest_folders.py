from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from grader.guest import folders as guest_folders
from grader.guest.folders import Folders
from grader.guest.launch import GuestError, tool
from grader.guest.plan_json import RunFileJson, SandboxLayoutJson
from grader.guest.space import BUILD_BYTES, NoSpaceError
from grader.render.text.phrases import is_own_doing


@pytest.fixture
def layout(tmp_path: Path) -> SandboxLayoutJson:
    for name in ("work", "scratch"):
        (tmp_path / name).mkdir()
    return SandboxLayoutJson(
        work_dir=str(tmp_path / "work"),
        scratch_dir=str(tmp_path / "scratch"),
        tally="/tally",
        student=None,
        in_container=False,
        process_limit="none",
    )


def mode(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_outputs_and_logs_are_closed_to_students_and_executables_are_not(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    assert mode(Path(folders.output("tr2b.swap", "stdout")).parent) == 0o700
    assert mode(Path(folders.executable("tr2b")).parent) & 0o055 == 0o055
    assert not mode(Path(folders.executable("tr2b")).parent) & 0o022


def test_a_run_dir_is_made_once(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    folders.make_run_dir("run-0")
    with pytest.raises(FileExistsError):
        folders.make_run_dir("run-0")


def test_what_students_write_to_lies_apart(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    scratch = Path(folders.make_run_dir("run-0"))
    for path in (folders.sources, folders.input("text"), folders.executable("p"), folders.output("s", "stdout")):
        assert scratch.parent not in Path(path).parents


def test_streams_and_steps_do_not_share_a_file(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    paths = {folders.output(step, name) for step in ("a.b", "a.b.strace") for name in ("stdout", "stderr", "strace")}
    assert len(paths) == 2 * 3


def test_folders_of_an_earlier_guest_are_not_taken_over(layout: SandboxLayoutJson) -> None:
    Folders(layout)
    with pytest.raises(FileExistsError):
        Folders(layout)


def test_a_tool_that_is_missing_is_named() -> None:
    assert tool("sh").endswith("/sh")
    with pytest.raises(GuestError, match="no-such-tool is not installed where submissions run"):
        tool("no-such-tool")


def test_a_run_dir_is_open_for_its_run_and_for_no_other(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    run_dirs = [folders.make_run_dir(f"run-{number}") for number in range(2)]
    assert [mode(run_dir) for run_dir in run_dirs] == [0o700, 0o700]
    with folders.opened(run_dirs[0]) as run_dir:
        assert run_dir == run_dirs[0]
        assert [mode(run_dir) for run_dir in run_dirs] == [0o777, 0o700]
    assert [mode(run_dir) for run_dir in run_dirs] == [0o700, 0o700]


def test_what_a_run_left_is_removed_except_folders(layout: SandboxLayoutJson, tmp_path: Path) -> None:
    """A program that fills its folder would leave no space for the compilations that follow."""
    kept = tmp_path / "kept"
    kept.write_text("kept")
    folders = Folders(layout)
    run_dir = Path(folders.make_run_dir("run-0"))
    with folders.opened(str(run_dir)):
        (run_dir / "file").write_bytes(b"x")
        (run_dir / "link").symlink_to(kept)
        (run_dir / "to-a-folder").symlink_to(tmp_path)
        (run_dir / "folder").mkdir()
        (run_dir / "folder" / "file").write_bytes(b"x")
    assert [path.name for path in run_dir.iterdir()] == ["folder"]
    assert (run_dir / "folder" / "file").exists()
    assert kept.read_text() == "kept"


@pytest.mark.parametrize(("is_full", "took_it"), [(True, True), (False, True), (False, False)])
def test_a_program_is_to_blame_for_a_lack_of_space_that_is_over_without_its_files(
    *, is_full: bool, took_it: bool, layout: SandboxLayoutJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def allocate(*_arguments: object) -> None:
        if is_full:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("os.posix_fallocate", allocate)
    lack, folders = NoSpaceError("no space"), Folders(layout)
    with folders.opened(folders.make_run_dir("run")) as run_dir:
        Path(run_dir, "large").write_bytes(bytes(BUILD_BYTES if took_it else 1))
    blamed = folders.blame("tr2b", lack)
    is_blamed = took_it and not is_full
    assert (blamed is lack) != is_blamed
    assert is_own_doing(str(blamed)) == ("tr2b had filled it" in str(blamed)) == is_blamed


def test_inputs_are_closed_to_students(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    assert mode(str(Path(folders.input("any")).parent)) == 0o700


@pytest.mark.parametrize(
    ("number", "told"), [(errno.ENOSPC, NoSpaceError), (errno.EDQUOT, NoSpaceError), (errno.EIO, OSError)]
)
def test_a_file_that_does_not_fit_is_named(layout: SandboxLayoutJson, number: int, told: type[Exception]) -> None:
    folders = Folders(layout)

    def copy(_target: BinaryIO, _size_bytes: int) -> None:
        raise OSError(number, "as a write says it, without a name")

    with pytest.raises(told) as caught:
        folders.fill([{"folder": "inputs", "name": "letters", "size_bytes": 3}], copy)
    assert (folders.input("letters") in str(caught.value)) == (told is NoSpaceError)


def test_files_that_are_sent_are_written_where_the_request_says(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    sent = io.BytesIO(b"int main;\nabc{}")

    def copy(target: BinaryIO, size_bytes: int) -> None:
        target.write(sent.read(size_bytes))

    folders.fill(
        [
            {"folder": "sources", "name": "tr2b.c", "size_bytes": 10},
            {"folder": "inputs", "name": "empty", "size_bytes": 0},
            {"folder": "inputs", "name": "letters", "size_bytes": 3},
        ],
        copy,
    )
    assert Path(folders.sources, "tr2b.c").read_bytes() == b"int main;\n"
    assert Path(folders.input("letters")).read_bytes() == b"abc"
    assert Path(folders.input("empty")).read_bytes() == b""
    assert sent.read() == b"{}"


def no_files(*steps: str) -> dict[str, list[RunFileJson]]:
    return {step: [] for step in steps}


def test_the_order_of_folders_and_outputs_tells_nothing(
    layout: SandboxLayoutJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inode numbers count them in the order in which they are made."""
    orders: list[list[str]] = []

    def shuffle(_self: object, steps: list[str]) -> None:
        steps.reverse()
        orders.append([*steps])

    monkeypatch.setattr("random.SystemRandom.shuffle", shuffle)
    folders = Folders(layout)
    run_dirs = folders.make_for_runs(no_files("a", "b", "c"))
    assert [*run_dirs] == ["c", "b", "a"]
    assert orders == [["c", "b", "a"], ["a", "b", "c"]]
    assert all(not Path(folders.kept_output(step)).read_bytes() for step in run_dirs)


def test_reading_an_input_leaves_no_access_time(layout: SandboxLayoutJson) -> None:
    folders = Folders(layout)
    path = Path(folders.input("letters"))
    path.write_bytes(b"abc")
    os.utime(path, (1, 1))
    descriptor = folders.open_input("letters")
    assert os.read(descriptor, 9) == b"abc"
    os.close(descriptor)
    assert path.stat().st_atime == 1


def test_outputs_are_kept_whole_while_there_is_space_for_all(
    layout: SandboxLayoutJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_folders, "KEPT_BYTES", 100)
    folders = Folders(layout)

    def kept(step: str, size_bytes: int, least_bytes: int) -> int:
        path = Path(folders.output(step, "stdout"))
        path.write_bytes(b"x" * size_bytes)
        folders.keep(str(path), size_bytes, least_bytes)
        return path.stat().st_size

    assert kept("one", 60, 5) == 60
    assert kept("one", 70, 5) == 70, "the output of a repeated run replaces the other"
    assert kept("two", 31, 5) == 5
    assert kept("three", 31, 50) == 31
    assert kept("four", 4, 5) == 4
