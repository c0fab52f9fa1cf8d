"""Words for a source that is missing."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from grader.errors import GraderError
from grader.intake.choice import MAX_FOLDERS, MAX_NAMED, Bundle, last_first, within_reach
from grader.intake.file_kinds import LOOKED_AT_BYTES, kind_problem, packed_kind
from grader.intake.files import File
from grader.intake.names import (
    ARCHIVE_SUFFIXES,
    OTHER_ARCHIVE_SUFFIXES,
    OTHER_LANGUAGE,
    backup_of,
    base,
    is_archive,
    program_suffixes,
    shown,
)
from grader.model.counted import listed
from grader.model.submission import UnusableSource
from grader.model.visible import is_visible, readable

DOCUMENTS = (".txt", ".rtf", ".doc", ".docx", ".odt", ".pdf", ".html", ".htm", ".md")
"""Suffixes of files that text editors write, and that may be a source under another name."""

PACKED = (".gz", ".bz2", ".xz", ".zst", ".z", *ARCHIVE_SUFFIXES, *OTHER_ARCHIVE_SUFFIXES)

ANY_LETTER = "\N{REPLACEMENT CHARACTER}"
MAX_LETTERS = 100
"""Length of a name up to which it is compared with those of sources, as an archive may have many long ones."""

MAX_LOOKED_INTO = 5
"""Number of files whose first bytes may show that they are archives."""

DERIVED = ("o", "h", "s", "i", "d", "a", "so", "exe", "out")
"""Suffixes of files with the name of a source that come with it, or are made of it."""

LEAST_LETTERS = 3
"""Length from which names that differ in one letter are similar."""


def missing(source: str, bundles: Sequence[Bundle], others: Collection[str] = (), elsewhere: str = "") -> str:
    """Return that a source is missing, and which other file may be meant; none of the lab's `others`."""
    reachable = [(folder, base(file.path)) for folder, file in within_reach(bundles) if base(file.path) not in others]
    names = {name for _, name in reachable}
    misspelt = sorted((folder, name) for folder, name in reachable if name.casefold() == source.casefold())
    if misspelt:
        folder, name = misspelt[0]
        top = f"The top of {shown(folder.label)}" if folder.label else "The folder"
        where = str(folder) if folder.path else top
        return (
            f"{source} is missing. {where} has {shown(name)}: rename it to {source}"
            " (capital and small letters are different names)"
        )
    return f"{source} is missing{look_alike(source, names, others) or _instead(source, bundles, others, elsewhere)}"


def look_alike(source: str, names: Collection[str], others: Collection[str] = ()) -> str:
    """Return a sentence about one of the names that may be meant by a source's, and by none of the others more."""
    found = {name: rank for name in names if len(name) <= MAX_LETTERS and (rank := _rank(name, source))}
    ours = [name for name, rank in found.items() if all((_rank(name, other) or rank) >= rank for other in others)]
    if not ours:
        return ""
    name = min(ours, key=lambda name: (found[name], *last_first(name), name))
    return f". There is {_described(name, source)}: if that is it, {_advice(name, source)}"


def _rank(name: str, source: str) -> tuple[int, int] | None:
    """Return how probable it is that a name is a source's, the most probable first; None if it is not.

    Browsers and students make `copy (1).c` and `copy.c(1)`, editors `copy.cpp` and `copy.c.txt`, keyboards letters of
    another alphabet, and haste `cpoy.c`. Experiments leave names like `output-copy.txt`, so files with another suffix
    need the source's name.
    """
    source, name = _skeleton(source), _skeleton(name)
    stem = source.rpartition(".")[0]
    is_made_of_it = (
        (stem in name and name.endswith(program_suffixes(source)))
        or any(name == f"{stem}{end}" for end in (*DOCUMENTS, *PACKED))
        or (_fits(name[: len(source)], source) and not name[len(source) : len(source) + 1].isalnum())
    )
    if is_made_of_it:
        # `copyout (1).c` is not made of copy.c.
        return 0, -len(stem)
    return (1, 0) if _is_misspelt(name, source) else None


def _skeleton(name: str) -> str:
    """Return a name without what is easily overlooked: capitals, accents, widths, blanks and what leaves no ink.

    A letter of another alphabet becomes ANY_LETTER.
    """
    plain = unicodedata.normalize("NFKD", readable(name)).casefold()
    seen = (char for char in plain if is_visible(char) and not char.isspace() and not unicodedata.combining(char))
    return "".join(char if char.isascii() else ANY_LETTER for char in seen)


def _fits(name: str, source: str) -> bool:
    """Return whether names are the same, if a letter of another alphabet counts as the one in its place."""
    if len(name) != len(source) or 2 * name.count(ANY_LETTER) > len(name):
        return False
    return all(one in (ANY_LETTER, other) for one, other in zip(name, source, strict=True))


