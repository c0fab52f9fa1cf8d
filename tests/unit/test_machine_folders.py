"""The folder for temporary files: what is wrong with one, and which one is used."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import machine_folders as module
from grader.cli import doctor
from grader.cli.exit_status import BROKEN, USAGE
from grader.cli.main import status_of
from grader.errors import EngineUnavailableError
from grader.machine_folders import (
    NOEXEC,
    VARIABLES,
    NoTemporaryFolderError,
    first_closed_folder,
    folder_problem,
    temporary_root,
)
from grader.sandbox import requirements
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import local_sandbox

LINUX_STATVFS = os.statvfs


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    # The folders of root's tests are closed to others.
    monkeypatch.setattr(module, "first_closed_folder", lambda _folder: None)


def is_on(monkeypatch: pytest.MonkeyPatch, folder: Path, **values: int) -> None:
    """Make a folder's disk one with these values of statvfs."""
    found = LINUX_STATVFS(folder)
    usual = {name: getattr(found, name) for name in dir(found) if name.startswith("f_")}
    monkeypatch.setattr(
        os,
        "statvfs",
        lambda path: SimpleNamespace(**{**usual, **values}) if Path(path) == folder else LINUX_STATVFS(path),
    )


def refusing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """Make a method of Path fail."""

    def refuse(_path: Path, *_arguments: object, **_options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, name, refuse)


@pytest.mark.parametrize("variable", VARIABLES)
def test_the_folder_of_a_variable_is_used_and_left_empty(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    assert temporary_root() == temporary_root(runs_programs=True) == tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [".", "below", "./below/../below"])
def test_a_relative_folder_is_made_absolute(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", name)
    found = temporary_root(runs_programs=True)
    assert found.is_absolute()
    assert found.samefile(name)


def folder_that_is_missing(folder: Path, _patch: pytest.MonkeyPatch) -> Path:
    return folder / "missing"


def folder_that_is_a_file(folder: Path, _patch: pytest.MonkeyPatch) -> Path:
    (folder / "file").touch()
    return folder / "file"


def folder_without_programs(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    is_on(patch, folder, f_flag=NOEXEC)
    return folder


def folder_whose_programs_are_refused(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    patch.setattr(subprocess, "run", refuse)
    return folder


def folder_that_refuses(name: str, number: int) -> Callable[[Path, pytest.MonkeyPatch], Path]:
    def make(folder: Path, patch: pytest.MonkeyPatch) -> Path:
        refusing(patch, name, number)
        return folder

    return make


def folder_without_inodes(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    is_on(patch, folder, f_files=10, f_favail=0, f_bavail=10)
    refusing(patch, "mkdir", errno.ENOSPC)
    return folder


def folder_below_a_closed_one(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    patch.setattr(os, "geteuid", lambda: 0)
    patch.setattr(module, "first_closed_folder", lambda below: below.parent)
    return folder


UNUSABLE: Mapping[str, Callable[[Path, pytest.MonkeyPatch], Path]] = {
    "it does not exist": folder_that_is_missing,
    "it is not a folder": folder_that_is_a_file,
    "it is mounted noexec": folder_without_programs,
    "no program can be started from it": folder_whose_programs_are_refused,
    "you may not write to it": folder_that_refuses("mkdir", errno.EACCES),
    "its disk is read-only": folder_that_refuses("mkdir", errno.EROFS),
    "no space is left on the disk, or in a quota": folder_that_refuses("write_bytes", errno.EDQUOT),
    "no space is left on the disk": folder_that_refuses("mkdir", errno.ENOSPC),
    "no inodes are left on the disk": folder_without_inodes,
    "programs run as a separate user, who may not pass through /": folder_below_a_closed_one,
}


@pytest.mark.parametrize("problem", UNUSABLE)
def test_what_is_wrong_is_named_by_check_and_doctor_with_what_to_do(
    problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_docker() -> Any:  # noqa: ANN401 - never returns
        raise EngineUnavailableError("no Docker engine answers")

    home = tmp_path / "home"
    home.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(doctor, "_docker", no_docker)
        # The compiler is not what this is about, and takes a while.
        patch.setattr(requirements, "_error_of", lambda *_: None)
        folder = UNUSABLE[problem](home, patch)
        patch.setenv("TMPDIR", str(folder))
        with pytest.raises(EngineUnavailableError) as raised:
            local_sandbox()
        status = status_of(["doctor"])
    assert f"cannot be in {folder}, which TMPDIR names: {problem}" in str(raised.value)
    assert "set TMPDIR to" in str(raised.value)
    said = capsys.readouterr().out
    assert status == BROKEN
    assert f"which TMPDIR names: {problem}" in said
    assert "to do: set TMPDIR to" in said
    assert not list(home.glob("iolab-grader*"))


def test_without_programs_noexec_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_on(monkeypatch, tmp_path, f_flag=NOEXEC)
    assert folder_problem(tmp_path, runs_programs=False) == ""
    assert folder_problem(tmp_path, runs_programs=True)


def test_a_folder_that_others_may_not_pass_through_is_found_on_the_path_and_where_links_lead() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        top = Path(name).resolve()
        top.chmod(0o755)
        below = top / "closed" / "below"
        below.mkdir(parents=True)
        (top / "link").symlink_to(below)
        assert first_closed_folder(below) is None
        below.parent.chmod(0o744)
        assert first_closed_folder(below) == first_closed_folder(top / "link") == below.parent


def test_without_a_variable_the_next_of_the_system_s_folders_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    second.mkdir()
    monkeypatch.setattr(module, "DEFAULTS", (str(first), str(second)))
    assert temporary_root(runs_programs=True) == second
    second.rmdir()
    with pytest.raises(
        NoTemporaryFolderError, match=r"first \(it does not exist\) or .*second \(it does not exist\)"
    ):
        temporary_root()


@pytest.mark.parametrize(
    "arguments",
    [["check"], ["grade", ".", "--lab", "tr2", "--out", "out"], ["notebook", "lab.txt"], ["lab", "test", "x"]],
)
def test_a_removed_current_folder_is_named_in_every_command(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert status_of(arguments) == USAGE
    said = capsys.readouterr().err
    assert said.startswith("grader: the folder that you are in has been removed; enter `cd`")
    assert len(said.splitlines()) == 1
    monkeypatch.setenv("PEX", "/somewhere/grader.pyz")
    assert status_of(arguments) == USAGE


@pytest.mark.parametrize(("variable", "value"), [("TMPDIR", "."), ("TMPDIR", "a/b"), ("PATH", "")])
def test_what_is_below_a_removed_current_folder_ends_no_doctor(
    variable: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix://docker.sock")
    monkeypatch.setenv(variable, value)
    monkeypatch.setattr(doctor, "local_sandbox", no_sandbox)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert status_of(["doctor"]) == BROKEN
    assert "Can I check my work here? No: " in capsys.readouterr().out


def no_sandbox() -> Sandbox:
    raise EngineUnavailableError("not here")


def test_doctor_names_a_removed_current_folder_and_promises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_tried", lambda *_arguments: [])
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert status_of(["doctor"]) == BROKEN
    said = capsys.readouterr().out
    assert "to do: enter `cd`" in said
    assert "Can I check my work here? No: " in said
