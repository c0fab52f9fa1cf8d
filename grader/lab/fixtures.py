"""Read the fixtures of a lab: files of its folder that cases put next to a program."""

from __future__ import annotations

from pathlib import Path

from grader.errors import UsageError
from grader.lab.find import LabFiles
from grader.model.spec.lab import Spec

MAX_BYTES = 16_000_000
"""Largest fixture; every run that needs it holds a copy of it in memory."""


def read_fixtures(spec: Spec, files: LabFiles) -> dict[str, bytes]:
    """Return the content of each fixture that a case needs, by its path below the folder `fixtures`.

    Raises:
        UsageError: there is no such file, or it is not one of the lab.
    """
    return {path: read_fixture(files.fixtures, path) for path in spec.fixtures}


def read_fixture(folder: Path, name: str) -> bytes:
    """Return the content of one file in the folder of a lab's fixtures.

    Raises:
        UsageError: there is no such file, or it is not one of the lab.
    """
    path = folder / name
    try:
        real = path.resolve(strict=True)
        if real != folder.resolve() / name:
            # A link may lead out of the lab, and the autograder's zip has none.
            raise UsageError(f"the fixture {path} is a link, or in a linked folder; copy it to {folder}")
        if not real.is_file():
            raise UsageError(f"the fixture {path} is not a file")
        if real.stat().st_size > MAX_BYTES:
            raise UsageError(f"the fixture {path} is larger than {MAX_BYTES:,} bytes")
        return real.read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"there is no {path}") from error
    except (OSError, RuntimeError) as error:
        # Before Python 3.13, links in a circle are a RuntimeError.
        raise UsageError(f"the fixture {name} of the lab {folder.parent.name} cannot be read: {error}") from error
