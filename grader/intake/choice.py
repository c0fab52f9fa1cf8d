"""Choose the sources of the lab's programs among the files of a submission."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import combinations, zip_longest

from grader.intake.files import File
from grader.intake.names import base, is_archive, is_ignored, program_suffixes, shown
from grader.intake.order import Place, is_later, is_version, original, place, without_versions
from grader.model.counted import listed

MAX_FOLDERS = 2
"""Number of folders that a source may be below the top."""

STUDENT_DIGITS = 3
"""Digits of a number that may be a student's, if it is the whole name of a folder; longer ones are never versions."""

MAX_NAMED = 3
"""Number of names that a list in a note may have."""


_OTHER_WORK = re.compile(
    r"(?<![^\W\d_])(?:tests?|old|orig(?:inal)?|backup|bak|prev(?:ious)?|te?mp|examples?|samples?|draft|try|scratch"
    r"|template|starter|skeleton|handout)(?![^\W\d_])",
    re.IGNORECASE,
)
"""Words in names of files and folders with an earlier form of the work, or another one."""


@dataclass(frozen=True)
class Bundle:
    """Files of a submission: those on disk, or those of one of its archives, whose name is the label.

    `parts` are the names of folders that a course system has made for one student.
    """

    files: Sequence[File]
    label: str = ""
    parts: frozenset[str] = frozenset()


@dataclass(frozen=True, order=True)
class SourceFolder:
    """A folder that holds sources; `label` is that of its bundle."""

    label: str
    path: str

    def __str__(self) -> str:
        if not self.path:
            return f"the top of {shown(self.label)}" if self.label else "the top folder"
        return f"{shown(self.path)}/" + (f" in {shown(self.label)}" if self.label else "")

    @property
    def depth(self) -> int:
        """How many folders it is below the top."""
        return self.path.count("/") + bool(self.path)

    @property
    def at(self) -> str:
        """Return its name with a preposition."""
        return f"in {self}" if self.path else f"at {self}"


@dataclass(frozen=True)
class Copy:
    """Another file with the name of a source; a rival if only names, or the number of programs, were against it."""

    folder: SourceFolder
    file: File
    is_rival: bool

    @property
    def path(self) -> str:
        """The path by which overrides.yaml can name it."""
        return "/".join(filter(None, (self.folder.label, self.file.path)))

    def where(self, source: str) -> str:
        """Return words for where it is: its folder, unless it has another name than the source."""
        return str(self.folder) if base(self.path) == source else f"the file {shown(self.path)}"


