"""Find a lab and its parts: in a folder of its own, or among the labs that come with the grader."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from grader.errors import SpecError, UsageError
from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
from grader.model.spec.programs import MAKEFILE
from grader.resources import added_labs, resource

SPEC_FILE = "lab.yaml"
SEARCH_PATH = "GRADER_LABS"
"""Environment variable: folders that contain labs, separated as in PATH."""


@dataclass(frozen=True)
class LabFiles:
    """The paths of a lab's parts; only the spec is sure to exist.

    `name_or_path` is the lab's name, or the absolute path that was given, by which another machine finds its files.
    `is_shipped` is true for a lab that comes with the grader, and for a spec that uses the parts of such a lab.
    `borrows_mutants` is true for a spec that uses the parts of another lab: it may lack what those mutants fail.
    """

    name_or_path: str
    spec: Path
    solution: Path
    mutants: Path
    signatures: Path
    template: Path
    fixtures: Path
    makefile: Path
    provided: Path
    is_shipped: bool = False
    borrows_mutants: bool = False


def load_lab(lab: str) -> tuple[Spec, LabFiles]:
    """Return the spec of the lab that `--lab` names, and the paths of its parts.

    `lab` is a name, a lab's folder, or the path of a spec, which has a suffix or a slash. A name is looked for in the
    folders of GRADER_LABS, in the user's folder for labs, among the labs that were added to the wheel, among those
    that come with the grader, and in the current folder. A spec that is not called lab.yaml uses the parts of the lab
    that it names (`lab: NAME`), if that is found.

    Raises:
        UsageError: there is no such lab.
        SpecError: its spec is wrong.
    """
    if _is_spec(lab):
        spec = read_spec(Path(lab))
        files = _around(Path(lab), spec)
    else:
        files = _named(lab)
        spec = read_spec(files.spec)
        if files.name_or_path == lab and Path(lab).name == lab and spec.lab != lab:
            # Reports say `spec.lab`, by which no command would find this lab again.
            raise UsageError(
                f"{files.spec} is the lab {spec.lab!r}: give its folder that name, or the path of the folder"
            )
    return spec if _makes_the_same_inputs(spec, files) else spec.at(files.name_or_path), files


def _makes_the_same_inputs(spec: Spec, files: LabFiles) -> bool:
    """Return whether `grader input --lab NAME` makes the inputs of this spec, which may be a changed copy."""
    if spec.lab not in known_labs():
        return False
    try:
        named = _named(spec.lab).spec
        return named == files.spec or read_spec(named).inputs == spec.inputs
    except SpecError:
        return False


def find_lab(lab: str) -> LabFiles:
    """Return the paths of the parts of a lab; see load_lab."""
    return load_lab(lab)[1]


def known_labs() -> list[str]:
    """Return the names of all labs that are found by a name."""
    return sorted({*_shipped_labs(), *(lab for folder in search_path() for lab in _labs_in(folder))})


def search_path() -> Iterator[Path]:
    """Yield the folders in which labs are looked for by name, apart from those of specs/."""
    for folder in os.environ.get(SEARCH_PATH, "").split(os.pathsep):
        if folder:
            yield Path(folder)
    yield from _users_folder()
    yield added_labs()


def _users_folder() -> Iterator[Path]:
    try:
        users = Path(platformdirs.user_data_dir("iolab-grader", appauthor=False), "labs")
    except RuntimeError:
        # This user has no home folder.
        return
    # Older versions of the library return a relative path then.
    if users.is_absolute():
        yield users


def _labs_in(folder: Path) -> list[str]:
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        # As in PATH, a folder may be missing, or belong to somebody else.
        return []
    return [name for name in names if os.path.isfile(folder / name / SPEC_FILE)]  # noqa: PTH113 - False if it is closed


def _named(lab: str) -> LabFiles:
    path = Path(lab)
    if path.name != lab or lab == "..":
        return _in_folder(path, str(path.resolve()))
    for folder in search_path():
        if lab in _labs_in(folder):
            return _in_folder(folder / lab, lab)
    if lab in _shipped_labs():
        return _shipped_lab(lab)
    if (path / SPEC_FILE).is_file():
        return _in_folder(path, str(path.resolve()))
    if lab and path.is_dir():
        return _in_folder(path, str(path.resolve()))
    raise UsageError(
        f"there is no lab {lab!r}; there are {', '.join(known_labs())}, and a path may be given: ./{lab}"
    )


def _shipped_labs() -> list[str]:
    return [path.stem for path in resource("specs").glob("*.yaml")]


def _shipped_lab(name: str) -> LabFiles:
    folder = resource("reference") / name
    return LabFiles(
        name,
        resource("specs", f"{name}.yaml"),
        folder / "solution",
        folder / "mutants",
        folder / "signatures.json",
        resource("student_template") / name,
        folder / "fixtures",
        folder / MAKEFILE,
        folder / "provided",
        is_shipped=True,
    )


def _in_folder(folder: Path, lab: str) -> LabFiles:
    if not (folder / SPEC_FILE).is_file():
        raise UsageError(f"{folder} is not a lab: it has no {SPEC_FILE}")
    return _parts(folder, folder / SPEC_FILE, lab)


def _parts(folder: Path, spec: Path, lab: str) -> LabFiles:
    return LabFiles(
        lab,
        spec,
        folder / "reference",
        folder / "mutants",
        folder / "signatures.json",
        folder / "template",
        folder / "fixtures",
        folder / MAKEFILE,
        folder / "provided",
    )


def require_apart(files: LabFiles, submissions: Iterable[Path], *, are_own: bool = False) -> None:
    """Make sure that no part of the lab is in a submission or next to one, which may be of a student of such a name.

    The path of a submission may begin with that of the archive that it is in. Your own work may be around the lab, in
    a part of it, or next to the parts that a published lab has.

    Raises:
        UsageError: a part is there: a student's files would decide what is right.
    """
    judging = [files.solution, files.mutants]
    judging += [] if are_own else [files.signatures, files.fixtures, files.makefile, files.provided]
    parts = {part.parent.resolve() / part.name: part for part in judging if part.exists()}
    template = files.template.resolve()
    for path in submissions:
        real = path.resolve()
        unpacked = _unpacked(real)
        if are_own and not {*parts, template}.isdisjoint((real, *real.parents)):
            continue
        for place, part in parts.items():
            target = part.resolve()
            around = (place, *place.parents, target, *target.parents)
            if not are_own and (real in around or unpacked in around):
                where = "in a submission"
            elif real.parent in (place.parent, target.parent) and real not in (template, target):
                where = f"next to {real.name}" if are_own else f"next to {real.name}, so it may be a student's"
            else:
                continue
            advice = "put the lab into a folder of its own"
            raise UsageError(f"{part} would be a part of the lab, and is {where}; {advice}")


def _unpacked(submission: Path) -> Path:
    """Return where a submission is when the archive that it is in is unpacked where that is."""
    archive = next((path for path in submission.parents if path.is_file()), None)
    return submission if archive is None else archive.parent / submission.relative_to(archive)


def _is_spec(lab: str) -> bool:
    # A file without a slash may be a program that has the name of its lab.
    path = Path(lab)
    return path.suffix in (".yaml", ".yml") or (path.name != lab and path.is_file())


def _around(path: Path, spec: Spec) -> LabFiles:
    """Return the parts for a spec: those next to it in the folder of a lab, or those of the lab that it names.

    Another folder may be that of a class, in which a student may be called `reference`.
    """
    lab = str(path.resolve())
    is_beside = any((path.parent / "reference" / source).is_file() for source in spec.sources)
    if (path.name == SPEC_FILE and is_beside) or spec.lab not in known_labs():
        return _parts(path.parent, path, lab)
    named = _named(spec.lab)
    return replace(named, name_or_path=lab, spec=path, borrows_mutants=True)
