"""Find out which course system has put a listing together, and read its names as that one writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.intake.layouts import SYSTEMS, Claim, Layout, PlainFolder
from grader.intake.listing import Listing, TopEntry
from grader.intake.names import is_archive, is_left_behind, left_behind_of, shown
from grader.messages import Notify
from grader.model.gradebook import COURSE_SYSTEMS

_Fit = tuple[Layout, Sequence[TopEntry]]
"""A layout, and the entries that fit it."""

_NOT_READ = "{where} was not read as an export of {system}, which has names like {name}, as {why}"
_OUTNUMBERED = "most of the others are different"


def recognise(listing: Listing, sources: Sequence[str], notify: Notify) -> Mapping[str, Claim | None]:
    """Return whose submission each entry belongs to, by its name; None if it belongs to none.

    Students choose names for files, and these may be like the names of any course system. So the system is the one
    that fits most entries; of several, the one whose part of these names is the shortest, as what students choose
    comes after it. The entries that it does not fit are read in the same way: two exports may be in one folder.
    """
    files = {entry.name for entry in listing.entries if entry.file is not None}
    plain = PlainFolder(listing, sources, notify)
    claims = {entry.name: plain.claim(entry) for entry in listing.entries}
    # Course systems name files and folders after students, and names of students are of every kind.
    left = [
        entry for entry in listing.entries if not (is_left_behind(entry.name) and left_behind_of(entry.name) in files)
    ]
    while fits := _fits(replace(listing, entries=tuple(left)), sources, notify):
        known = {entry.name for _, entries in fits for entry in entries}
        others = [claims[entry.name] for entry in left if entry.name not in known]
        plain_ones = sum(claim is not None and claim.graded and not claim.problem for claim in others)
        problems = [layout.implausible(entries) or _outnumbered(entries, plain_ones) for layout, entries in fits]
        if all(problems):
            layout, (first, *_) = fits[0]
            system, name = COURSE_SYSTEMS[layout.system], shown(first.name)
            notify(_NOT_READ.format(where=listing.shown, system=system, name=name, why=problems[0]))
            break
        layout, entries = fits[problems.index("")]
        read = {entry.name: layout.claim(entry) for entry in entries}
        claims |= read
        left = [entry for entry in left if entry.name not in read]
    return claims


def _fits(listing: Listing, sources: Sequence[str], notify: Notify) -> list[_Fit]:
    """Return the layouts that fit entries, the most probable first."""
    found = []
    for make in SYSTEMS:
        layout = make(listing, sources, notify)
        lengths = {entry.name: length for entry in listing.entries if (length := layout.fits(entry))}
        entries = [entry for entry in listing.entries if entry.name in lengths]
        found.append(((-len(entries), sum(lengths.values())), (layout, entries)))
    return [fit for _, fit in sorted(found, key=lambda one: one[0]) if fit[1]]


def _outnumbered(entries: Sequence[TopEntry], others: int) -> str:
    """Return that folders and archives of other names are more; loose files are of an export or of nobody."""
    is_plain = all(entry.file is None or is_archive(entry.name) for entry in entries)
    return _OUTNUMBERED if is_plain and len(entries) < others else ""
