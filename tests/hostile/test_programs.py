"""The hostile programs themselves: each says what it tries, and SECURITY.md has a row for it."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

from .handed_in import IN_CLASS
from .programs import FILES, HOSTILE

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
