"""Find the data that belongs to the grader: at the root of the repository, or inside the installed package."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import GraderError

PACKAGE = Path(__file__).resolve().parent
CARRIED = ("specs", "reference", "student_template", "docker", "reports", "constraints.txt")
"""Folders and files of the repository's root that the wheel contains in grader/_data (pyproject.toml, force-include).

constraints.txt holds the versions of the dependencies that the grader was tested with."""


def resource(*parts: str) -> Path:
    """Return the path of packaged data, as in `resource("specs", "LAB.yaml")`.

    Raises:
        GraderError: there is no such folder, it lacks this file, or `parts` lead out of the folder.
    """
    if not parts:
        raise GraderError(f"no resource was named; there are {_known()}")
    folder, *below = parts
    base = _folder(folder)
    path = Path(os.path.normpath(base.joinpath(*below)))
    # A part may come from the command line (`--lab NAME`) and must not reach files outside.
    if not path.is_relative_to(base):
        raise GraderError(f"{'/'.join(parts)!r} leads out of the grader's folder {folder!r}")
    if not path.exists():
        raise GraderError(f"{path} is missing: the installation of the grader is incomplete; install it again")
    return path


def added_labs() -> Path:
    """Return the folder of the labs that were added when the wheel was built; it exists only if some were."""
    return PACKAGE / "_data" / "labs"


def _folder(name: str) -> Path:
    if name not in CARRIED:
        raise GraderError(f"{name!r} is not a folder of the grader's data; there are {_known()}")
    installed = PACKAGE / "_data"
    return (installed if installed.is_dir() else PACKAGE.parent) / name


def _known() -> str:
    return ", ".join(CARRIED)
