"""Find the submissions at the paths of a command line: single ones, folders and archives of them, exports."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NoReturn

from grader.errors import GraderError, UsageError
from grader.intake.archive import kept_open
from grader.intake.bounds import CLASS, ArchiveError
from grader.intake.candidates import (
    SEVERAL,
    Candidate,
    ClassifiedListing,
    classify,
    may_hold_sources,
    single_submission,
)
from grader.intake.choice import Bundle, archives, choose, is_within_reach
from grader.intake.files import DiskFile, File
from grader.intake.layouts import holds_results
from grader.intake.listing import Listing, TopEntry, list_archive, list_folder, unwrapped
from grader.intake.missing import look_alike
from grader.intake.names import Names, base, is_archive, shown
from grader.intake.nested import without_exports
from grader.intake.own_results import are_among_students, require_own
from grader.intake.parts import is_handed_in
from grader.intake.reading import DiscoveredSubmission
from grader.messages import Notify, ignore_message
from grader.model.counted import listed
from grader.model.spec.lab import Spec

MAX_LEVELS = 10
"""Number of folders to look into for a class, one in the other."""


def find_submissions(
    paths: Sequence[Path], spec: Spec, *, leave_out: Path | None = None, notify: Notify = ignore_message
) -> list[DiscoveredSubmission]:
    """Return the submissions at the paths, in the order of the paths and sorted by name in each.

    docs/submissions.md describes the rules. A second submission of the same name gets a number; one that is found
    twice is returned once. `leave_out` is the folder for results, which may be next to submissions but must not be
    one. `notify` gets what a teaching assistant should know, such as entries that were left alone.

    Raises:
        UsageError: a path does not exist, cannot be read, holds nothing to grade, or is the folder for results; or
            results that are there may be a student's.
    """
    results = Path(os.path.realpath(leave_out)) if leave_out is not None else None
    candidates: dict[Path, Candidate] = {}
    at_paths: list[tuple[_Finder, list[Candidate]]] = []
    for path in paths:
        if results is not None and path.resolve() == results:
            raise UsageError(f"{path} is where the submissions are; choose another folder for results")
        finder = _Finder(spec.sources, notify, results, alone=len(paths) == 1)
        at_paths.append((finder, finder.candidates(path)))
    has_single = any(finder.found == "submission" for finder, _ in at_paths)
    for path, (finder, found_there) in zip(paths, at_paths, strict=True):
        doubt = _doubt_of_class(path, found_there) if has_single and finder.found == "perhaps a class" else ""
        for candidate in found_there:
            candidates.setdefault(candidate.real_path, candidate.doubted(doubt))
    if leave_out is not None and are_among_students(leave_out, paths, candidates):
        require_own(leave_out)
    if results in candidates and any(results.iterdir()):
        # Silently leaving it out would cost a student the grade.
        raise UsageError(f"{leave_out} is among the submissions; choose another folder for results")
    candidates.pop(results or Path(), None)
    inside = next(
        (candidate for path, candidate in candidates.items() if path.parent == results and path.is_dir()), None
    )
    if inside is not None:
        raise UsageError(f"results would be written into {inside.origin.path}; choose another folder for results")
    if not candidates:
        raise UsageError(f"nothing to grade: {leave_out} is where results go")
    names = Names()
    found = [
        DiscoveredSubmission(
            names.take(each.name), each.content, each.origin, each.problem, each.doubt, each.keeps_parts
        )
        for each in candidates.values()
    ]
    if results is not None:
        _require_apart(found, results, paths)
    return found


def _doubt_of_class(path: Path, found: Sequence[Candidate]) -> str:
    """Return words for a path with several folders that may be of one student, as other paths are."""
    names = listed([shown(candidate.name) for candidate in found[:SEVERAL]])
    others = " and others" if len(found) > SEVERAL else ""
    return (
        f"{shown(str(path))} was taken for a class with {names}{others}, unlike other paths: if it is one student's, "
        "give the folder around the paths"
    )


def _require_apart(found: Sequence[DiscoveredSubmission], results: Path, paths: Sequence[Path]) -> None:
    """Refuse results of a student that would be written into the class, because of the student's name."""
    given = [Path(os.path.realpath(path)) for path in paths]
    around = {place for path in given for place in (path, *path.parents)}
    for one in found:
        if results / one.name in around:
            words = f"results of {one.origin.path} would be written into {results / one.name}"
            raise UsageError(f"{words}; choose another folder for results")


