"""Recognise exports of several students where a class has its submissions, such as those of its sections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import GraderError, UsageError
from grader.intake.archive import files_of
from grader.intake.bounds import STUDENT, ArchiveError
from grader.intake.candidates import Candidate, ClassifiedListing
from grader.intake.choice import Bundle, choose
from grader.intake.files import File
from grader.intake.listing import Listing, TopEntry, list_archive, unwrapped
from grader.intake.names import is_archive

MAX_OPENED = 10
"""Number of submissions up to which archives are opened before they are graded: exports are few."""

_EXPORT = "this looks like an export of {system} with several students"
_GIVE = "; if it is one, give its path"

Descend = Callable[[Listing], ClassifiedListing]
"""Returns what is in a listing, or in the only folder in it, and so on."""


@dataclass(frozen=True)
class _Nested:
    """An export in a class; it `has_sources` if it would be graded as one submission without a problem."""

    system: str
    has_sources: bool


def without_exports(
    found: ClassifiedListing, candidates: Sequence[Candidate], sources: Sequence[str], descend: Descend
) -> list[Candidate]:
    """Return the submissions of a class, of which exports have a problem, or a doubt if they may be submissions.

    Raises:
        UsageError: all of them are exports.
    """
    entries = {found.listing.real_path / entry.name: entry for entry in found.submissions}
    opens = len(entries) <= MAX_OPENED
    marked: list[Candidate] = []
    for candidate in candidates:
        entry = entries.get(candidate.real_path)
        is_plain = entry is not None and candidate.origin.system is None
        nested = _export_in(found.listing, entry, sources, descend, opens=opens) if entry and is_plain else None
        marked.append(candidate if nested is None else _marked(candidate, nested))
    if marked and all(one.problem.startswith(_EXPORT.partition("{")[0]) for one in marked):
        first = marked[0]
        raise UsageError(f"{first.origin.path}: {first.problem}")
    return marked


def _marked(candidate: Candidate, nested: _Nested) -> Candidate:
    words = _EXPORT.format(system=nested.system) + _GIVE
    if not nested.has_sources:
        return replace(candidate, problem=candidate.problem or words)
    return replace(candidate, doubt="; ".join(filter(None, (candidate.doubt, words))))


def _export_in(
    listing: Listing, entry: TopEntry, sources: Sequence[str], descend: Descend, *, opens: bool
) -> _Nested | None:
    if entry.folder is not None:
        with suppress(UsageError):
            inner = descend(unwrapped(listing, entry))
            return _if_export(inner, entry.files(sources), sources, descend, opens=opens)
    if entry.file is not None and is_archive(entry.name) and opens:
        with suppress(GraderError, ArchiveError, OSError), entry.file.open() as file:
            files = files_of(file, STUDENT)
            # An archive in an archive is not read.
            return _if_export(descend(list_archive(Path(entry.name), files)), files, sources, descend, opens=False)
    return None


def _if_export(
    inner: ClassifiedListing, files: Sequence[File], sources: Sequence[str], descend: Descend, *, opens: bool
) -> _Nested | None:
    if inner.is_export and inner.has_several:
        return _Nested(inner.export, has_sources=bool(choose([Bundle(files)], sources).files))
    packed = [entry for entry in inner.submissions if entry.file is not None]
    if not opens or inner.is_of_one or len(packed) != 1 or inner.listing.folders:
        return None
    # An export as it was downloaded, in a folder of its own.
    return _export_in(inner.listing, packed[0], sources, descend, opens=True)
