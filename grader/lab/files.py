"""List the files of a lab, in the places that they have in a lab's folder."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from grader.errors import UsageError
from grader.lab.find import SPEC_FILE, LabFiles
from grader.model.spec.programs import MAKEFILE

SUFFIXES = frozenset({".c", ".css", ".h", ".j2", ".js", ".json", ".md", ".py", ".scm", ".sh", ".txt", ".yaml"})
SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"})
"""Suffixes of what students may hand in, and so of references and mutants."""

NAMES = frozenset({"Dockerfile", "LICENSE", MAKEFILE, "py.typed", "run_autograder"})
"""Names of files without one of SUFFIXES."""

PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
REFERENCE, MUTANTS, TEMPLATE, FIXTURES = "reference", "mutants", "template", "fixtures"
PROVIDED = "provided"
SIGNATURES = "signatures.json"


def lab_files(lab: LabFiles) -> dict[PurePosixPath, Path]:
    """Return where each file of a lab is, by its path in a lab's folder; links and other files are left out."""
    found = {PurePosixPath(SPEC_FILE): lab.spec}
    for name, folder in lab_folders(lab).items():
        found.update(files_below(folder, PurePosixPath(name)))
    for name, path in ((SIGNATURES, lab.signatures), (MAKEFILE, lab.makefile)):
        if path.is_file():
            found[PurePosixPath(name)] = path
    return found


def lab_folders(lab: LabFiles) -> dict[str, Path]:
    """Return where the folders of a lab are, by their names in a lab's folder; there may be no such folder."""
    return {
        REFERENCE: lab.solution,
        MUTANTS: lab.mutants,
        TEMPLATE: lab.template,
        FIXTURES: lab.fixtures,
        PROVIDED: lab.provided,
    }


def refuse_links(lab: LabFiles, folders: Collection[str]) -> None:
    """Make sure that everything in these folders is a file of the lab itself, because links are not copied.

    Raises:
        UsageError: there is a link.
    """
    roots = [folder for name, folder in lab_folders(lab).items() if name in folders]
    for path in (lab.makefile, *roots, *(path for root in roots for path in root.rglob("*"))):
        if path.is_symlink():
            raise UsageError(f"{path} is a link, and may lead out of the lab; replace it by what it leads to")


def files_below(root: Path, target: PurePosixPath) -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield the files of a folder, or the file itself: where each belongs below `target`, and where it is.

    Bytecode, compiled programs, backups of editors, hidden files and links are left out. Fixtures and provided
    files may have any name that is not hidden.
    """
    if root.is_file():
        yield target, root
    for parent, _folders, names in os.walk(root):
        folder = Path(parent)
        below = target / folder.relative_to(root).as_posix()
        # Fixtures are whatever programs read.
        for name in filter(_belongs if {FIXTURES, PROVIDED}.isdisjoint(below.parts) else PLAIN.fullmatch, names):
            path = folder / name
            if path.is_file() and not path.is_symlink():
                yield below / name, path


def _belongs(name: str) -> bool:
    return name in NAMES or (PLAIN.fullmatch(name) is not None and PurePosixPath(name).suffix in SUFFIXES | SOURCES)
