"""Pages of typical wrong submissions are small, and their first screen has the problem, its place and a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from grader.model.report import Report
from grader.render.html.pages import report_html
from grader.render.views.problems import problems
from grader.sandbox.base import Sandbox
from tests.conftest import Reporter
from tests.sample import partly_rare

from .test_accessible import complaints, opened

TESTS = Path(__file__).parents[1]
PROGRAMS = TESTS / "wrong" / "programs"
EXAMPLES = TESTS.parent / "examples"

WRONG = {
    "b-argc-not-two": "u-inverted-length-check",
    "b-char-getchar": "u-two-byte-buffer",
    "b-empty-operands-hang": "u-table-loop-never-ends",
    "b-missing-semicolon": "u-undeclared-variable",
    "b-newline-and-char": "u-newline-after-each",
    "b-scanf-no-count": "u-fread-fwrite",
    "b-signed-compare": "u-signed-table",
    "b-use-after-free": "u-frees-the-stack",
}
"""A tr2b.c and a tr2u.c for each submission."""

WRONG_EXAMPLES = ("block-reads", "chained-mapping", "stops-at-0xff", "unbuffered-tr2b")

MAX_BYTES = 150_000
SCREENS = ({"width": 1280, "height": 800}, {"width": 390, "height": 844})

# Where the first problem's parts end. What is folded has no place on the screen.
PARTS = """() => {
  const parts = {
    title: ":scope > h3",
    place: ":scope > .source, :scope > .warned, :scope > p > code",
    command: ":scope > .demonstration pre.shell",
  };
  const problem = document.querySelector("article");
  const ends = {};
  for (const [name, selector] of Object.entries(parts)) {
    const found = problem.querySelector(selector);
    if (found) {
      ends[name] = found.getBoundingClientRect().bottom;
    }
  }
  return ends;
}"""

pytestmark = pytest.mark.slow


@pytest.fixture(params=partly_rare([*WRONG, *WRONG_EXAMPLES]))
def report(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    local_sandbox: Sandbox,
    small_report: Reporter,
) -> Report:
    name: str = request.param
    folder = EXAMPLES / name
    if name in WRONG:
        folder = tmp_path / name
        folder.mkdir()
        for source, target in ((name, "tr2b.c"), (WRONG[name], "tr2u.c")):
            (folder / target).write_bytes((PROGRAMS / f"{source}.c").read_bytes())
    return small_report(folder, local_sandbox)


def test_the_first_screen_has_the_problem_its_place_and_a_command(
    browser: Browser, tmp_path: Path, report: Report
) -> None:
    page_bytes = report_html(report)
    assert len(page_bytes) < MAX_BYTES
    path = tmp_path / "report.html"
    path.write_bytes(page_bytes)
    first = problems(report)[0]
    has_place = first.error or first.findings or first.warnings or first.lines
    has_command = first.demonstration and (first.demonstration.compile or first.demonstration.lines)
    expected = {"title", *(["place"] if has_place else []), *(["command"] if has_command else [])}
    for screen in SCREENS:
        with opened(browser, path, viewport=screen) as page:
            ends: Mapping[str, float] = page.evaluate(PARTS)
        assert set(ends) == expected
        assert {name: end for name, end in ends.items() if end > screen["height"]} == {}
    with opened(browser, path, viewport=SCREENS[1], color_scheme="dark") as page:
        assert complaints(page) == []
