"""Turn the top entries of a class into submissions, each by the layout that recognizes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from grader.errors import GraderError
from grader.intake.choice import archives, is_within_reach
from grader.intake.files import File
from grader.intake.layouts import Claim
from grader.intake.listing import Listing, TopEntry, renamed
from grader.intake.names import base, is_archive, shown, stem
from grader.intake.order import original, series, without_versions
from grader.intake.parts import SETTINGS, is_handed_in, is_student_s
from grader.intake.recognition import recognise
from grader.intake.walk import walk
from grader.messages import Notify
from grader.model.counted import listed, listed_up_to
from grader.model.gradebook import COURSE_SYSTEMS, GRADEBOOK, OVERRIDES_FILE, Origin
from grader.model.visible import readable

MAX_NAMED = 3
"""Number of entries to name among those that were left alone."""

_TEXT_ONLY = "the last attempt has no file, so an earlier one counts"
_LACKS = "the last attempt counts and lacks {names}, which an earlier one has"
_EMPTY = "the last attempt counts and has neither a program nor an archive, but an earlier one has"
_UNDATED = "the dates of attempts cannot be read: the one of {date} was graded, which may not be the last"
_DECIDE = f"; if that is wrong, decide in {OVERRIDES_FILE}"

_IMITATED = (
    "this was read as an export of {system} with one student, so names in it say whose it is. A student can choose "
    "such names; if it is another student's, rename them"
)


Part = tuple[TopEntry, Claim]
"""An entry of a submission, which may have several."""

_CLONED = "-submissions"

SEVERAL = 2
"""Number of submissions from which one entry does not decide that they are parts of one."""


@dataclass(frozen=True)
class Candidate:
    """A submission whose name another one may have too; `real_path` identifies it, so that it is graded once.

    `problem` says why it has nothing that can be graded, and `doubt` what somebody should look at. It
    `keeps_parts` if it is of a class in which a course system has made the folders of parts.py for most students.
    """

    real_path: Path
    name: str
    content: Path | tuple[File, ...]
    origin: Origin
    problem: str = ""
    doubt: str = ""
    keeps_parts: bool = False

    def doubted(self, *doubts: str) -> Candidate:
        """Return it with more doubts, of which empty ones are none."""
        return replace(self, doubt="; ".join(filter(None, (self.doubt, *doubts))))


@dataclass(frozen=True)
class ClassifiedListing:
    """A listing, with the claim to each of its entries, if a layout has one; `sources` are the lab's file names."""

    listing: Listing
    sources: Sequence[str]
    claims: tuple[tuple[TopEntry, Claim | None], ...]

    @cached_property
    def is_of_one(self) -> bool:
        """Whether it is the work of one student, whatever other names in it are like.

        A program says so. So does what a course system keeps for one student, but no name of a folder decides for
        several others that may be submissions.
        """
        return bool(self.program) or (bool(self._kept) and len(self._others) < SEVERAL)

    @cached_property
    def program(self) -> str:
        """The name of a program at the top; empty if there is none."""
        names = {entry.name for entry in self.listing.entries if entry.file is not None}
        return next((source for source in self.sources if source in names), "")

    @property
    def is_cloned(self) -> bool:
        """Whether it is what `gh classroom clone` makes: LAB-submissions with a folder LAB-LOGIN for each student."""
        lab = stem(self.listing.real_path.name).removesuffix(_CLONED)
        names = [entry.name for entry in self.listing.folders]
        return (
            bool(names)
            and lab + _CLONED == stem(self.listing.real_path.name)
            and all(name.startswith(f"{lab}-") for name in names)
        )

    @property
    def may_be_of_one(self) -> bool:
        """Whether it may be the work of one student: an archive, versions of the same, or one folder per program."""
        entries = self.submissions
        if self.export or self.is_cloned or any(entry.has(GRADEBOOK) for entry in entries):
            return False
        if len(entries) == 1:
            return entries[0].file is not None
        held = [{base(file.path) for file in entry.files(self.sources)} & {*self.sources} for entry in entries]
        has_one_each = all(held) and sum(map(len, held)) == len(set().union(*held)) == len(self.sources)
        names = [stem(entry.name) for entry in entries]
        versions = {*map(without_versions, names)}
        # Bare numbers may be those of students, and browsers number the downloads of several.
        is_of_versions = len(versions) == 1 and versions != {""} and not any(original(name) != name for name in names)
        return has_one_each or is_of_versions

    @property
    def has_several(self) -> bool:
        """Whether names of a course system say that there is work of several students."""
        return sum(handed_in[0][1].system is not None for handed_in in self._others) >= SEVERAL

    @property
    def keeps_parts(self) -> bool:
        """Whether a course system keeps folders for most students, and has those of a student who has handed in."""
        folders = [entry for entry, claim in self.claims if entry.folder is not None and claim and claim.graded]
        names = [entry.names() for entry in folders]
        return any(map(is_handed_in, names)) and 2 * sum(map(is_student_s, names)) > len(names)

    @property
    def _kept(self) -> set[str]:
        """The names that only what one student has handed in should have at the top."""
        names = [entry.name for entry in self.listing.entries]
        kept = {name for name in names if is_student_s([name]) or name in self.sources}
        return kept | {name for name in names if name.isdigit() and SETTINGS in kept}

    @cached_property
    def _others(self) -> list[list[Part]]:
        """What each student has handed in that may be work, except what is at the top if it is all of one student."""
        kept = self._kept
        apart = (handed_in for handed_in in self._by_owner if not any(entry.name in kept for entry, _ in handed_in))
        return [handed_in for handed_in in apart if any(self._may_be_work(*part) for part in handed_in)]

    def _may_be_work(self, entry: TopEntry, claim: Claim) -> bool:
        if not claim.graded:
            return False
        files = [renamed(entry.file, claim.file_name)] if entry.file is not None else entry.files(self.sources)
        return may_hold_sources(files, self.sources)

    @property
    def export(self) -> str:
        """The name of the course system that seems to have put it together, empty if none has."""
        systems = [claim.system for _, claim in self.claims if claim is not None and claim.system is not None]
        return COURSE_SYSTEMS[systems[0]] if systems else ""

    @property
    def is_export(self) -> bool:
        """Whether a course system put it together."""
        return bool(self.export) and not self.is_of_one

    @cached_property
    def submissions(self) -> list[TopEntry]:
        """The entries that are submissions, or parts of one, if it is a class."""
        return [entry for handed_in in self._by_owner for entry, _ in _used(handed_in)]

    def candidates(self, notify: Notify) -> list[Candidate]:
        """Return the submissions, sorted by name, and report the entries that are left alone.

        An export with one student is doubtful: the student may have chosen these names, to be taken for another.
        """
        self._report_left(self.submissions, notify)
        candidates = [
            self._candidate(used, self._doubt(used, handed_in))
            for handed_in in self._by_owner
            if (used := _used(handed_in))
        ]
        exported = [candidate for candidate in candidates if candidate.origin.system is not None]
        if len(exported) == 1:
            candidates.remove(exported[0])
            doubts = (_IMITATED.format(system=self.export), exported[0].doubt)
            candidates.append(replace(exported[0], doubt="; ".join(filter(None, doubts))))
        keeps_parts = self.keeps_parts
        marked = (replace(one, keeps_parts=keeps_parts and one.origin.system is None) for one in candidates)
        return sorted(marked, key=lambda candidate: candidate.name)

    def _doubt(self, used: Sequence[Part], handed_in: Sequence[Part]) -> str:
        """Return why another attempt of a student may be meant than the one that is used."""
        _, first = used[0]
        if first.graded and any(claim.version > first.version for _, claim in handed_in):
            return _TEXT_ONLY + _DECIDE
        undated = {claim.date or claim.submitted_at for _, claim in handed_in}
        if len(undated) > 1 and any(claim.date for _, claim in handed_in):
            return _UNDATED.format(date=shown(first.date or first.submitted_at)) + _DECIDE
        names = self._names(used)
        earlier = self._names([part for part in handed_in if part[1].graded and part[1].version < first.version])
        if not any(name in self.sources or is_archive(name) for name in names):
            return _EMPTY + _DECIDE if any(name in self.sources or is_archive(name) for name in earlier) else ""
        lacking = [source for source in self.sources if source in earlier - names]
        # Nobody knows what is in an archive until it is read.
        return _LACKS.format(names=listed(lacking)) + _DECIDE if lacking and not any(map(is_archive, names)) else ""

    def report_around(self, notify: Notify) -> None:
        """Report what is next to the only folder, in which a class was found."""
        self._report_left([entry for entry in self.submissions if entry == self.only], notify)

    def _report_left(self, used: Sequence[TopEntry], notify: Notify) -> None:
        """Report the entries that are left alone: all except those used, and what the course system has added."""
        names = {entry.name for entry in used}
        unused = [(entry.name, claim) for entry, claim in self.claims if entry.name not in names]
        earlier = [name for name, claim in unused if claim is not None and claim.graded and claim.owner]
        left = [name for name, claim in unused if claim is None or (claim.reported and name not in earlier)]
        if left := [*self.listing.left, *left]:
            notify(_left_alone(self.listing, left))
        if earlier:
            attempts = listed_up_to(MAX_NAMED, [*map(shown, sorted(earlier))])
            notify(f"in {self.listing.shown} the last attempt of each student is graded; left alone: {attempts}")

    @cached_property
    def only(self) -> TopEntry | None:
        """The only folder that is not empty, if it may be a class; files may be next to it."""
        if self.is_of_one:
            return None
        odd = {entry.name for entry, claim in self.claims if claim is not None and claim.problem}
        occupied = (
            entry
            for entry in self.submissions
            if entry.folder is not None and entry.name not in odd and not entry.is_empty
        )
        # A large class need not be searched twice.
        found = [*islice(occupied, 2)]
        if len(found) != 1:
            return None
        # An archive next to the folder is another submission, unless the folder is what is in it.
        packed = {stem(entry.name) for entry in self.submissions if entry.file is not None and is_archive(entry.name)}
        return found[0] if packed <= {found[0].name} else None

    @cached_property
    def _by_owner(self) -> list[list[Part]]:
        """The entries of each student; those of nobody known are each a group of their own."""
        found: dict[tuple[str, ...], list[Part]] = {}
        for entry, claim in self.claims:
            if claim is not None:
                # A folder and an archive of the same name are two submissions.
                found.setdefault(_owner(entry, claim), []).append((entry, claim))
        return [*found.values()]

    def _candidate(self, parts: Sequence[Part], doubt: str) -> Candidate:
        first_entry, first = parts[0]
        problem = first.problem if first.graded else _ungraded_words(parts)
        if len(parts) == 1 and isinstance(first_entry.folder, Path):
            content: Path | tuple[File, ...] = first_entry.folder
        else:
            # If a name occurs again, the last file counts.
            in_order = sorted(parts, key=lambda part: part[1].attempt)
            try:
                found = [self._files(entry, claim) for entry, claim in in_order]
            except GraderError as error:
                # Nobody else has to wait.
                found, problem = [], problem or str(error)
            content = tuple(file for files, _ in found for file in files)
            doubt = "; ".join(filter(None, (doubt, *(note for _, notes in found for note in notes))))
        origin = Origin(
            path=f"{self.listing.shown}/{readable(first_entry.name)}",
            system=first.system,
            people=tuple(dict.fromkeys(person for _, claim in parts for person in claim.people)),
            late=any(claim.late for _, claim in parts) if first.late is not None else None,
            submitted_at=first.submitted_at,
        )
        return Candidate(self.listing.real_path / first_entry.name, first.name, content, origin, problem, doubt)

    def _names(self, parts: Sequence[Part]) -> set[str]:
        found = {claim.file_name for entry, claim in parts if entry.file is not None}
        inside = (file.path for entry, _ in parts if entry.folder is not None for file in entry.files(self.sources))
        return found | {base(path) for path in inside if is_within_reach(path)}

    def _files(self, entry: TopEntry, claim: Claim) -> tuple[Sequence[File], tuple[str, ...]]:
        if isinstance(entry.folder, tuple):
            return entry.files(self.sources), ()
        if entry.folder is not None:
            return walk(str(entry.folder), self.sources)
        return [renamed(entry.file, claim.file_name)] if entry.file is not None else [], ()


