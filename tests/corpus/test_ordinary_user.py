"""The local sandbox of somebody who is not root, and of a root with another umask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.model.report import Report
from grader.model.spec import Spec
from grader.render.words import isolation_words

from .test_examples import EXAMPLES

CHECKOUT = EXAMPLES.parent
UID = 47_313
"""Nobody's on any system that we know of."""


@pytest.fixture
def home(small: Spec) -> Iterator[Path]:
    """A folder that is another user's; not tmp_path, which others cannot enter."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else; the local sandbox has been tried as the user that this is")
    with tempfile.TemporaryDirectory(prefix="ordinary-") as name:
        folder = Path(name)
        (folder / "small.yaml").write_text(small.model_dump_json(), encoding="utf-8")
        shutil.copytree(EXAMPLES / "right", folder / "right")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, UID, UID)
        yield folder


def environment_for_others(home: str) -> dict[str, str]:
    """Return what another user's processes find in their environment."""
    return {
        "HOME": home,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "COLUMNS": "200",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": f"{CHECKOUT}:{sysconfig.get_path('platlib')}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def python_for_others(environment: dict[str, str]) -> list[str] | None:
    """Return a Python that another user can start the grader with: ours, or the system's with our packages."""
    for python in (sys.executable, "/usr/bin/python3"):
        command = [python, "-m", "grader"]
        try:
            tried = subprocess.run(
                [*command, "grade", "--help"], env=environment, user=UID, group=UID, extra_groups=(), cwd="/",
                capture_output=True, timeout=60, check=False,
            )  # fmt: skip
        except PermissionError:
            continue
        if tried.returncode == 0:
            return command
    return None


@pytest.fixture
def as_user(home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line as somebody who is not root."""
    environment = environment_for_others(str(home))
    command = python_for_others(environment)
    if command is None:
        pytest.skip("another user may read neither this Python's installation nor this checkout")

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *map(str, arguments)], env=environment, user=UID, group=UID, extra_groups=(), cwd=home,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run


def test_an_ordinary_user_grades_without_isolation_and_is_told_so(as_user: Callable[..., Any], home: Path) -> None:
    done = as_user("grade", "right", "--lab", "small.yaml", "--out", "out", "--sandbox", "local")
    assert done.returncode == 0, done.stderr
    report = Report.model_validate_json((home / "out" / "right" / "report.json").read_bytes())
    assert report.isolation == "none"
    assert report.score == report.max_score == 100
    assert {check.status for check in report.checks} == {"passed"}
    assert f"1 of 1 graded {isolation_words('none')}" in done.stdout
    assert (home / ".cache" / "iolab-grader").is_dir()


def test_a_folder_that_an_ordinary_user_may_not_read(as_user: Callable[..., Any], home: Path) -> None:
    closed = home / "closed"
    (closed / "submission").mkdir(parents=True)
    closed.chmod(0o700)
    for path in (closed, closed / "submission"):
        done = as_user("grade", path, "--lab", "small.yaml", "--out", "out", "--sandbox", "local")
        assert done.returncode == 2, done.stderr
        assert str(path) in done.stderr
        assert "not readable" in done.stderr or "cannot be read: Permission denied" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_source_that_an_ordinary_user_may_not_read_is_no_grade(as_user: Callable[..., Any], home: Path) -> None:
    os.chown(home / "right" / "tr2u.c", 0, 0)
    (home / "right" / "tr2u.c").chmod(0o600)
    done = as_user("grade", "right", "--lab", "small.yaml", "--out", "out", "--sandbox", "local")
    assert done.returncode == 3, done.stderr
    report = Report.model_validate_json((home / "out" / "right" / "report.json").read_bytes())
    assert (report.status, report.score) == ("not_graded", None)
    assert "tr2u.c cannot be read: Permission denied" in report.reason


def test_a_closed_umask_does_not_close_the_sandbox(
    environment: dict[str, str], command_line: list[str], small_file: Path, tmp_path: Path
) -> None:
    options = ("--lab", str(small_file), "--out", str(tmp_path / "out"), "--sandbox", "local")
    done = subprocess.run(
        [*command_line, "grade", str(EXAMPLES / "right"), *options],
        env=environment, umask=0o077, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = Report.model_validate_json((tmp_path / "out" / "right" / "report.json").read_bytes())
    assert report.score == report.max_score
