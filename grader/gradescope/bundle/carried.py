"""Which files the grader's wheel holds: the package, and the data that it carries."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from grader.resources import CARRIED, PACKAGE, resource

SUFFIXES = frozenset({".c", ".css", ".h", ".j2", ".js", ".json", ".md", ".py", ".sh", ".txt", ".yaml"})
NAMES = frozenset({"Dockerfile", "LICENSE", "Makefile", "py.typed", "run_autograder"})
"""Files that have no suffix, or one of their own."""

PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
DATA = PurePosixPath("grader", "_data")


def carried_files() -> dict[str, bytes]:
    """Return the path in the wheel (`grader/_data/specs/tr2.yaml`) and the content of every file of the grader.

    What lies beside them is left out: bytecode, compiled programs, backups of editors, hidden files, links.

    Raises:
        GraderError: the grader is not installed whole.
        OSError: a file cannot be read.
    """
    # Installed, the data lie in the package; in a checkout beside it, and the package has no such folder.
    found = {place: path for place, path in _files_below(PACKAGE, DATA.parent) if DATA not in place.parents}
    for name in CARRIED:
        found.update(_files_below(resource(name), DATA / name))
    return {str(place): path.read_bytes() for place, path in found.items()}


def _files_below(root: Path, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, Path]]:
    if root.is_file():
        yield place, root
    for parent, _folders, names in os.walk(root):
        folder = Path(parent)
        for name in filter(_belongs, names):
            path = folder / name
            if path.is_file() and not path.is_symlink():
                yield place / path.relative_to(root).as_posix(), path


def _belongs(name: str) -> bool:
    return name in NAMES or (PLAIN.fullmatch(name) is not None and PurePosixPath(name).suffix in SUFFIXES)
