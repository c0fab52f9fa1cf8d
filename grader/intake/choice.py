"""Which of the files of a hand-in are the lab's programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.intake.files import File
from grader.intake.names import base, is_archive, is_left_behind, shown

FOLDERS = 2
"""Sources are taken from so many folders down."""

TOLD = 3
"""Of places with further copies so many are named."""


@dataclass(frozen=True)
class Bundle:
    """The files of a hand-in that lie together: its own, or those of an archive of its, which then is the label."""

    files: Sequence[File]
    label: str = ""


@dataclass(frozen=True, order=True)
class SourceFolder:
    """A folder that holds sources."""

    label: str
    folder: str

    def __str__(self) -> str:
        """Return it as a student knows it."""
        if not self.folder:
            return f"the top of {shown(self.label)}" if self.label else "the top folder"
        return f"{shown(self.folder)}/" + (f" in {shown(self.label)}" if self.label else "")

    @property
    def at(self) -> str:
        """Return it with the word that goes before it."""
        return f"in {self}" if self.folder else f"at {self}"


@dataclass(frozen=True)
class Choice:
    """The file of each source that there is, and what a student is to know of it."""

    files: Mapping[str, File]
    notes: tuple[str, ...] = ()


@dataclass
class _Candidates:
    by_place: dict[SourceFolder, dict[str, File]] = field(default_factory=lambda: defaultdict(dict))
    twice: list[str] = field(default_factory=list)

    def add(self, place: SourceFolder, source: str, file: File) -> None:
        if source in self.by_place[place]:
            self.twice.append(f"{source} is there twice, {place.at}; the later one was taken")
        # As whoever unpacked the archive would find it.
        self.by_place[place][source] = file


def choose(bundles: Sequence[Bundle], sources: Sequence[str]) -> Choice:
    """Choose a file for each source: from the folder that holds most of them, of those the shallowest, then by name.

    What can be read is preferred; of two with the same path in an archive the last one counts.
    """
    found = _Candidates()
    for place, file in within_reach(bundles):
        if base(file.path) in sources:
            found.add(place, base(file.path), file)
    ranked = sorted(found.by_place, key=lambda place: _rank(place, found.by_place[place]))
    taken = {source: _first(source, ranked, found.by_place) for source in sources}
    chosen = {source: place for source, place in taken.items() if place is not None}
    files = {source: found.by_place[place][source] for source, place in chosen.items()}
    return Choice(files, (*dict.fromkeys(found.twice), *_notes(chosen, found.by_place)))


def archives(files: Iterable[File]) -> list[File]:
    """Return the archives among files that sources might lie in, by name."""
    found = (file for file in files if file.regular and is_archive(file.path) and is_within_reach(file.path))
    return sorted(found, key=lambda file: file.path)


def is_within_reach(path: str) -> bool:
    """Tell whether a file lies where a source may lie."""
    return path.count("/") <= FOLDERS and not any(is_left_behind(part) for part in path.split("/"))


def within_reach(bundles: Sequence[Bundle]) -> Iterator[tuple[SourceFolder, File]]:
    """Yield the files that lie where a source may lie, with the folder of each."""
    for bundle in bundles:
        for file in bundle.files:
            if is_within_reach(file.path):
                yield SourceFolder(bundle.label, file.path.rpartition("/")[0]), file


def _rank(place: SourceFolder, files: Mapping[str, File]) -> tuple[int, int, int, SourceFolder]:
    depth = place.folder.count("/") + bool(place.folder)
    return -sum(file.regular for file in files.values()), -len(files), depth, place


def _first(
    source: str, ranked: Sequence[SourceFolder], files: Mapping[SourceFolder, Mapping[str, File]]
) -> SourceFolder | None:
    holding = [place for place in ranked if source in files[place]]
    regular = (place for place in holding if files[place][source].regular)
    return next(regular, holding[0] if holding else None)


def _notes(chosen: Mapping[str, SourceFolder], files: Mapping[SourceFolder, Mapping[str, File]]) -> Iterator[str]:
    several = len(set(chosen.values())) > 1
    together: dict[tuple[SourceFolder, tuple[SourceFolder, ...]], list[str]] = defaultdict(list)
    for source, place in chosen.items():
        others = tuple(sorted(other for other in files if source in files[other] and other != place))
        if several or others:
            together[place, others].append(source)
    for (place, others), names in together.items():
        was = "were" if len(names) > 1 else "was"
        yield f"{_listed(names)} {was} taken from {place}" + _elsewhere(others, len(names))


def _elsewhere(others: Sequence[SourceFolder], sources: int) -> str:
    if not others:
        return ""
    words = "there is another" if len(others) == sources == 1 else "there are others"
    return f"; {words} in {_listed([str(other) for other in others])}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > TOLD:
        names = [*names[: TOLD - 1], f"{len(names) - TOLD + 1} more places"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
