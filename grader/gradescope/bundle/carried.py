"""The files of the grader's wheel: the package and its data; and what the zip adds for a lab."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from grader.lab.find import SPEC_FILE, LabFiles
from grader.model.spec.lab import Spec
from grader.resources import CARRIED, PACKAGE, resource

SUFFIXES = frozenset({".c", ".css", ".h", ".j2", ".js", ".json", ".md", ".py", ".scm", ".sh", ".txt", ".yaml"})
SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"})
"""Suffixes of what students may hand in, and so of references and mutants."""

NAMES = frozenset({"Dockerfile", "LICENSE", "Makefile", "py.typed", "run_autograder"})
"""Names of files without one of SUFFIXES."""

DEBIAN_PACKAGES = {"g++": "g++", "clang": "clang", "clang++": "clang", "make": "make"}
"""The packages of tools that may build programs; gcc is always installed."""

PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
DATA = PurePosixPath("grader", "_data")
FIXTURES = "fixtures"


def carried_files() -> dict[str, bytes]:
    """Return the path in the wheel (`grader/_data/specs/LAB.yaml`) and the content of every file of the grader.

    Other files in these folders are left out: bytecode, compiled programs, backups of editors, hidden files, links.
    A lab's fixtures may have any name that is not hidden.

    Raises:
        GraderError: the installation of the grader is not complete.
        OSError: a file cannot be read.
    """
    # Installed data are in the package. In a checkout they are next to it, and the package has no such folder.
    found = {name: path for name, path in _files_below(PACKAGE, DATA.parent) if DATA not in name.parents}
    for name in CARRIED:
        found.update(_files_below(resource(name), DATA / name))
    return {str(name): path.read_bytes() for name, path in found.items()}


def carried_lab(lab: LabFiles) -> dict[str, bytes]:
    """Return the files of a lab by their path in the zip: its spec, and the parts that the wheel does not have.

    Raises:
        OSError: a file cannot be read.
    """
    found = {PurePosixPath(SPEC_FILE): lab.spec}
    if not lab.is_shipped:
        found.update(_files_below(lab.solution, PurePosixPath("reference")))
        found.update(_files_below(lab.mutants, PurePosixPath("mutants")))
        found.update(_files_below(lab.fixtures, PurePosixPath(FIXTURES)))
        for path in (lab.signatures, lab.makefile):
            if path.is_file():
                found[PurePosixPath(path.name)] = path
    return {str(name): path.read_bytes() for name, path in found.items()}


def needed_tools(spec: Spec) -> dict[str, bytes]:
    """Return the file that says what building the lab's programs needs apart from gcc, if it needs anything.

    It has a line for each tool: its name, and Debian's package with it.
    """
    lines = [f"{tool} {DEBIAN_PACKAGES[tool]}\n" for tool in spec.tools if tool in DEBIAN_PACKAGES]
    return {"tools": "".join(lines).encode("ascii")} if lines else {}


def _files_below(root: Path, folder_in_wheel: PurePosixPath) -> Iterator[tuple[PurePosixPath, Path]]:
    if root.is_file():
        yield folder_in_wheel, root
    for parent, _folders, names in os.walk(root):
        folder = Path(parent)
        target = folder_in_wheel / folder.relative_to(root).as_posix()
        # Fixtures are whatever programs read.
        for name in filter(PLAIN.fullmatch if FIXTURES in target.parts else _belongs, names):
            path = folder / name
            if path.is_file() and not path.is_symlink():
                yield target / name, path


def _belongs(name: str) -> bool:
    return name in NAMES or (PLAIN.fullmatch(name) is not None and PurePosixPath(name).suffix in SUFFIXES | SOURCES)
