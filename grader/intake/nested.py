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

Descend = Callable[[Listing], ClassifiedListing]
"""Returns what is in a listing, or in the only folder in it, and so on."""


@dataclass(frozen=True)
class _Nested:
    """An export in a class; it `has_sources` if it would be graded as one submission without a problem."""

    system: str
    has_sources: bool

    @property
    def words(self) -> str:
        """What somebody should do."""
        return f"this looks like an export of {self.system} with several students; if it is one, give its path"


def without_exports(
    found: ClassifiedListing, candidates: Sequence[Candidate], sources: Sequence[str], descend: Descend
) -> list[Candidate]:
    """Return the submissions of a class, of which exports have a problem, or a doubt if they may be submissions.

    Raises:
        UsageError: all of them are exports.
    """
    entries = {found.listing.real_path / entry.name: entry for entry in found.submissions}
    opens = len(entries) <= MAX_OPENED
    nested: dict[Path, _Nested] = {}
    for candidate in candidates:
        entry = entries.get(candidate.real_path) if candidate.origin.system is None else None
        export = _export_in(found.listing, entry, sources, descend, opens=opens) if entry is not None else None
        if export is not None:
            nested[candidate.real_path] = export
    if nested and len(nested) == len(candidates):
        raise UsageError(f"{candidates[0].origin.path}: {nested[candidates[0].real_path].words}")
    return [_marked(one, nested[one.real_path]) if one.real_path in nested else one for one in candidates]


def _marked(candidate: Candidate, nested: _Nested) -> Candidate:
    if not nested.has_sources:
        return replace(candidate, problem=candidate.problem or nested.words)
    return candidate.doubted(nested.words)


def _export_in(
    listing: Listing, entry: TopEntry, sources: Sequence[str], descend: Descend, *, opens: bool
) -> _Nested | None:
    if entry.folder is not None:
        with suppress(UsageError):
            inner = descend(unwrapped(listing, entry))
            return _if_export(inner, lambda: entry.files(sources), sources, descend, opens=opens)
    if entry.file is not None and is_archive(entry.name) and opens:
        with suppress(GraderError, ArchiveError, OSError), entry.file.open() as file:
            files = files_of(file, STUDENT)
            # An archive in an archive is not read.
            inner = descend(list_archive(Path(entry.name), files))
            return _if_export(inner, lambda: files, sources, descend, opens=False)
    return None


def _if_export(
    inner: ClassifiedListing,
    files: Callable[[], Sequence[File]],
    sources: Sequence[str],
    descend: Descend,
    *,
    opens: bool,
) -> _Nested | None:
    if inner.has_several:
        return _Nested(inner.export, has_sources=bool(choose([Bundle(files())], sources).files))
    packed = [entry for entry in inner.submissions if entry.file is not None]
    if not opens or inner.is_of_one or len(packed) != 1 or inner.listing.folders:
        return None
    # An export as it was downloaded, in a folder of its own.
    return _export_in(inner.listing, packed[0], sources, descend, opens=True)
