"""The documentation's site: accessible, as wide as the screen, and searchable without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from .test_accessible import complaints, opened


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["index", "checks"])
def test_axe_finds_nothing(
    browser: Browser, site: Path, name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    with opened(
        browser, site / f"{name}.html", viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as page:
        assert complaints(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_search_works_from_a_file_and_asks_for_nothing(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.reload()
        page.locator("input.md-search__input").fill("strace")
        page.wait_for_selector(".md-search-result__item")
        assert [url for url in asked if urlsplit(url).scheme not in {"file", "data", "blob"}] == []
