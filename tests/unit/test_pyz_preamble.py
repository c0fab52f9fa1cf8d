"""What grader.pyz does before anything is unpacked: scripts/pyz/preamble.py."""

from __future__ import annotations

import errno
import os
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PREAMBLE = Path(__file__).parents[2] / "scripts" / "pyz" / "preamble.py"
HERE = (sys.version_info[:2],)
NEVER = ((3, 99),)
MACHINES = (os.uname().machine,)
BROKEN, INTERRUPTED = 3, 130
NOBODY = 65_534
SAYS_WHERE = "print(os.environ['PEX_ROOT'], sys.argv[1:])"

Versions = tuple[tuple[int, int], ...]
Machines = tuple[str, ...]
Start = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def preamble() -> dict[str, Any]:
    """Its functions by name."""
    return runpy.run_path(str(PREAMBLE))


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start a file that has the preamble for these Pythons and machines, and then says where it would unpack to."""

    def run(
        pythons: Versions = HERE, machines: tuple[str, ...] = MACHINES, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "grader.pyz"
        text = PREAMBLE.read_text(encoding="ascii")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(
                "__main__.py",
                f"{text}\nprepare({pythons}, {machines})\nprint(os.environ['PEX_ROOT'], sys.argv[1:])\n",
            )
        return subprocess.run(
            [sys.executable, path, "check", "a b"], env={"PATH": "", "HOME": str(tmp_path), **environment},
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip

    return run


def program(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)
    return path


def test_it_goes_on_where_all_is_well(start: Start, tmp_path: Path) -> None:
    done = start()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/.cache/iolab-grader/pyz ['check', 'a b']\n"


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"XDG_CACHE_HOME": "{home}/anywhere"}, "{home}/anywhere/iolab-grader/pyz"),
        ({"XDG_CACHE_HOME": "relative"}, "{home}/.cache/iolab-grader/pyz"),
        ({"PEX_ROOT": "/anywhere"}, "/anywhere"),
    ],
)
def test_where_it_unpacks_to_can_be_said(
    start: Start, tmp_path: Path, environment: dict[str, str], place: str
) -> None:
    said = {name: value.format(home=tmp_path) for name, value in environment.items()}
    assert start(**said).stdout.split()[0] == place.format(home=tmp_path)


def test_a_cache_that_cannot_be_made_is_one_in_the_temporary_folder(start: Start, tmp_path: Path) -> None:
    done = start(HOME="/dev/null", TMPDIR=str(tmp_path))
    folder = tmp_path / f"iolab-grader-{os.geteuid()}"
    assert done.stdout.split()[0] == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def give(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(path, NOBODY, NOBODY)


def open_to_all(path: Path) -> None:
    path.chmod(0o777)


@pytest.mark.parametrize("spoil", [give, open_to_all])
@pytest.mark.parametrize("part", ["", ".cache", ".cache/iolab-grader/pyz"])
def test_nothing_is_run_from_a_cache_that_others_may_write(
    start: Start, tmp_path: Path, part: str, spoil: Callable[[Path], None]
) -> None:
    home, own = tmp_path / "home", tmp_path / "tmp"
    (home / part).mkdir(parents=True)
    own.mkdir()
    spoil(home / part)
    before = sorted(home.rglob("*"))
    done = start(HOME=str(home), TMPDIR=str(own))
    assert done.stdout.split()[0] == str(own / f"iolab-grader-{os.geteuid()}")
    if spoil is give:
        assert sorted(home.rglob("*")) == before, "under sudo, a folder of root's would be in somebody's way"


def test_it_is_closed_whatever_the_umask_is(start: Start, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        place = Path(start().stdout.split()[0])
        assert [path.stat().st_mode & 0o777 for path in (place, place.parent)] == [0o700, 0o700]
        assert start().stdout.split()[0] == str(place) == f"{tmp_path}/.cache/iolab-grader/pyz"
    finally:
        os.umask(before)


def test_a_temporary_folder_that_others_may_write_is_not_taken(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / f"iolab-grader-{os.geteuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    done = start(HOME="/dev/null", TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (BROKEN, "")
    assert f"{folder} is not a folder that only you can write" in done.stderr


def test_a_link_in_its_place_is_not_taken(start: Start, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / f"iolab-grader-{os.geteuid()}").symlink_to(tmp_path / "mine")
    assert start(HOME="/dev/null", TMPDIR=str(tmp_path)).returncode == BROKEN


def test_no_folder_at_all_is_told(start: Start) -> None:
    done = start(HOME="/dev/null", TMPDIR="/dev/null")
    assert done.returncode == BROKEN
    assert "no folder to unpack to" in done.stderr
    assert "PEX_ROOT=/FOLDER python3 grader.pyz" in done.stderr


def test_another_machine_is_told(start: Start) -> None:
    done = start(machines=("pdp11", "vax"))
    assert done.returncode == BROKEN
    assert f"this file is for pdp11 and vax, this machine is {MACHINES[0]}" in done.stderr


def test_another_system_is_told_how_else(
    preamble: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SystemExit) as ending:
        preamble["prepare"](HERE, MACHINES)
    assert ending.value.code == BROKEN
    assert "install the wheel with pipx" in capsys.readouterr().err


def test_another_c_library_is_told(
    preamble: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unknown(_name: str) -> str:
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(os, "confstr", unknown)
    with pytest.raises(SystemExit) as ending:
        preamble["expect_libc"]()
    assert ending.value.code == BROKEN
    assert "GNU C library" in capsys.readouterr().err


def test_a_python_of_the_wrong_version_says_which_are_right(start: Start) -> None:
    done = start(pythons=((3, 98), (3, 99)))
    assert done.returncode == BROKEN
    assert done.stderr.startswith(f"grader: this file needs CPython 3.98, 3.99; {sys.executable} is 3.")


def test_it_goes_on_as_a_python_that_fits(start: Start, tmp_path: Path) -> None:
    # The first is useless; the second says that it fits, and then what it was started with.
    hint = program(tmp_path / "hints", "python3.99", "echo there is none; exit 127").parent
    fit = program(tmp_path / "fit", "python3.99", 'test "$1" = -c || echo "$@"').parent
    done = start(pythons=NEVER, PATH=f"relative:{hint}:{fit}")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tmp_path}/grader.pyz check a b\n", "")
    assert start(pythons=NEVER, PATH=str(hint)).returncode == BROKEN


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), BROKEN, "no room to unpack to /there"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), BROKEN, "no room to unpack to /there"),
        (OSError(errno.EROFS, "Read-only file system"), BROKEN, "could not be unpacked to /there: [Errno 30]"),
        (zipfile.BadZipFile("Bad CRC-32"), BROKEN, "grader.pyz is damaged (Bad CRC-32)"),
        (RuntimeError("of PEX"), BROKEN, "RuntimeError: of PEX"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
    ],
)
def test_what_ends_the_start_has_words_and_a_status_that_blames_nobody(  # noqa: PLR0913, PLR0917
    preamble: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    words: str,
) -> None:
    monkeypatch.setenv("PEX_ROOT", "/there")
    monkeypatch.setenv("PEX", "/somewhere/grader.pyz")
    with pytest.raises(SystemExit) as ending:
        preamble["explain"](type(error), error, None)
    assert ending.value.code == status
    assert words in capsys.readouterr().err
