"""What only a browser can tell: pages fit a phone, run nothing, fetch nothing, print, and are used by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .conftest import PAGES
from .test_accessible import DESK, PHONE, UNFOLD, opened

WITHOUT_SCRIPT = {"empty-index", "similar"}

every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_nothing_is_wider_than_a_phone(browser: Browser, folder: Path, name: str) -> None:
    with opened(browser, folder / f"{name}.html", viewport=PHONE) as page:
        page.evaluate(UNFOLD)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@every_page
def test_a_page_fetches_nothing_and_runs_nothing_but_our_own_script(
    browser: Browser, folder: Path, name: str
) -> None:
    asked: list[str] = []
    said: list[str] = []
    page = browser.new_page(viewport=DESK)
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto((folder / f"{name}.html").as_uri())
    page.evaluate(UNFOLD)
    assert asked == [(folder / f"{name}.html").as_uri()]
    assert said == []
    assert page.evaluate("document.scripts.length") == (name not in WITHOUT_SCRIPT)
    page.close()


def test_a_button_copies_the_lines_for_a_shell(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "diagnosed.html", permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator(".copy").first.click()
        page.get_by_role("button", name="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.locator("pre.shell").first.text_content()
        assert copied.startswith("gcc -o tr2b tr2b.c\n")


def test_the_numbers_are_read_out_and_the_bars_are_not(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "full-marks.html") as page:
        tree = page.locator("#calls").locator("xpath=..").aria_snapshot()
    assert "5,000,002" in tree
    assert "1,221 blocks of 4,096 bytes" in tree
    assert "width:" not in tree


def test_the_keyboard_reaches_and_opens_a_folded_check(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "diagnosed.html", viewport=DESK) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip-link"
        focused = "document.activeElement.tagName + ' ' + document.activeElement.innerText"
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate(focused).startswith("SUMMARY tr2b.byte-ff"):
                break
        else:
            pytest.fail("the first folded check was not reached")
        evidence = page.get_by_text("the output ends too early").first
        assert not evidence.is_visible()
        page.keyboard.press("Enter")
        assert evidence.is_visible()


def test_a_link_to_a_folded_check_unfolds_it(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "diagnosed.html") as page:
        page.locator("#all").locator("xpath=..").get_by_role("link", name="tr2b.byte-ff").click()
        assert page.locator("#check-tr2b\\.byte-ff").is_visible()


def test_what_failed_is_printed_unfolded_and_what_passed_as_a_line(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "diagnosed.html") as page:
        page.emulate_media(media="print")
        heights = {
            name: page.locator(f"#check-tr2b\\.{name}").evaluate(
                "one => one.checkVisibility({contentVisibilityAuto: true})"
            )
            for name in ("byte-ff", "text")
        }
    assert heights == {"byte-ff": True, "text": False}


@pytest.mark.slow
@every_page
def test_a_page_prints(browser: Browser, folder: Path, name: str) -> None:
    with opened(browser, folder / f"{name}.html") as page:
        assert page.pdf(format="A4").startswith(b"%PDF")