def _is_misspelt(name: str, source: str) -> bool:
    """Return whether at most one letter is another, too much, missing, or exchanged with the next one."""
    stem = source.rpartition(".")[0]
    own_stem, _, own_suffix = name.rpartition(".")
    if len(stem) < LEAST_LETTERS or (own_stem == stem and own_suffix and ANY_LETTER not in own_suffix):
        # Objects and headers have the name of their source.
        return False
    pairs = enumerate(zip(name, source, strict=False))
    same = next((at for at, (one, two) in pairs if one != two), min(len(name), len(source)))
    own, other = name[same:], source[same:]
    return (
        _fits(own[1:], other[1:])
        or own[1:] == other
        or own == other[1:]
        or (own[:2] == other[:2][::-1] and own[2:] == other[2:])
    )


def _described(name: str, source: str) -> str:
    """Return a name for a sentence, with the characters that make it another one though it looks the same."""
    if not _fits(_skeleton(name), _skeleton(source)):
        return shown(name)
    odd = [char for char in dict.fromkeys(readable(name)) if char not in source.casefold() + source.upper()]
    words = [f"“{shown(char)}” is {unicodedata.name(char, f'U+{ord(char):04X}')}" for char in odd[:MAX_NAMED]]
    return f"“{shown(name)}”, in which {listed(words)}" if words else shown(name)


def _advice(name: str, source: str) -> str:
    plain = _skeleton(name)
    if plain.endswith(PACKED):
        return f"unpack it, and hand in {source}"
    if plain.endswith(DOCUMENTS) and not plain.endswith(".txt"):
        return f"save its text as {source}, which must be plain text"
    return f"rename it to {source}"


def _instead(source: str, bundles: Sequence[Bundle], others: Collection[str], elsewhere: str) -> str:
    paths = sorted(file.path for bundle in bundles for file in bundle.files)
    deeper = [path for path in paths if base(path) == source]
    if deeper:
        return f". There is one at {shown(deeper[0])}, deeper than {MAX_FOLDERS} folders: move it up"
    labels = " and ".join(shown(bundle.label) for bundle in bundles if bundle.label)
    packed = [path for path in paths if is_archive(path)]
    if labels and packed:
        return f" in {labels}, which holds another archive, {shown(packed[0])}: hand in the files themselves"
    hint = next(_hints(source, bundles, others), elsewhere)
    if labels or hint:
        return (f" in {labels}" if labels else "") + (f". {hint}" if hint else "")
    return "" if paths else ": nothing was handed in"


def _hints(source: str, bundles: Sequence[Bundle], others: Collection[str]) -> Iterator[str]:
    """Yield sentences about files under other names that may be or hold a source, the most probable first."""
    files = sorted((file for _, file in within_reach(bundles)), key=lambda file: (file.path.count("/"), file.path))
    readable_files = [file for file in files if file.regular]
    yield from _backups(source, bundles)
    yield from _with_another_suffix(source, readable_files)
    if {base(file.path) for file in files}.isdisjoint(others):
        yield from _packed(
            [file for file in readable_files if not any(_rank(base(file.path), other) for other in others)]
        )
    for file in files:
        if not file.regular:
            with suppress(GraderError, OSError):
                unusable = file.read(1)
                if isinstance(unusable, UnusableSource):
                    yield unusable.problem


def _backups(source: str, bundles: Sequence[Bundle]) -> Iterator[str]:
    for file in (file for bundle in bundles for file in bundle.files):
        if (
            backup_of(base(file.path)) == source
            and file.path.count("/") <= MAX_FOLDERS
            and file.begin(LOOKED_AT_BYTES)
        ):
            yield _rename(file, source)


def _with_another_suffix(source: str, files: Sequence[File]) -> Iterator[str]:
    stem, _, own_suffix = source.rpartition(".")
    language = "C++" if source.endswith(OTHER_LANGUAGE) else "C"
    for file in files:
        rest, _, suffix = base(file.path)[len(stem) :].partition(".")
        is_of_stem = base(file.path).startswith(stem) and not rest
        begin = b"" if not is_of_stem or {own_suffix, suffix.lower()} & {*DERIVED} else file.begin(LOOKED_AT_BYTES)
        if begin:
            yield kind_problem(shown(file.path), begin, language) or _rename(file, source)


def _packed(files: Sequence[File]) -> Iterator[str]:
    for file in files[:MAX_LOOKED_INTO]:
        kind = packed_kind(file.begin(LOOKED_AT_BYTES))
        if kind is not None:
            yield f"{shown(file.path)} is {kind}: unpack it, and hand in the files that are in it"


def _rename(file: File, source: str) -> str:
    return f"There is {shown(file.path)}: if that is it, rename it to {source}"
