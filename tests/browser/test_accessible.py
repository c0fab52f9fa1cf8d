"""axe-core finds nothing to complain of: light and wide, dark and narrow, all unfolded, and as printed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize

from tests.sample import partly_rare

from .conftest import PAGES

PHONE: ViewportSize = {"width": 400, "height": 800}
DESK: ViewportSize = {"width": 1000, "height": 800}
UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
# WCAG 2.2 and what axe calls good practice.
# Of what passes, axe would otherwise list every element.
OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}

# The worst page is the broken one at length, and axe takes its time.
NAMES = [name for name in PAGES if name != "worst"]


@contextmanager
def opened(browser: Browser, path: Path, **settings: Any) -> Iterator[Page]:  # noqa: ANN401 - Playwright's own
    page = browser.new_page(**settings)
    page.goto(path.as_uri())
    yield page
    page.close()


def complaints(page: Page, **options: Any) -> list[str]:  # noqa: ANN401 - axe's own
    return [
        f"{found['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for found in Axe().run(page, options=OPTIONS | options).response["violations"]
        for node in found["nodes"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("scheme", "size"),
    [
        pytest.param("light", DESK, id="light-desk"),
        pytest.param("dark", PHONE, id="dark-phone"),
    ],
)
def test_axe_finds_nothing(
    browser: Browser, folder: Path, name: str, size: dict[str, int], scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, folder / f"{name}.html", viewport=size, color_scheme=scheme) as page:
        page.evaluate(UNFOLD)
        assert complaints(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", partly_rare(NAMES))
def test_axe_finds_nothing_in_print(browser: Browser, folder: Path, name: str) -> None:
    with opened(browser, folder / f"{name}.html", viewport=DESK) as page:
        page.emulate_media(media="print")
        # Nobody taps paper.
        assert complaints(page, rules={"target-size": {"enabled": False}}) == []


def test_axe_is_at_work(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<!DOCTYPE html><title>x</title><img src=x><p style='color:#ccc'>pale", encoding="utf-8")
    with opened(browser, path) as page:
        found = {complaint.split(":")[0] for complaint in complaints(page)}
    assert {"image-alt", "color-contrast", "html-has-lang"} <= found
