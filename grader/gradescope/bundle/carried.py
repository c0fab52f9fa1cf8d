"""The files of the grader's wheel: the package and its data; and what the zip adds for a lab."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from grader.errors import UsageError
from grader.grading.reference_run import missing_reference
from grader.lab.files import FIXTURES, MUTANTS, PROVIDED, REFERENCE, TEMPLATE, files_below, lab_files, refuse_links
from grader.lab.find import SPEC_FILE, LabFiles, load_lab
from grader.lab.publish import hidden_checks
from grader.messages import Notify
from grader.model.spec.lab import Spec
from grader.resources import CARRIED, PACKAGE, resource

DEBIAN_PACKAGES = {"g++": "g++", "clang": "clang", "clang++": "clang", "make": "make"}
"""The packages of tools that may build programs; gcc is always installed."""

DATA = PurePosixPath("grader", "_data")
LABS = DATA / "labs"


def carried_files() -> dict[str, bytes]:
    """Return the path in the wheel (`grader/_data/specs/LAB.yaml`) and the content of every file of the grader.

    Other files in these folders are left out: bytecode, compiled programs, backups of editors, hidden files, links.
    A lab's fixtures may have any name that is not hidden.

    Raises:
        GraderError: the installation of the grader is not complete.
        OSError: a file cannot be read.
    """
    # Installed data are in the package. In a checkout they are next to it, and the package has no such folder.
    found = {name: path for name, path in files_below(PACKAGE, DATA.parent) if DATA not in name.parents}
    for name in CARRIED:
        found.update(files_below(resource(name), DATA / name))
    return {str(name): path.read_bytes() for name, path in found.items()}


def carried_lab(lab: LabFiles) -> dict[str, bytes]:
    """Return the files of a lab by their path in the zip: its spec, and the parts that the wheel does not have.

    Raises:
        UsageError: one of these files or folders is a link.
        OSError: a file cannot be read.
    """
    if not lab.is_shipped:
        refuse_links(lab, (REFERENCE, MUTANTS, FIXTURES, PROVIDED))
    found = {
        path: file
        for path, file in lab_files(lab).items()
        if path == PurePosixPath(SPEC_FILE) or not (lab.is_shipped or path.parts[0] == TEMPLATE)
    }
    return {str(name): path.read_bytes() for name, path in found.items()}


def added_labs(labs: Iterable[str], notify: Notify) -> dict[str, bytes]:
    """Return the files of other labs by their path in the wheel, where the installed grader finds them by name.

    `notify` gets a note about each lab with hidden checks.

    Raises:
        UsageError: there is no such lab, it lacks its reference or has links, or two labs have the same name.
        OSError: a file cannot be read.
    """
    found: dict[str, dict[str, bytes]] = {}
    for lab in labs:
        spec, files = load_lab(lab)
        missing = missing_reference(spec, files)
        if missing is not None:
            raise UsageError(missing)
        refuse_links(files, (REFERENCE, MUTANTS, TEMPLATE, FIXTURES, PROVIDED))
        if spec.lab in found:
            raise UsageError(f"{lab}: another of these labs is named {spec.lab!r} too")
        if hidden_checks(spec):
            notify(f"note: {lab} has hidden checks; for students, add what `grader lab publish` makes of it instead")
        found[spec.lab] = {str(LABS / spec.lab / name): path.read_bytes() for name, path in lab_files(files).items()}
    return {path: data for files in found.values() for path, data in files.items()}


def needed_tools(spec: Spec) -> dict[str, bytes]:
    """Return the file that says what building the lab's programs needs apart from gcc, if it needs anything.

    It has a line for each tool: its name, and Debian's package with it.
    """
    lines = [f"{tool} {DEBIAN_PACKAGES[tool]}\n" for tool in spec.tools if tool in DEBIAN_PACKAGES]
    return {"tools": "".join(lines).encode("ascii")} if lines else {}
