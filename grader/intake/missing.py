"""Words for a source that is missing."""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.choice import MAX_FOLDERS, Bundle, within_reach
from grader.intake.names import base, is_archive, shown

OTHER_LANGUAGE = (".cpp", ".cc", ".cxx", ".c++")
"""Suffixes that editors for C++ give to a new file."""


def missing(source: str, bundles: Sequence[Bundle]) -> str:
    """Return that a source is missing, and which other file may be meant."""
    misspelt = sorted(
        (folder, base(file.path))
        for folder, file in within_reach(bundles)
        if base(file.path).casefold() == source.casefold()
    )
    if misspelt:
        folder, name = misspelt[0]
        top = f"The top of {shown(folder.label)}" if folder.label else "The folder"
        where = str(folder) if folder.path else top
        return (
            f"{source} is missing. {where} has {shown(name)}: rename it to {source}"
            " (capital and small letters are different names)"
        )
    alike = sorted(base(file.path) for _, file in within_reach(bundles) if _is_alike(base(file.path), source))
    if alike:
        return f"{source} is missing. There is {shown(alike[0])}: if that is it, rename it to {source}"
    return f"{source} is missing{_instead(source, bundles)}"


def _is_alike(name: str, source: str) -> bool:
    """Return whether browsers, editors or students may make this name of a source's, as `copy (1).c` or `copy.cpp`.

    Experiments leave names like `output-copy.txt`, so a text file needs the source's name.
    """
    source, name = source.casefold(), name.casefold()
    stem, _, suffix = source.rpartition(".")
    suffixes = [f".{suffix}", f".{suffix}.txt", *(OTHER_LANGUAGE if suffix == "c" else ())]
    return (stem in name and name.endswith(tuple(suffixes))) or name == f"{stem}.txt"


def _instead(source: str, bundles: Sequence[Bundle]) -> str:
    paths = sorted(file.path for bundle in bundles for file in bundle.files)
    deeper = [path for path in paths if base(path) == source]
    if deeper:
        return f". There is one at {shown(deeper[0])}, deeper than {MAX_FOLDERS} folders: move it up"
    labels = " and ".join(shown(bundle.label) for bundle in bundles if bundle.label)
    packed = [path for path in paths if is_archive(path)]
    if labels and packed:
        return f" in {labels}, which holds another archive, {shown(packed[0])}: hand in the files themselves"
    if labels:
        return f" in {labels}"
    return "" if paths else ": nothing was handed in"
