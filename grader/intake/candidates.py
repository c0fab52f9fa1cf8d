"""The tops of a class turned into submissions, by the layout that knows each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake.files import File
from grader.intake.layouts import LAYOUTS, Claim
from grader.intake.listing import Listing, TopEntry, renamed
from grader.intake.names import readable, shown, stem
from grader.messages import Notify
from grader.model.gradebook import Origin

TOLD = 3
"""Of what was left alone so many are named."""


@dataclass(frozen=True)
class Candidate:
    """A submission whose name may be another's as well; `real` is its place in the world, by which it is once."""

    real: Path
    name: str
    place: Path | tuple[File, ...]
    origin: Origin


@dataclass(frozen=True)
class ClassifiedListing:
    """A listing, and whose each of its tops is."""

    listing: Listing
    claims: tuple[tuple[TopEntry, Claim | None], ...]

    @property
    def is_export(self) -> bool:
        """Whether a course system put it together."""
        return any(claim is not None and claim.system is not None for _, claim in self.claims)

    def candidates(self, notify: Notify) -> list[Candidate]:
        """Return the submissions, by name; what is none of them is said."""
        parts: dict[tuple[str, ...], list[tuple[TopEntry, Claim]]] = {}
        left = list(self.listing.left)
        for top, claim in self.claims:
            if claim is None or not claim.graded:
                left += [top.name] if claim is None or claim.reported else []
            else:
                # A folder and an archive of one name are two submissions.
                whose = (claim.system or "", *claim.owner) if claim.owner else (top.name,)
                parts.setdefault(whose, []).append((top, claim))
        if left:
            notify(_left_alone(self.listing, left))
        candidates = [_candidate(self.listing, together) for together in parts.values()]
        return sorted(candidates, key=lambda candidate: (candidate.name, str(candidate.real)))


def classify(listing: Listing, sources: Sequence[str], notify: Notify) -> ClassifiedListing:
    """Ask each layout about each top."""
    layouts = [layout(listing, sources, notify) for layout in LAYOUTS]
    claims = ((top, (layout.claim(top) for layout in layouts)) for top in listing.tops)
    return ClassifiedListing(
        listing, tuple((top, next((one for one in asked if one is not None), None)) for top, asked in claims)
    )


def whole(path: Path) -> Candidate:
    """Return all that lies at a path, a folder or an archive, as one submission."""
    real = path.resolve()
    if real.is_dir():
        # The root folder has no name.
        return Candidate(real, real.name or "root", path, Origin(path=readable(str(path))))
    return Candidate(real, stem(real.name), real, Origin(path=readable(str(path))))


def _candidate(listing: Listing, together: Sequence[tuple[TopEntry, Claim]]) -> Candidate:
    first_top, first = together[0]
    if len(together) == 1 and isinstance(first_top.folder, Path):
        place: Path | tuple[File, ...] = first_top.folder
    else:
        # The last one of a name counts.
        in_turn = sorted(together, key=lambda part: part[1].attempt)
        place = tuple(file for top, claim in in_turn for file in _files(top, claim))
    origin = Origin(
        path=f"{listing.shown}/{readable(first_top.name)}",
        system=first.system,
        people=tuple(dict.fromkeys(person for _, claim in together for person in claim.people)),
        late=any(claim.late for _, claim in together) if first.late is not None else None,
        submitted_at=first.submitted_at,
    )
    return Candidate(listing.place / first_top.name, first.name, place, origin)


def _files(top: TopEntry, claim: Claim) -> Sequence[File]:
    if isinstance(top.folder, tuple):
        return top.folder
    return [renamed(top.file, claim.file_name)] if top.file is not None else []


def _left_alone(listing: Listing, names: Sequence[str]) -> str:
    listed = ", ".join(shown(name) for name in sorted(names)[:TOLD])
    more = ", …" if len(names) > TOLD else ""
    what = "1 that is no submission" if len(names) == 1 else f"{len(names)} that are no submissions"
    return f"left alone in {listing.shown}: {what}: {listed}{more}"
