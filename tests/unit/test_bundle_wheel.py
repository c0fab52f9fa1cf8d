from __future__ import annotations

import base64
import hashlib
import io
import os
import zipfile
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath

import pytest

import grader
from grader import resources
from grader.errors import UsageError
from grader.gradescope.bundle import carried
from grader.gradescope.bundle.carried import added_labs, carried_files, carried_lab
from grader.gradescope.bundle.packing import EARLIEST, packed
from grader.gradescope.bundle.wheel import make_wheel
from grader.lab.find import find_lab, known_labs
from grader.messages import ignore_message
from grader.resources import CARRIED, PACKAGE, resource
from grader.selfcheck.new_lab import new_lab
from tests.copying_lab import write_hidden_lab

STRAY = (
    ".hidden.py",
    ".#locked.py",
    "#edited.py#",
    "backup.py~",
    "backup.py.orig",
    "copy of backup.py",
    "swapped.py.swp",
    "compiled",
    "__pycache__/compiled.cpython-310.pyc",
)


def installed_copy(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out the grader's files as an installed wheel does, and have the grader find them there."""
    for place, data in carried_files().items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for module in (resources, carried):
        monkeypatch.setattr(module, "PACKAGE", root / "grader")
    return root / "grader"


def parts(wheel: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def dist_info(name: str) -> bytes:
    return parts(make_wheel().data)[f"iolab_grader-{grader.__version__}.dist-info/{name}"]


@pytest.mark.parametrize("root", [PACKAGE, *map(resource, CARRIED)], ids=lambda path: path.name)
def test_every_file_is_carried_but_for_caches(root: Path) -> None:
    inside = PurePosixPath("grader") if root == PACKAGE else PurePosixPath("grader", "_data", root.name)
    files = [root] if root.is_file() else [path for path in root.rglob("*") if path.is_file()]
    wanted = {str(inside / path.relative_to(root).as_posix()) for path in files if path.parent.name != "__pycache__"}
    assert wanted
    assert wanted <= set(carried_files())


def test_what_lies_beside_the_files_is_not_carried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = carried_files()
    package = installed_copy(tmp_path, monkeypatch)
    for name in STRAY:
        for folder in (package, package / "_data" / "reference"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(b"stray")
    (package / "link.py").symlink_to("/etc/hostname")
    assert carried_files() == before


def test_record_names_every_file_with_its_digest_and_size() -> None:
    files = parts(make_wheel().data)
    own = next(name for name in files if name.endswith(".dist-info/RECORD"))
    rows = [line.split(",") for line in files.pop(own).decode().splitlines()]
    assert rows.pop() == [own, "", ""]
    assert sorted(path for path, _, _ in rows) == sorted(files)
    for path, digest, size in rows:
        wanted = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={wanted}", len(files[path])), path


def test_the_metadata_ask_for_what_the_project_asks_for() -> None:
    told = Parser().parsestr(dist_info("METADATA").decode())
    assert (told["Name"], told["Version"]) == ("iolab-grader", grader.__version__)
    assert told["Requires-Python"] == ">=3.10"
    assert sorted(told.get_all("Requires-Dist", [])) == sorted(distribution("iolab-grader").requires or [])
    assert dist_info("entry_points.txt") == b"[console_scripts]\ngrader = grader.cli.entry:main\n"
    assert dist_info("licenses/LICENSE").startswith(b"MIT License")


def test_the_same_bytes_from_other_files_of_the_same_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = make_wheel()
    mask = os.umask(0o077)
    try:
        package = installed_copy(tmp_path, monkeypatch)
    finally:
        os.umask(mask)
    for path in package.rglob("*"):
        os.utime(path, (1e9, 1e9))
    (package / "cli" / "main.py").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert make_wheel() == before


def test_labs_are_added_with_all_parts_and_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_lab(tmp_path / "echo")
    (tmp_path / "echo").rename(tmp_path / "folder")
    notes: list[str] = []
    added = added_labs([str(tmp_path / "folder"), "tr2"], notes.append)
    assert notes == []
    assert {path for path in added if path.startswith("grader/_data/labs/echo/")} == {
        "grader/_data/labs/echo/lab.yaml",
        "grader/_data/labs/echo/reference/echo.c",
        "grader/_data/labs/echo/template/echo.c",
    }
    assert added.items() <= parts(make_wheel(added).data).items()
    package = installed_copy(tmp_path / "site", monkeypatch)
    before = carried_files()
    for name, data in added.items():
        path = package.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert known_labs() == ["copybuf", "echo", "tr2"]
    for name in ("echo", "tr2"):
        lab = find_lab(name)
        assert (lab.name_or_path, lab.spec) == (name, package / "_data" / "labs" / name / "lab.yaml")
        assert {"lab.yaml", f"reference/{'echo' if name == 'echo' else 'tr2b'}.c"} <= carried_lab(lab).keys()
    assert carried_files() == before, "an autograder's zip has only the lab that it grades"


def test_labs_that_cannot_be_added_are_refused(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        new_lab(tmp_path / folder / "echo")
    with pytest.raises(UsageError, match="another of these labs is named 'echo' too"):
        added_labs([str(tmp_path / folder / "echo") for folder in ("one", "two")], ignore_message)
    (tmp_path / "one" / "echo" / "reference" / "echo.c").unlink()
    with pytest.raises(UsageError, match=r"lacks echo\.c"):
        added_labs([str(tmp_path / "one" / "echo")], ignore_message)


def test_of_a_lab_with_hidden_checks_the_user_is_told(tmp_path: Path) -> None:
    notes: list[str] = []
    lab = write_hidden_lab(tmp_path / "full")
    assert any(path.endswith("fixtures/unseen.bin") for path in added_labs([str(lab)], notes.append))
    assert [note for note in notes if "has hidden checks" in note] == notes != []


@pytest.mark.parametrize("compress", [True, False])
def test_a_zip_says_nothing_of_when_where_and_in_which_order(compress: bool) -> None:  # noqa: FBT001 - parametrized
    files = {"b/run": b"#!/bin/sh\n", "a.txt": b"text" * 100}
    data = packed(files, compress=compress)
    assert data == packed(dict(reversed(files.items())), compress=compress)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        assert {entry.filename: archive.read(entry) for entry in entries} == files
    assert [(entry.filename, oct(entry.external_attr >> 16)) for entry in entries] == [
        ("a.txt", "0o100644"),
        ("b/run", "0o100755"),
    ]
    assert {entry.date_time for entry in entries} == {EARLIEST}
    assert {entry.create_system for entry in entries} == {3}
    assert (entries[0].compress_size < entries[0].file_size) == compress
