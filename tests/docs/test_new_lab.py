"""What docs/new-lab.md shows of a lab is in the finished lab, which tests/corpus/test_count.py tests."""

from __future__ import annotations

import pytest

from .blocks import CHECKOUT, tokens

PAGE = CHECKOUT / "docs" / "new-lab.md"
LAB = CHECKOUT / "tests" / "labs" / "count"
SHOWN = [token.content for token in tokens(PAGE.read_text("utf-8")) if token.type == "fence" and token.info == "yaml"]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.split(":")[0].strip(" -"))
def test_the_finished_lab_has_what_the_page_shows(shown: str) -> None:
    files = [LAB / "lab.yaml", *LAB.glob("mutants/*/mutant.yaml")]
    assert any(shown in file.read_text("utf-8") for file in files)


def test_the_page_shows_parts_of_the_lab() -> None:
    assert len(SHOWN) == 6
