"""The hostile programs themselves: each says what it tries, and SECURITY.md has a row for it."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

from tests.hidden_lab import OPERANDS

from .handed_in import IN_CLASS
from .programs import (
    ATTACK,
    ATTACKED,
    FILES,
    HOSTILE,
    SMOKE,
    SUBMISSIONS,
    WITH_SMOKE,
    Place,
    attacked,
    together,
    tried_in,
)

SECURITY = Path(__file__).parents[2] / "SECURITY.md"
LEAST = 90
NAMES = [one.path.stem for one in HOSTILE] + [one.name for one in IN_CLASS]


def patterns() -> list[str]:
    """The last cell of each row, which names hostile submissions: `channel-system-v-*`."""
    rows = [line for line in SECURITY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[-1])]


def test_there_are_enough_and_no_two_of_one_name() -> None:
    assert len(HOSTILE) >= LEAST
    assert len({one.name for one in HOSTILE}) == len(HOSTILE)
    assert len(HOSTILE) == len(FILES)


@pytest.mark.parametrize("path", [one.path for one in HOSTILE], ids=lambda path: str(path.stem))
def test_a_program_says_first_what_it_tries(path: Path) -> None:
    assert re.match(r"/\* \w.+\. \*/\n", path.read_text(encoding="utf-8").replace("\n * ", " "))


def test_every_hostile_submission_has_a_row_in_the_table_of_attacks() -> None:
    assert not [name for name in NAMES if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns())]


@pytest.mark.parametrize("pattern", patterns())
def test_every_row_names_hostile_submissions(pattern: str) -> None:
    assert fnmatch.filter(NAMES, pattern) or (Path(__file__).parents[2] / pattern).exists()


def test_attacks_recognise_the_hidden_cases_of_the_lab() -> None:
    assert f'strcmp(operands[1], "{OPERANDS[0]}")' in (SUBMISSIONS / ATTACK).read_text(encoding="utf-8")


def test_every_attack_is_tried_where_it_attacks() -> None:
    tried = {place: {one.name for one in tried_in(place)} for place in Place}
    assert not [one.name for one in HOSTILE if not attacked(one)]
    assert not [(one.name, place) for one in HOSTILE for place in attacked(one) if one.name not in tried[place]]


@pytest.mark.parametrize("pattern", ATTACKED)
def test_every_row_of_the_table_of_places_decides_about_an_attack(pattern: str) -> None:
    others = dict(ATTACKED)
    del others[pattern]
    assert [one for one in HOSTILE if attacked(one) != attacked(one, others)]


def test_attacks_on_the_guest_and_on_isolation_are_tried_in_the_strictest_sandbox() -> None:
    strict = {Place.CONTAINERS, Place.HIDDEN}
    kinds = re.compile("channel-|escape-|harness-|resources-")
    assert not [one.name for one in HOSTILE if kinds.match(one.path.stem) and not attacked(one) & strict]


@pytest.mark.parametrize("place", WITH_SMOKE, ids=lambda place: str(place.name))
def test_every_sandbox_meets_the_smoke_class(place: Place) -> None:
    assert {one.path.stem for one in tried_in(place)} >= {*SMOKE}


def test_every_result_is_in_the_smoke_class() -> None:
    smoke = [one.expected for one in HOSTILE if one.path.stem in SMOKE]
    assert {bool(one.fails) for one in smoke} == {bool(one.not_built) for one in smoke} == {True, False}
    assert any(one.build_alone for one in smoke)


@pytest.mark.parametrize("place", Place, ids=lambda place: str(place.name))
def test_programs_that_share_a_submission_replace_different_ones(place: Place) -> None:
    submissions = together(tried_in(place)).values()
    assert sorted(one.name for both in submissions for one in both.programs) == sorted(
        one.name for one in tried_in(place)
    )
    assert all(len({one.program for one in both.programs}) == len(both.programs) for both in submissions)