def classify(listing: Listing, sources: Sequence[str], notify: Notify) -> ClassifiedListing:
    """Find out whose each entry is."""
    claims = recognise(listing, sources, notify)
    claimed = [(entry, claims[entry.name]) for entry in listing.entries]
    return ClassifiedListing(listing, sources, tuple(claimed if _is_of_several(claimed) else _without_odd(claimed)))


def _is_of_several(claimed: Sequence[tuple[TopEntry, Claim | None]]) -> bool:
    """Return whether there is more than a single folder, or nothing, without a problem."""
    sound = [(entry, claim) for entry, claim in claimed if claim is not None and claim.graded and not claim.problem]
    return len(sound) > 1 or any(entry.file is not None or claim.system for entry, claim in sound)


def _without_odd(claimed: Sequence[tuple[TopEntry, Claim | None]]) -> Iterator[tuple[TopEntry, Claim | None]]:
    """Yield claims without those whose names are against them: next to a single folder, they are nobody's work."""
    for entry, claim in claimed:
        is_odd = claim is not None and claim.problem and not entry.has(GRADEBOOK)
        yield entry, replace(claim, graded=False, problem="") if claim is not None and is_odd else claim


def may_hold_sources(files: Sequence[File], sources: Sequence[str]) -> bool:
    """Return whether there is a source, possibly in other letters, or an archive that may hold one."""
    near = {source.casefold() for source in sources}
    names = (base(file.path).casefold() for file in files if is_within_reach(file.path))
    return any(name in near for name in names) or bool(archives(files))


