"""Chromium as the distribution packages it, driven by Playwright, and the pages to look at."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, sync_playwright

from grader.render.html.pages import index_html, report_html
from grader.render.html.similar import similar_html
from grader.render.views.commands import Commands
from tests.unit.render import factory
from tests.unit.render.classes import hostile_class, made_up
from tests.unit.render.pages import HOSTILE
from tests.unit.render.test_similar import alike

REPORTS = {
    "full-marks": factory.report(),
    "diagnosed": factory.diagnosed(),
    "broken": factory.broken(),
    "plotted": factory.plotted(),
    "unbuilt": factory.unbuilt(),
    "not-graded": factory.not_graded(),
    "empty": factory.empty(),
    "hostile": factory.hostile(factory.diagnosed(), HOSTILE),
    "worst": factory.worst("<x>\x1b"),
}
COMMAND = "grader grade submissions.zip --lab tr2 --out results"
UNFINISHED = [factory.entry(factory.not_graded(interrupted=ended), f"alan-{ended}") for ended in (False, True)]
PAGES = {
    **{name: report_html(report) for name, report in REPORTS.items()},
    "index": index_html([factory.entry(report, name) for name, report in REPORTS.items()]),
    "class": index_html(made_up(40), files=("grades.csv", "canvas.csv", "junit.xml"), commands=Commands(COMMAND)),
    "unfinished-class": index_html([*UNFINISHED, *made_up(3)], commands=Commands(COMMAND)),
    "unfinished": report_html(factory.not_graded(interrupted=True)),
    "similar": similar_html(alike()),
    "hostile-class": index_html(hostile_class(), files=("grades.csv",)),
}


def unavailable(reason: str) -> NoReturn:
    """Skip if there is no browser, or fail where there has to be one."""
    if os.environ.get("GRADER_REQUIRE_BROWSER") == "1":
        pytest.fail(f"GRADER_REQUIRE_BROWSER=1, and {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        unavailable("there is no chromium here: scripts/setup-tools.sh chromium")
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox of Chromium's; the pages are our own.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all pages as files, the way that people open them."""
    folder = tmp_path_factory.mktemp("pages")
    for name, page in PAGES.items():
        (folder / f"{name}.html").write_bytes(page)
    return folder
