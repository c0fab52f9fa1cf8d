"""The templates in reports/ and the functions that they can call."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from typing_extensions import assert_never

from grader.model.counted import counted, listed
from grader.model.report import (
    BuildEvidence,
    CallsEvidence,
    CasesEvidence,
    Check,
    CheckEvidence,
    SymbolsEvidence,
    TimingEvidence,
)
from grader.model.spelled_bytes import escaped_bytes
from grader.model.visible import is_visible
from grader.render.html.call_rows import call_rows
from grader.render.html.compiled import CompiledTemplates
from grader.render.text import escape, gcc_messages, hexdump, links, phrases, visibility
from grader.render.text.markdown import code_spans_html, markdown_html
from grader.render.views import failures, notebooks
from grader.render.views.syscalls import CallGroup
from grader.resources import resource


def fill(template: str, values: Mapping[str, Any]) -> bytes:
    """Return a template of reports/, filled with values, in UTF-8."""
    return _environment().get_template(template).render(values).encode("utf-8", "backslashreplace")


def compile_templates(*, class_page: bool) -> None:
    """Compile the templates of reports, and those of the class page, now and not when they are first filled.

    Their code is stored, and the next run uses it.
    """
    environment = _environment()
    for name in environment.list_templates(extensions=("j2", "css")):
        if class_page or not name.startswith("index"):
            environment.get_template(name)
    _compiled().store()


_fragments: dict[Hashable, Markup] = {}

MAX_FRAGMENTS = 4000
"""Passed checks and tables of calls whose HTML is kept. Those of a class are mostly alike, and take half of the time
of a page."""


def passed_check(check: Check, limits: Hashable) -> Markup:
    """Return the HTML of a passed check, which is made once for all pages that show the same."""
    key = (check.model_dump_json(), limits)
    return _fragment("check.html.j2", key, {"check": check, "limits": limits, "open": False, "said": None})


def call_group(group: CallGroup) -> Markup:
    """Return the HTML of the calls on inputs of one size, which is made once for all pages that show the same."""
    return _fragment("call_group.html.j2", group, {"group": group})


def _fragment(template: str, key: Hashable, values: Mapping[str, Any]) -> Markup:
    if key not in _fragments:
        if len(_fragments) >= MAX_FRAGMENTS:
            _fragments.clear()
        # The template has escaped what it shows.
        _fragments[key] = Markup(_environment().get_template(template).render(values))  # noqa: S704
    return _fragments[key]


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


@cache
def _compiled() -> CompiledTemplates:
    return CompiledTemplates(resource("reports"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(resource("reports")),
        bytecode_cache=_compiled(),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        finalize=_make_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        byte_text=escaped_bytes,
        clip=escape.clip,
        code_spans=code_spans_html,
        counted=counted,
        markdown=markdown_html,
        points=phrases.points_words,
        points_counted=phrases.points_counted,
        short=escape.short,
        seconds=phrases.seconds_words,
        short_word=escape.short_word,
        thousands="{:,}".format,
    )
    environment.globals.update(
        aligned_lines=hexdump.aligned_lines,
        anchor=links.anchor,
        by_program=failures.by_program,
        call_group=call_group,
        call_rows=call_rows,
        certainty_label=phrases.certainty_label,
        programs_words=phrases.programs_words,
        certainty_legend=phrases.certainty_legend,
        certainty_words=phrases.certainty_words,
        difference_words=phrases.difference_words,
        ending_words=phrases.ending_words,
        evidence_template=evidence_template,
        file_href=links.file_href,
        finding_rows=failures.finding_rows,
        first_of=gcc_messages.first_of,
        held_back_words=visibility.held_back_words,
        is_own_doing=phrases.is_own_doing,
        isolation_words=phrases.isolation_words,
        final_words=phrases.final_words,
        score_words=phrases.score_words,
        lines_words=notebooks.lines_words,
        signed_points=phrases.signed_points,
        listed=listed,
        passed_check=passed_check,
        lost_points=failures.lost_points,
        shift_words=phrases.shift_words,
        sink_words=phrases.sink_words,
        status_words=phrases.status_words,
        to_come_words=visibility.to_come_words,
        visibility_words=visibility.visibility_words,
        windows=phrases.windows,
    )
    return environment


def _make_visible(value: object) -> object:
    """Return a printed value as visible text, because escaping alone would keep control and direction marks.

    Jinja2 calls this before it escapes a value. Markup, which templates make themselves, stays as it is.
    """
    if type(value) is str and is_visible(value):
        # Most values: a class has hundreds of pages with thousands of values each.
        return value
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return escape.visible_text(value, keep="\n\t")
    return value
