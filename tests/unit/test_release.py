"""What may be released: a version that the changelog has, from a commit as it is, once."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

import grader
from grader.errors import UsageError
from scripts.make_release import CHECKOUT, free_tag, write_sums

WHO = {f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}


def git(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, timeout=60, env=environment, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A commit that may be released as 1.2.0."""
    git(tmp_path, "init")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0\n\nMore.\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "Release 1.2.0")
    return tmp_path


def test_a_commit_that_has_no_tag_yet_gets_one(checkout: Path) -> None:
    assert free_tag(checkout, "1.2.0") == "v1.2.0"


def test_the_same_commit_may_be_built_again(checkout: Path) -> None:
    git(checkout, "tag", "v1.2.0")
    assert free_tag(checkout, "1.2.0") is None


@pytest.mark.parametrize("version", ["1.2.0.dev0", "1.3.0"])
def test_a_version_that_is_no_release_is_refused(checkout: Path, version: str) -> None:
    with pytest.raises(UsageError, match=version):
        free_tag(checkout, version)


@pytest.mark.parametrize("file", ["CHANGELOG.md", "new.py"])
def test_what_is_not_committed_is_refused(checkout: Path, file: str) -> None:
    with (checkout / file).open("a") as changed:
        changed.write("x\n")
    with pytest.raises(UsageError, match=file):
        free_tag(checkout, "1.2.0")


def test_a_version_is_released_once(checkout: Path) -> None:
    git(checkout, "tag", "--annotate", "v1.2.0", "--message", "x")
    git(checkout, "commit", "--allow-empty", "--message", "More")
    with pytest.raises(UsageError, match="another commit"):
        free_tag(checkout, "1.2.0")


def test_the_changelog_has_a_section_for_the_version_of_the_code() -> None:
    version = "Unreleased" if "dev" in grader.__version__ else grader.__version__
    assert f"\n## {version}\n" in (CHECKOUT / "CHANGELOG.md").read_text("utf-8")


def test_the_sums_are_those_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"b\n")
    (tmp_path / "a").write_bytes(b"")
    write_sums(tmp_path)
    sums = [hashlib.sha256(data).hexdigest() for data in (b"", b"b\n")]
    assert (tmp_path / "SHA256SUMS").read_text() == f"{sums[0]}  a\n{sums[1]}  b\n"
