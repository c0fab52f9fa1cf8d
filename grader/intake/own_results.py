"""Folders of results: which of them this user's grader has made, and where a student may have put one.

A name proves nothing, as students choose names. Results have a mark that only this user can make (cache/secret.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.cache.secret import MARK_BYTES, is_own_mark
from grader.errors import GraderError, UsageError
from grader.intake.files import DiskFile, File
from grader.intake.names import is_reserved, shown
from grader.model.gradebook import RESULTS_MARK
from grader.model.submission import Source


def has_own_mark(folder: Path | Iterable[File]) -> bool:
    """Return whether a folder, on disk or in an archive, is one of results that this user's grader has made."""
    if isinstance(folder, Path):
        folder = [DiskFile(RESULTS_MARK, str(folder / RESULTS_MARK))]
    file = next((file for file in folder if file.path == RESULTS_MARK), None)
    try:
        found = file.read(MARK_BYTES) if file is not None else None
    except GraderError:
        return False
    return isinstance(found, Source) and is_own_mark(found.data)


def are_among_students(results: Path, paths: Sequence[Path], found: Iterable[Path]) -> bool:
    """Return whether a student may have made a folder for results: it is below one of the paths, or next to one.

    `found` are the submissions at `paths`. Next to a path that is a submission itself, there may be those of others;
    if there is only one submission, the path may be a folder of the student's.
    """
    submissions = [_real(path) for path in found]
    around: set[Path] = set()
    for path in paths:
        around.add(real := _real(path))
        if real in submissions or (len(submissions) == 1 and real in submissions[0].parents):
            around |= {_real(_absolute(path).parent), real.parent}
    return not around.isdisjoint(_passed(results))


def require_own(results: Path) -> None:
    """Refuse results among submissions that this user has not made, because their gradebook would be believed.

    Raises:
        UsageError: there is something with a name of the grader's, without our mark.
    """
    name = next(filter(is_reserved, _names(results)), None)
    if name is not None and not has_own_mark(results):
        raise UsageError(
            f"{shown(str(results / name))} may be a student's, as it is among submissions and nothing shows that you "
            "have made it; choose another folder for results (if these are yours, move them out of the class first)"
        )


def _passed(path: Path) -> Iterator[Path]:
    """Yield all folders on the way to a path, by its name and by where its links lead."""
    for way in (_absolute(path), _real(path)):
        yield from map(_real, (way, *way.parents))


def _real(path: Path) -> Path:
    # Not Path.resolve, which may raise an error for a link that leads to itself.
    return Path(os.path.realpath(path))


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - this one takes out `..`


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names only
    except OSError:
        return []
