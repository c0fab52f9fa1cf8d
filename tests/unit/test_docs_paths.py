"""Contributor documents name only files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PAGES = [CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "docs" / "architecture.md", CHECKOUT / "docs" / "isolation.md"]
PAGES += sorted((CHECKOUT / "docs" / "decisions").glob("*.md"))
STARTS = (CHECKOUT, CHECKOUT / "grader")
"""Folders that the names on these pages are relative to."""

FILE = re.compile(r"(?<![\w/.-])[\w./-]+\.(?:py|c|h)(?!\w)")
# Capitals stand for a name that the reader chooses.
FOLDER = re.compile(r"`((?:[a-z\d_.-]+/)+)`")


def named(text: str) -> set[str]:
    """Return the source files and the folders that a text names."""
    return {*FILE.findall(text), *FOLDER.findall(text)}


def missing(text: str) -> set[str]:
    return {name for name in named(text) if not any((start / name).exists() for start in STARTS)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_exists(page: Path) -> None:
    assert missing(page.read_text(encoding="utf-8")) == set()


def test_the_map_names_files_in_every_package_of_the_pipeline() -> None:
    text = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = {name.split("/")[0] for name in named(text)}
    assert {"cli", "gradescope", "batch", "selfcheck", "grading", "lab", "sandbox", "judge", "guest"} <= folders


def test_a_file_that_is_gone_is_found() -> None:
    assert missing("as `judge/oracle.py` and `rig/` say; see judge/verdict.py") == {"judge/oracle.py", "rig/"}


def test_the_list_of_decisions_is_current_and_begins_with_the_newest() -> None:
    decisions = CHECKOUT / "docs" / "decisions"
    rows = [
        f"| {page.name[:4]} | [{page.read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')}]({page.name}) |"
        for page in sorted(decisions.glob("0*.md"), reverse=True)
    ]
    index = (decisions / "index.md").read_text(encoding="utf-8")
    assert [line for line in index.splitlines() if line.startswith("| 0")] == rows


def test_no_two_decisions_have_the_same_number() -> None:
    numbers = [page.name[:4] for page in (CHECKOUT / "docs" / "decisions").glob("0*.md")]
    assert len(numbers) == len(set(numbers))
