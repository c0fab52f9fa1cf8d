"""Write the students' copy of a lab, as `grader lab publish` does."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.atomic_write import unwritable
from grader.errors import UsageError
from grader.grading.reference_run import missing_reference
from grader.lab.files import FIXTURES, MUTANTS, REFERENCE, SIGNATURES, TEMPLATE, lab_files, lab_folders, refuse_links
from grader.lab.find import SPEC_FILE, LabFiles, find_lab
from grader.lab.fixtures import place_of_provided, read_fixtures, read_provided
from grader.lab.mutants import DECLARATION, PAGE, PATTERN, declared_mutants_of, published_mutant, source_names
from grader.lab.publish import model_yaml, spec_yaml, student_copy
from grader.model.counted import counted
from grader.model.spec.lab import Spec
from grader.selfcheck.lab_test import signatures_mistake

Files = dict[PurePosixPath, bytes]


@dataclass(frozen=True)
class PublishedLab:
    """What was written: the spec, the other texts by their paths, and the solutions among them in words.

    `left_out` has the files and folders of the lab that the copy lacks.
    """

    spec: Spec
    texts: Mapping[str, str]
    solutions: str
    left_out: list[str]


def publish_lab(spec: Spec, lab: LabFiles, target: Path) -> PublishedLab:
    """Write the students' copy of a lab to a new folder.

    Raises:
        UsageError: there is something, or the lab is not complete, has links, or cannot be published.
        GraderError: a file cannot be read or written; then there is no folder.
    """
    if os.path.lexists(target):
        raise UsageError(f"--out {target}: it exists already; choose another name")
    if not target.parent.is_dir():
        raise UsageError(f"--out {target}: there is no folder {target.parent}")
    missing = missing_reference(spec, lab)
    if missing is not None:
        raise UsageError(missing)
    copy = student_copy(spec)
    try:
        found = lab_files(lab)
        # Fixtures and provided files are looked at when they are read.
        refuse_links(lab, (REFERENCE, MUTANTS, TEMPLATE))
        kept = {path: file.read_bytes() for path, file in found.items() if path.parts[0] in (REFERENCE, TEMPLATE)}
        kept.update(_mutants(spec, copy, lab))
        kept.update({PurePosixPath(FIXTURES, name): data for name, data in read_fixtures(copy, lab).items()})
        for name, data in read_provided(copy, lab).items():
            kept[place_of_provided(name)] = data
        texts = {str(path): data.decode("utf-8", "replace") for path, data in kept.items()}
        kept[PurePosixPath(SPEC_FILE)] = spec_yaml(copy)
        if PurePosixPath(SIGNATURES) in found:
            kept[PurePosixPath(SIGNATURES)] = found[PurePosixPath(SIGNATURES)].read_bytes()
    except OSError as error:
        raise UsageError(f"the lab {spec.lab!r} cannot be read: {error}") from error
    has_signatures = _write(kept, copy, target)
    if not has_signatures:
        kept.pop(PurePosixPath(SIGNATURES), None)
    mutants = {path.parts[1] for path in kept if path.parts[0] == MUTANTS}
    solutions = "the reference" + (f" and {counted(len(mutants), 'mutant')}" if mutants else " and no mutants")
    return PublishedLab(copy, texts, solutions, _left_out(lab, kept))


def _mutants(spec: Spec, copy: Spec, lab: LabFiles) -> Files:
    """Return the files of the mutants that fail a check of the copy, without what only other checks need."""
    kept: Files = {}
    for mutant, declared in declared_mutants_of(spec, lab):
        published = published_mutant(declared.content, copy)
        if published is None:
            continue
        folder = PurePosixPath(MUTANTS, mutant.name)
        kept[folder / DECLARATION] = model_yaml(published)
        for name in sorted({PAGE, PATTERN, *source_names(published, copy)}):
            path = lab.mutants / mutant.name / name
            if path.is_file():
                kept[folder / name] = path.read_bytes()
    return kept


def _write(files: Mapping[PurePosixPath, bytes], copy: Spec, target: Path) -> bool:
    """Write all files or none, and return whether signatures.json is among them: only if it fits the copy."""
    # Next to the target, because a rename works only within one file system.
    unfinished = target.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        try:
            for name, data in files.items():
                path = unfinished / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            written = find_lab(str(unfinished / SPEC_FILE))
            if signatures_mistake(copy, written) is not None:
                written.signatures.unlink()
            has_signatures = written.signatures.is_file()
            unfinished.rename(target)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    except OSError as error:
        raise unwritable(f"cannot write {target}", error) from error
    return has_signatures


def _left_out(lab: LabFiles, kept: Mapping[PurePosixPath, bytes]) -> list[str]:
    """Return what the lab's folders have and the copy does not; a folder of which nothing was kept is one entry."""
    folders = {folder for path in kept for folder in path.parents}
    missing = set()
    for name, root in lab_folders(lab).items():
        for file in root.rglob("*"):
            path = PurePosixPath(name, file.relative_to(root).as_posix())
            if file.is_file() and path not in kept:
                whole = [folder for folder in path.parents if folder.parts and folder not in folders]
                missing.add(f"{whole[-1]}/" if whole else str(path))
    for part in (lab.signatures, lab.makefile):
        if part.is_file() and PurePosixPath(part.name) not in kept:
            missing.add(part.name)
    return sorted(missing)
