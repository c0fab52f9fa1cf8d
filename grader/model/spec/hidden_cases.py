"""What a spec hides from students has to be hidden wherever it would show."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.model.spec.inconsistency import InconsistencyError

SEED_BYTES = 16
"""Of randomness in the seed of a hidden input: nobody finds it by trying."""

_RANDOM_SEED = re.compile(rf"[0-9a-f]{{{2 * SEED_BYTES},}}", re.IGNORECASE)
DIFFERENT_DIGITS = 8
"""So many of the sixteen a random seed has at least, but for one in some ten thousand; a run of one digit has one."""

SHARED_DIGITS = 8
"""So many in a row are in two random seeds at once in none of millions, unless one was made of the other."""


class Hideable(Protocol):
    """An input."""

    @property
    def hidden(self) -> bool:
        """Whether students are not to know it."""


class HideableCase(Hideable, Protocol):
    """A case, and what of it shows beside its check."""

    @property
    def input(self) -> str:
        """The name of its input."""

    @property
    def sink(self) -> str:
        """What its output goes to."""

    @property
    def is_counted(self) -> bool:
        """Whether its system calls are shown, by the name of its input."""


@dataclass(frozen=True)
class SpecReference:
    """A place in the spec that names a case; `shown`: to students, `timed`: with its times, by its input's name."""

    key_path: str
    case: str
    shown: bool
    timed: bool = False


@dataclass(frozen=True)
class Seed:
    """The seed of a random input."""

    text: str
    hidden: bool


def hiding_inconsistencies(
    inputs: Mapping[str, Hideable],
    cases: Mapping[str, HideableCase],
    places: Iterable[SpecReference],
    seeds: Mapping[str, Seed],
) -> Iterator[InconsistencyError]:
    """Yield each place where something hidden would show, or could be found out.

    `seeds` are those of the random inputs, by the names of these. Names that nothing declares are others' to tell.
    """
    everywhere = tuple(place for place in places if place.case in cases)
    for name, case in cases.items():
        if case.input in inputs:
            here = [place for place in everywhere if place.case == name]
            yield from _case_inconsistencies(name, case, here, reads_hidden=inputs[case.input].hidden)
    for place in everywhere:
        if place.shown and cases[place.case].hidden:
            yield InconsistencyError(
                f"{place.case!r} is hidden, and would show here to students; "
                "name it in a check of visibility: hidden only",
                key_path=place.key_path,
            )
    yield from _table_inconsistencies(cases, everywhere)
    yield from _seed_inconsistencies(seeds)


def _table_inconsistencies(
    cases: Mapping[str, HideableCase], places: Sequence[SpecReference]
) -> Iterator[InconsistencyError]:
    """Yield each case of unseen checks alone whose figures would stand among those of a check that is seen."""
    seen = {place.case for place in places if place.shown}
    timed = {place.case for place in places if place.timed}
    for name in dict.fromkeys(place.case for place in places if place.case not in seen):
        case = cases[name]
        for other in sorted(seen - {name}):
            its = cases[other]
            both_counted = case.is_counted and its.is_counted and case.sink == its.sink
            if not case.hidden and case.input == its.input and (both_counted or {name, other} <= timed):
                yield InconsistencyError(
                    f"only checks that students do not see name this case, and its calls or times would show beside "
                    f"those of {other!r}, which has the same input; give it an input of its own",
                    key_path=f"cases.{name}.input",
                )
                break


def _case_inconsistencies(
    name: str, case: HideableCase, here: Sequence[SpecReference], *, reads_hidden: bool
) -> Iterator[InconsistencyError]:
    if not case.hidden:
        if reads_hidden:
            yield InconsistencyError(
                f"the input {case.input!r} is hidden, and this case would show it; write hidden: true here too",
                key_path=f"cases.{name}.input",
            )
        return
    if not here:
        yield InconsistencyError(
            "no check rests on this case, so nothing keeps its runs from being shown; name it in a check "
            "of visibility: hidden, or leave the case out",
            key_path=f"cases.{name}.hidden",
        )
    if (case.is_counted or any(place.timed for place in here)) and not reads_hidden:
        yield InconsistencyError(
            f"calls and times are shown by input, and {case.input!r} is not hidden; "
            "give this case an input of its own with hidden: true",
            key_path=f"cases.{name}.input",
        )


def _seed_inconsistencies(seeds: Mapping[str, Seed]) -> Iterator[InconsistencyError]:
    known = {name: seed.text for name, seed in seeds.items() if not seed.hidden}
    for name, seed in seeds.items():
        if not seed.hidden:
            continue
        told = [one for one, text in known.items() if _tells(text, seed.text)]
        if not _is_random(seed.text):
            problem = f"whoever guesses it knows the input: {2 * SEED_BYTES} random hexadecimal digits are needed"
        elif told:
            problem = f"it is the seed of {told[0]!r}, which is not hidden, or has digits of it: one tells the other"
        else:
            continue
        fresh = secrets.token_hex(SEED_BYTES)
        # In quotes, as YAML takes digits alone for a number.
        yield InconsistencyError(f'{problem}; this one was made just now: "{fresh}"', key_path=f"inputs.{name}.seed")


def _is_random(text: str) -> bool:
    digits = _RANDOM_SEED.search(text)
    return digits is not None and len(set(digits[0].lower())) >= DIFFERENT_DIGITS


def _tells(known: str, text: str) -> bool:
    """Return whether a seed holds random digits of another."""
    digits = "".join(_RANDOM_SEED.findall(text)).lower()
    places = range(len(digits) - SHARED_DIGITS + 1)
    return any(digits[place : place + SHARED_DIGITS] in known.lower() for place in places)