def single_submission(path: Path) -> Candidate:
    """Return everything at a path, a folder or an archive, as one submission."""
    real_path = path.resolve()
    if real_path.is_dir():
        # The root folder has no name.
        return Candidate(real_path, real_path.name or "root", path, Origin(path=readable(str(path))))
    return Candidate(real_path, stem(real_path.name), real_path, Origin(path=readable(str(path))))


def _used(handed_in: Sequence[Part]) -> list[Part]:
    """Return what counts of what somebody has handed in: the last attempt with files, or what there is instead.

    Of attempts whose dates cannot be read, it is one, as files of several are never mixed.
    """
    versions = [claim.version for _, claim in handed_in if claim.graded]
    if not versions:
        return [(entry, claim) for entry, claim in handed_in if claim.ungraded]
    last = max(versions)
    used = [(entry, claim) for entry, claim in handed_in if claim.graded and claim.version == last]
    date = max((claim.date for _, claim in used), key=lambda date: (series(date)[1], date))
    return [(entry, claim) for entry, claim in used if claim.date == date]


def _owner(entry: TopEntry, claim: Claim) -> tuple[str, ...]:
    return (claim.system or "", *claim.owner) if claim.owner else (entry.name,)


def _ungraded_words(parts: Sequence[Part]) -> str:
    what = listed(dict.fromkeys(claim.ungraded for _, claim in parts))
    return f"no file was handed in, just {what}; ask for the files, or decide in {OVERRIDES_FILE}"


def _left_alone(listing: Listing, names: Sequence[str]) -> str:
    what = "1 that is not a submission" if len(names) == 1 else f"{len(names)} that are not submissions"
    return f"left alone in {listing.shown}: {what}: {listed_up_to(MAX_NAMED, [*map(shown, sorted(names))])}"
