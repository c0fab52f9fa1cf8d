"""The files that compilers need, of a submission and of the lab, and the folders that they are in."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission


def source_files(spec: Spec, submission: Submission, provided: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the content of each file that compilers need, by its path below the folder of sources.

    Without the lab's own files that are `provided`, these are the files that were handed in.
    """
    folders = source_folders(spec, submission)
    files: dict[str, bytes] = {}
    for program, source in submission.sources.items():
        if isinstance(source, Source):
            own = dict(source.files(spec.programs[program].files))
            if provided is not None:
                own.update({name: provided[name] for name in spec.provided_for(program)})
            files.update({_below(folders[program], name): data for name, data in own.items()})
    return files


def source_folders(spec: Spec, submission: Submission) -> dict[str, str]:
    """Return the folder of each program's sources, below the folder of all sources.

    A student has one file of each name, and they are next to each other. A mutant of one program, with the other
    programs of the reference, may have another version of a file that they share: then the later program has its own
    folder.
    """
    together: dict[str, bytes] = {}
    folders: dict[str, str] = {}
    for program, source in submission.sources.items():
        own = source.files(spec.programs[program].files) if isinstance(source, Source) else {}
        differs = any(together.get(name, data) != data for name, data in own.items())
        folders[program] = program if differs else ""
        if not differs:
            together.update(own)
    return folders


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