@dataclass(frozen=True)
class Choice:
    """The file of each source that was found, its folder and other copies, and notes about that for the student.

    A source that was not found may have copies among what is only compared.
    `siblings` are folders that may be those of several students: each has all sources, or one has what another lacks.
    """

    files: Mapping[str, File]
    notes: tuple[str, ...] = ()
    folders: Mapping[str, SourceFolder] = field(default_factory=dict)
    copies: Mapping[str, tuple[Copy, ...]] = field(default_factory=dict)
    siblings: tuple[SourceFolder, ...] = ()

    def with_notes(self, notes: Iterable[str]) -> Choice:
        """Return it with more notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass
class _Candidates:
    by_folder: dict[SourceFolder, dict[str, File]] = field(default_factory=lambda: defaultdict(dict))
    duplicate_notes: list[str] = field(default_factory=list)

    def add(self, folder: SourceFolder, source: str, file: File) -> None:
        if source in self.by_folder[folder]:
            self.duplicate_notes.append(f"{source} is there twice, {folder.at}; the later one was taken")
        # The later one, as unpacking the archive would give it.
        self.by_folder[folder][source] = file


def choose(bundles: Sequence[Bundle], sources: Sequence[str], others: Sequence[Bundle] = ()) -> Choice:
    """Choose a file for each source, from the folder with most sources, then the shallowest.

    Of folders whose names differ only in numbers or dates, the last is taken, and one without a number is before its
    copies; of other names, the first. The same is true of archives, whatever the folders in them are called. Readable
    files are preferred. If an archive has the same path twice, the last file counts. The files of `others`, those
    with names like a source's, and those that are too deep are only rivals of those that were chosen.
    """
    found = _Candidates()
    for folder, file in within_reach(bundles):
        if base(file.path) in sources:
            found.add(folder, base(file.path), file)
    ranked = _ranked(found.by_folder)
    taken = {source: _first(source, ranked, found.by_folder) for source in sources}
    chosen = {source: folder for source, folder in taken.items() if folder is not None}
    files = {source: found.by_folder[folder][source] for source, folder in chosen.items()}
    rivals = [Copy(folder, file, is_rival=True) for folder, file in within_reach(others)]
    parts = frozenset(name for bundle in bundles for name in bundle.parts)
    siblings = _siblings(found.by_folder, sources, parts) or _apart(chosen, parts)
    copies = {
        source: tuple(copy for copy in rivals if base(copy.file.path) == source)
        for source in sources
        if source not in chosen
    }
    copies |= {
        source: (
            *_copies(source, folder, found.by_folder, frozenset(siblings)),
            *(copy for copy in rivals if base(copy.file.path) == source),
            *_with_other_names(source, folder, (*bundles, *others), sources),
            *_too_deep(source, folder, (*bundles, *others), sources),
        )
        for source, folder in chosen.items()
    }
    notes = (*dict.fromkeys(found.duplicate_notes), *_notes(chosen, found.by_folder))
    return Choice(files, notes, chosen, copies, siblings)


def _with_other_names(
    source: str, taken: SourceFolder, bundles: Sequence[Bundle], sources: Sequence[str]
) -> Iterator[Copy]:
    """Yield files that may be a source under another name, if they are as near to the top as the one taken.

    Next to a source, other names are those of experiments, unless they say that they are later.
    """
    files = [
        (folder, file)
        for folder, file in within_reach(bundles)
        if (name := base(file.path)) not in sources and (original(name) == source or _resembles(name, source))
    ]
    for folder, file in sorted(files, key=lambda one: last_first(one[1].path)):
        name = base(file.path)
        is_same = original(name) == source or name.casefold() == source.casefold()
        may_be_it = folder != taken or is_same or is_later(name, source.rpartition(".")[0])
        is_earlier = folder.label != taken.label and place(taken.label).is_after(place(folder.label))
        yield Copy(folder, file, is_rival=folder.depth <= taken.depth and may_be_it and not is_earlier)


def _resembles(name: str, source: str) -> bool:
    """Return whether a name is a source's with other letters, words around it, or another suffix for programs.

    Words such as `test` and `old` say that it is not the work.
    """
    folded = name.casefold()
    is_source = folded.endswith(program_suffixes(source)) or folded == f"{source.casefold()}.txt"
    stem = folded.removesuffix(".txt").rpartition(".")[0]
    is_numbered = stem.rstrip("0123456789") == source.casefold().rpartition(".")[0]
    return is_source and (is_numbered or _is_like(name, source)) and _OTHER_WORK.search(name) is None


def _too_deep(source: str, taken: SourceFolder, bundles: Sequence[Bundle], sources: Sequence[str]) -> Iterator[Copy]:
    """Yield the copies of a source in other archives whose sources are all deeper than the grader looks."""
    for bundle in bundles:
        is_earlier = place(taken.label).is_after(place(bundle.label))
        if (
            bundle.label == taken.label
            or is_earlier
            or any(base(file.path) in sources for _, file in within_reach([bundle]))
        ):
            continue
        for file in bundle.files:
            if base(file.path) == source and not is_ignored(file.path):
                yield Copy(SourceFolder(bundle.label, file.path.rpartition("/")[0]), file, is_rival=True)


def _siblings(
    by_folder: Mapping[SourceFolder, Mapping[str, File]], sources: Sequence[str], parts: AbstractSet[str]
) -> tuple[SourceFolder, ...]:
    """Return the first folders that have all sources together, and are neither versions nor parts of one work.

    `student1` and `student2` may be two students, `lab v1` and `lab v2` are not. Neither are folders called like the
    programs in them.
    """
    around: dict[tuple[str, str], list[SourceFolder]] = defaultdict(list)
    for folder in by_folder:
        name, (first, *more) = base(folder.path), by_folder[folder]
        is_of_program = not more and len(sources) > 1 and _is_like(name, first)
        if name and name not in parts and not is_of_program:
            around[folder.label, folder.path.rpartition("/")[0]].append(folder)
    names = {parent: {_unnumbered(base(folder.path)) for folder in group} for parent, group in around.items()}
    held = {parent: {name for one in group for name in by_folder[one]} for parent, group in around.items()}
    groups = (
        sorted(group) for parent, group in around.items() if len(names[parent]) > 1 and held[parent] >= {*sources}
    )
    return tuple(next(groups, ()))


def _unnumbered(name: str) -> str:
    """Return a name without what numbers its versions; nobody has hundreds of them."""
    return name if name.isdecimal() and len(name) == STUDENT_DIGITS else without_versions(name)


def _apart(chosen: Mapping[str, SourceFolder], parts: AbstractSet[str]) -> tuple[SourceFolder, ...]:
    """Return the first two folders from which sources were taken that may be two students', wherever they are."""
    for (source, folder), (other_source, other) in combinations(chosen.items(), 2):
        pairs = zip_longest(folder.path.split("/"), other.path.split("/"))
        own, others = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
        if folder.label != other.label or not own or not others or without_versions(own) == without_versions(others):
            # One is in the other, or they are versions. Students pack programs one by one, too.
            continue
        if not {own, others} <= parts and not (_is_like(own, source) and _is_like(others, other_source)):
            return folder, other
    return ()


def _is_like(name: str, source: str) -> bool:
    """Return whether the name of a folder has that of a program in it, as a word."""
    stem = re.escape(source.rpartition(".")[0])
    return re.search(rf"(?<![^\W_]){stem}(?![^\W_])", name, re.IGNORECASE) is not None


