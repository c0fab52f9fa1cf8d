"""A picture of the head of a report: python -m browser.picture REPORT.json PICTURE.png."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from grader.model.report import Report
from grader.render.html import report_html

WIDTH, HEIGHT = 960, 1065


def take(report: Report, picture: Path) -> None:
    """Write the picture; the browser is the distribution's."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.set_content(report_html(report).decode())
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(Report.model_validate_json(Path(sys.argv[1]).read_bytes()), Path(sys.argv[2]))
