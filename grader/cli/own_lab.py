"""The lab of your own files, for commands to which no lab is given."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from grader.errors import UsageError
from grader.lab.find import LabFiles, known_labs, load_lab
from grader.messages import Notify
from grader.model.spec.lab import Spec
from grader.selfcheck.own_work import has_misnamed_sources, has_sources

LoadedLab: TypeAlias = tuple[Spec, LabFiles]


def own_lab(folder: Path, notify: Notify) -> LoadedLab:
    """Return the only lab, or of several the only one whose sources are there, perhaps under wrong names.

    Raises:
        UsageError: no lab, or several labs are possible.
    """
    known = known_labs()
    if len(known) == 1:
        return load_lab(known[0])
    labs = {lab: loaded for lab in known if (loaded := _loaded(lab, notify)) is not None}
    fitting = [lab for lab, (spec, _) in labs.items() if has_sources(folder, spec)]
    fitting = fitting or [lab for lab, (spec, _) in labs.items() if has_misnamed_sources(folder, spec)]
    if len(fitting) == 1:
        return labs[fitting[0]]
    which = f"say which lab it is: --lab {' or --lab '.join(fitting or known)}"
    raise UsageError(
        which if fitting else f"nothing to check in {folder.resolve()}: it has no source of a lab; {which}"
    )


def lab_of_notebook(file: Path, data: bytes, notify: Notify) -> LoadedLab:
    """Return the only lab whose sources are next to a notebook, whose programs it names, or that has notebooks.

    Raises:
        UsageError: none of these is a single lab.
    """
    labs = {lab: loaded for lab in known_labs() if (loaded := _loaded(lab, notify)) is not None}
    # Wide characters of UTF-16 are ASCII with NULs between them.
    text = data.replace(b"\0", b"")
    choices = (
        [lab for lab, (spec, _) in labs.items() if has_sources(file.absolute().parent, spec)],
        [lab for lab, (spec, _) in labs.items() if any(name.encode("ascii") in text for name in spec.programs)],
        [lab for lab, (spec, _) in labs.items() if spec.notebook is not None],
        [*labs],
    )
    for fitting in choices:
        if len(fitting) == 1:
            return labs[fitting[0]]
    raise UsageError(f"say which lab it is: --lab {' or --lab '.join(labs)}")


def _loaded(lab: str, notify: Notify) -> LoadedLab | None:
    try:
        return load_lab(lab)
    except UsageError as error:
        # It may be another course's, and not finished.
        notify(f"note: the lab {lab} is left out: {error}")
        return None
