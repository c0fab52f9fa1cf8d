"""Read the files of a lab that programs need: fixtures to run, and provided files to be built."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from grader.errors import UsageError
from grader.lab.find import LabFiles
from grader.model.spec.lab import Spec
from grader.model.spec.programs import MAKEFILE

MAX_BYTES = 16_000_000
"""Largest of these files; every run that needs one holds a copy of it in memory."""


def read_fixtures(spec: Spec, files: LabFiles) -> dict[str, bytes]:
    """Return the content of each fixture that a case needs, by its path below the folder `fixtures`.

    Raises:
        UsageError: there is no such file, or it is not one of the lab.
    """
    return {path: read_fixture(files.fixtures, path) for path in spec.fixtures}


def read_provided(spec: Spec, files: LabFiles) -> dict[str, bytes]:
    """Return the content of each file that the lab adds to what is handed in, by its name; a Makefile is one of them.

    Raises:
        UsageError: there is no such file, or it is not one of the lab.
    """
    names = dict.fromkeys(name for program in spec.programs for name in spec.provided_for(program))
    return {name: read_provided_file(files, name) for name in names}


def place_of_provided(name: str) -> PurePosixPath:
    """Return where a lab's folder has a provided file."""
    return PurePosixPath(name) if name == MAKEFILE else PurePosixPath("provided", name)


def read_provided_file(files: LabFiles, name: str) -> bytes:
    """Return the content of one of these files.

    Raises:
        UsageError: there is no such file, or it is not one of the lab.
    """
    try:
        return read_fixture(files.makefile.parent, str(place_of_provided(name)))
    except UsageError as error:
        raise UsageError(f"{error}, and the lab builds programs with it") from error


def read_fixture(folder: Path, name: str) -> bytes:
    """Return the content of one file in a folder of a lab.

    Raises:
        UsageError: there is no such file, or it is not one of the lab.
    """
    path = folder / name
    try:
        real = path.resolve(strict=True)
        if real != folder.resolve() / name:
            # A link may lead out of the lab, and the autograder's zip has none.
            raise UsageError(f"{path} is a link, or in a linked folder; replace it by what it leads to")
        if not real.is_file():
            raise UsageError(f"{path} is not a file")
        if real.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES:,} bytes")
        return real.read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"there is no {path}") from error
    except (OSError, RuntimeError) as error:
        # Before Python 3.13, links in a circle are a RuntimeError.
        raise UsageError(f"{path} cannot be read: {error}") from error