def mode_of(path: Path) -> int:
    """Return the mode of a path of the command line, as stat(2) reports it.

    Raises:
        UsageError: it does not exist or cannot be read.
    """
    try:
        return path.stat().st_mode
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


class _Finder:
    """Finds the submissions at a path; `alone` if it is the only path of the command line.

    `results` is the folder for results.
    """

    def __init__(self, sources: Sequence[str], notify: Notify, results: Path | None, *, alone: bool) -> None:
        self._sources = sources
        self._notify = notify
        self._results = results
        self._alone = alone
        self._doubts: list[str] = []
        self.found: Literal["submission", "class", "perhaps a class"] = "submission"
        """What is at the path: a class that no course system has made may be of one student."""

    def candidates(self, path: Path) -> list[Candidate]:
        """Return the submissions at a path."""
        found = self._candidates(path)
        return [candidate.doubted(*dict.fromkeys(self._doubts)) for candidate in found]

    def _candidates(self, path: Path) -> list[Candidate]:
        mode = mode_of(path)
        if stat.S_ISDIR(mode):
            return self._in_folder(path)
        if not stat.S_ISREG(mode) or not is_archive(path.name):
            words = "give a submission, or a folder or an archive of submissions"
            raise UsageError(f"{path} is neither a folder nor an archive (.zip, .tar, .tgz, .tar.gz); {words}")
        return self._in_archive(path)

    def _in_folder(self, path: Path) -> list[Candidate]:
        top = self._classified(list_folder(path))
        if any(os.path.lexists(path / source) and not (path / source).is_dir() for source in self._sources):
            return [single_submission(path)]
        levels = self._levels(top)
        found = self._class_in(levels)
        if self._is_one(levels[0], found):
            return [single_submission(path)]
        if found is None:
            found, *within = levels
            for inner in within[-1:]:
                self._warn_of_folders(inner, inner.listing.shown, "to grade each folder in it, give its path")
        files = [entry.file for entry in found.listing.entries if entry.file is not None]
        return self._candidates_of(found) or self._raise_nothing_to_grade(path, files)

    def _in_archive(self, path: Path) -> list[Candidate]:
        try:
            files = kept_open(DiskFile(path.name, str(path.resolve())).open(), CLASS)
        except ArchiveError as error:
            raise UsageError(f"{path} {error}") from error
        except GraderError as error:
            raise UsageError(str(error)) from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        levels = self._levels(self._classified(list_archive(path, files)))
        found = self._class_in(levels)
        if found is not None and not self._is_one(levels[0], found):
            return self._candidates_of(found)
        if not may_hold_sources(files, self._sources):
            self._raise_nothing_to_grade(path, files)
        self._warn_of_folders(levels[-1], str(path), "unpack a class")
        return [single_submission(path)]

    def _is_one(self, top: ClassifiedListing, found: ClassifiedListing | None) -> bool:
        """Return whether a path is one submission; of several paths, one that has just a student's versions is.

        That it could be a class is reported.
        """
        if found is None:
            return not self._alone or top.is_of_one
        is_one = not self._alone and found.may_be_of_one
        if is_one and len(found.submissions) > 1:
            words = ", ".join(shown(entry.name) for entry in found.submissions[:SEVERAL])
            self._notify(
                f"{top.listing.shown} was taken for one submission with {words}; if these are of several students, "
                "give its path alone"
            )
        return is_one

    def _candidates_of(self, found: ClassifiedListing) -> list[Candidate]:
        is_made = found.is_export or found.is_cloned or len(found.submissions) < SEVERAL
        self.found = "class" if is_made else "perhaps a class"
        quiet = _Finder(self._sources, ignore_message, self._results, alone=False)
        return without_exports(found, found.candidates(self._notify), self._sources, quiet.deepest)

    def deepest(self, listing: Listing) -> ClassifiedListing:
        """Return what is in the only folder of a listing, and so on, classified."""
        return self._levels(self._classified(listing))[-1]

    def _levels(self, top: ClassifiedListing) -> list[ClassifiedListing]:
        """Return a listing, what is in its only folder, and so on down to an export or several entries."""
        levels = [top]
        while len(levels) < MAX_LEVELS and not (levels[-1].is_export or levels[-1].is_cloned):
            only = levels[-1].only
            if only is None:
                break
            levels.append(self._classified(unwrapped(levels[-1].listing, only)))
        return levels

    def _class_in(self, levels: Sequence[ClassifiedListing]) -> ClassifiedListing | None:
        """Return the class in a folder or an archive, however many folders are around it; see decision 0110."""
        *around, inner = levels
        is_class = len(inner.submissions) > 1 and self._is_class(inner)
        if inner.is_export or inner.is_cloned or is_class:
            for outer in around:
                outer.report_around(self._notify)
            if around and inner.is_export:
                self._notify(f"{inner.listing.shown} was read as an export of {inner.export}")
            return inner
        return levels[0] if self._is_class(levels[0]) else None

    def _warn_of_folders(self, found: ClassifiedListing, shown_path: str, advice: str) -> None:
        """Say that several folders are parts of one submission, if somebody may have meant them as submissions."""
        files = [entry.files(self._sources) for entry in found.submissions if entry.folder != ()]
        holds = any(may_hold_sources(inside, self._sources) for inside in files)
        if len(files) > 1 and (holds or all(entry.folder is not None for entry in found.listing.entries)):
            why = (
                "one folder in it holds sources"
                if holds
                else f"nothing in it is called {listed(self._sources, 'or')}"
            )
            self._notify(f"{shown_path} was taken for one submission, as {why}; {advice}")

    def _classified(self, listing: Listing) -> ClassifiedListing:
        kept = [entry for entry in listing.entries if not self._is_for_results(listing.real_path / entry.name, entry)]
        found = classify(replace(listing, entries=tuple(kept)), self._sources, self._notify)
        if found.program and found.has_several:
            words = f"{shown(found.program)} is next to what looks like an export of {found.export}"
            if self._alone:
                raise UsageError(f"in {listing.shown}, {words} with several students: move one of them elsewhere")
            self._doubts.append(
                f"{words} with several students: if it is one, give its path alone, without the program"
            )
        elif found.export and found.is_of_one:
            words = f"as it has what only one student's has; other names in it are like those of {found.export}"
            self._notify(f"{listing.shown} was taken for one submission, {words}")
        return found

    def _is_for_results(self, path: Path, entry: TopEntry) -> bool:
        return path == self._results and (not entry.names() or holds_results(entry, self._sources))

    def _is_class(self, found: ClassifiedListing) -> bool:
        """Return whether entries are submissions; otherwise all of them are one, with folders in it."""
        if found.is_of_one:
            return False
        if any(is_archive(entry.name) for entry in found.submissions if entry.file is not None):
            return True
        folders = [entry for entry in found.submissions if entry.folder is not None]
        if len(folders) >= SEVERAL and any(is_handed_in(entry.names()) for entry in folders):
            return True
        files = [entry.files(self._sources) for entry in found.submissions]
        promising = [inside for inside in files if may_hold_sources(inside, self._sources)]
        packed = (inside for inside in promising if archives(inside))
        return len(promising) > 1 or any(not choose([Bundle(inside)], self._sources).files for inside in packed)

    def _raise_nothing_to_grade(self, path: Path, files: Sequence[File]) -> NoReturn:
        expected = " nor ".join(self._sources)
        deeper = sorted(file.path for file in files if base(file.path) in self._sources)
        there = f"; {shown(deeper[0])} lies deeper than anybody looks" if deeper else ""
        names = {base(file.path) for file in files if is_within_reach(file.path)}
        there = there or next(filter(None, (look_alike(one, names, self._sources) for one in self._sources)), "")
        raise UsageError(
            f"nothing to grade in {path}: neither {expected}, nor folders or archives that may hold them{there}"
        )