def chosen_by_name(path: str, bundles: Sequence[Bundle]) -> File | None:
    """Return the file at a path, which may begin with an archive's; if there is none, the only one with this name."""
    files = [file for bundle in bundles for file in bundle.files]
    exact = [
        file for bundle in bundles for file in bundle.files if path in (file.path, f"{bundle.label}/{file.path}")
    ]
    named = [file for file in files if base(file.path) == path]
    if exact:
        return exact[-1]
    return named[0] if len(named) == 1 else None


def archives(files: Iterable[File]) -> list[File]:
    """Return the archives in which sources might be, sorted by path; of numbered or dated ones, the last is first."""
    found = (file for file in files if file.regular and is_archive(file.path) and is_within_reach(file.path))
    return sorted(found, key=lambda file: (*last_first(file.path), file.path))


def is_within_reach(path: str) -> bool:
    """Return whether a source may be at this path."""
    return path.count("/") <= MAX_FOLDERS and not is_ignored(path)


def within_reach(bundles: Sequence[Bundle]) -> Iterator[tuple[SourceFolder, File]]:
    """Yield the files whose paths a source may have, with the folder of each."""
    for bundle in bundles:
        for file in bundle.files:
            if is_within_reach(file.path):
                yield SourceFolder(bundle.label, file.path.rpartition("/")[0]), file


def last_first(path: str) -> tuple[str, tuple[int, ...]]:
    """Return a key by which the last of numbered or dated paths comes first."""
    found = place(path)
    return found.rest, tuple(-number for number in found.numbers)


def _ranked(by_folder: Mapping[SourceFolder, Mapping[str, File]]) -> list[SourceFolder]:
    """Return folders in the order in which sources are taken from them."""
    depths: dict[str, int] = {}
    for folder in by_folder:
        form = place(folder.label).form
        depths[form] = min(depths.get(form, folder.depth), folder.depth)

    def rank(folder: SourceFolder) -> tuple[object, ...]:
        files = by_folder[folder]
        merit = -sum(file.regular for file in files.values()), -len(files), depths[place(folder.label).form]
        return *merit, *last_first(folder.label), folder.depth, *last_first(folder.path), folder

    return sorted(by_folder, key=rank)


def _copies(
    source: str,
    taken: SourceFolder,
    files: Mapping[SourceFolder, Mapping[str, File]],
    siblings: AbstractSet[SourceFolder],
) -> Iterator[Copy]:
    holding = [folder for folder in files if folder != taken and source in files[folder]]
    latest: dict[tuple[str, str], Place] = {}
    for folder in holding:
        own = place(folder.path)
        before = latest.setdefault((folder.label, own.form), own)
        if own.is_after(before):
            latest[folder.label, own.form] = own
    for folder in sorted(holding, key=lambda folder: (*last_first(folder.label), *last_first(folder.path), folder)):
        # Of several students' folders, none is an earlier one. If none was taken, there is another doubt.
        is_rival = taken in siblings if folder in siblings else _is_rival(folder, taken, latest)
        yield Copy(folder, files[folder][source], is_rival)


def _is_rival(folder: SourceFolder, taken: SourceFolder, latest: Mapping[tuple[str, str], Place]) -> bool:
    """Return whether nothing but names, or the number of programs, is against a folder, instead of the one taken.

    `latest` has the last of all folders of the same form in the same place.
    """
    if folder.label != taken.label:
        return not place(taken.label).is_after(place(folder.label))
    own, other = place(taken.path), place(folder.path)
    if own.is_after(other) or other.form == own.form or folder.depth <= taken.depth:
        return not own.is_after(other)
    # What is below may be the work, unless it says that it is not, and what is above it an earlier one.
    is_last = not latest[folder.label, other.form].is_after(other)
    return is_last and (any(map(is_version, folder.path.split("/"))) or _OTHER_WORK.search(folder.path) is None)


def _first(
    source: str, ranked: Sequence[SourceFolder], files: Mapping[SourceFolder, Mapping[str, File]]
) -> SourceFolder | None:
    holding = [folder for folder in ranked if source in files[folder]]
    regular = (folder for folder in holding if files[folder][source].regular)
    return next(regular, holding[0] if holding else None)


def _notes(chosen: Mapping[str, SourceFolder], files: Mapping[SourceFolder, Mapping[str, File]]) -> Iterator[str]:
    is_mixed = len(set(chosen.values())) > 1
    by_origin: dict[tuple[SourceFolder, tuple[SourceFolder, ...]], list[str]] = defaultdict(list)
    for source, folder in chosen.items():
        others = tuple(sorted(other for other in files if source in files[other] and other != folder))
        if is_mixed or others:
            by_origin[folder, others].append(source)
    for (folder, others), names in by_origin.items():
        was = "were" if len(names) > 1 else "was"
        yield f"{_briefly_listed(names)} {was} taken from {folder}" + _elsewhere(others, len(names))


def _elsewhere(others: Sequence[SourceFolder], sources: int) -> str:
    if not others:
        return ""
    words = "there is another" if len(others) == sources == 1 else "there are others"
    return f"; {words} in {_briefly_listed([str(other) for other in others])}"


def _briefly_listed(names: Sequence[str]) -> str:
    if len(names) > MAX_NAMED:
        names = [*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} more places"]
    return listed(names)
