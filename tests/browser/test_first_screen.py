"""Pages of typical wrong submissions are small, and their first screen has the problem, its place and a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from grader.model.spec.lab import Spec
from grader.render.html.pages import report_html
from grader.render.views.problems import problems
from grader.sandbox.base import Sandbox
from tests.wrong.checked import COMMON, Checked

from .test_accessible import complaints, opened

OTHER_KINDS = ("b-scanf-no-count", "b-use-after-free", "u-fread-fwrite", "u-undeclared-variable")
"""Wrong calls of a right output, memory errors, and what does not compile."""

NOT_YET = {"b-getchar-inside-from-loop", "u-no-duplicate-check"}
"""On a phone the command of the first is below the screen, and the place of the second comes from its proof alone."""

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


@pytest.fixture(scope="module")
def checked(spec: Spec, local_sandbox: Sandbox, shared_folder: Path) -> Checked:
    return Checked(spec, local_sandbox, shared_folder)


@pytest.mark.parametrize("name", [*(name for name in COMMON if name not in NOT_YET), *OTHER_KINDS])
def test_the_first_screen_has_the_problem_its_place_and_a_command(
    browser: Browser, tmp_path: Path, checked: Checked, name: str
) -> None:
    report = checked.report(name)
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
