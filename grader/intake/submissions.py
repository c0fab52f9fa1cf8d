"""The submissions at the paths of a command line: single ones, folders and archives of them, exports."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from grader.errors import GraderError, UsageError
from grader.intake.archive import kept_open
from grader.intake.bounds import CLASS, ArchiveError
from grader.intake.candidates import Candidate, ClassifiedListing, classify, whole
from grader.intake.choice import Bundle, archives, choose, is_within_reach
from grader.intake.files import DiskFile, File
from grader.intake.found import DiscoveredSubmission
from grader.intake.listing import Listing, TopEntry, list_archive, list_folder, unwrapped
from grader.intake.names import Names, base, is_archive, shown
from grader.intake.walk import walk
from grader.messages import Notify
from grader.model.gradebook import GRADEBOOK
from grader.model.spec.lab import Spec


def _say_nothing(_text: str) -> None:
    return


def find_submissions(
    paths: Sequence[Path], spec: Spec, *, leave_out: Path | None = None, notify: Notify = _say_nothing
) -> list[DiscoveredSubmission]:
    """Return the submissions at the paths, in the paths' order and by name in each; docs/submissions.md says how.

    Two of one name are told apart by a number; the same one counts once. `leave_out` is the folder for results,
    which may lie among the submissions but not be one. `notify` gets what a teaching assistant should know: what was
    left alone, a list of students that cannot be read.

    Raises:
        UsageError: a path is not there, cannot be opened, holds nothing to grade, or is where results are to go.
    """
    results = leave_out.resolve() if leave_out is not None else None
    candidates: dict[Path, Candidate] = {}
    for path in paths:
        if results is not None and path.resolve() == results:
            raise UsageError(f"{path} is where the submissions are; choose another folder for results")
        for candidate in _Finder(spec, notify, alone=len(paths) == 1).candidates(path):
            candidates.setdefault(candidate.real, candidate)
    if results in candidates and not _holds_results(results) and any(results.iterdir()):
        # Silently leaving it out would cost a student the grade.
        raise UsageError(f"{leave_out} is among the submissions; choose another folder for results")
    for earlier in [real for real in candidates if _holds_results(real)]:
        left = candidates.pop(earlier)
        if earlier != results:
            notify(f"left alone: {left.origin.path}, which holds results of the grader")
    candidates.pop(results or Path(), None)
    inside = next(
        (candidate for real, candidate in candidates.items() if real.parent == results and real.is_dir()), None
    )
    if inside is not None:
        raise UsageError(f"results would be written into {inside.origin.path}; choose another folder for results")
    if not candidates:
        raise UsageError(f"nothing to grade: {leave_out} is where results go")
    names = Names()
    return [
        DiscoveredSubmission(names.take(candidate.name), candidate.place, candidate.origin)
        for candidate in candidates.values()
    ]


def mode_of(path: Path) -> int:
    """Return what kind of thing lies at a path of the command line, as stat(2) says it.

    Raises:
        UsageError: nothing does, or it cannot be looked at.
    """
    try:
        return path.stat().st_mode
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _holds_results(place: Path) -> bool:
    return (place / GRADEBOOK).is_file()


class _Finder:
    """Looks at one path after the other; `alone` where it is the only one."""

    def __init__(self, spec: Spec, notify: Notify, *, alone: bool) -> None:
        self._sources = spec.sources
        self._notify = notify
        self._alone = alone

    def candidates(self, path: Path) -> list[Candidate]:
        mode = mode_of(path)
        if stat.S_ISDIR(mode):
            return self._in_folder(path)
        if not stat.S_ISREG(mode) or not is_archive(path.name):
            words = "give a submission, or a folder or an archive of submissions"
            raise UsageError(f"{path} is neither a folder nor an archive (.zip, .tar, .tgz, .tar.gz); {words}")
        return self._in_archive(path)

    def _in_folder(self, path: Path) -> list[Candidate]:
        if any(os.path.lexists(path / source) for source in self._sources):
            return [whole(path)]
        found = self._classified(list_folder(path))
        if not found.is_export:
            within = unwrapped(found.listing)
            export = self._classified(within) if within is not None else None
            if export is not None and export.is_export:
                found = export
            elif not self._alone and not self._is_class(found.listing):
                return [whole(path)]
        candidates = found.candidates(self._notify)
        return candidates or self._nothing(path, [])

    def _in_archive(self, path: Path) -> list[Candidate]:
        try:
            files = kept_open(DiskFile(path.name, str(path.resolve())).open(), CLASS)
        except ArchiveError as error:
            raise UsageError(f"{path} {error}") from error
        except GraderError as error:
            raise UsageError(str(error)) from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        found = self._classified(list_archive(path, files))
        while not found.is_export and (within := unwrapped(found.listing)) is not None:
            found = self._classified(within)
        if found.is_export or self._is_class(found.listing):
            candidates = found.candidates(self._notify)
            return candidates or self._nothing(path, files)
        if not self._promises(files):
            self._nothing(path, files)
        if len(found.listing.folders) > 1:
            self._notify(f"{path} was taken for one submission, as one folder in it holds sources; unpack a class")
        return [whole(path)]

    def _classified(self, listing: Listing) -> ClassifiedListing:
        return classify(listing, self._sources, self._notify)

    def _is_class(self, listing: Listing) -> bool:
        """Tell whether several of the tops are submissions; otherwise all is one, put into folders by its student."""
        if any(top.name in self._sources for top in listing.tops):
            return False
        if any(is_archive(top.name) for top in listing.tops if top.file is not None):
            return True
        files = [self._files(top) for top in listing.folders]
        promising = [inside for inside in files if self._promises(inside)]
        packed = (inside for inside in promising if archives(inside))
        return len(promising) > 1 or any(not choose([Bundle(inside)], self._sources).files for inside in packed)

    def _promises(self, files: Sequence[File]) -> bool:
        """Tell whether files hold a source, be it misspelt, or an archive that may."""
        near = {source.casefold() for source in self._sources}
        names = (base(file.path).casefold() for file in files if is_within_reach(file.path))
        return any(name in near for name in names) or bool(archives(files))

    def _files(self, top: TopEntry) -> Sequence[File]:
        if not isinstance(top.folder, Path):
            return top.folder or ()
        try:
            return walk(str(top.folder), self._sources)[0]
        except GraderError:
            # Told when it is read, of this submission and no other.
            return ()

    def _nothing(self, path: Path, files: Iterable[File]) -> NoReturn:
        wanted = " nor ".join(self._sources)
        deeper = sorted(file.path for file in files if base(file.path) in self._sources)
        there = f"; {shown(deeper[0])} lies deeper than anybody looks" if deeper else ""
        raise UsageError(
            f"nothing to grade in {path}: neither {wanted}, nor folders or archives that may hold them{there}"
        )
