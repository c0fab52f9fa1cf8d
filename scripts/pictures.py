"""Make the pictures of the documentation: python pictures.py REPORT.json TERMINAL.txt FOLDER.

REPORT.json belongs to examples/stops-at-0xff. TERMINAL.txt is the coloured output of `grader check`. The class is
the invented one of the tests, because real classes are private.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console, RenderableType
from rich.terminal_theme import MONOKAI
from rich.text import Text

from grader.gradescope.results.results_json import results_of
from grader.gradescope.results.student_view import student_view
from grader.gradescope.submission_metadata import SubmissionMetadata
from grader.lab.load import read_spec
from grader.model.report import Report
from grader.render.html.pages import index_html, report_html
from grader.render.views.commands import Commands
from grader.resources import resource
from tests.unit.render.classes import made_up

REPORT_SIZE = (960, 1065)
CLASS_SIZE = (1100, 1240)
COLUMNS = 84
COMMAND = "grader grade submissions.zip --lab tr2 --out results/"
LINES = 34
"""Lines to show of what a student sees on Gradescope; the checks that passed come after them."""

# rich's fonts would be loaded from a server; the reader's own fonts are good enough.
SVG = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace("Fira Code, ", "")


def photograph(pages: dict[str, tuple[bytes, tuple[int, int]]], folder: Path) -> None:
    """Write a picture of the top of each page, as Chromium shows it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (page, (width, height)) in pages.items():
            view = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            view.set_content(page.decode())
            view.screenshot(path=folder / f"{name}.png")
        browser.close()


def draw(shown: RenderableType, title: str, picture: Path) -> None:
    """Write what a terminal shows as SVG."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(shown)
    picture.write_text(
        console.export_svg(title=title, theme=MONOKAI, code_format=SVG, unique_id=picture.stem), "utf-8"
    )


def from_score(shown: str) -> Text:
    """Return what a terminal shows from the score on, without the lines of single checks."""
    lines = Text.from_ansi(shown.rstrip()).split("\n")
    score = next(number for number, line in enumerate(lines) if " of 100" in line.plain)
    return Text("\n").join(lines[score:])


def on_gradescope(report: Report) -> Text:
    """Return the beginning of what a student sees on Gradescope."""
    spec = read_spec(resource("specs", f"{report.lab}.yaml"))
    results = results_of(report, spec, SubmissionMetadata(), execution_time_s=0).model_dump_json()
    console = Console(width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with console.capture() as capture:
        console.print(student_view(json.loads(results), ""))
    return Text("\n").join(Text.from_ansi(capture.get()).split("\n")[:LINES])


def main(report_file: Path, terminal: Path, folder: Path) -> None:
    """Write all pictures."""
    report = Report.model_validate_json(report_file.read_bytes())
    # One invented student has a name that attacks the page, for tests.
    ordinary = [entry for entry in made_up(40) if "<" not in entry.report.submission.name]
    a_class = index_html(ordinary, files=("grades.csv", "canvas.csv", "junit.xml"), commands=Commands(COMMAND))
    photograph({"report": (report_html(report), REPORT_SIZE), "class": (a_class, CLASS_SIZE)}, folder)
    draw(from_score(terminal.read_text("utf-8")), "grader check --quick", folder / "check.svg")
    draw(on_gradescope(report), "grader gradescope try", folder / "gradescope.svg")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
