"""The pages: self-contained HTML that works offline, without scripts, from the templates in reports/."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from typing_extensions import assert_never

from grader.model.report import (
    BuildEvidence,
    CallsEvidence,
    CasesEvidence,
    CheckEvidence,
    Report,
    SymbolsEvidence,
    TimingEvidence,
)
from grader.render import bytes_text, calls, compiler, hexdump, outcome, times, words
from grader.render.detail import LEVELS
from grader.render.markdown import markdown_html
from grader.resources import resource

PAGE_BYTES = 290_000
"""A page is to be opened on a phone, and kept by the hundred."""

_NOT_ANCHOR = re.compile(r"[^A-Za-z0-9.-]+")


def report_html(report: Report) -> bytes:
    """Return the page of one submission, in UTF-8; the student is its reader.

    What programs wrote is cut shorter, level by level, until the page is not larger than PAGE_BYTES.
    """
    values = {
        "report": report,
        "failed": outcome.with_status(report, "failed"),
        "skipped": outcome.with_status(report, "skipped"),
        "passed": outcome.with_status(report, "passed"),
        "explained": outcome.explained(report),
        "unbuilt": outcome.unbuilt(report),
        "unexplained": outcome.unexplained(report),
        "warned": compiler.warned(report.builds),
        "call_groups": calls.call_groups(report),
        "time_groups": times.time_groups(report),
    }
    page = b""
    for level in LEVELS:
        page = _render("report.html.j2", {**values, "detail": level})
        if len(page) <= PAGE_BYTES:
            break
    return page


def index_html(reports: Sequence[tuple[str, Report]]) -> bytes:
    """Return the page of a batch, in UTF-8: a row a submission, from (folder name, report) pairs in their order.

    Rows link to FOLDER/report.html beside the page.
    """
    rows = [
        {"href": _folder_href(folder), "report": report, "failed": outcome.with_status(report, "failed")}
        for folder, report in reports
    ]
    graded = sum(report.status == "graded" for _, report in reports)
    return _render("index.html.j2", {"rows": rows, "graded": graded, "not_graded": len(rows) - graded})


def evidence_template(evidence: CheckEvidence) -> str:
    """Name the template below reports/ that shows this kind of evidence."""
    match evidence:
        case BuildEvidence():
            name = "build"
        case CasesEvidence():
            name = "cases"
        case CallsEvidence():
            name = "calls"
        case SymbolsEvidence():
            name = "symbols"
        case TimingEvidence():
            name = "timing"
        case _:
            assert_never(evidence)
    return f"evidence/{name}.html.j2"


def anchor(name: str, kind: str = "check") -> str:
    """Return the id of a place in the page, a check's by its id, safe as an attribute and as a URL's fragment."""
    return f"{kind}-" + _NOT_ANCHOR.sub("-", name)


def prepare() -> None:
    """Compile the templates, which takes longer than filling them: while submissions run there is time for it."""
    for name in _environment().list_templates(extensions=["j2"]):
        _environment().get_template(name)


def _render(template: str, values: Mapping[str, Any]) -> bytes:
    return _environment().get_template(template).render(values).encode("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(resource("reports")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        byte_text=bytes_text.bytes_text,
        clip=bytes_text.clip,
        counted=words.counted,
        markdown=markdown_html,
        points=words.points_words,
        short=bytes_text.short,
        seconds=words.seconds_words,
        short_word=bytes_text.short_word,
    )
    environment.globals.update(
        anchor=anchor,
        by_program=outcome.by_program,
        certainty_words=words.certainty_words,
        difference_words=words.difference_words,
        ending_words=words.ending_words,
        evidence_template=evidence_template,
        first_of=compiler.first_of,
        hex_line=hexdump.hex_line,
        hex_rows=hexdump.hex_rows,
        isolation_words=words.isolation_words,
        listed=words.listed,
        lost_points=outcome.lost_points,
        offset_width=hexdump.offset_width,
        sink_words=words.sink_words,
        status_words=words.status_words,
    )
    return environment


def _shown(value: object) -> object:
    """Make every printed value visible text: escaping alone would leave control and direction marks in it.

    Jinja2 calls this before it escapes; what templates made themselves (Markup) is left alone.
    """
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return bytes_text.visible_text(value, keep="\n\t")
    return value


def _folder_href(folder: str) -> str:
    # Percent-encoded as the bytes on disk, so that no name can become a scheme, a query or another folder.
    return f"{quote(os.fsencode(folder), safe='')}/report.html"
